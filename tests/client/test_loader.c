/* SPDX-License-Identifier: Apache-2.0 */
/* The service behind libvulkan.so.1: what applications see of it. */
#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../entry/elf_symbols.h"
#include "../loader/fakes/icd.h"
#include "support.h"

static VkInstance
make_instance(void)
{
	VkInstance instance;

	assert_int_equal(try_instance(NULL, &instance), VK_SUCCESS);
	return instance;
}

static uint32_t
count_devices(VkInstance instance)
{
	uint32_t count = 0;

	assert_int_equal(CALL(vkEnumeratePhysicalDevices)(instance, &count, NULL), VK_SUCCESS);
	return count;
}

/*
 * Fuchsia's Libvulkan.LoadIcd (F-05), with a driver of the first release's header (T-02): it
 * creates an instance when it got the function before any other call, and reads its device through
 * it.
 */
static void
libvulkan_load_icd(void **state)
{
	struct fake_service *service = begin("fuchsia");
	VkInstance instance;

	fake_offer(service, "0-libvulkan_compat.so", TEST_COMPAT_DRIVER);
	open_loader();
	assert_int_equal(try_instance(NULL, &instance), VK_ERROR_INCOMPATIBLE_DRIVER);
	fake_device(service, "dri/renderD128", "5");
	CALL(vkDestroyInstance)(make_instance(), NULL);
	assert_int_equal(atomic_load(&service->opened), 2);
	assert_int_equal(atomic_load(&service->gets), 1);
	close_loader();
	fake_kill(service);
}

/* F-09: the example of a driver that logs through its loader, from its beginning to its end. */
static void
driver_logs_by_a_service(void **state)
{
	struct fake_service *service = begin("fuchsia");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	static const char *const lines[] = {"<15>logging-driver: loaded",
		"<14>logging-driver: an instance for a program without a name",
		"<14>logging-driver: the instance goes"};
	char list[256], line[256];
	int log = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", kr_test_path("log"));
	assert_int_equal(bind(log, (struct sockaddr *)&address, sizeof(address)), 0);
	snprintf(list, sizeof(list), "+log=%s", address.sun_path);
	set_variable("KRAFLA_DRIVER_SERVICES", list);
	fake_offer(service, "0-libvulkan_logging.so", TEST_LOGGING_DRIVER);
	open_loader();
	CALL(vkDestroyInstance)(make_instance(), NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(lines); i++) {
		const ssize_t got = recv(log, line, sizeof(line) - 1, MSG_DONTWAIT);

		assert_true(got > 0);
		line[got] = '\0';
		assert_string_equal(line, lines[i]);
	}
	/* Whatever becomes of who listens. */
	close(log);
	CALL(vkDestroyInstance)(make_instance(), NULL);
	close_loader();
	fake_kill(service);
}

/* The driver holds a function of the loader's: the loader can't be unloaded under it. */
static void
loader_stays_for_its_driver(void **state)
{
	struct fake_service *service = begin("fuchsia");

	fake_offer(service, "0-libvulkan_compat.so", TEST_COMPAT_DRIVER);
	fake_device(service, "dri/renderD128", "5");
	open_loader();
	run_instance(NULL);
	close_loader();
	assert_true(is_loaded("libvulkan.so.1"));
	open_loader();
	run_instance(NULL);
	close_loader();
	assert_int_equal(atomic_load(&service->connections), 1);
	assert_int_equal(atomic_load(&service->gets), 1);
	fake_kill(service);
}

/* Fuchsia's icd strip test: what a driver must export. */
static void
icd_strip(void **state)
{
	static const char *const names[] = {"vk_icdGetInstanceProcAddr",
		"vk_icdGetPhysicalDeviceProcAddr", "vk_icdNegotiateLoaderICDInterfaceVersion",
		"vk_icdInitializeOpenInNamespaceCallback"};
	struct library *library = library_open(TEST_COMPAT_DRIVER);

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++)
		assert_true(library_exports(library, names[i]));
	for (size_t i = 0, exported = 0; i < library_symbol_count(library); i++) {
		bool defined;
		const char *name = library_symbol(library, i, &defined);

		exported += name && defined;
		assert_true(exported <= KR_ARRAY_LEN(names));
	}
	library_close(library);
}

