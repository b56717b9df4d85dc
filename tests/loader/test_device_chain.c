/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and physical devices with layers that have a say, and what vkCreateDevice refuses. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fakes/adding_layer.h"
#include "support.h"

struct rig {
	struct fakes fakes;
	struct loader l;
	void *dso;
	struct adding_layer *layer;
};

static void
begin(struct rig *r, bool layer)
{
	memset(r, 0, sizeof(*r));
	open_fakes(&r->fakes);
	use_both_fakes();
	if (layer) {
		r->dso = dlopen(TEST_ADDING_LAYER, RTLD_NOW);
		if (!r->dso)
			fail_msg("%s", dlerror());
		r->layer = dlsym(r->dso, "adding_layer");
		kr_test_file("adding_layer.json",
			"{\"file_format_version\": \"1.2.0\", \"layer\": {\"name\": "
			"\"VK_LAYER_KR_adding\", \"type\": \"GLOBAL\", \"library_path\": "
			"\"" TEST_ADDING_LAYER "\", \"api_version\": \"1.3.0\", "
			"\"implementation_version\": \"1\", \"description\": \"test\"}}");
		set_variable("VK_INSTANCE_LAYERS", "VK_LAYER_KR_adding");
	}
	open_loader(&r->l);
}

static void
end(struct rig *r)
{
	end_instance(&r->l);
	close_loader(&r->l);
	close_fakes(&r->fakes);
	if (r->dso)
		dlclose(r->dso);
}

/* K-35: the application gets an object of ours, the layer its own handle back. */
static void
test_added_device(void **state)
{
	VkPhysicalDeviceProperties properties;
	VkPhysicalDevice again[8];
	PFN_vkVoidFunction future;
	uint32_t count = 8;
	struct rig r;

	begin(&r, true);
	make_instance(&r.l, NULL);
	assert_int_equal(r.l.device_count, 3);
	assert_ptr_not_equal(r.l.devices[0], ADDED_DEVICE);
	assert_int_equal(EXPORTED(&r.l, vkEnumeratePhysicalDevices)(r.l.instance, &count, again),
		VK_SUCCESS);
	assert_memory_equal(again, r.l.devices, 3 * sizeof(again[0]));
	EXPORTED(&r.l, vkGetPhysicalDeviceProperties)(r.l.devices[0], &properties);
	assert_string_equal(properties.deviceName, "added");
	EXPORTED(&r.l, vkGetPhysicalDeviceProperties)(r.l.devices[2], &properties);
	assert_string_equal(properties.deviceName, "b");
	count = 0;
	assert_int_equal(EXPORTED(&r.l, vkEnumerateDeviceExtensionProperties)(
				 r.l.devices[0], NULL, &count, NULL),
		VK_SUCCESS);
	/* K-30: a function of the layer alone; and one of the drivers, on a device of theirs. */
	future = r.l.gipa(r.l.instance, "vkFutureOfLayerKR");
	assert_non_null(future);
	assert_int_equal(((int (*)(VkPhysicalDevice))future)(r.l.devices[0]), 7);
	assert_ptr_equal(r.layer->future, ADDED_DEVICE);
	assert_int_equal(((int (*)(VkPhysicalDevice))future)(r.l.devices[1]), 7);
	assert_ptr_equal(r.layer->future, r.l.devices[1]);
	end(&r);
}

static void
test_device_of_an_added_one(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_utils", NULL};
	VkPhysicalDeviceFeatures2 before = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
	VkDebugUtilsObjectNameInfoEXT name = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = VK_OBJECT_TYPE_PHYSICAL_DEVICE,
	};
	VkDeviceGroupDeviceCreateInfo group = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO,
		.physicalDeviceCount = 1,
	};
	struct rig r;
	VkDevice device;

	begin(&r, true);
	make_instance(&r.l, names);
	before.pNext = &group;
	group.pPhysicalDevices = &r.l.devices[1];
	assert_int_equal(try_device(&r.l, r.l.devices[0], NULL, &before, &device), VK_SUCCESS);
	assert_ptr_equal(r.layer->created_with, ADDED_DEVICE);
	assert_ptr_equal(r.layer->group_with, r.l.devices[1]);
	name.objectHandle = (uintptr_t)r.l.devices[0];
	assert_int_equal(
		OF_DEVICE(&r.l, device, vkSetDebugUtilsObjectNameEXT)(device, &name), VK_SUCCESS);
	assert_int_equal(r.layer->named, (uintptr_t)ADDED_DEVICE);
	name.objectHandle = (uintptr_t)r.l.devices[2];
	assert_int_equal(
		OF_INSTANCE(&r.l, vkSetDebugUtilsObjectNameEXT)(device, &name), VK_SUCCESS);
	assert_int_equal(r.layer->named, (uintptr_t)r.l.devices[2]);
	end_device(&r.l, device);
	end(&r);
}

