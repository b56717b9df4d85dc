/* SPDX-License-Identifier: Apache-2.0 */
#include "x_rig.h"

#include "harness.h"

#include <X11/Xlib-xcb.h>
#include <X11/Xlib.h>
#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "picture.h"
#include "surface/output.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "window/queue/sink.h"

static void
start_xcb(struct x_rig *rig)
{
	xcb_screen_t *root;

	rig->app = xcb_connect(rig->server.display, NULL);
	assert_int_equal(xcb_connection_has_error(rig->app), 0);
	root = xcb_setup_roots_iterator(xcb_get_setup(rig->app)).data;
	rig->window = xcb_generate_id(rig->app);
	rig->visual = root->root_visual;
	xcb_create_window(rig->app, XCB_COPY_FROM_PARENT, rig->window, root->root, 0, 0, rig->width,
		rig->height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, root->root_visual, 0, NULL);
	xcb_map_window(rig->app, rig->window);
}

static void
start_xlib(struct x_rig *rig)
{
	rig->xlib = XOpenDisplay(rig->server.display);
	assert_non_null(rig->xlib);
	rig->app = XGetXCBConnection(rig->xlib);
	rig->visual =
		(uint32_t)XVisualIDFromVisual(DefaultVisual(rig->xlib, DefaultScreen(rig->xlib)));
	rig->window = (xcb_window_t)XCreateSimpleWindow(
		rig->xlib, DefaultRootWindow(rig->xlib), 0, 0, rig->width, rig->height, 0, 0, 0);
	XMapWindow(rig->xlib, rig->window);
}

void
x_rig_start(struct x_rig *rig, const char *screen, const char *arg1, const char *arg2,
	uint16_t width, uint16_t height)
{
	const char *kind = getenv("KRAFLA_TEST_X");

	memset(rig, 0, sizeof(*rig));
	rig->input.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO;
	rig->width = width;
	rig->height = height;
	kr_xvfb_start(&rig->server, screen, arg1, arg2);
	if (kind && !strcmp(kind, "xlib"))
		start_xlib(rig);
	else
		start_xcb(rig);
	/* Not flushed: opening has to do that. */
}

struct kr_surface_request
x_rig_request(const struct x_rig *rig)
{
	const VkXlibSurfaceCreateInfoKHR xlib = {.dpy = rig->xlib, .window = rig->window};
	const VkXcbSurfaceCreateInfoKHR xcb = {.connection = rig->app, .window = rig->window};
	struct kr_surface_request request;

	if (rig->xlib)
		kr_surface_request_init(&request, &kr_surface_kinds[KR_SURFACE_XLIB], &xlib);
	else
		kr_surface_request_init(&request, &kr_surface_kinds[KR_SURFACE_XCB], &xcb);
	return request;
}

bool
x_rig_support(const struct x_rig *rig, uint32_t visual)
{
	if (rig->xlib)
		return kr_surface_support(&kr_surface_kinds[KR_SURFACE_XLIB], rig->xlib, visual);
	return kr_surface_support(&kr_surface_kinds[KR_SURFACE_XCB], rig->app, visual);
}

int
x_rig_open_window(struct x_rig *rig, xcb_window_t window, struct kr_queue_config *config,
	struct kr_output_window **output)
{
	const struct kr_native_window native = {
		.system = rig->xlib ? KR_OUTPUT_SYSTEM_XLIB : KR_OUTPUT_SYSTEM_XCB,
		.connection = rig->xlib ? (void *)rig->xlib : (void *)rig->app,
		.window = window,
	};

	assert_int_equal(kr_output_load("xcb", &rig->module), 0);
	return rig->module->open(&kr_output_host, &native, config, output);
}

