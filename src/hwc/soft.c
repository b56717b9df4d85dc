/* SPDX-License-Identifier: Apache-2.0 */
/* See soft.h: the device, its displays and their configurations. */
#include "hwc/soft.h"

#include <errno.h>
#include <stdlib.h>

#include "gralloc/buffer.h"
#include "gralloc/pixels.h"
#include "hwc/changes.h"
#include "hwc/soft_device.h"
#include "hwc/soft_present.h"
#include "hwc/vsync.h"
#include "hwc/way.h"
#include "util/clock.h"

#define MAX_VIRTUAL_DISPLAYS 8
/* What virtual displays say of their time: nothing happens then. */
#define VIRTUAL_PERIOD_NS 16666667

struct kr_soft *
kr_soft_from_device(struct kr_hwc_device *device)
{
	return kr_container_of(device, struct kr_soft, base);
}

int
kr_soft_open(const struct kr_hwc_device_impl *impl, const struct kr_hwc_host *host,
	struct kr_hwc_device **device)
{
	struct kr_soft *soft = calloc(1, sizeof(*soft));
	int err;

	if (!soft)
		return -ENOMEM;
	soft->base.impl = impl;
	soft->host = host;
	kr_list_init(&soft->displays);
	soft->holds = kr_hwc_holds_create();
	err = soft->holds ? kr_soft_vsync_init(soft) : -ENOMEM;
	if (err) {
		kr_hwc_holds_leave(soft->holds);
		free(soft);
		return err;
	}
	*device = &soft->base;
	return 0;
}

static int
open_soft(const char *argument, const struct kr_hwc_host *host, struct kr_hwc_device **device)
{
	return argument ? -EINVAL : kr_soft_open(&kr_hwc_soft, host, device);
}

void
kr_soft_close(struct kr_hwc_device *device)
{
	struct kr_soft *soft = kr_soft_from_device(device);

	kr_soft_vsync_finish(soft);
	kr_hwc_holds_leave(soft->holds);
	free(soft);
}

int
kr_soft_get_fd(struct kr_hwc_device *device)
{
	return kr_soft_from_device(device)->timer;
}

int
kr_soft_dispatch(struct kr_hwc_device *device)
{
	struct kr_soft *soft = kr_soft_from_device(device);
	struct kr_soft_display *display;
	int error = KRAFLA_COMPOSER_NONE;

	kr_soft_vsync_dispatch(soft);
	kr_list_for_each (display, &soft->displays, link) {
		if (display->state->type == KRAFLA_DISPLAY_PHYSICAL && kr_soft_way_show(display))
			error = KRAFLA_COMPOSER_NO_RESOURCES;
	}
	return error;
}

/* --- configurations: one, which another takes the place of when a screen has another --- */

uint32_t
kr_soft_get_configs(struct kr_hwc_device *device, const struct kr_hwc_display_state *state,
	uint32_t room, krafla_config_t *configs)
{
	const struct kr_soft_display *display = state->device_data;

	if (room)
		configs[0] = display->config;
	return 1;
}

krafla_config_t
kr_soft_get_active_config(struct kr_hwc_device *device, const struct kr_hwc_display_state *state)
{
	const struct kr_soft_display *display = state->device_data;

	return display->config;
}

int32_t
kr_soft_get_attribute(struct kr_hwc_device *device, const struct kr_hwc_display_state *state,
	krafla_config_t config, enum krafla_attribute attribute)
{
	const struct kr_soft_display *display = state->device_data;

	switch (attribute) {
	case KRAFLA_ATTRIBUTE_WIDTH:
		return (int32_t)display->screen.width;
	case KRAFLA_ATTRIBUTE_HEIGHT:
		return (int32_t)display->screen.height;
	case KRAFLA_ATTRIBUTE_VSYNC_PERIOD:
		return (int32_t)display->screen.vsync_period_ns;
	case KRAFLA_ATTRIBUTE_DPI_X:
		return display->screen.dpi_x;
	case KRAFLA_ATTRIBUTE_DPI_Y:
		return display->screen.dpi_y;
	}
	return -1;
}

int
kr_soft_set_active_config(
	struct kr_hwc_device *device, struct kr_hwc_display_state *state, krafla_config_t config)
{
	return KRAFLA_COMPOSER_NONE;
}

int
kr_soft_set_power_mode(
	struct kr_hwc_device *device, struct kr_hwc_display_state *state, enum krafla_power mode)
{
	struct kr_soft_display *display = state->device_data;

	if (mode != KRAFLA_POWER_OFF && mode != KRAFLA_POWER_ON)
		return KRAFLA_COMPOSER_UNSUPPORTED;
	display->off = mode == KRAFLA_POWER_OFF;
	return KRAFLA_COMPOSER_NONE;
}

int
kr_soft_set_vsync(struct kr_hwc_device *device, struct kr_hwc_display_state *state, bool enabled)
{
	kr_soft_vsync_set(state->device_data, enabled);
	return KRAFLA_COMPOSER_NONE;
}

/* --- displays --- */

void
kr_soft_display_gone(struct kr_hwc_device *device, struct kr_hwc_display_state *state)
{
	struct kr_soft_display *display = state->device_data;

	kr_soft_way_stop(display);
	if (display->easel)
		display->device->brush->end(display);
	kr_soft_vsync_set(display, false);
	kr_list_remove(&display->link);
	kr_soft_forget(display);
	kr_soft_way_finish(display);
	kr_render_canvas_finish(&display->canvas);
	kr_render_plan_finish(&display->plan);
	pixman_region32_fini(&display->changed);
	pixman_region32_fini(&display->stale);
	pixman_region32_fini(&display->left_out);
	pixman_region32_fini(&display->at_once.changed);
	pixman_region32_fini(&display->at_once.damage);
	pixman_region32_fini(&display->unpainted);
	free(display);
}

