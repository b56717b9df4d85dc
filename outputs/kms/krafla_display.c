/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See krafla_display.h. What it shows is one dma-buf: a layer that covers it, or the client's
 * target, or a copy of that. It gives a kernel's fence for a buffer that has left the screen, which
 * is the release fence (S-09), and none for one that has come to it: its records are read, once a
 * refresh while a picture is on its way.
 */
#include "outputs/kms/krafla_display.h"

#include <errno.h>
#include <fcntl.h>
#include <krafla/native_window.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "colour/space.h"
#include "gralloc/buffer.h"
#include "kernel/uapi/krafla_display.h"
#include "outputs/kms/krafla_copies.h"
#include "outputs/kms/krafla_flights.h"
#include "outputs/kms/log.h"
#include "sync/fence/fence.h"
#include "sync/fence/status.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"

#define NODE       "/dev/krafla_display"
#define REFRESH_HZ 60
#define PERIOD_NS  (KR_NSEC_PER_SEC / REFRESH_HZ)

static const struct {
	uint32_t width, height;
} modes[] = {{1280, 720}, {1920, 1080}, {1024, 768}, {800, 600}, {640, 480}};

struct screen {
	struct kr_hwc_device base;
	const struct kr_hwc_host *host;
	krafla_display_t handle;
	int fd, timer;
	unsigned mode;
	bool asleep, vsync;
	struct kms_krafla_flights flights;
	int left;                 /* of the last frame: it has left the screen; -1 */
	krafla_layer_t on_screen; /* whose buffer the last frame was; 0 */
	struct kms_krafla_copies copies;
};

static struct screen *
from_base(struct kr_hwc_device *base)
{
	return kr_container_of(base, struct screen, base);
}

/* --- What has come to the screen --- */

static void
set_timer(struct screen *screen)
{
	bool wanted = screen->flights.count || screen->vsync;
	const struct itimerspec when = {
		.it_interval.tv_nsec = wanted ? PERIOD_NS : 0,
		.it_value.tv_nsec = wanted ? PERIOD_NS : 0,
	};

	(void)timerfd_settime(screen->timer, 0, &when, NULL);
}

static int
dispatch(struct kr_hwc_device *base)
{
	struct screen *screen = from_base(base);
	uint64_t expired = 0;
	struct krafla_display_info info;

	if (read(screen->timer, &expired, sizeof(expired)) < 0)
		return 0;
	kms_krafla_flights_read(&screen->flights);
	if (screen->vsync && !ioctl(screen->fd, KRAFLA_DISPLAY_IOC_INFO, &info))
		screen->host->vsync(
			screen->host, screen->handle, (int64_t)info.vsync_ns, PERIOD_NS);
	set_timer(screen);
	return 0;
}

static int
get_fd(struct kr_hwc_device *base)
{
	return from_base(base)->timer;
}

/* --- Modes --- */

static int
set_mode(struct screen *screen, bool on)
{
	const struct krafla_display_mode mode = {
		.width = on ? modes[screen->mode].width : 0,
		.height = on ? modes[screen->mode].height : 0,
		.refresh_hz = on ? REFRESH_HZ : 0,
	};

	return ioctl(screen->fd, KRAFLA_DISPLAY_IOC_SET_MODE, &mode) ? -errno : 0;
}

static uint32_t
get_configs(struct kr_hwc_device *base, const struct kr_hwc_display_state *state, uint32_t room,
	krafla_config_t *configs)
{
	for (uint32_t i = 0; i < KR_ARRAY_LEN(modes) && i < room; i++)
		configs[i] = i + 1;
	return KR_ARRAY_LEN(modes);
}

static krafla_config_t
get_active_config(struct kr_hwc_device *base, const struct kr_hwc_display_state *state)
{
	return from_base(base)->mode + 1;
}

