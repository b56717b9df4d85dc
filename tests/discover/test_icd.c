/* SPDX-License-Identifier: Apache-2.0 */
/* Discovery through manifests, and the stub that stands for "no driver". */
#include "support.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing_alloc.h"
#include "util/log.h"
#include "util/text.h"

/* The one driver that a manifest of this library gives. */
static struct kr_driver *
discover_one(const char *file, const char *api_version, struct kr_driver_list *list)
{
	set_variable("VK_DRIVER_FILES", put_manifest("x.json", built(file), api_version));
	discover(list);
	assert_int_equal(count_drivers(list), 1);
	assert_int_equal(driver_at(list, 0)->source, KR_DRIVER_MANIFEST);
	assert_true(candidate_at(list, 0)->used);
	return driver_at(list, 0);
}

static void
version_5(void **state)
{
	struct kr_driver_list list;
	struct kr_driver *driver = discover_one("icd_v5.so", "1.1.7", &list);
	uint32_t version = 0;

	assert_string_equal(driver->name, "icd_v5.so");
	assert_string_equal(driver->manifest_path, kr_test_path("x.json"));
	assert_int_equal(driver->api_version, VK_MAKE_API_VERSION(0, 1, 1, 7));
	assert_int_equal(driver->interface_version, 5);
	assert_null(driver->hal);
	assert_false(driver->portability);
	assert_non_null(driver->get_physical_device_proc_addr);
	assert_non_null(driver->create_instance);
	assert_int_equal(driver->enumerate_instance_version(&version), VK_SUCCESS);
	assert_int_equal(version, VK_API_VERSION_1_1);
	assert_null(strstr(heard, "is for drivers of 1.0"));
	assert_string_equal(candidate_at(&list, 0)->reason,
		"interface version 5, Vulkan 1.1.7 by its manifest");
	end_discovery(&list);
	free_support();
}

/* Version 7 may export vk_icdGetInstanceProcAddr alone. */
static void
version_7_through_one_function(void **state)
{
	struct kr_driver_list list;
	struct kr_driver *driver = discover_one("icd_v7_by_gipa.so", "1.1", &list);

	assert_int_equal(driver->interface_version, 7);
	assert_non_null(driver->get_physical_device_proc_addr);
	end_discovery(&list);
	free_support();
}

static void
version_2(void **state)
{
	struct kr_driver_list list;
	struct kr_driver *driver = discover_one("icd_v2.so", "1.1", &list);

	assert_int_equal(driver->interface_version, 2);
	assert_null(driver->get_physical_device_proc_addr);
	assert_null(driver->enumerate_instance_version);
	assert_non_null(strstr(heard, "interface version 2 is for drivers of 1.0"));
	end_discovery(&list);
	free_support();
}

static void
version_beyond_the_offer(void **state)
{
	struct kr_driver_list list;
	struct kr_driver *driver = discover_one("icd_v9.so", "1.1", &list);

	assert_int_equal(driver->interface_version, 7);
	assert_non_null(strstr(heard, "answered interface version 9 when offered 7"));
	end_discovery(&list);
	free_support();
}

/* A library that can't be used leaves the stub, a reason and a message. */
static void
expect_refused(const char *manifest, const char *cause)
{
	struct kr_driver_list list;
	struct kr_driver_candidate *candidate;

	set_variable("VK_DRIVER_FILES", manifest);
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_int_equal(driver_at(&list, 0)->source, KR_DRIVER_STUB);
	assert_int_equal(list.hal_error, 0);
	candidate = candidate_at(&list, 0);
	assert_false(candidate->used);
	assert_string_equal(candidate->path, manifest);
	if (!strstr(candidate->reason, cause))
		fail_msg("\"%s\" lacks \"%s\"", candidate->reason, cause);
	assert_non_null(strstr(heard, cause));
	assert_non_null(strstr(heard, "ERROR VK_DRIVER_FILES="));
	end_discovery(&list);
	free_support();
}

static void
expect_library_refused(const char *file, const char *cause)
{
	expect_refused(put_manifest("x.json", built(file), "1.0"), cause);
}

static void
answers_version_1(void **state)
{
	struct kr_driver_list list;
	struct kr_driver *driver = discover_one("icd_v1_answer.so", "1.0", &list);

	assert_int_equal(driver->interface_version, 1);
	assert_null(driver->get_physical_device_proc_addr);
	end_discovery(&list);
	free_support();
}

static void
refuses_to_negotiate(void **state)
{
	expect_library_refused("icd_refuses.so", "refused interface version 7");
}