/* A driver without the function is a driver as well. */
static void
driver_without_the_function(void **state)
{
	struct fake_service *service = begin("fuchsia");
	VkInstance instance;

	fake_offer(service, "0-fake_a.so", TEST_ICD);
	open_loader();
	instance = make_instance();
	assert_int_equal(count_devices(instance), 1);
	CALL(vkDestroyInstance)(instance, NULL);
	close_loader();
	assert_false(is_loaded("libvulkan.so.1"));
	fake_kill(service);
}

/* M-03: what comes and goes is seen by the next enumeration, of old and new instances. */
static void
drivers_come_and_go(void **state)
{
	struct fake_service *service = begin("fuchsia");
	VkInstance instance;

	fake_offer(service, "0-fake_a.so", TEST_ICD);
	open_loader();
	instance = make_instance();
	assert_int_equal(count_devices(instance), 1);
	fake_offer(service, "1-fake_b.so", TEST_FAKE_B);
	assert_int_equal(count_devices(instance), 2);
	fake_withdraw(service, "0-fake_a.so");
	assert_int_equal(count_devices(instance), 1);
	CALL(vkDestroyInstance)(instance, NULL);
	assert_int_equal(atomic_load(&service->manifest_requests), 1);
	close_loader();
	fake_kill(service);
}

static VkBool32 VKAPI_CALL
remember(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
	char *text = user;
	size_t length = strlen(text);

	snprintf(text + length, 8192 - length, "%s\n", data->pMessage);
	return VK_FALSE;
}

/* vkCreateInstance's messages say what the driver lacks here. */
static void
messages_say_why(void **state)
{
	static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, NULL};
	static char text[8192];
	const VkDebugUtilsMessengerCreateInfoEXT messenger = kr_vulkan_messenger_info(
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, remember, text);
	const struct kr_vulkan_instance_info info = {.chain = &messenger, .extensions = extensions};
	struct fake_service *service = begin("fuchsia");
	VkInstance instance;

	fake_offer(service, "0-fake_a.so", TEST_ICD);
	atomic_store(&service->fault, FAKE_NEEDS_NEWER);
	open_loader();
	assert_int_equal(kr_vulkan_create_instance(CALL(vkCreateInstance), &info, &instance),
		VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_non_null(strstr(text, "9.99"));
	close_loader();
	fake_kill(service);
}

static atomic_bool stop;
static atomic_int made, refused;

static void *
make_instances(void *data)
{
	while (!atomic_load(&stop)) {
		VkInstance instance;
		VkResult result = try_instance(NULL, &instance);

		if (result == VK_SUCCESS) {
			CALL(vkDestroyInstance)(instance, NULL);
			atomic_fetch_add(&made, 1);
		} else {
			assert_int_equal(result, VK_ERROR_INCOMPATIBLE_DRIVER);
			atomic_fetch_add(&refused, 1);
		}
	}
	return NULL;
}

/* Until this many more instances were made, or the case's time is over. */
static void
let_work(int more)
{
	int until = atomic_load(&made) + more;

	for (int ms = 0; atomic_load(&made) < until && ms < 100000; ms++)
		poll(NULL, 0, 1);
}

/*
 * F-02: a service that is killed, and one that is started in its place, while threads create
 * instances.
 */
static void
service_is_killed_and_restarted(void **state)
{
	struct fake_service *service = begin("fuchsia");
	pthread_t threads[4];

	atomic_store(&service->listing, true);
	fake_offer(service, "0-fake_a.so", TEST_ICD);
	open_loader();
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, make_instances, NULL), 0);
	let_work(20);
	fake_kill(service);
	let_work(20);
	service = fake_start();
	let_work(20);
	atomic_store(&stop, true);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	/* The library was loaded before: nobody did without, and nobody connected again. */
	assert_int_equal(atomic_load(&refused), 0);
	assert_int_equal(atomic_load(&service->connections), 0);
	close_loader();
	fake_kill(service);
}

