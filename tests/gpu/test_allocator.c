/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers that libkrafla.so.0 allocates of a GPU's memory, for a program that has no device: this
 * one looks at them with a device of its own.
 */
#include "rig.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "gpu/choose.h"
#include "gpu/format.h"
#include "gralloc/buffer.h"
#include "gralloc/copies.h"
#include "sanitizer.h"

#define DRIVER (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)
#define GPU    (AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER)

/* The library's own functions: this program has such too, of its copy of gralloc. */
static struct {
	int (*allocate)(const AHardwareBuffer_Desc *, AHardwareBuffer **);
	int (*is_supported)(const AHardwareBuffer_Desc *);
	void (*release)(AHardwareBuffer *);
	void (*describe)(const AHardwareBuffer *, AHardwareBuffer_Desc *);
	int (*lock)(AHardwareBuffer *, uint64_t, int32_t, const ARect *, void **);
} krafla;

static void
begin(void)
{
	void *library = dlopen(LIBKRAFLA, RTLD_NOW | RTLD_LOCAL);
	struct rig rig;

	rig_open(&rig); /* or skips */
	rig_close(&rig);
	assert_non_null(library);
	*(void **)&krafla.allocate = dlsym(library, "AHardwareBuffer_allocate");
	*(void **)&krafla.is_supported = dlsym(library, "AHardwareBuffer_isSupported");
	*(void **)&krafla.release = dlsym(library, "AHardwareBuffer_release");
	*(void **)&krafla.describe = dlsym(library, "AHardwareBuffer_describe");
	*(void **)&krafla.lock = dlsym(library, "AHardwareBuffer_lock");
	assert_true(krafla.allocate && krafla.is_supported && krafla.release && krafla.lock);
	setenv("KRAFLA_GPU", "llvmpipe", 1);
}

static AHardwareBuffer *
allocate(const AHardwareBuffer_Desc *desc)
{
	AHardwareBuffer *buffer = NULL;

	assert_int_equal(krafla.is_supported(desc), 1);
	assert_int_equal(krafla.allocate(desc, &buffer), 0);
	return buffer;
}

static void
refused(const AHardwareBuffer_Desc *desc, int err)
{
	AHardwareBuffer *buffer;

	assert_int_equal(krafla.is_supported(desc), 0);
	assert_int_equal(krafla.allocate(desc, &buffer), err);
}

/* W-11: each is imported by another device, as what it was asked for. */
static void
what_only_a_gpu_has_is_allocated(void **state)
{
	static const AHardwareBuffer_Desc descs[] = {
		{64, 64, 6, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
			GPU | AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP, 0, 0, 0},
		{100, 50, 3, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, GPU, 0, 0, 0},
		{100, 50, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
			GPU | AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE, 0, 0, 0},
		{100, 50, 1, AHARDWAREBUFFER_FORMAT_D16_UNORM,
			AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER, 0, 0, 0},
		{100, 50, 1, AHARDWAREBUFFER_FORMAT_D32_FLOAT,
			AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER, 0, 0, 0},
		{100, 50, 1, AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT,
			AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER, 0, 0, 0},
		{100, 50, 2, AHARDWAREBUFFER_FORMAT_S8_UINT, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER,
			0, 0, 0},
	};
	struct rig rig;

	begin();
	rig_open(&rig);
	for (size_t i = 0; i < KR_ARRAY_LEN(descs); i++) {
		AHardwareBuffer *public = allocate(&descs[i]);
		const struct kr_buffer_info *info;
		AHardwareBuffer_Desc told = {0};
		struct kr_gpu_image image;
		struct kr_buffer *buffer;

		krafla.describe(public, &told);
		assert_memory_equal(&told, &descs[i], offsetof(AHardwareBuffer_Desc, stride));
		assert_int_equal(kr_buffer_from_any(public, &buffer), 0);
		info = kr_buffer_get_info(buffer);
		assert_int_equal(info->backend, KR_BUFFER_GPU);
		assert_int_equal(info->gpu->array_layers, descs[i].layers);
		assert_int_equal(info->gpu->mip_levels, i == 2 ? 7 : 1);
		assert_int_equal(
			kr_gpu_image_import(&rig.gpu, info->gpu, info->gpu_fd, &image, NULL),
			VK_SUCCESS);
		kr_gpu_image_destroy(&rig.gpu, &image);
		kr_buffer_unref(buffer);
		krafla.release(public);
	}
	rig_close(&rig);
}

