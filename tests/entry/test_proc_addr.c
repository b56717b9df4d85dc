/* SPDX-License-Identifier: Apache-2.0 */
/* Functions by name, the version, and handles that are none of ours. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/commands.h"
#include "gen/extensions.h"
#include "gen/tables.h"
#include "support.h"

/* K-28 */
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

/*
 * K-28: core functions always; those of an extension when it is enabled; of devices for any device.
 */
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
	/* They check their handle. */
	assert_ptr_equal(l.gipa(l.instance, "vkGetPhysicalDeviceProperties"),
		EXPORTED(&l, vkGetPhysicalDeviceProperties));
	end_instance(&l);
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_3, NULL), VK_SUCCESS);
	/* Since 1.3 global functions are had without an instance alone. */
	assert_null(l.gipa(l.instance, "vkCreateInstance"));
	assert_non_null(l.gipa(l.instance, "vkGetInstanceProcAddr"));
	end_instance(&l);
	close_loader(&l);
}

/* Whether an instance that enabled nothing may have a command by name. */
static bool
is_for_all(const struct kr_command *command)
{
	bool of_devices = false;

	for (uint32_t i = 0; i < command->extension_count; i++)
		of_devices |= !kr_extensions[kr_command_extensions[command->extension_first + i]]
				       .instance;
	return command->core_version || of_devices;
}

/*
 * K-28, K-47: each name, under each profile, with what drivers it has; what is
 * exported is what is found.
 */
static void
test_every_name_under_each_profile(void **state)
{
	static const char *const profiles[] = {"linux", "android", "fuchsia"};
	struct loader l;

	for (size_t i = 0; i < KR_ARRAY_LEN(profiles); i++) {
		use_both_fakes();
		set_variable("KRAFLA_HAL_PATH", TEST_HAL_DIR);
		set_variable("KRAFLA_PROP_ro_hardware_vulkan", "null");
		set_variable("KRAFLA_PROFILE", profiles[i]);
		open_loader(&l);
		make_instance(&l, NULL);
		for (size_t j = 0; j < KR_COMMAND_COUNT; j++) {
			const struct kr_command *command = &kr_commands[j];
			PFN_vkVoidFunction found = l.gipa(l.instance, command->name);

			if (is_for_all(command) != (found != NULL))
				fail_msg("%s: %s", profiles[i], command->name);
			/* Without an object only our own is certainly ours (entry/elsewhere.h). */
			if (found && command->exported && command->level != KR_LEVEL_GLOBAL &&
				found != find_export(&l, command->name))
				fail_msg("%s: %s is another", profiles[i], command->name);
		}
		end_instance(&l);
		close_loader(&l);
	}
	set_variable("KRAFLA_PROFILE", "");
}

/* K-29, L-03 */
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
	/* L-05, L-06: 1.4 with headers of any age. */
	assert_true(version >= VK_MAKE_API_VERSION(0, 1, 4, 0));
	assert_true(version >= VK_HEADER_VERSION_COMPLETE);
	close_loader(&l);
}

/* What a process says and how it ends when it calls `function` with an object that isn't ours. */
static void
expect_refusal(PFN_vkVoidFunction function, const struct kr_command *command, void *object)
{
	uintptr_t (*call)(void *, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
	char said[1024] = "", expected[256];
	int pipes[2], status;
	ssize_t length;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		dup2(pipes[1], STDERR_FILENO);
		memcpy(&call, &function, sizeof(call));
		/* Whatever comes behind the object isn't looked at, pointers least. */
		call(object, 1, 1, 1, 1, 1, 1, 1);
		_exit(0);
	}
	close(pipes[1]);
	length = read(pipes[0], said, sizeof(said) - 1);
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	snprintf(expected, sizeof(expected), "%s: Invalid %s [VUID-%s-%s-parameter]", command->name,
		command->handle, command->name, command->handle);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || length <= 0 ||
		!strstr(said, expected))
		fail_msg("%s: status %x, said: %s", command->name, status, said);
}

/* K-27: whatever the first words are; an instance's is not followed. */
static void
test_wrong_handles(void **state)
{
	struct kr_device_table device_table = {.magic = 0x10aded010110aded};
	void *of_instance[] = {(void *)0x123456789ab, NULL};
	void *of_device[] = {&device_table};
	struct loader l;

	use_no_drivers();
	open_loader(&l);
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const struct kr_command *command = &kr_commands[i];
		PFN_vkVoidFunction function = (PFN_vkVoidFunction)dlsym(l.dso, command->name);
		bool device = command->level == KR_LEVEL_DEVICE;

		if (command->level == KR_LEVEL_GLOBAL || !function)
			continue;
		expect_refusal(function, command, device ? of_device : of_instance);
		if (i != KR_CMD_DestroyInstance && i != KR_CMD_DestroyDevice &&
			i != KR_CMD_GetInstanceProcAddr && i != KR_CMD_GetDeviceProcAddr)
			expect_refusal(function, command, NULL);
	}
	EXPORTED(&l, vkDestroyInstance)(VK_NULL_HANDLE, NULL);
	EXPORTED(&l, vkDestroyDevice)(VK_NULL_HANDLE, NULL);
	close_loader(&l);
}

/* K-27: an instance that was destroyed isn't one, nor are its devices. */
static void
test_destroyed_instance(void **state)
{
	void *instance, *device;
	struct loader l;
	void *words[2];

	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	words[0] = *(void **)l.instance;
	words[1] = *(void **)l.devices[0];
	/* Not the memory, which is somebody else's now; but the words that stood there. */
	instance = &words[0];
	device = &words[1];
	end_instance(&l);
	expect_refusal(find_export(&l, "vkEnumeratePhysicalDevices"),
		&kr_commands[KR_CMD_EnumeratePhysicalDevices], instance);
	expect_refusal(find_export(&l, "vkGetPhysicalDeviceFeatures"),
		&kr_commands[KR_CMD_GetPhysicalDeviceFeatures], device);
	close_loader(&l);
}

/* More instances than there are slots: all are found, and those that are gone are not. */
static void
test_many_instances(void **state)
{
	static VkInstance instances[600];
	struct loader l;

	use_null_hal();
	open_loader(&l);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < KR_ARRAY_LEN(instances); i++) {
			if (round && i % 2)
				continue;
			assert_int_equal(try_instance(&l, VK_API_VERSION_1_0, NULL), VK_SUCCESS);
			instances[i] = l.instance;
		}
		for (size_t i = 0; i < KR_ARRAY_LEN(instances); i++) {
			l.instance = instances[i];
			find_devices(&l);
			if (round || i % 2 == 0)
				end_instance(&l);
		}
	}
	close_loader(&l);
}

static const struct kr_test tests[] = {
	KR_TEST(test_without_an_instance),
	KR_TEST(test_with_an_instance),
	KR_TEST(test_every_name_under_each_profile),
	KR_TEST(test_with_a_device),
	KR_TEST(test_version),
	KR_TEST_SLOW(test_wrong_handles, 0, 60),
	KR_TEST(test_destroyed_instance),
	KR_TEST(test_many_instances),
};

KR_TEST_MAIN(tests)
