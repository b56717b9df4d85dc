/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast a program wakes that waits for a present, beside one that waits for a fence. The far end
 * is this process: a window whose frames are shown when the benchmark says so, and the null driver
 * draws them. Both waits stand in turns, so that a noisy machine disturbs both alike.
 */
#include "bench/bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>
#include "bench/vulkan_calls.h"
#include "bench/vulkan_child.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "window/consumer/consumer.h"
#include "window/queue/queue.h"
#include "window/window.h"

#define EXTENT   64
#define MAX_TURN 1000
/* Until a thread sleeps in what it waits for. */
#define ASLEEP_US 300

struct waits {
	struct vulkan_child vk;
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	ANativeWindow *window;
	VkSurfaceKHR surface;
	VkSwapchainKHR swapchain;
	VkFence fence;
	PFN_vkWaitForPresent2KHR wait;
};

static int
problem(const char *what)
{
	fprintf(stderr, "krafla-bench: waits: %s\n", what);
	return 1;
}

static int
open_window(struct waits *w)
{
	static const struct kr_consumer_events no_events;
	const struct kr_queue_config config = {
		.default_width = EXTENT,
		.default_height = EXTENT,
		.default_format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.consumer_usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
		.max_acquired = 1,
		.abilities = {.modes = KR_ABILITY(KR_PRESENT_FIFO),
			.alphas = KR_ABILITY(KR_ALPHA_OPAQUE),
			.tells_shown = true},
	};
	struct kr_sink *sink;

	if (kr_consumer_local_create(&no_events, NULL, &sink, &w->consumer) ||
		kr_queue_create(&config, sink, &w->queue) || kr_window_create(w->queue, &w->window))
		return problem("no window");
	return 0;
}

static int
open_instance(struct waits *w, const char *loader)
{
	const char *const extensions[] = {VK_KHR_SURFACE_EXTENSION_NAME,
		VK_KHR_ANDROID_SURFACE_EXTENSION_NAME,
		VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.enabledExtensionCount = 3,
		.ppEnabledExtensionNames = extensions,
	};
	const VkAndroidSurfaceCreateInfoKHR surface = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_SURFACE_CREATE_INFO_KHR,
		.window = w->window,
	};

	if (vulkan_child_open(&w->vk, loader))
		return 1;
	vulkan_child_close(&w->vk);
	w->vk.instance = NULL;
	if (((PFN_vkCreateInstance)w->vk.gipa(NULL, "vkCreateInstance"))(
		    &info, NULL, &w->vk.instance))
		return problem("no instance");
	w->vk.gdpa = INSTANCE_FN(&w->vk, vkGetDeviceProcAddr);
	return INSTANCE_FN(&w->vk, vkCreateAndroidSurfaceKHR)(
		       w->vk.instance, &surface, NULL, &w->surface)
		? problem("no surface")
		: 0;
}

static int
open_device(struct waits *w)
{
	const char *const extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME,
		VK_KHR_PRESENT_ID_2_EXTENSION_NAME, VK_KHR_PRESENT_WAIT_2_EXTENSION_NAME};
	VkPhysicalDevicePresentId2FeaturesKHR id = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_2_FEATURES_KHR,
		.presentId2 = VK_TRUE,
	};
	VkPhysicalDevicePresentWait2FeaturesKHR wait = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_2_FEATURES_KHR,
		.pNext = &id,
		.presentWait2 = VK_TRUE,
	};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = &wait,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = 3,
		.ppEnabledExtensionNames = extensions,
	};
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	uint32_t count = 1;

	if (INSTANCE_FN(&w->vk, vkEnumeratePhysicalDevices)(w->vk.instance, &count, &w->vk.gpu) <
			0 ||
		!count)
		return problem("no GPU");
	if (INSTANCE_FN(&w->vk, vkCreateDevice)(w->vk.gpu, &info, NULL, &w->vk.device))
		return problem("no device with VK_KHR_present_wait2");
	DEVICE_FN(&w->vk, vkGetDeviceQueue)(w->vk.device, 0, 0, &w->vk.queue);
	w->wait = DEVICE_FN(&w->vk, vkWaitForPresent2KHR);
	return !w->wait || DEVICE_FN(&w->vk, vkCreateFence)(w->vk.device, &fence, NULL, &w->fence)
		? problem("no vkWaitForPresent2KHR")
		: 0;
}

