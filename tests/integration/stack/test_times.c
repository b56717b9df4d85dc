/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When frames are shown, as a program asks for it and hears of it: VK_EXT_present_timing,
 * VK_GOOGLE_display_timing and VK_KHR_calibrated_timestamps through the real libvulkan.so.1 and a
 * display, on lavapipe through the adapter and on the null driver.
 */
#include <string.h>
#include <time.h>

#include "app.h"
#include "harness.h"
#include "rig.h"
#include "stack.h"
#include "util/vulkan.h"
#include "wayland_app.h"
#include "wayland_rig.h"
#include "x_app.h"
#include "xvfb.h"

#define FRAMES    8
#define SIZE      ((VkExtent2D){RIG_WIDTH, RIG_HEIGHT})
#define PERIOD_NS INT64_C(16666666)
#define LEAVES    (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep */

#define DEVICE_FN(app, name)   ((PFN_##name)vkGetDeviceProcAddr((app)->device, #name))
#define INSTANCE_FN(app, name) ((PFN_##name)vkGetInstanceProcAddr((app)->instance, #name))

struct stage {
	struct rig rig;
	struct app app;
	VkPhysicalDevicePresentTimingFeaturesEXT timing;
	VkPhysicalDevicePresentId2FeaturesKHR id;
};

/* What the program asks for, until it has a surface. */
static void
open_instance(struct stage *stage, const char *surface_extension)
{
	static const char *const instance_extensions[] = {
		VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME};
	static const char *const extensions[] = {VK_KHR_PRESENT_ID_2_EXTENSION_NAME,
		VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, VK_EXT_PRESENT_TIMING_EXTENSION_NAME,
		VK_GOOGLE_DISPLAY_TIMING_EXTENSION_NAME};
	struct app *app = &stage->app;

	stage->timing = (VkPhysicalDevicePresentTimingFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT,
		.pNext = &stage->id,
		.presentTiming = VK_TRUE,
		.presentAtAbsoluteTime = VK_TRUE,
		.presentAtRelativeTime = VK_TRUE,
	};
	stage->id = (VkPhysicalDevicePresentId2FeaturesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_2_FEATURES_KHR,
		.presentId2 = VK_TRUE,
	};
	app->more.instance_extensions = instance_extensions;
	app->more.instance_extension_count = 1;
	app->more.extensions = extensions;
	app->more.extension_count = KR_ARRAY_LEN(extensions);
	app->more.device = &stage->timing;
	app->more.flags = VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT |
		VK_SWAPCHAIN_CREATE_PRESENT_ID_2_BIT_KHR;
	assert_int_equal(app_open_instance(app, surface_extension, NULL), VK_SUCCESS);
}

static void
open_swapchain(struct stage *stage)
{
	struct app *app = &stage->app;

	assert_int_equal(app_open_device(app, 0), VK_SUCCESS);
	assert_int_equal(app_create_swapchain(app, VK_PRESENT_MODE_FIFO_KHR, 4, SIZE), VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(app), VK_SUCCESS);
}

static void
open_stage(struct stage *stage, enum stack_driver driver, enum kr_display_clock clock)
{
	stack_use(driver);
	rig_start(&stage->rig, clock);
	setenv("KRAFLA_DISPLAY", stage->rig.socket, 1);
	open_instance(stage, "VK_EXT_headless_surface");
	assert_int_equal(app_create_headless_surface(&stage->app), VK_SUCCESS);
	open_swapchain(stage);
}

static void
close_stage(struct stage *stage)
{
	app_close(&stage->app);
	rig_stop(&stage->rig, NULL);
}

static VkPresentTimingSurfaceCapabilitiesEXT
ask_surface(struct app *app)
{
	VkPresentTimingSurfaceCapabilitiesEXT timing = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_TIMING_SURFACE_CAPABILITIES_EXT};
	VkSurfaceCapabilities2KHR caps = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, .pNext = &timing};
	const VkPhysicalDeviceSurfaceInfo2KHR info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR,
		.surface = app->surface,
	};

	assert_int_equal(INSTANCE_FN(app, vkGetPhysicalDeviceSurfaceCapabilities2KHR)(
				 app->physical, &info, &caps),
		VK_SUCCESS);
	return timing;
}

/* A frame with an id, for a time in the domain of that id. */
static void
show_in(struct app *app, uint64_t domain, uint64_t id, VkPresentTimingInfoFlagsEXT flags,
	uint64_t target, VkPresentStageFlagsEXT stages)
{
	const VkPresentTimingInfoEXT timing = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_TIMING_INFO_EXT,
		.flags = flags,
		.targetTime = target,
		.timeDomainId = domain,
		.presentStageQueries = stages,
	};
	const VkPresentTimingsInfoEXT timings = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_TIMINGS_INFO_EXT,
		.swapchainCount = 1,
		.pTimingInfos = &timing,
	};
	const VkPresentId2KHR ids = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR,
		.pNext = &timings,
		.swapchainCount = 1,
		.pPresentIds = &id,
	};

	app->more.present = &ids;
	assert_int_equal(app_frame(app, UINT64_MAX, (unsigned)id), VK_SUCCESS);
	app->more.present = NULL;
}

