/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window without Vulkan: rings that run outwards, drawn by the CPU.
 *
 *   cc window.c -o window $(pkg-config --cflags --libs krafla) -lm
 *   krafla run --display 640x360 --clock virtual --frames 60 --capture %03d.png -- ./window
 *
 * What a swapchain does in libvulkan.so.1 is done here by hand: a buffer is dequeued together with
 * a fence, drawn into once that has signalled, and queued with a fence of one's own. Android
 * programs that draw into an ANativeWindow work in the same way.
 */
#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <krafla/window.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
check(const char *what, int result)
{
	if (result >= 0)
		return;
	fprintf(stderr, "window: %s: %s\n", what, strerror(-result));
	exit(1);
}

static void
draw(uint32_t *pixels, const AHardwareBuffer_Desc *desc, unsigned frame)
{
	for (uint32_t y = 0; y < desc->height; y++) {
		for (uint32_t x = 0; x < desc->width; x++) {
			float right = (float)x - (float)desc->width / 2;
			float down = (float)y - (float)desc->height / 2;
			float height =
				sinf(sqrtf(right * right + down * down) / 12 - (float)frame / 8);
			uint32_t light = (uint32_t)(127.5f + 127.5f * height);

			/* R, G, B, A in memory, that is from the lowest byte on. */
			pixels[y * desc->stride + x] =
				light | (light / 2 + 64) << 8 | 0x90 << 16 | 0xffu << 24;
		}
	}
}

/* One frame. A buffer that was dequeued is queued, or given back. */
static int
show_frame(ANativeWindow *window, unsigned frame)
{
	ANativeWindowBuffer *buffer;
	AHardwareBuffer *pixels;
	AHardwareBuffer_Desc desc;
	void *address;
	int fence, err;

	/* Waits while the display has all buffers: this is what paces the program. */
	err = ANativeWindow_dequeueBuffer(window, &buffer, &fence);
	if (err)
		return err;
	pixels = ANativeWindowBuffer_getHardwareBuffer(buffer);
	AHardwareBuffer_describe(pixels, &desc);
	/* The display may still read it: lock waits for the fence, and closes it. */
	err = AHardwareBuffer_lock(
		pixels, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, fence, NULL, &address);
	if (err) {
		ANativeWindow_cancelBuffer(window, buffer, -1);
		return err;
	}
	draw(address, &desc, frame);
	/* The fence that unlock gives, -1 for "ready now", goes along to who shows the buffer. */
	err = AHardwareBuffer_unlock(pixels, &fence);
	if (err) {
		ANativeWindow_cancelBuffer(window, buffer, -1);
		return err;
	}
	return ANativeWindow_queueBuffer(window, buffer, fence);
}

int
main(int argc, char **argv)
{
	char *end = NULL;
	long frames = argc == 2 ? strtol(argv[1], &end, 10) : 60;
	const char *display = getenv("KRAFLA_DISPLAY");
	ANativeWindow *window;
	int count, err = 0;

	if (argc > 2 || (end && *end) || frames < 1) {
		fprintf(stderr,
			"usage: window [FRAMES]    on the display that KRAFLA_DISPLAY names\n");
		return 2;
	}
	/* NULL: KRAFLA_DISPLAY, which `krafla run` sets. 0x0: as large as the display. */
	err = krafla_window_open(NULL, "rings", 0, 0, &window);
	if (!display || !*display)
		fprintf(stderr, "window: no display; start this with krafla run -- %s\n", argv[0]);
	check(display && *display ? display : "opening a window", err);
	check("connecting",
		window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_CPU));
	check("usage", ANativeWindow_setUsage(window, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN));
	check("format",
		ANativeWindow_setBuffersFormat(window, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM));
	/* One more than the display keeps, and one to draw ahead. */
	check("a count", ANativeWindow_query(window, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS, &count));
	check("buffers", ANativeWindow_setBufferCount(window, (size_t)count + 2));
	printf("window: %dx%d, %d buffers\n", ANativeWindow_getWidth(window),
		ANativeWindow_getHeight(window), count + 2);
	/* Who counts the frames (krafla run --frames) may end us with the last one. */
	fflush(stdout);
	for (long frame = 0; frame < frames && !err; frame++)
		err = show_frame(window, (unsigned)frame);
	ANativeWindow_release(window);
	check("showing a frame", err);
	return 0;
}
