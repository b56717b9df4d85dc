/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Swapchains made anew, one from the other, as a program does whose window is being resized: on a
 * composer's display and on an X window. Nothing is waited for in between, so that frames of several
 * swapchains are under way at once; none may stall the next, and the surface stays.
 */
#include "harness.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "composer/composer.h"
#include "fake_driver.h"
#include "surface/surface.h"
#include "util/clock.h"
#include "util/macros.h"
#include "wsi/wsi.h"
#include "x_rig.h"

#define ROUNDS 20

static const VkPresentModeKHR modes[] = {
	VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR};

static char display_variable[160] = "KRAFLA_DISPLAY=";

__attribute__((constructor)) static void
init_environment(void)
{
	putenv(display_variable);
}

/* ---- a display of the composer's ---- */

struct screen {
	char path[108];
	struct kr_display *display;
	pthread_t thread;
};

static void *
run_display(void *data)
{
	assert_int_equal(kr_display_run(data), 0);
	return NULL;
}

static void
screen_start(struct screen *screen, enum kr_display_clock clock)
{
	static const struct kr_display_hooks none;
	struct kr_display_config config = {
		.width = 800,
		.height = 600,
		.refresh_mhz = 60000,
		.clock = clock,
		.idle_ns = 100 * KR_NSEC_PER_MSEC,
		.socket_path = screen->path,
	};

	snprintf(screen->path, sizeof(screen->path), "%s/display", kr_test_dir());
	snprintf(display_variable, sizeof(display_variable), "KRAFLA_DISPLAY=%s", screen->path);
	assert_int_equal(kr_display_create(&config, &none, NULL, &screen->display), 0);
	assert_int_equal(pthread_create(&screen->thread, NULL, run_display, screen->display), 0);
}

static void
screen_stop(struct screen *screen)
{
	kr_display_stop(screen->display);
	pthread_join(screen->thread, NULL);
	kr_display_destroy(screen->display);
	strcpy(display_variable, "KRAFLA_DISPLAY=");
}

/* ---- a program that makes swapchains ---- */

struct program {
	struct kr_wsi_surface *surface;
	struct kr_wsi_device *device;
	VkPresentModeKHR mode;
	VkSwapchainKHR swapchain; /* the newest */
};

static void
program_start(struct program *p, const struct kr_surface_request *request, VkPresentModeKHR mode)
{
	struct kr_wsi_device_info info = {
		.device = (VkDevice)(uintptr_t)0x1000,
		.get_device_proc_addr = fake_get_device_proc_addr,
		.functions = &fake.device,
		.gpu = {.functions = &fake.instance,
			.native_buffer = true,
			.native_buffer_version = 8},
	};

	fake_driver_init();
	*p = (struct program){.mode = mode};
	assert_int_equal(kr_wsi_device_create(&info, &p->device), VK_SUCCESS);
	assert_int_equal(kr_surface_open(request, NULL, &p->surface), VK_SUCCESS);
}

static void
program_stop(struct program *p)
{
	kr_wsi_destroy_swapchain(p->device, p->swapchain, NULL);
	kr_wsi_device_destroy(p->device);
	kr_wsi_surface_destroy(p->surface, NULL);
	assert_int_equal(fake.images_live, 0);
}

/* The newest swapchain in place of the one there was, which stays to be destroyed. */
static VkSwapchainKHR
replace(struct program *p, uint32_t width, uint32_t height)
{
	VkSwapchainKHR old = p->swapchain;
	VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.minImageCount = 3,
		.imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
		.imageExtent = {width, height},
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
		.presentMode = p->mode,
		.oldSwapchain = old,
	};

	assert_int_equal(kr_wsi_create_swapchain(p->device, p->surface, &info, NULL, &p->swapchain),
		VK_SUCCESS);
	return old;
}

static VkResult
acquire(struct program *p, uint32_t *index)
{
	const VkAcquireNextImageInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR,
		.swapchain = p->swapchain,
		.timeout = UINT64_MAX,
		.fence = (VkFence)(uintptr_t)0xfe,
		.deviceMask = 1,
	};

	return kr_wsi_acquire_next_image(p->device, &info, index);
}

static VkResult
present(struct program *p, VkSwapchainKHR swapchain, uint32_t index)
{
	const VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.swapchainCount = 1,
		.pSwapchains = &swapchain,
		.pImageIndices = &index,
	};

	return kr_wsi_queue_present(p->device, (VkQueue)(uintptr_t)0x9, &info);
}