static void
show(struct app *app, uint64_t id, VkPresentTimingInfoFlagsEXT flags, uint64_t target,
	VkPresentStageFlagsEXT stages)
{
	show_in(app, 1, id, flags, target, stages);
}

/* The times of all frames, by their ids from 1 on, of one stage each. */
static void
collect(struct app *app, unsigned count, uint64_t *times)
{
	PFN_vkGetPastPresentationTimingEXT past = DEVICE_FN(app, vkGetPastPresentationTimingEXT);
	const VkPastPresentationTimingInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_INFO_EXT,
		.swapchain = app->swapchain,
	};

	for (unsigned got = 0, tries = 0; got < count; tries++) {
		VkPresentStageTimeEXT stage[4];
		VkPastPresentationTimingEXT timing = {
			.sType = VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_EXT,
			.pPresentStages = stage,
		};
		VkPastPresentationTimingPropertiesEXT properties = {
			.sType = VK_STRUCTURE_TYPE_PAST_PRESENTATION_TIMING_PROPERTIES_EXT,
			.presentationTimingCount = 1,
			.pPresentationTimings = &timing,
		};

		assert_true(past(app->device, &info, &properties) >= 0);
		if (!properties.presentationTimingCount) {
			assert_true(tries < 10000);
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
			continue;
		}
		assert_int_equal(timing.presentId, ++got);
		assert_true(timing.reportComplete);
		assert_int_equal(timing.presentStageCount, 1);
		*times++ = stage[0].time;
	}
}

/* Each third picture, and each is where it was asked for; and so it is whenever it is run. */
static void
virtual_clocks_are_exact(enum stack_driver driver)
{
	struct stage stage = {.app = {0}};
	struct app *app = &stage.app;
	VkPresentStageFlagsEXT shown = VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_VISIBLE_BIT_EXT;
	VkPresentTimingSurfaceCapabilitiesEXT caps;
	uint64_t times[2 * FRAMES];

	open_stage(&stage, driver, KR_CLOCK_VIRTUAL);
	caps = ask_surface(app);
	assert_true(caps.presentTimingSupported && caps.presentAtAbsoluteTimeSupported &&
		caps.presentAtRelativeTimeSupported);
	assert_int_equal(caps.presentStageQueries, 0xf);
	assert_int_equal(DEVICE_FN(app, vkSetSwapchainPresentTimingQueueSizeEXT)(
				 app->device, app->swapchain, 2 * FRAMES),
		VK_SUCCESS);
	for (unsigned i = 0; i < FRAMES; i++)
		show(app, i + 1, 0, (uint64_t)(10 + 3 * i) * PERIOD_NS, shown);
	for (unsigned i = FRAMES; i < 2 * FRAMES; i++)
		show(app, i + 1, VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT,
			2 * PERIOD_NS - 1000, shown);
	collect(app, 2 * FRAMES, times);
	for (unsigned i = 0; i < FRAMES; i++)
		assert_int_equal(times[i], (10 + 3 * i) * PERIOD_NS);
	for (unsigned i = FRAMES; i < 2 * FRAMES; i++)
		assert_int_equal(times[i], times[i - 1] + 2 * PERIOD_NS);
	close_stage(&stage);
}

static void
virtual_clocks_are_exact_with_lavapipe(void **state)
{
	virtual_clocks_are_exact(STACK_LAVAPIPE);
}

static void
virtual_clocks_are_exact_with_null(void **state)
{
	virtual_clocks_are_exact(STACK_NULL);
}

/* One of a swapchain's, beside CLOCK_MONOTONIC. */
static uint64_t
now_in(struct app *app, VkTimeDomainKHR domain)
{
	const VkSwapchainCalibratedTimestampInfoEXT of = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CALIBRATED_TIMESTAMP_INFO_EXT,
		.swapchain = app->swapchain,
		.presentStage = VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT,
		.timeDomainId = 1,
	};
	const VkCalibratedTimestampInfoKHR infos[] = {
		{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_KHR, NULL,
			VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR},
		{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_KHR, &of, domain},
	};
	uint64_t stamps[2], deviation = 0;

	assert_int_equal(DEVICE_FN(app, vkGetCalibratedTimestampsKHR)(
				 app->device, 2, infos, stamps, &deviation),
		VK_SUCCESS);
	assert_true(domain == VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_KHR ||
		stamps[1] - stamps[0] <= deviation || stamps[0] - stamps[1] <= deviation);
	return stamps[1];
}