static struct kr_soft_display *
create_display(struct kr_hwc_device *device, struct kr_hwc_display_state *state,
	const struct krafla_screen *screen)
{
	struct kr_soft *soft = kr_soft_from_device(device);
	struct kr_soft_display *display = calloc(1, sizeof(*display));

	if (!display)
		return NULL;
	display->device = soft;
	display->state = state;
	display->screen = *screen;
	display->config = 1;
	display->fresh = true;
	display->vsync_base = kr_clock_now();
	kr_list_init(&display->seen);
	kr_soft_way_init(display);
	kr_render_plan_init(&display->plan);
	pixman_region32_init(&display->changed);
	pixman_region32_init(&display->stale);
	pixman_region32_init(&display->left_out);
	pixman_region32_init(&display->at_once.changed);
	pixman_region32_init(&display->at_once.damage);
	pixman_region32_init(&display->unpainted);
	kr_list_append(&soft->displays, &display->link);
	state->device_data = display;
	if (!soft->brush || !soft->brush->begin(display))
		return display;
	kr_soft_display_gone(device, state);
	return NULL;
}

int
kr_soft_create_screen(struct kr_hwc_device *device, struct kr_hwc_display_state *state,
	const struct krafla_screen *screen)
{
	struct kr_soft_display *display = create_display(device, state, screen);

	if (!display)
		return KRAFLA_COMPOSER_NO_RESOURCES;
	if (kr_render_canvas_init_colour(
		    &display->canvas, screen->width, screen->height, state->dataspace)) {
		kr_soft_display_gone(device, state);
		return KRAFLA_COMPOSER_NO_RESOURCES;
	}
	return KRAFLA_COMPOSER_NONE;
}

/* A canvas of the new size is black, and has nothing on it. */
int
kr_soft_resize_screen(struct kr_hwc_device *device, struct kr_hwc_display_state *state,
	uint32_t width, uint32_t height)
{
	struct kr_soft_display *display = state->device_data;
	struct kr_render_canvas canvas = {0};

	if (kr_render_canvas_init_colour(&canvas, width, height, state->dataspace))
		return KRAFLA_COMPOSER_NO_RESOURCES;
	kr_soft_way_stop(display);
	kr_render_canvas_finish(&display->canvas);
	display->canvas = canvas;
	display->screen.width = width;
	display->screen.height = height;
	display->config++;
	display->fresh = true;
	kr_soft_forget(display);
	pixman_region32_clear(&display->changed);
	pixman_region32_clear(&display->stale);
	pixman_region32_clear(&display->left_out);
	pixman_region32_clear(&display->unpainted);
	return KRAFLA_COMPOSER_NONE;
}

void
kr_soft_set_screen_period(
	struct kr_hwc_device *device, struct kr_hwc_display_state *state, uint32_t vsync_period_ns)
{
	struct kr_soft_display *display = state->device_data;

	kr_soft_vsync_set_period(display, vsync_period_ns);
	display->config++;
}

uint32_t
kr_soft_max_virtual_displays(struct kr_hwc_device *device)
{
	return MAX_VIRTUAL_DISPLAYS;
}

int
kr_soft_create_virtual_display(struct kr_hwc_device *device, struct kr_hwc_display_state *state)
{
	const struct krafla_screen screen = {
		.width = state->width,
		.height = state->height,
		.vsync_period_ns = VIRTUAL_PERIOD_NS,
		.dpi_x = -1,
		.dpi_y = -1,
	};
	enum kr_pixels_order order;

	if (!kr_render_order_of((uint32_t)state->format, &order))
		state->format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	return create_display(device, state, &screen) ? KRAFLA_COMPOSER_NONE
						      : KRAFLA_COMPOSER_NO_RESOURCES;
}

/* --- pictures --- */

bool
kr_soft_takes_target(struct kr_hwc_device *device, const struct kr_hwc_display_state *state,
	uint32_t width, uint32_t height, uint32_t format)
{
	return width == state->width && height == state->height && kr_pixels_to_xrgb(format);
}

void
kr_soft_gather_client_layers(struct kr_hwc_display_state *state)
{
	unsigned first = state->count, last = 0;

	for (unsigned i = 0; i < state->count; i++) {
		const struct kr_hwc_layer_state *layer = state->layers[i];

		if (layer->composition != KRAFLA_COMPOSITION_CLIENT &&
			layer->changed_to != KRAFLA_COMPOSITION_CLIENT)
			continue;
		first = KR_MIN(first, i);
		last = i;
	}
	for (unsigned i = first; i < last; i++) {
		if (state->layers[i]->composition != KRAFLA_COMPOSITION_CLIENT)
			state->layers[i]->changed_to = KRAFLA_COMPOSITION_CLIENT;
	}
}

int
kr_soft_validate(struct kr_hwc_device *device, struct kr_hwc_display_state *state)
{
	kr_soft_gather_client_layers(state);
	return KRAFLA_COMPOSER_NONE;
}

const struct kr_hwc_device_impl kr_hwc_soft = {
	.name = "soft",
	.open = open_soft,
	.close = kr_soft_close,
	.get_fd = kr_soft_get_fd,
	.dispatch = kr_soft_dispatch,
	.validate = kr_soft_validate,
	KR_SOFT_OPS,
};
