/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the helper queue. */
#include "adapter/queue_plan.h"

#include <string.h>

#include "util/alloc.h"
#include "util/enumerate.h"
#include "util/log.h"

static VkResult
ask_families(const void *context, uint32_t *count, void *items)
{
	const struct kr_adapter_gpu *gpu = context;

	gpu->instance->vk.GetPhysicalDeviceQueueFamilyProperties(gpu->handle, count, items);
	return VK_SUCCESS;
}

VkResult
kr_adapter_get_families(const struct kr_adapter_gpu *gpu, const VkAllocationCallbacks *allocator,
	uint32_t *count, VkQueueFamilyProperties **families)
{
	const struct kr_enumeration question = {
		.ask = ask_families,
		.context = gpu,
		.item_size = sizeof(**families),
		.most = KR_MOST_FAMILIES,
		.who = gpu->instance->icd.name,
		.function = "vkGetPhysicalDeviceQueueFamilyProperties",
		.log = KR_LOG_DRIVER,
	};

	return kr_enumerate(&question, allocator, count, (void **)families);
}

static bool
can_transfer(const struct kr_adapter_queue_plan *plan, uint32_t family)
{
	return family < plan->family_count && kr_family_can_transfer(&plan->families[family]);
}

/* Queues of a family that nobody asked for. */
static uint32_t
spare(const struct kr_adapter_queue_plan *plan, uint32_t family)
{
	uint32_t used = 0;

	if (family >= plan->family_count)
		return 0;
	for (uint32_t i = 0; i < plan->count; i++) {
		if (plan->infos[i].queueFamilyIndex == family)
			used += plan->infos[i].queueCount;
	}
	return used < plan->families[family].queueCount ? plan->families[family].queueCount - used
							: 0;
}

/* One more queue for an info, with the priority of its first. */
static VkResult
add_queue(struct kr_adapter_queue_plan *plan, uint32_t i)
{
	VkDeviceQueueCreateInfo *info = &plan->infos[i];
	float *priorities = kr_zalloc_array(plan->allocator, info->queueCount + 1,
		sizeof(*priorities), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);

	if (!priorities)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	if (info->queueCount)
		memcpy(priorities, info->pQueuePriorities, info->queueCount * sizeof(*priorities));
	priorities[info->queueCount] = info->queueCount ? priorities[0] : 1.0f;
	plan->priorities = priorities;
	plan->helper_info = i;
	plan->helper_index = info->queueCount;
	plan->helper_private = true;
	info->pQueuePriorities = priorities;
	info->queueCount++;
	return VK_SUCCESS;
}

/* No family of the application can copy: one that can, if the device has such a thing. */
static VkResult
add_family(struct kr_adapter_queue_plan *plan)
{
	for (uint32_t i = 0; i < plan->family_count; i++) {
		if (!can_transfer(plan, i) || !spare(plan, i))
			continue;
		plan->infos[plan->count++] = (VkDeviceQueueCreateInfo){
			.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
			.queueFamilyIndex = i,
		};
		return add_queue(plan, plan->count - 1);
	}
	return VK_SUCCESS;
}

/* The first queue of an info that can copy and has no flags; whatever there is, failing that. */
static void
share_queue(struct kr_adapter_queue_plan *plan)
{
	uint32_t best = 0, best_score = 0;

	for (uint32_t i = 0; i < plan->count; i++) {
		const VkDeviceQueueCreateInfo *info = &plan->infos[i];
		uint32_t score =
			1u + 2u * !info->flags + 4u * can_transfer(plan, info->queueFamilyIndex);

		if (score > best_score) {
			best = i;
			best_score = score;
		}
	}
	plan->helper_info = best;
	plan->helper_index = 0;
	plan->helper_private = false;
}

static VkResult
choose(struct kr_adapter_queue_plan *plan)
{
	bool transfer = false;

	for (uint32_t i = 0; i < plan->count; i++) {
		const VkDeviceQueueCreateInfo *info = &plan->infos[i];

		if (!can_transfer(plan, info->queueFamilyIndex))
			continue;
		transfer |= !info->flags;
		if (!info->flags && !info->pNext && spare(plan, info->queueFamilyIndex))
			return add_queue(plan, i);
	}
	share_queue(plan);
	return transfer ? VK_SUCCESS : add_family(plan);
}

static bool
all_can_transfer(const struct kr_adapter_queue_plan *plan)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		if (!can_transfer(plan, plan->infos[i].queueFamilyIndex))
			return false;
	}
	return true;
}

VkResult
kr_adapter_queue_plan_init(struct kr_adapter_queue_plan *plan, const struct kr_adapter_gpu *gpu,
	const VkDeviceCreateInfo *info, bool engaged, bool helper,
	const VkAllocationCallbacks *allocator)
{
	VkResult result;

	*plan = (struct kr_adapter_queue_plan){.helper_info = UINT32_MAX, .allocator = allocator};
	plan->infos = kr_zalloc_array(allocator, info->queueCreateInfoCount + 1,
		sizeof(*plan->infos), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!plan->infos)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	plan->count = info->queueCreateInfoCount;
	for (uint32_t i = 0; i < plan->count; i++)
		plan->infos[i] = info->pQueueCreateInfos[i];
	result = kr_adapter_get_families(gpu, allocator, &plan->family_count, &plan->families);
	if (result == VK_SUCCESS && engaged && (helper || !all_can_transfer(plan)))
		result = choose(plan);
	if (result != VK_SUCCESS)
		kr_adapter_queue_plan_finish(plan);
	return result;
}

void
kr_adapter_queue_plan_share(struct kr_adapter_queue_plan *plan)
{
	if (!plan->helper_private)
		return;
	if (--plan->infos[plan->helper_info].queueCount == 0)
		plan->count--; /* it was the family that add_family put last */
	share_queue(plan);
}

void
kr_adapter_queue_plan_finish(struct kr_adapter_queue_plan *plan)
{
	kr_free(plan->allocator, plan->priorities);
	kr_free(plan->allocator, plan->families);
	kr_free(plan->allocator, plan->infos);
	*plan = (struct kr_adapter_queue_plan){0};
}
