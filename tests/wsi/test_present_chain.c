/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be chained to presents and swapchains: fences, modes, scaling, device groups; in any
 * order, with what nobody knows between, with nothing in it. And images that are released.
 */
#include "harness.h"

#include "present_rig.h"
#include "util/macros.h"

#define FENCE(n) ((VkFence)(uintptr_t)(0xf0 + (n)))

/* A present with all there is; what a test takes out has no structure type then. */
struct whole {
	struct present present;
	VkSwapchainPresentFenceInfoEXT fences;
	VkSwapchainPresentModeInfoEXT modes;
	VkPresentRegionsKHR regions;
	VkPresentIdKHR ids;
	VkDeviceGroupPresentInfoKHR group;
	VkBaseInStructure unknown;
	VkFence fence[2];
	VkPresentModeKHR mode[2];
	VkRectLayerKHR rect;
	VkPresentRegionKHR region[2];
	uint64_t id[2];
	uint32_t mask[2];
};

static void
fill_whole(struct whole *w)
{
	for (uint32_t i = 0; i < 2; i++) {
		w->fence[i] = FENCE(i);
		w->mode[i] = VK_PRESENT_MODE_FIFO_KHR;
		w->region[i] = (VkPresentRegionKHR){1, &w->rect};
		w->id[i] = 10 + i;
		w->mask[i] = 1;
	}
	w->rect = (VkRectLayerKHR){{1, 2}, {3, 4}, 0};
}

/* The structures of `w` in an order that `turn` says, each with `count` elements. */
static void
init_whole(struct whole *w, uint32_t swapchains, uint32_t count, uint32_t turn)
{
	VkBaseInStructure *all[6] = {(void *)&w->fences, (void *)&w->modes, (void *)&w->regions,
		(void *)&w->ids, (void *)&w->group, &w->unknown};

	*w = (struct whole){0};
	present_init(&w->present, swapchains, true);
	fill_whole(w);
	w->fences = (VkSwapchainPresentFenceInfoEXT){
		VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT, NULL, count, w->fence};
	w->modes = (VkSwapchainPresentModeInfoEXT){
		VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT, NULL, count, w->mode};
	w->regions = (VkPresentRegionsKHR){
		VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR, NULL, count, w->region};
	w->ids = (VkPresentIdKHR){VK_STRUCTURE_TYPE_PRESENT_ID_KHR, NULL, count, w->id};
	w->group = (VkDeviceGroupPresentInfoKHR){VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_INFO_KHR,
		NULL, count, w->mask, VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR};
	w->unknown.sType = (VkStructureType)0x7ffffff0;
	for (uint32_t i = 0; i < 5; i++)
		all[(i + turn) % 6]->pNext = all[(i + turn + 1) % 6];
	w->present.info.pNext = all[turn % 6];
}

static VkSwapchainKHR
open_rig(struct rig *rig, VkPresentModeKHR mode)
{
	rig_init(rig, false);
	rig->window.stands_in = true;
	return rig_swapchain(rig, mode);
}

static void
close_rig(struct rig *rig, VkSwapchainKHR swapchain)
{
	rig_destroy(rig, swapchain);
	rig_finish(rig);
}

static VkResult
present_whole(struct rig *rig, VkSwapchainKHR swapchain, struct whole *w)
{
	VkResult result;

	w->present.swapchains[0] = swapchain;
	w->present.indices[0] = acquired(rig, swapchain);
	result = kr_wsi_queue_present(rig->device, QUEUE, &w->present.info);
	present_forget_semaphore(&w->present);
	assert_int_equal(w->present.results[0], result);
	return result;
}

static void
a_chain_may_stand_in_any_order(void **state)
{
	for (uint32_t turn = 0; turn < 6; turn++) {
		struct whole w;
		struct rig rig;
		VkSwapchainKHR s = open_rig(&rig, VK_PRESENT_MODE_FIFO_KHR);

		init_whole(&w, 1, 1, turn);
		assert_int_equal(present_whole(&rig, s, &w), VK_SUCCESS);
		assert_int_equal(fake.submit_fence_count, 1);
		assert_ptr_equal(fake.submit_fences[0], FENCE(0));
		assert_int_equal(rig.window.damage_count, 1);
		assert_true(rig.window.far_end.presentation.tell_shown);
		far_end_show(&rig.window.far_end, 1);
		assert_int_equal(kr_wsi_wait_for_present(rig.device, s, 10, 0), VK_SUCCESS);
		close_rig(&rig, s);
	}
}

