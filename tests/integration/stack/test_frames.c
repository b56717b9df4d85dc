/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames through the real libvulkan.so.1: descriptors, release fences that take their time, several
 * drivers in one instance.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "harness.h"
#include "rig.h"
#include "stack.h"
#include "x_app.h"
#include "xvfb.h"

#define HALF   30
#define SIZE   ((VkExtent2D){RIG_WIDTH, RIG_HEIGHT})
#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep for good */

static void
finish_opening(struct app *app, uint32_t device, VkPresentModeKHR mode, uint32_t images)
{
	assert_int_equal(app_create_headless_surface(app), VK_SUCCESS);
	assert_int_equal(app_open_device(app, device), VK_SUCCESS);
	assert_int_equal(app_create_swapchain(app, mode, images, SIZE), VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(app), VK_SUCCESS);
}

static void
open_app(struct app *app, VkPresentModeKHR mode, uint32_t images)
{
	assert_int_equal(app_open_instance(app, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	finish_opening(app, 0, mode, images);
}

/* --- descriptors --- */

static void
show_frames(struct app *app, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(app_frame(app, UINT64_MAX, i), VK_SUCCESS);
	assert_int_equal(vkDeviceWaitIdle(app->device), VK_SUCCESS);
}

static void
descriptors_stay(enum stack_driver driver)
{
	struct app app = {0};
	int after_half;

	stack_use(driver);
	setenv("KRAFLA_WSI", "platform", 1);
	open_app(&app, VK_PRESENT_MODE_FIFO_KHR, 3);
	show_frames(&app, HALF);
	poll(NULL, 0, 100);
	after_half = kr_test_count_fds();
	show_frames(&app, HALF);
	kr_test_expect_fds(after_half);
	app_close(&app);
}

static void
null_keeps_no_descriptors(void **state)
{
	descriptors_stay(STACK_NULL);
}

static void
lavapipe_keeps_no_descriptors(void **state)
{
	descriptors_stay(STACK_LAVAPIPE);
}

/* --- with a display --- */

static void
display_keeps_no_descriptors(void **state)
{
	struct app app = {0};
	struct rig rig = {0};
	int after_half;

	stack_use(STACK_LAVAPIPE);
	rig_start(&rig, KR_CLOCK_REAL);
	setenv("KRAFLA_DISPLAY", rig.socket, 1);
	open_app(&app, VK_PRESENT_MODE_FIFO_KHR, 3);
	show_frames(&app, HALF);
	rig_wait_frames(&rig, HALF);
	poll(NULL, 0, 100);
	after_half = kr_test_count_fds();
	show_frames(&app, HALF);
	rig_wait_frames(&rig, 2 * HALF);
	kr_test_expect_fds(after_half);
	app_close(&app);
	rig_stop(&rig, NULL);
}

/* The grey that app_frame cleared to, as the display composed it. */
static void
colours_arrive(void **state)
{
	struct app app = {0};
	struct rig rig = {0};

	stack_use(STACK_LAVAPIPE);
	rig_start(&rig, KR_CLOCK_VIRTUAL);
	setenv("KRAFLA_DISPLAY", rig.socket, 1);
	open_app(&app, VK_PRESENT_MODE_FIFO_KHR, 3);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(app_frame(&app, UINT64_MAX, 40 * i), VK_SUCCESS);
		rig_wait_frames(&rig, i + 1);
		assert_int_equal(rig_pixel(&rig, 5, 7) & 0xffffff, 0x10101 * 40 * i);
	}
	app_close(&app);
	rig_stop(&rig, NULL);
}

/* --- release fences --- */

struct hooks {
	PFN_kr_null_signal_releases signal;
	PFN_kr_null_count_releases count;
};

static struct hooks
find_hooks(void)
{
	return (struct hooks){
		(PFN_kr_null_signal_releases)stack_null_function("kr_null_signal_releases"),
		(PFN_kr_null_count_releases)stack_null_function("kr_null_count_releases"),
	};
}

/* Presents and tells how long that took. */
static long long
present_time(struct app *app, unsigned number)
{
	long long before = stack_now_ms();

	assert_int_equal(app_frame(app, UINT64_MAX, number), VK_SUCCESS);
	return stack_now_ms() - before;
}

/*
 * W-08, H-01, DESIGN 5.5: present returns before a release fence signals, and doesn't wait for an
 * earlier frame's either; the display shows the frames when, and in the order in which, they
 * signal.
 */
static void
present_does_not_wait_for_the_driver(void **state)
{
	struct app app = {0};
	struct rig rig = {0};
	struct hooks hooks;

	stack_use(STACK_NULL);
	setenv("KRAFLA_NULL_RELEASE", "pending", 1);
	rig_start(&rig, KR_CLOCK_REAL);
	setenv("KRAFLA_DISPLAY", rig.socket, 1);
	open_app(&app, VK_PRESENT_MODE_FIFO_KHR, 4);
	hooks = find_hooks();
	for (int i = 0; i < 3; i++)
		assert_in_range(present_time(&app, 0), 0, 2000);
	rig_wait_stat(&rig, queued, 3);
	assert_int_equal(hooks.count(), 3);
	poll(NULL, 0, 300);
	assert_int_equal(rig_stats(&rig).composed, 0);
	assert_int_equal(hooks.signal(1), 3);
	rig_wait_stat(&rig, shown, 3);
	assert_int_equal(rig_stats(&rig).failed, 0);
	app_close(&app);
	rig_stop(&rig, NULL);
}

/* Three frames whose fences are pending when presents return; then they end, and more follow. */
static void
present_pending(struct app *app)
{
	struct hooks hooks = find_hooks();
	PFN_kr_null_set_release set =
		(PFN_kr_null_set_release)stack_null_function("kr_null_set_release");

	assert_int_equal(set("pending"), 0);
	for (int i = 0; i < 3; i++)
		assert_in_range(present_time(app, 0), 0, 2000);
	assert_int_equal(hooks.count(), 3);
	assert_int_equal(set("late:1"), 0);
	assert_int_equal(hooks.signal(1), 3);
	for (int i = 0; i < HALF; i++)
		assert_int_equal(app_frame(app, UINT64_MAX, 0), VK_SUCCESS);
}

/* W-08: the same of frames that nobody looks at. */
static void
headless_presents_do_not_wait(void **state)
{
	struct app app = {0};

	stack_use(STACK_NULL);
	open_app(&app, VK_PRESENT_MODE_FIFO_KHR, 4);
	present_pending(&app);
	app_close(&app);
}

/* W-08: and of a window system that can't wait for fences: an X server. */
static void
x_presents_do_not_wait(void **state)
{
	static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR,
		VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR};
	struct kr_xvfb server;

	stack_use(STACK_NULL);
	setenv("KRAFLA_WSI", "platform", 1);
	kr_xvfb_start(&server, "640x480x24", NULL, NULL);
	for (size_t i = 0; i < 3; i++) {
		struct app app = {0};
		struct x_app x = {0};

		assert_true(x_app_open(&x, server.display, RIG_WIDTH, RIG_HEIGHT));
		assert_int_equal(app_open_instance(&app, x_app_extension(false), NULL), VK_SUCCESS);
		assert_int_equal(x_app_create_surface(&x, &app), VK_SUCCESS);
		assert_int_equal(app_open_device(&app, 0), VK_SUCCESS);
		assert_int_equal(app_create_swapchain(&app, modes[i], 5, SIZE), VK_SUCCESS);
		assert_int_equal(app_create_frame_objects(&app), VK_SUCCESS);
		present_pending(&app);
		app_close(&app);
		x_app_close(&x);
	}
	kr_xvfb_stop(&server);
}

