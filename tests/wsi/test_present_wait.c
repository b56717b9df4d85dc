/* SPDX-License-Identifier: Apache-2.0 */
/* Present ids, and waiting for them (VK_KHR_present_id, present_wait, and the second ones). */
#include "harness.h"

#include <pthread.h>
#include <unistd.h>

#include "present_rig.h"
#include "util/clock.h"
#include "wsi/present_ids.h"

#define MS(n) ((uint64_t)(n)*KR_NSEC_PER_MSEC)

static VkResult
present_type(struct rig *rig, VkSwapchainKHR swapchain, uint64_t id, VkStructureType type)
{
	uint32_t index = acquired(rig, swapchain);
	const VkPresentIdKHR ids = {.sType = type, .swapchainCount = 1, .pPresentIds = &id};
	const VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.pNext = &ids,
		.swapchainCount = 1,
		.pSwapchains = &swapchain,
		.pImageIndices = &index,
	};

	return kr_wsi_queue_present(rig->device, QUEUE, &info);
}

static VkResult
present_id(struct rig *rig, VkSwapchainKHR swapchain, uint64_t id)
{
	return present_type(rig, swapchain, id, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
}

static VkResult
wait_id(struct rig *rig, VkSwapchainKHR swapchain, uint64_t id, uint64_t timeout)
{
	return kr_wsi_wait_for_present(rig->device, swapchain, id, timeout);
}

/* A rig whose far end is the test. */
static VkSwapchainKHR
open_rig(struct rig *rig)
{
	rig_init(rig, false);
	rig->window.stands_in = true;
	return rig_swapchain(rig, VK_PRESENT_MODE_FIFO_KHR);
}

static void
close_rig(struct rig *rig, VkSwapchainKHR swapchain)
{
	rig_destroy(rig, swapchain);
	rig_finish(rig);
}

static void
a_wait_ends_when_the_frame_was_shown(void **state)
{
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	assert_int_equal(present_id(&rig, s, 7), VK_SUCCESS);
	assert_int_equal(present_type(&rig, s, 9, VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR), VK_SUCCESS);
	assert_int_equal(wait_id(&rig, s, 7, 0), VK_TIMEOUT);
	assert_int_equal(wait_id(&rig, s, 9, MS(5)), VK_TIMEOUT);
	far_end_show(&rig.window.far_end, 1);
	assert_int_equal(wait_id(&rig, s, 7, 0), VK_SUCCESS);
	assert_int_equal(wait_id(&rig, s, 1, 0), VK_SUCCESS);
	assert_int_equal(wait_id(&rig, s, 8, 0), VK_TIMEOUT);
	far_end_show(&rig.window.far_end, 2);
	assert_int_equal(wait_id(&rig, s, 8, 0), VK_SUCCESS);
	assert_int_equal(wait_id(&rig, s, 9, UINT64_MAX), VK_SUCCESS);
	close_rig(&rig, s);
}

/* The largest id there is, and frames without one behind it. */
static void
ids_go_to_the_end_of_their_range(void **state)
{
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	assert_int_equal(wait_id(&rig, s, 0, 0), VK_SUCCESS);
	assert_int_equal(wait_id(&rig, s, 1, 0), VK_TIMEOUT);
	assert_int_equal(present_id(&rig, s, UINT64_MAX), VK_SUCCESS);
	assert_int_equal(present_id(&rig, s, 0), VK_SUCCESS);
	assert_int_equal(rig_present(&rig, s, acquired(&rig, s)), VK_SUCCESS);
	assert_int_equal(wait_id(&rig, s, 1, 0), VK_TIMEOUT);
	far_end_show(&rig.window.far_end, 1);
	assert_int_equal(wait_id(&rig, s, UINT64_MAX, 0), VK_SUCCESS);
	close_rig(&rig, s);
}

/* Only frames that somebody can wait for are to be told of; the window hears of changes. */
static void
frames_are_told_of_when_they_have_ids(void **state)
{
	struct far_end *end;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	end = &rig.window.far_end;
	assert_int_equal(end->said, 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(rig_present(&rig, s, acquired(&rig, s)), VK_SUCCESS);
	assert_int_equal(end->said, 1);
	assert_false(end->presentation.tell_shown);
	assert_int_equal(present_id(&rig, s, 1), VK_SUCCESS);
	assert_true(end->presentation.tell_shown);
	assert_int_equal(present_id(&rig, s, 2), VK_SUCCESS);
	assert_int_equal(end->said, 2);
	assert_int_equal(present_id(&rig, s, 0), VK_SUCCESS);
	assert_false(end->presentation.tell_shown);
	close_rig(&rig, s);
}

/* Vulkan forbids it: such an id is none, and the others keep their frames. */
static void
ids_that_go_back_are_none(void **state)
{
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	assert_int_equal(present_id(&rig, s, 5), VK_SUCCESS);
	assert_int_equal(present_id(&rig, s, 5), VK_SUCCESS);
	assert_int_equal(present_id(&rig, s, 3), VK_SUCCESS);
	far_end_show(&rig.window.far_end, 1);
	assert_int_equal(wait_id(&rig, s, 5, 0), VK_SUCCESS);
	assert_int_equal(present_id(&rig, s, 6), VK_SUCCESS);
	far_end_show(&rig.window.far_end, 3);
	assert_int_equal(wait_id(&rig, s, 6, 0), VK_TIMEOUT);
	far_end_show(&rig.window.far_end, 4);
	assert_int_equal(wait_id(&rig, s, 6, 0), VK_SUCCESS);
	close_rig(&rig, s);
}

/* However many frames nobody waits for: the oldest and the newest keep their places. */
static void
ids_take_no_more_than_their_room(void **state)
{
	const uint64_t count = 3 * KR_WSI_PRESENT_IDS_MAX;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	for (uint64_t id = 1; id <= count; id++)
		assert_int_equal(present_id(&rig, s, id), VK_SUCCESS);
	far_end_show(&rig.window.far_end, 2);
	assert_int_equal(wait_id(&rig, s, 2, 0), VK_SUCCESS);
	assert_int_equal(wait_id(&rig, s, 3, 0), VK_TIMEOUT);
	/* Those that found no room end with the last of them. */
	far_end_show(&rig.window.far_end, count - 1);
	assert_int_equal(wait_id(&rig, s, KR_WSI_PRESENT_IDS_MAX - 1, 0), VK_SUCCESS);
	assert_int_equal(wait_id(&rig, s, KR_WSI_PRESENT_IDS_MAX + 1, 0), VK_TIMEOUT);
	far_end_show(&rig.window.far_end, count);
	assert_int_equal(wait_id(&rig, s, KR_WSI_PRESENT_IDS_MAX + 1, 0), VK_SUCCESS);
	close_rig(&rig, s);
}

struct waiter {
	struct rig *rig;
	VkSwapchainKHR swapchain;
	uint64_t id;
	VkResult result;
	pthread_t thread;
};

static void *
run_waiter(void *data)
{
	struct waiter *w = data;

	w->result = wait_id(w->rig, w->swapchain, w->id, MS(10000));
	return NULL;
}

static void
start_waiter(struct waiter *w, struct rig *rig, VkSwapchainKHR swapchain, uint64_t id)
{
	*w = (struct waiter){.rig = rig, .swapchain = swapchain, .id = id};
	assert_int_equal(pthread_create(&w->thread, NULL, run_waiter, w), 0);
}

static VkResult
join_waiter(struct waiter *w)
{
	pthread_join(w->thread, NULL);
	return w->result;
}

/* VK_KHR_present_wait: a wait may come before its present, on another thread. */
static void
a_wait_may_come_before_its_present(void **state)
{
	struct waiter first, second;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	start_waiter(&first, &rig, s, 1);
	start_waiter(&second, &rig, s, 2);
	usleep(10000);
	for (uint64_t id = 1; id <= 2; id++)
		assert_int_equal(present_id(&rig, s, id), VK_SUCCESS);
	usleep(10000);
	far_end_show(&rig.window.far_end, 2);
	assert_int_equal(join_waiter(&first), VK_SUCCESS);
	assert_int_equal(join_waiter(&second), VK_SUCCESS);
	close_rig(&rig, s);
}

/* Presents that never come, and far ends that never tell. */
static void
waits_end_with_what_they_wait_for(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	struct waiter never, gone;
	VkSwapchainKHR s, new;
	struct rig rig;

	s = open_rig(&rig);
	assert_int_equal(present_id(&rig, s, 1), VK_SUCCESS);
	start_waiter(&never, &rig, s, 2);
	start_waiter(&gone, &rig, s, 1);
	usleep(10000);
	info.oldSwapchain = s;
	assert_int_equal(
		kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &new), VK_SUCCESS);
	assert_int_equal(join_waiter(&never), VK_ERROR_OUT_OF_DATE_KHR);
	/* What was presented may be shown still. */
	assert_int_equal(wait_id(&rig, s, 1, 0), VK_TIMEOUT);
	far_end_leave(&rig.window.far_end);
	assert_int_equal(join_waiter(&gone), VK_ERROR_SURFACE_LOST_KHR);
	rig_destroy(&rig, s);
	close_rig(&rig, new);
}

static void
waits_end_with_window_and_device(void **state)
{
	struct waiter waiter;
	struct rig rig;
	VkSwapchainKHR s = open_rig(&rig);

	start_waiter(&waiter, &rig, s, 1);
	kr_queue_abandon(rig.queue);
	assert_int_equal(join_waiter(&waiter), VK_ERROR_SURFACE_LOST_KHR);
	start_waiter(&waiter, &rig, s, 1);
	kr_wsi_device_lost(rig.device);
	assert_true(join_waiter(&waiter) < 0);
	assert_int_equal(wait_id(&rig, s, 1, 0), VK_ERROR_DEVICE_LOST);
	close_rig(&rig, s);
}

/* A window of another platform: its frames count when they are done (docs/windows.md). */
static void
windows_that_cant_tell_count_frames_that_are_done(void **state)
{
	struct rig rig;
	VkSwapchainKHR s;

	rig_init(&rig, true);
	rig.window.android = true;
	s = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	fake.release_fences = true;
	assert_int_equal(present_id(&rig, s, 1), VK_SUCCESS);
	assert_int_equal(wait_id(&rig, s, 1, MS(5)), VK_TIMEOUT);
	fake_finish_work(1);
	assert_int_equal(wait_id(&rig, s, 1, 0), VK_SUCCESS);
	fake.release_fences = false;
	assert_int_equal(present_id(&rig, s, 2), VK_SUCCESS);
	assert_int_equal(wait_id(&rig, s, 2, 0), VK_SUCCESS);
	close_rig(&rig, s);
}

static const struct kr_test tests[] = {
	KR_TEST(a_wait_ends_when_the_frame_was_shown),
	KR_TEST(ids_go_to_the_end_of_their_range),
	KR_TEST(frames_are_told_of_when_they_have_ids),
	KR_TEST(ids_that_go_back_are_none),
	KR_TEST(ids_take_no_more_than_their_room),
	KR_TEST(a_wait_may_come_before_its_present),
	KR_TEST(waits_end_with_what_they_wait_for),
	KR_TEST(waits_end_with_window_and_device),
	KR_TEST(windows_that_cant_tell_count_frames_that_are_done),
};

KR_TEST_MAIN(tests)
