/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profile fuchsia end to end: the real kraflad, with packages of installed drivers, and
 * applications that have libvulkan.so.1 alone. Devices are those of an empty directory: a software
 * driver is what is offered.
 */
#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deny.h"
#include "support.h"
#include "tests/service/rig.h"

static struct service_run service;

/* The package "soft" of an installed driver, below `directory` of the test's. */
static void
make_package(const char *manifest, const char *directory)
{
	char path[PATH_MAX];
	const char *const argv[] = {KRAFLA, "package", manifest, "-o", path, NULL};
	struct daemon_run run;

	snprintf(path, sizeof(path), "%s/soft", make_dir(directory));
	if (daemon_run_once(&run, argv))
		fail_msg("%s", run.said);
}

static void
start_service(const char *keys)
{
	char all[1200];

	snprintf(all, sizeof(all), ", \"software\": \"soft\"%s", keys);
	service_start(&service, all);
}

/* An application's environment, in which nothing but the service's socket leads to a driver. */
static void
start_application(void)
{
	char path[PATH_MAX];

	hide_system();
	set_variable("KRAFLA_PROFILE", "fuchsia");
	set_variable("KRAFLA_CONFIG_ROOT", kr_test_dir());
	snprintf(path, sizeof(path), "%s/service", kr_test_dir());
	set_variable("KRAFLA_SERVICE", path);
	open_loader();
}

static VkInstance
make_instance(const char *const *layers)
{
	VkInstance instance;

	assert_int_equal(try_instance(layers, &instance), VK_SUCCESS);
	return instance;
}

/* The one device of the instance. */
static VkPhysicalDevice
find_device(VkInstance instance, VkPhysicalDeviceProperties *properties)
{
	VkPhysicalDevice device;
	uint32_t count = 1;

	assert_int_equal(CALL(vkEnumeratePhysicalDevices)(instance, &count, &device), VK_SUCCESS);
	assert_int_equal(count, 1);
	CALL(vkGetPhysicalDeviceProperties)(device, properties);
	return device;
}

/*
 * F-04: Fuchsia's Vulkan.IcdLoad: the driver's library is in the process, and not from where it is
 * installed.
 */
static void
vulkan_icd_load(void **state)
{
	uint32_t count = 0;

	make_package(kr_test_lavapipe(), "drivers");
	start_service("");
	start_application();
	assert_int_equal(CALL(vkEnumerateInstanceExtensionProperties)(NULL, &count, NULL), 0);
	assert_true(count > 0);
	assert_true(is_loaded("/fd/"));
	assert_false(is_loaded("/usr/lib/x86_64-linux-gnu/libvulkan_lvp"));
	service_stop(&service);
}

/* Fuchsia's Vulkan.CreateInstance, and a device of it, with each way of delivery. */
static void
create_instance_and_device(const char *keys)
{
	VkPhysicalDeviceProperties properties;
	VkPhysicalDevice physical_device;
	VkInstance instance;
	VkDevice device;

	make_package(kr_test_lavapipe(), "drivers");
	start_service(keys);
	start_application();
	instance = make_instance(NULL);
	physical_device = find_device(instance, &properties);
	assert_non_null(strstr(properties.deviceName, "llvmpipe"));
	assert_int_equal(
		kr_vulkan_create_device(CALL(vkCreateDevice), physical_device, NULL, &device),
		VK_SUCCESS);
	/* F-02: the service isn't needed for what is loaded. */
	service_stop(&service);
	assert_int_equal(CALL(vkDeviceWaitIdle)(device), VK_SUCCESS);
	CALL(vkDestroyDevice)(device, NULL);
	CALL(vkDestroyInstance)(instance, NULL);
	run_instance(NULL);
}

static void
vulkan_create_instance(void **state)
{
	create_instance_and_device("");
}

static void
vulkan_create_instance_from_memory(void **state)
{
	create_instance_and_device(",\"delivery\":\"memory\"");
}

