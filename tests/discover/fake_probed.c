/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers that misbehave in ways that the probe is for: FAKE says which (meson.build). */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <vulkan/vk_icd.h>
#include "util/macros.h"

#define HANGS        1 /* in its constructor */
#define EXITS        2 /* in its constructor */
#define CRASH_CREATE 3 /* in vkCreateInstance */
#define CRASH_COUNT  4 /* in vkEnumeratePhysicalDevices */
#define CHATTY       5 /* writes to standard output, and has two devices */
#define NO_INSTANCE  6
#define CRASH_AT_END 7 /* in vkDestroyInstance */
#define TERMS        8 /* sends itself SIGTERM in its constructor */

/*
 * Has devices unless it can do more than a driver that is tried may: where it is there are
 * a socket and a file.
 */
#define TRIES 10

#define READS 9 /* has devices only if the file that READS_FILE names can be read */

#define DRM 11 /* has two devices that say their nodes: the second one has a strange name */

static int object, devices_of_drm[2];

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_device_extensions(VkPhysicalDevice device, const char *layer, uint32_t *count,
	VkExtensionProperties *properties)
{
	*count = 1;
	if (properties)
		strcpy(properties[0].extensionName, VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME);
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties)
{
	const bool second = (void *)device == &devices_of_drm[1];

	properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
	properties->vendorID = 0x1002;
	properties->deviceID = second ? 2 : 1;
	strcpy(properties->deviceName, second ? "se\ncond" : "first one");
}

static VKAPI_ATTR void VKAPI_CALL
get_properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties)
{
	VkPhysicalDeviceDrmPropertiesEXT *drm = properties->pNext;

	drm->hasRender = VK_TRUE;
	drm->renderMajor = 226;
	drm->renderMinor = (void *)device == &devices_of_drm[1] ? 129 : 128;
}

static bool
can_connect(const char *directory)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	bool can;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", directory);
	can = fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address));
	if (fd >= 0)
		close(fd);
	return can;
}

static bool
can_open(const char *directory, const char *name, int flags)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, flags, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool
can_change(const char *directory)
{
	char path[512], other[520];

	snprintf(path, sizeof(path), "%s/file", directory);
	snprintf(other, sizeof(other), "%s.new", path);
	return !chmod(path, 0600) || !rename(path, other) || !unlink(path) || !mkdir(other, 0700);
}

/* What must still be there is: reading, and the null device. */
static bool
is_confined(const char *directory)
{
	return socket(AF_INET, SOCK_DGRAM, 0) < 0 && !can_connect(directory) &&
		!can_open(directory, "file", O_WRONLY) &&
		!can_open(directory, "new", O_RDWR | O_CREAT) && !can_change(directory) &&
		execl("/bin/true", "true", NULL) < 0 && can_open(directory, "file", O_RDONLY) &&
		can_open("/dev", "null", O_RDWR);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	if (FAKE == CRASH_CREATE)
		abort();
	if (FAKE == READS && (!getenv("READS_FILE") || access(getenv("READS_FILE"), R_OK)))
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	if (FAKE == TRIES && !is_confined("."))
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	*out = (VkInstance)&object;
	return FAKE == NO_INSTANCE ? VK_ERROR_INCOMPATIBLE_DRIVER : VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	if (FAKE == CRASH_AT_END)
		abort();
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
	if (FAKE == CRASH_COUNT)
		abort();
	*count = 2;
	for (uint32_t i = 0; FAKE == DRM && devices && i < 2; i++)
		devices[i] = (VkPhysicalDevice)&devices_of_drm[i];
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_extensions(const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	*count = FAKE == DRM;
	if (FAKE == DRM && properties)
		strcpy(properties[0].extensionName,
			VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME);
	return VK_SUCCESS;
}

KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(
	VkInstance instance, const char *name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction fn;
	} functions[] = {
		{"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
		{"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
		{"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate},
		{"vkEnumerateInstanceExtensionProperties",
			(PFN_vkVoidFunction)enumerate_extensions},
		{"vkEnumerateDeviceExtensionProperties",
			(PFN_vkVoidFunction)enumerate_device_extensions},
		{"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)get_properties},
		{"vkGetPhysicalDeviceProperties2KHR", (PFN_vkVoidFunction)get_properties2},
	};
	/* The others say nothing of their devices. */
	const size_t count = KR_ARRAY_LEN(functions) - (FAKE == DRM ? 0 : 3);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(name, functions[i].name))
			return functions[i].fn;
	}
	return NULL;
}

KR_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(
	uint32_t *version);
VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	return VK_SUCCESS;
}

/* FAKE_PROBED_LOG: a file that gets a line each time the library is opened. */
__attribute__((constructor)) static void
begin(void)
{
	const char *path = getenv("FAKE_PROBED_LOG");
	FILE *file = path ? fopen(path, "ae") : NULL;

	if (file) {
		fprintf(file, "%d\n", (int)getpid());
		fclose(file);
	}
	if (FAKE == CHATTY) {
		puts("0 7 this is no answer");
		fflush(stdout);
	}
	while (FAKE == HANGS)
		pause();
	if (FAKE == EXITS)
		exit(3);
	if (FAKE == TERMS)
		raise(SIGTERM);
}