static int32_t
get_attribute(struct kr_hwc_device *base, const struct kr_hwc_display_state *state,
	krafla_config_t config, enum krafla_attribute attribute)
{
	switch (attribute) {
	case KRAFLA_ATTRIBUTE_WIDTH:
		return (int32_t)modes[config - 1].width;
	case KRAFLA_ATTRIBUTE_HEIGHT:
		return (int32_t)modes[config - 1].height;
	case KRAFLA_ATTRIBUTE_VSYNC_PERIOD:
		return PERIOD_NS;
	default:
		return -1;
	}
}

/* A mode that is set anew ends what was on its way. */
static void
forget_frames(struct screen *screen)
{
	kms_krafla_flights_cancel(&screen->flights);
	kr_fd_close(&screen->left);
	screen->on_screen = 0;
}

static int
set_active_config(
	struct kr_hwc_device *base, struct kr_hwc_display_state *state, krafla_config_t config)
{
	struct screen *screen = from_base(base);
	unsigned before = screen->mode;

	screen->mode = config - 1;
	if (!screen->asleep && set_mode(screen, true)) {
		screen->mode = before;
		return KRAFLA_COMPOSER_NO_RESOURCES;
	}
	forget_frames(screen);
	kms_krafla_copies_drop(&screen->copies);
	return 0;
}

static int
set_power_mode(
	struct kr_hwc_device *base, struct kr_hwc_display_state *state, enum krafla_power mode)
{
	struct screen *screen = from_base(base);

	if (mode != KRAFLA_POWER_ON && mode != KRAFLA_POWER_OFF)
		return KRAFLA_COMPOSER_UNSUPPORTED;
	if (set_mode(screen, mode == KRAFLA_POWER_ON))
		return KRAFLA_COMPOSER_NO_RESOURCES;
	screen->asleep = mode == KRAFLA_POWER_OFF;
	forget_frames(screen);
	return 0;
}

static int
set_vsync(struct kr_hwc_device *base, struct kr_hwc_display_state *state, bool enabled)
{
	struct screen *screen = from_base(base);

	screen->vsync = enabled;
	set_timer(screen);
	return 0;
}

/* --- Pictures --- */

static uint32_t
format_of(uint32_t format)
{
	switch (format) {
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
	case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
		return KRAFLA_DISPLAY_XBGR8888;
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		return KRAFLA_DISPLAY_XRGB8888;
	default:
		return 0;
	}
}

/* What the display can read itself. */
static bool
read_info(const struct screen *screen, const struct kr_buffer *buffer, struct kr_buffer_info *info)
{
	const native_handle_t *handle = buffer ? screen->host->buffer_handle(buffer) : NULL;

	return handle && !kr_buffer_info_from_handle(handle, info) &&
		kr_buffer_backend_is_dma_buf(info->backend) && format_of(info->desc.format) &&
		info->desc.width == modes[screen->mode].width &&
		info->desc.height == modes[screen->mode].height;
}

static bool
covers_all(const struct screen *screen, const struct kr_hwc_display_state *display,
	const struct kr_hwc_layer_state *layer)
{
	struct kr_buffer_info info;
	const struct krafla_frect *crop = &layer->crop;
	bool whole = crop->right <= crop->left || crop->bottom <= crop->top ||
		(crop->left <= 0 && crop->top <= 0 && crop->right >= (float)display->width &&
			crop->bottom >= (float)display->height);

	/* It is shown as it is. */
	if (kr_colour_resolve(layer->dataspace, HAL_DATASPACE_SRGB) != HAL_DATASPACE_SRGB)
		return false;
	return whole && layer->composition == KRAFLA_COMPOSITION_DEVICE &&
		layer->blend == KRAFLA_BLEND_NONE && layer->plane_alpha >= 1 && !layer->transform &&
		!layer->frame.left && !layer->frame.top &&
		layer->frame.right == (int32_t)display->width &&
		layer->frame.bottom == (int32_t)display->height &&
		read_info(screen, layer->buffer, &info);
}

