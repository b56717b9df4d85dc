/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose window has a size of its own and whose frames differ, drawn by the CPU on the
 * display of KRAFLA_DISPLAY.
 *
 * painter WIDTH HEIGHT FRAMES SEED
 */
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <krafla/window.h>
#include <stdlib.h>

static int
paint(ANativeWindow *window, unsigned seed)
{
	AHardwareBuffer_Desc desc;
	AHardwareBuffer *pixels;
	ANativeWindowBuffer *buffer;
	uint32_t *at;
	int fence, err = ANativeWindow_dequeueBuffer(window, &buffer, &fence);

	if (err)
		return err;
	pixels = ANativeWindowBuffer_getHardwareBuffer(buffer);
	err = AHardwareBuffer_lock(
		pixels, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, fence, NULL, (void **)&at);
	if (err)
		return err;
	AHardwareBuffer_describe(pixels, &desc);
	for (uint32_t y = 0; y < desc.height; y++) {
		for (uint32_t x = 0; x < desc.width; x++)
			at[y * desc.stride + x] = 0xff000000 | (x * 7 + seed * 29) % 256 |
				(y * 5 + seed * 13) % 256 << 8 | seed % 256 << 16;
	}
	AHardwareBuffer_unlock(pixels, NULL);
	return ANativeWindow_queueBuffer(window, buffer, -1);
}

int
main(int argc, char **argv)
{
	ANativeWindow *window;
	int err = 0;

	if (argc != 5)
		return 2;
	if (krafla_window_open(
		    NULL, "painter", (uint32_t)atoi(argv[1]), (uint32_t)atoi(argv[2]), &window))
		return 1;
	window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_CPU);
	ANativeWindow_setUsage(window, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN);
	for (int i = 0; i < atoi(argv[3]) && !err; i++)
		err = paint(window, (unsigned)(atoi(argv[4]) + i));
	ANativeWindow_release(window);
	return err ? 1 : 0;
}