static void
show(struct program *p, uint32_t frames)
{
	for (uint32_t i = 0; i < frames; i++) {
		uint32_t index;

		assert_int_equal(acquire(p, &index), VK_SUCCESS);
		/* The window may have another size by now, it is never lost. */
		assert_in_range(present(p, p->swapchain, index), VK_SUCCESS, VK_SUBOPTIMAL_KHR);
	}
}

/*
 * One swapchain more: some frames each, sometimes with an image of the old one still acquired, which is
 * presented late or never; the old one goes before or after the first frames of the new.
 */
static void
recreate(struct program *p, uint32_t round, uint32_t width, uint32_t height)
{
	bool holds = round % 3 == 1 && p->swapchain;
	uint32_t held = 0;
	VkSwapchainKHR old;

	if (holds)
		assert_int_equal(acquire(p, &held), VK_SUCCESS);
	old = replace(p, width, height);
	if (holds && round % 2)
		assert_int_equal(present(p, old, held), VK_ERROR_OUT_OF_DATE_KHR);
	if (round % 2)
		kr_wsi_destroy_swapchain(p->device, old, NULL);
	show(p, round % 5);
	if (!(round % 2))
		kr_wsi_destroy_swapchain(p->device, old, NULL);
}

/* A swapchain takes some frames of the screen's; whatever waits in vain waits for 5 s. */
static void
check_time(int64_t start)
{
	assert_true(kr_clock_now() - start < 4 * KR_NSEC_PER_SEC);
}

static void
recreate_on_a_screen(enum kr_display_clock clock)
{
	const struct kr_surface_request request = {.kind = KR_SURFACE_HEADLESS};

	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		struct screen screen;
		struct program p;
		int64_t start;

		screen_start(&screen, clock);
		program_start(&p, &request, modes[m]);
		start = kr_clock_now();
		for (uint32_t i = 0; i < ROUNDS; i++)
			recreate(&p, i, 64 + i % 4 * 16, 64);
		show(&p, 3);
		check_time(start);
		program_stop(&p);
		screen_stop(&screen);
	}
}

static void
on_a_display_with_a_real_clock(void **state)
{
	recreate_on_a_screen(KR_CLOCK_REAL);
}

static void
on_a_display_with_a_virtual_clock(void **state)
{
	recreate_on_a_screen(KR_CLOCK_VIRTUAL);
}

static void
resize(struct x_rig *rig, uint32_t width, uint32_t height)
{
	const uint32_t size[] = {width, height};

	xcb_configure_window(
		rig->app, rig->window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
	xcb_flush(rig->app);
}

/* The window changes while frames are under way; sometimes it is what the swapchain was made for. */
static void
recreate_in_a_window(struct x_rig *rig)
{
	const struct kr_surface_request request = x_rig_request(rig);

	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		struct program p;
		int64_t start;

		program_start(&p, &request, modes[m]);
		start = kr_clock_now();
		for (uint32_t i = 0; i < ROUNDS; i++) {
			VkSurfaceCapabilitiesKHR caps;

			resize(rig, 64 + i * 7, 48 + i * 3);
			assert_int_equal(kr_wsi_surface_capabilities(
						 &(struct kr_wsi_gpu){.functions = &fake.instance,
							 .native_buffer = true},
						 p.surface, &caps),
				VK_SUCCESS);
			recreate(&p, i, caps.currentExtent.width, caps.currentExtent.height);
		}
		show(&p, 3);
		check_time(start);
		program_stop(&p);
	}
}

static void
in_a_resized_x_window(void **state)
{
	struct x_rig rig;

	x_rig_start(&rig, "640x480x24", NULL, NULL, 64, 48);
	recreate_in_a_window(&rig);
	x_rig_stop(&rig);
}

/* The same under `krafla run`: the window says how large, the display shows it. */
static void
in_a_resized_x_window_with_a_display(void **state)
{
	struct screen screen;
	struct x_rig rig;

	screen_start(&screen, KR_CLOCK_REAL);
	x_rig_start(&rig, "640x480x24", NULL, NULL, 64, 48);
	recreate_in_a_window(&rig);
	x_rig_stop(&rig);
	screen_stop(&screen);
}

static const struct kr_test tests[] = {
	KR_TEST(on_a_display_with_a_real_clock),
	KR_TEST(on_a_display_with_a_virtual_clock),
	KR_TEST_FLAGS(in_a_resized_x_window, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(in_a_resized_x_window_with_a_display, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
