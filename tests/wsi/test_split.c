/* SPDX-License-Identifier: Apache-2.0 */
/* Presenting several swapchains at once, and together with the driver's own (DESIGN 5.1). */
#include "harness.h"

#include <errno.h>

#include "present_rig.h"
#include "util/macros.h"

static void
do_nothing(void *data)
{
}

static void
none_of_ours_passes_through(void **state)
{
	struct present p;
	struct rig rig;

	rig_init(&rig, false);
	present_init(&p, 2, true);
	p.swapchains[0] = THEIRS(0);
	p.swapchains[1] = THEIRS(1);
	assert_int_equal(kr_wsi_queue_present(rig.device, QUEUE, &p.info), VK_SUCCESS);
	assert_int_equal(fake.presents, 1);
	assert_ptr_equal(fake.present.pSwapchains, p.swapchains);
	assert_int_equal(fake.submits, 0);
	rig_finish(&rig);
}

/*
 * android-platform 7.3, 1. Each semaphore is waited for once: one submit stands in for the
 * application's.
 */
static void
two_of_ours_share_the_semaphores(void **state)
{
	struct pair pair;

	pair_init(&pair);
	for (int i = 0; i < 12; i++) {
		struct present p;

		pair_present_init(&pair, &p, true);
		assert_int_equal(kr_wsi_queue_present(pair.rig.device, QUEUE, &p.info), VK_SUCCESS);
		assert_int_equal(p.results[0], VK_SUCCESS);
		assert_int_equal(p.results[1], VK_SUCCESS);
		present_forget_semaphore(&p);
	}
	assert_int_equal(fake.submits, 12);
	assert_int_equal(fake.submit_waits, 12);
	assert_int_equal(fake.submit_signals, 24);
	assert_int_equal(fake.release_waits, 24);
	/* One an image, used again: not one a frame. */
	assert_int_equal(fake.semaphores_live, 6);
	pair_finish_second(&pair);
	assert_int_equal(fake.semaphores_live, 3);
	pair_finish(&pair);
}

static void
without_semaphores_nothing_is_submitted(void **state)
{
	struct pair pair;
	struct present p;

	pair_init(&pair);
	present_init(&p, 3, false);
	p.swapchains[0] = pair.first;
	p.indices[0] = acquired(&pair.rig, pair.first);
	p.swapchains[1] = THEIRS(0);
	p.swapchains[2] = pair.second;
	p.indices[2] = acquired(&pair.rig, pair.second);
	assert_int_equal(kr_wsi_queue_present(pair.rig.device, QUEUE, &p.info), VK_SUCCESS);
	assert_int_equal(fake.submits, 0);
	assert_int_equal(fake.releases, 2);
	assert_int_equal(fake.presents, 1);
	assert_int_equal(fake.present.waitSemaphoreCount, 0);
	assert_int_equal(fake.semaphores_live, 0);
	pair_finish(&pair);
}

/*
 * DESIGN 5.1: the driver gets its swapchains, its part of each array, one semaphore,
 * and not a handle of ours.
 */
static void
a_mixed_present_is_split_and_rejoined(void **state)
{
	const VkRectLayerKHR rects[3] = {0};
	const VkPresentRegionKHR region[3] = {{1, rects}, {2, rects}, {3, rects}};
	const uint64_t id[3] = {11, 22, 33};
	VkPresentIdKHR ids = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR, .swapchainCount = 3, .pPresentIds = id};
	VkPresentRegionsKHR regions = {.sType = VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR,
		.pNext = &ids,
		.swapchainCount = 3,
		.pRegions = region};
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	fake.present_result = VK_SUBOPTIMAL_KHR;
	for (int i = 0; i < 8; i++) {
		struct present p;

		present_init(&p, 3, true);
		p.info.pNext = &regions;
		p.swapchains[0] = THEIRS(0);
		p.indices[0] = 4;
		p.swapchains[1] = swapchain;
		p.indices[1] = acquired(&rig, swapchain);
		p.swapchains[2] = THEIRS(2);
		p.indices[2] = 6;
		assert_int_equal(
			kr_wsi_queue_present(rig.device, QUEUE, &p.info), VK_SUBOPTIMAL_KHR);
		assert_int_equal(p.results[0], VK_SUBOPTIMAL_KHR);
		assert_int_equal(p.results[1], VK_SUCCESS);
		assert_int_equal(p.results[2], VK_SUBOPTIMAL_KHR);
		present_forget_semaphore(&p);
		assert_int_equal(fake.present.waitSemaphoreCount, 1);
		assert_int_equal(fake.present.swapchainCount, 2);
		assert_ptr_equal(fake.present_swapchains[0], THEIRS(0));
		assert_ptr_equal(fake.present_swapchains[1], THEIRS(2));
		assert_int_equal(fake.present_indices[0], 4);
		assert_int_equal(fake.present_indices[1], 6);
		assert_true(fake.present_had_regions);
		assert_int_equal(fake.present_rects[0], 1);
		assert_int_equal(fake.present_rects[1], 3);
		assert_int_equal(fake.present_ids, 2);
		assert_int_equal(fake.present_id[0], 11);
		assert_int_equal(fake.present_id[1], 33);
		assert_int_equal(rig.window.damage_count, 2);
	}
	/* The application's arrays are as they were. */
	assert_ptr_equal(regions.pNext, &ids);
	assert_int_equal(ids.swapchainCount, 3);
	assert_int_equal(fake.submits, 8);
	assert_int_equal(fake.submit_signals, 16);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

