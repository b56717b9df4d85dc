/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-output-kms.so: the composer's device "kms[:CARD][:CONNECTOR]". A display for each screen
 * that is connected, or for the one that was named.
 *
 * What goes on is told by descriptors, all in one epoll set that is the device's own: the card
 * (frames on the screen, vertical blanks), the seat, the kernel's messages of cards, fences that
 * pictures wait for, and a timer for their limits. There is no thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <xf86drmMode.h>

#include "hwc/device.h"
#include "outputs/kms/card.h"
#include "outputs/kms/display.h"
#include "outputs/kms/hotplug.h"
#include "outputs/kms/krafla_display.h"
#include "outputs/kms/liftoff.h"
#include "outputs/kms/log.h"
#include "util/clock.h"
#include "util/fd.h"

#define MAX_DISPLAYS 8

struct kms_device {
	struct kr_hwc_device base;
	const struct kr_hwc_host *host;
	struct kms_wish wish;
	struct kms_seat *seat;
	bool active; /* the screens are ours, as far as was acted on */
	bool lost;   /* the card is gone */
	bool seat_lost;
	struct kms_card card;
	struct kms_framebuffers framebuffers;
	struct liftoff_device *liftoff;
	int epoll, timer, hotplug;
	struct kms_display displays[MAX_DISPLAYS];
};

static struct kms_device *
from_base(struct kr_hwc_device *base)
{
	return kr_container_of(base, struct kms_device, base);
}

static struct kms_display *
from_state(const struct kr_hwc_display_state *state)
{
	return state->device_data;
}

/* --- Events --- */

static void
handle_flipped(struct kms_listener *listener, uint32_t crtc, uint32_t sequence, int64_t time_ns)
{
	kms_display_flipped(kr_container_of(listener, struct kms_display, listener), time_ns);
}

