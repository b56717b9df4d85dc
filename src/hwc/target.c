/* SPDX-License-Identifier: Apache-2.0 */
/* Client targets and output buffers. */
#include "colour/space.h"
#include "gralloc/buffer.h"
#include "hwc/composer.h"
#include "util/fd.h"

static bool
takes_target_locked(
	const struct kr_hwc_display *display, uint32_t width, uint32_t height, uint32_t format)
{
	struct kr_hwc_device *device = display->composer->device;

	return device->impl->takes_target(device, &display->state, width, height, format);
}

KR_EXPORT int
krafla_display_get_client_target_support(struct krafla_composer *composer, krafla_display_t handle,
	uint32_t width, uint32_t height, int32_t format, int32_t dataspace)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	bool taken;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	taken = kr_colour_is_known(dataspace) &&
		takes_target_locked(display, width, height, (uint32_t)format);
	return kr_hwc_display_leave(
		display, taken ? KRAFLA_COMPOSER_NONE : KRAFLA_COMPOSER_UNSUPPORTED);
}

static int
set_target_locked(struct kr_hwc_display *display, struct kr_buffer *buffer, int acquire_fence,
	int32_t dataspace, uint32_t damage_count, const ARect *damage)
{
	struct kr_hwc_display_state *state = &display->state;
	const struct kr_buffer_desc *desc;
	int kept, error;

	if (!buffer || (damage_count && !damage))
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	desc = &kr_buffer_get_info(buffer)->desc;
	if (!takes_target_locked(display, desc->width, desc->height, desc->format) ||
		kr_buffer_is_of_cpus_alone(kr_buffer_get_info(buffer)))
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	if (!kr_colour_is_known(dataspace))
		return KRAFLA_COMPOSER_UNSUPPORTED;
	error = kr_hwc_keep_fence(acquire_fence, &kept);
	if (error)
		return error;
	kr_buffer_ref(buffer);
	kr_buffer_unref(state->target);
	kr_fd_close(&state->target_fence);
	state->target = buffer;
	state->target_fence = kept;
	state->target_dataspace = dataspace;
	state->target_serial = ++display->composer->serial;
	state->target_damage_count = kr_hwc_copy_rects(state->target_damage, damage_count, damage);
	return KRAFLA_COMPOSER_NONE;
}

KR_EXPORT int
krafla_display_set_client_target(struct krafla_composer *composer, krafla_display_t handle,
	AHardwareBuffer *buffer, int acquire_fence, int32_t dataspace, uint32_t damage_count,
	const ARect *damage)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	struct kr_buffer *own;
	int error;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	error = kr_hwc_take_buffer(buffer, &own);
	if (!error)
		error = set_target_locked(
			display, own, acquire_fence, dataspace, damage_count, damage);
	kr_buffer_unref(own);
	return kr_hwc_display_leave(display, error);
}

static int
set_output_locked(struct kr_hwc_display *display, struct kr_buffer *buffer, int release_fence)
{
	struct kr_hwc_display_state *state = &display->state;
	const struct kr_buffer_desc *desc;
	int kept, error;

	if (state->type != KRAFLA_DISPLAY_VIRTUAL)
		return KRAFLA_COMPOSER_UNSUPPORTED;
	if (!buffer)
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	desc = &kr_buffer_get_info(buffer)->desc;
	if (desc->width != state->width || desc->height != state->height ||
		desc->format != (uint32_t)state->format ||
		kr_buffer_is_of_cpus_alone(kr_buffer_get_info(buffer)))
		return KRAFLA_COMPOSER_BAD_PARAMETER;
	error = kr_hwc_keep_fence(release_fence, &kept);
	if (error)
		return error;
	kr_buffer_ref(buffer);
	kr_buffer_unref(state->output);
	kr_fd_close(&state->output_fence);
	state->output = buffer;
	state->output_fence = kept;
	return KRAFLA_COMPOSER_NONE;
}

KR_EXPORT int
krafla_display_set_output_buffer(struct krafla_composer *composer, krafla_display_t handle,
	AHardwareBuffer *buffer, int release_fence)
{
	struct kr_hwc_display *display = kr_hwc_display_enter(composer, handle);
	struct kr_buffer *own;
	int error;

	if (!display)
		return KRAFLA_COMPOSER_BAD_DISPLAY;
	error = kr_hwc_take_buffer(buffer, &own);
	if (!error)
		error = set_output_locked(display, own, release_fence);
	kr_buffer_unref(own);
	return kr_hwc_display_leave(display, error);
}