/* The layer that is the picture; NULL: the client draws. */
static const struct kr_hwc_layer_state *
only_layer(const struct kr_hwc_display_state *display)
{
	const struct kr_hwc_layer_state *top =
		display->count ? display->layers[display->count - 1] : NULL;

	return top && top->composition == KRAFLA_COMPOSITION_DEVICE && top->device_data ? top
											: NULL;
}

static int
validate(struct kr_hwc_device *base, struct kr_hwc_display_state *display)
{
	struct screen *screen = from_base(base);

	for (unsigned i = 0; i < display->count; i++) {
		struct kr_hwc_layer_state *layer = display->layers[i];
		bool is_top = i == display->count - 1;

		layer->device_data = is_top && covers_all(screen, display, layer) ? layer : NULL;
	}
	for (unsigned i = 0; i < display->count; i++) {
		struct kr_hwc_layer_state *layer = display->layers[i];

		/* What lies below a picture that covers all is seen by nobody. */
		if (!only_layer(display) && layer->composition != KRAFLA_COMPOSITION_CLIENT)
			layer->changed_to = KRAFLA_COMPOSITION_CLIENT;
	}
	return 0;
}

/* The kernel's fence goes along; one of user space must be done. */
static int
fence_for_kernel(int fence, int *in_fence)
{
	int32_t status;
	bool kernel;

	*in_fence = -1;
	if (fence < 0)
		return 0;
	if (kr_sync_status_and_kind(fence, &status, &kernel))
		return -EINVAL;
	if (kernel && status == KR_FENCE_ACTIVE) {
		*in_fence = fence;
		return 0;
	}
	return kr_fence_wait(fence, kr_deadline_in(KMS_KRAFLA_USER_FENCE_NS));
}

static int
show(struct screen *screen, const struct kr_buffer_info *info, int in_fence, uint64_t *frame,
	int *left)
{
	struct krafla_display_buffer args = {
		.buffer = info->fd,
		.in_fence = in_fence,
		.stride = info->row_bytes,
		.format = format_of(info->desc.format),
		.flags = KRAFLA_DISPLAY_WAIT_FOR_BUFFER,
	};

	if (ioctl(screen->fd, KRAFLA_DISPLAY_IOC_DISPLAY, &args))
		return -errno;
	*frame = args.frame;
	*left = args.out_fence;
	return 0;
}

static int
show_copy(struct screen *screen, struct kr_hwc_display_state *display, uint64_t *frame, int *left)
{
	const struct kr_buffer_info *info;
	int ret = kms_krafla_copies_fill(&screen->copies, display, &info);

	if (!ret)
		ret = show(screen, info, -1, frame, left);
	if (!ret)
		kms_krafla_copies_shown(&screen->copies, *left);
	return ret;
}

static int
show_picture(
	struct screen *screen, struct kr_hwc_display_state *display, uint64_t *frame, int *left)
{
	const struct kr_hwc_layer_state *layer = only_layer(display);
	struct kr_buffer_info info;
	int in_fence, ret;

	if (!layer && !read_info(screen, display->target, &info))
		return show_copy(screen, display, frame, left);
	if (layer && !read_info(screen, layer->buffer, &info))
		return -EINVAL;
	ret = fence_for_kernel(layer ? layer->acquire_fence : display->target_fence, &in_fence);
	return ret ? ret : show(screen, &info, in_fence, frame, left);
}

/* The buffer before was the last frame: it is read until that has left the screen. */
static void
give_releases(struct screen *screen, struct kr_hwc_display_state *display)
{
	const struct kr_hwc_layer_state *now = only_layer(display);

	for (unsigned i = 0; i < display->count; i++) {
		struct kr_hwc_layer_state *layer = display->layers[i];

		if (layer->replaced && layer->previous && screen->on_screen == layer->handle &&
			kr_fd_dup(screen->left, &layer->release_fence))
			(void)kr_fence_wait(screen->left, kr_deadline_in(KMS_KRAFLA_USER_FENCE_NS));
	}
	screen->on_screen = now ? now->handle : 0;
}

