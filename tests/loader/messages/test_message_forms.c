/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in both forms: who listens in the one hears what was said in the other. */
#include <stdio.h>

#include "support.h"

static struct {
	int count;
	char text[64];
	VkObjectType type;
	uint64_t object;
	VkDebugUtilsMessageSeverityFlagBitsEXT severity;
	VkDebugUtilsMessageTypeFlagsEXT types;
} heard;

static VKAPI_ATTR VkBool32 VKAPI_CALL
hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
	heard.count++;
	heard.severity = severity;
	heard.types = types;
	heard.type = data->objectCount ? data->pObjects[0].objectType : VK_OBJECT_TYPE_UNKNOWN;
	heard.object = data->objectCount ? data->pObjects[0].objectHandle : 0;
	snprintf(heard.text, sizeof(heard.text), "%s", data->pMessage);
	return VK_FALSE;
}

static const char *const both_names[] = {"VK_EXT_debug_utils", "VK_EXT_debug_report", NULL};

static struct {
	int count;
	VkDebugReportFlagsEXT flags;
	VkDebugReportObjectTypeEXT type;
	uint64_t object;
	int32_t code;
	char prefix[64], text[64];
} reported;

static VKAPI_ATTR VkBool32 VKAPI_CALL
keep_report(VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT type, uint64_t object,
	size_t location, int32_t code, const char *prefix, const char *text, void *user_data)
{
	reported.count++;
	reported.flags = flags;
	reported.type = type;
	reported.object = object;
	reported.code = code;
	snprintf(reported.prefix, sizeof(reported.prefix), "%s", prefix);
	snprintf(reported.text, sizeof(reported.text), "%s", text);
	return VK_FALSE;
}

/* An instance with a callback of each kind, which want everything. */
struct listening {
	struct loader l;
	VkDebugUtilsMessengerEXT utils;
	VkDebugReportCallbackEXT report;
};

static void
open_listening(struct listening *r)
{
	VkDebugUtilsMessengerCreateInfoEXT utils =
		kr_vulkan_messenger_info(KR_VULKAN_ALL_SEVERITIES, hear, NULL);
	VkDebugReportCallbackCreateInfoEXT report = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT,
		.flags = 0x1f,
		.pfnCallback = keep_report,
	};

	utils.messageType = KR_VULKAN_ALL_TYPES;
	use_both_fakes();
	open_loader(&r->l);
	make_instance(&r->l, both_names);
	r->utils = make_messenger(&r->l, &utils);
	assert_int_equal(OF_INSTANCE(&r->l, vkCreateDebugReportCallbackEXT)(
				 r->l.instance, &report, NULL, &r->report),
		VK_SUCCESS);
}

static void
close_listening(struct listening *r)
{
	end_messenger(&r->l, r->utils);
	OF_INSTANCE(&r->l, vkDestroyDebugReportCallbackEXT)(r->l.instance, r->report, NULL);
	end_instance(&r->l);
	close_loader(&r->l);
}

/* K-33 */
static void
test_report_hears_what_utils_say(void **state)
{
	static const struct {
		VkDebugUtilsMessageSeverityFlagBitsEXT severity;
		VkDebugUtilsMessageTypeFlagsEXT types;
		VkDebugReportFlagsEXT flags;
	} kinds[] = {
		{VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, 1, VK_DEBUG_REPORT_ERROR_BIT_EXT},
		{VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, 2,
			VK_DEBUG_REPORT_WARNING_BIT_EXT},
		{VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, 4,
			VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT},
		{VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT, 1,
			VK_DEBUG_REPORT_INFORMATION_BIT_EXT},
		{VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT, 1, VK_DEBUG_REPORT_DEBUG_BIT_EXT},
	};
	VkDebugUtilsObjectNameInfoEXT object = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = VK_OBJECT_TYPE_SWAPCHAIN_KHR,
		.objectHandle = 99,
	};
	VkDebugUtilsMessengerCallbackDataEXT data = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
		.pMessageIdName = "name",
		.messageIdNumber = 5,
		.pMessage = "said",
		.objectCount = 1,
		.pObjects = &object,
	};
	struct listening r;

	open_listening(&r);
	for (size_t i = 0; i < KR_ARRAY_LEN(kinds); i++) {
		OF_INSTANCE(&r.l, vkSubmitDebugUtilsMessageEXT)
		(r.l.instance, kinds[i].severity, kinds[i].types, &data);
		assert_int_equal(reported.count, i + 1);
		assert_int_equal(heard.count, i + 1);
		assert_int_equal(reported.flags, kinds[i].flags);
	}
	assert_int_equal(reported.type, VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT);
	assert_int_equal(reported.object, 99);
	assert_int_equal(reported.code, 5);
	assert_string_equal(reported.prefix, "name");
	assert_string_equal(reported.text, "said");
	close_listening(&r);
}

/* K-33 */
static void
test_utils_hear_what_report_says(void **state)
{
	static const struct {
		VkDebugReportFlagsEXT flags;
		VkDebugUtilsMessageSeverityFlagBitsEXT severity;
	} kinds[] = {
		{VK_DEBUG_REPORT_ERROR_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT},
		{VK_DEBUG_REPORT_WARNING_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT},
		{VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT,
			VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT},
		{VK_DEBUG_REPORT_INFORMATION_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT},
		{VK_DEBUG_REPORT_DEBUG_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT},
	};
	static const struct {
		VkDebugReportObjectTypeEXT report;
		VkObjectType object;
	} types[] = {
		{VK_DEBUG_REPORT_OBJECT_TYPE_IMAGE_EXT, VK_OBJECT_TYPE_IMAGE},
		{VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT, VK_OBJECT_TYPE_SURFACE_KHR},
		{VK_DEBUG_REPORT_OBJECT_TYPE_DISPLAY_KHR_EXT, VK_OBJECT_TYPE_DISPLAY_KHR},
		{VK_DEBUG_REPORT_OBJECT_TYPE_DISPLAY_MODE_KHR_EXT, VK_OBJECT_TYPE_DISPLAY_MODE_KHR},
		{VK_DEBUG_REPORT_OBJECT_TYPE_VALIDATION_CACHE_EXT_EXT,
			VK_OBJECT_TYPE_VALIDATION_CACHE_EXT},
		{VK_DEBUG_REPORT_OBJECT_TYPE_SAMPLER_YCBCR_CONVERSION_EXT,
			VK_OBJECT_TYPE_SAMPLER_YCBCR_CONVERSION},
	};
	struct listening r;

	open_listening(&r);
	for (size_t i = 0; i < KR_ARRAY_LEN(kinds); i++) {
		OF_INSTANCE(&r.l, vkDebugReportMessageEXT)
		(r.l.instance, kinds[i].flags, VK_DEBUG_REPORT_OBJECT_TYPE_UNKNOWN_EXT, 0, 0, 0,
			"who", "reported");
		assert_int_equal(heard.severity, kinds[i].severity);
		assert_int_equal(heard.types,
			i == 2 ? VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT
			       : VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT);
		assert_string_equal(heard.text, "reported");
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(types); i++) {
		OF_INSTANCE(&r.l, vkDebugReportMessageEXT)
		(r.l.instance, VK_DEBUG_REPORT_ERROR_BIT_EXT, types[i].report, 7, 0, 0, "who",
			"reported");
		assert_int_equal(heard.type, types[i].object);
		assert_int_equal(heard.object, 7);
	}
	close_listening(&r);
}

static const struct kr_test tests[] = {
	KR_TEST(test_report_hears_what_utils_say),
	KR_TEST(test_utils_hear_what_report_says),
};

KR_TEST_MAIN(tests)
