/* SPDX-License-Identifier: Apache-2.0 */
#include "egl/window/transfer.h"

#include <krafla/hardware_buffer.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "gralloc/copies.h"
#include "util/log.h"

/* A frame, and the memory of its buffer while the CPU has it. */
struct picture {
	ANativeWindowBuffer *buffer;
	uint32_t width;
	uint32_t height;
	struct kr_egl_rows rows;
	uint8_t *data;
};

EGLint
kr_egl_transfer_init(struct kr_egl_transfer *transfer, struct kr_egl_display *display,
	EGLConfig config, const struct kr_egl_format *format)
{
	EGLint error = kr_egl_pixels_init(&transfer->pixels, display->vendor, format);

	if (error != EGL_SUCCESS)
		return error;
	transfer->way = kr_egl_blit_init(&transfer->blit, display, config) ? KR_EGL_TRANSFER_UNTRIED
									   : KR_EGL_TRANSFER_READ;
	return EGL_SUCCESS;
}

void
kr_egl_transfer_finish(struct kr_egl_transfer *transfer)
{
	kr_egl_blit_finish(&transfer->blit);
	kr_egl_pixels_finish(&transfer->pixels);
}

static EGLint
begin_cpu(struct picture *picture)
{
	void *data;
	int err = kr_buffer_functions_of(picture->buffer)
			  ->lock(picture->buffer, KR_DMA_BUF_WRITE,
				  kr_deadline_in(KR_EGL_RELEASE_LIMIT_NS), &data);

	if (!err) {
		picture->data = data;
		return EGL_SUCCESS;
	}
	kr_error("eglSwapBuffers: the window's buffer can't be written (%s)", strerror(-err));
	return EGL_BAD_NATIVE_WINDOW;
}

static void
end_cpu(struct picture *picture)
{
	(void)kr_buffer_functions_of(picture->buffer)->unlock(picture->buffer);
}

static EGLint
read_pixels(struct kr_egl_transfer *transfer, struct picture *picture)
{
	EGLint error = begin_cpu(picture);

	if (error != EGL_SUCCESS)
		return error;
	error = kr_egl_pixels_read(&transfer->pixels, picture->width, picture->height,
		picture->rows, picture->data, (uint32_t)picture->buffer->stride);
	end_cpu(picture);
	return error;
}

/* Padding may be anything. */
static bool
same_row(const struct kr_egl_format *format, const uint8_t *a, const uint8_t *b, uint32_t width)
{
	const size_t bytes = format->pixel_bytes;

	if (format->hal != AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM)
		return !memcmp(a, b, width * bytes);
	for (uint32_t x = 0; x < width; x++) {
		if (memcmp(a + x * bytes, b + x * bytes, 3))
			return false;
	}
	return true;
}

/* Whether the buffer holds what was read; it does then. */
static bool
compare(struct kr_egl_transfer *transfer, struct picture *picture, const uint8_t *read)
{
	const struct kr_egl_format *format = transfer->pixels.format;
	const size_t to_row = (size_t)picture->buffer->stride * format->pixel_bytes;
	const size_t from_row = (size_t)picture->width * format->pixel_bytes;
	bool same = true;

	for (uint32_t y = 0; y < picture->height; y++) {
		uint8_t *to = picture->data + y * to_row;

		same = same && same_row(format, to, read + y * from_row, picture->width);
		memcpy(to, read + y * from_row, from_row);
	}
	return same;
}

static bool
blit(struct kr_egl_transfer *transfer, const struct picture *picture)
{
	return kr_egl_blit_copy(&transfer->blit, picture->buffer, (EGLint)picture->width,
		(EGLint)picture->height, picture->rows);
}

/* Both ways; the first blit made what the later ones find made, so the second is timed. */
static EGLint
try_both(struct kr_egl_transfer *transfer, struct picture *picture, void *read)
{
	int64_t begin_ns, blit_ns, read_ns;
	EGLint error;
	bool same;

	begin_ns = kr_clock_now();
	same = blit(transfer, picture);
	blit_ns = kr_clock_now() - begin_ns;
	error = kr_egl_pixels_read(&transfer->pixels, picture->width, picture->height,
		picture->rows, read, picture->width);
	read_ns = kr_clock_now() - begin_ns - blit_ns;
	if (error == EGL_SUCCESS)
		error = begin_cpu(picture);
	if (error != EGL_SUCCESS)
		return error;
	same = compare(transfer, picture, read) && same;
	end_cpu(picture);
	transfer->way = same && blit_ns <= read_ns ? KR_EGL_TRANSFER_BLIT : KR_EGL_TRANSFER_READ;
	kr_info("EGL: frames are %s: the GPU's copy %s, and took %lld us, reading %lld us",
		transfer->way == KR_EGL_TRANSFER_BLIT ? "copied by the GPU" : "read",
		same ? "is the same" : "isn't the same", (long long)(blit_ns / 1000),
		(long long)(read_ns / 1000));
	return EGL_SUCCESS;
}

static EGLint
try_blit(struct kr_egl_transfer *transfer, struct picture *picture)
{
	void *read = NULL;
	EGLint error;

	transfer->way = KR_EGL_TRANSFER_READ;
	picture->rows = (struct kr_egl_rows){0, (EGLint)picture->height};
	if (blit(transfer, picture))
		read = malloc((size_t)picture->width * picture->height *
			transfer->pixels.format->pixel_bytes);
	if (!read)
		return read_pixels(transfer, picture);
	error = try_both(transfer, picture, read);
	free(read);
	return error;
}

EGLint
kr_egl_transfer_run(struct kr_egl_transfer *transfer, ANativeWindowBuffer *buffer, EGLint width,
	EGLint height, struct kr_egl_rows rows)
{
	struct picture picture = {buffer, (uint32_t)width, (uint32_t)height, rows, NULL};

	if (transfer->way == KR_EGL_TRANSFER_UNTRIED)
		return try_blit(transfer, &picture);
	if (transfer->way == KR_EGL_TRANSFER_BLIT && blit(transfer, &picture))
		return EGL_SUCCESS;
	return read_pixels(transfer, &picture);
}
