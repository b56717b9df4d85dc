/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that change behind the driver's back, by the CPU, as their usage allows (W-13). */
#include "check/native/native.h"

#include <krafla/hardware_buffer.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "util/clock.h"

#define SIDE 64 /* native_buffer's */

static const float blue[4] = {0.0f, 0.0f, 1.0f, 1.0f};
#define BLUE   UINT32_C(0xFFFF0000) /* as it lies in memory, read as a number */
#define YELLOW UINT32_C(0xFF00FFFF)

/* What a program without Vulkan does, or another one's. The rectangle ends before x2, y2. */
static void
write_pixels(struct check *c, const struct check_image *image, uint32_t x1, uint32_t y1,
	uint32_t x2, uint32_t y2, uint32_t pixel)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(image->buffer);
	void *data;

	if (kr_buffer_lock(image->buffer, KR_DMA_BUF_WRITE,
		    kr_deadline_in(5 * (uint64_t)KR_NSEC_PER_SEC), &data))
		check_skip(c, "the buffer can't be mapped");
	for (uint32_t y = y1; y < y2; y++) {
		for (uint32_t x = x1; x < x2; x++)
			memcpy((char *)data + (size_t)y * info->row_bytes + x * sizeof(pixel),
				&pixel, sizeof(pixel));
	}
	(void)!kr_buffer_unlock(image->buffer);
}

static void
expect(struct check *c, const uint32_t *pixels, uint32_t x, uint32_t y, uint32_t due)
{
	uint32_t is = pixels[y * SIDE + x];

	CHECK(c, is == due, "the image has 0x%08x at %u,%u, where 0x%08x lies in the buffer", is, x,
		y, due);
}

static void
draw_blue(struct check *c, struct native_scene *scene)
{
	VkNativeBufferANDROID native;
	VkImageCreateInfo info;

	check_make_device(c, NULL, &scene->device);
	scene->image = native_buffer(c, &scene->device, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN);
	native = check_native_buffer(scene->image.buffer, NULL);
	info = check_image_info(NULL, &native);
	CHECK_SUCCESS(c, vkCreateImage, scene->device.device, &info, NULL, &scene->image.image);
	native_draw(c, &scene->device, &scene->image, blue);
}

static void
all_is_seen(struct check *c)
{
	static uint32_t pixels[SIDE * SIDE];
	struct native_scene scene;

	draw_blue(c, &scene);
	write_pixels(c, &scene.image, 0, 0, SIDE, SIDE, YELLOW);
	native_acquire(c, &scene, -1, VK_NULL_HANDLE, VK_NULL_HANDLE);
	native_read(c, &scene.device, &scene.image, VK_NULL_HANDLE, pixels);
	for (uint32_t y = 0; y < SIDE; y++) {
		for (uint32_t x = 0; x < SIDE; x++)
			expect(c, pixels, x, y, YELLOW);
	}
}

static void
one_pixel_is_seen(struct check *c)
{
	static uint32_t pixels[SIDE * SIDE];
	struct native_scene scene;
	uint32_t at_x = 1 + (uint32_t)(check_random(c) % (SIDE - 1));
	uint32_t at_y = 1 + (uint32_t)(check_random(c) % (SIDE - 1));

	draw_blue(c, &scene);
	write_pixels(c, &scene.image, at_x, at_y, at_x + 1, at_y + 1, YELLOW);
	native_acquire(c, &scene, -1, VK_NULL_HANDLE, VK_NULL_HANDLE);
	native_read(c, &scene.device, &scene.image, VK_NULL_HANDLE, pixels);
	for (uint32_t y = 0; y < SIDE; y++) {
		for (uint32_t x = 0; x < SIDE; x++)
			expect(c, pixels, x, y, x == at_x && y == at_y ? YELLOW : BLUE);
	}
}

/* And it isn't lost by the next release. */
static void
change_stays(struct check *c)
{
	static const float yellow[4] = {1.0f, 1.0f, 0.0f, 1.0f};
	struct native_scene scene;

	draw_blue(c, &scene);
	write_pixels(c, &scene.image, 0, 0, SIDE, SIDE, YELLOW);
	native_acquire(c, &scene, -1, VK_NULL_HANDLE, VK_NULL_HANDLE);
	native_give_back(c, &scene.device, &scene.image);
	check_pixels(c, &scene.image, yellow);
}

struct writer {
	struct check *check;
	const struct check_image *image;
	struct check_timeline *timeline;
};

static void *
write_and_signal(void *data)
{
	const struct writer *writer = data;

	usleep(NATIVE_LATE_MS * 1000);
	write_pixels(writer->check, writer->image, 0, 0, SIDE, SIDE, YELLOW);
	check_signal(writer->check, writer->timeline, 1);
	return NULL;
}

/* The buffer is somebody else's until the fence signals, and may change until then. */
static void
before_its_fence(struct check *c)
{
	static uint32_t pixels[SIDE * SIDE];
	struct native_scene scene;
	struct native_fence given;
	struct writer writer = {.check = c, .image = &scene.image};
	VkSemaphore semaphore;
	pthread_t thread;

	draw_blue(c, &scene);
	semaphore = native_semaphore(c, &scene.device);
	given = native_fence_make(c);
	writer.timeline = given.timeline;
	if (pthread_create(&thread, NULL, write_and_signal, &writer))
		check_skip(c, "no thread could be started");
	native_acquire(c, &scene, given.fd, semaphore, VK_NULL_HANDLE);
	native_read(c, &scene.device, &scene.image, semaphore, pixels);
	pthread_join(thread, NULL);
	for (uint32_t y = 0; y < SIDE; y++) {
		for (uint32_t x = 0; x < SIDE; x++)
			expect(c, pixels, x, y, YELLOW);
	}
}

#define CONSEQUENCE "programs that read what others drew into a buffer see an old picture"

static const struct check_case rows[] = {
	{
		.name = "outside.all_is_seen",
		.requirement = "W-13",
		.expected =
			"what the CPU wrote to the buffer after a release is in the image after the next acquire",
		.consequence = CONSEQUENCE,
		.run = all_is_seen,
	},
	{
		.name = "outside.one_pixel_is_seen",
		.requirement = "W-13",
		.expected =
			"where the CPU wrote one pixel the image has that one new, and the others as they were",
		.consequence = CONSEQUENCE,
		.run = one_pixel_is_seen,
	},
	{
		.name = "outside.change_stays",
		.requirement = "W-13",
		.expected =
			"what the CPU wrote to the buffer is still there after a frame without drawing",
		.consequence = "what another program drew flashes up and is gone",
		.run = change_stays,
	},
	{
		.name = "outside.before_its_fence_is_seen",
		.requirement = "W-13 W-07",
		.expected =
			"what the CPU wrote to the buffer between an acquire and the end of its fence is in the image",
		.consequence = CONSEQUENCE,
		.run = before_its_fence,
	},
};

const struct check_rows check_native_outside = CHECK_ROWS(rows);
