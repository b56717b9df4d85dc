/* SPDX-License-Identifier: Apache-2.0 */
/*
 * android-platform 7.3, 24: what Vulkan lets other threads do while one uses a swapchain. Presents
 * are waited for, surfaces and other swapchains are asked, private data is kept, windows change
 * their size, and in the end the device is lost.
 */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>

#include "present_rig.h"
#include "util/clock.h"

#define FRAMES 300

struct stage {
	struct rig rig;
	VkSwapchainKHR swapchain;
	atomic_uint presented; /* ids so far */
	atomic_bool over;
};

static void *
run_waits(void *data)
{
	struct stage *stage = data;

	for (uint64_t id = 1; id <= FRAMES; id++) {
		VkResult result = kr_wsi_wait_for_present(
			stage->rig.device, stage->swapchain, id, (uint64_t)(10 * KR_NSEC_PER_SEC));

		if (result != VK_SUCCESS)
			return NULL;
		if (atomic_load(&stage->presented) < id)
			return NULL;
	}
	return stage;
}

static void *
run_questions(void *data)
{
	struct stage *stage = data;
	VkSurfaceCapabilitiesKHR caps;
	uint32_t turn = 0;

	while (!atomic_load(&stage->over)) {
		turn++;
		if (kr_wsi_surface_capabilities(&stage->rig.gpu, stage->rig.surface, &caps) < 0)
			return NULL;
		if (!kr_wsi_owns_swapchain(stage->rig.device, stage->swapchain))
			return NULL;
		kr_queue_configure(stage->rig.queue, 320 + turn % 2, 200, 0);
		if (kr_wsi_set_private_data(stage->rig.device, stage->swapchain,
			    (VkPrivateDataSlot)(uintptr_t)0x77, turn))
			return NULL;
	}
	return stage;
}

static void
present_frames(struct stage *stage)
{
	for (uint64_t id = 1; id <= FRAMES; id++) {
		const VkPresentIdKHR ids = {.sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR,
			.swapchainCount = 1,
			.pPresentIds = &id};
		struct present p;

		present_init(&p, 1, false);
		p.swapchains[0] = stage->swapchain;
		p.indices[0] = acquired(&stage->rig, stage->swapchain);
		p.info.pNext = &ids;
		atomic_store(&stage->presented, (unsigned)id);
		assert_true(kr_wsi_queue_present(stage->rig.device, QUEUE, &p.info) >= 0);
	}
}

static void
other_threads_may_ask_and_wait(void **state)
{
	pthread_t waits[2], questions;
	struct stage stage = {.presented = 0};
	void *result;

	rig_init(&stage.rig, false);
	stage.swapchain = rig_swapchain(&stage.rig, VK_PRESENT_MODE_FIFO_KHR);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&waits[i], NULL, run_waits, &stage), 0);
	assert_int_equal(pthread_create(&questions, NULL, run_questions, &stage), 0);
	present_frames(&stage);
	for (int i = 0; i < 2; i++) {
		pthread_join(waits[i], &result);
		assert_non_null(result);
	}
	atomic_store(&stage.over, true);
	pthread_join(questions, &result);
	assert_non_null(result);
	rig_destroy(&stage.rig, stage.swapchain);
	rig_finish(&stage.rig);
}

static void *
lose(void *data)
{
	kr_wsi_device_lost(((struct stage *)data)->rig.device);
	return NULL;
}

/* W-12: on any thread, whatever another one does with the images. */
static void
a_device_may_be_lost_at_any_time(void **state)
{
	for (uint32_t round = 0; round < 20; round++) {
		struct stage stage = {.presented = 0};
		pthread_t loser;
		uint32_t index;

		rig_init(&stage.rig, false);
		stage.swapchain = rig_swapchain(&stage.rig, VK_PRESENT_MODE_FIFO_KHR);
		assert_int_equal(pthread_create(&loser, NULL, lose, &stage), 0);
		for (uint32_t i = 0; i < 100; i++) {
			const VkReleaseSwapchainImagesInfoEXT release = {
				.swapchain = stage.swapchain,
				.imageIndexCount = 1,
				.pImageIndices = &index,
			};

			if (rig_acquire(&stage.rig, stage.swapchain, 0, &index) < 0)
				break;
			if (i % 2)
				kr_wsi_release_swapchain_images(stage.rig.device, &release);
			else if (rig_present(&stage.rig, stage.swapchain, index) < 0)
				break;
		}
		pthread_join(loser, NULL);
		assert_int_equal(
			rig_acquire(&stage.rig, stage.swapchain, 0, &index), VK_ERROR_DEVICE_LOST);
		rig_destroy(&stage.rig, stage.swapchain);
		rig_finish(&stage.rig);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(other_threads_may_ask_and_wait),
	KR_TEST(a_device_may_be_lost_at_any_time),
};

KR_TEST_MAIN(tests)
