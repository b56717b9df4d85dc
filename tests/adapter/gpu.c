/* SPDX-License-Identifier: Apache-2.0 */
/* Making instances, devices, buffers and images behind the adapter. */
#include "gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>
#include <vulkan/vk_icd.h>

#include "fake_icd.h"
#include "manifest/driver_manifest.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"

/* Debian's chromium brings it. */
#define SWIFTSHADER "/usr/lib/chromium/vk_swiftshader_icd.json"

/* The driver of a manifest; `missing` is the reason for a skip. */
static void
open_manifest(struct gpu *gpu, const char *path, const char *name, const char *missing)
{
	PFN_vkNegotiateLoaderICDInterfaceVersion negotiate;
	struct kr_manifest_driver manifest;
	uint32_t version = 5;
	char *reason;
	void *library;

	assert_int_equal(kr_manifest_driver_read(path, &manifest, &reason), 0);
	library = dlopen(manifest.library_path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		kr_test_skip(missing, dlerror());
	kr_manifest_driver_finish(&manifest);
	negotiate = (PFN_vkNegotiateLoaderICDInterfaceVersion)dlsym(
		library, "vk_icdNegotiateLoaderICDInterfaceVersion");
	assert_int_equal(negotiate(&version), VK_SUCCESS);
	gpu->icd.name = name;
	gpu->icd.get_instance_proc_addr =
		(PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
	gpu->icd.get_physical_device_proc_addr =
		(PFN_GetPhysicalDeviceProcAddr)dlsym(library, "vk_icdGetPhysicalDeviceProcAddr");
	gpu->icd.create_instance =
		(PFN_vkCreateInstance)gpu->icd.get_instance_proc_addr(NULL, "vkCreateInstance");
	gpu->icd.enumerate_instance_extension_properties =
		(PFN_vkEnumerateInstanceExtensionProperties)gpu->icd.get_instance_proc_addr(
			NULL, "vkEnumerateInstanceExtensionProperties");
}

void
gpu_open_lavapipe(struct gpu *gpu)
{
	open_manifest(gpu, kr_test_lavapipe(), "lavapipe", "no-lavapipe");
}

void
gpu_open_swiftshader(struct gpu *gpu)
{
	if (access(SWIFTSHADER, R_OK))
		kr_test_skip("no-swiftshader", NULL);
	open_manifest(gpu, SWIFTSHADER, "SwiftShader", "no-swiftshader");
}

#define VALIDATION "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"

static void
write_layer_settings(const char *log)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
		"khronos_validation.report_flags = error,warn\n"
		"khronos_validation.enables = "
		"VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT\n"
		"khronos_validation.log_filename = %s\n",
		log);
	setenv("VK_LAYER_SETTINGS_PATH", kr_test_file("vk_layer_settings.txt", text), 1);
	setenv("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation", 1);
}

const char *
gpu_open_validated(struct gpu *gpu)
{
	const char *log = kr_test_file("validation", "");
	void *library = NULL;
	glob_t found = {0};
	const char *path;

	if (access(VALIDATION, R_OK))
		kr_test_skip("no-validation-layer", VALIDATION " isn't there");
	path = kr_test_lavapipe();
	setenv("VK_DRIVER_FILES", path, 1);
	setenv("VK_ICD_FILENAMES", path, 1);
	kr_test_ignore_leaks();
	write_layer_settings(log);
	(void)!glob("/usr/lib/*-linux-gnu*/libvulkan.so.1", 0, NULL, &found);
	for (size_t i = 0; !library && i < found.gl_pathc; i++)
		library = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
	globfree(&found);
	assert_non_null(library);
	gpu->icd.name = "validated";
	gpu->icd.get_instance_proc_addr =
		(PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
	gpu->icd.create_instance =
		(PFN_vkCreateInstance)gpu->icd.get_instance_proc_addr(NULL, "vkCreateInstance");
	gpu->icd.enumerate_instance_extension_properties =
		(PFN_vkEnumerateInstanceExtensionProperties)gpu->icd.get_instance_proc_addr(
			NULL, "vkEnumerateInstanceExtensionProperties");
	return log;
}

VkResult
gpu_create_instance(struct gpu *gpu, const struct gpu_options *options)
{
	const struct kr_adapter_options adapter = {options->keep_driver_wsi};
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.apiVersion = options->api_version ? options->api_version : VK_API_VERSION_1_1,
	};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
		.enabledExtensionCount = options->instance_extension ? 1 : 0,
		.ppEnabledExtensionNames = &options->instance_extension,
	};
	uint32_t count = 1;
	VkResult result;

	gpu->allocator = options->allocator;
	result = kr_adapter_create_instance(
		&gpu->icd, &adapter, &info, gpu->allocator, &gpu->instance);
	if (result != VK_SUCCESS)
		return result;
	kr_instance_table_load(&gpu->i, kr_adapter_get_instance_proc_addr, gpu->instance);
	result = gpu->i.EnumeratePhysicalDevices(gpu->instance, &count, &gpu->physical_device);
	if (result == VK_SUCCESS || result == VK_INCOMPLETE)
		return VK_SUCCESS;
	gpu->i.DestroyInstance(gpu->instance, gpu->allocator);
	gpu->instance = VK_NULL_HANDLE;
	return result;
}