/* M-03: a package that comes is a driver at the next search, in a process that has asked before. */
static void
a_package_comes(const char *keys)
{
	VkPhysicalDeviceProperties properties;
	VkInstance instance;
	char from[PATH_MAX], to[PATH_MAX];
	VkResult result;

	make_package(kr_test_lavapipe(), "later");
	start_service(keys);
	start_application();
	assert_int_equal(try_instance(NULL, &instance), VK_ERROR_INCOMPATIBLE_DRIVER);
	snprintf(from, sizeof(from), "%s/later/soft", kr_test_dir());
	snprintf(to, sizeof(to), "%s/drivers/soft", kr_test_dir());
	assert_int_equal(rename(from, to), 0);
	daemon_expect(&service.run, "offers 0-");
	/* It is said before it is served. */
	for (int i = 0; i < 1000; i++) {
		result = try_instance(NULL, &instance);
		if (result == VK_SUCCESS)
			break;
		poll(NULL, 0, 10);
	}
	assert_int_equal(result, VK_SUCCESS);
	(void)find_device(instance, &properties);
	CALL(vkDestroyInstance)(instance, NULL);
	service_stop(&service);
}

static void
packages_come(void **state)
{
	a_package_comes("");
}

static void
packages_come_as_listings(void **state)
{
	a_package_comes(",\"delivery\":\"memory\"");
}

static atomic_bool stop;
static atomic_int made;

static void *
make_instances(void *data)
{
	while (!atomic_load(&stop)) {
		CALL(vkDestroyInstance)(make_instance(NULL), NULL);
		atomic_fetch_add(&made, 1);
	}
	return NULL;
}

static void
let_work(int more)
{
	int until = atomic_load(&made) + more;

	while (atomic_load(&made) < until)
		poll(NULL, 0, 1);
}

/* F-02: killed, started again, stopped: who has the driver goes on. */
static void
service_dies_under_load(void **state)
{
	pthread_t threads[4];

	make_package(kr_test_lavapipe(), "drivers");
	start_service("");
	start_application();
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, make_instances, NULL), 0);
	let_work(50);
	assert_int_equal(kill(service.run.pid, SIGKILL), 0);
	assert_int_equal(waitpid(service.run.pid, NULL, 0), service.run.pid);
	close(service.run.output);
	let_work(50);
	start_service("");
	let_work(50);
	assert_int_equal(kill(service.run.pid, SIGSTOP), 0);
	let_work(50);
	assert_int_equal(kill(service.run.pid, SIGCONT), 0);
	atomic_store(&stop, true);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	service_stop(&service);
}

#define LAYER(name, library)                                                                       \
	"{\"file_format_version\":\"1.1.2\",\"layer\":{\"name\":\"" name                           \
	"\",\"type\":\"GLOBAL\",\"library_path\":\"" library                                       \
	"\",\"api_version\":\"1.1.0\",\"implementation_version\":\"1\",\"description\":\"\"}}"

static void
put_layer(const char *directory, const char *file, const char *text)
{
	static const char *const levels[] = {"", "/vulkan", "/vulkan/explicit_layer.d"};
	char path[PATH_MAX];

	for (size_t i = 0; i < KR_ARRAY_LEN(levels); i++) {
		snprintf(path, sizeof(path), "%s%s", directory, levels[i]);
		make_dir(path);
	}
	snprintf(path, sizeof(path), "%s/vulkan/explicit_layer.d/%s", directory, file);
	kr_test_file(path, text);
}

/* Opens the layer's library before the loader does, for its log. */
static void
log_calls(const char *library, char *calls)
{
	void *dso = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	assert_non_null(dso);
	*(char **)dlsym(dso, "fake_layer_log") = calls;
}

/*
 * F-06: a layer of the application's package and one of a directory that it was given, over a
 * delivered driver.
 */