static void
set_timer(struct kms_device *device)
{
	struct itimerspec when = {0};
	int64_t next = KR_FOREVER;

	for (unsigned i = 0; i < MAX_DISPLAYS; i++) {
		if (device->displays[i].used)
			next = KR_MIN(next, kms_display_next(&device->displays[i]));
	}
	if (next != KR_FOREVER) {
		when.it_value.tv_sec = next / KR_NSEC_PER_SEC;
		when.it_value.tv_nsec = next % KR_NSEC_PER_SEC;
	}
	(void)timerfd_settime(device->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

/* --- Screens that come and go --- */

static struct kms_display *
display_of(struct kms_device *device, uint32_t connector)
{
	for (unsigned i = 0; i < MAX_DISPLAYS; i++) {
		struct kms_display *display = &device->displays[i];

		if (display->used && display->connected &&
			display->screen.connector.id == connector)
			return display;
	}
	return NULL;
}

static struct kms_display *
free_display(struct kms_device *device)
{
	for (unsigned i = 0; i < MAX_DISPLAYS; i++) {
		if (!device->displays[i].used)
			return &device->displays[i];
	}
	return NULL;
}

static void
connect_screen(struct kms_device *device, const struct kms_connector *connector)
{
	struct kms_display *display = free_display(device);
	const drmModeModeInfo *mode = &connector->modes[0];

	if (!display)
		return;
	memset(display, 0, sizeof(*display));
	display->listener.flipped = handle_flipped;
	display->listener.vblank = kms_vblank_handle;
	display->host = device->host;
	display->epoll = device->epoll;
	if (kms_display_open(
		    display, &device->card, &device->framebuffers, device->liftoff, connector))
		return;
	display->used = display->connected = true;
	display->handle = device->host->connect(device->host, connector->name, display);
	if (!display->handle) {
		kms_display_close(display, true);
		return;
	}
	kms_info("kms: %s of %s (%s): %ux%u at %u Hz", connector->name, device->card.path,
		device->card.driver, mode->hdisplay, mode->vdisplay, mode->vrefresh);
}

/* The host's handle lives on until display_gone; what it shows doesn't. */
static void
disconnect_screen(struct kms_device *device, struct kms_display *display)
{
	kms_info("kms: %s of %s is unplugged", display->screen.connector.name, device->card.path);
	kms_display_cancel(display);
	if (!device->lost && device->active && kms_screen_darken(&display->screen))
		display->screen.lost = true;
	display->connected = false;
	display->screen.crtc->used = false;
	device->host->disconnect(device->host, display->handle);
}

static void
look_at_connector(struct kms_device *device, uint32_t id)
{
	struct kms_display *display = display_of(device, id);
	struct kms_connector connector;
	bool there = !kms_connector_read(device->card.fd, id, &connector) && connector.connected &&
		(!device->wish.connector[0] || !strcmp(device->wish.connector, connector.name));

	if (display && !there)
		disconnect_screen(device, display);
	else if (!display && there)
		connect_screen(device, &connector);
}

/* How many screens there are, or -errno. */
static int
look_at_connectors(struct kms_device *device)
{
	uint32_t ids[KMS_MAX_CONNECTORS];
	int count = kms_connectors_list(device->card.fd, ids), found = 0;

	for (int i = 0; i < count; i++)
		look_at_connector(device, ids[i]);
	for (unsigned i = 0; i < MAX_DISPLAYS; i++)
		found += device->displays[i].used && device->displays[i].connected;
	return count < 0 ? count : found;
}

static void
lose_card(struct kms_device *device)
{
	if (device->lost)
		return;
	kms_error("kms: %s is gone", device->card.path);
	device->lost = true;
	for (unsigned i = 0; i < MAX_DISPLAYS; i++) {
		struct kms_display *display = &device->displays[i];

		if (display->used && display->connected)
			disconnect_screen(device, display);
	}
}

/* --- The seat --- */

static void
give_up_screens(struct kms_device *device)
{
	kms_info("kms: the screens of %s are another's now", device->card.path);
	device->active = false;
	for (unsigned i = 0; i < MAX_DISPLAYS; i++) {
		if (device->displays[i].used)
			kms_display_cancel(&device->displays[i]);
	}
}

static void
take_back_screens(struct kms_device *device)
{
	kms_info("kms: the screens of %s are ours again", device->card.path);
	device->active = true;
	(void)look_at_connectors(device);
	for (unsigned i = 0; i < MAX_DISPLAYS; i++) {
		struct kms_display *display = &device->displays[i];

		if (!display->used || !display->connected || display->asleep)
			continue;
		if (kms_screen_light(&display->screen))
			continue;
		kms_vblank_ask(display);
		device->host->refresh(device->host, display->handle);
	}
}

/* Whether the screens are ours; gives them up when they aren't any more. */
static bool
ask_seat(struct kms_device *device)
{
	bool ours;

	if (device->seat && !device->seat_lost && kms_seat_dispatch(device->seat)) {
		kms_error("kms: the seat is lost: seatd or logind has ended");
		(void)epoll_ctl(device->epoll, EPOLL_CTL_DEL, kms_seat_fd(device->seat), NULL);
		device->seat_lost = true;
	}
	ours = kms_seat_is_active(device->seat);
	if (!ours && device->active)
		give_up_screens(device);
	return ours;
}

/* In the middle of a call: what comes back is taken back by the next dispatch. */
static bool
may_draw(struct kms_device *device)
{
	if (ask_seat(device) && !device->active)
		device->host->wake(device->host);
	return device->active && !device->lost;
}

/* --- The device --- */

static int
dispatch(struct kr_hwc_device *base)
{
	struct kms_device *device = from_base(base);
	uint64_t expired;

	if (device->lost)
		return KRAFLA_COMPOSER_NO_RESOURCES;
	if (read(device->timer, &expired, sizeof(expired)) < 0 && errno != EAGAIN)
		kms_debug("kms: the timer: %s", strerror(errno));
	if (ask_seat(device) && !device->active)
		take_back_screens(device);
	if (device->hotplug >= 0 && kms_hotplug_read(device->hotplug) && device->active &&
		look_at_connectors(device) == -ENODEV)
		lose_card(device);
	if (!device->lost && kms_events_read(device->card.fd) == -ENODEV)
		lose_card(device);
	for (unsigned i = 0; i < MAX_DISPLAYS && !device->lost; i++) {
		struct kms_display *display = &device->displays[i];

		if (!display->used || !display->connected)
			continue;
		kms_display_advance(display);
		kms_vblank_tick(display);
	}
	set_timer(device);
	return device->lost ? KRAFLA_COMPOSER_NO_RESOURCES : 0;
}

static int
get_fd(struct kr_hwc_device *base)
{
	return from_base(base)->epoll;
}

static int
watch(struct kms_device *device, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (fd >= 0 && epoll_ctl(device->epoll, EPOLL_CTL_ADD, fd, &event))
		return -errno;
	return 0;
}

static int
open_descriptors(struct kms_device *device)
{
	int ret;

	device->epoll = epoll_create1(EPOLL_CLOEXEC);
	device->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (device->epoll < 0 || device->timer < 0)
		return -errno;
	ret = kms_hotplug_open(&device->hotplug);
	if (ret)
		kms_warn("kms: screens that are plugged in or out won't be noticed: %s",
			strerror(-ret));
	ret = watch(device, device->timer);
	if (!ret)
		ret = watch(device, device->hotplug);
	if (!ret)
		ret = watch(device, kms_seat_fd(device->seat));
	if (!ret)
		ret = watch(device, device->card.fd);
	return ret;
}

static void
close_device(struct kr_hwc_device *base)
{
	struct kms_device *device = from_base(base);

	for (unsigned i = 0; i < MAX_DISPLAYS; i++) {
		if (device->displays[i].used)
			kms_display_close(&device->displays[i], device->active && !device->lost);
	}
	kms_framebuffers_finish(&device->framebuffers);
	if (device->liftoff)
		liftoff_device_destroy(device->liftoff);
	kr_fd_close(&device->hotplug);
	kr_fd_close(&device->timer);
	kr_fd_close(&device->epoll);
	kms_card_close(&device->card, device->seat);
	kms_seat_close(device->seat);
	free(device);
}

static int
find_screens(struct kms_device *device)
{
	int found = look_at_connectors(device);

	if (found > 0)
		return 0;
	if (device->wish.connector[0])
		kms_error(
			"kms: %s (%s) has no connector %s with a screen: look for 'connected' in /sys/class/drm/*/status",
			device->card.path, device->card.driver, device->wish.connector);
	else
		kms_error("kms: %s (%s) has no screen that is connected: plug one in",
			device->card.path, device->card.driver);
	return found < 0 ? found : -ENODEV;
}

static const struct kr_hwc_device_impl impl;

static int
open_device(const char *argument, const struct kr_hwc_host *host, struct kr_hwc_device **out)
{
	struct kms_device *device;
	int ret;

	kms_log_set_host(host);
	if (argument && !strcmp(argument, KMS_KRAFLA_DISPLAY))
		return kms_krafla_display_open(host, out);
	device = calloc(1, sizeof(*device));
	if (!device)
		return -ENOMEM;
	device->base.impl = &impl;
	device->host = host;
	device->active = true;
	device->epoll = device->timer = device->hotplug = device->card.fd = -1;
	ret = kms_wish_parse(argument, &device->wish);
	if (!ret)
		ret = kms_seat_open(&device->seat);
	if (!ret)
		ret = kms_card_open(&device->card, device->seat, &device->wish);
	if (ret)
		goto err_close;
	kms_framebuffers_init(&device->framebuffers, device->card.fd, device->card.prime);
	ret = open_descriptors(device);
	if (!ret)
		ret = kms_liftoff_open(device->card.fd, &device->liftoff);
	if (ret) {
		kms_error("kms: %s can't be used: %s", device->card.path, strerror(-ret));
		goto err_close;
	}
	ret = find_screens(device);
	if (ret)
		goto err_close;
	*out = &device->base;
	return 0;

err_close:
	close_device(&device->base);
	return ret;
}

/* --- Displays. Configurations are modes, from 1 on --- */

static uint32_t
get_configs(struct kr_hwc_device *base, const struct kr_hwc_display_state *state, uint32_t room,
	krafla_config_t *configs)
{
	unsigned count = from_state(state)->screen.connector.mode_count;

	for (unsigned i = 0; i < count && i < room; i++)
		configs[i] = i + 1;
	return count;
}

static krafla_config_t
get_active_config(struct kr_hwc_device *base, const struct kr_hwc_display_state *state)
{
	return from_state(state)->screen.mode + 1;
}

static int32_t
get_attribute(struct kr_hwc_device *base, const struct kr_hwc_display_state *state,
	krafla_config_t config, enum krafla_attribute attribute)
{
	return kms_connector_attribute(&from_state(state)->screen.connector, config - 1, attribute);
}

static int
set_active_config(
	struct kr_hwc_device *base, struct kr_hwc_display_state *state, krafla_config_t config)
{
	struct kms_display *display = from_state(state);

	if (display->screen.mode == config - 1)
		return 0;
	if (!display->connected || !from_base(base)->active)
		return KRAFLA_COMPOSER_NO_RESOURCES;
	kms_display_cancel(display);
	return kms_screen_set_mode(&display->screen, config - 1) ? KRAFLA_COMPOSER_NO_RESOURCES : 0;
}

static int
set_power_mode(
	struct kr_hwc_device *base, struct kr_hwc_display_state *state, enum krafla_power mode)
{
	struct kms_display *display = from_state(state);
	bool ours = display->connected && from_base(base)->active;
	int ret = 0;

	if (mode != KRAFLA_POWER_ON && mode != KRAFLA_POWER_OFF)
		return KRAFLA_COMPOSER_UNSUPPORTED;
	display->asleep = mode == KRAFLA_POWER_OFF;
	if (display->asleep)
		kms_display_cancel(display);
	if (ours && display->asleep)
		ret = kms_screen_darken(&display->screen);
	else if (ours && !display->screen.lit)
		ret = kms_screen_light(&display->screen);
	kms_vblank_ask(display);
	return ret ? KRAFLA_COMPOSER_NO_RESOURCES : 0;
}

static int
set_vsync(struct kr_hwc_device *base, struct kr_hwc_display_state *state, bool enabled)
{
	struct kms_display *display = from_state(state);

	display->vsync = enabled;
	display->vsync_ns = 0;
	kms_vblank_ask(display);
	set_timer(from_base(base));
	return 0;
}

static int
set_colour(struct kr_hwc_device *base, struct kr_hwc_display_state *state, int32_t dataspace,
	const struct krafla_hdr_metadata *hdr)
{
	struct kms_display *display = from_state(state);
	struct kr_hdr_metadata metadata = {0};
	int ret;

	_Static_assert(sizeof(metadata) == sizeof(*hdr), "the same by another name");
	if (hdr)
		memcpy(&metadata, hdr, sizeof(metadata));
	/* Metadata alone change nothing before the next picture. */
	if (dataspace != display->screen.colour.dataspace) {
		if (!display->connected || !from_base(base)->active)
			return KRAFLA_COMPOSER_NO_RESOURCES;
		kms_display_cancel(display);
	}
	ret = kms_screen_set_colour(&display->screen, dataspace, &metadata);
	return ret == -EOPNOTSUPP ? KRAFLA_COMPOSER_UNSUPPORTED
		: ret             ? KRAFLA_COMPOSER_NO_RESOURCES
				  : KRAFLA_COMPOSER_NONE;
}

static void
display_gone(struct kr_hwc_device *base, struct kr_hwc_display_state *state)
{
	struct kms_device *device = from_base(base);

	kms_display_close(from_state(state), device->active && !device->lost);
	/* A screen for which there was no room may have some now. */
	if (!device->lost && device->active)
		device->host->wake(device->host);
}

static void
layer_gone(struct kr_hwc_device *base, struct kr_hwc_display_state *state,
	struct kr_hwc_layer_state *layer)
{
	kms_display_layer_gone(from_state(state), layer);
}

static bool
takes_target(struct kr_hwc_device *base, const struct kr_hwc_display_state *state, uint32_t width,
	uint32_t height, uint32_t format)
{
	return width == state->width && height == state->height &&
		format != AHARDWAREBUFFER_FORMAT_BLOB;
}

static int
validate(struct kr_hwc_device *base, struct kr_hwc_display_state *state)
{
	return kms_display_validate(from_state(state), state, may_draw(from_base(base)));
}

static int
present(struct kr_hwc_device *base, struct kr_hwc_display_state *state, int *present_fence,
	bool *over)
{
	struct kms_device *device = from_base(base);
	int ret = kms_display_present(from_state(state), state, may_draw(device), present_fence);

	set_timer(device);
	return ret;
}

static const struct kr_hwc_device_impl impl = {
	.name = "kms",
	.open = open_device,
	.close = close_device,
	.get_fd = get_fd,
	.dispatch = dispatch,
	.get_configs = get_configs,
	.get_active_config = get_active_config,
	.get_attribute = get_attribute,
	.set_active_config = set_active_config,
	.set_power_mode = set_power_mode,
	.set_vsync = set_vsync,
	.set_colour = set_colour,
	.display_gone = display_gone,
	.layer_gone = layer_gone,
	.takes_target = takes_target,
	.validate = validate,
	.present = present,
};

KR_EXPORT const struct kr_hwc_module kr_hwc_module;
const struct kr_hwc_module kr_hwc_module = {
	.abi = KR_HWC_ABI,
	.impl = &impl,
};
