/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AHardwareBuffers as images of a made-up vendor that imports dma-bufs: what it is told of real
 * ones (of /dev/udmabuf: the lab), and how long buffers are held.
 */
#include <krafla/hardware_buffer.h>
#include <stdlib.h>
#include <string.h>

#include "egl/image/image.h"
#include "egl/vendor/import.h"
#include "gralloc/buffer.h"
#include "harness.h"

#define DMA_BUFS "EGL_KHR_image EGL_EXT_image_dma_buf_import"

static struct {
	const char *extensions;
	EGLAttrib told[64];
	EGLint error; /* of the next import; EGL_SUCCESS: it works */
	unsigned made, destroyed;
} fake;

static const char *EGLAPIENTRY
query_string(EGLDisplay dpy, EGLint name)
{
	return name == EGL_EXTENSIONS ? fake.extensions : NULL;
}

static EGLImage EGLAPIENTRY
create_image(EGLDisplay dpy, EGLContext context, EGLenum target, EGLClientBuffer buffer,
	const EGLAttrib *attributes)
{
	unsigned i = 0;

	assert_int_equal(target, EGL_LINUX_DMA_BUF_EXT);
	assert_null(buffer);
	while (attributes[i] != EGL_NONE) {
		fake.told[i] = attributes[i];
		fake.told[i + 1] = attributes[i + 1];
		i += 2;
	}
	fake.told[i] = EGL_NONE;
	return fake.error == EGL_SUCCESS ? (EGLImage)(uintptr_t)(0x100 + ++fake.made) : NULL;
}

static EGLBoolean EGLAPIENTRY
destroy_image(EGLDisplay dpy, EGLImage image)
{
	fake.destroyed++;
	return EGL_TRUE;
}

static EGLint EGLAPIENTRY
get_error(void)
{
	return fake.error;
}

static void *
get_proc_address(const char *name)
{
	return NULL;
}

static struct kr_egl_vendor vendor = {
	.imports.getProcAddress = get_proc_address,
	.egl = {.QueryString = query_string,
		.CreateImage = create_image,
		.DestroyImage = destroy_image,
		.GetError = get_error},
};
static struct kr_egl_display display = {.handle = (EGLDisplay)&display, .vendor = &vendor};

static void
begin(const char *extensions)
{
	memset(&fake, 0, sizeof(fake));
	fake.extensions = extensions;
	fake.error = EGL_SUCCESS;
}

static AHardwareBuffer *
make_buffer(void)
{
	const AHardwareBuffer_Desc desc = {
		.width = 60,
		.height = 48,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN |
			AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE,
	};
	AHardwareBuffer *buffer;

	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	return buffer;
}

static AHardwareBuffer *
make_dma_buf(void)
{
	AHardwareBuffer *buffer = make_buffer();
	const struct kr_buffer_info *info =
		kr_buffer_get_info((const struct kr_buffer *)(const void *)buffer);

	if (!kr_buffer_backend_is_dma_buf(info->backend)) {
		AHardwareBuffer_release(buffer);
		kr_test_skip("no-dma-bufs", NULL);
	}
	return buffer;
}

static EGLAttrib
told(EGLAttrib name)
{
	for (unsigned i = 0; fake.told[i] != EGL_NONE; i += 2) {
		if (fake.told[i] == name)
			return fake.told[i + 1];
	}
	return -1;
}

static void
offered_with_imports(void **state)
{
	begin("EGL_KHR_image");
	assert_string_equal(kr_egl_images_extensions(&display), "");
	begin(DMA_BUFS);
	assert_non_null(
		strstr(kr_egl_images_extensions(&display), "EGL_ANDROID_image_native_buffer"));
	assert_non_null(kr_egl_images_function("eglGetNativeClientBufferANDROID"));
	assert_null(kr_egl_images_function("eglCreateNativeClientBufferANDROID"));
}

static void
what_the_vendor_is_told(void **state)
{
	AHardwareBuffer_Desc desc;
	AHardwareBuffer *buffer;
	EGLImage image;

	begin(DMA_BUFS);
	buffer = make_dma_buf();
	AHardwareBuffer_describe(buffer, &desc);
	image = kr_egl_image_create(&display, (EGLClientBuffer)buffer, NULL);
	assert_non_null(image);
	assert_int_equal(told(EGL_WIDTH), 60);
	assert_int_equal(told(EGL_HEIGHT), 48);
	assert_int_equal(told(EGL_LINUX_DRM_FOURCC_EXT), 0x34324241); /* AB24 */
	assert_int_equal(told(EGL_DMA_BUF_PLANE0_OFFSET_EXT), 0);
	assert_int_equal(told(EGL_DMA_BUF_PLANE0_PITCH_EXT), desc.stride * 4);
	assert_true(told(EGL_DMA_BUF_PLANE0_FD_EXT) > 2);
	assert_int_equal(told(EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT), -1);
	assert_true(kr_egl_image_destroy(&display, image));
	assert_int_equal(fake.destroyed, 1);
	AHardwareBuffer_release(buffer);
}

static void
images_hold_their_buffers(void **state)
{
	AHardwareBuffer *buffer;
	EGLImage first, second;
	int before;

	begin(DMA_BUFS);
	before = kr_test_count_fds();
	buffer = make_dma_buf();
	first = kr_egl_image_create(&display, (EGLClientBuffer)buffer, NULL);
	second = kr_egl_image_create(&display, (EGLClientBuffer)buffer, NULL);
	assert_ptr_not_equal(first, second);
	AHardwareBuffer_release(buffer);
	assert_true(kr_test_count_fds() > before);
	assert_true(kr_egl_image_destroy(&display, first));
	assert_true(kr_test_count_fds() > before);
	kr_egl_images_stop(&display);
	assert_int_equal(fake.destroyed, 2);
	assert_int_equal(kr_test_count_fds(), before);
}

