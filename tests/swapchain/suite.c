/* SPDX-License-Identifier: Apache-2.0 */
/* The swapchain suite: `swapchain_suite KIND` runs all cases on one surface of the first device. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	suite_case run;
} cases[] = {
	{"surface", case_surface},
	{"present_mode_caps", case_present_mode_caps},
	{"min_image_count", case_min_image_count},
	{"image_format", case_image_format},
	{"image_usage", case_image_usage},
	{"image_extent", case_image_extent},
	{"largest_image", case_largest_image},
	{"pre_transform", case_pre_transform},
	{"composite_alpha", case_composite_alpha},
	{"present_mode", case_present_mode},
	{"simulated_oom", case_simulated_oom},
	{"image_of_swapchain", case_image_of_swapchain},
	{"mutable_format", case_mutable_format},
	{"multisampled", case_multisampled},
	{"what_isnt_offered", case_what_isnt_offered},
	{"frames", case_frames},
	{"replace", case_replace},
	{"deferred", case_deferred},
	{"release", case_release},
	{"present_fence", case_present_fence},
	{"switch_modes", case_switch_modes},
	{"scaling", case_scaling},
	{"shared", case_shared},
	{"present_wait", case_present_wait},
	{"damage", case_damage},
	{"surfaceless", case_surfaceless},
	{"counters", case_counters},
	{"all_usages", case_all_usages},
	{"release_all", case_release_all},
	{"acquire_too_many", case_acquire_too_many},
};

const char *
suite_skip(struct suite *s, const char *why)
{
	snprintf(s->text, sizeof(s->text), "skip: %s", why);
	return s->text;
}

const char *
suite_fail(struct suite *s, const char *what, long got)
{
	snprintf(s->text, sizeof(s->text), "FAIL: %s (%ld)", what, got);
	return s->text;
}

static bool
is_listed(const VkExtensionProperties *list, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(list[i].extensionName, name))
			return true;
	}
	return false;
}

static VkResult
open_instance(struct suite *s, const char *kind)
{
	const char *wanted[8] = {VK_KHR_SURFACE_EXTENSION_NAME, suite_window_extension(kind),
		VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME};
	const struct {
		const char *name;
		bool *there;
	} optional[] = {
		{VK_EXT_SURFACE_MAINTENANCE_1_EXTENSION_NAME, &s->surface_maintenance1},
		{VK_GOOGLE_SURFACELESS_QUERY_EXTENSION_NAME, &s->surfaceless},
		{VK_EXT_DISPLAY_SURFACE_COUNTER_EXTENSION_NAME, &s->surface_counter},
	};
	const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = "swapchain_suite",
		.apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
		.ppEnabledExtensionNames = wanted,
		.enabledExtensionCount = 3};
	VkExtensionProperties list[256];
	uint32_t count = 256;

	if (vkEnumerateInstanceExtensionProperties(NULL, &count, list) < 0 ||
		!is_listed(list, count, wanted[1]))
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++) {
		*optional[i].there = is_listed(list, count, optional[i].name);
		if (*optional[i].there)
			wanted[info.enabledExtensionCount++] = optional[i].name;
	}
	/* It stands on the display. */
	s->is_display = !strcmp(kind, "display");
	if (s->surface_counter && !s->is_display)
		wanted[info.enabledExtensionCount++] = VK_KHR_DISPLAY_EXTENSION_NAME;
	return vkCreateInstance(&info, NULL, &s->instance);
}

struct features {
	VkPhysicalDeviceFeatures2 head;
	VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT maintenance1;
	VkPhysicalDevicePresentIdFeaturesKHR id;
	VkPhysicalDevicePresentWaitFeaturesKHR wait;
	VkPhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT single;
	struct suite_feature multisampled;
};

/* Those of the extensions that are there, enabled. */
static void
fill_features(const struct suite *s, struct features *f)
{
	*f = (struct features){
		.head.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
		.maintenance1 =
			{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT,
				NULL, VK_TRUE},
		.id = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, NULL, VK_TRUE},
		.single.multisampledRenderToSingleSampled = VK_TRUE,
		.multisampled = {SUITE_MULTISAMPLED_FEATURES, NULL, VK_TRUE},
		.wait = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR, NULL,
			VK_TRUE},
	};
	if (s->has[SUITE_MAINTENANCE1]) {
		f->maintenance1.pNext = f->head.pNext;
		f->head.pNext = &f->maintenance1;
	}
	if (s->has[SUITE_PRESENT_ID]) {
		f->id.pNext = f->head.pNext;
		f->head.pNext = &f->id;
	}
	if (s->has[SUITE_MULTISAMPLED]) {
		f->single.sType = SUITE_SINGLE_SAMPLED_FEATURES;
		f->multisampled.pNext = &f->single;
		f->single.pNext = f->head.pNext;
		f->head.pNext = &f->multisampled;
	}
	if (s->has[SUITE_PRESENT_WAIT]) {
		f->wait.pNext = f->head.pNext;
		f->head.pNext = &f->wait;
	}
}

