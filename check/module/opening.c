/* SPDX-License-Identifier: Apache-2.0 */
/* open(), the device that it gives, and close() (D-02, D-03). */
#include "check/module/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 5

static int
open_as(struct check *c, const char *id, struct hw_device_t **device)
{
	struct hw_module_t *module = check_module(c);

	CHECK(c, module->methods && module->methods->open, "the module has no open()");
	check_step(c, "open");
	return module->methods->open(module, id, device);
}

static int
close_device(struct check *c, struct hw_device_t *device)
{
	CHECK(c, device->close, "hw_device_t::close is NULL");
	check_step(c, "close");
	return device->close(device);
}

static void
opens(struct check *c)
{
	struct hw_device_t *device = NULL;
	int ret = open_as(c, HWVULKAN_DEVICE_0, &device);

	CHECK(c, !ret, "open(\"vk0\") gave %d (%s)", ret, strerror(abs(ret)));
	CHECK(c, device, "open(\"vk0\") gave 0 and no device");
}

static void
refuses(struct check *c)
{
	static const char *const names[] = {"vk1", "vk", "vk00", "VK0", "vulkan", "gpu0", ""};

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		struct hw_device_t *device = NULL;
		int ret = open_as(c, names[i], &device);

		CHECK(c, ret, "open(\"%s\") gave 0, as if there were such a device", names[i]);
		CHECK(c, ret < 0, "open(\"%s\") gave %d, where a negative errno is due", names[i],
			ret);
		CHECK(c, !device, "open(\"%s\") failed and gave a device", names[i]);
	}
}

static void
device_tag(struct check *c)
{
	uint32_t is = check_open(c)->common.tag;

	CHECK(c, is == HARDWARE_DEVICE_TAG, "the device's tag is 0x%08x, where 0x%08x is due", is,
		HARDWARE_DEVICE_TAG);
}

static void
device_version(struct check *c)
{
	uint32_t is = check_open(c)->common.version;

	CHECK(c, is == HWVULKAN_DEVICE_API_VERSION_0_1,
		"the device's version is 0x%08x, where 0x%08x is due", is,
		HWVULKAN_DEVICE_API_VERSION_0_1);
}

static void
device_module(struct check *c)
{
	const hwvulkan_device_t *device = check_open(c);

	CHECK(c, device->common.module == check_module(c),
		"hw_device_t::module is %p, and the module that was opened is at %p",
		(void *)device->common.module, (void *)check_module(c));
}

static void
device_functions(struct check *c)
{
	struct hw_device_t *device = NULL;
	const hwvulkan_device_t *vulkan;

	CHECK(c, !open_as(c, HWVULKAN_DEVICE_0, &device) && device, "open(\"vk0\") failed");
	vulkan = (const hwvulkan_device_t *)device;
	CHECK(c, vulkan->EnumerateInstanceExtensionProperties,
		"EnumerateInstanceExtensionProperties is NULL");
	CHECK(c, vulkan->CreateInstance, "CreateInstance is NULL");
	CHECK(c, vulkan->GetInstanceProcAddr, "GetInstanceProcAddr is NULL");
}

static void
closes(struct check *c)
{
	struct hw_device_t *device = NULL;
	int ret;

	CHECK(c, !open_as(c, HWVULKAN_DEVICE_0, &device) && device, "open(\"vk0\") failed");
	ret = close_device(c, device);
	CHECK(c, !ret, "close() gave %d (%s)", ret, strerror(abs(ret)));
}

/* The first round may leave what a library keeps for good. */
static void
opens_again(struct check *c)
{
	unsigned before = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct hw_device_t *device = NULL;
		int ret = open_as(c, HWVULKAN_DEVICE_0, &device);
		unsigned now;

		CHECK(c, !ret && device, "open(\"vk0\") number %d gave %d", i + 1, ret);
		CHECK(c, !close_device(c, device), "close() number %d failed", i + 1);
		now = check_descriptors(c);
		before = i ? before : now;
		CHECK(c, now <= before, "open and close leave a descriptor behind: %u, then %u",
			before, now);
	}
}