static void
load_device(struct gpu *gpu)
{
	PFN_vkGetDeviceProcAddr get = (PFN_vkGetDeviceProcAddr)kr_adapter_get_instance_proc_addr(
		gpu->instance, "vkGetDeviceProcAddr");

	kr_device_table_load(&gpu->d, get, gpu->device);
	gpu->gralloc_usage = (PFN_vkGetSwapchainGrallocUsageANDROID)get(
		gpu->device, "vkGetSwapchainGrallocUsageANDROID");
	gpu->gralloc_usage2 = (PFN_vkGetSwapchainGrallocUsage2ANDROID)get(
		gpu->device, "vkGetSwapchainGrallocUsage2ANDROID");
	gpu->gralloc_usage3 = (PFN_vkGetSwapchainGrallocUsage3ANDROID)get(
		gpu->device, "vkGetSwapchainGrallocUsage3ANDROID");
	gpu->gralloc_usage4 = (PFN_vkGetSwapchainGrallocUsage4ANDROID)get(
		gpu->device, "vkGetSwapchainGrallocUsage4ANDROID");
	gpu->acquire = (PFN_vkAcquireImageANDROID)get(gpu->device, "vkAcquireImageANDROID");
	gpu->acquire_imports =
		(PFN_vkGetAcquireImportsKRAFLA)get(gpu->device, KR_ACQUIRE_IMPORTS_FUNCTION);
	gpu->release = (PFN_vkQueueSignalReleaseImageANDROID)get(
		gpu->device, "vkQueueSignalReleaseImageANDROID");
	gpu->release_wanted =
		(PFN_vkQueueSignalReleaseImageKRAFLA)get(gpu->device, KR_RELEASE_WANTED_FUNCTION);
	gpu->get_memory =
		(PFN_vkGetNativeBufferMemoryKRAFLA)get(gpu->device, KR_NATIVE_MEMORY_FUNCTION);
}

VkResult
gpu_create_device(struct gpu *gpu, const struct gpu_options *options)
{
	static const float priority = 1.0f;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const char *extensions[2];
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = options->device_chain,
		.queueCreateInfoCount = options->queues ? options->queue_count : 1,
		.pQueueCreateInfos = options->queues ? options->queues : &queue,
		.ppEnabledExtensionNames = extensions,
	};
	VkResult result;

	if (!options->not_engaged)
		extensions[info.enabledExtensionCount++] = VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME;
	if (options->extension)
		extensions[info.enabledExtensionCount++] = options->extension;
	result = gpu->i.CreateDevice(gpu->physical_device, &info, gpu->allocator, &gpu->device);
	if (result != VK_SUCCESS)
		return result;
	load_device(gpu);
	if (!info.pQueueCreateInfos[0].flags)
		gpu->d.GetDeviceQueue(
			gpu->device, info.pQueueCreateInfos[0].queueFamilyIndex, 0, &gpu->queue);
	return VK_SUCCESS;
}

void
gpu_init(struct gpu *gpu, const struct gpu_options *options)
{
	static const struct gpu_options defaults;

	memset(gpu, 0, sizeof(*gpu));
	gpu_open_lavapipe(gpu);
	assert_int_equal(gpu_create_instance(gpu, options ? options : &defaults), VK_SUCCESS);
	assert_int_equal(gpu_create_device(gpu, options ? options : &defaults), VK_SUCCESS);
}

void
gpu_init_swiftshader(struct gpu *gpu)
{
	const struct gpu_options defaults = {0};

	memset(gpu, 0, sizeof(*gpu));
	gpu_open_swiftshader(gpu);
	assert_int_equal(gpu_create_instance(gpu, &defaults), VK_SUCCESS);
	assert_int_equal(gpu_create_device(gpu, &defaults), VK_SUCCESS);
}