static VkResult
open_device(struct suite *s)
{
	static const char *const optional[SUITE_EXTENSIONS] = {
		VK_EXT_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME,
		VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME,
		VK_KHR_SHARED_PRESENTABLE_IMAGE_EXTENSION_NAME,
		VK_KHR_PRESENT_ID_EXTENSION_NAME,
		VK_KHR_PRESENT_WAIT_EXTENSION_NAME,
		VK_KHR_INCREMENTAL_PRESENT_EXTENSION_NAME,
		"VK_EXT_multisampled_render_to_swapchain",
	};
	const char *names[SUITE_EXTENSIONS + 3] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority};
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.ppEnabledExtensionNames = names,
		.enabledExtensionCount = 1};
	VkExtensionProperties *list = calloc(512, sizeof(*list));
	uint32_t count = 512;
	struct features features;
	VkResult result = vkEnumerateDeviceExtensionProperties(s->physical, NULL, &count, list);

	for (uint32_t i = 0; result >= 0 && i < SUITE_EXTENSIONS; i++) {
		s->has[i] = is_listed(list, count, optional[i]);
		if (s->has[i])
			names[info.enabledExtensionCount++] = optional[i];
	}
	if (s->has[SUITE_MUTABLE] &&
		is_listed(list, count, VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME))
		names[info.enabledExtensionCount++] = VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME;
	if (s->has[SUITE_MULTISAMPLED])
		names[info.enabledExtensionCount++] =
			VK_EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXTENSION_NAME;
	free(list);
	if (result < 0)
		return result;
	fill_features(s, &features);
	info.pNext = &features.head;
	result = vkCreateDevice(s->physical, &info, NULL, &s->device);
	if (result == VK_SUCCESS)
		vkGetDeviceQueue(s->device, 0, 0, &s->queue);
	return result;
}

static const char *
open_suite(struct suite *s, const char *kind)
{
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT};
	VkBool32 supported = VK_FALSE;
	const char *why;
	uint32_t count = 1;
	VkResult result = open_instance(s, kind);

	if (result == VK_ERROR_EXTENSION_NOT_PRESENT)
		return suite_skip(s, "the instance has no such surfaces");
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	result = vkEnumeratePhysicalDevices(s->instance, &count, &s->physical);
	SUITE_CHECK(s, result >= 0 && count, result);
	why = suite_window_create(s, kind);
	if (why)
		return why;
	result = vkGetPhysicalDeviceSurfaceSupportKHR(s->physical, 0, s->surface, &supported);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	if (!supported)
		return suite_skip(s, "the device can't present to it");
	result = open_device(s);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	s->format_count = sizeof(s->formats) / sizeof(s->formats[0]);
	s->mode_count = sizeof(s->modes) / sizeof(s->modes[0]);
	vkGetPhysicalDeviceSurfaceFormatsKHR(s->physical, s->surface, &s->format_count, s->formats);
	vkGetPhysicalDeviceSurfacePresentModesKHR(
		s->physical, s->surface, &s->mode_count, s->modes);
	result = vkGetPhysicalDeviceSurfaceCapabilitiesKHR(s->physical, s->surface, &s->caps);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	result = vkCreateCommandPool(s->device, &pool, NULL, &s->pool);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	return NULL;
}

static void
close_suite(struct suite *s)
{
	if (s->device) {
		vkDeviceWaitIdle(s->device);
		vkDestroyCommandPool(s->device, s->pool, NULL);
		vkDestroyDevice(s->device, NULL);
	}
	if (s->surface)
		vkDestroySurfaceKHR(s->instance, s->surface, NULL);
	if (s->instance)
		vkDestroyInstance(s->instance, NULL);
	suite_window_close();
}

/* Of argv[2], or all. Exit code 1: one failed; 77: none could be run. */
int
main(int argc, char **argv)
{
	unsigned ok = 0, skipped = 0, failed = 0;
	struct suite s = {0};
	const char *why;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2 || !suite_window_extension(argv[1]))
		return 2;
	why = open_suite(&s, argv[1]);
	if (why) {
		printf("open %s\n", why);
		close_suite(&s);
		return strncmp(why, "skip", 4) ? 1 : 77;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc > 2 && strcmp(cases[i].name, argv[2]))
			continue;
		why = cases[i].run(&s);
		printf("case %s %s\n", cases[i].name, why ? why : "ok");
		if (!why)
			ok++;
		else if (strncmp(why, "skip", 4))
			failed++;
		else
			skipped++;
	}
	close_suite(&s);
	printf("total %u ok %u skipped %u failed\n", ok, skipped, failed);
	return failed ? 1 : 0;
}
