/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AHardwareBuffers as EGLImages. Mesa's llvmpipe imports dma-bufs from Mesa 25 on, where
 * /dev/udmabuf is there (the lab): memory is one. But over a card's dumb buffers ("kms_swrast") it
 * crashes when they are drawn: nothing is offered there, and each buffer is refused.
 */
#include <krafla/hardware_buffer.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>

#include "harness.h"
#include "rules.h"
#include "slow_work.h"

#define CPU                                                                                        \
	(AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN |            \
		AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER)

enum { WIDTH = 64, HEIGHT = 48 };

static EGLDisplay display;
static EGLContext context;
static bool imports; /* dma-bufs */
static PFNEGLGETNATIVECLIENTBUFFERANDROIDPROC client_buffer;
static PFNEGLCREATEIMAGEKHRPROC create_khr;
static PFNEGLDESTROYIMAGEKHRPROC destroy_khr;

static bool
names(const char *extension)
{
	const char *list = eglQueryString(display, EGL_EXTENSIONS), *at = strstr(list, extension);
	size_t len = strlen(extension);

	return at && (at[len] == ' ' || !at[len]);
}

static bool
maps_by_card(void)
{
	PFNEGLGETDISPLAYDRIVERNAMEPROC driver =
		(PFNEGLGETDISPLAYDRIVERNAMEPROC)eglGetProcAddress("eglGetDisplayDriverName");

	return driver && !strcmp(driver(display), "kms_swrast");
}

