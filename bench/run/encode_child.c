/* SPDX-License-Identifier: Apache-2.0 */
/* What the PNG encoder of captures takes for a picture of the program that is timed. */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <krafla/native_window.h>

#include "bench/run/flight.h"
#include "tools/run/capture/format.h"

#define PICTURE_NUMBER 40
#define LEVEL          1 /* krafla run's without --compress */

/* A frame's bytes, R, G, B and A; NULL with a message. */
static void *
draw(const char *loader, VkExtent2D extent)
{
	size_t size = (size_t)extent.width * extent.height * 4;
	int fd = memfd_create("picture", MFD_CLOEXEC);
	struct triangle t = {.extent = extent};
	struct flights flights = {0};
	struct vulkan_child vk;
	void *pixels;

	if (fd < 0 || vulkan_child_open(&vk, loader) || vulkan_child_device(&vk, NULL) ||
		triangle_create_offscreen(&t, &vk) || flights_create(&flights, &t, 1, fd) ||
		flights_frame(&flights, PICTURE_NUMBER) || flights_drain(&flights))
		return NULL;
	flights_destroy(&flights);
	triangle_destroy(&t);
	vulkan_child_close(&vk);
	pixels = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	close(fd);
	return pixels == MAP_FAILED ? NULL : pixels;
}

static double
thread_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* encode LOADER WIDTH HEIGHT COUNT: prints us of processor time a picture. */
int
kr_bench_child_encode(int argc, char **argv)
{
	const struct kr_capture_settings settings = {.level = LEVEL};
	struct kr_capture_picture picture = {0};
	unsigned count = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	struct kr_capture_buffer file = {0};
	double start;

	if (!count)
		return 2;
	picture.dataspace = HAL_DATASPACE_SRGB;
	picture.width = (uint32_t)atoi(argv[1]);
	picture.height = (uint32_t)atoi(argv[2]);
	picture.pixels = draw(argv[0], (VkExtent2D){picture.width, picture.height});
	if (!picture.pixels)
		return 1;
	start = thread_us();
	for (unsigned i = 0; i < count; i++) {
		file.size = 0;
		if (kr_capture_png.encode(&settings, &picture, true, &file))
			return 1;
	}
	printf("%.2f", (thread_us() - start) / count);
	kr_capture_buffer_finish(&file);
	return 0;
}
