/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver of the platform: a HAL module that speaks VK_ANDROID_native_buffer, where
 * swapchains are ours.
 */
#include <string.h>

#include "support.h"

struct scene {
	struct fake_hal hal;
	struct loader l;
};

static void
begin(struct scene *s)
{
	open_fake_hal(&s->hal);
	open_loader(&s->l);
	make_instance(&s->l, NULL);
	assert_int_equal(s->l.device_count, 1);
}

static void
end(struct scene *s)
{
	end_instance(&s->l);
	close_loader(&s->l);
	close_fake_hal(&s->hal);
}

static uint32_t
version_of_swapchains(const struct loader *l)
{
	VkExtensionProperties list[64];
	uint32_t count = KR_ARRAY_LEN(list), version = 0;

	assert_int_equal(EXPORTED(l, vkEnumerateDeviceExtensionProperties)(
				 l->devices[0], NULL, &count, list),
		VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		assert_string_not_equal(list[i].extensionName, "VK_ANDROID_native_buffer");
		if (!strcmp(list[i].extensionName, "VK_KHR_swapchain"))
			version = list[i].specVersion;
	}
	return version;
}

/*
 * W-06: drivers bind images of swapchains from version 8 on; 69 and 70 of
 * VK_KHR_swapchain ask for that.
 */
static void
version_of_swapchains_is_the_drivers(void **state)
{
	static const struct {
		uint32_t native_buffer, swapchain;
	} versions[] = {{1, 68}, {5, 68}, {6, 68}, {7, 68}, {8, 70}, {9, 70}, {11, 70}};
	struct scene s;

	for (size_t i = 0; i < KR_ARRAY_LEN(versions); i++) {
		begin(&s);
		s.hal.control->native_buffer_version = versions[i].native_buffer;
		assert_int_equal(version_of_swapchains(&s.l), versions[i].swapchain);
		end(&s);
	}
}

/* VkDeviceImageSubresourceInfo and what answers it; VkSubresourceLayout2. */
struct subresource_info {
	VkStructureType type;
	const void *next;
	const VkImageCreateInfo *image;
	const void *subresource;
};
struct layout {
	VkStructureType type;
	void *next;
	VkSubresourceLayout layout;
};
typedef void(VKAPI_PTR *get_layout_fn)(VkDevice, const struct subresource_info *, struct layout *);

#define CORE      "vkGetDeviceImageSubresourceLayout"
#define EXTENSION "vkGetDeviceImageSubresourceLayoutKHR"

struct question {
	VkBaseInStructure unknown;
	VkImageFormatListCreateInfo before;
	VkImageSwapchainCreateInfoKHR of;
	VkImageStencilUsageCreateInfo behind;
	VkImageCreateInfo image;
	struct subresource_info info;
};

static void
make_question(struct question *q)
{
	memset(q, 0, sizeof(*q));
	q->unknown.sType = (VkStructureType)0x7ffffff0;
	q->unknown.pNext = (const VkBaseInStructure *)&q->of;
	q->before.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO;
	q->before.pNext = &q->of;
	q->of.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR;
	q->of.swapchain = (VkSwapchainKHR)(uintptr_t)0x1234;
	q->of.pNext = &q->behind;
	q->behind.sType = VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO;
	q->image.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
	q->image.extent.width = 77;
	q->info.image = &q->image;
}

