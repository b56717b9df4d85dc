/* SPDX-License-Identifier: Apache-2.0 */
#include "rig.h"

#include "harness.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "window/queue/sink.h"
#include "window/window.h"

uint64_t rig_consumer_usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
struct kr_timing rig_timing;
int64_t rig_refresh_ns;

static struct proxy_window *
proxy(const ANativeWindow *window)
{
	return (struct proxy_window *)(uintptr_t)window;
}

static void
inc_ref(android_native_base_t *base)
{
	((struct proxy_window *)base)->refs++;
}

static void
dec_ref(android_native_base_t *base)
{
	((struct proxy_window *)base)->refs--;
}

static int
set_swap_interval(ANativeWindow *window, int interval)
{
	return proxy(window)->inner->setSwapInterval(proxy(window)->inner, interval);
}

static int
query(const ANativeWindow *window, int what, int *value)
{
	if (what == proxy(window)->fail_query)
		return -ENODEV;
	if (what == NATIVE_WINDOW_CONSUMER_IS_PROTECTED && proxy(window)->shows_protected) {
		*value = 1;
		return 0;
	}
	if (what == NATIVE_WINDOW_TRANSFORM_HINT && proxy(window)->hint >= 0) {
		*value = proxy(window)->hint;
		return 0;
	}
	return proxy(window)->inner->query(proxy(window)->inner, what, value);
}

static int
perform_damage(struct proxy_window *p, const android_native_rect_t *rects, size_t count)
{
	p->damages++;
	p->damage_count = count;
	if (count)
		memcpy(p->damage, rects, count * sizeof(*rects));
	return p->inner->perform(p->inner, NATIVE_WINDOW_SET_SURFACE_DAMAGE, rects, count);
}

static int
perform_timeout(struct proxy_window *p, int64_t timeout)
{
	p->timeout = timeout;
	p->timeouts++;
	return p->inner->perform(p->inner, NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT, timeout);
}

static int
perform_shape(struct proxy_window *p, struct kr_window_shape *shape)
{
	int ret = p->inner->perform(p->inner, KR_WINDOW_GET_SHAPE, shape);

	if (p->hint >= 0)
		shape->transform_hint = (uint32_t)p->hint;
	return ret;
}

static int
perform(ANativeWindow *window, int operation, ...)
{
	struct proxy_window *p = proxy(window);
	int64_t first = 0, second = 0;
	va_list args;

	if (operation == p->fail_perform)
		return -ENODEV;
	va_start(args, operation);
	switch (operation) {
	case NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS:
		first = va_arg(args, int);
		second = va_arg(args, int);
		break;
	case NATIVE_WINDOW_SET_SURFACE_DAMAGE:
	case NATIVE_WINDOW_SET_BUFFER_COUNT:
	case NATIVE_WINDOW_SET_BUFFERS_TIMESTAMP:
	case NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT:
	case NATIVE_WINDOW_SET_USAGE64:
	case NATIVE_WINDOW_GET_CONSUMER_USAGE64:
	case NATIVE_WINDOW_SET_CROP:
	case KR_WINDOW_DESCRIBE_PRODUCER:
	case KR_WINDOW_NEXT_WANTED:
	case KR_WINDOW_SET_PRESENTATION:
	case KR_WINDOW_GET_ABILITIES:
	case KR_WINDOW_WAIT_SHOWN:
	case KR_WINDOW_LAST_SHOWN:
	case KR_WINDOW_GET_SHAPE:
	case KR_WINDOW_SET_HDR:
	case NATIVE_WINDOW_SET_BUFFERS_SMPTE2086_METADATA:
	case NATIVE_WINDOW_SET_BUFFERS_CTA861_3_METADATA:
	case KR_WINDOW_SET_TARGET:
	case KR_WINDOW_GET_TIMING:
	case KR_WINDOW_FRAME_TIMES:
	case NATIVE_WINDOW_GET_NEXT_FRAME_ID:
		first = va_arg(args, int64_t);
		if (operation == NATIVE_WINDOW_SET_SURFACE_DAMAGE ||
			operation == KR_WINDOW_WAIT_SHOWN || operation == KR_WINDOW_FRAME_TIMES)
			second = va_arg(args, int64_t);
		break;
	case KR_WINDOW_NO_PIXELS:
		break;
	default:
		first = va_arg(args, int);
		break;
	}
	va_end(args);
	if (p->android && operation >> 16 == KR_WINDOW_NEXT_WANTED >> 16)
		return -ENOENT;
	if (p->stands_in) {
		int ret = far_end_perform(&p->far_end, operation, first, second);

		if (ret != -ENOENT)
			return ret;
	}
	if (operation == NATIVE_WINDOW_SET_SURFACE_DAMAGE)
		return perform_damage(p, (const void *)(intptr_t)first, (size_t)second);
	if (operation == NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT)
		return perform_timeout(p, first);
	if (operation == KR_WINDOW_GET_SHAPE)
		return perform_shape(p, (void *)(intptr_t)first);
	if (operation == KR_WINDOW_GET_ABILITIES && p->says_abilities) {
		*(struct kr_abilities *)(intptr_t)first = p->abilities;
		return 0;
	}
	/* The inner one's allocator has no such memory. */
	if (operation == NATIVE_WINDOW_SET_USAGE64 && p->shows_protected) {
		p->protects = first & AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT;
		first &= ~(int64_t)AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT;
	}
	if (operation == NATIVE_WINDOW_SET_SCALING_MODE)
		p->scaling_mode = (int32_t)first;
	if (operation == KR_WINDOW_DESCRIBE_PRODUCER)
		snprintf(p->device, sizeof(p->device), "%s", (const char *)(intptr_t)first);
	return p->inner->perform(p->inner, operation, first, second);
}