/* The id of the swapchain's domain. */
static uint64_t
find_domain(struct app *app, VkTimeDomainKHR domain)
{
	VkTimeDomainKHR domains[8];
	uint64_t ids[8];
	VkSwapchainTimeDomainPropertiesEXT list = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_TIME_DOMAIN_PROPERTIES_EXT,
		.timeDomainCount = KR_ARRAY_LEN(domains),
		.pTimeDomains = domains,
		.pTimeDomainIds = ids,
	};

	assert_int_equal(DEVICE_FN(app, vkGetSwapchainTimeDomainPropertiesEXT)(
				 app->device, app->swapchain, &list, NULL),
		VK_SUCCESS);
	for (uint32_t i = 0; i < list.timeDomainCount; i++) {
		if (domains[i] == domain)
			return ids[i];
	}
	fail_msg("no such time domain");
	return 0;
}

/* No frame is shown before its time, and all are told between two looks at the clock. */
static void
real_clocks_are_not_early(enum stack_driver driver, VkTimeDomainKHR domain)
{
	struct stage stage = {.app = {0}};
	struct app *app = &stage.app;
	uint64_t times[FRAMES], targets[FRAMES], before, after, id;
	/* The raw clock's rate is another one, by 1/2000 at most. */
	const uint64_t may_drift = domain == VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_KHR ? 1000000 : 0;

	open_stage(&stage, driver, KR_CLOCK_REAL);
	assert_int_equal(DEVICE_FN(app, vkSetSwapchainPresentTimingQueueSizeEXT)(
				 app->device, app->swapchain, FRAMES),
		VK_SUCCESS);
	id = find_domain(app, domain);
	before = now_in(app, domain);
	for (unsigned i = 0; i < FRAMES; i++) {
		targets[i] = before + (4 + 2 * i) * (uint64_t)PERIOD_NS;
		show_in(app, id, i + 1, 0, targets[i],
			VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT);
	}
	collect(app, FRAMES, times);
	after = now_in(app, domain);
	for (unsigned i = 0; i < FRAMES; i++) {
		assert_true(times[i] >= targets[i]);
		assert_true(times[i] <= after + may_drift);
		assert_true(!i || times[i] > times[i - 1]);
	}
	close_stage(&stage);
}

static void
real_clocks_are_not_early_with_lavapipe(void **state)
{
	real_clocks_are_not_early(STACK_LAVAPIPE, VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT);
}

static void
raw_clocks_are_not_early_with_lavapipe(void **state)
{
	real_clocks_are_not_early(STACK_LAVAPIPE, VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_KHR);
}

static void
real_clocks_are_not_early_with_null(void **state)
{
	real_clocks_are_not_early(STACK_NULL, VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT);
}

static void
raw_clocks_are_not_early_with_null(void **state)
{
	real_clocks_are_not_early(STACK_NULL, VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_KHR);
}

/*
 * W-01: as vkcube --display_timing does it; that of Debian 12 chains a structure that is gone by
 * then.
 */