/* Structures that speak of no swapchain, and arrays that aren't there: as if none were chained. */
static void
structures_may_be_empty(void **state)
{
	struct whole w;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig, VK_PRESENT_MODE_FIFO_KHR);

	init_whole(&w, 1, 0, 0);
	assert_int_equal(present_whole(&rig, s, &w), VK_SUCCESS);
	init_whole(&w, 1, 1, 0);
	w.fences.pFences = NULL;
	w.modes.pPresentModes = NULL;
	w.regions.pRegions = NULL;
	w.ids.pPresentIds = NULL;
	w.group.pDeviceMasks = NULL;
	assert_int_equal(present_whole(&rig, s, &w), VK_SUCCESS);
	init_whole(&w, 1, 1, 0);
	w.fence[0] = VK_NULL_HANDLE;
	w.id[0] = 0;
	w.region[0] = (VkPresentRegionKHR){0, NULL};
	assert_int_equal(present_whole(&rig, s, &w), VK_SUCCESS);
	assert_int_equal(fake.submits, 0);
	assert_int_equal(rig.window.far_end.said, 1);
	assert_int_equal(rig.window.damage_count, 0);
	close_rig(&rig, s);
}

/* Behind the release and on its queue, so in the order of presents. */
static void
present_fences_come_behind_the_release(void **state)
{
	struct whole w;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig, VK_PRESENT_MODE_FIFO_KHR);

	for (uint32_t i = 0; i < 5; i++) {
		init_whole(&w, 1, 1, 0);
		w.fence[0] = FENCE(i);
		w.id[0] = i + 1;
		assert_int_equal(present_whole(&rig, s, &w), VK_SUCCESS);
		assert_int_equal(fake.submit_fence_count, i + 1);
		assert_ptr_equal(fake.submit_fences[i], FENCE(i));
		assert_int_equal(fake.submit_fence_releases, i + 1);
	}
	close_rig(&rig, s);
}

/* android-platform 7.3, 10: whatever becomes of the frame, except where nothing has happened. */
static void
present_fences_are_signalled_when_presents_fail(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	struct whole w;
	struct rig rig;
	VkSwapchainKHR new, s = open_rig(&rig, VK_PRESENT_MODE_FIFO_KHR);
	uint32_t held;

	init_whole(&w, 1, 1, 0);
	fake.release_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	assert_int_equal(present_whole(&rig, s, &w), VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(fake.submit_fence_count, 0);
	kr_wsi_release_swapchain_images(rig.device,
		&(VkReleaseSwapchainImagesInfoEXT){
			.swapchain = s, .imageIndexCount = 1, .pImageIndices = w.present.indices});

	init_whole(&w, 1, 1, 0);
	fake.release_result = VK_ERROR_UNKNOWN;
	assert_int_equal(present_whole(&rig, s, &w), VK_ERROR_UNKNOWN);
	assert_int_equal(fake.submit_fence_count, 1);
	fake.release_result = VK_SUCCESS;

	init_whole(&w, 1, 1, 0);
	rig.window.queue_error = -22;
	assert_int_equal(present_whole(&rig, s, &w), VK_ERROR_SURFACE_LOST_KHR);
	assert_int_equal(fake.submit_fence_count, 2);
	rig.window.queue_error = 0;

	held = acquired(&rig, s);
	info.oldSwapchain = s;
	assert_int_equal(
		kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &new), VK_SUCCESS);
	init_whole(&w, 1, 1, 0);
	w.present.swapchains[0] = s;
	w.present.indices[0] = held;
	assert_int_equal(
		kr_wsi_queue_present(rig.device, QUEUE, &w.present.info), VK_ERROR_OUT_OF_DATE_KHR);
	present_forget_semaphore(&w.present);
	assert_int_equal(fake.submit_fence_count, 3);
	rig_destroy(&rig, s);
	close_rig(&rig, new);
}

