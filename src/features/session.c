/* SPDX-License-Identifier: Apache-2.0 */
/* Opening libvulkan.so.1: see session.h. */
#include "features/session.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/alloc.h"
#include "util/enumerate.h"
#include "util/library.h"
#include "util/log.h"

#define WHO "libvulkan.so.1"

/*
 * Promoted ones too: devices of 1.0 are asked by their names. With surfaces of the platform devices
 * are what programs with windows get: a driver that the platform adapts offers others then.
 */
static const char *const wanted[] = {
	"VK_KHR_surface",
	"VK_KHR_android_surface",
	"VK_KHR_get_physical_device_properties2",
	"VK_KHR_external_fence_capabilities",
	"VK_KHR_external_semaphore_capabilities",
};

static PFN_vkVoidFunction
find(const struct kr_feature_session *session, const char *name)
{
	return session->get_instance_proc_addr(session->instance, name);
}

static VkResult
list_wanted(const struct kr_feature_session *session, const char **names, uint32_t *count)
{
	const struct kr_enumerate_question question = {
		.of_instance = (PFN_vkEnumerateInstanceExtensionProperties)find(
			session, "vkEnumerateInstanceExtensionProperties"),
		.who = WHO,
		.log = KR_LOG_DRIVER,
	};
	VkExtensionProperties *list = NULL;
	uint32_t listed = 0;
	VkResult result;

	*count = 0;
	if (!question.of_instance)
		return VK_SUCCESS;
	result = kr_enumerate_extensions(&question, NULL, &listed, &list);
	for (size_t i = 0; i < KR_ARRAY_LEN(wanted); i++) {
		for (uint32_t k = 0; k < listed; k++) {
			if (!strcmp(list[k].extensionName, wanted[i])) {
				names[(*count)++] = wanted[i];
				break;
			}
		}
	}
	kr_free(NULL, list);
	return result;
}

static VkResult
create_instance(struct kr_feature_session *session)
{
	PFN_vkCreateInstance create = (PFN_vkCreateInstance)find(session, "vkCreateInstance");
	PFN_vkEnumerateInstanceVersion get_version =
		(PFN_vkEnumerateInstanceVersion)find(session, "vkEnumerateInstanceVersion");
	const char *names[KR_ARRAY_LEN(wanted)];
	VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = "krafla features",
		.apiVersion = VK_API_VERSION_1_0,
	};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
		.ppEnabledExtensionNames = names,
	};
	uint32_t version = VK_API_VERSION_1_0;
	VkResult result = list_wanted(session, names, &info.enabledExtensionCount);

	if (result < 0)
		return result;
	if (get_version && get_version(&version) == VK_SUCCESS)
		application.apiVersion = version;
	result = create(&info, NULL, &session->instance);
	return result == VK_SUCCESS && !session->instance ? VK_ERROR_INITIALIZATION_FAILED : result;
}

static VkResult
ask_devices(const void *context, uint32_t *count, void *items)
{
	const struct kr_feature_session *session = context;
	PFN_vkEnumeratePhysicalDevices enumerate =
		(PFN_vkEnumeratePhysicalDevices)find(session, "vkEnumeratePhysicalDevices");

	return enumerate ? enumerate(session->instance, count, items)
			 : VK_ERROR_INITIALIZATION_FAILED;
}

static VkResult
list_devices(struct kr_feature_session *session)
{
	const struct kr_enumeration question = {
		.ask = ask_devices,
		.context = session,
		.item_size = sizeof(VkPhysicalDevice),
		.most = KR_MOST_DEVICES,
		.who = WHO,
		.function = "vkEnumeratePhysicalDevices",
		.log = KR_LOG_DRIVER,
	};

	return kr_enumerate(&question, NULL, &session->count, (void **)&session->devices);
}

static int
open_instance(struct kr_feature_session *session, char why[KR_FEATURE_WHY])
{
	const char *call = "vkCreateInstance";
	VkResult result = create_instance(session);

	/* Without any driver there is no instance, and no device. */
	if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
		return 0;
	if (result == VK_SUCCESS) {
		call = "vkEnumeratePhysicalDevices";
		result = list_devices(session);
	}
	if (result == VK_SUCCESS)
		return 0;
	snprintf(why, KR_FEATURE_WHY, "%s failed (VkResult %d)", call, (int)result);
	return -EIO;
}

int
kr_feature_session_open(
	const char *path, struct kr_feature_session *session, char why[KR_FEATURE_WHY])
{
	struct kr_feature_session opened = {0};
	const char *error = NULL;
	void *library = kr_library_load(path, RTLD_NOW | RTLD_LOCAL, &error);
	int err;

	if (!library) {
		snprintf(why, KR_FEATURE_WHY, "%s can't be loaded: %s", path,
			error ? error : "unknown error");
		return -ENOENT;
	}
	opened.get_instance_proc_addr =
		(PFN_vkGetInstanceProcAddr)(uintptr_t)dlsym(library, "vkGetInstanceProcAddr");
	if (!opened.get_instance_proc_addr || !find(&opened, "vkCreateInstance")) {
		snprintf(why, KR_FEATURE_WHY, "%s is no Vulkan loader", path);
		return -ENOSYS;
	}
	err = open_instance(&opened, why);
	if (err < 0)
		kr_feature_session_close(&opened);
	else
		*session = opened;
	return err;
}

void
kr_feature_session_close(struct kr_feature_session *session)
{
	PFN_vkDestroyInstance destroy;

	kr_free(NULL, session->devices);
	if (session->instance) {
		destroy = (PFN_vkDestroyInstance)find(session, "vkDestroyInstance");
		if (destroy)
			destroy(session->instance, NULL);
	}
	*session = (struct kr_feature_session){0};
}