static int
dequeue(ANativeWindow *window, ANativeWindowBuffer **buffer, int *fence)
{
	struct proxy_window *p = proxy(window);
	int ret = p->dequeue_error;

	p->dequeues++;
	if (ret && !p->dequeue_error_at)
		return ret;
	if (ret && --p->dequeue_error_at == 0) {
		p->dequeue_error = 0;
		return ret;
	}
	ret = p->inner->dequeueBuffer(p->inner, buffer, fence);
	if (!ret && p->protects && p->gives_protected)
		(*buffer)->usage |= AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT;
	if (!ret && p->dequeue_fence >= 0) {
		*fence = p->dequeue_fence;
		p->dequeue_fence = -1;
	}
	return ret;
}

static int
queue(ANativeWindow *window, ANativeWindowBuffer *buffer, int fence)
{
	struct proxy_window *p = proxy(window);

	if (p->queue_error) {
		if (fence >= 0)
			close(fence);
		return p->queue_error;
	}
	return p->inner->queueBuffer(p->inner, buffer, fence);
}

static int
cancel(ANativeWindow *window, ANativeWindowBuffer *buffer, int fence)
{
	proxy(window)->cancels++;
	proxy(window)->cancel_status = kr_fence_status(fence);
	return proxy(window)->inner->cancelBuffer(proxy(window)->inner, buffer, fence);
}

static void
init_proxy(struct proxy_window *p, ANativeWindow *inner)
{
	const ANativeWindow base = {
		.common = {ANDROID_NATIVE_WINDOW_MAGIC, sizeof(ANativeWindow), {0}, inc_ref,
			dec_ref},
		.maxSwapInterval = 1,
		.setSwapInterval = set_swap_interval,
		.query = query,
		.perform = perform,
		.dequeueBuffer = dequeue,
		.queueBuffer = queue,
		.cancelBuffer = cancel,
	};

	memset(p, 0, sizeof(*p));
	memcpy(&p->base, &base, sizeof(base));
	p->inner = inner;
	p->refs = 1;
	p->fail_perform = p->fail_query = p->dequeue_fence = -1;
	p->hint = -1;
	far_end_init(&p->far_end);
}

static void
said_mode(void *data, VkPresentModeKHR mode)
{
	((struct rig *)data)->mode_said = mode;
}

static void
said_destroy(void *data)
{
	((struct rig *)data)->destroys++;
}

static const struct kr_abilities everything = {
	.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT),
	.transforms = KR_ABILITY_TRANSFORMS,
	.alphas = KR_ABILITY_ALL(4),
	.scalings = KR_ABILITY(KR_SCALING_ONE_TO_ONE) | KR_ABILITY(KR_SCALING_ASPECT) |
		KR_ABILITY(KR_SCALING_STRETCH),
	.gravities = KR_ABILITY_ALL(3),
	.colours = KR_ABILITY_ALL(KR_COLOUR_COUNT),
};

