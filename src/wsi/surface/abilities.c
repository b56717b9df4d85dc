/* SPDX-License-Identifier: Apache-2.0 */
/* What windows can show. */
#include "wsi/surface/abilities.h"

#include "util/macros.h"
#include "window/window.h"
#include "wsi/surface/transform.h"

/*
 * Of a window of another platform: its compositor turns and mirrors frames and scales them to its
 * size, shows all colour spaces, and the queue drops them. How they are blended is not a producer's
 * to say.
 */
static const struct kr_abilities of_android = {
	.modes = KR_ABILITY(KR_PRESENT_FIFO) | KR_ABILITY(KR_PRESENT_MAILBOX) | KR_ABILITY_SHARED,
	.transforms = KR_ABILITY_TRANSFORMS,
	.alphas = KR_ABILITY(KR_ALPHA_INHERIT),
	.scalings = KR_ABILITY(KR_SCALING_STRETCH),
	.colours = KR_ABILITY_ALL(KR_COLOUR_COUNT),
};

bool
kr_wsi_window_abilities(ANativeWindow *window, struct kr_abilities *abilities)
{
	struct kr_abilities said = {0};

	if (window->perform(window, KR_WINDOW_GET_ABILITIES, &said)) {
		*abilities = of_android;
		return false;
	}
	said.modes |= KR_ABILITY(KR_PRESENT_FIFO);
	*abilities = said;
	return true;
}

/*
 * Each transform that content may have been rendered for whose inverse the window can do. What is
 * inherited is left to others, and so always possible.
 */
VkSurfaceTransformFlagsKHR
kr_wsi_transforms(const struct kr_abilities *abilities)
{
	VkSurfaceTransformFlagsKHR transforms =
		VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR | VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR;

	for (uint32_t bit = 1; bit < VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR; bit <<= 1) {
		int done = kr_wsi_transform_for_window((VkSurfaceTransformFlagBitsKHR)bit);

		if (abilities->transforms & KR_ABILITY(done))
			transforms |= bit;
	}
	return transforms;
}

VkCompositeAlphaFlagsKHR
kr_wsi_alphas(const struct kr_abilities *abilities)
{
	static const VkCompositeAlphaFlagBitsKHR table[] = {
		[KR_ALPHA_INHERIT] = VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
		[KR_ALPHA_OPAQUE] = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
		[KR_ALPHA_PREMULTIPLIED] = VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR,
		[KR_ALPHA_STRAIGHT] = VK_COMPOSITE_ALPHA_POST_MULTIPLIED_BIT_KHR,
	};
	VkCompositeAlphaFlagsKHR alphas = 0;

	for (size_t i = 0; i < KR_ARRAY_LEN(table); i++) {
		if (abilities->alphas & KR_ABILITY(i))
			alphas |= table[i];
	}
	/* A surface has one at least. */
	return alphas ? alphas : VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
}

VkPresentScalingFlagsEXT
kr_wsi_scalings(const struct kr_abilities *abilities)
{
	VkPresentScalingFlagsEXT scalings = 0;

	if (abilities->scalings & KR_ABILITY(KR_SCALING_ONE_TO_ONE))
		scalings |= VK_PRESENT_SCALING_ONE_TO_ONE_BIT_EXT;
	if (abilities->scalings & KR_ABILITY(KR_SCALING_ASPECT))
		scalings |= VK_PRESENT_SCALING_ASPECT_RATIO_STRETCH_BIT_EXT;
	if (abilities->scalings & KR_ABILITY(KR_SCALING_STRETCH))
		scalings |= VK_PRESENT_SCALING_STRETCH_BIT_EXT;
	return scalings;
}

VkPresentGravityFlagsEXT
kr_wsi_gravities(const struct kr_abilities *abilities)
{
	VkPresentGravityFlagsEXT gravities = 0;

	if (!kr_wsi_scalings(abilities))
		return 0;
	if (abilities->gravities & KR_ABILITY(KR_GRAVITY_MIN))
		gravities |= VK_PRESENT_GRAVITY_MIN_BIT_EXT;
	if (abilities->gravities & KR_ABILITY(KR_GRAVITY_MAX))
		gravities |= VK_PRESENT_GRAVITY_MAX_BIT_EXT;
	if (abilities->gravities & KR_ABILITY(KR_GRAVITY_CENTRED))
		gravities |= VK_PRESENT_GRAVITY_CENTERED_BIT_EXT;
	return gravities;
}