/* Asks with this chain, and compares what the driver saw of it. */
static void
expect_chain(const struct scene *s, VkDevice device, const char *name, struct question *q,
	const void *chain, uint32_t count, const VkStructureType *types)
{
	get_layout_fn get = (get_layout_fn)EXPORTED(&s->l, vkGetDeviceProcAddr)(device, name);
	struct layout layout = {0};

	q->image.pNext = chain;
	s->hal.control->seen_function = NULL;
	assert_non_null(get);
	get(device, &q->info, &layout);
	assert_string_equal(s->hal.control->seen_function,
		strcmp(name, CORE) ? "layout_of_extension" : "layout_of_core");
	assert_int_equal(layout.layout.rowPitch, 77);
	assert_int_equal(s->hal.control->seen_image_chain_count, count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(s->hal.control->seen_image_chain[i], types[i]);
}

/*
 * W-02: the swapchain that an image is said to be of doesn't reach the driver; what stands before
 * and behind it in the chain does, and the application's own chain is as it was.
 */
static void
layout_of_an_image_without_our_swapchain(void **state)
{
	static const char *const names[] = {"VK_KHR_swapchain", NULL};
	static const char *const functions[] = {CORE, EXTENSION};
	static const VkStructureType both[] = {VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
		VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO};
	struct question q;
	struct scene s;
	VkDevice device;

	begin(&s);
	device = make_device(&s.l, s.l.devices[0], names);
	for (int i = 0; i < 2; i++) {
		make_question(&q);
		expect_chain(&s, device, functions[i], &q, &q.before, 2, both);
		expect_chain(&s, device, functions[i], &q, &q.of, 1, both + 1);
		expect_chain(&s, device, functions[i], &q, &q.behind, 1, both + 1);
		q.behind.pNext = &q.of;
		q.of.pNext = NULL;
		expect_chain(&s, device, functions[i], &q, &q.behind, 1, both + 1);
		assert_ptr_equal(q.behind.pNext, &q.of);
		expect_chain(&s, device, functions[i], &q, NULL, 0, NULL);
	}
	end_device(&s.l, device);
	end(&s);
}

/* What can't be copied stands before it: the driver isn't asked, rather than given our handle. */
static void
layout_with_an_unknown_structure_is_not_asked_for(void **state)
{
	static const char *const names[] = {"VK_KHR_swapchain", NULL};
	struct layout layout = {.layout.rowPitch = 5};
	struct question q;
	struct scene s;
	VkDevice device;

	begin(&s);
	device = make_device(&s.l, s.l.devices[0], names);
	make_question(&q);
	q.image.pNext = &q.unknown;
	s.hal.control->seen_function = NULL;
	((get_layout_fn)EXPORTED(&s.l, vkGetDeviceProcAddr)(device, CORE))(
		device, &q.info, &layout);
	assert_null(s.hal.control->seen_function);
	assert_int_equal(layout.layout.rowPitch, 5);
	end_device(&s.l, device);
	end(&s);
}

/* Without swapchains there is nothing to hide: the driver's own function, whatever it is called. */
static void
layout_function_is_the_drivers_without_swapchains(void **state)
{
	struct scene s;
	VkDevice device;

	begin(&s);
	device = make_device(&s.l, s.l.devices[0], NULL);
	assert_ptr_equal(
		EXPORTED(&s.l, vkGetDeviceProcAddr)(device, CORE), s.hal.control->layout_function);
	end_device(&s.l, device);
	end(&s);
}

/*
 * L-06: features of extensions that our swapchains don't have: the driver isn't asked for them and
 * the application hears "no", each of them, though no registry of ours may know the structure. The
 * rest of the chain is the driver's.
 */
static void
features_of_hidden_extensions(void **state)
{
	struct {
		VkStructureType type; /* VkPhysicalDevicePresentMeteringFeaturesNV, of 2025 */
		void *next;
		VkBool32 value;
	} metering = {.type = (VkStructureType)1000613001, .value = VK_TRUE};
	/* This one ours have, all three of it. */
	VkPhysicalDevicePresentTimingFeaturesEXT timing = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT,
		.pNext = &metering};
	VkPhysicalDeviceMultiviewFeatures multiview = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, .pNext = &timing};
	/* This one ours have, and say so without the driver. */
	VkPhysicalDevicePresentIdFeaturesKHR present_id = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR,
		.pNext = &multiview,
	};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &present_id};
	struct scene s;

	begin(&s);
	EXPORTED(&s.l, vkGetPhysicalDeviceFeatures2)(s.l.devices[0], &features);
	assert_string_equal(s.hal.control->seen_function, "get_features2");
	assert_int_equal(s.hal.control->seen_features, 1);
	assert_true(multiview.multiview);
	assert_true(present_id.presentId);
	assert_false(metering.value);
	assert_true(timing.presentTiming);
	assert_true(timing.presentAtAbsoluteTime);
	assert_true(timing.presentAtRelativeTime);
	assert_ptr_equal(present_id.pNext, &multiview);
	assert_ptr_equal(multiview.pNext, &timing);
	assert_ptr_equal(timing.pNext, &metering);
	end(&s);
}

static const struct kr_test tests[] = {
	KR_TEST(version_of_swapchains_is_the_drivers),
	KR_TEST(layout_of_an_image_without_our_swapchain),
	KR_TEST(layout_with_an_unknown_structure_is_not_asked_for),
	KR_TEST(layout_function_is_the_drivers_without_swapchains),
	KR_TEST(features_of_hidden_extensions),
};

KR_TEST_MAIN(tests)
