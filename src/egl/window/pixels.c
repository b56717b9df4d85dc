/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cheapest way that the context has. GL's first row is the one at the bottom: where rows can't
 * be had in the other order (GL_ANGLE_pack_reverse_row_order) the GPU turns the picture over before
 * it is read (turn.h); where it can't either, or rows can't be had with room between them, they are
 * read into memory of ours and copied once more.
 *
 * Mesa's software renderers keep B, G, R, A, and say so (GL_IMPLEMENTATION_COLOR_READ_FORMAT):
 * reading that and swapping in place takes a third of the time that their own conversion takes.
 */
#include "egl/window/pixels.h"

#define GL_GLES_PROTOTYPES 0
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/pixels.h"
#include "util/log.h"
#include "util/macros.h"

/* Rows that are read and swapped at a time, so that they are in the cache still. */
#define BAND_BYTES 131072

struct kr_egl_gl {
	PFNGLGETERRORPROC GetError;
	PFNGLGETINTEGERVPROC GetIntegerv;
	PFNGLGETSTRINGPROC GetString;
	PFNGLPIXELSTOREIPROC PixelStorei;
	PFNGLREADPIXELSPROC ReadPixels;
};

static struct kr_egl_gl *
load_gl(struct kr_egl_vendor *vendor)
{
	struct kr_egl_gl *gl = calloc(1, sizeof(*gl));

	if (!gl)
		return NULL;
	gl->GetError = (PFNGLGETERRORPROC)kr_egl_vendor_function(vendor, "glGetError");
	gl->GetIntegerv = (PFNGLGETINTEGERVPROC)kr_egl_vendor_function(vendor, "glGetIntegerv");
	gl->GetString = (PFNGLGETSTRINGPROC)kr_egl_vendor_function(vendor, "glGetString");
	gl->PixelStorei = (PFNGLPIXELSTOREIPROC)kr_egl_vendor_function(vendor, "glPixelStorei");
	gl->ReadPixels = (PFNGLREADPIXELSPROC)kr_egl_vendor_function(vendor, "glReadPixels");
	if (gl->GetError && gl->GetIntegerv && gl->GetString && gl->PixelStorei && gl->ReadPixels)
		return gl;
	free(gl);
	return NULL;
}

/* Errors of earlier calls; a lost context would have them for ever. */
static void
forget_errors(const struct kr_egl_gl *gl)
{
	for (int i = 0; i < 16 && gl->GetError() != GL_NO_ERROR; i++)
		;
}

/* Whether the context reads so: one pixel is. */
static bool
try_reading(struct kr_egl_pixels *pixels, GLenum format, GLenum type)
{
	uint64_t pixel[2];

	forget_errors(pixels->gl);
	pixels->gl->ReadPixels(0, 0, 1, 1, format, type, pixel);
	if (pixels->gl->GetError() != GL_NO_ERROR)
		return false;
	pixels->gl_format = format;
	pixels->gl_type = type;
	return true;
}

static bool
can_store(const struct kr_egl_gl *gl, GLenum name, GLint value)
{
	forget_errors(gl);
	gl->PixelStorei(name, value);
	return gl->GetError() == GL_NO_ERROR;
}

static bool
choose_format(struct kr_egl_pixels *pixels)
{
	const struct kr_egl_format *format = pixels->format;
	GLint preferred = 0;

	pixels->after = KR_EGL_PIXELS_AS_READ;
	forget_errors(pixels->gl);
	pixels->gl->GetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, &preferred);
	if (format->gl_format == GL_RGBA && format->gl_type == GL_UNSIGNED_BYTE &&
		preferred == GL_BGRA_EXT && try_reading(pixels, GL_BGRA_EXT, GL_UNSIGNED_BYTE)) {
		pixels->after = KR_EGL_PIXELS_SWAP;
		return true;
	}
	if (try_reading(pixels, format->gl_format, format->gl_type))
		return true;
	/* OpenGL ES 2 has no other word for it. */
	if (format->gl_type == GL_HALF_FLOAT)
		return try_reading(pixels, GL_RGBA, GL_HALF_FLOAT_OES);
	if (format->gl_type != GL_UNSIGNED_SHORT_5_6_5)
		return false;
	pixels->after = KR_EGL_PIXELS_PACK_565;
	return try_reading(pixels, GL_RGBA, GL_UNSIGNED_BYTE);
}

EGLint
kr_egl_pixels_init(struct kr_egl_pixels *pixels, struct kr_egl_vendor *vendor,
	const struct kr_egl_format *format)
{
	*pixels = (struct kr_egl_pixels){.format = format, .gl = load_gl(vendor)};
	if (!pixels->gl)
		return EGL_BAD_ALLOC;
	pixels->gl->PixelStorei(GL_PACK_ALIGNMENT, 1);
	if (!choose_format(pixels)) {
		kr_error("EGL: %s doesn't give the pixels of a window's format (0x%x)",
			kr_egl_pixels_renderer(pixels), format->hal);
		kr_egl_pixels_finish(pixels);
		return EGL_BAD_MATCH;
	}
	if (pixels->after == KR_EGL_PIXELS_PACK_565 ||
		!can_store(pixels->gl, GL_PACK_ROW_LENGTH, 0))
		return EGL_SUCCESS;
	pixels->in_place = can_store(pixels->gl, GL_PACK_REVERSE_ROW_ORDER_ANGLE, GL_TRUE);
	if (!pixels->in_place)
		kr_egl_turn_init(&pixels->turn, vendor, format);
	return EGL_SUCCESS;
}

