/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures: present, and the fences that come of it. */
#include "gralloc/buffer.h"
#include "hwc/composer.h"
#include "sync/fault/fault.h"
#include "util/fd.h"

/* Whether the device reads the layer's buffer. */
static bool
is_read(const struct kr_hwc_layer_state *state)
{
	return state->composition == KRAFLA_COMPOSITION_DEVICE ||
		state->composition == KRAFLA_COMPOSITION_CURSOR;
}

static int
check_locked(const struct kr_hwc_display *display)
{
	const struct kr_hwc_display_state *state = &display->state;
	bool needs_target = state->requests & KRAFLA_REQUEST_FLIP_CLIENT_TARGET;

	if (display->validation != KR_HWC_VALIDATED)
		return KRAFLA_COMPOSER_NOT_VALIDATED;
	for (unsigned i = 0; i < state->count; i++)
		needs_target |= state->layers[i]->composition == KRAFLA_COMPOSITION_CLIENT;
	if (needs_target && !state->target)
		return KRAFLA_COMPOSER_NO_RESOURCES;
	if (state->type == KRAFLA_DISPLAY_VIRTUAL && !state->output)
		return KRAFLA_COMPOSER_NO_RESOURCES;
	return KRAFLA_COMPOSER_NONE;
}

/* What the device gives up with this picture, or reads no longer. */
static void
begin_layers_locked(struct kr_hwc_display *display)
{
	struct kr_hwc_layer *layer;

	kr_list_for_each (layer, &display->layers, link) {
		struct kr_hwc_layer_state *state = &layer->state;
		uint64_t serial = is_read(state) ? state->buffer_serial : 0;

		state->replaced = layer->presented && layer->presented_serial != serial;
		state->previous = state->replaced ? layer->presented : NULL;
		state->release_fence = -1;
	}
}

/* The picture was made, or is on its way: what it replaced goes back. */
static void
end_layers_locked(struct kr_hwc_display *display)
{
	struct kr_hwc_layer *layer;

	kr_list_for_each (layer, &display->layers, link) {
		struct kr_hwc_layer_state *state = &layer->state;
		bool read = is_read(state);

		kr_fd_close(&layer->release_fence);
		if (state->replaced && state->previous != state->buffer)
			layer->release_fence = kr_fault_fence(
				KRAFLA_FAULT_AT_COMPOSER_RELEASE, state->release_fence);
		else
			kr_fd_close(&state->release_fence);
		state->release_fence = -1;
		state->replaced = false;
		state->previous = NULL;
		state->damage_count = 0;
		if (layer->presented_serial == (read ? state->buffer_serial : 0))
			continue;
		kr_buffer_unref(layer->presented);
		layer->presented = read && state->buffer ? kr_buffer_ref(state->buffer) : NULL;
		layer->presented_serial = read ? state->buffer_serial : 0;
	}
}

static void
forget_layers_locked(struct kr_hwc_display *display)
{
	struct kr_hwc_layer *layer;

	kr_list_for_each (layer, &display->layers, link) {
		layer->state.replaced = false;
		layer->state.previous = NULL;
	}
}

/* An output buffer is for one picture, and an expected time too. */
static void
end_display_locked(struct kr_hwc_display_state *state)
{
	kr_buffer_unref(state->output);
	state->output = NULL;
	kr_fd_close(&state->output_fence);
	state->expected_ns = 0;
	state->target_damage_count = 0;
}

static int
present_locked(struct kr_hwc_display *display, int *present_fence)
{
	struct kr_hwc_device *device = display->composer->device;
	int fence = -1, error = check_locked(display);
	bool over = false;

	if (error)
		return error;
	begin_layers_locked(display);
	display->state.number++;
	error = device->impl->present(device, &display->state, &fence, &over);
	if (error && !over) {
		display->state.number--;
		forget_layers_locked(display);
		return error;
	}
	end_layers_locked(display);
	end_display_locked(&display->state);
	if (error)
		return error;
	*present_fence = kr_fault_fence(KRAFLA_FAULT_AT_COMPOSER_PRESENT, fence);
	return KRAFLA_COMPOSER_NONE;
}

KR_EXPORT int
krafla_display_present(
	struct krafla_composer *composer, krafla_display_t handle, int *present_fence)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!present_fence)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	return kr_hwc_display_leave(display, present_locked(display, present_fence));
}

static int
present_or_validate_locked(struct kr_hwc_display *display, uint32_t *types, uint32_t *requests,
	int *present_fence, uint32_t *state)
{
	int error = KRAFLA_COMPOSER_NONE;

	if (!types || !requests || !present_fence || !state)
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	if (display->validation == KR_HWC_VALIDATED)
		*types = *requests = 0;
	else
		error = kr_hwc_validate_locked(display, types, requests);
	if (error == KRAFLA_COMPOSER_HAS_CHANGES) {
		*state = 0;
		return error;
	}
	if (!error)
		error = present_locked(display, present_fence);
	if (!error)
		*state = 1;
	return error;
}

KR_EXPORT int
krafla_display_present_or_validate(struct krafla_composer *composer, krafla_display_t handle,
	uint32_t *types, uint32_t *requests, int *present_fence, uint32_t *state)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	return kr_hwc_display_leave(display,
		present_or_validate_locked(display, types, requests, present_fence, state));
}

static int
get_release_locked(
	struct kr_hwc_display *display, uint32_t *count, krafla_layer_t *layers, int *fences)
{
	struct kr_hwc_layer *layer;
	uint32_t found = 0, room = layers && count ? *count : UINT32_MAX;

	if (!count || !layers != !fences)
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	kr_list_for_each (layer, &display->layers, link) {
		if (layer->release_fence == -1 || found == room)
			continue;
		if (layers) {
			layers[found] = layer->state.handle;
			fences[found] = layer->release_fence;
			layer->release_fence = -1;
		}
		found++;
	}
	*count = found;
	return KRAFLA_COMPOSER_NONE;
}

KR_EXPORT int
krafla_display_get_release_fences(struct krafla_composer *composer, krafla_display_t handle,
	uint32_t *count, krafla_layer_t *layers, int *fences)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	return kr_hwc_display_leave(display, get_release_locked(display, count, layers, fences));
}
