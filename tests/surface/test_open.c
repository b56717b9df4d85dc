/* SPDX-License-Identifier: Apache-2.0 */
/* Opening surfaces: nowhere, on a display in another process, over X windows. */
#include "harness.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <krafla/window.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/tables.h"
#include "surface/output.h"
#include "surface/surface.h"
#include "util/clock.h"
#include "util/log.h"
#include "window/remote/remote.h"
#include "window/state.h"
#include "window/window.h"
#include "wsi/surface/surface.h"
#include "x_rig.h"

/* ---- the environment, without setenv's memory ---- */

static char display_variable[160] = "KRAFLA_DISPLAY=";
static char path_variable[160];

__attribute__((constructor)) static void
init_environment(void)
{
	const char *path = getenv("KRAFLA_OUTPUT_PATH");

	snprintf(path_variable, sizeof(path_variable), "KRAFLA_OUTPUT_PATH=%s", path ? path : "");
	putenv(path_variable);
	putenv(display_variable);
}

/* Empty is as good as unset. */
static void
set_display(const char *path)
{
	snprintf(display_variable, sizeof(display_variable), "KRAFLA_DISPLAY=%s", path);
}

static void
set_output_path(const char *path)
{
	snprintf(path_variable, sizeof(path_variable), "KRAFLA_OUTPUT_PATH=%s", path);
}

/* ---- a display: shows every frame for no time at all ---- */

struct display {
	char path[108];
	pid_t pid;
};

static void
serve(int listener)
{
	const struct kr_remote_display info = {
		.width = 800,
		.height = 600,
		.refresh_ns = 16666667,
		.consumer_usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
		.max_acquired = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
	};
	const struct kr_consumer_events events = {0};

	for (;;) {
		struct kr_consumer *consumer;
		struct kr_frame frame;
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		struct pollfd p = {.events = POLLIN};

		if (kr_consumer_remote_create(fd, &info, false, &events, NULL, &consumer))
			continue;
		p.fd = kr_consumer_fd(consumer);
		while (poll(&p, 1, -1) == 1 && !kr_consumer_dispatch(consumer)) {
			while (!kr_consumer_acquire(consumer, &frame))
				kr_consumer_release(consumer, &frame, frame.acquire_fence);
		}
		kr_consumer_destroy(consumer);
	}
}

static void
display_start(struct display *d)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(d->path, sizeof(d->path), "%s/display", kr_test_dir());
	memcpy(address.sun_path, d->path, sizeof(address.sun_path));
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(listener, 8), 0);
	d->pid = fork();
	if (d->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(listener);
		_exit(0);
	}
	close(listener);
}

static void
display_stop(struct display *d)
{
	kill(d->pid, SIGKILL);
	waitpid(d->pid, NULL, 0);
}

/* ---- a GPU that can do everything ---- */

static void VKAPI_CALL
format_properties(VkPhysicalDevice gpu, VkFormat format, VkFormatProperties *properties)
{
	properties->optimalTilingFeatures = VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;
}

static VkResult VKAPI_CALL
image_format_properties(VkPhysicalDevice gpu, VkFormat format, VkImageType type,
	VkImageTiling tiling, VkImageUsageFlags usage, VkImageCreateFlags flags,
	VkImageFormatProperties *properties)
{
	properties->maxExtent = (VkExtent3D){4096, 4096, 1};
	return VK_SUCCESS;
}

static const struct kr_wsi_gpu *
any_gpu(void)
{
	static struct kr_instance_table functions;
	static const struct kr_wsi_gpu gpu = {.functions = &functions, .native_buffer = true};

	functions.GetPhysicalDeviceFormatProperties = format_properties;
	functions.GetPhysicalDeviceImageFormatProperties = image_format_properties;
	return &gpu;
}

static VkExtent2D
extent_of(struct kr_wsi_surface *surface)
{
	VkSurfaceCapabilitiesKHR caps;

	assert_int_equal(kr_wsi_surface_capabilities(any_gpu(), surface, &caps), VK_SUCCESS);
	return caps.currentExtent;
}

static VkResult
open_headless(struct kr_wsi_surface **surface)
{
	const struct kr_surface_request request = {.kind = &kr_surface_kinds[KR_SURFACE_HEADLESS]};

	return kr_surface_open(&request, NULL, surface);
}

/* ---- cases ---- */

