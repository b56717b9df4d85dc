/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linux drivers with one thing wrong, or one thing special, each: FAKE says which (meson.build).
 * They can be opened and asked for their functions; none has any device.
 */
#include <string.h>

#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <vulkan/vk_icd.h>
#include "util/macros.h"

#define V5           1 /* exports everything */
#define V7_BY_GIPA   2 /* exports vk_icdGetInstanceProcAddr alone */
#define V2           3 /* answers interface version 2 */
#define V9           4 /* answers a version that it wasn't offered */
#define V1_ANSWER    5 /* answers interface version 1 */
#define REFUSES      6 /* refuses to negotiate */
#define NO_NEGOTIATE 7
#define NO_GIPA      8
#define NO_CREATE    9
#define CRASHES      10 /* in its constructor */
#define V0           11 /* exports vkGetInstanceProcAddr and its like themselves */
#define V0_NO_CREATE 12 /* the same without vkCreateInstance */
#define NO_EXPORTS   13 /* exports nothing of a driver */
#define ODD_RESULT   14 /* negotiates, and says that it failed */
#define V3           15
#define LAZY         16 /* calls a function that isn't there */

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	return VK_ERROR_INITIALIZATION_FAILED;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_extensions(const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	*count = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_version(uint32_t *version)
{
	*version = VK_API_VERSION_1_1;
	return VK_SUCCESS;
}

static bool negotiated;

static VKAPI_ATTR VkResult VKAPI_CALL
negotiate(uint32_t *version)
{
	negotiated = true;
	if (FAKE == REFUSES)
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	if (FAKE == V9)
		*version = 9;
	else if (FAKE == V1_ANSWER)
		*version = 1;
	else if (FAKE == V2)
		*version = 2;
	else if (FAKE == V3)
		*version = 3;
	else if (FAKE != V7_BY_GIPA && *version > 5)
		*version = 5;
	return FAKE == ODD_RESULT ? VK_ERROR_INITIALIZATION_FAILED : VK_SUCCESS;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_physical_device_proc_addr(VkInstance instance, const char *name)
{
	return NULL;
}

static PFN_vkVoidFunction
find(const char *name)
{
	if (FAKE == V7_BY_GIPA && !strcmp(name, "vk_icdNegotiateLoaderICDInterfaceVersion"))
		return (PFN_vkVoidFunction)negotiate;
	/* Before the negotiation a driver may answer nothing else. */
	if (!negotiated && FAKE != NO_NEGOTIATE && FAKE != V0)
		return NULL;
	if (FAKE == V7_BY_GIPA && !strcmp(name, "vk_icdGetPhysicalDeviceProcAddr"))
		return (PFN_vkVoidFunction)get_physical_device_proc_addr;
	if (FAKE != NO_CREATE && !strcmp(name, "vkCreateInstance"))
		return (PFN_vkVoidFunction)create_instance;
	if (!strcmp(name, "vkEnumerateInstanceExtensionProperties"))
		return (PFN_vkVoidFunction)enumerate_extensions;
	if (FAKE != V2 && !strcmp(name, "vkEnumerateInstanceVersion"))
		return (PFN_vkVoidFunction)enumerate_version;
	return NULL;
}

#define IS_V0 (FAKE == V0 || FAKE == V0_NO_CREATE)

#if FAKE != NO_GIPA && FAKE != NO_EXPORTS && !IS_V0
KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(
	VkInstance instance, const char *name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
	return find(name);
}
#endif

#if FAKE != NO_NEGOTIATE && FAKE != V7_BY_GIPA && FAKE != NO_EXPORTS && !IS_V0
KR_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(
	uint32_t *version);
VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	return negotiate(version);
}

KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(
	VkInstance instance, const char *name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
	return get_physical_device_proc_addr(instance, name);
}
#endif

#if IS_V0
KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(
	VkInstance instance, const char *name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
	return find(name);
}

KR_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties);
VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	return enumerate_extensions(layer, count, properties);
}
#endif

#if FAKE == V0
KR_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkCreateInstance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out);
VKAPI_ATTR VkResult VKAPI_CALL
vkCreateInstance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	return create_instance(info, allocator, out);
}
#endif

#if FAKE == LAZY
extern void krafla_there_is_no_such_function(void);
KR_EXPORT void fake_icd_call(void);
void
fake_icd_call(void)
{
	krafla_there_is_no_such_function();
}
#endif

/* Referenced where nothing else does. */
KR_EXPORT const void *const fake_icd_keeps[] = {
	(const void *)find, (const void *)negotiate, (const void *)get_physical_device_proc_addr};
extern const void *const fake_icd_keeps[];

#if FAKE == CRASHES
__attribute__((constructor)) static void
crash(void)
{
	__builtin_trap();
}
#endif