void
kr_egl_pixels_finish(struct kr_egl_pixels *pixels)
{
	kr_egl_turn_finish(&pixels->turn);
	free(pixels->bounce);
	free(pixels->gl);
	*pixels = (struct kr_egl_pixels){0};
}

const char *
kr_egl_pixels_renderer(const struct kr_egl_pixels *pixels)
{
	const char *name = (const char *)pixels->gl->GetString(GL_RENDERER);

	return name ? name : "";
}

/* A context that is lost reads nothing, and has no error for it but this one. */
static EGLint
read_error(const struct kr_egl_gl *gl)
{
	GLenum error = gl->GetError();

	if (error == GL_NO_ERROR)
		return EGL_SUCCESS;
	return error == GL_OUT_OF_MEMORY ? EGL_BAD_ALLOC : EGL_CONTEXT_LOST;
}

/* What is to be read, and where it goes. */
struct target {
	uint32_t width;
	uint32_t height;
	uint32_t top;
	uint32_t bottom;
	uint8_t *to;
	uint32_t stride;
};

static EGLint
read_in_place(struct kr_egl_pixels *pixels, const struct target *t)
{
	const struct kr_egl_gl *gl = pixels->gl;
	const size_t row_bytes = (size_t)t->stride * pixels->format->pixel_bytes;
	bool swap = pixels->after == KR_EGL_PIXELS_SWAP;
	uint32_t band = swap ? KR_MAX(BAND_BYTES / (uint32_t)row_bytes, 1u) : t->height;

	gl->PixelStorei(GL_PACK_ROW_LENGTH, (GLint)t->stride);
	for (uint32_t y = t->top, rows; y < t->bottom; y += rows) {
		uint8_t *at = t->to + y * row_bytes;

		rows = KR_MIN(band, t->bottom - y);
		/* From the top: if it isn't turned over, what is below the band lies before it. */
		gl->ReadPixels(0, (GLint)(pixels->in_place ? t->height - y - rows : y),
			(GLsizei)t->width, (GLsizei)rows, pixels->gl_format, pixels->gl_type, at);
		for (uint32_t i = 0; swap && i < rows; i++)
			kr_pixels_swap((uint32_t *)(void *)(at + i * row_bytes), t->width);
	}
	return read_error(gl);
}

static void
pack_565(const uint8_t *from, uint16_t *to, uint32_t width)
{
	for (uint32_t x = 0; x < width; x++, from += 4)
		to[x] = (uint16_t)(from[0] >> 3 << 11 | from[1] >> 2 << 5 | from[2] >> 3);
}

static void
finish_row(const struct kr_egl_pixels *pixels, const void *from, void *to, uint32_t width)
{
	if (pixels->after == KR_EGL_PIXELS_PACK_565) {
		pack_565(from, to, width);
		return;
	}
	memcpy(to, from, (size_t)width * pixels->format->pixel_bytes);
	if (pixels->after == KR_EGL_PIXELS_SWAP)
		kr_pixels_swap(to, width);
}

static EGLint
read_twice(struct kr_egl_pixels *pixels, const struct target *t)
{
	const size_t pixel_bytes = pixels->format->pixel_bytes;
	const size_t read_bytes = pixels->after == KR_EGL_PIXELS_PACK_565 ? 4 : pixel_bytes;
	const size_t row_bytes = read_bytes * t->width, size = row_bytes * (t->bottom - t->top);
	EGLint error;

	if (size > pixels->bounce_size) {
		free(pixels->bounce);
		pixels->bounce = malloc(size);
		pixels->bounce_size = pixels->bounce ? size : 0;
		if (!pixels->bounce)
			return EGL_BAD_ALLOC;
	}
	pixels->gl->ReadPixels(0, (GLint)(t->height - t->bottom), (GLsizei)t->width,
		(GLsizei)(t->bottom - t->top), pixels->gl_format, pixels->gl_type, pixels->bounce);
	error = read_error(pixels->gl);
	for (uint32_t y = t->top; error == EGL_SUCCESS && y < t->bottom; y++)
		finish_row(pixels,
			(const uint8_t *)pixels->bounce + (t->bottom - 1 - y) * row_bytes,
			t->to + (size_t)y * t->stride * pixel_bytes, t->width);
	return error;
}

/* What can't be read of a framebuffer object of that format is copied twice from then on. */
static EGLint
read_turned(struct kr_egl_pixels *pixels, const struct target *target)
{
	EGLint error = read_in_place(pixels, target);

	kr_egl_turn_end(&pixels->turn);
	if (error == EGL_SUCCESS)
		return EGL_SUCCESS;
	kr_egl_turn_finish(&pixels->turn);
	pixels->gl->PixelStorei(GL_PACK_ROW_LENGTH, 0);
	return read_twice(pixels, target);
}

EGLint
kr_egl_pixels_read(struct kr_egl_pixels *pixels, uint32_t width, uint32_t height,
	struct kr_egl_rows rows, void *to, uint32_t stride)
{
	const struct target target = {
		width, height, (uint32_t)rows.top, (uint32_t)rows.bottom, to, stride};

	forget_errors(pixels->gl);
	if (pixels->in_place)
		return read_in_place(pixels, &target);
	if (kr_egl_turn_begin(&pixels->turn, width, height, rows))
		return read_turned(pixels, &target);
	return read_twice(pixels, &target);
}