static void
layers_over_a_delivered_driver(void **state)
{
	static const char *const layers[] = {"VK_LAYER_KR_a", "VK_LAYER_KR_b", NULL};
	static char calls[4096];
	VkPhysicalDeviceProperties properties;
	VkInstance instance;

	make_package(kr_test_lavapipe(), "drivers");
	make_dir("pkg");
	make_dir("pkg/meta");
	kr_test_file("pkg/meta/vulkan-loader-configuration", "");
	put_layer("pkg/data", "a.json", LAYER("VK_LAYER_KR_a", TEST_FAKE_LAYER_A));
	put_layer(
		"vulkan-loader-configuration", "b.json", LAYER("VK_LAYER_KR_b", TEST_FAKE_LAYER_B));
	log_calls(TEST_FAKE_LAYER_A, calls);
	log_calls(TEST_FAKE_LAYER_B, calls);
	start_service("");
	start_application();
	assert_int_equal(count_layers(), 2);
	instance = make_instance(layers);
	assert_non_null(strstr(calls, "ai"));
	assert_non_null(strstr(calls, "bi"));
	(void)find_device(instance, &properties);
	CALL(vkDestroyInstance)(instance, NULL);
	service_stop(&service);
}

/* F-07: a driver that the application brings, without asking the service that is there. */
static void
packaged_software_driver(void **state)
{
	VkPhysicalDeviceProperties properties;
	VkInstance instance;

	start_service("");
	start_application();
	set_variable("VK_ICD_FILENAMES", kr_test_lavapipe());
	instance = make_instance(NULL);
	(void)find_device(instance, &properties);
	assert_non_null(strstr(properties.deviceName, "llvmpipe"));
	assert_true(is_loaded("libvulkan_lvp.so"));
	CALL(vkDestroyInstance)(instance, NULL);
	service_stop(&service);
}

static int
listen_at(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", kr_test_path(name));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* The package "soft" of the example of a driver that logs, which the service doesn't try. */
static void
make_fake_package(void)
{
	char text[PATH_MAX + 256];

	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\", "
		"\"api_version\": \"1.1.0\"}}",
		TEST_LOGGING_DRIVER);
	make_package(kr_test_file("logging.json", text), "drivers");
}

/* What the loader says as it looks for drivers. */
static void
hear(char *said, size_t size)
{
	FILE *file = tmpfile();
	VkInstance instance;
	int kept = dup(STDERR_FILENO);
	size_t got;

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	assert_int_equal(try_instance(NULL, &instance), VK_ERROR_INCOMPATIBLE_DRIVER);
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	rewind(file);
	got = fread(said, 1, size - 1, file);
	said[got] = '\0';
	fclose(file);
}

/*
 * M-04: the service may run what it writes and this process mustn't: the driver that is offered is
 * refused here, with the reason.
 */
static void
compiling_driver_is_refused_under_mdwe(void **state)
{
	char said[16384];

	make_package(kr_test_lavapipe(), "drivers");
	start_service("");
	if (!kr_test_deny_code_by_prctl())
		kr_test_skip("no-mdwe", NULL);
	set_variable("VK_LOADER_DEBUG", "error,warn");
	start_application();
	hear(said, sizeof(said));
	if (!strstr(said,
		    "libvulkan_lvp.so compiles at run time, and this process may not run "
		    "what it writes: PR_SET_MDWE forbids it to this process"))
		fail_msg("%s", said);
	assert_false(is_loaded("libvulkan_lvp"));
	service_stop(&service);
}

/* M-04: kraflad itself under a filter like systemd's: it says why nothing is offered. */
static void
service_under_a_filter_refuses_it(void **state)
{
	char path[PATH_MAX];
	const char *const argv[] = {KRAFLA, "service", "status", "--socket", path, NULL};
	struct daemon_run run;

	make_package(kr_test_lavapipe(), "drivers");
	kr_test_deny_code_by_filter();
	start_service("");
	snprintf(path, sizeof(path), "%s/service", kr_test_dir());
	assert_int_equal(daemon_run_once(&run, argv), 1);
	if (!strstr(run.said, "refused") ||
		!strstr(run.said, "what is written may not be run here: a seccomp filter"))
		fail_msg("%s", run.said);
	service_stop(&service);
}

/*
 * F-05, F-09: the loader service's own list reaches a program, and the parent's goes before it.
 */