/* Calls each of the functions that name any object. */
static void
name_device(struct rig *r, VkDevice device, VkPhysicalDevice named)
{
	const uint64_t handle = (uint64_t)(uintptr_t)named;
	const VkDebugUtilsObjectNameInfoEXT name = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = VK_OBJECT_TYPE_PHYSICAL_DEVICE,
		.objectHandle = handle,
	};
	const VkDebugUtilsObjectTagInfoEXT tag = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_TAG_INFO_EXT,
		.objectType = VK_OBJECT_TYPE_PHYSICAL_DEVICE,
		.objectHandle = handle,
	};
	const VkDebugMarkerObjectNameInfoEXT mark = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_NAME_INFO_EXT,
		.objectType = VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT,
		.object = handle,
	};
	const VkDebugMarkerObjectTagInfoEXT mark_tag = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_TAG_INFO_EXT,
		.objectType = VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT,
		.object = handle,
	};

	assert_int_equal(
		OF_DEVICE(&r->l, device, vkSetDebugUtilsObjectNameEXT)(device, &name), VK_SUCCESS);
	assert_int_equal(
		OF_DEVICE(&r->l, device, vkSetDebugUtilsObjectTagEXT)(device, &tag), VK_SUCCESS);
	assert_int_equal(
		OF_DEVICE(&r->l, device, vkDebugMarkerSetObjectNameEXT)(device, &mark), VK_SUCCESS);
	assert_int_equal(OF_DEVICE(&r->l, device, vkDebugMarkerSetObjectTagEXT)(device, &mark_tag),
		VK_SUCCESS);
}

/*
 * K-33: the layer hears of its own handle, and no driver hears of it where the layer
 * leaves names to what is below.
 */
static void
test_names_of_an_added_one(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_utils", NULL};
	static const char *const device_names[] = {"VK_EXT_debug_marker", NULL};
	const uint64_t added = (uint64_t)(uintptr_t)ADDED_DEVICE;
	struct rig r;
	VkDevice device;

	for (int without = 0; without < 2; without++) {
		begin(&r, true);
		r.layer->no_names = without;
		r.fakes.a->device_extensions[0] = device_names[0];
		make_instance(&r.l, names);
		assert_int_equal(
			try_device(&r.l, r.l.devices[0], device_names, NULL, &device), VK_SUCCESS);
		name_device(&r, device, r.l.devices[0]);
		assert_true(r.layer->named == (without ? 0 : added));
		assert_true(r.layer->tagged == (without ? 0 : added));
		assert_true(r.layer->marked == (without ? 0 : added));
		assert_true(r.layer->mark_tagged == (without ? 0 : added));
		assert_int_equal(r.fakes.a->names_set + r.fakes.a->tags_set, 0);
		/* A driver's own one has its name there, or in the layer as the loader's. */
		name_device(&r, device, r.l.devices[1]);
		assert_int_equal(r.fakes.a->names_set, without ? 2 : 0);
		assert_int_equal(r.fakes.a->tags_set, without ? 2 : 0);
		assert_true(without || r.layer->marked == (uint64_t)(uintptr_t)r.l.devices[1]);
		end_device(&r.l, device);
		end(&r);
	}
}

/* The layer hands the group on as it is: no driver has that device. */
static void
test_device_of_a_group_with_an_added_one(void **state)
{
	VkPhysicalDevice devices[2];
	const VkDeviceGroupDeviceCreateInfo group = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO,
		.physicalDeviceCount = 2,
		.pPhysicalDevices = devices,
	};
	struct rig r;
	VkDevice device;

	begin(&r, true);
	make_instance(&r.l, NULL);
	devices[0] = r.l.devices[1];
	devices[1] = r.l.devices[0];
	assert_int_equal(try_device(&r.l, r.l.devices[1], NULL, &group, &device),
		VK_ERROR_INITIALIZATION_FAILED);
	assert_int_equal(r.fakes.a->devices, 0);
	end(&r);
}

