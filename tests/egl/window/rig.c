/* SPDX-License-Identifier: Apache-2.0 */
#include "rig.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"

#define WIDTH  40
#define HEIGHT 30

void
rig_open(struct rig *rig, enum fake_config config, unsigned max_images)
{
	const struct krafla_reader_config reader = {
		.size = sizeof(reader),
		.width = WIDTH,
		.height = HEIGHT,
		.max_images = max_images,
	};

	*rig = (struct rig){.display = fake_display()};
	assert_int_equal(krafla_reader_open(&reader, &rig->reader), 0);
	assert_int_equal(krafla_reader_get_window(rig->reader, &rig->window), 0);
	rig->context = fake_context(config);
	rig->surface = kr_egl_surface_create(rig->display, fake_config(config), rig->window, NULL);
	assert_int_equal(fake_error(), EGL_SUCCESS);
	assert_non_null(rig->surface);
	assert_true(fake_current(rig->display, rig->surface, rig->context));
}

void
rig_close(struct rig *rig)
{
	if (rig->context) {
		assert_true(fake_current(rig->display, EGL_NO_SURFACE, EGL_NO_CONTEXT));
		fake_context_destroy(rig->context);
	}
	fake_end(rig->display);
	ANativeWindow_release(rig->window);
	krafla_reader_close(rig->reader);
}

EGLBoolean
rig_show(struct rig *rig, unsigned picture)
{
	fake_paint(picture);
	return kr_egl_surface_swap(rig->display, rig->surface, NULL, 0);
}

void
rig_take(struct rig *rig, struct krafla_image *image)
{
	struct pollfd ready = {.fd = krafla_reader_get_fd(rig->reader), .events = POLLIN};
	int err = krafla_reader_acquire_next(rig->reader, image);

	if (err == -EAGAIN) {
		assert_int_equal(poll(&ready, 1, 10000), 1);
		err = krafla_reader_acquire_next(rig->reader, image);
	}
	assert_int_equal(err, 0);
}

static uint32_t
expected(uint32_t format, unsigned picture, uint32_t x, uint32_t y)
{
	uint32_t p = fake_pixel(picture, x, y), r = p & 0xff, g = p >> 8 & 0xff, b = p >> 16 & 0xff;

	switch (format) {
	case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
		return r >> 3 << 11 | g >> 2 << 5 | b >> 3;
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		return r << 2 | g << 12 | b << 22 | p >> 30 << 30;
	case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT: /* the first two halves */
		return (0x3000 + r) | (0x3000 + g) << 16;
	default:
		return p;
	}
}

static void
expect(struct krafla_image *image, const unsigned *pictures, unsigned step)
{
	AHardwareBuffer_Desc desc;
	int32_t pixel_bytes, row_bytes;
	void *data;

	assert_int_equal(
		kr_fence_wait(image->acquire_fence, kr_clock_now() + 10 * KR_NSEC_PER_SEC), 0);
	AHardwareBuffer_describe(image->buffer, &desc);
	assert_int_equal(
		AHardwareBuffer_lockAndGetInfo(image->buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
			-1, NULL, &data, &pixel_bytes, &row_bytes),
		0);
	for (uint32_t y = 0; y < desc.height; y++) {
		for (uint32_t x = 0; x < desc.width; x++) {
			uint32_t value = 0;

			memcpy(&value,
				(uint8_t *)data + y * (uint32_t)row_bytes +
					x * (uint32_t)pixel_bytes,
				pixel_bytes == 2 ? 2 : 4);
			assert_int_equal(value, expected(desc.format, pictures[y * step], x, y));
		}
	}
	assert_int_equal(AHardwareBuffer_unlock(image->buffer, NULL), 0);
}

void
rig_expect(struct rig *rig, struct krafla_image *image, unsigned picture)
{
	expect(image, &picture, 0);
}

void
rig_expect_rows(struct rig *rig, struct krafla_image *image, const unsigned *pictures)
{
	expect(image, pictures, 1);
}

void
rig_give_back(struct rig *rig, struct krafla_image *image, int take_fence)
{
	kr_fd_close(&image->acquire_fence);
	assert_int_equal(krafla_reader_release(rig->reader, image, take_fence), 0);
}

void
rig_see(struct rig *rig, unsigned picture)
{
	struct krafla_image image;

	rig_take(rig, &image);
	rig_expect(rig, &image, picture);
	rig_give_back(rig, &image, -1);
}

EGLint
rig_query(struct rig *rig, EGLint attribute)
{
	EGLint value = -77;

	assert_true(kr_egl_surface_query(rig->display, rig->surface, attribute, &value));
	assert_int_equal(fake_error(), EGL_SUCCESS);
	return value;
}
