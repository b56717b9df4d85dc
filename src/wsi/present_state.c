/* SPDX-License-Identifier: Apache-2.0 */
/* What presents say to the window. */
#include "wsi/present_state.h"

#include <string.h>

#include "chain/chain.h"
#include "util/log.h"
#include "window/window.h"
#include "wsi/surface/present_mode.h"

static VkResult
refuse(const char *what)
{
	kr_error("vkCreateSwapchainKHR: %s", what);
	return VK_ERROR_INITIALIZATION_FAILED;
}

static uint8_t
alpha_of(VkCompositeAlphaFlagBitsKHR alpha)
{
	switch (alpha) {
	case VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR:
		return KR_ALPHA_OPAQUE;
	case VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR:
		return KR_ALPHA_PREMULTIPLIED;
	case VK_COMPOSITE_ALPHA_POST_MULTIPLIED_BIT_KHR:
		return KR_ALPHA_STRAIGHT;
	default:
		return KR_ALPHA_INHERIT;
	}
}

static uint8_t
scaling_of(VkPresentScalingFlagsEXT scaling)
{
	if (scaling & VK_PRESENT_SCALING_ONE_TO_ONE_BIT_EXT)
		return KR_SCALING_ONE_TO_ONE;
	if (scaling & VK_PRESENT_SCALING_ASPECT_RATIO_STRETCH_BIT_EXT)
		return KR_SCALING_ASPECT;
	return scaling & VK_PRESENT_SCALING_STRETCH_BIT_EXT ? KR_SCALING_STRETCH
							    : KR_SCALING_WINDOW;
}

/* None asked for: whatever suits us. */
static uint8_t
gravity_of(VkPresentGravityFlagsEXT gravity)
{
	if (gravity & VK_PRESENT_GRAVITY_MAX_BIT_EXT)
		return KR_GRAVITY_MAX;
	return gravity & VK_PRESENT_GRAVITY_CENTERED_BIT_EXT ? KR_GRAVITY_CENTRED : KR_GRAVITY_MIN;
}

static void
read_scaling(struct kr_wsi_present_state *state, const VkSwapchainCreateInfoKHR *info)
{
	const VkSwapchainPresentScalingCreateInfoEXT *s = kr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT);

	if (!s)
		return;
	state->said.scaling = scaling_of(s->scalingBehavior);
	state->said.gravity_x = gravity_of(s->presentGravityX);
	state->said.gravity_y = gravity_of(s->presentGravityY);
	state->scaled = s->scalingBehavior != 0;
}

/* The mode that it starts in, and those that presents may switch to. */
static VkResult
read_modes(struct kr_wsi_present_state *state, const VkSwapchainCreateInfoKHR *info)
{
	const VkSwapchainPresentModesCreateInfoEXT *list = kr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT);
	enum kr_present_mode mode;

	if (!kr_wsi_present_mode_from_vulkan(info->presentMode, &mode))
		return refuse("no surface has this present mode");
	state->said.mode = mode;
	state->shared = kr_present_mode_is_shared(mode);
	state->modes = 1u << mode;
	state->droppable = kr_present_mode_drops(mode);
	for (uint32_t i = 0; list && list->pPresentModes && i < list->presentModeCount; i++) {
		if (!kr_wsi_present_mode_from_vulkan(list->pPresentModes[i], &mode) ||
			kr_present_mode_is_shared(mode) != state->shared)
			return refuse("one of its present modes doesn't go together with its own");
		state->modes |= 1u << mode;
		state->droppable |= kr_present_mode_drops(mode);
	}
	return VK_SUCCESS;
}

VkResult
kr_wsi_present_state_init(struct kr_wsi_present_state *state, const VkSwapchainCreateInfoKHR *info)
{
	const VkDeviceGroupSwapchainCreateInfoKHR *group = kr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SWAPCHAIN_CREATE_INFO_KHR);

	memset(state, 0, sizeof(*state));
	if (group && (group->modes & ~VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR))
		return refuse("a device group presents in the local mode only");
	state->said.alpha = alpha_of(info->compositeAlpha);
	read_scaling(state, info);
	return read_modes(state, info);
}

VkResult
kr_wsi_present_state_begin(struct kr_wsi_present_state *state, ANativeWindow *window)
{
	struct kr_abilities abilities;

	state->foreign = false;
	if (!window->perform(window, KR_WINDOW_SET_PRESENTATION, &state->said))
		return VK_SUCCESS;
	state->foreign = window->perform(window, KR_WINDOW_GET_ABILITIES, &abilities) != 0;
	return state->foreign ? VK_SUCCESS : refuse("the window can't present like that");
}

/*
 * Another mode, in Android's words: for windows of other platforms, and where it is more than each
 * frame's.
 */
static void
say_mode(ANativeWindow *window, enum kr_present_mode mode)
{
	int err;

	if (kr_present_mode_is_shared(mode))
		err = window->perform(window, NATIVE_WINDOW_SET_AUTO_REFRESH,
			mode == KR_PRESENT_SHARED_CONTINUOUS);
	else
		err = window->setSwapInterval(window, !kr_present_mode_drops(mode));
	if (err)
		kr_warn("vkQueuePresentKHR: the window can't change its mode (%d)", err);
}

void
kr_wsi_present_state_say(struct kr_wsi_present_state *state, ANativeWindow *window,
	enum kr_present_mode mode, bool tell_shown, bool tell_events)
{
	bool other_mode = state->said.mode != mode;

	if (!other_mode && state->said.tell_shown == tell_shown &&
		state->said.tell_events == tell_events)
		return;
	state->said.mode = mode;
	state->said.tell_shown = tell_shown;
	state->said.tell_events = tell_events;
	if (other_mode && (state->foreign || state->shared))
		say_mode(window, mode);
	if (!state->foreign && window->perform(window, KR_WINDOW_SET_PRESENTATION, &state->said))
		kr_warn("vkQueuePresentKHR: the window doesn't take its presentation");
}