/* The frame is on its way when the fence can't be submitted: once the queue is idle it may be. */
static void
a_present_fence_gets_a_second_try(void **state)
{
	struct whole w;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig, VK_PRESENT_MODE_FIFO_KHR);

	init_whole(&w, 1, 1, 0);
	fake.fail_submits = 1;
	assert_int_equal(present_whole(&rig, s, &w), VK_SUCCESS);
	assert_int_equal(fake.idles, 1);
	assert_int_equal(fake.submit_fence_count, 1);
	init_whole(&w, 1, 1, 0);
	w.id[0] = 11;
	fake.fail_submits = 2;
	assert_int_equal(present_whole(&rig, s, &w), VK_ERROR_UNKNOWN);
	close_rig(&rig, s);
}

/* Each swapchain of several has its own, the driver's are the driver's (DESIGN 5.1). */
static void
several_swapchains_have_a_fence_each(void **state)
{
	struct whole w;
	struct pair pair;

	pair_init(&pair);
	init_whole(&w, 2, 2, 0);
	pair_present_init(&pair, &w.present, true);
	w.present.info.pNext = &w.fences;
	assert_int_equal(kr_wsi_queue_present(pair.rig.device, QUEUE, &w.present.info), VK_SUCCESS);
	present_forget_semaphore(&w.present);
	assert_int_equal(fake.submit_fence_count, 2);
	assert_ptr_equal(fake.submit_fences[0], FENCE(0));
	assert_ptr_equal(fake.submit_fences[1], FENCE(1));
	pair_finish(&pair);
}

static void
make_switching(struct rig *rig, VkSwapchainKHR *swapchain)
{
	static const VkPresentModeKHR both[] = {
		VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_FIFO_KHR};
	const VkSwapchainPresentModesCreateInfoEXT modes = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT,
		.presentModeCount = 2,
		.pPresentModes = both,
	};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_MAILBOX_KHR);

	info.pNext = &modes;
	info.minImageCount = 4;
	assert_int_equal(kr_wsi_create_swapchain(rig->device, rig->surface, &info, NULL, swapchain),
		VK_SUCCESS);
}

/* It holds until the next switch, and costs no buffer. */
static void
modes_are_switched_with_a_present(void **state)
{
	struct far_end *end;
	VkSwapchainKHR s;
	struct whole w;
	struct rig rig;
	uint32_t images;

	rig_init(&rig, false);
	rig.window.stands_in = true;
	end = &rig.window.far_end;
	make_switching(&rig, &s);
	images = fake.images_live;
	assert_int_equal(end->presentation.mode, KR_PRESENT_MAILBOX);
	init_whole(&w, 1, 1, 0);
	assert_int_equal(present_whole(&rig, s, &w), VK_SUCCESS);
	assert_int_equal(end->presentation.mode, KR_PRESENT_FIFO);
	assert_int_equal(rig_present(&rig, s, acquired(&rig, s)), VK_SUCCESS);
	assert_int_equal(end->presentation.mode, KR_PRESENT_FIFO);
	init_whole(&w, 1, 1, 0);
	w.mode[0] = VK_PRESENT_MODE_MAILBOX_KHR;
	w.id[0] = 11;
	assert_int_equal(present_whole(&rig, s, &w), VK_SUCCESS);
	assert_int_equal(end->presentation.mode, KR_PRESENT_MAILBOX);
	assert_int_equal(fake.images_live, images);
	close_rig(&rig, s);
}

/* Nothing has happened then: the image is the application's still. */
static void
what_a_swapchain_cant_do_is_an_error(void **state)
{
	struct whole w;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig, VK_PRESENT_MODE_FIFO_KHR);

	init_whole(&w, 1, 1, 0);
	w.mode[0] = VK_PRESENT_MODE_MAILBOX_KHR;
	assert_int_equal(present_whole(&rig, s, &w), VK_ERROR_UNKNOWN);
	w.mode[0] = VK_PRESENT_MODE_FIFO_KHR;
	w.mask[0] = 2;
	assert_int_equal(
		kr_wsi_queue_present(rig.device, QUEUE, &w.present.info), VK_ERROR_UNKNOWN);
	w.mask[0] = 1;
	w.group.mode = VK_DEVICE_GROUP_PRESENT_MODE_SUM_BIT_KHR;
	assert_int_equal(
		kr_wsi_queue_present(rig.device, QUEUE, &w.present.info), VK_ERROR_UNKNOWN);
	assert_int_equal(fake.releases, 0);
	assert_int_equal(fake.submits, 0);
	w.group.mode = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
	fake.semaphores[(uintptr_t)w.present.semaphore - 1] = 2;
	assert_int_equal(kr_wsi_queue_present(rig.device, QUEUE, &w.present.info), VK_SUCCESS);
	close_rig(&rig, s);
}