static void
services_come_from_the_service(void **state)
{
	char keys[1024], list[512], line[64] = "";
	int log, mine, theirs;

	log = listen_at("log");
	mine = listen_at("mine");
	theirs = listen_at("theirs");
	snprintf(keys, sizeof(keys),
		", \"driver_services\": [{\"name\": \"log\", \"socket\": \"%s/log\", \"safe\": "
		"true}, {\"name\": \"tracing\", \"socket\": \"%s/theirs\", \"safe\": false}]",
		kr_test_dir(), kr_test_dir());
	make_fake_package();
	start_service(keys);
	snprintf(list, sizeof(list), "+mine=%s/mine", kr_test_dir());
	start_application();
	set_variable("KRAFLA_DRIVER_SERVICES", list);
	CALL(vkDestroyInstance)(make_instance(NULL), NULL);
	assert_true(recv(log, line, sizeof(line) - 1, MSG_DONTWAIT) > 0);
	assert_string_equal(line, "<15>logging-driver: loaded");
	assert_int_equal(recv(theirs, line, sizeof(line), MSG_DONTWAIT), -1);
	assert_int_equal(recv(mine, line, sizeof(line), MSG_DONTWAIT), -1);
	close(log);
	close(mine);
	close(theirs);
	service_stop(&service);
}

/* F-05: a parent interposes its own log: the service's hears nothing. */
static void
parent_interposes(void **state)
{
	char keys[512], list[512], line[64] = "";
	int log = listen_at("log"), mine = listen_at("mine");

	snprintf(keys, sizeof(keys),
		", \"driver_services\": [{\"name\": \"log\", \"socket\": \"%s/log\", \"safe\": true}]",
		kr_test_dir());
	make_fake_package();
	start_service(keys);
	snprintf(list, sizeof(list), "+log=%s/mine", kr_test_dir());
	start_application();
	set_variable("KRAFLA_DRIVER_SERVICES", list);
	CALL(vkDestroyInstance)(make_instance(NULL), NULL);
	assert_true(recv(mine, line, sizeof(line) - 1, MSG_DONTWAIT) > 0);
	assert_string_equal(line, "<15>logging-driver: loaded");
	assert_int_equal(recv(log, line, sizeof(line), MSG_DONTWAIT), -1);
	close(log);
	close(mine);
	service_stop(&service);
}

/* The service has a log, the parent gives this list: nobody hears anything. */
static void
assert_silence(const char *format)
{
	char keys[512], list[512], line[64] = "";
	int log = listen_at("log"), mine = listen_at("mine");

	snprintf(keys, sizeof(keys),
		", \"driver_services\": [{\"name\": \"log\", \"socket\": \"%s/log\", \"safe\": true}]",
		kr_test_dir());
	make_fake_package();
	start_service(keys);
	snprintf(list, sizeof(list), format, kr_test_dir());
	start_application();
	set_variable("KRAFLA_DRIVER_SERVICES", list);
	CALL(vkDestroyInstance)(make_instance(NULL), NULL);
	assert_int_equal(recv(log, line, sizeof(line), MSG_DONTWAIT), -1);
	assert_int_equal(recv(mine, line, sizeof(line), MSG_DONTWAIT), -1);
	close(log);
	close(mine);
	service_stop(&service);
}

/* F-05: one that isn't marked is neither given nor replaced by the service's of that name. */
static void
parent_interposes_what_is_not_safe(void **state)
{
	assert_silence("log=%s/mine");
}

/* Nor is one that is safe, and isn't there. */
static void
parent_interposes_what_has_gone(void **state)
{
	assert_silence("+log=%s/gone");
}

/* Libraries stay, with their descriptors and what the dynamic linker knows of them. */
#define TEST(fn) KR_TEST_SLOW(fn, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS, 120)

static const struct kr_test tests[] = {
	TEST(vulkan_icd_load),
	TEST(vulkan_create_instance),
	TEST(vulkan_create_instance_from_memory),
	TEST(packages_come),
	TEST(packages_come_as_listings),
	TEST(service_dies_under_load),
	TEST(layers_over_a_delivered_driver),
	TEST(packaged_software_driver),
	TEST(compiling_driver_is_refused_under_mdwe),
	TEST(service_under_a_filter_refuses_it),
	TEST(services_come_from_the_service),
	TEST(parent_interposes),
	TEST(parent_interposes_what_is_not_safe),
	TEST(parent_interposes_what_has_gone),
};
KR_TEST_MAIN(tests)
