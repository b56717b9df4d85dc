/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child that shows frames: in a pbuffer that is read back (what no window can be faster than),
 * in an Android window whose frames another thread takes in, and in a window of X.
 */
#include "bench/bench.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <krafla/window.h>
#include "bench/egl/child.h"

#define WARM_UP  20
#define LIMIT_MS 2000

struct swaps {
	struct egl_child child;
	struct egl_place place;
	unsigned frames;
	void *pixels; /* NULL: frames are swapped, not read back */
	/* an Android window's other end */
	struct krafla_reader *reader;
	ANativeWindow *window;
	pthread_t thread;
	atomic_bool end;
	/* a window of X */
	xcb_connection_t *x;
	xcb_window_t x_window;
};

/* Takes in each frame when it is drawn, and looks at it no longer. */
static void *
consume(void *data)
{
	struct swaps *s = data;
	struct pollfd p = {.fd = krafla_reader_get_fd(s->reader), .events = POLLIN};

	while (!atomic_load(&s->end)) {
		struct krafla_image image;

		if (krafla_reader_acquire_next(s->reader, &image)) {
			poll(&p, 1, 10);
			continue;
		}
		if (image.acquire_fence >= 0) {
			struct pollfd drawn = {.fd = image.acquire_fence, .events = POLLIN};

			poll(&drawn, 1, LIMIT_MS);
			close(image.acquire_fence);
		}
		krafla_reader_release(s->reader, &image, -1);
	}
	return NULL;
}

static int
open_android(struct swaps *s)
{
	const struct krafla_reader_config config = {.size = sizeof(config),
		.width = s->place.width,
		.height = s->place.height,
		.max_images = 2};

	if (krafla_reader_open(&config, &s->reader) ||
		krafla_reader_get_window(s->reader, &s->window) ||
		pthread_create(&s->thread, NULL, consume, s))
		return 1;
	s->place.platform = EGL_PLATFORM_ANDROID_KHR;
	s->place.window = s->window;
	return 0;
}

static int
open_x(struct swaps *s)
{
	xcb_screen_t *screen;

	s->x = xcb_connect(NULL, NULL);
	if (xcb_connection_has_error(s->x))
		return 1;
	screen = xcb_setup_roots_iterator(xcb_get_setup(s->x)).data;
	s->x_window = xcb_generate_id(s->x);
	xcb_create_window(s->x, XCB_COPY_FROM_PARENT, s->x_window, screen->root, 0, 0,
		(uint16_t)s->place.width, (uint16_t)s->place.height, 0,
		XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, NULL);
	xcb_map_window(s->x, s->x_window);
	xcb_flush(s->x);
	s->place.platform = EGL_PLATFORM_XCB_EXT;
	s->place.native = s->x;
	s->place.window = &s->x_window;
	return 0;
}

static int
open_offscreen(struct swaps *s)
{
	s->pixels = malloc((size_t)s->place.width * s->place.height * 4);
	return !s->pixels;
}

static int
frame(struct swaps *s, unsigned number)
{
	struct egl_child *child = &s->child;

	egl_child_draw(child, 0, number);
	if (s->pixels) {
		child->gl_ReadPixels(0, 0, (int)child->width, (int)child->height, BENCH_GL_RGBA,
			BENCH_GL_BYTE, s->pixels);
		return 0;
	}
	return !child->egl_SwapBuffers(child->display, child->surface);
}

static int
run(struct swaps *s)
{
	int64_t start = 0;

	s->child.egl_SwapInterval(s->child.display, 0);
	for (unsigned i = 0; i < WARM_UP + s->frames; i++) {
		if (i == WARM_UP)
			start = kr_bench_now();
		if (frame(s, i)) {
			fprintf(stderr, "krafla-bench: eglSwapBuffers: error %#x\n",
				(unsigned)s->child.egl_GetError());
			return 1;
		}
	}
	printf("%.3f", (double)(kr_bench_now() - start) / 1000 / s->frames);
	return 0;
}

static void
close_all(struct swaps *s)
{
	if (s->window) {
		atomic_store(&s->end, true);
		pthread_join(s->thread, NULL);
		ANativeWindow_release(s->window);
	}
	krafla_reader_close(s->reader);
	if (s->x)
		xcb_disconnect(s->x);
	free(s->pixels);
}

/* egl-swaps offscreen|android|x11 WIDTH HEIGHT FRAMES: prints us a frame. */
int
kr_bench_child_egl_swaps(int argc, char **argv)
{
	struct swaps s = {0};
	int ret;

	if (argc < 4)
		return 2;
	s.place.width = (unsigned)atoi(argv[1]);
	s.place.height = (unsigned)atoi(argv[2]);
	s.frames = (unsigned)atoi(argv[3]);
	ret = !strcmp(argv[0], "android") ? open_android(&s)
		: !strcmp(argv[0], "x11") ? open_x(&s)
					  : open_offscreen(&s);
	if (!ret && !egl_child_open(&s.child, &s.place)) {
		ret = run(&s);
		egl_child_close(&s.child);
	} else {
		ret = 1;
	}
	close_all(&s);
	return ret;
}