static void
headless_alone_has_no_size(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	VkPresentModeKHR modes[8];
	uint32_t count = 8;
	struct kr_abilities abilities;

	set_display("");
	assert_null(kr_surface_display());
	assert_int_equal(open_headless(&surface), VK_SUCCESS);
	assert_int_equal(extent_of(surface).width, UINT32_MAX);
	assert_int_equal(
		kr_wsi_surface_present_modes(any_gpu(), surface, &count, modes), VK_SUCCESS);
	/* Nobody looks: all are true, but for those that the driver has to know of. */
	assert_int_equal(count, 5);
	assert_int_equal(
		surface->window->perform(surface->window, KR_WINDOW_GET_ABILITIES, &abilities), 0);
	assert_int_equal(abilities.modes, KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT));
	assert_int_equal(abilities.scalings, KR_ABILITY_ALL(KR_SCALING_COUNT));
	assert_int_equal(abilities.alphas, KR_ABILITY_ALL(KR_ALPHA_COUNT));
	kr_wsi_surface_destroy(surface, NULL);
}

static void
headless_with_a_display_has_its_size(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	struct display display;

	display_start(&display);
	set_display(display.path);
	assert_int_equal(open_headless(&surface), VK_SUCCESS);
	assert_int_equal(extent_of(surface).width, 800);
	assert_int_equal(extent_of(surface).height, 600);
	kr_wsi_surface_destroy(surface, NULL);
	display_stop(&display);
}

static void
a_display_that_is_not_there_is_a_lost_surface(void **state)
{
	struct kr_wsi_surface *surface = NULL;

	set_display("/nonexistent/display");
	assert_int_equal(open_headless(&surface), VK_ERROR_SURFACE_LOST_KHR);
	assert_null(surface);
}

/* A window ends when its display does: whoever asks is told. */
static void
a_killed_display_is_a_lost_surface(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	VkSurfaceCapabilitiesKHR caps;
	struct display display;

	display_start(&display);
	set_display(display.path);
	assert_int_equal(open_headless(&surface), VK_SUCCESS);
	display_stop(&display);
	assert_int_equal(
		kr_wsi_surface_capabilities(any_gpu(), surface, &caps), VK_ERROR_SURFACE_LOST_KHR);
	kr_wsi_surface_destroy(surface, NULL);
}

static void
windows_open_on_displays(void **state)
{
	ANativeWindow *window = NULL;
	struct display display;
	int width, height;

	display_start(&display);
	set_display("");
	assert_int_equal(krafla_window_open(NULL, NULL, 0, 0, &window), -ENOENT);
	assert_int_equal(krafla_window_open(display.path, NULL, 64, 0, &window), -EINVAL);
	assert_int_equal(krafla_window_open(display.path, NULL, 0, 0, NULL), -EINVAL);
	assert_int_equal(krafla_window_open("/nonexistent", NULL, 0, 0, &window), -ENOENT);
	assert_int_equal(krafla_window_open(display.path, "a title", 0, 0, &window), 0);
	window->query(window, NATIVE_WINDOW_DEFAULT_WIDTH, &width);
	assert_int_equal(width, 800);
	kr_window_unref(window);
	set_display(display.path);
	assert_int_equal(krafla_window_open(NULL, NULL, 123, 45, &window), 0);
	window->query(window, NATIVE_WINDOW_DEFAULT_WIDTH, &width);
	window->query(window, NATIVE_WINDOW_DEFAULT_HEIGHT, &height);
	assert_int_equal(width, 123);
	assert_int_equal(height, 45);
	kr_window_unref(window);
	display_stop(&display);
	assert_int_equal(krafla_window_open(display.path, NULL, 0, 0, &window), -ECONNREFUSED);
}

static void
an_android_surface_is_the_applications_window(void **state)
{
	struct kr_surface_request request = {.kind = &kr_surface_kinds[KR_SURFACE_ANDROID]};
	struct kr_wsi_surface *surface = NULL, *second = NULL;
	struct display display;

	display_start(&display);
	set_display("");
	assert_int_equal(
		krafla_window_open(display.path, NULL, 320, 240, &request.info.android.window), 0);
	assert_int_equal(kr_surface_open(&request, NULL, &surface), VK_SUCCESS);
	assert_int_equal(extent_of(surface).width, 320);
	assert_int_equal(
		kr_surface_open(&request, NULL, &second), VK_ERROR_NATIVE_WINDOW_IN_USE_KHR);
	kr_wsi_surface_destroy(surface, NULL);
	kr_window_unref(request.info.android.window);
	display_stop(&display);
}