static int
open_swapchain(struct waits *w)
{
	VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.flags = VK_SWAPCHAIN_CREATE_PRESENT_ID_2_BIT_KHR |
			VK_SWAPCHAIN_CREATE_PRESENT_WAIT_2_BIT_KHR,
		.surface = w->surface,
		.imageExtent = {EXTENT, EXTENT},
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR,
	};
	VkSurfaceCapabilitiesKHR caps;
	VkSurfaceFormatKHR format;
	uint32_t count = 1;

	if (INSTANCE_FN(&w->vk, vkGetPhysicalDeviceSurfaceCapabilitiesKHR)(
		    w->vk.gpu, w->surface, &caps) ||
		INSTANCE_FN(&w->vk, vkGetPhysicalDeviceSurfaceFormatsKHR)(
			w->vk.gpu, w->surface, &count, &format) < 0)
		return problem("no capabilities");
	info.minImageCount = caps.minImageCount;
	info.imageFormat = format.format;
	info.imageColorSpace = format.colorSpace;
	return DEVICE_FN(&w->vk, vkCreateSwapchainKHR)(w->vk.device, &info, NULL, &w->swapchain)
		? problem("no swapchain")
		: 0;
}

static void
close_all(struct waits *w)
{
	if (w->swapchain)
		DEVICE_FN(&w->vk, vkDestroySwapchainKHR)(w->vk.device, w->swapchain, NULL);
	if (w->fence)
		DEVICE_FN(&w->vk, vkDestroyFence)(w->vk.device, w->fence, NULL);
	if (w->vk.device)
		DEVICE_FN(&w->vk, vkDestroyDevice)(w->vk.device, NULL);
	w->vk.device = NULL;
	if (w->surface)
		INSTANCE_FN(&w->vk, vkDestroySurfaceKHR)(w->vk.instance, w->surface, NULL);
	vulkan_child_close(&w->vk);
	if (w->window)
		kr_window_unref(w->window);
	kr_queue_unref(w->queue);
	kr_consumer_destroy(w->consumer);
}

static int
present(struct waits *w, uint64_t id)
{
	const VkPresentId2KHR ids = {.sType = VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR,
		.swapchainCount = 1,
		.pPresentIds = &id};
	uint32_t index;
	const VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.pNext = &ids,
		.swapchainCount = 1,
		.pSwapchains = &w->swapchain,
		.pImageIndices = &index,
	};

	if (DEVICE_FN(&w->vk, vkAcquireNextImageKHR)(
		    w->vk.device, w->swapchain, UINT64_MAX, VK_NULL_HANDLE, w->fence, &index) < 0)
		return 1;
	if (DEVICE_FN(&w->vk, vkWaitForFences)(w->vk.device, 1, &w->fence, VK_TRUE, UINT64_MAX) ||
		DEVICE_FN(&w->vk, vkResetFences)(w->vk.device, 1, &w->fence))
		return 1;
	return DEVICE_FN(&w->vk, vkQueuePresentKHR)(w->vk.queue, &info) < 0;
}

struct waiter {
	struct waits *waits;
	uint64_t id;
	int fence;
	pthread_t thread;
	atomic_bool ready;
	int64_t woke;
	bool failed;
};

static void *
wait_for_present(void *data)
{
	struct waiter *waiter = data;
	const VkPresentWait2InfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_WAIT_2_INFO_KHR,
		.presentId = waiter->id,
		.timeout = 2 * KR_NSEC_PER_SEC};

	atomic_store(&waiter->ready, true);
	waiter->failed = waiter->waits->wait(waiter->waits->vk.device, waiter->waits->swapchain,
				 &info) != VK_SUCCESS;
	waiter->woke = kr_bench_now();
	return NULL;
}