/* K-18 */
static void
version_1(void **state)
{
	struct kr_driver_list list;
	struct kr_driver *driver = discover_one("icd_no_negotiate.so", "1.1", &list);

	assert_int_equal(driver->interface_version, 1);
	assert_non_null(driver->create_instance);
	assert_non_null(driver->enumerate_instance_version);
	assert_null(driver->get_physical_device_proc_addr);
	assert_non_null(strstr(heard, "interface version 1 is for drivers of 1.0"));
	end_discovery(&list);
	free_support();
}

/* K-18 */
static void
version_0(void **state)
{
	struct kr_driver_list list;
	struct kr_driver *driver = discover_one("icd_v0.so", "1.0", &list);

	assert_int_equal(driver->interface_version, 0);
	assert_ptr_equal(driver->create_instance, dlsym(driver->dso, "vkCreateInstance"));
	assert_ptr_equal(
		driver->get_instance_proc_addr, dlsym(driver->dso, "vkGetInstanceProcAddr"));
	assert_non_null(driver->enumerate_instance_extension_properties);
	/* Its manifest says 1.0: names that came later aren't asked for. */
	assert_null(driver->enumerate_instance_version);
	assert_non_null(strstr(heard, "interface version 0, which is deprecated"));
	end_discovery(&list);
	free_support();
}

/* K-18: the query of version 4 is taken from version 3 on. */
static void
version_3(void **state)
{
	struct kr_driver_list list;
	struct kr_driver *driver = discover_one("icd_v3.so", "1.0", &list);

	assert_int_equal(driver->interface_version, 3);
	assert_non_null(driver->get_physical_device_proc_addr);
	end_discovery(&list);
	free_support();
}

/* K-18: only VK_ERROR_INCOMPATIBLE_DRIVER is a no. */
static void
odd_result(void **state)
{
	struct kr_driver_list list;
	struct kr_driver *driver = discover_one("icd_odd_result.so", "1.1", &list);

	assert_int_equal(driver->interface_version, 5);
	assert_non_null(strstr(heard, "negotiating the interface version gave VkResult -3"));
	end_discovery(&list);
	free_support();
}

/* K-18 */
static void
lacks_proc_addr(void **state)
{
	expect_library_refused("icd_no_gipa.so",
		"speaks interface version 5 and doesn't export vk_icdGetInstanceProcAddr");
}

static void
version_0_without_create_instance(void **state)
{
	expect_library_refused("icd_v0_no_create.so", "doesn't export vkCreateInstance");
}

/* K-53: another loader is no driver; it would ask itself, and never end. */
static void
another_loader(void **state)
{
	expect_library_refused("icd_loader.so", "but a loader's vkGetInstanceProcAddr");
}

static void
exports_nothing(void **state)
{
	expect_library_refused("icd_no_exports.so",
		"exports neither vk_icdGetInstanceProcAddr nor vkGetInstanceProcAddr");
}

/* K-17: what a driver lacks shows when it is called, and what it has is its own. */
static void
opened_lazily_and_locally(void **state)
{
	struct kr_driver_list list;
	struct kr_driver *driver = discover_one("icd_lazy.so", "1.1", &list);

	assert_non_null(dlsym(driver->dso, "fake_icd_call"));
	assert_null(dlsym(RTLD_DEFAULT, "fake_icd_call"));
	end_discovery(&list);
	free_support();
}

static void
lacks_create_instance(void **state)
{
	expect_library_refused(
		"icd_no_create.so", "vk_icdGetInstanceProcAddr gives no vkCreateInstance");
}

static void
library_is_missing(void **state)
{
	expect_refused(put_manifest("x.json", "./nothing.so", "1.0"),
		"nothing.so can't be used: No such file or directory");
}

static void
library_by_name_is_missing(void **state)
{
	expect_refused(put_manifest("x.json", "libkrafla-no-such-driver.so.1", "1.0"),
		"libkrafla-no-such-driver.so.1 can't be opened: ");
}

static void
library_is_no_library(void **state)
{
	kr_test_file("text.so", "hello");
	expect_refused(put_manifest("x.json", "./text.so", "1.0"), "not an ELF file");
}

/* The head of a real library, and nothing behind it: dlopen says what is wrong. */
static void
library_is_truncated(void **state)
{
	char head[64];
	FILE *from = fopen(built("icd_v5.so"), "re"), *to = fopen(kr_test_path("cut.so"), "we");

	assert_int_equal(fread(head, 1, sizeof(head), from), sizeof(head));
	assert_int_equal(fwrite(head, 1, sizeof(head), to), sizeof(head));
	fclose(from);
	fclose(to);
	expect_refused(put_manifest("x.json", "./cut.so", "1.0"), "cut.so can't be opened: ");
}