/* The first content is zeros, and what is drawn stays, as long as anybody has the buffer. */
static void
content_is_zero_and_then_what_was_drawn(void **state)
{
	const AHardwareBuffer_Desc desc = {
		40, 30, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, GPU, 0, 0, 0};
	const struct kr_buffer_info *info;
	struct kr_gpu_image image;
	struct kr_buffer *buffer;
	AHardwareBuffer *public;
	uint32_t *pixels;
	struct rig rig;

	setenv("KRAFLA_BUFFERS", "gpu", 1);
	begin();
	rig_open(&rig);
	public = allocate(&desc);
	assert_int_equal(kr_buffer_from_any(public, &buffer), 0);
	info = kr_buffer_get_info(buffer);
	assert_int_equal(
		kr_gpu_image_import(&rig.gpu, info->gpu, info->gpu_fd, &image, NULL), VK_SUCCESS);
	pixels = rig_read(&rig, &image);
	for (size_t i = 0; i < (size_t)40 * 30; i++)
		assert_int_equal(pixels[i], 0);
	free(pixels);
	rig_fill(&rig, &image, 21);
	kr_gpu_image_destroy(&rig.gpu, &image);
	assert_int_equal(
		kr_gpu_image_import(&rig.gpu, info->gpu, info->gpu_fd, &image, NULL), VK_SUCCESS);
	assert_true(rig_shows(&rig, &image, 21));
	kr_gpu_image_destroy(&rig.gpu, &image);
	kr_buffer_unref(buffer);
	krafla.release(public);
	rig_close(&rig);
}

/* KRAFLA_BUFFERS=gpu: what processors don't touch is a GPU's, all else is as ever. */
static void
usage_says_whose_memory_it_is(void **state)
{
	AHardwareBuffer_Desc desc = {
		40, 30, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, GPU, 0, 0, 0};
	struct kr_gpu_image image;
	struct kr_buffer *buffer;
	AHardwareBuffer *public;
	struct rig rig;
	void *data;

	setenv("KRAFLA_BUFFERS", "gpu", 1);
	begin();
	public = allocate(&desc);
	assert_int_equal(krafla.lock(public, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, -1, NULL, &data),
		-EINVAL);
	krafla.release(public);
	desc.usage |= AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
	public = allocate(&desc);
	assert_int_equal(kr_buffer_from_any(public, &buffer), 0);
	assert_null(kr_buffer_get_info(buffer)->gpu);
	assert_true(kr_buffer_get_info(buffer)->fd >= 0);
	kr_buffer_unref(buffer);
	krafla.release(public);
	/* Of a BLOB too. */
	desc = (AHardwareBuffer_Desc){5000, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB,
		AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER, 0, 0, 0};
	public = allocate(&desc);
	assert_int_equal(kr_buffer_from_any(public, &buffer), 0);
	assert_int_equal(kr_buffer_get_info(buffer)->gpu->format, 0);
	rig_open(&rig);
	assert_int_equal(kr_gpu_image_import(&rig.gpu, kr_buffer_get_info(buffer)->gpu,
				 kr_buffer_get_info(buffer)->gpu_fd, &image, NULL),
		VK_SUCCESS);
	kr_gpu_image_destroy(&rig.gpu, &image);
	rig_close(&rig);
	kr_buffer_unref(buffer);
	krafla.release(public);
}

/* Of each format what the device does with it, and no more. */
static void
usage_needs_the_devices_features(void **state)
{
	const VkFormatFeatureFlags drawn = VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT |
		VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT;
	struct rig rig;
	uint32_t buffer_format;
	VkFormat format;
	unsigned no = 0;

	begin();
	rig_open(&rig);
	for (size_t i = 0; kr_gpu_format_at(i, &format, &buffer_format); i++) {
		AHardwareBuffer_Desc desc = {64, 64, 2, buffer_format, 0, 0, 0, 0};
		VkFormatProperties properties;

		if (kr_gpu_format_of_buffer(buffer_format) != format ||
			kr_gpu_format_needs_conversion(format))
			continue;
		KR_VULKAN_CALL(&rig.vk, vkGetPhysicalDeviceFormatProperties)
		(rig.vk.physical_device, format, &properties);
		desc.usage = AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE;
		assert_int_equal(krafla.is_supported(&desc),
			!!(properties.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT));
		desc.usage = AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER;
		assert_int_equal(
			krafla.is_supported(&desc), !!(properties.optimalTilingFeatures & drawn));
		no += !krafla.is_supported(&desc);
	}
	assert_true(no > 0); /* R8G8B8, for one */
	rig_close(&rig);
}

