/* SPDX-License-Identifier: Apache-2.0 */
/* What the devices `soft` and `random` have in common: all but open and validate. */
#ifndef KR_HWC_SOFT_DEVICE_H
#define KR_HWC_SOFT_DEVICE_H

#include "hwc/soft.h"
#include "hwc/soft_present.h"

/* Of a device whose impl is one of the two. 0 or -errno. */
int kr_soft_open(const struct kr_hwc_device_impl *impl, const struct kr_hwc_host *host,
	struct kr_hwc_device **device) KR_MUST_CHECK;
struct kr_soft *kr_soft_from_device(struct kr_hwc_device *device);
/*
 * There is one client target, and it lies at one place: what lies between two layers of the
 * client's is his, too.
 */
void kr_soft_gather_client_layers(struct kr_hwc_display_state *state);

/* The ops (device.h). */
void kr_soft_close(struct kr_hwc_device *device);
int kr_soft_get_fd(struct kr_hwc_device *device);
int kr_soft_dispatch(struct kr_hwc_device *device);
uint32_t kr_soft_get_configs(struct kr_hwc_device *device, const struct kr_hwc_display_state *state,
	uint32_t room, krafla_config_t *configs);
krafla_config_t kr_soft_get_active_config(
	struct kr_hwc_device *device, const struct kr_hwc_display_state *state);
int32_t kr_soft_get_attribute(struct kr_hwc_device *device,
	const struct kr_hwc_display_state *state, krafla_config_t config,
	enum krafla_attribute attribute);
int kr_soft_set_active_config(
	struct kr_hwc_device *device, struct kr_hwc_display_state *state, krafla_config_t config);
int kr_soft_set_power_mode(
	struct kr_hwc_device *device, struct kr_hwc_display_state *state, enum krafla_power mode);
int kr_soft_set_vsync(
	struct kr_hwc_device *device, struct kr_hwc_display_state *state, bool enabled);
uint32_t kr_soft_max_virtual_displays(struct kr_hwc_device *device);
int kr_soft_create_virtual_display(
	struct kr_hwc_device *device, struct kr_hwc_display_state *state);
int kr_soft_create_screen(struct kr_hwc_device *device, struct kr_hwc_display_state *state,
	const struct krafla_screen *screen);
int kr_soft_resize_screen(struct kr_hwc_device *device, struct kr_hwc_display_state *state,
	uint32_t width, uint32_t height);
void kr_soft_set_screen_period(
	struct kr_hwc_device *device, struct kr_hwc_display_state *state, uint32_t vsync_period_ns);
void kr_soft_display_gone(struct kr_hwc_device *device, struct kr_hwc_display_state *state);
int kr_soft_validate(struct kr_hwc_device *device, struct kr_hwc_display_state *state);
bool kr_soft_takes_target(struct kr_hwc_device *device, const struct kr_hwc_display_state *state,
	uint32_t width, uint32_t height, uint32_t format);

/* But for what a device may have beside these: open, close, get_fd, dispatch, validate. */
#define KR_SOFT_OPS                                                                                \
	.get_configs = kr_soft_get_configs, .get_active_config = kr_soft_get_active_config,        \
	.get_attribute = kr_soft_get_attribute, .set_active_config = kr_soft_set_active_config,    \
	.set_power_mode = kr_soft_set_power_mode, .set_vsync = kr_soft_set_vsync,                  \
	.max_virtual_displays = kr_soft_max_virtual_displays,                                      \
	.create_virtual_display = kr_soft_create_virtual_display,                                  \
	.create_screen = kr_soft_create_screen, .resize_screen = kr_soft_resize_screen,            \
	.set_screen_period = kr_soft_set_screen_period, .display_gone = kr_soft_display_gone,      \
	.takes_target = kr_soft_takes_target, .present = kr_soft_present

#endif
