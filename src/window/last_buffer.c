/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer that was queued last, and how it is to be sampled. */
#include <errno.h>
#include <string.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "util/fd.h"
#include "window/state.h"

/* Column by column, as OpenGL has them. */
struct matrix {
	float m[16];
};

static const struct matrix identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
/* Of texture coordinates, which go from 0 to 1. */
static const struct matrix flip_h = {{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1}};
static const struct matrix flip_v = {{1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1}};
static const struct matrix rot_90 = {{0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1}};

static struct matrix
multiply(const struct matrix *a, const struct matrix *b)
{
	struct matrix product;

	for (unsigned column = 0; column < 4; column++) {
		for (unsigned row = 0; row < 4; row++) {
			float sum = 0;

			for (unsigned i = 0; i < 4; i++)
				sum += a->m[i * 4 + row] * b->m[column * 4 + i];
			product.m[column * 4 + row] = sum;
		}
	}
	return product;
}

/*
 * Half a texel less on each side that the crop has cut, so that filtering doesn't reach beyond it;
 * a whole one of YCbCr, whose chroma has half the texels.
 */
static float
shrink_of(uint32_t format)
{
	return format == AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420 ||
			format == AHARDWAREBUFFER_FORMAT_YCbCr_P010
		? 1.0f
		: 0.5f;
}

/* Where a cut of [from, to) out of `whole` begins, and how long it is, of 1. */
static void
cut(float from, float to, float whole, float shrink, float *begin, float *length)
{
	*begin = 0;
	*length = 1;
	if (to - from >= whole)
		return;
	*begin = (from + shrink) / whole;
	*length = (to - from - 2 * shrink) / whole;
}

static struct matrix
crop_matrix(const struct kr_buffer_desc *desc, const android_native_rect_t *crop)
{
	struct matrix matrix = identity;
	float shrink = shrink_of(desc->format);

	if (crop->left == crop->right)
		return matrix;
	cut((float)crop->left, (float)crop->right, (float)desc->width, shrink, &matrix.m[12],
		&matrix.m[0]);
	/* Rows count from below. */
	cut((float)desc->height - (float)crop->bottom, (float)desc->height - (float)crop->top,
		(float)desc->height, shrink, &matrix.m[13], &matrix.m[5]);
	return matrix;
}

/*
 * From what is seen, origin bottom left, to where it lies in the buffer: turned, then cut out, then
 * turned over, because a buffer begins with its top row.
 */
static struct matrix
texture_matrix(const struct kr_queue_last_frame *frame)
{
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(frame->buffer)->desc;
	struct matrix matrix = identity, crop = crop_matrix(desc, &frame->crop);

	if (frame->transform & NATIVE_WINDOW_TRANSFORM_FLIP_H)
		matrix = multiply(&matrix, &flip_h);
	if (frame->transform & NATIVE_WINDOW_TRANSFORM_FLIP_V)
		matrix = multiply(&matrix, &flip_v);
	if (frame->transform & NATIVE_WINDOW_TRANSFORM_ROT_90)
		matrix = multiply(&matrix, &rot_90);
	matrix = multiply(&crop, &matrix);
	return multiply(&flip_v, &matrix);
}

/* The buffer, with a reference, and its fence: the caller's. */
static int
get(struct kr_window *window, AHardwareBuffer **buffer, int *fence,
	struct kr_queue_last_frame *frame)
{
	int err;

	if (!buffer || !fence)
		return -EINVAL;
	err = kr_queue_last_queued(window->queue, frame);
	if (err)
		return err == -EOPNOTSUPP ? -ENOSYS : err;
	*buffer = frame->buffer ? (AHardwareBuffer *)(void *)kr_buffer_native(frame->buffer) : NULL;
	*fence = frame->buffer ? frame->fence : -1;
	if (!frame->buffer)
		kr_fd_close(&frame->fence);
	return 0;
}

int
kr_window_perform_last(struct kr_window *window, int operation, va_list args)
{
	AHardwareBuffer **buffer = va_arg(args, AHardwareBuffer **);
	int *fence = va_arg(args, int *);
	struct kr_queue_last_frame frame;
	struct matrix matrix = identity;
	int err;

	if (operation == NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER) {
		float *to = va_arg(args, float *);

		err = to ? get(window, buffer, fence, &frame) : -EINVAL;
		if (!err && frame.buffer)
			matrix = texture_matrix(&frame);
		if (!err)
			memcpy(to, matrix.m, sizeof(matrix.m));
	} else {
		ARect *crop = va_arg(args, ARect *);
		uint32_t *transform = va_arg(args, uint32_t *);

		err = crop && transform ? get(window, buffer, fence, &frame) : -EINVAL;
		if (!err) {
			*crop = (ARect){frame.crop.left, frame.crop.top, frame.crop.right,
				frame.crop.bottom};
			*transform = (uint32_t)frame.transform;
		}
	}
	return err;
}