static void
init_rig(struct rig *rig, bool consumer, const struct kr_abilities *abilities)
{
	const struct kr_queue_config config = {
		.default_width = 320,
		.default_height = 200,
		.default_format = AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM,
		.consumer_usage = rig_consumer_usage,
		.max_acquired = 1,
		.abilities = *abilities,
		.timing = rig_timing,
		.refresh_ns = rig_refresh_ns,
	};
	static const struct kr_consumer_events no_events;
	ANativeWindow *window;
	struct kr_sink *sink;

	fake_driver_init();
	memset(rig, 0, sizeof(*rig));
	if (consumer)
		assert_int_equal(
			kr_consumer_local_create(&no_events, NULL, &sink, &rig->consumer), 0);
	else
		assert_int_equal(kr_sink_null_create(&sink), 0);
	assert_int_equal(kr_queue_create(&config, sink, &rig->queue), 0);
	assert_int_equal(kr_window_create(rig->queue, &window), 0);
	init_proxy(&rig->window, window);
	rig->ops.set_present_mode = said_mode;
	rig->ops.destroy = said_destroy;
	assert_int_equal(
		kr_wsi_surface_create(&rig->window.base, &rig->ops, rig, NULL, &rig->surface),
		VK_SUCCESS);
	rig->gpu = *fake_gpu();
	rig->device = fake_device_create();
}

void
rig_init(struct rig *rig, bool consumer)
{
	init_rig(rig, consumer, &(struct kr_abilities){0});
}

void
rig_init_able(struct rig *rig)
{
	struct kr_abilities abilities = everything;

	abilities.tells_shown = true;
	init_rig(rig, true, &abilities);
	rig->gpu.shared_image = true;
	rig_remake_device(rig, false);
}

void
rig_remake_device(struct rig *rig, bool compression_control)
{
	const struct kr_wsi_device_info info = {
		.device = (VkDevice)(uintptr_t)0x1000,
		.get_device_proc_addr = fake_get_device_proc_addr,
		.functions = &fake.device,
		.gpu = rig->gpu,
		.compression_control = compression_control,
	};

	kr_wsi_device_destroy(rig->device);
	assert_int_equal(kr_wsi_device_create(&info, &rig->device), VK_SUCCESS);
}

void
rig_give_abilities(struct rig *rig)
{
	rig->window.android = false;
	rig->window.says_abilities = true;
	rig->window.abilities = everything;
}

void
rig_finish(struct rig *rig)
{
	kr_wsi_device_destroy(rig->device);
	kr_wsi_surface_destroy(rig->surface, NULL);
	assert_int_equal(rig->destroys, 1);
	assert_int_equal(rig->window.refs, 1);
	kr_window_unref(rig->window.inner);
	kr_queue_unref(rig->queue);
	kr_consumer_destroy(rig->consumer);
	fake_finish_work(1);
	assert_int_equal(fake.images_live, 0);
	assert_int_equal(fake.semaphores_live, 0);
	assert_int_equal(fake.semaphore_errors, 0);
}

VkSwapchainKHR
rig_swapchain(struct rig *rig, VkPresentModeKHR mode)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(mode);
	VkSwapchainKHR swapchain = VK_NULL_HANDLE;

	assert_int_equal(
		kr_wsi_create_swapchain(rig->device, rig->surface, &info, NULL, &swapchain),
		VK_SUCCESS);
	return swapchain;
}

VkResult
rig_acquire(struct rig *rig, VkSwapchainKHR swapchain, uint64_t timeout, uint32_t *index)
{
	return fake_acquire(rig->device, swapchain, timeout, index);
}

VkResult
rig_present(struct rig *rig, VkSwapchainKHR swapchain, uint32_t index)
{
	return fake_present(rig->device, swapchain, index);
}

void
rig_destroy(struct rig *rig, VkSwapchainKHR swapchain)
{
	kr_wsi_destroy_swapchain(rig->device, swapchain);
}

static void *VKAPI_CALL
probe_alloc(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	struct alloc_probe *probe = data;

	if (++probe->count == probe->fail_at)
		return NULL;
	probe->live++;
	return malloc(size);
}

static void *VKAPI_CALL
probe_realloc(void *data, void *memory, size_t size, size_t alignment, VkSystemAllocationScope s)
{
	return NULL;
}

static void VKAPI_CALL
probe_free(void *data, void *memory)
{
	if (memory)
		((struct alloc_probe *)data)->live--;
	free(memory);
}

void
alloc_probe_init(struct alloc_probe *probe)
{
	*probe = (struct alloc_probe){
		.callbacks = {.pUserData = probe,
			.pfnAllocation = probe_alloc,
			.pfnReallocation = probe_realloc,
			.pfnFree = probe_free},
	};
}