/* K-35: groups of added devices are of the same objects that the enumeration of devices gives. */
static void
test_group_of_an_added_one(void **state)
{
	static const char *const names[] = {"VK_KHR_device_group_creation", NULL};
	PFN_vkEnumeratePhysicalDeviceGroups get[2];
	VkPhysicalDeviceGroupProperties groups[4];
	struct rig r;

	begin(&r, true);
	r.fakes.a->instance_extensions[0] = names[0];
	r.fakes.b->instance_extensions[0] = names[0];
	make_instance(&r.l, names);
	get[0] = OF_INSTANCE(&r.l, vkEnumeratePhysicalDeviceGroups);
	get[1] = OF_INSTANCE(&r.l, vkEnumeratePhysicalDeviceGroupsKHR);
	for (int i = 0; i < 2; i++) {
		uint32_t count = 0;

		assert_int_equal(get[i](r.l.instance, &count, NULL), VK_SUCCESS);
		assert_int_equal(count, 3);
		count = 4;
		memset(groups, 0, sizeof(groups));
		assert_int_equal(get[i](r.l.instance, &count, groups), VK_SUCCESS);
		assert_int_equal(count, 3);
		assert_int_equal(groups[0].physicalDeviceCount, 1);
		assert_ptr_equal(groups[0].physicalDevices[0], r.l.devices[0]);
		assert_ptr_equal(groups[2].physicalDevices[0], r.l.devices[2]);
	}
	end(&r);
}

/* K-36: a layer that fails after the driver made a device leaves none behind. */
static void
test_forgotten_device(void **state)
{
	struct rig r;
	VkDevice device;

	begin(&r, true);
	make_instance(&r.l, NULL);
	r.layer->forgets = true;
	assert_int_equal(
		try_device(&r.l, r.l.devices[1], NULL, NULL, &device), VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(r.fakes.a->devices, 0);
	end(&r);
}

/* K-51: layers are believed no more than drivers. */
static void
test_lying_layer(void **state)
{
	VkPhysicalDevice devices[3];
	uint32_t count = 3;
	struct rig r;
	VkDevice device;

	begin(&r, true);
	make_instance(&r.l, NULL);
	r.layer->lies = true;
	assert_true(EXPORTED(&r.l, vkEnumeratePhysicalDevices)(r.l.instance, &count, devices) >= 0);
	assert_int_equal(count, 2);
	assert_ptr_equal(devices[0], r.l.devices[1]);
	assert_ptr_equal(devices[1], r.l.devices[2]);
	assert_int_equal(try_device(&r.l, r.l.devices[1], NULL, NULL, &device),
		VK_ERROR_INITIALIZATION_FAILED);
	assert_int_equal(r.fakes.a->devices, 0);
	end(&r);
}

static void
test_overwritten_device(void **state)
{
	struct rig r;
	VkDevice device;

	begin(&r, true);
	make_instance(&r.l, NULL);
	r.layer->overwrites = true;
	(void)try_device(&r.l, r.l.devices[1], NULL, NULL, &device);
}

static char heard[1024];

static VkBool32 VKAPI_CALL
hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
	snprintf(heard, sizeof(heard), "%s", data->pMessage);
	return VK_FALSE;
}

static VkDebugUtilsMessengerEXT
add_messenger(struct rig *r)
{
	const VkDebugUtilsMessengerCreateInfoEXT info =
		kr_vulkan_messenger_info(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
				VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
			hear, NULL);

	return make_messenger(&r->l, &info);
}

static void
make_listening_instance(struct rig *r, VkDebugUtilsMessengerEXT *messenger)
{
	static const char *const names[] = {"VK_EXT_debug_utils", NULL};

	make_instance(&r->l, names);
	*messenger = add_messenger(r);
}

/* K-36: an extension that is nobody's. */
static void
test_unknown_extension(void **state)
{
	static const char *const missing[] = {"VK_KR_nobodys", NULL};
	VkDebugUtilsMessengerEXT messenger;
	struct rig r;
	VkDevice device;

	begin(&r, false);
	make_listening_instance(&r, &messenger);
	assert_int_equal(try_device(&r.l, r.l.devices[0], missing, NULL, &device),
		VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_non_null(strstr(heard, "VK_KR_nobodys"));
	r.fakes.a->device_extensions[0] = "VK_KR_nobodys";
	assert_int_equal(try_device(&r.l, r.l.devices[0], missing, NULL, &device), VK_SUCCESS);
	assert_true(has_name(r.fakes.a->seen_device_extensions, 1, "VK_KR_nobodys"));
	end_device(&r.l, device);
	end_messenger(&r.l, messenger);
	end(&r);
}

/* K-26 */
static void
test_layers_of_devices(void **state)
{
	static const char *const layer = "VK_LAYER_KR_adding";
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.enabledLayerCount = 1,
		.ppEnabledLayerNames = &layer,
	};
	VkDebugUtilsMessengerEXT messenger;
	struct rig r;
	VkDevice device;

	begin(&r, false);
	make_listening_instance(&r, &messenger);
	heard[0] = '\0';
	assert_int_equal(
		EXPORTED(&r.l, vkCreateDevice)(r.l.devices[0], &info, NULL, &device), VK_SUCCESS);
	assert_non_null(strstr(heard, "ppEnabledLayerNames"));
	assert_int_equal(r.fakes.a->seen_layer_count, 0);
	end_device(&r.l, device);
	end_messenger(&r.l, messenger);
	end(&r);
}

