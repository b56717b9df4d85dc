/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader from eight threads at once, with two drivers and a layer that wraps instances.
 * It is built for ThreadSanitizer to watch; without it, it proves that everybody gets what is
 * due and nothing is left.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

#define THREADS 8
#define ROUNDS  20
#define DRIVERS 2
#define LAYER   "VK_LAYER_KR_wrapping"

/* What all threads of a case share; threads can't fail a case themselves. */
struct shared {
	struct loader loader; /* with an instance, for some cases */
	pthread_barrier_t start;
	_Atomic(const char *) complaint;
	atomic_uint messages;
};

struct worker {
	pthread_t thread;
	struct shared *shared;
	unsigned number;
	void (*work)(struct shared *shared, unsigned number, unsigned round);
};

/* The first one counts. */
static void
complain(struct shared *shared, const char *what)
{
	const char *none = NULL;

	atomic_compare_exchange_strong(&shared->complaint, &none, what);
}

#define EXPECT(shared, condition)                                                                  \
	do {                                                                                       \
		if (!(condition))                                                                  \
			complain(shared, #condition);                                              \
	} while (0)

static void *
run_worker(void *data)
{
	struct worker *worker = data;

	pthread_barrier_wait(&worker->shared->start);
	for (unsigned round = 0; round < ROUNDS && !worker->shared->complaint; round++)
		worker->work(worker->shared, worker->number, round);
	return NULL;
}

static void
run_threads(struct shared *shared, void (*work)(struct shared *, unsigned, unsigned))
{
	struct worker workers[THREADS];

	assert_int_equal(pthread_barrier_init(&shared->start, NULL, THREADS), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.shared = shared, .number = i, .work = work};
		assert_int_equal(
			pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_barrier_destroy(&shared->start);
	if (shared->complaint)
		fail_msg("not so in a thread: %s", shared->complaint);
}

/*
 * The null driver once more, in another file, with another identity: a device that two drivers call
 * the same is listed once.
 */
static const char *
copy_null_driver(void)
{
	static const char identity[] = "krafla-null-dev";
	static char path[512], bytes[1 << 23];
	FILE *in = fopen(TEST_HAL_DIR "/vulkan.null.so", "re"), *out;
	unsigned changed = 0;
	size_t size;
	char *at;

	assert_non_null(in);
	size = fread(bytes, 1, sizeof(bytes), in);
	assert_true(size < sizeof(bytes));
	fclose(in);
	for (at = bytes; (at = memmem(at, size - (size_t)(at - bytes), identity, sizeof(identity)));
		at++, changed++)
		memcpy(at, "another", 7);
	assert_true(changed > 0);
	snprintf(path, sizeof(path), "%s/another.so", kr_test_dir());
	out = fopen(path, "we");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
	return path;
}

static void
open_everything(struct shared *shared)
{
	const char *libraries[DRIVERS] = {TEST_HAL_DIR "/vulkan.null.so", copy_null_driver()};

	memset(shared, 0, sizeof(*shared));
	use_drivers(DRIVERS, libraries);
	kr_test_file("wrapping.json",
		"{\"file_format_version\": \"1.1.2\", \"layer\": {\"name\": \"" LAYER
		"\", \"type\": \"GLOBAL\", \"library_path\": \"" TEST_WRAPPING_LAYER
		"\", \"api_version\": \"1.3.0\", \"implementation_version\": \"1\", "
		"\"description\": \"wraps\"}}");
	open_loader(&shared->loader);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
count_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT type,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *counter)
{
	atomic_fetch_add((atomic_uint *)counter, 1);
	return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT
messenger_info(struct shared *shared)
{
	return kr_vulkan_messenger_info(VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT |
			VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
		count_message, &shared->messages);
}

/* With or without the layer, and with callbacks that hear of it being made. */
static VkResult
create_instance(struct shared *shared, bool layered, VkInstance *instance)
{
	static const char *const layers[] = {LAYER, NULL};
	static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, NULL};
	const VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(shared);
	const struct kr_vulkan_instance_info info = {
		.api_version = VK_API_VERSION_1_1,
		.chain = &messenger,
		.layers = layered ? layers : NULL,
		.extensions = extensions,
	};

	return kr_vulkan_create_instance(
		EXPORTED(&shared->loader, vkCreateInstance), &info, instance);
}

static void
use_device(struct shared *shared, VkPhysicalDevice physical_device)
{
	struct loader *l = &shared->loader;
	VkPhysicalDeviceProperties properties;
	PFN_vkQueueWaitIdle wait;
	VkDevice device;
	VkQueue queue;

	EXPORTED(l, vkGetPhysicalDeviceProperties)(physical_device, &properties);
	EXPECT(shared, strstr(properties.deviceName, "null"));
	if (try_device(l, physical_device, NULL, NULL, &device) != VK_SUCCESS) {
		complain(shared, "vkCreateDevice succeeds");
		return;
	}
	EXPORTED(l, vkGetDeviceQueue)(device, 0, 0, &queue);
	wait = OF_DEVICE(l, device, vkQueueWaitIdle);
	EXPECT(shared, wait && wait(queue) == VK_SUCCESS);
	end_device(l, device);
}

/* K-39: instances, with and without a layer, each with its devices. */
static void
whole_life(struct shared *shared, unsigned number, unsigned round)
{
	struct loader *l = &shared->loader;
	VkPhysicalDevice devices[DRIVERS + 1];
	uint32_t count = DRIVERS + 1;
	VkInstance instance;

	if (create_instance(shared, (number + round) % 2, &instance) != VK_SUCCESS) {
		complain(shared, "vkCreateInstance succeeds");
		return;
	}
	EXPECT(shared,
		EXPORTED(l, vkEnumeratePhysicalDevices)(instance, &count, devices) == VK_SUCCESS);
	EXPECT(shared, count == DRIVERS);
	for (uint32_t i = 0; i < count; i++)
		use_device(shared, devices[i]);
	EXPORTED(l, vkDestroyInstance)(instance, NULL);
}

static void
instances_from_eight_threads(void **state)
{
	struct shared shared;

	open_everything(&shared);
	run_threads(&shared, whole_life);
	/* The layer's insertion is told at least to those who asked for it. */
	assert_true(shared.messages > 0);
	close_loader(&shared.loader);
}

/* K-39: one instance, of which all ask the same. */
static void
same_instance(struct shared *shared, unsigned number, unsigned round)
{
	struct loader *l = &shared->loader;
	VkPhysicalDevice devices[DRIVERS];
	uint32_t count = DRIVERS;
	char name[] = "vkFutureFunctionNN";

	EXPECT(shared,
		EXPORTED(l, vkEnumeratePhysicalDevices)(l->instance, &count, devices) ==
			VK_SUCCESS);
	EXPECT(shared, count == DRIVERS);
	EXPECT(shared, !memcmp(devices, l->devices, sizeof(devices)));
	snprintf(name, sizeof(name), "vkFuture%u", round);
	(void)l->gipa(l->instance, name);
	EXPECT(shared, l->gipa(l->instance, "vkCmdDraw"));
	use_device(shared, devices[(number + round) % DRIVERS]);
}

static void
devices_of_one_instance(void **state)
{
	for (uint32_t layer = 0; layer < 2; layer++) {
		struct shared shared;

		open_everything(&shared);
		assert_int_equal(
			create_instance(&shared, layer, &shared.loader.instance), VK_SUCCESS);
		find_devices(&shared.loader);
		run_threads(&shared, same_instance);
		end_instance(&shared.loader);
		close_loader(&shared.loader);
	}
}

/* K-39: what is asked before there is an instance, while others make instances. */
static void
questions(struct shared *shared, unsigned number, unsigned round)
{
	struct loader *l = &shared->loader;
	VkExtensionProperties extensions[64];
	uint32_t version = 0, count = KR_ARRAY_LEN(extensions);
	VkLayerProperties layers[4];

	if (number % 2) {
		whole_life(shared, number, round);
		return;
	}
	EXPECT(shared, EXPORTED(l, vkEnumerateInstanceVersion)(&version) == VK_SUCCESS);
	EXPECT(shared, version >= VK_API_VERSION_1_3);
	EXPECT(shared,
		EXPORTED(l, vkEnumerateInstanceExtensionProperties)(NULL, &count, extensions) ==
			VK_SUCCESS);
	EXPECT(shared, count > 0);
	count = KR_ARRAY_LEN(layers);
	EXPECT(shared,
		EXPORTED(l, vkEnumerateInstanceLayerProperties)(&count, layers) == VK_SUCCESS);
	EXPECT(shared, count == 1 && !strcmp(layers[0].layerName, LAYER));
	EXPECT(shared, l->gipa(NULL, "vkCreateInstance"));
	EXPECT(shared, !l->gipa(NULL, "vkCmdDraw"));
}

static void
questions_while_instances_are_made(void **state)
{
	struct shared shared;

	open_everything(&shared);
	run_threads(&shared, questions);
	close_loader(&shared.loader);
}

/* K-39: callbacks come and go while others are told something. */
static void
callbacks(struct shared *shared, unsigned number, unsigned round)
{
	struct loader *l = &shared->loader;
	VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(shared);
	const VkDebugUtilsMessengerCallbackDataEXT data = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
		.pMessage = "word",
	};
	VkDebugUtilsMessengerEXT messenger;
	unsigned before;

	if (OF_INSTANCE(l, vkCreateDebugUtilsMessengerEXT)(l->instance, &info, NULL, &messenger) !=
		VK_SUCCESS) {
		complain(shared, "vkCreateDebugUtilsMessengerEXT succeeds");
		return;
	}
	before = shared->messages;
	OF_INSTANCE(l, vkSubmitDebugUtilsMessageEXT)
	(l->instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
		VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data);
	EXPECT(shared, shared->messages > before);
	OF_INSTANCE(l, vkDestroyDebugUtilsMessengerEXT)(l->instance, messenger, NULL);
}

static void
callbacks_come_and_go(void **state)
{
	for (uint32_t layer = 0; layer < 2; layer++) {
		struct shared shared;

		open_everything(&shared);
		assert_int_equal(
			create_instance(&shared, layer, &shared.loader.instance), VK_SUCCESS);
		run_threads(&shared, callbacks);
		end_instance(&shared.loader);
		close_loader(&shared.loader);
	}
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(instances_from_eight_threads, 0, 60),
	KR_TEST_SLOW(devices_of_one_instance, 0, 60),
	KR_TEST_SLOW(questions_while_instances_are_made, 0, 60),
	KR_TEST_SLOW(callbacks_come_and_go, 0, 60),
};

KR_TEST_MAIN(tests)