/* D-06 */
static void
library_of_another_word_size(void **state)
{
	static const char head[20] = {0x7f, 'E', 'L', 'F', sizeof(void *) == 8 ? 1 : 2, 1, 1};
	FILE *file = fopen(kr_test_path("other.so"), "we");

	assert_int_equal(fwrite(head, 1, sizeof(head), file), sizeof(head));
	fclose(file);
	expect_refused(
		put_manifest("x.json", "./other.so", "1.0"), "-bit library and this process");
}

static void
manifest_is_truncated(void **state)
{
	expect_refused(kr_test_file("x.json", "{\"ICD\":{\"library_path\":"), "not JSON");
}

static void
manifest_is_missing(void **state)
{
	expect_refused(kr_test_path("missing.json"), "can't be read: No such file or directory");
}

/* No more descriptors can be had: an error for each, and none lost. */
static void
no_descriptors_left(void **state)
{
	const char *manifest = put_manifest("x.json", built("icd_v5.so"), "1.0");

	kr_test_limit_fds(0);
	expect_refused(manifest, "can't be read: Too many open files");
	kr_test_end_fd_limit();
}

static void
variable_names_nothing(void **state)
{
	struct kr_driver_list list;

	set_variable("VK_ICD_FILENAMES", "/no/such/directory");
	discover(&list);
	assert_int_equal(driver_at(&list, 0)->source, KR_DRIVER_STUB);
	assert_non_null(strstr(
		heard, "ERROR VK_ICD_FILENAMES=/no/such/directory names no driver manifest"));
	assert_non_null(strstr(heard, "VK_ICD_FILENAMES names /no/such/directory: No such file"));
	end_discovery(&list);
	free_support();
}

static void
several_drivers_in_order(void **state)
{
	char *files = kr_asprintf("%s:%s:%s:%s", put_manifest("a.json", built("icd_v5.so"), "1.1"),
		put_manifest("b.json", built("icd_refuses.so"), "1.1"),
		put_manifest("c.json", built("icd_v7_by_gipa.so"), "1.2"),
		put_manifest("d.json", built("icd_v2.so"), "1.0"));
	struct kr_driver_list list;

	set_variable("VK_DRIVER_FILES", files);
	discover(&list);
	assert_int_equal(count_drivers(&list), 3);
	assert_string_equal(driver_at(&list, 0)->name, "icd_v5.so");
	assert_string_equal(driver_at(&list, 1)->name, "icd_v7_by_gipa.so");
	assert_string_equal(driver_at(&list, 2)->name, "icd_v2.so");
	assert_false(candidate_at(&list, 1)->used);
	assert_null(strstr(heard, "names no driver"));
	end_discovery(&list);
	free_support();
	free(files);
}

/* One library, two manifests and two paths: it is used once. */
static void
one_library_twice(void **state)
{
	char *files;
	struct kr_driver_list list;

	put_link("links", "other_name.so", built("icd_v5.so"));
	files = kr_asprintf("%s:%s", put_manifest("a.json", built("icd_v5.so"), "1.1"),
		put_manifest("b.json", "./links/other_name.so", "1.1"));
	set_variable("VK_DRIVER_FILES", files);
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_non_null(strstr(candidate_at(&list, 1)->reason, "is the library of "));
	end_discovery(&list);
	free_support();
	free(files);
}

static void
portability_is_kept(void **state)
{
	char *text = kr_asprintf("{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"%"
				 "s\",\"api_version\":\"1.1\","
				 "\"is_portability_driver\":true}}",
		built("icd_v5.so"));
	struct kr_driver_list list;

	set_variable("VK_DRIVER_FILES", kr_test_file("x.json", text));
	discover(&list);
	assert_true(driver_at(&list, 0)->portability);
	end_discovery(&list);
	free_support();
	free(text);
}