/* --- drivers that give no fences --- */

/* Work that stands in the queue until its timeline reaches 1. */
static VkSemaphore
block_queue(struct app *app)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const uint64_t one = 1;
	const VkSemaphoreTypeCreateInfo type = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
		.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
	};
	const VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
		.pNext = &type,
	};
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = 1,
		.pWaitSemaphoreValues = &one,
	};
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &values,
		.waitSemaphoreCount = 1,
		.pWaitDstStageMask = &stage,
	};
	VkSemaphore timeline;

	assert_int_equal(vkCreateSemaphore(app->device, &info, NULL, &timeline), VK_SUCCESS);
	submit.pWaitSemaphores = &timeline;
	assert_int_equal(vkQueueSubmit(app->queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
	return timeline;
}

static void
unblock_queue(struct app *app, VkSemaphore timeline)
{
	const VkSemaphoreSignalInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
		.semaphore = timeline,
		.value = 1,
	};
	PFN_vkSignalSemaphore signal =
		(PFN_vkSignalSemaphore)vkGetDeviceProcAddr(app->device, "vkSignalSemaphore");

	assert_non_null(signal);
	assert_int_equal(signal(app->device, &info), VK_SUCCESS);
	assert_int_equal(vkDeviceWaitIdle(app->device), VK_SUCCESS);
	vkDestroySemaphore(app->device, timeline, NULL);
}

