/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver says that it offers: version, functions, presentation properties (W-02, W-10). */
#include "check/native/native.h"

#define VERSION_MIN 5
#define VERSION_MAX 11
#define POISON      UINT32_C(0xA5A5A5A5)

static void
version_is_known(struct check *c)
{
	VkPhysicalDevice devices[CHECK_MAX_PHYSICAL];
	uint32_t count = check_physical_devices(c, check_make_instance(c, NULL), devices);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t version = check_device_extension(
			c, devices[i], VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME);

		CHECK(c, version, "device %u doesn't list " VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME,
			i);
		CHECK(c, version >= VERSION_MIN,
			"device %u has version %u of it, which is older than Android 7", i,
			version);
		if (version > VERSION_MAX)
			check_say(c, "version %u is newer than the last one known here, %u",
				version, VERSION_MAX);
	}
}

static void
functions_are_there(struct check *c)
{
	const struct check_vk *vk = check_functions(c);
	struct check_device device;

	check_make_device(c, NULL, &device);
	CHECK(c, vk->vkAcquireImageANDROID, "vkGetDeviceProcAddr has no vkAcquireImageANDROID");
	CHECK(c, vk->vkQueueSignalReleaseImageANDROID,
		"vkGetDeviceProcAddr has no vkQueueSignalReleaseImageANDROID");
	CHECK(c,
		vk->vkGetSwapchainGrallocUsageANDROID || vk->vkGetSwapchainGrallocUsage2ANDROID ||
			vk->vkGetSwapchainGrallocUsage3ANDROID ||
			vk->vkGetSwapchainGrallocUsage4ANDROID,
		"vkGetDeviceProcAddr has none of the four vkGetSwapchainGrallocUsage*ANDROID");
}

/* Asked with the structure first, and another behind it. */
static void
ask_properties(struct check *c, VkPhysicalDevicePresentationPropertiesANDROID *presentation,
	VkPhysicalDeviceMaintenance3Properties *behind)
{
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = presentation};
	struct check_device device;

	*behind = (VkPhysicalDeviceMaintenance3Properties){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
	*presentation = (VkPhysicalDevicePresentationPropertiesANDROID){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID,
		.pNext = behind,
		.sharedImage = POISON,
	};
	check_make_device(c, NULL, &device);
	if (device.api_version < VK_API_VERSION_1_1 ||
		!check_functions(c)->vkGetPhysicalDeviceProperties2)
		check_not_applicable(c, "the device has Vulkan 1.0, and no properties2");
	CHECK_CALL(c, vkGetPhysicalDeviceProperties2, device.physical, &properties);
}

static void
presentation_properties(struct check *c)
{
	VkPhysicalDevicePresentationPropertiesANDROID presentation;
	VkPhysicalDeviceMaintenance3Properties behind;

	ask_properties(c, &presentation, &behind);
	CHECK(c, presentation.sharedImage != POISON, "sharedImage was left as it was");
	CHECK(c, presentation.sharedImage == VK_TRUE || presentation.sharedImage == VK_FALSE,
		"sharedImage is %#x, neither VK_TRUE nor VK_FALSE", presentation.sharedImage);
}

static void
chain_goes_on(struct check *c)
{
	VkPhysicalDevicePresentationPropertiesANDROID presentation;
	VkPhysicalDeviceMaintenance3Properties behind;

	ask_properties(c, &presentation, &behind);
	CHECK(c, presentation.pNext == &behind, "the structure's pNext was changed");
	CHECK(c, behind.maxPerSetDescriptors,
		"what is chained behind the presentation properties wasn't answered");
}

static void
shared_image_is_meant(struct check *c)
{
	const struct check_image_request request = {.shared = true};
	struct check_device device;
	struct check_image image;
	VkResult result;

	check_make_device(c, NULL, &device);
	native_need_shared(c, &device);
	result = check_try_image(c, &device, &request, &image);
	CHECK(c, result == VK_SUCCESS, "sharedImage is true, and a shared image can't be made: %s",
		check_result_name(result));
}

static const struct check_case rows[] = {
	{
		.name = "offer.version_is_known",
		.requirement = "W-02",
		.expected = "each device lists VK_ANDROID_native_buffer, of version 5 or later",
		.consequence =
			"devices can't present, or are spoken to in a way that they don't know",
		.run = version_is_known,
	},
	{
		.name = "offer.functions_are_there",
		.requirement = "W-02",
		.expected =
			"vkGetDeviceProcAddr finds the functions for acquiring and releasing, and at least one for usage",
		.consequence = "vkCreateDevice fails for every program that shows something",
		.run = functions_are_there,
	},
	{
		.name = "offer.presentation_properties_are_answered",
		.requirement = "W-10",
		.expected =
			"VkPhysicalDevicePresentationPropertiesANDROID::sharedImage is filled in",
		.consequence = "VK_KHR_shared_presentable_image is offered by chance",
		.run = presentation_properties,
		.min_version = NATIVE_SINCE_PRESENTATION,
	},
	{
		.name = "offer.presentation_properties_pass_the_chain_on",
		.requirement = "W-10",
		.expected =
			"structures behind VkPhysicalDevicePresentationPropertiesANDROID are filled in, too",
		.consequence = "programs read limits that nobody set",
		.run = chain_goes_on,
		.min_version = NATIVE_SINCE_PRESENTATION,
	},
	{
		.name = "offer.shared_image_is_meant",
		.requirement = "W-10",
		.expected = "where sharedImage is true, images with the shared bit can be made",
		.consequence =
			"swapchains of shared present modes are offered and can't be created",
		.run = shared_image_is_meant,
		.min_version = NATIVE_SINCE_PRESENTATION,
	},
};

const struct check_rows check_native_offer = CHECK_ROWS(rows);
