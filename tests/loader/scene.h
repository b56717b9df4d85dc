/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An old driver beside a new one: fake_a is of Vulkan 1.0 and has no second form of any query,
 * fake_b has all of them. What the instance's messengers hear is counted.
 */
#ifndef KR_TESTS_LOADER_SCENE_H
#define KR_TESTS_LOADER_SCENE_H

#include "support.h"

struct heard {
	int emulated; /* "Emulating call in ICD" */
	int ignored;  /* warnings about a pNext chain */
	int errors;
};

struct scene {
	struct fakes fakes;
	struct loader l;
	struct heard heard;
	VkDebugUtilsMessengerEXT messenger;
	VkPhysicalDevice old, new;
};

/* `names`, which end with NULL, have VK_EXT_debug_utils. */
void begin_scene(struct scene *s, uint32_t version, const char *const *names);
/* The same, where the old driver, too, is given extensions (NULL-terminated; or NULL). */
void begin_scene_with(
	struct scene *s, uint32_t version, const char *const *names, const char *const *old_names);
/* The instance alone, for another one, which has no messengers. */
void end_scene_instance(struct scene *s);
void end_scene(struct scene *s);

#endif