#define FENCE(n) ((VkFence)(uintptr_t)(0xf000 + (n)))

/* Everything with an element for each swapchain, of three: theirs, ours, theirs. */
struct arrays {
	uint64_t id[3];
	VkFence fence[3];
	VkPresentModeKHR mode[3];
	uint32_t mask[3];
	VkPresentId2KHR ids;
	VkSwapchainPresentFenceInfoEXT fences;
	VkSwapchainPresentModeInfoEXT modes;
	VkDeviceGroupPresentInfoKHR group;
	VkFrameBoundaryEXT boundary; /* of the whole present */
};

static void
arrays_init(struct arrays *a)
{
	*a = (struct arrays){
		.id = {11, 22, 33},
		.fence = {FENCE(0), FENCE(1), FENCE(2)},
		.mode = {VK_PRESENT_MODE_IMMEDIATE_KHR, VK_PRESENT_MODE_FIFO_KHR,
			VK_PRESENT_MODE_MAILBOX_KHR},
		.mask = {3, 1, 2},
		.boundary = {.sType = VK_STRUCTURE_TYPE_FRAME_BOUNDARY_EXT},
	};
	a->group = (VkDeviceGroupPresentInfoKHR){VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_INFO_KHR,
		&a->boundary, 3, a->mask, VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR};
	a->modes = (VkSwapchainPresentModeInfoEXT){
		VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT, &a->group, 3, a->mode};
	a->fences = (VkSwapchainPresentFenceInfoEXT){
		VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT, &a->modes, 3, a->fence};
	a->ids = (VkPresentId2KHR){VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR, &a->fences, 3, a->id};
}

static void
expect_theirs(const struct arrays *a)
{
	assert_int_equal(fake.present_chain, 5);
	assert_int_equal(fake.present_ids2, 2);
	assert_int_equal(fake.present_fences, 2);
	assert_int_equal(fake.present_modes, 2);
	assert_int_equal(fake.present_masks, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fake.present_id2[i], a->id[2 * i]);
		assert_ptr_equal(fake.present_fence[i], a->fence[2 * i]);
		assert_int_equal(fake.present_mode[i], a->mode[2 * i]);
		assert_int_equal(fake.present_mask[i], a->mask[2 * i]);
	}
}

/* W-02, DESIGN 5.1: arrays are cut, and the owner of each swapchain signals its fence. */
static void
each_array_of_a_mixed_present_is_cut(void **state)
{
	for (int waits = 0; waits < 2; waits++) {
		struct arrays a, before;
		VkSwapchainKHR swapchain;
		struct present p;
		struct rig rig;

		rig_init(&rig, false);
		swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
		arrays_init(&a);
		before = a;
		present_init(&p, 3, waits);
		p.info.pNext = &a.ids;
		p.swapchains[0] = THEIRS(0);
		p.swapchains[1] = swapchain;
		p.indices[1] = acquired(&rig, swapchain);
		p.swapchains[2] = THEIRS(2);
		assert_int_equal(kr_wsi_queue_present(rig.device, QUEUE, &p.info), VK_SUCCESS);
		assert_memory_equal(&a, &before, sizeof(a));
		expect_theirs(&a);
		assert_int_equal(fake.submit_fence_count, 1);
		assert_ptr_equal(fake.submit_fences[0], FENCE(1));
		rig_destroy(&rig, swapchain);
		rig_finish(&rig);
	}
}

