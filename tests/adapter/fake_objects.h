/* SPDX-License-Identifier: Apache-2.0 */
/* What the two halves of the fake driver share. */
#ifndef KR_TESTS_ADAPTER_FAKE_OBJECTS_H
#define KR_TESTS_ADAPTER_FAKE_OBJECTS_H

#include "fake_icd.h"

/* The result that the function shall fail with now, or VK_SUCCESS. */
VkResult fake_failure(const char *name);

#define FAKE_FAIL(name)                                                                            \
	do {                                                                                       \
		VkResult failure = fake_failure(name);                                             \
		if (failure != VK_SUCCESS)                                                         \
			return failure;                                                            \
	} while (0)

/* A counted object whose first word is a loader's, or NULL. */
void *fake_new(const VkAllocationCallbacks *allocator);
void *fake_new_device(const VkAllocationCallbacks *allocator);
void fake_delete(void *object, const VkAllocationCallbacks *allocator);

/* No queue is held, no device lost. */
void fake_objects_reset(void);
/* A device-level function by name. */
PFN_vkVoidFunction fake_object_function(const char *name);

#endif