/* A process that ends while its threads search: the loader's end comes between their questions. */
static void
process_ends_under_load(void **state)
{
	struct fake_service *service = begin("fuchsia");

	atomic_store(&service->listing, true);
	fake_offer(service, "0-fake_a.so", TEST_ICD);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		pthread_t thread;
		int status;

		if (!child) {
			/* A service that dies with the case would have it try for ever. */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			open_loader();
			for (int j = 0; j < 4; j++)
				(void)!pthread_create(&thread, NULL, make_instances, NULL);
			let_work(i);
			exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	fake_kill(service);
}

/* F-08: copies of the loader in one process, each with its connection and its drivers. */
static void
several_copies(void **state)
{
	struct fake_service *service = begin("fuchsia");
	char copy[PATH_MAX], command[2 * PATH_MAX];
	VkInstance instance, other;
	PFN_vkCreateInstance create;
	PFN_vkDestroyInstance destroy;
	void *dso;

	fake_offer(service, "0-libvulkan_compat.so", TEST_COMPAT_DRIVER);
	fake_device(service, "dri/renderD128", "5");
	open_loader();
	instance = make_instance();
	snprintf(copy, sizeof(copy), "%s/copy.so", kr_test_dir());
	snprintf(command, sizeof(command), "cp '%s' %s", TEST_LIBVULKAN, copy);
	assert_int_equal(system(command), 0);
	dso = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(dso);
	create = (PFN_vkCreateInstance)(uintptr_t)dlsym(dso, "vkCreateInstance");
	destroy = (PFN_vkDestroyInstance)(uintptr_t)dlsym(dso, "vkDestroyInstance");
	assert_int_equal(kr_vulkan_create_instance(create, NULL, &other), VK_SUCCESS);
	assert_int_equal(atomic_load(&service->connections), 2);
	destroy(other, NULL);
	CALL(vkDestroyInstance)(instance, NULL);
	fake_kill(service);
}

/* The same in a name space of its own, with another C library. */
static void
a_copy_in_another_namespace(void **state)
{
	struct fake_service *service = begin("fuchsia");
	PFN_vkCreateInstance create;
	PFN_vkDestroyInstance destroy;
	VkInstance instance;
	void *dso;

	fake_offer(service, "0-libvulkan_compat.so", TEST_COMPAT_DRIVER);
	fake_device(service, "dri/renderD128", "5");
	open_loader();
	run_instance(NULL);
	dso = dlmopen(LM_ID_NEWLM, TEST_LIBVULKAN, RTLD_NOW | RTLD_LOCAL);
	if (!dso)
		kr_test_skip("no-dlmopen", dlerror());
	create = (PFN_vkCreateInstance)(uintptr_t)dlsym(dso, "vkCreateInstance");
	destroy = (PFN_vkDestroyInstance)(uintptr_t)dlsym(dso, "vkDestroyInstance");
	assert_int_equal(kr_vulkan_create_instance(create, NULL, &instance), VK_SUCCESS);
	destroy(instance, NULL);
	run_instance(NULL);
	assert_int_equal(atomic_load(&service->connections), 2);
	fake_kill(service);
}

/* Nobody asks a service that isn't configured: the usual loader's way stays as it is. */
static void
no_service_no_difference(void **state)
{
	struct fake_service *service = begin("linux");
	VkInstance instance;

	set_variable("KRAFLA_SERVICE", "none");
	fake_offer(service, "0-fake_a.so", TEST_ICD);
	open_loader();
	assert_int_equal(try_instance(NULL, &instance), VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_int_equal(atomic_load(&service->connections), 0);
	close_loader();
	fake_kill(service);
}

/* Libraries stay, with their descriptors and what the dynamic linker knows of them. */
#define TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

static const struct kr_test tests[] = {
	TEST(libvulkan_load_icd),
	TEST(driver_logs_by_a_service),
	TEST(loader_stays_for_its_driver),
	TEST(icd_strip),
	TEST(driver_without_the_function),
	TEST(drivers_come_and_go),
	TEST(messages_say_why),
	TEST(service_is_killed_and_restarted),
	TEST(process_ends_under_load),
	TEST(several_copies),
	TEST(a_copy_in_another_namespace),
	TEST(no_service_no_difference),
};
KR_TEST_MAIN(tests)
