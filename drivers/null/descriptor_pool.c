/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptor pools and sets. A set is its handle; a pool counts them. */
#include "null/null.h"

#include "null/commands.h"

VKAPI_ATTR VkResult VKAPI_CALL
null_CreateDescriptorPool(VkDevice device, const VkDescriptorPoolCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDescriptorPool *out)
{
	struct null_descriptor_pool *pool =
		kr_object_alloc(allocator, sizeof(*pool), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!pool)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_list_init(&pool->sets);
	pool->sets_left = info->maxSets;
	*out = null_handle(VkDescriptorPool, pool);
	return VK_SUCCESS;
}

static void
free_set(struct null_descriptor_pool *pool, struct null_descriptor_set *set)
{
	if (!set)
		return;
	pool->sets_left++;
	kr_list_remove(&set->link);
	kr_free(kr_object_allocator(pool), set);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_ResetDescriptorPool(VkDevice device, VkDescriptorPool handle, VkDescriptorPoolResetFlags flags)
{
	struct null_descriptor_pool *pool = null_object(null_descriptor_pool, handle);
	struct null_descriptor_set *set, *next;

	kr_list_for_each_safe (set, next, &pool->sets, link)
		free_set(pool, set);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_DestroyDescriptorPool(
	VkDevice device, VkDescriptorPool handle, const VkAllocationCallbacks *allocator)
{
	if (!handle)
		return;
	null_ResetDescriptorPool(device, handle, 0);
	kr_object_free(null_object(null_descriptor_pool, handle));
}

VKAPI_ATTR VkResult VKAPI_CALL
null_AllocateDescriptorSets(
	VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *out)
{
	struct null_descriptor_pool *pool = null_object(null_descriptor_pool, info->descriptorPool);
	uint32_t count = info->descriptorSetCount;

	for (uint32_t i = 0; i < count; i++)
		out[i] = VK_NULL_HANDLE;
	if (count > pool->sets_left)
		return VK_ERROR_OUT_OF_POOL_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		struct null_descriptor_set *set = kr_zalloc(
			kr_object_allocator(pool), sizeof(*set), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

		if (!set) {
			null_FreeDescriptorSets(device, info->descriptorPool, i, out);
			for (uint32_t j = 0; j < i; j++)
				out[j] = VK_NULL_HANDLE;
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		}
		pool->sets_left--;
		kr_list_append(&pool->sets, &set->link);
		out[i] = null_handle(VkDescriptorSet, set);
	}
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_FreeDescriptorSets(
	VkDevice device, VkDescriptorPool pool, uint32_t count, const VkDescriptorSet *sets)
{
	for (uint32_t i = 0; i < count; i++)
		free_set(null_object(null_descriptor_pool, pool),
			null_object(null_descriptor_set, sets[i]));
	return VK_SUCCESS;
}
