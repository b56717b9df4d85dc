/* SPDX-License-Identifier: Apache-2.0 */
#include "present_rig.h"

#include "harness.h"

#include <string.h>

#include "window/queue/sink.h"
#include "window/window.h"

uint32_t
acquired(struct rig *rig, VkSwapchainKHR swapchain)
{
	uint32_t index = UINT32_MAX;

	VkResult result = rig_acquire(rig, swapchain, UINT64_MAX, &index);

	if (result != VK_SUBOPTIMAL_KHR)
		assert_int_equal(result, VK_SUCCESS);
	return index;
}

void
present_init(struct present *p, uint32_t count, bool wait)
{
	memset(p, 0, sizeof(*p));
	if (wait)
		p->semaphore = fake_signalled_semaphore();
	for (uint32_t i = 0; i < 32; i++)
		p->results[i] = VK_RESULT_MAX_ENUM;
	p->info = (VkPresentInfoKHR){
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.waitSemaphoreCount = wait,
		.pWaitSemaphores = &p->semaphore,
		.swapchainCount = count,
		.pSwapchains = p->swapchains,
		.pImageIndices = p->indices,
		.pResults = p->results,
	};
}

void
present_forget_semaphore(const struct present *p)
{
	fake.semaphores[(uintptr_t)p->semaphore - 1] = 0;
}

void
pair_init(struct pair *pair)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	struct kr_queue_config config;
	ANativeWindow *window;
	struct kr_sink *sink;

	rig_init(&pair->rig, false);
	pair->first = rig_swapchain(&pair->rig, VK_PRESENT_MODE_FIFO_KHR);
	kr_queue_get_config(pair->rig.queue, &config);
	assert_int_equal(kr_sink_null_create(&sink), 0);
	assert_int_equal(kr_queue_create(&config, sink, &pair->queue), 0);
	assert_int_equal(kr_window_create(pair->queue, &window), 0);
	assert_int_equal(
		kr_wsi_surface_create(window, NULL, NULL, NULL, &pair->surface), VK_SUCCESS);
	kr_window_unref(window);
	assert_int_equal(kr_wsi_create_swapchain(
				 pair->rig.device, pair->surface, &info, NULL, &pair->second),
		VK_SUCCESS);
}

void
pair_finish_second(struct pair *pair)
{
	rig_destroy(&pair->rig, pair->second);
	kr_wsi_surface_destroy(pair->surface, NULL);
	kr_queue_unref(pair->queue);
	pair->surface = NULL;
}

void
pair_finish(struct pair *pair)
{
	if (pair->surface)
		pair_finish_second(pair);
	rig_destroy(&pair->rig, pair->first);
	rig_finish(&pair->rig);
}

void
pair_present_init(struct pair *pair, struct present *p, bool wait)
{
	present_init(p, 2, wait);
	p->swapchains[0] = pair->first;
	p->indices[0] = acquired(&pair->rig, pair->first);
	p->swapchains[1] = pair->second;
	p->indices[1] = acquired(&pair->rig, pair->second);
}
