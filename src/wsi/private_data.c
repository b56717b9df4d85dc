/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private data of our swapchains: a driver would take the handle for one of its own (tried:
 * lavapipe crashes). A swapchain has few slots, so that an array does.
 */
#include "wsi/swapchain.h"

#include <string.h>

#include "util/alloc.h"

static struct kr_wsi_private_value *
find_value(const struct kr_wsi_swapchain *s, VkPrivateDataSlot slot)
{
	for (uint32_t i = 0; i < s->value_count; i++) {
		if (s->values[i].slot == slot)
			return &s->values[i];
	}
	return NULL;
}

static struct kr_wsi_private_value *
add_value(struct kr_wsi_swapchain *s, VkPrivateDataSlot slot)
{
	const VkAllocationCallbacks *allocator = s->device->allocator;
	struct kr_wsi_private_value *values;

	values = kr_zalloc_array(allocator, (size_t)s->value_count + 1, sizeof(*values),
		VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!values)
		return NULL;
	if (s->value_count)
		memcpy(values, s->values, s->value_count * sizeof(*values));
	kr_free(allocator, s->values);
	s->values = values;
	s->values[s->value_count].slot = slot;
	return &s->values[s->value_count++];
}

VkResult
kr_wsi_set_private_data(struct kr_wsi_device *device, VkSwapchainKHR swapchain,
	VkPrivateDataSlot slot, uint64_t data)
{
	struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(swapchain);
	struct kr_wsi_private_value *value;

	kr_mutex_lock(&device->lock);
	value = find_value(s, slot);
	if (!value)
		value = add_value(s, slot);
	if (value)
		value->value = data;
	kr_mutex_unlock(&device->lock);
	return value ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

uint64_t
kr_wsi_get_private_data(
	struct kr_wsi_device *device, VkSwapchainKHR swapchain, VkPrivateDataSlot slot)
{
	const struct kr_wsi_private_value *value;
	uint64_t data;

	kr_mutex_lock(&device->lock);
	value = find_value(kr_wsi_swapchain_from_handle(swapchain), slot);
	data = value ? value->value : 0;
	kr_mutex_unlock(&device->lock);
	return data;
}

void
kr_wsi_forget_private_data(struct kr_wsi_device *device, VkPrivateDataSlot slot)
{
	struct kr_wsi_swapchain *s;

	kr_mutex_lock(&device->lock);
	kr_list_for_each (s, &device->swapchains, link) {
		struct kr_wsi_private_value *value = find_value(s, slot);

		if (value)
			*value = s->values[--s->value_count];
	}
	kr_mutex_unlock(&device->lock);
}
