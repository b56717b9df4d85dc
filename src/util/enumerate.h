/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vulkan's questions in two calls, one for the count and one for the items, put to a driver
 * or layer that may not tell the truth: one that always says VK_INCOMPLETE, whose second
 * count is larger than its first, that counts to four thousand millions. Each such question
 * of ours goes through here.
 *
 * What nobody can be kept from is writing behind the memory that it was given.
 *
 * Thread-safety: any thread; what is asked may have rules of its own.
 */
#ifndef KR_UTIL_ENUMERATE_H
#define KR_UTIL_ENUMERATE_H

#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"
#include "util/vulkan.h"

/* Nobody has more: a larger count is an error, and the items aren't asked for. */
#define KR_MOST_DEVICES    1024 /* and groups of them */
#define KR_MOST_EXTENSIONS 4096
#define KR_MOST_FAMILIES   256
#define KR_MOST_LAYERS     4096

struct kr_enumeration {
	/*
	 * `items` NULL: how many there are. Else *count is the room, and then how
	 * many were written.
	 */
	VkResult (*ask)(const void *context, uint32_t *count, void *items);
	const void *context;
	size_t item_size;
	VkStructureType type; /* of items that begin with one; 0 for others */
	uint32_t most;        /* not 0 */
	const char *who;      /* driver or layer, for the log */
	const char *function; /* what is called, for the log */
	uint32_t log;         /* KR_LOG_DRIVER or KR_LOG_LAYER */
};

/*
 * All items in a new array, to be freed with kr_free and `allocator`; NULL with a count of 0. Lies
 * are told. VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_INITIALIZATION_FAILED for a count that can't be,
 * or the error that was answered.
 */
VkResult kr_enumerate(const struct kr_enumeration *question, const VkAllocationCallbacks *allocator,
	uint32_t *count, void **items) KR_MUST_CHECK;

/* Whose extensions: of an instance, or of a device where `of_device` is set. */
struct kr_enumerate_question {
	PFN_vkEnumerateInstanceExtensionProperties of_instance;
	PFN_vkEnumerateDeviceExtensionProperties of_device;
	VkPhysicalDevice device;
	const char *layer; /* NULL: none */
	const char *who;
	uint32_t log;
};

/* The same for extensions; names that have no end, or are none, are told and left out. */
VkResult kr_enumerate_extensions(const struct kr_enumerate_question *question,
	const VkAllocationCallbacks *allocator, uint32_t *count, VkExtensionProperties **extensions)
	KR_MUST_CHECK;

/*
 * For answers that go straight into a caller's memory: how many items that takes, before the call,
 * and after it the count that may be read. `items` NULL asks for the count, which is left alone.
 */
static inline uint32_t
kr_enumeration_room(const void *items, const uint32_t *count)
{
	return items && count ? *count : 0;
}

static inline void
kr_enumeration_fit(const void *items, uint32_t room, uint32_t *count)
{
	if (items && count && *count > room)
		*count = room;
}

#endif
