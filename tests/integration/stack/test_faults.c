/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole stack with fences that misbehave on purpose (krafla/fault.h): a program,
 * libvulkan.so.1, a driver, a display. Nothing hangs or crashes, the program gets the right
 * VkResult, the display counts what it saw, no descriptor is left.
 *
 * KRAFLA_FAULTS sets the faults of libvulkan.so.1, which reads it once: a case has one stage. The
 * display is this process's own and has its faults by a call.
 */
#include <krafla/fault.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "harness.h"
#include "rig.h"
#include "stack.h"

#define SIZE    ((VkExtent2D){RIG_WIDTH, RIG_HEIGHT})
#define FRAMES  16
#define IMAGES  3
#define PATIENT UINT64_C(5000000000)
/* What lavapipe and LLVM keep for good. */
#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

struct stage {
	struct app app;
	struct rig rig;
};

/* `library`: faults of libvulkan.so.1, `display`: of the display; NULL none. */
static void
open_stage(struct stage *stage, enum stack_driver driver, enum kr_display_clock clock,
	const char *library, const char *display)
{
	struct app *app = &stage->app;

	memset(stage, 0, sizeof(*stage));
	stack_use(driver);
	assert_int_equal(krafla_fault_set_text(display ? display : ""), 0);
	rig_start(&stage->rig, clock);
	setenv("KRAFLA_DISPLAY", stage->rig.socket, 1);
	setenv("KRAFLA_FAULTS", library ? library : "", 1);
	setenv("KRAFLA_TESTING", "1", 1);
	assert_int_equal(app_open_instance(app, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	assert_int_equal(app_create_headless_surface(app), VK_SUCCESS);
	assert_int_equal(app_open_device(app, 0), VK_SUCCESS);
	assert_int_equal(
		app_create_swapchain(app, VK_PRESENT_MODE_FIFO_KHR, IMAGES, SIZE), VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(app), VK_SUCCESS);
}

static void
close_stage(struct stage *stage)
{
	app_close(&stage->app);
	krafla_fault_clear(KRAFLA_FAULT_SITES);
	rig_stop(&stage->rig, NULL);
}

static void
show(struct stage *stage, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++)
		assert_int_equal(app_frame(&stage->app, UINT64_MAX, i), VK_SUCCESS);
}

/* The fault changes when frames come, or nothing: all are shown, in time, and descriptors stay. */
static void
all_frames_come(enum stack_driver driver, enum kr_display_clock clock, const char *library,
	const char *display)
{
	struct stage stage;
	int fds;

	open_stage(&stage, driver, clock, library, display);
	show(&stage, 0, FRAMES);
	rig_wait_stat(&stage.rig, shown, FRAMES);
	poll(NULL, 0, 300);
	fds = kr_test_count_fds();
	show(&stage, FRAMES, 2 * FRAMES);
	rig_wait_stat(&stage.rig, shown, 2 * FRAMES);
	kr_test_expect_fds(fds);
	assert_int_equal(rig_stats(&stage.rig).failed, 0);
	assert_int_equal(rig_stats(&stage.rig).stuck, 0);
	assert_int_equal(rig_stats(&stage.rig).dropped, 0);
	close_stage(&stage);
}

/* --- what only changes when frames come --- */

/* A case in which all frames come; `display`: faults of the display, NULL none. */
#define ALL_FRAMES_COME(name, driver, clock, library, display)                                     \
	static void name(void **state)                                                             \
	{                                                                                          \
		all_frames_come(driver, clock, library, display);                                  \
	}

/* clang-format off */
ALL_FRAMES_COME(late_frames, STACK_NULL, KR_CLOCK_VIRTUAL, "driver-release:late,delay=20ms", NULL)
ALL_FRAMES_COME(late_frames_in_real_time, STACK_NULL, KR_CLOCK_REAL, "queue:late,delay=20ms,every=3", NULL)
ALL_FRAMES_COME(late_frames_of_lavapipe, STACK_LAVAPIPE, KR_CLOCK_VIRTUAL,
	"driver-release:late,delay=20ms,every=2;driver-acquire:late,delay=5ms,every=3", NULL)
ALL_FRAMES_COME(late_buffers, STACK_NULL, KR_CLOCK_VIRTUAL, "dequeue:late,delay=10ms,every=2",
	"display-release:late,delay=20ms,every=3")
ALL_FRAMES_COME(frames_out_of_order, STACK_NULL, KR_CLOCK_VIRTUAL,
	"driver-release:swapped,delay=200ms", NULL)
ALL_FRAMES_COME(buffers_out_of_order, STACK_NULL, KR_CLOCK_REAL, "dequeue:swapped,delay=50ms",
	"display-release:swapped,delay=50ms")
ALL_FRAMES_COME(absent_fences, STACK_NULL, KR_CLOCK_VIRTUAL,
	"driver-release:absent;dequeue:absent;driver-acquire:absent", "display-release:absent")
/* A buffer whose release failed is nobody's. */
ALL_FRAMES_COME(failed_dequeues, STACK_NULL, KR_CLOCK_VIRTUAL, "dequeue:error,every=3", NULL)
ALL_FRAMES_COME(failed_releases, STACK_NULL, KR_CLOCK_VIRTUAL, NULL,
	"display-release:error,error=70,every=2")
ALL_FRAMES_COME(failed_acquires_of_lavapipe, STACK_LAVAPIPE, KR_CLOCK_VIRTUAL,
	"driver-acquire:error,every=3", NULL)
/*
 * One buffer that never becomes free costs that buffer: the program goes on, also without a limit.
 */
ALL_FRAMES_COME(dequeue_that_never_signals, STACK_NULL, KR_CLOCK_VIRTUAL,
	"dequeue:never,from=3,count=1", NULL)
ALL_FRAMES_COME(release_that_never_signals, STACK_NULL, KR_CLOCK_REAL, NULL,
	"display-release:never,from=5,count=1")
/* It costs its buffer, not the acquire; what the driver would be given is waited for. */
ALL_FRAMES_COME(acquire_that_never_signals, STACK_LAVAPIPE, KR_CLOCK_VIRTUAL,
	"driver-acquire:never,from=3,count=1", NULL)
ALL_FRAMES_COME(acquires_late, STACK_NULL, KR_CLOCK_VIRTUAL,
	"driver-acquire:late,delay=30ms,every=3", NULL)
/* What a buffer comes with and isn't a fence is nothing to wait for. */
ALL_FRAMES_COME(dequeues_closed, STACK_NULL, KR_CLOCK_VIRTUAL, "dequeue:closed,every=3", NULL)
ALL_FRAMES_COME(dequeues_foreign, STACK_NULL, KR_CLOCK_VIRTUAL, "dequeue:foreign,every=3", NULL)
/* Acquires that wait for long give back and take again: cancelBuffer is called. */
ALL_FRAMES_COME(cancels_closed, STACK_NULL, KR_CLOCK_VIRTUAL,
	"dequeue:late,delay=300ms,every=8;cancel:closed", NULL)
ALL_FRAMES_COME(cancels_foreign, STACK_NULL, KR_CLOCK_VIRTUAL,
	"dequeue:late,delay=300ms,every=8;cancel:foreign", NULL)
ALL_FRAMES_COME(cancels_failed, STACK_NULL, KR_CLOCK_VIRTUAL,
	"dequeue:late,delay=300ms,every=8;cancel:error", NULL)
/* clang-format on */

/* --- what costs frames --- */

/* A frame whose fence failed isn't shown, and is counted. */
static void
failed_frames(void **state)
{
	struct stage stage;

	open_stage(
		&stage, STACK_NULL, KR_CLOCK_VIRTUAL, "driver-release:error,error=5,every=4", NULL);
	show(&stage, 0, FRAMES);
	rig_wait_stat(&stage.rig, shown, FRAMES - FRAMES / 4);
	assert_int_equal(rig_stats(&stage.rig).queued, FRAMES);
	assert_int_equal(rig_stats(&stage.rig).failed, FRAMES / 4);
	assert_int_equal(rig_stats(&stage.rig).stuck, 0);
	close_stage(&stage);
}

/* The layer is hidden once, the program's acquires run out of time, and all of it can be closed. */
static void
frame_that_never_gets_ready(void **state)
{
	struct stage stage;
	VkResult result = VK_SUCCESS;
	uint32_t index;

	open_stage(
		&stage, STACK_NULL, KR_CLOCK_VIRTUAL, "driver-release:never,from=4,count=1", NULL);
	show(&stage, 0, 4);
	for (unsigned i = 0; i < IMAGES + 2 && result == VK_SUCCESS; i++)
		result = app_frame(&stage.app, UINT64_C(200000000), i);
	assert_int_equal(result, VK_TIMEOUT);
	rig_wait_stat(&stage.rig, stuck, 1);
	assert_int_equal(rig_stats(&stage.rig).shown, 3);
	/* The buffer that left the screen is the program's again. */
	result = vkAcquireNextImageKHR(stage.app.device, stage.app.swapchain, PATIENT,
		stage.app.acquired, VK_NULL_HANDLE, &index);
	assert_int_equal(result, VK_SUCCESS);
	close_stage(&stage);
}

/* W-07: an image that the driver won't take is given back, and the program hears what it said. */
static void
expect_acquire_to_fail(enum stack_driver driver, const char *faults, VkResult result)
{
	struct stage stage;
	uint32_t index;

	open_stage(&stage, driver, KR_CLOCK_VIRTUAL, faults, NULL);
	show(&stage, 0, 2);
	assert_int_equal(app_draw(&stage.app, PATIENT, 2, &index), result);
	show(&stage, 2, FRAMES);
	rig_wait_stat(&stage.rig, shown, FRAMES);
	close_stage(&stage);
}

static void
acquire_closed(void **state)
{
	expect_acquire_to_fail(STACK_NULL, "driver-acquire:closed,from=3,count=1",
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
}

static void
acquire_foreign(void **state)
{
	expect_acquire_to_fail(STACK_LAVAPIPE, "driver-acquire:foreign,from=3,count=1",
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
}

/* What the driver gives isn't a fence. That frame is lost and said to be, no other. */
static void
expect_present_to_fail(enum stack_driver driver, const char *faults)
{
	struct stage stage;

	open_stage(&stage, driver, KR_CLOCK_VIRTUAL, faults, NULL);
	show(&stage, 0, 2);
	assert_int_equal(app_frame(&stage.app, UINT64_MAX, 2), VK_ERROR_UNKNOWN);
	show(&stage, 2, FRAMES);
	rig_wait_stat(&stage.rig, shown, FRAMES);
	assert_int_equal(rig_stats(&stage.rig).queued, FRAMES);
	assert_int_equal(rig_stats(&stage.rig).rejected, 0);
	close_stage(&stage);
}

static void
release_closed(void **state)
{
	expect_present_to_fail(STACK_NULL, "driver-release:closed,from=3,count=1");
}

static void
release_foreign(void **state)
{
	expect_present_to_fail(STACK_NULL, "driver-release:foreign,from=3,count=1");
}

static void
release_foreign_of_lavapipe(void **state)
{
	expect_present_to_fail(STACK_LAVAPIPE, "driver-release:foreign,from=3,count=1");
}

/* The window refuses it before the display would cut the program off. */
static void
expect_window_to_refuse(const char *faults)
{
	struct stage stage;

	open_stage(&stage, STACK_NULL, KR_CLOCK_VIRTUAL, faults, NULL);
	show(&stage, 0, 2);
	assert_int_equal(app_frame(&stage.app, UINT64_MAX, 2), VK_ERROR_SURFACE_LOST_KHR);
	rig_wait_stat(&stage.rig, shown, 2);
	assert_int_equal(rig_stats(&stage.rig).rejected, 0);
	close_stage(&stage);
}

static void
queue_closed(void **state)
{
	expect_window_to_refuse("queue:closed,from=3,count=1");
}

static void
queue_foreign(void **state)
{
	expect_window_to_refuse("queue:foreign,from=3,count=1");
}

/* A display that breaks the protocol so is left. */
static void
expect_display_to_be_left(const char *faults)
{
	VkResult result = VK_SUCCESS;
	struct stage stage;

	open_stage(&stage, STACK_NULL, KR_CLOCK_VIRTUAL, NULL, faults);
	for (unsigned i = 0; i < FRAMES && result == VK_SUCCESS; i++)
		result = app_frame(&stage.app, PATIENT, i);
	assert_int_equal(result, VK_ERROR_SURFACE_LOST_KHR);
	assert_int_equal(krafla_fault_count(KRAFLA_FAULT_AT_DISPLAY_RELEASE), 1);
	close_stage(&stage);
}

static void
display_gives_closed(void **state)
{
	expect_display_to_be_left("display-release:closed,from=2,count=1");
}

static void
display_gives_foreign(void **state)
{
	expect_display_to_be_left("display-release:foreign,from=2,count=1");
}

/* Drawn by chance; whatever comes, it comes in time and can be closed. */
static void
expect_an_end(unsigned seed, enum kr_display_clock clock, const char *release, const char *dequeue)
{
	struct stage stage;
	char faults[512];

	snprintf(faults, sizeof(faults),
		"driver-release:%s,permille=300,seed=%u,delay=10ms,error=5;"
		"dequeue:%s,permille=300,seed=%u,delay=10ms;cancel:error,permille=500,seed=%u",
		release, seed, dequeue, seed + 1, seed + 2);
	open_stage(
		&stage, STACK_NULL, clock, faults, "display-release:late,permille=300,delay=10ms");
	show(&stage, 0, 5 * FRAMES);
	rig_wait_stat(&stage.rig, queued, 5 * FRAMES);
	close_stage(&stage);
}

static void
all_at_once_late(void **state)
{
	expect_an_end(1, KR_CLOCK_VIRTUAL, "late", "swapped");
}

static void
all_at_once_failing(void **state)
{
	expect_an_end(5, KR_CLOCK_REAL, "error", "late");
}

static void
all_at_once_out_of_order(void **state)
{
	expect_an_end(9, KR_CLOCK_REAL, "swapped", "error");
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(late_frames, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(late_frames_in_real_time, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(late_frames_of_lavapipe, LEAVES, 60),
	KR_TEST_SLOW(late_buffers, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(frames_out_of_order, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(buffers_out_of_order, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(absent_fences, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(failed_dequeues, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(failed_releases, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(failed_acquires_of_lavapipe, LEAVES, 60),
	KR_TEST_SLOW(dequeue_that_never_signals, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(release_that_never_signals, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(dequeues_closed, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(dequeues_foreign, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(cancels_closed, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(cancels_foreign, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(cancels_failed, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(failed_frames, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(frame_that_never_gets_ready, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(acquire_that_never_signals, LEAVES, 60),
	KR_TEST_SLOW(acquires_late, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(acquire_closed, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(acquire_foreign, LEAVES, 60),
	KR_TEST_SLOW(release_closed, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(release_foreign, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(release_foreign_of_lavapipe, LEAVES, 60),
	KR_TEST_SLOW(queue_closed, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(queue_foreign, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(display_gives_closed, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(display_gives_foreign, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(all_at_once_late, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(all_at_once_failing, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(all_at_once_out_of_order, KR_TEST_KEEPS_MEMORY, 60),
};

KR_TEST_MAIN(tests)