static void *
wait_for_fence(void *data)
{
	struct waiter *waiter = data;

	atomic_store(&waiter->ready, true);
	waiter->failed = kr_fence_wait(waiter->fence, kr_deadline_in(2 * KR_NSEC_PER_SEC)) != 0;
	waiter->woke = kr_bench_now();
	return NULL;
}

static int
start(struct waiter *waiter, void *(*run)(void *))
{
	if (pthread_create(&waiter->thread, NULL, run, waiter))
		return problem("no thread");
	while (!atomic_load(&waiter->ready))
		usleep(20);
	usleep(ASLEEP_US);
	return 0;
}

/* From the call that says "shown" to the return of the wait, in us. */
static int
one_present(struct waits *w, uint64_t id, double *us)
{
	struct waiter waiter = {.waits = w, .id = id};
	struct kr_frame frame;
	int64_t began;

	if (present(w, id) || kr_consumer_acquire(w->consumer, &frame))
		return problem("a present failed");
	if (start(&waiter, wait_for_present))
		return 1;
	began = kr_bench_now();
	kr_consumer_shown(w->consumer, frame.number, began);
	pthread_join(waiter.thread, NULL);
	kr_consumer_release(w->consumer, &frame, -1);
	*us = (double)(waiter.woke - began) / 1000;
	return waiter.failed ? problem("a wait failed") : 0;
}

static int
one_fence(double *us)
{
	static const struct kr_fence_label label = {.timeline = "bench", .seqno = 1};
	struct waiter waiter = {.fence = -1};
	int64_t began;
	int producer;

	if (kr_fence_create(&label, &producer, &waiter.fence) || start(&waiter, wait_for_fence))
		return problem("no fence");
	began = kr_bench_now();
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	pthread_join(waiter.thread, NULL);
	close(waiter.fence);
	*us = (double)(waiter.woke - began) / 1000;
	return waiter.failed ? problem("a fence's wait failed") : 0;
}

static int
measure(struct waits *w, unsigned count)
{
	static double presents[MAX_TURN], fences[MAX_TURN];

	for (unsigned i = 0; i < count; i++) {
		if (one_present(w, i + 1, &presents[i]) || one_fence(&fences[i]))
			return 1;
	}
	printf("%.3f %.3f", kr_bench_median(presents, count), kr_bench_median(fences, count));
	return 0;
}

/* waits LOADER COUNT: prints us of a present's wake, and of a fence's. */
int
kr_bench_child_waits(int argc, char **argv)
{
	struct waits w = {.consumer = NULL};
	int ret;

	if (argc < 2 || atoi(argv[1]) > MAX_TURN)
		return 2;
	ret = open_window(&w) || open_instance(&w, argv[0]) || open_device(&w) ||
		open_swapchain(&w) || measure(&w, (unsigned)atoi(argv[1]));
	close_all(&w);
	return ret;
}

void
kr_bench_waits(struct kr_bench *bench)
{
	const char *name = "vkWaitForPresent2KHR wakes";
	char driver[4096], count[16], out[64];
	const char *arguments[] = {"waits", bench->loaders[KR_BENCH_KRAFLA], count, NULL};
	const char *environment[] = {"KRAFLA_WSI=platform", driver, NULL};
	double presents[KR_BENCH_MAX_REPEAT], fences[KR_BENCH_MAX_REPEAT];

	kr_bench_null_driver(bench, driver, sizeof(driver));
	snprintf(count, sizeof(count), "%u", bench->quick ? 40 : 400);
	for (unsigned run = 0; run < bench->repeat; run++) {
		if (kr_bench_child(bench, arguments, environment, out, sizeof(out)) ||
			sscanf(out, "%lf %lf", &presents[run], &fences[run]) != 2) {
			kr_bench_skip(bench, name, "a child failed; its message stands above");
			return;
		}
	}
	kr_bench_row(bench, name, "us", kr_bench_median(presents, bench->repeat), "a fence's wake",
		kr_bench_median(fences, bench->repeat), 1.3);
}