/* Fences of this process that the kernel's table of sockets names so. */
static int
named_fences(const char *name)
{
	FILE *table = fopen("/proc/net/unix", "re");
	char line[512], own[32];
	int count = 0;

	assert_non_null(table);
	snprintf(own, sizeof(own), "@syncf/%d/", (int)getpid());
	while (fgets(line, sizeof(line), table))
		count += strstr(line, own) && strstr(line, name);
	fclose(table);
	return count;
}

/* Acquires an image and presents it as it is, behind what the queue has to do. */
static void
present_untouched(struct app *app)
{
	VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.swapchainCount = 1,
		.pSwapchains = &app->swapchain,
	};
	uint32_t index;

	assert_int_equal(vkAcquireNextImageKHR(app->device, app->swapchain, UINT64_MAX,
				 VK_NULL_HANDLE, app->done, &index),
		VK_SUCCESS);
	info.pImageIndices = &index;
	assert_int_equal(vkQueuePresentKHR(app->queue, &info), VK_SUCCESS);
}

/*
 * W-08, S-01: a driver behind the adapter has work to do: presents return, and each frame is a
 * fence with a name, until the work is done.
 */
static void
frames_of_the_adapter_are_in_flight(void **state)
{
	struct app app = {0};
	struct rig rig = {0};
	VkSemaphore timeline;

	stack_use(STACK_NULL_ICD);
	rig_start(&rig, KR_CLOCK_REAL);
	setenv("KRAFLA_DISPLAY", rig.socket, 1);
	open_app(&app, VK_PRESENT_MODE_FIFO_KHR, 4);
	assert_int_equal(app_frame(&app, UINT64_MAX, 0), VK_SUCCESS);
	rig_wait_stat(&rig, shown, 1);
	assert_int_equal(named_fences(" queue 0/"), 0);
	timeline = block_queue(&app);
	present_untouched(&app);
	rig_wait_stat(&rig, queued, 2);
	assert_int_equal(named_fences("test_stack_frames queue 0/2/"), 1);
	assert_int_equal(rig_stats(&rig).shown, 1);
	unblock_queue(&app, timeline);
	rig_wait_stat(&rig, shown, 2);
	assert_int_equal(rig_stats(&rig).failed, 0);
	assert_int_equal(rig_stats(&rig).unfenced, 0);
	app_close(&app);
	rig_stop(&rig, NULL);
}

/* W-12: a lost device's frames in flight fail, at once. */
static void
frames_of_a_lost_device_fail(void **state)
{
	struct app app = {0};
	struct rig rig = {0};
	VkSemaphore blocker;

	stack_use(STACK_NULL_ICD);
	rig_start(&rig, KR_CLOCK_REAL);
	setenv("KRAFLA_DISPLAY", rig.socket, 1);
	open_app(&app, VK_PRESENT_MODE_FIFO_KHR, 4);
	blocker = block_queue(&app);
	present_untouched(&app);
	rig_wait_stat(&rig, queued, 1);
	((PFN_kr_null_lose_devices)stack_null_function("kr_null_lose_devices"))();
	rig_wait_stat(&rig, failed, 1);
	assert_int_equal(rig_stats(&rig).shown, 0);
	vkDestroySemaphore(app.device, blocker, NULL);
	app_close(&app);
	rig_stop(&rig, NULL);
}

/* A frame whose drawing failed is not shown, and its buffer comes back. */
static void
failed_frames_are_dropped(void **state)
{
	struct app app = {0};
	struct rig rig = {0};
	struct hooks hooks;

	stack_use(STACK_NULL);
	setenv("KRAFLA_NULL_RELEASE", "pending", 1);
	rig_start(&rig, KR_CLOCK_REAL);
	setenv("KRAFLA_DISPLAY", rig.socket, 1);
	open_app(&app, VK_PRESENT_MODE_FIFO_KHR, 3);
	hooks = find_hooks();
	for (unsigned i = 0; i < 8; i++) {
		assert_in_range(present_time(&app, i), 0, 5000);
		rig_wait_stat(&rig, queued, i + 1);
		assert_int_equal(hooks.signal(i % 2 ? 1 : -5), 1);
	}
	/* Counted when all of the tick is done, behind the frames that it shows. */
	rig_wait_stat(&rig, composed, 4);
	assert_int_equal(rig_stats(&rig).failed, 4);
	assert_int_equal(rig_stats(&rig).shown, 4);
	app_close(&app);
	rig_stop(&rig, NULL);
}

