/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private data: a map a slot, from object handles to values. Values are 64 bits where pointers are.
 */
#include "null/null.h"

#include "null/commands.h"
#include "null/counts.h"

_Static_assert(
	sizeof(void *) == sizeof(uint64_t), "a value must fit where kr_hash keeps a pointer");

VKAPI_ATTR VkResult VKAPI_CALL
null_CreatePrivateDataSlot(VkDevice device, const VkPrivateDataSlotCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkPrivateDataSlot *out)
{
	struct null_private_data_slot *slot =
		kr_object_alloc(allocator, sizeof(*slot), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!slot)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_hash_init(&slot->values);
	*out = null_handle(VkPrivateDataSlot, slot);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_DestroyPrivateDataSlot(
	VkDevice device, VkPrivateDataSlot handle, const VkAllocationCallbacks *allocator)
{
	struct null_private_data_slot *slot = null_object(null_private_data_slot, handle);

	if (!slot)
		return;
	kr_hash_finish(&slot->values);
	kr_object_free(slot);
}

/*
 * Handles of different types never meet: all are addresses of live objects. 0 is the default value.
 */
VKAPI_ATTR VkResult VKAPI_CALL
null_SetPrivateData(
	VkDevice handle, VkObjectType type, uint64_t object, VkPrivateDataSlot slot, uint64_t data)
{
	struct null_device *device = null_device_from_handle(handle);
	struct kr_hash *values = &null_object(null_private_data_slot, slot)->values;
	int ret = 0;

	null_count_object(type);
	kr_mutex_lock(&device->lock);
	if (data)
		ret = kr_hash_put(values, object, (void *)(uintptr_t)data);
	else
		kr_hash_take(values, object);
	kr_mutex_unlock(&device->lock);
	return ret ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_GetPrivateData(
	VkDevice handle, VkObjectType type, uint64_t object, VkPrivateDataSlot slot, uint64_t *data)
{
	struct null_device *device = null_device_from_handle(handle);
	struct kr_hash *values = &null_object(null_private_data_slot, slot)->values;

	kr_mutex_lock(&device->lock);
	*data = (uint64_t)(uintptr_t)kr_hash_get(values, object);
	kr_mutex_unlock(&device->lock);
}