void
gpu_init_fake(struct gpu *gpu, const struct gpu_options *options)
{
	static const struct gpu_options defaults;

	memset(gpu, 0, sizeof(*gpu));
	fake_get(&gpu->icd);
	assert_int_equal(gpu_create_instance(gpu, options ? options : &defaults), VK_SUCCESS);
	assert_int_equal(gpu_create_device(gpu, options ? options : &defaults), VK_SUCCESS);
}

void
gpu_finish_fake(struct gpu *gpu)
{
	gpu_finish(gpu);
	assert_int_equal(fake.objects, 0);
}

void
gpu_finish(struct gpu *gpu)
{
	if (gpu->device)
		gpu->d.DestroyDevice(gpu->device, gpu->allocator);
	if (gpu->instance)
		gpu->i.DestroyInstance(gpu->instance, gpu->allocator);
}

struct kr_buffer *
gpu_buffer(uint32_t format, uint32_t width, uint32_t height)
{
	const struct kr_buffer_desc desc = {width, height, 1, format,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER};
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	return buffer;
}

void
gpu_native_buffer(const struct kr_buffer *buffer, VkNativeBufferANDROID *native)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);

	*native = (VkNativeBufferANDROID){
		.sType = VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID,
		.handle = kr_buffer_handle(buffer),
		.stride = (int)info->stride,
		.format = (int)info->desc.format,
		.usage = (int)info->desc.usage,
		.usage3 = info->desc.usage,
	};
}

VkImageCreateInfo
gpu_image_info(VkFormat format, uint32_t width, uint32_t height, const void *chain)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = chain,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = {width, height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
}

VkImage
gpu_image(struct gpu *gpu, const struct kr_buffer *buffer, VkFormat format)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	VkNativeBufferANDROID native;
	VkImageCreateInfo create =
		gpu_image_info(format, info->desc.width, info->desc.height, &native);
	VkImage image = VK_NULL_HANDLE;

	gpu_native_buffer(buffer, &native);
	assert_int_equal(
		gpu->d.CreateImage(gpu->device, &create, gpu->allocator, &image), VK_SUCCESS);
	return image;
}

int32_t
gpu_land(int take_fence)
{
	int32_t status;

	assert_true(take_fence >= 0);
	assert_int_not_equal(
		kr_fence_wait(take_fence, kr_deadline_in(10 * KR_NSEC_PER_SEC)), -ETIME);
	status = kr_fence_status(take_fence);
	close(take_fence);
	return status;
}

void
gpu_release(struct gpu *gpu, VkQueue queue, uint32_t wait_count, const VkSemaphore *waits,
	VkImage image)
{
	int fence = -1;

	assert_int_equal(gpu->release(queue, wait_count, waits, image, &fence), VK_SUCCESS);
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
}

VkSemaphore
gpu_semaphore(struct gpu *gpu)
{
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkSemaphore semaphore;

	assert_int_equal(
		gpu->d.CreateSemaphore(gpu->device, &info, gpu->allocator, &semaphore), VK_SUCCESS);
	return semaphore;
}

VkSemaphore
gpu_timeline(struct gpu *gpu)
{
	const VkSemaphoreTypeCreateInfo type = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
		.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
	};
	const VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
		.pNext = &type,
	};
	VkSemaphore semaphore;

	assert_int_equal(
		gpu->d.CreateSemaphore(gpu->device, &info, gpu->allocator, &semaphore), VK_SUCCESS);
	return semaphore;
}

VkFence
gpu_fence(struct gpu *gpu)
{
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkFence fence;

	assert_int_equal(
		gpu->d.CreateFence(gpu->device, &info, gpu->allocator, &fence), VK_SUCCESS);
	return fence;
}

void
gpu_wait_fence(struct gpu *gpu, VkFence fence)
{
	assert_int_equal(
		gpu->d.WaitForFences(gpu->device, 1, &fence, VK_TRUE, 10 * KR_NSEC_PER_SEC),
		VK_SUCCESS);
}

bool
gpu_fence_stays_unsignalled(struct gpu *gpu, VkFence fence)
{
	return gpu->d.WaitForFences(gpu->device, 1, &fence, VK_TRUE, 50 * KR_NSEC_PER_MSEC) ==
		VK_TIMEOUT;
}