static void
begin(void)
{
	EGLConfig config;

	skip_without_egl();
	choose(EGL_KRAFLA, MESA_MANIFEST);
	open_mesa(&display, &config);
	context = begin_context(display, config);
	client_buffer = (PFNEGLGETNATIVECLIENTBUFFERANDROIDPROC)eglGetProcAddress(
		"eglGetNativeClientBufferANDROID");
	create_khr = (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
	destroy_khr = (PFNEGLDESTROYIMAGEKHRPROC)eglGetProcAddress("eglDestroyImageKHR");
	imports = names("EGL_EXT_image_dma_buf_import") && !maps_by_card();
	/* Where buffers are memfds nothing is imported, though the vendor could. */
	if (!getenv("KRAFLA_BUFFERS"))
		setenv("KRAFLA_BUFFERS", "memfd", 1);
}

static bool
buffers_are_dma_bufs(void)
{
	return strcmp(getenv("KRAFLA_BUFFERS"), "memfd");
}

static AHardwareBuffer *
make_buffer(void)
{
	const AHardwareBuffer_Desc desc = {
		.width = WIDTH,
		.height = HEIGHT,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = CPU,
	};
	AHardwareBuffer *buffer;

	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	return buffer;
}

static EGLImageKHR
make_image(AHardwareBuffer *buffer)
{
	return create_khr(
		display, EGL_NO_CONTEXT, EGL_NATIVE_BUFFER_ANDROID, client_buffer(buffer), NULL);
}

/* The extensions are there where the vendor imports dma-bufs, and only there. */
static void
offered_where_the_vendor_imports(void **state)
{
	begin();
	if (getenv("KRAFLA_TEST_IMPORTS"))
		assert_true(imports);
	assert_int_equal(names("EGL_ANDROID_image_native_buffer"), imports);
	assert_int_equal(names("EGL_ANDROID_get_native_client_buffer"), imports);
	assert_false(names("EGL_ANDROID_create_native_client_buffer"));
}

/* A buffer that can't be imported is an error, never a copy. */
static void
refused_with_an_error(void **state)
{
	AHardwareBuffer *buffer;

	begin();
	if (imports && buffers_are_dma_bufs())
		kr_test_skip("imports-dma-bufs", NULL);
	buffer = make_buffer();
	assert_ptr_equal(make_image(buffer), EGL_NO_IMAGE_KHR);
	assert_int_equal(eglGetError(), EGL_BAD_PARAMETER);
	assert_ptr_equal(eglCreateImage(display, EGL_NO_CONTEXT, EGL_NATIVE_BUFFER_ANDROID,
				 client_buffer(buffer), NULL),
		EGL_NO_IMAGE);
	assert_int_equal(eglGetError(), EGL_BAD_PARAMETER);
	AHardwareBuffer_release(buffer);
}

static void
mistakes_are_errors(void **state)
{
	static const EGLint odd[] = {EGL_WIDTH, 3, EGL_NONE};
	AHardwareBuffer *buffer;

	begin();
	buffer = make_buffer();
	assert_null(client_buffer(NULL));
	assert_int_equal(eglGetError(), EGL_BAD_PARAMETER);
	assert_ptr_equal(client_buffer(buffer), buffer);
	assert_int_equal(eglGetError(), EGL_SUCCESS);
	assert_null(create_khr(
		display, EGL_NO_CONTEXT, EGL_NATIVE_BUFFER_ANDROID, (EGLClientBuffer)NULL, NULL));
	assert_int_equal(eglGetError(), EGL_BAD_PARAMETER);
	assert_null(create_khr(
		display, EGL_NO_CONTEXT, EGL_NATIVE_BUFFER_ANDROID, client_buffer(buffer), odd));
	assert_int_equal(eglGetError(), EGL_BAD_PARAMETER);
	assert_null(create_khr(EGL_NO_DISPLAY, EGL_NO_CONTEXT, EGL_NATIVE_BUFFER_ANDROID,
		client_buffer(buffer), NULL));
	assert_int_equal(eglGetError(), EGL_BAD_DISPLAY);
	if (imports) {
		assert_null(create_khr(
			display, context, EGL_NATIVE_BUFFER_ANDROID, client_buffer(buffer), NULL));
		assert_int_equal(eglGetError(), EGL_BAD_CONTEXT);
	}
	assert_false(destroy_khr(display, (EGLImageKHR)(uintptr_t)4));
	assert_int_equal(eglGetError(), EGL_BAD_PARAMETER);
	AHardwareBuffer_release(buffer);
}

/* A framebuffer over the image, bound. */
static void
bind_framebuffer(EGLImageKHR image)
{
	PFNGLEGLIMAGETARGETTEXTURE2DOESPROC target =
		(PFNGLEGLIMAGETARGETTEXTURE2DOESPROC)eglGetProcAddress(
			"glEGLImageTargetTexture2DOES");
	GLuint texture, framebuffer;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	target(GL_TEXTURE_2D, image);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	assert_int_equal(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
}

static uint32_t *
lock(AHardwareBuffer *buffer, uint32_t *stride)
{
	AHardwareBuffer_Desc desc;
	void *pixels;

	AHardwareBuffer_describe(buffer, &desc);
	*stride = desc.stride;
	assert_int_equal(AHardwareBuffer_lock(buffer,
				 AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
					 AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
				 -1, NULL, &pixels),
		0);
	return pixels;
}

static void
clear(void)
{
	glClearColor(1, 0, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glFinish();
}

static void
read_pixels(uint32_t *pixels)
{
	glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/* What OpenGL ES draws is in the buffer, and what the CPU writes is what it reads: no copies. */
static void
memory_is_one(void **state)
{
	static uint32_t read[WIDTH * HEIGHT];
	AHardwareBuffer *buffer;
	uint32_t *pixels, stride;
	EGLImageKHR image;

	begin();
	if (!imports || !buffers_are_dma_bufs())
		kr_test_skip("no-dma-bufs", NULL);
	buffer = make_buffer();
	image = make_image(buffer);
	assert_non_null(image);
	assert_int_equal(eglGetError(), EGL_SUCCESS);
	bind_framebuffer(image);
	clear();
	pixels = lock(buffer, &stride);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
		assert_int_equal(pixels[i / WIDTH * stride + i % WIDTH], 0xffff00ff);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
		pixels[i / WIDTH * stride + i % WIDTH] = 0xff000000 | i;
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	read_pixels(read);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
		assert_int_equal(read[i], 0xff000000 | i);
	assert_true(destroy_khr(display, image));
	assert_false(destroy_khr(display, image));
	AHardwareBuffer_release(buffer);
}

/* The image has the buffer for as long as it is there, and eglTerminate ends it. */
static void
buffers_are_held(void **state)
{
	AHardwareBuffer *buffer;
	EGLImageKHR image;
	int before;

	begin();
	if (!imports || !buffers_are_dma_bufs())
		kr_test_skip("no-dma-bufs", NULL);
	for (int round = 0; round < 3; round++) {
		before = kr_test_count_fds();
		buffer = make_buffer();
		image = make_image(buffer);
		assert_non_null(image);
		AHardwareBuffer_release(buffer);
		assert_true(kr_test_count_fds() > before);
		assert_true(round == 2 ? eglTerminate(display) : destroy_khr(display, image));
		if (round < 2)
			assert_int_equal(kr_test_count_fds(), before);
	}
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(offered_where_the_vendor_imports, RULE_FLAGS),
	KR_TEST_FLAGS(refused_with_an_error, RULE_FLAGS),
	KR_TEST_FLAGS(mistakes_are_errors, RULE_FLAGS),
	KR_TEST_FLAGS(memory_is_one, RULE_FLAGS),
	KR_TEST_FLAGS(buffers_are_held, RULE_FLAGS),
};

KR_TEST_MAIN(tests)
