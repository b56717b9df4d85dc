/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device `gpu`: soft, with pictures that a GPU draws where that is cheaper (brush.c).
 *
 *   gpu           without a GPU of the machine's it is soft
 *   gpu:forced    whatever is drawn is drawn by Vulkan, also where the device is a processor.
 *                 Where that can't be, it can't be opened
 *   gpu:fixed     as gpu, but who draws the first picture that is drawn draws them all
 *
 * With the last two a picture waits for the process that draws it; with the first the CPU draws
 * until that is there.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "gralloc/buffer.h"
#include "hardware/device_map.h"
#include "hwc/brush.h"
#include "hwc/drawing.h"
#include "hwc/easel/easel.h"
#include "hwc/soft_device.h"
#include "hwc/way.h"
#include "util/fd.h"
#include "util/log.h"

/*
 * Whether a device of the kernel's is here that Vulkan drivers work with; nothing is opened. What
 * gfxstream talks through are sockets that virtual machines have without a GPU, too; with one
 * there is a render node, which venus works with as well.
 */
static bool
has_hardware(void)
{
	char why[KR_PRESENCE_WHY_SIZE];
	size_t count;
	const struct kr_hardware_rule *rules = kr_hardware_rules(&count);

	for (size_t i = 0; i < count; i++) {
		if (!rules[i].always && strcmp(rules[i].name, "gfxstream") != 0 &&
			kr_hardware_presence(&rules[i], NULL, why) == KR_PRESENCE_HERE)
			return true;
	}
	return false;
}

/* --- open and close --- */

/* A painter at once: what was forced is known to be possible. 0; -ENODEV (told). */
static int
try_painter(struct kr_soft *soft)
{
	struct kr_easel_report report;
	int err = kr_easel_create(true, &soft->first);

	if (err)
		return err;
	kr_easel_start(soft->first, NULL);
	err = kr_easel_wait(soft->first, -1);
	if (!err && kr_easel_get_state(soft->first) == KR_EASEL_READY)
		return 0;
	kr_easel_describe(soft->first, &report);
	kr_error("composer: no GPU draws: %s", report.why);
	return -ENODEV;
}

static void
close_gpu(struct kr_hwc_device *device)
{
	struct kr_soft *soft = kr_soft_from_device(device);
	int epoll = soft->epoll;

	kr_easel_destroy(soft->first);
	kr_soft_close(device);
	kr_fd_close(&epoll);
}

static int
watch_timer(struct kr_soft *soft)
{
	struct epoll_event event = {.events = EPOLLIN};

	soft->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (soft->epoll < 0)
		return -errno;
	return epoll_ctl(soft->epoll, EPOLL_CTL_ADD, soft->timer, &event) ? -errno : 0;
}

static int
open_gpu(const char *argument, const struct kr_hwc_host *host, struct kr_hwc_device **device)
{
	bool forced = argument && !strcmp(argument, "forced");
	bool fixed = argument && !strcmp(argument, "fixed");
	struct kr_soft *soft;
	int err;

	if (argument && !forced && !fixed)
		return -EINVAL;
	err = kr_soft_open(&kr_hwc_gpu, host, device);
	if (err)
		return err;
	soft = kr_soft_from_device(*device);
	soft->brush = &kr_soft_painter;
	soft->forced = forced;
	soft->fixed = fixed;
	soft->possible = forced || has_hardware();
	err = watch_timer(soft);
	if (!err && forced)
		err = try_painter(soft);
	if (err)
		close_gpu(*device);
	return err;
}

/* --- what displays' threads have to hear of --- */

static int
get_fd(struct kr_hwc_device *device)
{
	return kr_soft_from_device(device)->epoll;
}

static int
dispatch(struct kr_hwc_device *device)
{
	struct kr_soft *soft = kr_soft_from_device(device);
	struct kr_soft_display *display;

	kr_list_for_each (display, &soft->displays, link) {
		if (kr_easel_heard(display->easel))
			kr_soft_way_call(display);
	}
	return kr_soft_dispatch(device);
}

static void
layer_gone(struct kr_hwc_device *device, struct kr_hwc_display_state *state,
	struct kr_hwc_layer_state *layer)
{
	struct kr_soft_display *display = state->device_data;

	kr_easel_forget(display->easel, layer->handle);
	kr_soft_way_call(display);
}

/* --- what is told --- */

static void
describe(const struct kr_soft_display *display, struct kr_hwc_drawing *drawing)
{
	enum kr_easel_state state = kr_easel_get_state(display->easel);
	struct kr_easel_report report;

	kr_easel_describe(display->easel, &report);
	drawing->possible &= state != KR_EASEL_GIVEN_UP;
	drawing->now = state == KR_EASEL_READY && display->by_brush;
	drawing->pictures = display->brushed;
	drawing->lost = report.lost && (display->brushed || display->device->forced);
	drawing->guilty = report.guilty;
	drawing->refused = report.refused;
	snprintf(drawing->device, sizeof(drawing->device), "%s", report.device);
	snprintf(drawing->why, sizeof(drawing->why), "%s", report.why);
}

static void
get_drawing(struct kr_hwc_device *device, const struct kr_hwc_display_state *state,
	struct kr_hwc_drawing *drawing)
{
	const struct kr_soft *soft = kr_soft_from_device(device);

	drawing->possible = soft->possible;
	if (state)
		describe(state->device_data, drawing);
	else if (!soft->possible)
		snprintf(drawing->why, sizeof(drawing->why), "no GPU is here");
}

const struct kr_hwc_device_impl kr_hwc_gpu = {
	.name = "gpu",
	.open = open_gpu,
	.close = close_gpu,
	.get_fd = get_fd,
	.dispatch = dispatch,
	.layer_gone = layer_gone,
	.validate = kr_soft_validate,
	.get_drawing = get_drawing,
	KR_SOFT_OPS,
};