static void
an_x_surface_follows_its_window(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	const uint32_t size[] = {320, 240};
	struct kr_surface_request request;
	VkSurfaceFormatKHR formats[8];
	VkSurfaceCapabilitiesKHR caps;
	uint32_t count = 8;
	struct x_rig rig;

	set_display("");
	x_rig_start(&rig, "640x480x24", NULL, NULL, 200, 100);
	request = x_rig_request(&rig);
	assert_true(x_rig_support(&rig, rig.visual));
	assert_int_equal(kr_surface_open(&request, NULL, &surface), VK_SUCCESS);
	assert_int_equal(extent_of(surface).width, 200);
	assert_int_equal(kr_wsi_surface_formats(any_gpu(), surface, &count, formats), VK_SUCCESS);
	assert_int_equal(formats[0].format, VK_FORMAT_B8G8R8A8_UNORM);
	xcb_configure_window(
		rig.app, rig.window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
	free(xcb_get_input_focus_reply(rig.app, xcb_get_input_focus(rig.app), NULL));
	assert_int_equal(extent_of(surface).width, 320);
	xcb_destroy_window(rig.app, rig.window);
	free(xcb_get_input_focus_reply(rig.app, xcb_get_input_focus(rig.app), NULL));
	assert_int_equal(
		kr_wsi_surface_capabilities(any_gpu(), surface, &caps), VK_ERROR_SURFACE_LOST_KHR);
	kr_wsi_surface_destroy(surface, NULL);
	x_rig_stop(&rig);
}

static void *
ask_size(void *data)
{
	for (int i = 0; i < 300; i++)
		assert_int_equal(extent_of(data).width, 200);
	return NULL;
}

/*
 * One thread waits for buffers while another asks for the size, and reads what the first waits for
 * from the connection: no wake-up is lost, each frame of 60 a second comes in time.
 */
static void
asking_for_the_size_steals_no_buffer(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	struct kr_surface_request request;
	ANativeWindow *window;
	struct x_rig rig;
	pthread_t thread;
	int64_t start;

	set_display("");
	x_rig_start(&rig, "640x480x24", NULL, NULL, 200, 100);
	request = x_rig_request(&rig);
	assert_int_equal(kr_surface_open(&request, NULL, &surface), VK_SUCCESS);
	window = surface->window;
	window->perform(window, NATIVE_WINDOW_SET_BUFFER_COUNT, (size_t)3);
	window->perform(window, NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT, 5 * KR_NSEC_PER_SEC);
	assert_int_equal(pthread_create(&thread, NULL, ask_size, surface), 0);
	start = kr_clock_now();
	for (int i = 0; i < 40; i++) {
		ANativeWindowBuffer *buffer;
		int fence;

		assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
		assert_int_equal(window->queueBuffer(window, buffer, -1), 0);
	}
	assert_true(kr_clock_now() - start < 4 * KR_NSEC_PER_SEC);
	assert_int_equal(pthread_join(thread, NULL), 0);
	kr_wsi_surface_destroy(surface, NULL);
	x_rig_stop(&rig);
}

/* DESIGN 5.1: the frames go to the display, the size is the X window's. */
static void
an_x_surface_with_a_display_has_the_windows_size(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	const uint32_t size[] = {320, 240};
	const struct kr_window *window;
	struct kr_surface_request request;
	struct display display;
	struct x_rig rig;

	display_start(&display);
	set_display(display.path);
	x_rig_start(&rig, "640x480x24", NULL, NULL, 200, 100);
	request = x_rig_request(&rig);
	assert_int_equal(kr_surface_open(&request, NULL, &surface), VK_SUCCESS);
	assert_int_equal(extent_of(surface).width, 200);
	xcb_configure_window(
		rig.app, rig.window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
	free(xcb_get_input_focus_reply(rig.app, xcb_get_input_focus(rig.app), NULL));
	assert_int_equal(extent_of(surface).width, 320);
	/* The display hears of it with each frame, which it may have to scale. */
	window = (const struct kr_window *)(const void *)surface->window;
	assert_int_equal(window->state.input.window_width, 320);
	assert_int_equal(window->state.input.window_height, 240);
	kr_wsi_surface_destroy(surface, NULL);
	x_rig_stop(&rig);
	display_stop(&display);
}

/* The pixels of an X window don't matter then: any visual will do. */
static void
with_a_display_every_visual_will_do(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	struct kr_surface_request request;
	struct display display;
	struct x_rig rig;

	display_start(&display);
	x_rig_start(&rig, "320x200x16", NULL, NULL, 64, 64);
	request = x_rig_request(&rig);
	set_display("");
	assert_false(x_rig_support(&rig, rig.visual));
	assert_int_equal(kr_surface_open(&request, NULL, &surface), VK_ERROR_INITIALIZATION_FAILED);
	set_display(display.path);
	assert_true(x_rig_support(&rig, rig.visual));
	assert_int_equal(kr_surface_open(&request, NULL, &surface), VK_SUCCESS);
	kr_wsi_surface_destroy(surface, NULL);
	x_rig_stop(&rig);
	display_stop(&display);
}

static void
without_a_module_there_is_no_x_surface(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	struct kr_surface_request request;
	struct x_rig rig;

	set_display("");
	x_rig_start(&rig, "640x480x24", NULL, NULL, 64, 64);
	request = x_rig_request(&rig);
	set_output_path("/nonexistent");
	assert_false(x_rig_support(&rig, rig.visual));
	assert_int_equal(kr_surface_open(&request, NULL, &surface), VK_ERROR_INITIALIZATION_FAILED);
	/* Not a module at all. */
	kr_test_file("krafla-output-xcb.so", "nonsense");
	set_output_path(kr_test_dir());
	assert_int_equal(kr_surface_open(&request, NULL, &surface), VK_ERROR_INITIALIZATION_FAILED);
	assert_null(surface);
	x_rig_stop(&rig);
}

static char heard[512];

static void
hear(void *data, uint32_t bits, const char *message)
{
	snprintf(heard, sizeof(heard), "%s", message);
}

/* The sentence says which version is which, and what to do. */
static void
a_module_of_another_version_is_refused(void **state)
{
	const struct kr_output_module *module = NULL;

	set_output_path(getenv("KRAFLA_TEST_MODULES"));
	kr_log_set_sink(hear, NULL);
	assert_int_equal(kr_output_load("old", &module), -EPROTO);
	kr_log_set_sink(NULL, NULL);
	assert_null(module);
	assert_non_null(strstr(
		heard, "krafla-output-old.so is of version 6 and this platform of version 7"));
	assert_non_null(strstr(heard, "it needs the module that was installed with it"));
}

static void
an_x_surface_without_its_display_is_lost(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	struct kr_surface_request request;
	struct x_rig rig;

	set_display("/nonexistent/display");
	x_rig_start(&rig, "640x480x24", NULL, NULL, 64, 64);
	request = x_rig_request(&rig);
	assert_int_equal(kr_surface_open(&request, NULL, &surface), VK_ERROR_SURFACE_LOST_KHR);
	assert_null(surface);
	x_rig_stop(&rig);
}

/* With a display the module is only asked for the size: without it the display's will do. */
static void
without_a_module_the_size_is_the_displays(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	struct kr_surface_request request;
	struct display display;
	struct x_rig rig;

	display_start(&display);
	set_display(display.path);
	x_rig_start(&rig, "640x480x24", NULL, NULL, 64, 64);
	request = x_rig_request(&rig);
	set_output_path("/nonexistent");
	assert_int_equal(kr_surface_open(&request, NULL, &surface), VK_SUCCESS);
	assert_int_equal(extent_of(surface).width, 800);
	kr_wsi_surface_destroy(surface, NULL);
	x_rig_stop(&rig);
	display_stop(&display);
}

static void
a_window_that_does_not_exist_is_lost(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	struct kr_surface_request request;
	struct x_rig rig;

	set_display("");
	x_rig_start(&rig, "640x480x24", NULL, NULL, 64, 64);
	rig.window += 1000;
	request = x_rig_request(&rig);
	assert_int_equal(kr_surface_open(&request, NULL, &surface), VK_ERROR_SURFACE_LOST_KHR);
	assert_null(surface);
	x_rig_stop(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(headless_alone_has_no_size),
	KR_TEST(headless_with_a_display_has_its_size),
	KR_TEST(a_display_that_is_not_there_is_a_lost_surface),
	KR_TEST(a_killed_display_is_a_lost_surface),
	KR_TEST(windows_open_on_displays),
	KR_TEST(an_android_surface_is_the_applications_window),
	KR_TEST_FLAGS(an_x_surface_follows_its_window, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(asking_for_the_size_steals_no_buffer, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(an_x_surface_with_a_display_has_the_windows_size, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(with_a_display_every_visual_will_do, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(without_a_module_there_is_no_x_surface, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_module_of_another_version_is_refused, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(an_x_surface_without_its_display_is_lost, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(without_a_module_the_size_is_the_displays, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(a_window_that_does_not_exist_is_lost, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
