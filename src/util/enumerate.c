/* SPDX-License-Identifier: Apache-2.0 */
/* Two-call questions with bounds. */
#include "util/enumerate.h"

#include <string.h>

#include "util/alloc.h"
#include "util/log.h"

/* A list may grow between two calls; one that has grown this often is taken as it is. */
#define ROUNDS 8

/* How many there are. Who has so many that nobody has them isn't asked for them. */
static VkResult
ask_count(const struct kr_enumeration *question, uint32_t *room)
{
	uint32_t count = 0;
	VkResult result = question->ask(question->context, &count, NULL);

	if (result < VK_SUCCESS)
		return result;
	if (count > question->most) {
		kr_log(KR_LOG_ERROR | question->log,
			"%s: %s counts %u, which can't be (at most %u): nothing of it is taken",
			question->who, question->function, count, question->most);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	*room = count;
	return VK_SUCCESS;
}

static void
set_types(const struct kr_enumeration *question, void *items, uint32_t count)
{
	for (uint32_t i = 0; question->type && i < count; i++)
		memcpy((char *)items + i * question->item_size, &question->type,
			sizeof(question->type));
}

/* With the array in place. VK_INCOMPLETE: there was more than that. */
static VkResult
ask_items(const struct kr_enumeration *question, uint32_t room, uint32_t *count, void *items)
{
	VkResult result;

	set_types(question, items, room);
	*count = room;
	result = question->ask(question->context, count, items);
	if (result >= VK_SUCCESS && *count > room) {
		kr_log(KR_LOG_WARN | question->log,
			"%s: %s was given room for %u and says that it wrote %u; the first %u are taken",
			question->who, question->function, room, *count, room);
		*count = room;
	}
	return result;
}

static VkResult
ask_once(const struct kr_enumeration *question, const VkAllocationCallbacks *allocator,
	uint32_t *count, void **items)
{
	uint32_t room = 0;
	VkResult result = ask_count(question, &room);

	*count = 0;
	*items = NULL;
	if (result != VK_SUCCESS || !room)
		return result;
	*items = kr_zalloc_array(
		allocator, room, question->item_size, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!*items)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	return ask_items(question, room, count, *items);
}

VkResult
kr_enumerate(const struct kr_enumeration *question, const VkAllocationCallbacks *allocator,
	uint32_t *count, void **items)
{
	uint32_t found = 0;
	void *array = NULL;
	VkResult result = VK_INCOMPLETE;

	for (int i = 0; i < ROUNDS && result == VK_INCOMPLETE; i++) {
		kr_free(allocator, array);
		result = ask_once(question, allocator, &found, &array);
	}
	if (result < VK_SUCCESS) {
		kr_free(allocator, array);
		return result;
	}
	if (result == VK_INCOMPLETE)
		kr_log(KR_LOG_WARN | question->log,
			"%s: %s still says VK_INCOMPLETE after %d attempts; the %u that it gave are taken",
			question->who, question->function, ROUNDS, found);
	*count = found;
	*items = array;
	return VK_SUCCESS;
}

static VkResult
ask_extensions(const void *context, uint32_t *count, void *items)
{
	const struct kr_enumerate_question *question = context;

	return question->of_device
		? question->of_device(question->device, question->layer, count, items)
		: question->of_instance(question->layer, count, items);
}

/* Takes out what is no name. */
static uint32_t
keep_names(const struct kr_enumeration *question, uint32_t count, VkExtensionProperties *extensions)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		const char *name = extensions[i].extensionName;

		if (*name && memchr(name, '\0', sizeof(extensions[i].extensionName)))
			extensions[kept++] = extensions[i];
		else
			kr_log(KR_LOG_WARN | question->log,
				"%s: %s: extension %u has no usable name (%.16s...); passed over",
				question->who, question->function, i, name);
	}
	return kept;
}

VkResult
kr_enumerate_extensions(const struct kr_enumerate_question *question,
	const VkAllocationCallbacks *allocator, uint32_t *count, VkExtensionProperties **extensions)
{
	const struct kr_enumeration enumeration = {
		.ask = ask_extensions,
		.context = question,
		.item_size = sizeof(**extensions),
		.most = KR_MOST_EXTENSIONS,
		.who = question->who,
		.function = question->of_device ? "vkEnumerateDeviceExtensionProperties"
						: "vkEnumerateInstanceExtensionProperties",
		.log = question->log,
	};
	uint32_t found = 0;
	void *items = NULL;
	VkResult result = kr_enumerate(&enumeration, allocator, &found, &items);

	if (result != VK_SUCCESS)
		return result;
	*count = keep_names(&enumeration, found, items);
	*extensions = items;
	return VK_SUCCESS;
}
