/* SPDX-License-Identifier: Apache-2.0 */
/* Functions by name (L-03), the version, and handles that are none of ours. */
#include <string.h>

#include "gen/commands.h"
#include "support.h"

static void
test_without_an_instance(void **state)
{
	struct loader l;

	use_both_fakes();
	open_loader(&l);
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		bool global =
			kr_commands[i].level == KR_LEVEL_GLOBAL || i == KR_CMD_GetInstanceProcAddr;

		if (global != (l.gipa(VK_NULL_HANDLE, kr_commands[i].name) != NULL))
			fail_msg("%s", kr_commands[i].name);
	}
	assert_ptr_equal(l.gipa(VK_NULL_HANDLE, "vkGetInstanceProcAddr"), l.gipa);
	assert_null(l.gipa(VK_NULL_HANDLE, "vkNoSuchFunction"));
	assert_null(l.gipa(VK_NULL_HANDLE, ""));
	close_loader(&l);
}

/* Core functions always; those of an extension when it is enabled; of devices for any device. */
static void
test_with_an_instance(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_EXT_headless_surface", NULL};
	struct loader l;

	use_both_fakes();
	open_loader(&l);
	make_instance(&l, names);
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const struct kr_command *command = &kr_commands[i];

		if (command->core_version && !l.gipa(l.instance, command->name))
			fail_msg("%s", command->name);
	}
	assert_non_null(l.gipa(l.instance, "vkCreateHeadlessSurfaceEXT"));
	assert_non_null(l.gipa(l.instance, "vkDestroySurfaceKHR"));
	assert_null(l.gipa(l.instance, "vkCreateXcbSurfaceKHR"));
	assert_null(l.gipa(l.instance, "vkCreateDebugUtilsMessengerEXT"));
	assert_null(l.gipa(l.instance, "vkCmdBeginDebugUtilsLabelEXT"));
	assert_non_null(l.gipa(l.instance, "vkCreateSwapchainKHR"));
	assert_ptr_equal(l.gipa(l.instance, "vkCmdDraw"), EXPORTED(&l, vkCmdDraw));
	assert_ptr_equal(l.gipa(l.instance, "vkCreateDevice"), EXPORTED(&l, vkCreateDevice));
	assert_null(l.gipa(l.instance, "vkNoSuchFunction"));
	/* Straight to the terminator, past the trampoline. */
	assert_ptr_not_equal(l.gipa(l.instance, "vkGetPhysicalDeviceProperties"),
		EXPORTED(&l, vkGetPhysicalDeviceProperties));
	end_instance(&l);
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_3, NULL), VK_SUCCESS);
	/* Since 1.3 global functions are had without an instance alone. */
	assert_null(l.gipa(l.instance, "vkCreateInstance"));
	assert_non_null(l.gipa(l.instance, "vkGetInstanceProcAddr"));
	end_instance(&l);
	close_loader(&l);
}

static void
test_with_a_device(void **state)
{
	struct loader l;
	VkDevice device;
	PFN_vkGetDeviceProcAddr gdpa;

	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	device = make_device(&l, l.devices[0], NULL);
	gdpa = EXPORTED(&l, vkGetDeviceProcAddr);
	assert_ptr_equal(gdpa(device, "vkGetDeviceProcAddr"), gdpa);
	assert_ptr_equal(gdpa(device, "vkDestroyDevice"), EXPORTED(&l, vkDestroyDevice));
	assert_null(gdpa(device, "vkCreateInstance"));
	assert_null(gdpa(device, "vkGetPhysicalDeviceProperties"));
	assert_null(gdpa(VK_NULL_HANDLE, "vkCmdDraw"));
	/* The driver hasn't it. */
	assert_null(gdpa(device, "vkCmdDispatch"));
	((PFN_vkDestroyDevice)gdpa(device, "vkDestroyDevice"))(device, NULL);
	end_instance(&l);
	close_loader(&l);
}

static void
test_version(void **state)
{
	uint32_t version = 0;
	struct loader l;

	use_no_drivers();
	open_loader(&l);
	assert_int_equal(EXPORTED(&l, vkEnumerateInstanceVersion)(&version), VK_SUCCESS);
	/* L-05: 1.4 with headers of any age. */
	assert_true(version >= VK_MAKE_API_VERSION(0, 1, 4, 0));
	assert_true(version >= VK_HEADER_VERSION_COMPLETE);
	close_loader(&l);
}

/* As in every loader: a sentence and abort(). */
static void
test_wrong_instance_aborts(void **state)
{
	uint64_t table[4] = {0};
	void *object = table;
	struct loader l;

	use_no_drivers();
	open_loader(&l);
	l.gipa((VkInstance)&object, "vkCreateDevice");
}

static void
test_wrong_physical_device_aborts(void **state)
{
	struct loader l;
	uint32_t count = 0;

	use_no_drivers();
	open_loader(&l);
	EXPORTED(&l, vkEnumerateDeviceExtensionProperties)(VK_NULL_HANDLE, NULL, &count, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST(test_without_an_instance),
	KR_TEST(test_with_an_instance),
	KR_TEST(test_with_a_device),
	KR_TEST(test_version),
	KR_TEST_FLAGS(test_wrong_instance_aborts, KR_TEST_EXPECT_ABORT),
	KR_TEST_FLAGS(test_wrong_physical_device_aborts, KR_TEST_EXPECT_ABORT),
};

KR_TEST_MAIN(tests)