static void
what_cannot_be_had_is_an_error(void **state)
{
	AHardwareBuffer_Desc desc = {
		64, 64, 6, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, GPU, 0, 0, 0};
	AHardwareBuffer *buffer;

	setenv("KRAFLA_BUFFERS", "gpu", 1);
	begin();
	/* Levels are a GPU's, whose memory processors don't reach. */
	desc.usage |=
		AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN | AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE;
	refused(&desc, -ENOSYS);
	desc.usage = GPU | AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT;
	refused(&desc, -ENOSYS);
	desc.usage = GPU;
	desc.layers = 1u << 20;
	refused(&desc, -ENOSYS);
	desc.layers = 0;
	refused(&desc, -EINVAL);
	/* More than one allocation may have: 2 GiB of lavapipe, which fails beyond (SIGSEGV). */
	desc = (AHardwareBuffer_Desc){3u << 30, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB,
		AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER, 0, 0, 0};
	refused(&desc, -ENOSYS);
	desc = (AHardwareBuffer_Desc){
		16384, 16384, 3, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, GPU, 0, 0, 0};
	assert_int_equal(krafla.allocate(&desc, &buffer), -ENOMEM);
}

/* Nobody is asked in place of the device that is named. */
static void
named_device_is_taken_or_none(void **state)
{
	const AHardwareBuffer_Desc desc = {
		64, 64, 6, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, GPU, 0, 0, 0};
	const AHardwareBuffer_Desc plain = {
		64, 64, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, GPU, 0, 0, 0};

	setenv("KRAFLA_BUFFERS", "gpu", 1);
	begin();
	setenv("KRAFLA_GPU", "no such device", 1);
	refused(&desc, -ENODEV);
	refused(&plain, -ENODEV);
}

static void *
allocate_many(void *data)
{
	const AHardwareBuffer_Desc desc = {
		64, 64, 2, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, GPU, 0, 0, 0};

	for (int i = 0; i < 25; i++)
		krafla.release(allocate(&desc));
	return NULL;
}

static void
fork_and_allocate(void)
{
	int status;
	pid_t child;

	/* It ends a child that starts threads, which lavapipe does. */
	if (THREAD_SANITIZER)
		return;
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		allocate_many(NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* On any thread, and in a child, which opens its own device; nothing is left behind. */
static void
threads_and_children_allocate(void **state)
{
	pthread_t threads[4];
	int fds;

	begin();
	allocate_many(NULL);
	fds = kr_test_count_fds();
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, allocate_many, NULL), 0);
	/* Whatever the threads are at; AddressSanitizer's malloc would lock children out. */
	for (int i = 0; i < 5 && !ADDRESS_SANITIZER; i++)
		fork_and_allocate();
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(kr_test_count_fds(), fds);
	fork_and_allocate();
	allocate_many(NULL);
}

/* A place, a part of the name, or the UUID. */
static void
devices_have_names(void **state)
{
	const uint8_t uuid[KR_GPU_UUID_SIZE] = {0xb0, 0x51, 0x47, 0xb5, 0x17, 0x64, 0xe3, 0x82,
		0x76, 0xa3, 0x7d, 0xe8, 0x59, 0x20, 0xdd, 0x2a};
	const char *name = "NVIDIA H100 80GB HBM3";

	assert_true(kr_gpu_is_named("h100", name, uuid, 3));
	assert_true(kr_gpu_is_named("3", name, uuid, 3));
	assert_false(kr_gpu_is_named("2", name, uuid, 3));
	assert_false(kr_gpu_is_named("100", name, uuid, 3));
	assert_true(kr_gpu_is_named("b05147b51764e38276a37de85920dd2a", name, uuid, 3));
	assert_true(kr_gpu_is_named("B05147B5-1764-E382-76A3-7DE85920DD2A", name, uuid, 3));
	assert_false(kr_gpu_is_named("b05147b51764e38276a37de85920dd2b", name, uuid, 3));
	assert_false(kr_gpu_is_named("b05147b51764e38276a37de85920dd2a0", name, uuid, 3));
	assert_false(kr_gpu_is_named("llvmpipe", name, uuid, 3));
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(what_only_a_gpu_has_is_allocated, DRIVER),
	KR_TEST_FLAGS(content_is_zero_and_then_what_was_drawn, DRIVER),
	KR_TEST_FLAGS(usage_says_whose_memory_it_is, DRIVER),
	KR_TEST_FLAGS(usage_needs_the_devices_features, DRIVER),
	KR_TEST_FLAGS(what_cannot_be_had_is_an_error, DRIVER),
	KR_TEST_FLAGS(named_device_is_taken_or_none, DRIVER),
	KR_TEST_FLAGS(threads_and_children_allocate, DRIVER),
	KR_TEST(devices_have_names),
};
KR_TEST_MAIN(tests)
