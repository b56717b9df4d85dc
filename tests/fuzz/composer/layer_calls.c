/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on layers: see fuzzed.h. */
#include "composer/fuzzed.h"

#include <math.h>

#include "util/macros.h"

/* The layer of a call, and what is wrong with it already. */
struct target {
	krafla_display_t display;
	krafla_layer_t layer;
	struct display_model *display_model;
	struct layer_model *model;
	unsigned wrong;
};

static struct target
aim(struct hand *hand)
{
	struct target target = {0};

	target.display = hand_display(hand, &target.display_model);
	target.layer = hand_layer(hand, target.display_model, &target.model);
	if (!target.display_model)
		target.wrong = ALLOW(BAD_DISPLAY);
	else if (!target.model)
		target.wrong = ALLOW(BAD_LAYER);
	return target;
}

/* NONE if nothing is wrong; what is set then ends the validation, unless `keeps`. */
static void
judge(struct hand *hand, const struct target *target, const char *call, int result, unsigned wrong,
	bool keeps)
{
	unsigned all = target->wrong | wrong;

	if (hand_judge(hand, call, result, all ? all : ALLOW(NONE)) && target->display_model &&
		hand->all->alone && !keeps)
		model_end_validation(target->display_model);
}

static void
set_buffer(struct hand *hand)
{
	struct target target = aim(hand);
	AHardwareBuffer *buffer = hand_buffer(hand, NULL);
	AHardwareBuffer_Desc desc = {0};
	bool is_fence, same = false;
	int fence = hand_fence(hand, &is_fence), result;
	unsigned wrong = is_fence ? 0 : ALLOW(BAD_PARAMETER);

	if (buffer)
		AHardwareBuffer_describe(buffer, &desc);
	else if (fence != -1)
		wrong |= ALLOW(BAD_PARAMETER);
	result = krafla_layer_set_buffer(
		hand->all->composer, target.display, target.layer, buffer, fence);
	hand_put_back(hand, fence);
	if (target.model && result == KRAFLA_COMPOSER_NONE && hand->all->alone) {
		struct layer_model *model = target.model;

		same = model->width == desc.width && model->height == desc.height &&
			model->format == desc.format && buffer;
		model->width = desc.width;
		model->height = desc.height;
		model->format = desc.format;
	}
	judge(hand, &target, "set_buffer", result, wrong, true);
	/* Whether no content after content, and back, ends it isn't said. */
	if (target.display_model && result == KRAFLA_COMPOSER_NONE && !same && hand->all->alone &&
		target.display_model->validated == YES)
		target.display_model->validated = MAYBE;
}

static void
set_damage(struct hand *hand)
{
	struct target target = aim(hand);
	uint32_t count = hand_choose(hand, 4) ? hand_choose(hand, 5) : hand_byte(hand);
	ARect rects[256];
	bool is_null = hand_choose(hand, 16) == 0, visible = hand_choose(hand, 2);

	for (uint32_t i = 0; i < count; i++)
		rects[i] = hand_rect(hand);
	judge(hand, &target, visible ? "set_visible_region" : "set_surface_damage",
		visible ? krafla_layer_set_visible_region(hand->all->composer, target.display,
				  target.layer, count, is_null ? NULL : rects)
			: krafla_layer_set_surface_damage(hand->all->composer, target.display,
				  target.layer, count, is_null ? NULL : rects),
		is_null && count ? ALLOW(BAD_PARAMETER) : 0, !visible);
}

