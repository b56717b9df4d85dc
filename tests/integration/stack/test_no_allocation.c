/* SPDX-License-Identifier: Apache-2.0 */
/* DESIGN 7: no allocation in a steady-state frame. The null driver's own calls are left out. */
#include <stdio.h>

#include "alloc_count.h"
#include "app.h"
#include "harness.h"
#include "rig.h"
#include "stack.h"

#define WARM_UP 30
#define FRAMES  100

/* As app_frame; what the driver does between acquire and present isn't the window system's. */
static void
show(struct app *app, unsigned number)
{
	VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.swapchainCount = 1,
		.pSwapchains = &app->swapchain,
	};
	uint32_t index;

	assert_int_equal(vkAcquireNextImageKHR(app->device, app->swapchain, UINT64_MAX,
				 app->acquired, VK_NULL_HANDLE, &index),
		VK_SUCCESS);
	info.waitSemaphoreCount = 1;
	info.pWaitSemaphores = &app->acquired;
	info.pImageIndices = &index;
	assert_int_equal(vkQueuePresentKHR(app->queue, &info), VK_SUCCESS);
}

static void
count_frames(VkPresentModeKHR mode)
{
	struct app app = {0};
	char *begin, *end;
	long calls;

	assert_int_equal(app_open_instance(&app, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	assert_int_equal(app_create_headless_surface(&app), VK_SUCCESS);
	assert_int_equal(app_open_device(&app, 0), VK_SUCCESS);
	assert_int_equal(app_create_swapchain(&app, mode, 3, (VkExtent2D){64, 48}), VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(&app), VK_SUCCESS);
	stack_library_range("/vulkan.null.so", &begin, &end);
	alloc_count_leave_out(begin, end);
	for (unsigned i = 0; i < WARM_UP; i++)
		show(&app, i);
	alloc_count_start();
	for (unsigned i = 0; i < FRAMES; i++)
		show(&app, i);
	calls = alloc_count_stop();
	if (calls)
		fail_msg("mode %d: %ld calls of malloc in %d frames", mode, calls, FRAMES);
	app_close(&app);
}

static void
count_all_modes(void)
{
	count_frames(VK_PRESENT_MODE_FIFO_KHR);
	count_frames(VK_PRESENT_MODE_MAILBOX_KHR);
	count_frames(VK_PRESENT_MODE_IMMEDIATE_KHR);
}

/* The counter sees what the loader allocates. */
static void
calls_are_counted(void **state)
{
	struct app app = {0};

	stack_use(STACK_NULL);
	alloc_count_start();
	assert_int_equal(app_open_instance(&app, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	assert_true(alloc_count_stop() > 0);
	app_close(&app);
}

static void
headless(void **state)
{
	stack_use(STACK_NULL);
	count_all_modes();
}

static void
headless_with_a_release_fence(void **state)
{
	stack_use(STACK_NULL);
	setenv("KRAFLA_NULL_RELEASE", "late:1", 1);
	count_all_modes();
}

static void
headless_behind_the_adapter(void **state)
{
	stack_use(STACK_NULL_ICD);
	count_all_modes();
}

/* Another process has the display; here it has a thread of this one, which is excused. */
static void *
run_excused(void *data)
{
	alloc_count_excuse(true);
	kr_display_run(data);
	return NULL;
}

static void
display(void **state)
{
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	static const struct kr_display_hooks hooks;
	struct kr_display *made;
	pthread_t thread;
	char socket[128];

	stack_use(STACK_NULL);
	snprintf(socket, sizeof(socket), "%s/display", kr_test_dir());
	setenv("KRAFLA_DISPLAY", socket, 1);
	config.socket_path = socket;
	config.refresh_mhz = 500000;
	assert_int_equal(kr_display_create(&config, &hooks, NULL, &made), 0);
	assert_int_equal(pthread_create(&thread, NULL, run_excused, made), 0);
	count_all_modes();
	kr_display_stop(made);
	pthread_join(thread, NULL);
	kr_display_destroy(made);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(calls_are_counted, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(headless, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(headless_with_a_release_fence, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(headless_behind_the_adapter, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(display, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