/*
 * Out of memory while one of several is released: behind the submit its image goes back and can't
 * be presented again, so its fence is signalled, once. Before it nothing has happened.
 */
static void
a_fence_is_signalled_when_the_image_is_lost(void **state)
{
	for (int waits = 0; waits < 2; waits++) {
		VkSwapchainPresentFenceInfoEXT fences = {
			.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT};
		const VkFence fence[2] = {FENCE(0), FENCE(1)};
		VkSwapchainKHR swapchain;
		struct present p;
		struct rig rig;

		rig_init(&rig, false);
		swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
		present_init(&p, 2, waits);
		fences.swapchainCount = 2;
		fences.pFences = fence;
		p.info.pNext = &fences;
		p.swapchains[0] = swapchain;
		p.indices[0] = acquired(&rig, swapchain);
		p.swapchains[1] = THEIRS(0);
		fake.release_result = VK_ERROR_OUT_OF_HOST_MEMORY;
		assert_int_equal(kr_wsi_queue_present(rig.device, QUEUE, &p.info),
			VK_ERROR_OUT_OF_HOST_MEMORY);
		assert_int_equal(p.results[0], VK_ERROR_OUT_OF_HOST_MEMORY);
		assert_int_equal(fake.submit_fence_count, waits);
		if (waits)
			assert_ptr_equal(fake.submit_fences[0], FENCE(0));
		fake.release_result = VK_SUCCESS;
		rig_destroy(&rig, swapchain);
		rig_finish(&rig);
	}
}

/* More swapchains than fit into the scratch memory on the stack. */
static void
a_large_mixed_present_allocates(void **state)
{
	struct kr_wsi_device_info info = {
		.device = (VkDevice)(uintptr_t)0x1000,
		.get_device_proc_addr = fake_get_device_proc_addr,
		.functions = &fake.device,
	};
	VkSwapchainKHR swapchain;
	struct alloc_probe probe;
	struct rig rig;
	VkResult result;
	struct present p;

	rig_init(&rig, false);
	alloc_probe_init(&probe);
	kr_wsi_device_destroy(rig.device);
	info.gpu = rig.gpu;
	info.allocator = &probe.callbacks;
	assert_int_equal(kr_wsi_device_create(&info, &rig.device), VK_SUCCESS);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	present_init(&p, 32, true);
	for (uint32_t i = 1; i < 32; i++)
		p.swapchains[i] = THEIRS(i);
	p.swapchains[0] = swapchain;
	p.indices[0] = acquired(&rig, swapchain);
	/*
	 * Nothing has happened when memory is short, so the same present is made again and again.
	 */
	do {
		probe.count = 0;
		probe.fail_at++;
		fake.semaphores[(uintptr_t)p.semaphore - 1] = 2;
		result = kr_wsi_queue_present(rig.device, QUEUE, &p.info);
		if (result != VK_SUCCESS)
			assert_int_equal(result, VK_ERROR_OUT_OF_HOST_MEMORY);
	} while (result != VK_SUCCESS && probe.fail_at < 50);
	assert_int_equal(result, VK_SUCCESS);
	assert_true(probe.fail_at > 2);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(p.results[i], VK_SUCCESS);
	assert_int_equal(fake.presents, 1);
	assert_int_equal(fake.releases, 1);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
	assert_int_equal(probe.live, 0);
}

static void
a_failed_submit_touches_nothing(void **state)
{
	struct pair pair;
	struct present p;

	pair_init(&pair);
	pair_present_init(&pair, &p, true);
	fake.submit_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
	assert_int_equal(kr_wsi_queue_present(pair.rig.device, QUEUE, &p.info),
		VK_ERROR_OUT_OF_DEVICE_MEMORY);
	assert_int_equal(p.results[0], VK_ERROR_OUT_OF_DEVICE_MEMORY);
	assert_int_equal(p.results[1], VK_ERROR_OUT_OF_DEVICE_MEMORY);
	assert_int_equal(fake.releases, 0);
	fake.submit_result = VK_SUCCESS;
	assert_int_equal(kr_wsi_queue_present(pair.rig.device, QUEUE, &p.info), VK_SUCCESS);
	p.indices[0] = acquired(&pair.rig, pair.first);
	p.indices[1] = acquired(&pair.rig, pair.second);
	pair.rig.window.cancels = 0;
	fake.submit_result = VK_ERROR_DEVICE_LOST;
	assert_int_equal(
		kr_wsi_queue_present(pair.rig.device, QUEUE, &p.info), VK_ERROR_DEVICE_LOST);
	assert_int_equal(pair.rig.window.cancels, 1);
	pair_finish(&pair);
}