/* Runs discovery in a child whose stderr is a file. Returns its wait status. */
static int
discover_in_child(const char *log)
{
	struct kr_driver_list list;
	pid_t pid = fork();
	int status, fd;

	if (pid == 0) {
		fd = open(log, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		dup2(fd, STDERR_FILENO);
		signal(SIGILL, SIG_DFL);
		kr_log_set_mask(KR_LOG_ALL);
		if (kr_discover_drivers(&options, &list))
			_exit(2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* That can't be survived, but the last line names the driver. */
static void
driver_that_crashes_is_named(void **state)
{
	char line[1024] = "", last[1024] = "";
	FILE *file;
	int status;

	set_variable("VK_DRIVER_FILES", put_manifest("x.json", built("icd_crashes.so"), "1.1"));
	status = discover_in_child(kr_test_path("log"));
	assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	file = fopen(kr_test_path("log"), "re");
	/* A sanitizer writes its report behind it. */
	while (fgets(line, sizeof(line), file)) {
		if (strstr(line, "[Krafla]"))
			memcpy(last, line, sizeof(last));
	}
	fclose(file);
	assert_non_null(strstr(last, "Opening driver "));
	assert_non_null(strstr(last, "icd_crashes.so (manifest "));
	free_support();
}

static VKAPI_ATTR void *VKAPI_CALL
fail_allocation(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	return NULL;
}

static VKAPI_ATTR void VKAPI_CALL
no_free(void *data, void *memory)
{
}

/* D-04: no driver at all, and instances work. */
static void
stub_works(void **state)
{
	VkAllocationCallbacks failing = {.pfnAllocation = fail_allocation, .pfnFree = no_free};
	VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	const char *extension = VK_KHR_SURFACE_EXTENSION_NAME;
	struct kr_driver_list list;
	struct kr_driver *stub;
	VkInstance instance = NULL;
	uint32_t count = 9;
	const char *told;

	discover(&list);
	stub = driver_at(&list, 0);
	assert_int_equal(stub->source, KR_DRIVER_STUB);
	told = strstr(heard, "no driver was found");
	assert_non_null(told);
	assert_int_equal(stub->enumerate_instance_extension_properties(NULL, &count, NULL), 0);
	assert_int_equal(count, 0);
	assert_int_equal(
		stub->create_instance(&info, &failing, &instance), VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(stub->create_instance(&info, NULL, &instance), VK_SUCCESS);
	assert_null(strstr(told + 1, "no driver was found"));
	assert_int_equal(*(uintptr_t *)instance, HWVULKAN_DISPATCH_MAGIC);
	count = 9;
	((PFN_vkEnumeratePhysicalDevices)stub->get_instance_proc_addr(
		instance, "vkEnumeratePhysicalDevices"))(instance, &count, NULL);
	assert_int_equal(count, 0);
	assert_null(stub->get_instance_proc_addr(instance, "vkCreateDevice"));
	((PFN_vkDestroyInstance)stub->get_instance_proc_addr(instance, "vkDestroyInstance"))(
		instance, NULL);
	info.enabledExtensionCount = 1;
	info.ppEnabledExtensionNames = &extension;
	assert_int_equal(
		stub->create_instance(&info, NULL, &instance), VK_ERROR_EXTENSION_NOT_PRESENT);
	end_discovery(&list);
}

static void
survives_without_memory(void **state)
{
	char *files = kr_asprintf("%s:%s", put_manifest("a.json", built("icd_v5.so"), "1.1"),
		put_manifest("b.json", built("icd_refuses.so"), "1.1"));
	struct kr_driver_list list = {.hal_error = 1};
	int failures = 0, complete = 0, ret;

	set_property("ro.hardware.vulkan", "missing");
	set_variable("VK_DRIVER_FILES", files);
	/*
	 * Where a sentence is all that is lost, the call goes on: two successes in a row end this.
	 */
	for (; complete < 2; failures++) {
		failing_alloc_left = failures;
		ret = kr_discover_drivers(&options, &list);
		complete = failing_alloc_left >= 0 ? complete + 1 : 0;
		failing_alloc_left = -1;
		if (!ret)
			end_discovery(&list);
		else
			assert_int_equal(ret, -ENOMEM);
	}
	assert_true(failures > 30);
	free_support();
	free(files);
}

#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(version_5),
	CASE(version_7_through_one_function),
	CASE(version_2),
	CASE(version_beyond_the_offer),
	CASE(answers_version_1),
	CASE(refuses_to_negotiate),
	CASE(version_1),
	CASE(version_0),
	CASE(version_3),
	CASE(odd_result),
	CASE(version_0_without_create_instance),
	CASE(another_loader),
	CASE(exports_nothing),
	CASE(opened_lazily_and_locally),
	CASE(lacks_proc_addr),
	CASE(lacks_create_instance),
	CASE(library_is_missing),
	CASE(library_by_name_is_missing),
	CASE(library_is_no_library),
	CASE(library_is_truncated),
	CASE(library_of_another_word_size),
	CASE(manifest_is_truncated),
	CASE(manifest_is_missing),
	CASE(no_descriptors_left),
	CASE(variable_names_nothing),
	CASE(several_drivers_in_order),
	CASE(one_library_twice),
	CASE(portability_is_kept),
	CASE(driver_that_crashes_is_named),
	KR_TEST(stub_works),
	CASE(survives_without_memory),
};

KR_TEST_MAIN(tests)