static void
set_mode(struct hand *hand)
{
	struct target target = aim(hand);
	struct krafla_composer *composer = hand->all->composer;
	int32_t value =
		hand_choose(hand, 8) ? (int32_t)hand_choose(hand, 9) - 1 : hand_number(hand);
	int result;

	switch (hand_choose(hand, 3)) {
	case 0:
		judge(hand, &target, "set_blend_mode",
			krafla_layer_set_blend_mode(
				composer, target.display, target.layer, (enum krafla_blend)value),
			value < 1 || value > 3 ? ALLOW(BAD_PARAMETER) : 0, false);
		break;
	case 1:
		result = krafla_layer_set_composition_type(
			composer, target.display, target.layer, (enum krafla_composition)value);
		judge(hand, &target, "set_composition_type", result,
			value == KRAFLA_COMPOSITION_SIDEBAND ? ALLOW(UNSUPPORTED)
				: value < 1 || value > 5     ? ALLOW(BAD_PARAMETER)
							     : 0,
			false);
		if (target.model && result == KRAFLA_COMPOSER_NONE && hand->all->alone)
			target.model->composition = value;
		break;
	default:
		judge(hand, &target, "set_transform",
			krafla_layer_set_transform(composer, target.display, target.layer, value),
			value < 0 || value > 7 ? ALLOW(BAD_PARAMETER) : 0, false);
	}
}

static void
set_place(struct hand *hand)
{
	struct target target = aim(hand);
	ARect frame = hand_rect(hand);
	const int32_t edges[] = {frame.left, frame.top, frame.right, frame.bottom};
	bool wrong = frame.left > frame.right || frame.top > frame.bottom;

	for (unsigned i = 0; i < KR_ARRAY_LEN(edges); i++)
		wrong |= edges[i] < -65536 || edges[i] > 65536;
	judge(hand, &target, "set_display_frame",
		krafla_layer_set_display_frame(
			hand->all->composer, target.display, target.layer, frame),
		wrong ? ALLOW(BAD_PARAMETER) : 0, false);
}

/* Not a number where one is needed, or one below 0. */
static bool
is_odd(float value)
{
	return !isfinite(value) || value < 0;
}

static void
set_crop(struct hand *hand)
{
	struct target target = aim(hand);
	krafla_frect crop = {
		hand_float(hand), hand_float(hand), hand_float(hand), hand_float(hand)};
	bool wrong = is_odd(crop.left) || is_odd(crop.top) || is_odd(crop.right) ||
		is_odd(crop.bottom) || crop.left > crop.right || crop.top > crop.bottom;

	judge(hand, &target, "set_source_crop",
		krafla_layer_set_source_crop(
			hand->all->composer, target.display, target.layer, crop),
		wrong ? ALLOW(BAD_PARAMETER) : 0, false);
}

static void
set_look(struct hand *hand)
{
	struct target target = aim(hand);
	struct krafla_composer *composer = hand->all->composer;
	float alpha = hand_float(hand);
	krafla_color color = {hand_byte(hand), hand_byte(hand), hand_byte(hand), hand_byte(hand)};

	switch (hand_choose(hand, 4)) {
	case 0:
		judge(hand, &target, "set_plane_alpha",
			krafla_layer_set_plane_alpha(composer, target.display, target.layer, alpha),
			!(alpha >= 0 && alpha <= 1) ? ALLOW(BAD_PARAMETER) : 0, false);
		break;
	case 1:
		judge(hand, &target, "set_color",
			krafla_layer_set_color(composer, target.display, target.layer, color), 0,
			false);
		break;
	case 2:
		judge(hand, &target, "set_z_order",
			krafla_layer_set_z_order(
				composer, target.display, target.layer, hand_byte(hand)),
			0, false);
		break;
	default: {
		static const int32_t handled[] = {0, 0x08810000}, others[] = {0x09060000, -1, 77};
		bool is_handled = hand_choose(hand, 2);
		int32_t dataspace =
			is_handled ? handled[hand_choose(hand, 2)] : others[hand_choose(hand, 3)];

		judge(hand, &target, "set_dataspace",
			krafla_layer_set_dataspace(
				composer, target.display, target.layer, dataspace),
			is_handled ? 0 : ALLOW(UNSUPPORTED), false);
	}
	}
}

void
call_layer(struct hand *hand)
{
	static void (*const calls[])(struct hand *) = {set_buffer, set_buffer, set_buffer,
		set_damage, set_mode, set_place, set_crop, set_look};

	calls[hand_choose(hand, KR_ARRAY_LEN(calls))](hand);
}