/* A program that ends with frames under way takes nothing with it and waits for nobody. */
static void
closing_does_not_wait(void **state)
{
	struct app app = {0};
	struct rig rig = {0};
	long long before;

	stack_use(STACK_NULL);
	setenv("KRAFLA_NULL_RELEASE", "pending", 1);
	rig_start(&rig, KR_CLOCK_REAL);
	setenv("KRAFLA_DISPLAY", rig.socket, 1);
	open_app(&app, VK_PRESENT_MODE_FIFO_KHR, 4);
	present_time(&app, 0);
	rig_wait_stat(&rig, queued, 1);
	assert_int_equal(find_hooks().count(), 1);
	before = stack_now_ms();
	app_close(&app);
	assert_in_range(stack_now_ms() - before, 0, 2000);
	rig_wait_gone(&rig, 1);
	rig_stop(&rig, NULL);
}

/* --- two drivers --- */

/* One instance, a device and a window of each driver, frames by turns. */
static void
two_drivers_present_side_by_side(void **state)
{
	struct app first = {0}, second;

	stack_use(STACK_BOTH);
	assert_int_equal(app_open_instance(&first, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	second = first;
	finish_opening(&first, 0, VK_PRESENT_MODE_FIFO_KHR, 3);
	finish_opening(&second, 1, VK_PRESENT_MODE_MAILBOX_KHR, 4);
	for (unsigned i = 0; i < HALF; i++) {
		assert_int_equal(app_frame(&first, UINT64_MAX, i), VK_SUCCESS);
		assert_int_equal(app_frame(&second, UINT64_MAX, i), VK_SUCCESS);
	}
	app_close_device(&second);
	for (unsigned i = 0; i < HALF; i++)
		assert_int_equal(app_frame(&first, UINT64_MAX, i), VK_SUCCESS);
	app_close(&first);
}

/* Both on one display: two windows in a picture. */
static void
two_drivers_share_a_display(void **state)
{
	struct app first = {0}, second;
	struct rig rig = {0};

	stack_use(STACK_BOTH);
	rig_start(&rig, KR_CLOCK_VIRTUAL);
	setenv("KRAFLA_DISPLAY", rig.socket, 1);
	assert_int_equal(app_open_instance(&first, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	second = first;
	finish_opening(&first, 0, VK_PRESENT_MODE_FIFO_KHR, 3);
	finish_opening(&second, 1, VK_PRESENT_MODE_FIFO_KHR, 3);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(app_frame(&first, UINT64_MAX, i), VK_SUCCESS);
		assert_int_equal(app_frame(&second, UINT64_MAX, i), VK_SUCCESS);
	}
	/* The second lies over the first. */
	rig_wait_stat(&rig, shown, 10);
	rig_wait_stat(&rig, hidden, 10);
	assert_int_equal(rig_stats(&rig).producers, 2);
	assert_int_equal(rig_stats(&rig).dropped, 0);
	app_close_device(&second);
	app_close(&first);
	rig_stop(&rig, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(null_keeps_no_descriptors, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(lavapipe_keeps_no_descriptors, LEAVES),
	KR_TEST_FLAGS(display_keeps_no_descriptors, LEAVES),
	KR_TEST_FLAGS(colours_arrive, LEAVES),
	KR_TEST_FLAGS(present_does_not_wait_for_the_driver, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(headless_presents_do_not_wait, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(x_presents_do_not_wait, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(frames_of_the_adapter_are_in_flight, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(frames_of_a_lost_device_fail, LEAVES),
	KR_TEST_FLAGS(failed_frames_are_dropped, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(closing_does_not_wait, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(two_drivers_present_side_by_side, LEAVES),
	KR_TEST_FLAGS(two_drivers_share_a_display, LEAVES),
};

KR_TEST_MAIN(tests)
