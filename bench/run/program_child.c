/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program whose frames are timed: it draws triangles for a while, with frames in flight, and
 * shows them or doesn't.
 */
#include "bench/bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/run/flight.h"
#include "bench/surface_child.h"

#define WARM_UP 30

struct program {
	struct vulkan_child vk;
	struct surface_child surface;
	struct triangle t;
	struct flights flights;
};

static int
open_program(struct program *program, const char *loader, const char *where, unsigned in_flight)
{
	bool readback = !strcmp(where, "readback"), offscreen = !strcmp(where, "offscreen");
	struct triangle *t = &program->t;
	VkPresentModeKHR mode;
	int ret;

	if (readback || offscreen)
		ret = vulkan_child_open(&program->vk, loader) ||
			vulkan_child_device(&program->vk, NULL) ||
			triangle_create_offscreen(t, &program->vk);
	else
		ret = surface_child_open(&program->surface, &program->vk, loader,
			      !strcmp(where, "xcb"), t->extent) ||
			triangle_create(t, &program->vk, program->surface.handle, &mode);
	return ret ? ret
		   : flights_create(&program->flights, t, in_flight,
			     readback ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1);
}

static void
close_program(struct program *program)
{
	bool presents = program->t.swapchain;

	flights_destroy(&program->flights);
	triangle_destroy(&program->t);
	if (presents)
		surface_child_close(&program->surface, &program->vk);
	else
		vulkan_child_close(&program->vk);
}

/* Of this process, in microseconds. */
static double
processor_us(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
		(double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Tells that all is warm, and waits until standard input ends. */
static int
wait_for_start(int results)
{
	char word[16];
	ssize_t n;

	if (write(results, "r", 1) != 1)
		return 1;
	do {
		n = read(STDIN_FILENO, word, sizeof(word));
	} while (n > 0);
	return n < 0;
}

static int
run(struct program *program, double seconds, int results)
{
	VkPhysicalDeviceProperties gpu;
	unsigned number = 0, count = 0;
	int64_t start, spent;
	double processor;

	for (; number < WARM_UP; number++) {
		if (flights_frame(&program->flights, number))
			return 1;
	}
	if (flights_drain(&program->flights) ||
		(results != STDOUT_FILENO && wait_for_start(results)))
		return 1;
	processor = processor_us();
	start = kr_bench_now();
	do {
		if (flights_frame(&program->flights, number++))
			return 1;
		count++;
	} while ((double)(kr_bench_now() - start) < seconds * 1e9);
	if (flights_drain(&program->flights))
		return 1;
	spent = kr_bench_now() - start;
	processor = processor_us() - processor;
	((PFN_vkGetPhysicalDeviceProperties)program->vk.gipa(
		program->vk.instance, "vkGetPhysicalDeviceProperties"))(program->vk.gpu, &gpu);
	dprintf(results, "%u %.4f %.4f %d %s\n", count, (double)spent / count / 1000,
		processor / count, gpu.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU, gpu.deviceName);
	return 0;
}

/*
 * program LOADER WIDTH HEIGHT SECONDS IN_FLIGHT headless|xcb|offscreen|readback [RESULTS]: prints
 * how many frames it made (without WARM_UP first ones), us a frame, us of its processor time a
 * frame, 1 for a GPU or 0, and the device's name. RESULTS: a file descriptor to which that goes
 * instead; then it writes a byte there when it is ready, and starts when standard input ends.
 */
int
kr_bench_child_program(int argc, char **argv)
{
	struct program program = {0};
	int ret;

	if (argc < 6 || atoi(argv[4]) < 1 || atoi(argv[4]) > FLIGHTS_MAX)
		return 2;
	program.t.extent.width = (uint32_t)atoi(argv[1]);
	program.t.extent.height = (uint32_t)atoi(argv[2]);
	if (open_program(&program, argv[0], argv[5], (unsigned)atoi(argv[4])))
		return 1;
	ret = run(&program, atof(argv[3]), argc > 6 ? atoi(argv[6]) : STDOUT_FILENO);
	close_program(&program);
	return ret;
}