void
x_rig_open(struct x_rig *rig, uint8_t mode)
{
	struct kr_queue_config config;

	assert_int_equal(x_rig_open_window(rig, rig->window, &config, &rig->output), 0);
	assert_int_equal(config.default_width, rig->width);
	assert_int_equal(config.default_height, rig->height);
	rig->input.presentation.mode = mode;
	assert_int_equal(kr_queue_create(&config, rig->output->sink, &rig->queue), 0);
	assert_int_equal(kr_queue_connect(rig->queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(kr_queue_set_buffer_count(rig->queue, 3), 0);
}

void
x_rig_stop(struct x_rig *rig)
{
	kr_queue_unref(rig->queue);
	if (!rig->xlib)
		xcb_disconnect(rig->app);
	else if (rig->server.pid)
		XCloseDisplay(rig->xlib);
	else
		/* XCloseDisplay ends the program when the server has gone before. */
		close(ConnectionNumber(rig->xlib));
	kr_xvfb_stop(&rig->server);
}

int
x_rig_dequeue(struct x_rig *rig, uint32_t width, uint32_t height, uint32_t format,
	int64_t timeout_ns, struct x_buffer *buffer)
{
	const struct kr_queue_request request = {
		.width = width,
		.height = height,
		.format = format,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_deadline_in((uint64_t)timeout_ns),
	};
	int fence = -1, ret;

	ret = kr_queue_dequeue(rig->queue, &request, &buffer->slot, &buffer->buffer, &fence);
	if (ret)
		return ret;
	assert_int_equal(kr_fence_wait(fence, kr_deadline_in(KR_NSEC_PER_SEC)), 0);
	kr_fd_close(&fence);
	return 0;
}

/* Five and six bits a channel, repeated as X expands them. */
uint32_t
x_pattern(uint32_t x, uint32_t y, uint32_t seed)
{
	uint32_t r = (x + seed) & 0x1f, g = (y * 3 + seed) & 0x3f, b = (x * 7 + y + seed) & 0x1f;

	return (r << 3 | r >> 2) << 16 | (g << 2 | g >> 4) << 8 | (b << 3 | b >> 2);
}

void
x_fill(struct x_buffer *buffer, uint32_t seed)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer->buffer);
	void *data;

	assert_int_equal(kr_buffer_map(buffer->buffer, &data), 0);
	memset(data, 0x55, info->size);
	for (uint32_t y = 0; y < info->desc.height; y++) {
		for (uint32_t x = 0; x < info->desc.width; x++)
			picture_pixel((char *)data + (size_t)y * info->row_bytes, x,
				info->desc.format, 0x80, x_pattern(x, y, seed));
	}
}

int
x_rig_queue(struct x_rig *rig, struct x_buffer *buffer, int take_fence)
{
	return kr_queue_queue(rig->queue, buffer->slot, &rig->input, take_fence, NULL);
}

int
x_rig_frame(struct x_rig *rig, uint32_t format, uint32_t seed)
{
	struct x_buffer buffer;
	int ret = x_rig_dequeue(rig, rig->width, rig->height, format, 5 * KR_NSEC_PER_SEC, &buffer);

	if (ret)
		return ret;
	x_fill(&buffer, seed);
	return x_rig_queue(rig, &buffer, -1);
}

void
x_rig_settle(struct x_rig *rig)
{
	struct x_buffer buffers[2];

	/* Two can be held at a time; whoever gives these gives the oldest first. */
	for (int i = 0; i < 2; i++)
		assert_int_equal(x_rig_dequeue(rig, rig->width, rig->height, 0, 5 * KR_NSEC_PER_SEC,
					 &buffers[i]),
			0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(kr_queue_cancel(rig->queue, buffers[i].slot, -1), 0);
}

int
x_rig_shows(struct x_rig *rig, uint32_t seed)
{
	xcb_get_image_reply_t *image = xcb_get_image_reply(rig->app,
		xcb_get_image(rig->app, XCB_IMAGE_FORMAT_Z_PIXMAP, rig->window, 0, 0, rig->width,
			rig->height, ~0u),
		NULL);
	const uint32_t *pixels;
	int same = 1;

	assert_non_null(image);
	pixels = (const uint32_t *)(const void *)xcb_get_image_data(image);
	for (uint32_t y = 0; y < rig->height; y++) {
		for (uint32_t x = 0; x < rig->width; x++)
			same &= (pixels[y * rig->width + x] & 0xffffff) == x_pattern(x, y, seed);
	}
	free(image);
	return same;
}

void
x_rig_expect(struct x_rig *rig, uint32_t seed)
{
	/* A frame for the next blank is there within a few of them. */
	for (int i = 0; i < 3000 && !x_rig_shows(rig, seed); i++)
		usleep(5000);
	if (x_rig_shows(rig, seed))
		return;
	for (uint32_t other = 0; other < 64; other++) {
		if (x_rig_shows(rig, other))
			fail_msg("the window shows frame %u, not frame %u", other, seed);
	}
	fail_msg("the window doesn't show frame %u, nor another", seed);
}

int
x_rig_server_maps(const struct x_rig *rig, uint64_t inode)
{
	char path[64], line[512];
	int found = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", rig->server.pid);
	maps = fopen(path, "re");
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long long ino = 0;

		if (sscanf(line, "%*s %*s %*s %*s %llu", &ino) == 1 && ino == inode)
			found++;
	}
	fclose(maps);
	return found;
}