static void
refusals_are_errors(void **state)
{
	static const EGLAttrib preserved[] = {EGL_IMAGE_PRESERVED, EGL_TRUE, EGL_NONE},
			       odd[] = {EGL_WIDTH, 3, EGL_NONE};
	AHardwareBuffer *buffer;

	begin(DMA_BUFS);
	assert_null(kr_egl_image_create(&display, NULL, NULL));
	assert_int_equal(kr_egl_this_thread()->error, EGL_BAD_PARAMETER);
	buffer = make_dma_buf();
	assert_null(kr_egl_image_create(&display, (EGLClientBuffer)buffer, odd));
	assert_int_equal(kr_egl_this_thread()->error, EGL_BAD_PARAMETER);
	assert_int_equal(fake.made, 0);
	fake.error = EGL_BAD_MATCH;
	assert_null(kr_egl_image_create(&display, (EGLClientBuffer)buffer, NULL));
	assert_int_equal(kr_egl_this_thread()->error, EGL_BAD_MATCH);
	fake.error = EGL_SUCCESS;
	assert_non_null(kr_egl_image_create(&display, (EGLClientBuffer)buffer, preserved));
	kr_egl_images_stop(&display);
	AHardwareBuffer_release(buffer);
}

/* The dma-buf of `buffer` as another program's of this modifier, with as many planes as can be. */
static AHardwareBuffer *
make_compressed(const AHardwareBuffer *buffer)
{
	int fd = kr_buffer_get_info((const struct kr_buffer *)(const void *)buffer)->fd;
	struct krafla_dma_buf from = {
		.size = sizeof(from),
		.width = 16,
		.height = 16,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE,
		.modifier = UINT64_C(0x0100000000000006),
		.plane_count = 4,
	};
	AHardwareBuffer *made;

	for (uint32_t i = 0; i < 4; i++)
		from.planes[i] = (struct krafla_dma_buf_plane){fd, 1024 * i, 64 + i};
	assert_int_equal(krafla_hardware_buffer_from_dma_buf(&from, &made), 0);
	return made;
}

static void
modifiers_have_four_planes(void **state)
{
	AHardwareBuffer *memory, *buffer;
	EGLImage image;

	begin(DMA_BUFS " EGL_EXT_image_dma_buf_import_modifiers");
	memory = make_dma_buf();
	buffer = make_compressed(memory);
	image = kr_egl_image_create(&display, (EGLClientBuffer)buffer, NULL);
	assert_non_null(image);
	assert_int_equal(told(EGL_DMA_BUF_PLANE2_OFFSET_EXT), 2048);
	assert_int_equal(told(EGL_DMA_BUF_PLANE3_OFFSET_EXT), 3072);
	assert_int_equal(told(EGL_DMA_BUF_PLANE3_PITCH_EXT), 67);
	assert_int_equal(told(EGL_DMA_BUF_PLANE3_MODIFIER_LO_EXT), 6);
	assert_int_equal(told(EGL_DMA_BUF_PLANE3_MODIFIER_HI_EXT), 0x01000000);
	assert_true(kr_egl_image_destroy(&display, image));
	/* A vendor without modifiers isn't asked. */
	fake.extensions = DMA_BUFS;
	fake.made = 0;
	assert_null(kr_egl_image_create(&display, (EGLClientBuffer)buffer, NULL));
	assert_int_equal(kr_egl_this_thread()->error, EGL_BAD_PARAMETER);
	assert_int_equal(fake.made, 0);
	AHardwareBuffer_release(buffer);
	AHardwareBuffer_release(memory);
}

static void
memfds_are_refused(void **state)
{
	AHardwareBuffer *buffer;

	begin(DMA_BUFS);
	setenv("KRAFLA_BUFFERS", "memfd", 1);
	buffer = make_buffer();
	assert_null(kr_egl_image_create(&display, (EGLClientBuffer)buffer, NULL));
	assert_int_equal(kr_egl_this_thread()->error, EGL_BAD_PARAMETER);
	assert_int_equal(fake.made, 0);
	AHardwareBuffer_release(buffer);
}

/* Of whatever memory it is: no part of it is taken for an image. */
static void
layers_and_depth_of_cpus_are_refused(void **state)
{
	static const AHardwareBuffer_Desc descs[] = {
		{16, 16, 2, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 3, 0, 0, 0},
		{16, 16, 6, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
			3 | AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP, 0, 0, 0},
		{16, 16, 1, AHARDWAREBUFFER_FORMAT_D16_UNORM, 3, 0, 0, 0},
	};

	begin(DMA_BUFS);
	for (size_t i = 0; i < KR_ARRAY_LEN(descs); i++) {
		AHardwareBuffer *buffer;
		const char *reason = "";
		EGLint error;

		assert_int_equal(AHardwareBuffer_allocate(&descs[i], &buffer), 0);
		assert_null(kr_egl_import(&display,
			(const struct ANativeWindowBuffer *)(const void *)buffer, &reason, &error));
		assert_non_null(strstr(reason, "several layers"));
		assert_int_equal(error, EGL_BAD_PARAMETER);
		assert_int_equal(fake.made, 0);
		AHardwareBuffer_release(buffer);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(offered_with_imports),
	KR_TEST(what_the_vendor_is_told),
	KR_TEST(images_hold_their_buffers),
	KR_TEST(refusals_are_errors),
	KR_TEST_FLAGS(memfds_are_refused, KR_TEST_KEEPS_MEMORY), /* setenv */
	KR_TEST(layers_and_depth_of_cpus_are_refused),
	KR_TEST(modifiers_have_four_planes),
};

KR_TEST_MAIN(tests)