static void
google_times_are_told(void **state)
{
	struct stage stage = {.app = {0}};
	struct app *app = &stage.app;
	VkPastPresentationTimingGOOGLE past[FRAMES];
	VkRefreshCycleDurationGOOGLE refresh = {0};
	uint32_t count = 0;

	open_stage(&stage, STACK_LAVAPIPE, KR_CLOCK_VIRTUAL);
	assert_int_equal(DEVICE_FN(app, vkGetRefreshCycleDurationGOOGLE)(
				 app->device, app->swapchain, &refresh),
		VK_SUCCESS);
	assert_int_equal(refresh.refreshDuration, PERIOD_NS);
	for (uint32_t i = 0; i < FRAMES; i++) {
		const VkPresentTimeGOOGLE time = {i + 1, (uint64_t)(5 + 2 * i) * PERIOD_NS};
		const VkPresentTimesInfoGOOGLE times = {
			.sType = VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE,
			.swapchainCount = 1,
			.pTimes = &time,
		};

		app->more.present = &times;
		assert_int_equal(app_frame(app, UINT64_MAX, i), VK_SUCCESS);
		app->more.present = NULL;
	}
	for (int tries = 0; count < FRAMES; tries++) {
		assert_true(tries < 10000);
		assert_int_equal(DEVICE_FN(app, vkGetPastPresentationTimingGOOGLE)(
					 app->device, app->swapchain, &count, NULL),
			VK_SUCCESS);
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	assert_int_equal(DEVICE_FN(app, vkGetPastPresentationTimingGOOGLE)(
				 app->device, app->swapchain, &count, past),
		VK_SUCCESS);
	for (uint32_t i = 0; i < FRAMES; i++) {
		assert_int_equal(past[i].presentID, i + 1);
		assert_int_equal(past[i].desiredPresentTime, (5 + 2 * i) * PERIOD_NS);
		assert_int_equal(past[i].actualPresentTime, past[i].desiredPresentTime);
		assert_true(past[i].earliestPresentTime <= past[i].actualPresentTime);
	}
	close_stage(&stage);
}

/*
 * A window of a real server's, which tells of each stage: the first frame is shown not before the
 * time that it asks for, nor is any other, and what is told of it is in its order.
 */
static void
expect_times_of_a_window(struct app *app)
{
	const VkPresentStageFlagsEXT out = VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT;
	const VkPresentStageFlagsEXT all = VK_PRESENT_STAGE_QUEUE_OPERATIONS_END_BIT_EXT |
		VK_PRESENT_STAGE_REQUEST_DEQUEUED_BIT_EXT | out;
	const VkPresentTimingInfoFlagsEXT relative =
		VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT;
	const VkPresentTimingSurfaceCapabilitiesEXT caps = ask_surface(app);
	uint64_t times[2 * FRAMES], before;

	assert_true(caps.presentTimingSupported && caps.presentAtAbsoluteTimeSupported &&
		caps.presentAtRelativeTimeSupported);
	assert_int_equal(caps.presentStageQueries, all);
	assert_int_equal(DEVICE_FN(app, vkSetSwapchainPresentTimingQueueSizeEXT)(
				 app->device, app->swapchain, 2 * FRAMES),
		VK_SUCCESS);
	before = now_in(app, VK_TIME_DOMAIN_SWAPCHAIN_LOCAL_EXT);
	for (unsigned i = 0; i < FRAMES; i++)
		show(app, i + 1, 0, before + (2 + 3 * i) * (uint64_t)PERIOD_NS, out);
	for (unsigned i = FRAMES; i < 2 * FRAMES; i++)
		show(app, i + 1, relative, 2 * PERIOD_NS, out);
	collect(app, 2 * FRAMES, times);
	for (unsigned i = 0; i < FRAMES; i++)
		assert_true(times[i] >= before + (2 + 3 * i) * (uint64_t)PERIOD_NS);
	for (unsigned i = FRAMES; i < 2 * FRAMES; i++)
		assert_true(times[i] >= times[i - 1] + 2 * PERIOD_NS);
	assert_true(times[2 * FRAMES - 1] <= now_in(app, VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT));
}

/* On the screen of a real X server, which has no refresh rate that it would tell. */
static void
x_windows_tell_their_times(void **state)
{
	struct stage stage = {.app = {0}};
	struct app *app = &stage.app;
	struct kr_xvfb server;
	struct x_app x = {0};

	stack_use(STACK_LAVAPIPE);
	setenv("KRAFLA_WSI", "platform", 1);
	kr_xvfb_start(&server, "640x480x24", NULL, NULL);
	assert_true(x_app_open(&x, server.display, RIG_WIDTH, RIG_HEIGHT));
	open_instance(&stage, x_app_extension(false));
	assert_int_equal(x_app_create_surface(&x, app), VK_SUCCESS);
	open_swapchain(&stage);
	expect_times_of_a_window(app);
	app_close(app);
	x_app_close(&x);
	kr_xvfb_stop(&server);
}

/* On Weston, which says by presentation-time when it has shown something. */
static void
wayland_windows_tell_their_times(void **state)
{
	struct stage stage = {.app = {0}};
	struct app *app = &stage.app;
	struct wayland_rig rig;

	stack_use(STACK_LAVAPIPE);
	setenv("KRAFLA_WSI", "platform", 1);
	wayland_rig_start_drawing(&rig);
	open_instance(&stage, "VK_KHR_wayland_surface");
	assert_int_equal(wayland_app_create_surface(app, rig.display, rig.surface), VK_SUCCESS);
	open_swapchain(&stage);
	expect_times_of_a_window(app);
	app_close(app);
	wayland_rig_stop(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(virtual_clocks_are_exact_with_lavapipe, LEAVES),
	KR_TEST_FLAGS(virtual_clocks_are_exact_with_null, LEAVES),
	KR_TEST_FLAGS(real_clocks_are_not_early_with_lavapipe, LEAVES),
	KR_TEST_FLAGS(real_clocks_are_not_early_with_null, LEAVES),
	KR_TEST_FLAGS(raw_clocks_are_not_early_with_lavapipe, LEAVES),
	KR_TEST_FLAGS(raw_clocks_are_not_early_with_null, LEAVES),
	KR_TEST_FLAGS(google_times_are_told, LEAVES),
	KR_TEST_FLAGS(x_windows_tell_their_times, LEAVES),
	KR_TEST_FLAGS(wayland_windows_tell_their_times, LEAVES),
};

KR_TEST_MAIN(tests)