/* One fails, the others are shown; the stand-in that nobody waited for is not used again. */
static void
one_of_several_may_fail(void **state)
{
	struct pair pair;

	pair_init(&pair);
	for (int i = 0; i < 6; i++) {
		struct present p;

		present_init(&p, 3, true);
		p.swapchains[0] = pair.first;
		p.indices[0] = acquired(&pair.rig, pair.first);
		p.swapchains[1] = pair.second;
		p.indices[1] = i % 2 ? 99 : acquired(&pair.rig, pair.second);
		p.swapchains[2] = THEIRS(0);
		fake.release_result = i == 2 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
		kr_wsi_queue_present(pair.rig.device, QUEUE, &p.info);
		assert_int_equal(p.results[0], fake.release_result);
		assert_int_equal(p.results[1], i % 2 ? VK_ERROR_UNKNOWN : fake.release_result);
		assert_int_equal(p.results[2], VK_SUCCESS);
		present_forget_semaphore(&p);
	}
	pair_finish(&pair);
}

static void
the_drivers_failure_is_its_own(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	for (int silent = 0; silent < 2; silent++) {
		struct present p;

		present_init(&p, 2, true);
		p.swapchains[0] = swapchain;
		p.indices[0] = acquired(&rig, swapchain);
		p.swapchains[1] = THEIRS(0);
		fake.present_silent = silent;
		fake.present_result = VK_ERROR_OUT_OF_DATE_KHR;
		assert_int_equal(
			kr_wsi_queue_present(rig.device, QUEUE, &p.info), VK_ERROR_OUT_OF_DATE_KHR);
		assert_int_equal(p.results[0], VK_SUCCESS);
		assert_int_equal(p.results[1], VK_ERROR_OUT_OF_DATE_KHR);
		present_forget_semaphore(&p);
	}
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* The worst result is the present's (android-platform 4.8). */
static void
the_worst_result_wins(void **state)
{
	static const VkResult order[] = {
		VK_SUCCESS, VK_SUBOPTIMAL_KHR, VK_ERROR_OUT_OF_DATE_KHR, VK_ERROR_SURFACE_LOST_KHR};
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	rig.ops.refresh = do_nothing;
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	kr_queue_configure(rig.queue, 1, 1, 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(order); i++) {
		struct present p;

		present_init(&p, 2, false);
		p.swapchains[0] = THEIRS(0);
		p.swapchains[1] = swapchain;
		p.indices[1] = acquired(&rig, swapchain);
		fake.present_result = order[i];
		assert_int_equal(
			kr_wsi_queue_present(rig.device, QUEUE, &p.info), order[KR_MAX(i, 1u)]);
		assert_int_equal(p.results[1], VK_SUBOPTIMAL_KHR);
	}
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* A split present's semaphores outlive the wait, however the swapchain ends. */
static void
stand_ins_wait_for_their_fence(void **state)
{
	VkSwapchainKHR swapchain;
	struct present p;
	struct rig rig;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	fake.release_fences = true;
	present_init(&p, 2, true);
	p.swapchains[0] = swapchain;
	p.indices[0] = acquired(&rig, swapchain);
	p.swapchains[1] = THEIRS(0);
	assert_int_equal(kr_wsi_queue_present(rig.device, QUEUE, &p.info), VK_SUCCESS);
	fake_finish_work(-EIO);
	rig_destroy(&rig, swapchain);
	assert_int_equal(fake.semaphores_live, 1); /* the driver's */
	rig_finish(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(none_of_ours_passes_through),
	KR_TEST(two_of_ours_share_the_semaphores),
	KR_TEST(without_semaphores_nothing_is_submitted),
	KR_TEST(a_mixed_present_is_split_and_rejoined),
	KR_TEST(each_array_of_a_mixed_present_is_cut),
	KR_TEST(a_fence_is_signalled_when_the_image_is_lost),
	KR_TEST(a_large_mixed_present_allocates),
	KR_TEST(a_failed_submit_touches_nothing),
	KR_TEST(one_of_several_may_fail),
	KR_TEST(the_drivers_failure_is_its_own),
	KR_TEST(the_worst_result_wins),
	KR_TEST(stand_ins_wait_for_their_fence),
};

KR_TEST_MAIN(tests)