/* K-29: commands that the loader stands before are had with their extension alone. */
static void
test_commands_of_what_is_not_enabled(void **state)
{
	static const char *const swapchain[] = {"VK_KHR_swapchain", NULL};
	struct rig r;
	VkDevice device;

	begin(&r, false);
	r.fakes.a->device_extensions[0] = swapchain[0];
	make_instance(&r.l, NULL);
	device = make_device(&r.l, r.l.devices[0], NULL);
	assert_null(OF_DEVICE(&r.l, device, vkCreateSwapchainKHR));
	assert_null(OF_DEVICE(&r.l, device, vkSetDebugUtilsObjectNameEXT));
	assert_non_null(r.l.gipa(r.l.instance, "vkCreateSwapchainKHR"));
	end_device(&r.l, device);
	device = make_device(&r.l, r.l.devices[0], swapchain);
	assert_non_null(OF_DEVICE(&r.l, device, vkCreateSwapchainKHR));
	end_device(&r.l, device);
	end(&r);
}

/* K-29: with maintenance5, commands newer than the application's version aren't there. */
static void
test_commands_too_new(void **state)
{
	static const char *const names[] = {"VK_KHR_maintenance5", NULL};
	struct {
		VkStructureType type;
		const void *next;
		VkBool32 enabled;
	} features = {(VkStructureType)1000470000, NULL, VK_TRUE};
	struct rig r;
	VkDevice device;

	begin(&r, false);
	r.fakes.a->device_extensions[0] = r.fakes.b->device_extensions[0] = names[0];
	for (uint32_t minor = 0; minor < 2; minor++) {
		for (int step = 0; step < 3; step++) {
			bool there = minor || step < 2;

			assert_int_equal(
				try_instance(&r.l, VK_MAKE_API_VERSION(0, 1, minor, 0), NULL),
				VK_SUCCESS);
			find_devices(&r.l);
			assert_int_equal(try_device(&r.l, r.l.devices[0], step ? names : NULL,
						 step == 2 ? &features : NULL, &device),
				VK_SUCCESS);
			assert_int_equal(OF_DEVICE(&r.l, device, vkGetDeviceQueue2) != NULL, there);
			assert_non_null(OF_DEVICE(&r.l, device, vkGetDeviceQueue));
			end_device(&r.l, device);
			if (minor + 1 < 2 || step < 2)
				end_instance(&r.l);
		}
	}
	end(&r);
}

/*
 * K-26: a program that names the same layers again, as it had to once, hears nothing;
 * another order is told.
 */
static void
test_layers_of_the_instance(void **state)
{
	static const char *const extensions[] = {"VK_EXT_debug_utils", NULL};
	static const char *const layer[] = {"VK_LAYER_KR_adding", NULL};
	static const char *const layers[] = {"VK_LAYER_KR_adding", "VK_LAYER_KR_adding"};
	const struct kr_vulkan_instance_info instance_info = {
		.layers = layer,
		.extensions = extensions,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.ppEnabledLayerNames = layers,
	};
	VkDebugUtilsMessengerEXT messenger;
	struct rig r;
	VkDevice device;

	begin(&r, true);
	set_variable("VK_INSTANCE_LAYERS", "");
	assert_int_equal(try_instance_with(&r.l, &instance_info), VK_SUCCESS);
	find_devices(&r.l);
	messenger = add_messenger(&r);
	for (info.enabledLayerCount = 1; info.enabledLayerCount <= 2; info.enabledLayerCount++) {
		heard[0] = '\0';
		assert_int_equal(
			EXPORTED(&r.l, vkCreateDevice)(r.l.devices[2], &info, NULL, &device),
			VK_SUCCESS);
		end_device(&r.l, device);
		assert_int_equal(
			strstr(heard, "ppEnabledLayerNames") != NULL, info.enabledLayerCount == 2);
	}
	end_messenger(&r.l, messenger);
	end(&r);
}

static const struct kr_test tests[] = {
	KR_TEST(test_added_device),
	KR_TEST(test_device_of_an_added_one),
	KR_TEST(test_names_of_an_added_one),
	KR_TEST(test_device_of_a_group_with_an_added_one),
	KR_TEST(test_group_of_an_added_one),
	KR_TEST(test_forgotten_device),
	KR_TEST(test_lying_layer),
	KR_TEST_FLAGS(test_overwritten_device, KR_TEST_EXPECT_ABORT),
	KR_TEST(test_unknown_extension),
	KR_TEST(test_layers_of_devices),
	KR_TEST(test_layers_of_the_instance),
	KR_TEST(test_commands_of_what_is_not_enabled),
	KR_TEST(test_commands_too_new),
};

KR_TEST_MAIN(tests)