static int
present(struct kr_hwc_device *base, struct kr_hwc_display_state *display, int *present_fence,
	bool *over)
{
	const struct kr_fence_label label = {.timeline = "krafla_display", .name = "picture"};
	struct screen *screen = from_base(base);
	int producer, fence, left, ret;
	uint64_t frame;

	if (screen->asleep)
		return 0;
	kms_krafla_flights_read(&screen->flights);
	if (screen->flights.count == KMS_KRAFLA_MAX_FLIGHTS ||
		(!only_layer(display) && !display->target))
		return KRAFLA_COMPOSER_NO_RESOURCES;
	if (kr_fence_create(&label, &producer, &fence))
		return KRAFLA_COMPOSER_NO_RESOURCES;
	ret = show_picture(screen, display, &frame, &left);
	if (ret) {
		kms_error("kms: " NODE " shows no picture: %s", strerror(-ret));
		kr_fence_signal(producer, ret);
		close(fence);
		return KRAFLA_COMPOSER_NO_RESOURCES;
	}
	kms_krafla_flights_add(&screen->flights, frame, producer);
	*present_fence = fence;
	give_releases(screen, display);
	kr_fd_close(&screen->left);
	screen->left = left;
	set_timer(screen);
	return 0;
}

static bool
takes_target(struct kr_hwc_device *base, const struct kr_hwc_display_state *display, uint32_t width,
	uint32_t height, uint32_t format)
{
	return width == display->width && height == display->height &&
		format != AHARDWAREBUFFER_FORMAT_BLOB;
}

static void
display_gone(struct kr_hwc_device *base, struct kr_hwc_display_state *display)
{
	struct screen *screen = from_base(base);

	(void)set_mode(screen, false);
	forget_frames(screen);
}

static void
close_device(struct kr_hwc_device *base)
{
	struct screen *screen = from_base(base);

	forget_frames(screen);
	kms_krafla_copies_finish(&screen->copies);
	kr_fd_close(&screen->timer);
	kr_fd_close(&screen->fd);
	free(screen);
}

static const struct kr_hwc_device_impl impl = {
	.name = "kms",
	.close = close_device,
	.get_fd = get_fd,
	.dispatch = dispatch,
	.get_configs = get_configs,
	.get_active_config = get_active_config,
	.get_attribute = get_attribute,
	.set_active_config = set_active_config,
	.set_power_mode = set_power_mode,
	.set_vsync = set_vsync,
	.display_gone = display_gone,
	.takes_target = takes_target,
	.validate = validate,
	.present = present,
};

static int
open_node(struct screen *screen)
{
	int ret;

	screen->fd = open(NODE, O_RDWR | O_CLOEXEC);
	if (screen->fd < 0) {
		ret = -errno;
		kms_error(
			"kms: %s: %s: load krafla_display.ko (kernel/README.md), as a user who may open it",
			NODE, strerror(-ret));
		return ret;
	}
	screen->flights.fd = screen->fd;
	screen->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (screen->timer < 0)
		return -errno;
	ret = set_mode(screen, true);
	kms_krafla_flights_read(&screen->flights); /* of others, before */
	if (ret)
		kms_error("kms: " NODE " can't be had: %s: %s", strerror(-ret),
			ret == -EBUSY ? "another program shows its pictures there: end it"
				      : "look at the kernel's log");
	return ret;
}

int
kms_krafla_display_open(const struct kr_hwc_host *host, struct kr_hwc_device **device)
{
	struct screen *screen = calloc(1, sizeof(*screen));
	int ret;

	if (!screen)
		return -ENOMEM;
	screen->base.impl = &impl;
	screen->host = host;
	screen->fd = screen->flights.fd = screen->timer = screen->left = -1;
	kms_krafla_copies_init(&screen->copies, host);
	ret = open_node(screen);
	if (!ret) {
		screen->handle = host->connect(host, KMS_KRAFLA_DISPLAY, screen);
		ret = screen->handle ? 0 : -ENOMEM;
	}
	if (ret) {
		close_device(&screen->base);
		return ret;
	}
	*device = &screen->base;
	return 0;
}