/* A platform opens it once; who tries again may get an error, but breaks nothing. */
static void
opens_twice(struct check *c)
{
	hwvulkan_device_t *first = check_open(c);
	VkInstance instance = check_make_instance(c, NULL);
	VkPhysicalDevice devices[CHECK_MAX_PHYSICAL];
	struct hw_device_t *second = NULL;
	int ret = open_as(c, HWVULKAN_DEVICE_0, &second);

	CHECK(c, !ret || !second, "a second open() gave the error %d and a device", ret);
	CHECK(c, ret || second, "a second open() gave 0 and no device");
	if (!ret && second != &first->common)
		CHECK(c, !close_device(c, second), "close() of the second failed");
	(void)check_physical_devices(c, instance, devices);
	CHECK_CALL(c, vkDestroyInstance, instance, NULL);
}

/* What a program's end runs: destructors, and threads of the driver beside them. */
static void
survives_exit(struct check *c)
{
	struct check_device device;
	int status = 0;
	pid_t pid;

	check_step(c, "fork");
	pid = fork();
	if (pid < 0)
		check_skip(c, "no process can be made: %s", strerror(errno));
	if (!pid) {
		check_make_device(c, NULL, &device);
		exit(3);
	}
	check_step(c, "exit");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	CHECK(c, !WIFSIGNALED(status), "a program with a device crashes at its end: signal %d (%s)",
		WTERMSIG(status), strsignal(WTERMSIG(status)));
	CHECK(c, WEXITSTATUS(status) == 3, "a program's exit code 3 became %d",
		WEXITSTATUS(status));
}

static const struct check_case rows[] = {
	{
		.name = "opening.vk0",
		.requirement = "D-02",
		.expected = "open(\"vk0\") gives 0 and a device",
		.consequence = "no Vulkan: vkCreateInstance fails in every program",
		.run = opens,
	},
	{
		.name = "opening.other_names_are_refused",
		.requirement = "D-02",
		.expected = "open() of any other name gives a negative errno and no device",
		.consequence =
			"a platform takes another device of the module for a Vulkan device, and crashes",
		.run = refuses,
	},
	{
		.name = "opening.device_has_the_tag",
		.requirement = "D-03",
		.expected = "hw_device_t::tag is HARDWARE_DEVICE_TAG",
		.consequence = "a platform takes the device for another thing, and refuses it",
		.run = device_tag,
	},
	{
		.name = "opening.device_has_its_version",
		.requirement = "D-03",
		.expected = "hw_device_t::version is HWVULKAN_DEVICE_API_VERSION_0_1",
		.consequence =
			"a platform can't know which functions the device has, and may refuse it",
		.run = device_version,
	},
	{
		.name = "opening.device_knows_its_module",
		.requirement = "D-03",
		.expected = "hw_device_t::module is the module whose open() was called",
		.consequence = "a platform that closes or lists devices by their modules crashes",
		.run = device_module,
	},
	{
		.name = "opening.device_has_its_functions",
		.requirement = "D-03",
		.expected = "none of the three functions of hwvulkan_device_t is NULL",
		.consequence = "the loader refuses the driver, or crashes at the first call",
		.run = device_functions,
	},
	{
		.name = "opening.device_closes",
		.requirement = "D-03",
		.expected = "hw_device_t::close is there and gives 0",
		.consequence = "programs crash or hang when they unload Vulkan",
		.run = closes,
	},
	{
		.name = "opening.again_after_closing",
		.requirement = "D-03",
		.expected =
			"a device that was closed can be opened again, and no descriptor is left behind",
		.consequence =
			"a program that unloads Vulkan and loads it again has none, or runs out of descriptors",
		.run = opens_again,
	},
	{
		.name = "opening.twice",
		.requirement = "D-02",
		.expected =
			"a second open() gives an error or another device, and the first one works on",
		.consequence = "two copies of the loader in one process crash each other",
		.run = opens_twice,
	},
	{
		.name = "opening.survives_exit",
		.requirement = "D-03",
		.expected = "a process that ends with a device open ends with its own exit code",
		.consequence = "programs crash or hang when they are closed",
		.run = survives_exit,
	},
};

const struct check_rows check_module_opening = CHECK_ROWS(rows);