/* Each behaviour with each gravity, in both axes, and every alpha that a swapchain may have. */
static void
the_window_hears_of_scaling_and_gravity(void **state)
{
	VkSwapchainPresentScalingCreateInfoEXT scaling = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);

	info.pNext = &scaling;
	info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
	for (uint32_t i = 0; i < 27; i++) {
		const struct kr_presentation *said;
		VkSwapchainKHR swapchain;
		struct rig rig;

		rig_init(&rig, false);
		rig.window.stands_in = true;
		rig_give_abilities(&rig);
		said = &rig.window.far_end.presentation;
		scaling.scalingBehavior = 1u << i % 3;
		scaling.presentGravityX = 1u << i / 3 % 3;
		scaling.presentGravityY = 1u << i / 9;
		assert_int_equal(
			kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &swapchain),
			VK_SUCCESS);
		assert_int_equal(said->scaling, KR_SCALING_ONE_TO_ONE + i % 3);
		assert_int_equal(said->gravity_x, i / 3 % 3);
		assert_int_equal(said->gravity_y, i / 9);
		assert_int_equal(said->alpha, KR_ALPHA_OPAQUE);
		close_rig(&rig, swapchain);
	}
}

/* The images come round again, in any number, and nothing of them was presented. */
static void
released_images_can_be_had_again(void **state)
{
	VkReleaseSwapchainImagesInfoEXT release = {
		.sType = VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT};
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig, VK_PRESENT_MODE_FIFO_KHR);
	uint32_t held[2];

	release.swapchain = s;
	release.pImageIndices = held;
	for (uint32_t round = 0; round < 20; round++) {
		release.imageIndexCount = round % 2 + 1;
		for (uint32_t i = 0; i < release.imageIndexCount; i++)
			held[i] = acquired(&rig, s);
		assert_int_equal(kr_wsi_release_swapchain_images(rig.device, &release), VK_SUCCESS);
	}
	release.imageIndexCount = 0;
	assert_int_equal(kr_wsi_release_swapchain_images(rig.device, &release), VK_SUCCESS);
	assert_int_equal(rig.window.cancels, 3 + 30);
	assert_int_equal(fake.releases, 0);
	assert_int_equal(rig_present(&rig, s, held[0]), VK_ERROR_UNKNOWN);
	assert_int_equal(rig_present(&rig, s, acquired(&rig, s)), VK_SUCCESS);
	close_rig(&rig, s);
}

static void
a_retired_swapchain_releases_its_images(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	struct rig rig;
	VkSwapchainKHR new, s = open_rig(&rig, VK_PRESENT_MODE_FIFO_KHR);
	uint32_t held = acquired(&rig, s);
	const VkReleaseSwapchainImagesInfoEXT release = {
		.sType = VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT,
		.swapchain = s,
		.imageIndexCount = 1,
		.pImageIndices = &held,
	};

	info.oldSwapchain = s;
	assert_int_equal(
		kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &new), VK_SUCCESS);
	assert_int_equal(kr_wsi_release_swapchain_images(rig.device, &release), VK_SUCCESS);
	assert_int_equal(rig_present(&rig, s, held), VK_ERROR_UNKNOWN);
	rig_destroy(&rig, s);
	close_rig(&rig, new);
}

static const struct kr_test tests[] = {
	KR_TEST(a_chain_may_stand_in_any_order),
	KR_TEST(structures_may_be_empty),
	KR_TEST(present_fences_come_behind_the_release),
	KR_TEST(present_fences_are_signalled_when_presents_fail),
	KR_TEST(a_present_fence_gets_a_second_try),
	KR_TEST(several_swapchains_have_a_fence_each),
	KR_TEST(modes_are_switched_with_a_present),
	KR_TEST(what_a_swapchain_cant_do_is_an_error),
	KR_TEST(the_window_hears_of_scaling_and_gravity),
	KR_TEST(released_images_can_be_had_again),
	KR_TEST(a_retired_swapchain_releases_its_images),
};

KR_TEST_MAIN(tests)
