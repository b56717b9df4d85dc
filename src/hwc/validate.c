/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the device which layers it takes, and what it answered. */
#include "hwc/composer.h"

static void
count_locked(const struct kr_hwc_display *display, uint32_t *types, uint32_t *requests)
{
	const struct kr_hwc_layer *layer;

	*types = 0;
	*requests = display->state.requests != 0;
	kr_list_for_each (layer, &display->layers, link) {
		*types += layer->state.changed_to != 0;
		*requests += layer->state.requests != 0;
	}
}

int
kr_hwc_validate_locked(struct kr_hwc_display *display, uint32_t *types, uint32_t *requests)
{
	struct kr_hwc_device *device = display->composer->device;
	struct kr_hwc_layer *layer;
	int error;

	kr_hwc_layers_sort_locked(display);
	display->state.requests = 0;
	kr_list_for_each (layer, &display->layers, link) {
		layer->state.changed_to = KRAFLA_COMPOSITION_INVALID;
		layer->state.requests = 0;
	}
	error = device->impl->validate(device, &display->state);
	if (error) {
		kr_hwc_invalidate_locked(display);
		return error;
	}
	count_locked(display, types, requests);
	display->validation = *types || *requests ? KR_HWC_HAS_CHANGES : KR_HWC_VALIDATED;
	return *types || *requests ? KRAFLA_COMPOSER_HAS_CHANGES : KRAFLA_COMPOSER_NONE;
}

KR_EXPORT int
krafla_display_validate(struct krafla_composer *composer, krafla_display_t handle, uint32_t *types,
	uint32_t *requests)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (!types || !requests)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_BAD_PARAMETER);
	return kr_hwc_display_leave(display, kr_hwc_validate_locked(display, types, requests));
}

static int
get_types_locked(const struct kr_hwc_display *display, uint32_t *count, krafla_layer_t *layers,
	int32_t *types)
{
	const struct kr_hwc_layer *layer;
	uint32_t found = 0, room = layers && count ? *count : UINT32_MAX;

	if (!count || !layers != !types)
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	if (display->validation == KR_HWC_NOT_VALIDATED)
		return KRAFLA_COMPOSER_NOT_VALIDATED;
	kr_list_for_each (layer, &display->layers, link) {
		if (!layer->state.changed_to || found == room)
			continue;
		if (layers) {
			layers[found] = layer->state.handle;
			types[found] = (int32_t)layer->state.changed_to;
		}
		found++;
	}
	*count = found;
	return KRAFLA_COMPOSER_NONE;
}

KR_EXPORT int
krafla_display_get_changed_composition_types(struct krafla_composer *composer,
	krafla_display_t handle, uint32_t *count, krafla_layer_t *layers, int32_t *types)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	return kr_hwc_display_leave(display, get_types_locked(display, count, layers, types));
}

static int
get_requests_locked(const struct kr_hwc_display *display, int32_t *display_requests,
	uint32_t *count, krafla_layer_t *layers, int32_t *requests)
{
	const struct kr_hwc_layer *layer;
	uint32_t found = 0, room = layers && count ? *count : UINT32_MAX;

	if (!display_requests || !count || !layers != !requests)
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	if (display->validation == KR_HWC_NOT_VALIDATED)
		return KRAFLA_COMPOSER_NOT_VALIDATED;
	kr_list_for_each (layer, &display->layers, link) {
		if (!layer->state.requests || found == room)
			continue;
		if (layers) {
			layers[found] = layer->state.handle;
			requests[found] = layer->state.requests;
		}
		found++;
	}
	*count = found;
	*display_requests = display->state.requests;
	return KRAFLA_COMPOSER_NONE;
}

KR_EXPORT int
krafla_display_get_requests(struct krafla_composer *composer, krafla_display_t handle,
	int32_t *display_requests, uint32_t *count, krafla_layer_t *layers, int32_t *layer_requests)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	return kr_hwc_display_leave(display,
		get_requests_locked(display, display_requests, count, layers, layer_requests));
}

KR_EXPORT int
krafla_display_accept_changes(struct krafla_composer *composer, krafla_display_t handle)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	struct kr_hwc_layer *layer;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	if (display->validation == KR_HWC_NOT_VALIDATED)
		return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NOT_VALIDATED);
	kr_list_for_each (layer, &display->layers, link) {
		if (layer->state.changed_to)
			layer->state.composition = layer->state.changed_to;
	}
	display->validation = KR_HWC_VALIDATED;
	return kr_hwc_display_leave(display, KRAFLA_COMPOSER_NONE);
}
