/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on displays: see fuzzed.h. */
#include "composer/fuzzed.h"

#include <string.h>

#include "util/macros.h"

#define SRGB 0x08810000

/* --- layers that come and go --- */

void
call_create_layer(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	krafla_layer_t layer = UNTOUCHED_64;
	unsigned wrong = allow_there(model);
	int result;

	if (model && model->count == MAX_LAYERS)
		wrong = ALLOW(NO_RESOURCES);
	result = krafla_display_create_layer(hand->all->composer, display, &layer);
	if (!hand_judge(hand, "create_layer", result, allow_unless(wrong))) {
		hand_check(layer == UNTOUCHED_64, "create_layer failed and wrote");
		return;
	}
	hand_check(layer != 0, "a layer has no handle");
	if (!hand->all->alone)
		return;
	for (unsigned i = 0; i < model->count; i++)
		hand_check(model->layers[i].handle != layer, "a handle is used twice");
	model->layers[model->count++] =
		(struct layer_model){.handle = layer, .composition = KRAFLA_COMPOSITION_DEVICE};
	model_end_validation(model);
}

static void
destroy_layer(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	struct layer_model *layer_model;
	krafla_layer_t layer = hand_layer(hand, model, &layer_model);
	unsigned wrong = allow_there(model);

	if (model && !layer_model)
		wrong = ALLOW(BAD_LAYER);
	if (!hand_judge(hand, "destroy_layer",
		    krafla_display_destroy_layer(hand->all->composer, display, layer),
		    allow_unless(wrong)) ||
		!hand->all->alone)
		return;
	*layer_model = model->layers[--model->count];
	model_end_validation(model);
}

static void
move_cursor(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	struct layer_model *layer_model;
	krafla_layer_t layer = hand_layer(hand, model, &layer_model);
	unsigned allowed = allow_unless(allow_there(model));

	if (model && (!layer_model || layer_model->composition != KRAFLA_COMPOSITION_CURSOR))
		allowed = ALLOW(BAD_LAYER);
	if (layer_model && layer_model->composition < 0)
		allowed |= ALLOW(NONE);
	/* Places out of reach: nothing is said of them. */
	allowed |= allowed & ALLOW(NONE) ? ALLOW(BAD_PARAMETER) : 0;
	hand_judge(hand, "set_cursor_position",
		krafla_display_set_cursor_position(
			hand->all->composer, display, layer, hand_number(hand), hand_number(hand)),
		allowed);
}

/* --- what displays are --- */

static void
get_type(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	int type = UNTOUCHED;

	if (hand_judge(hand, "get_type",
		    krafla_display_get_type(hand->all->composer, display, &type),
		    allow_unless(allow_there(model))) &&
		hand->all->alone)
		hand_check((type == KRAFLA_DISPLAY_VIRTUAL) == model->is_virtual, "another type");
}

static void
get_name(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	uint32_t size = hand_choose(hand, 8), room = size;
	char name[8];
	bool asks = hand_choose(hand, 2);

	if (hand_judge(hand, "get_name",
		    krafla_display_get_name(
			    hand->all->composer, display, &size, asks ? NULL : name),
		    allow_unless(allow_there(model))) &&
		!asks)
		hand_check(size <= room, "more name than there is room for");
}

static void
get_attribute(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	struct krafla_composer *composer = hand->all->composer;
	unsigned wrong = allow_there(model);
	int32_t attribute = (int32_t)hand_choose(hand, 8), value = UNTOUCHED;
	krafla_config_t config = UNTOUCHED;
	bool odd = hand_choose(hand, 4) == 0;

	if (hand_judge(hand, "get_active_config",
		    krafla_display_get_active_config(composer, display, &config),
		    allow_unless(wrong)) &&
		odd)
		config += 77;
	if (odd || !model)
		wrong |= ALLOW(BAD_CONFIG);
	if (attribute < 1 || attribute > 5)
		wrong |= ALLOW(BAD_PARAMETER);
	if (hand_judge(hand, "get_attribute",
		    krafla_display_get_attribute(
			    composer, display, config, (enum krafla_attribute)attribute, &value),
		    allow_unless(wrong)) &&
		hand->all->alone && attribute == KRAFLA_ATTRIBUTE_WIDTH)
		hand_check((uint32_t)value == model->width, "another width");
	if (hand_judge(hand, "set_active_config",
		    krafla_display_set_active_config(composer, display, config),
		    allow_unless(wrong & ~ALLOW(BAD_PARAMETER))) &&
		hand->all->alone)
		model_end_validation(model);
}

static void
get_configs(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	krafla_config_t configs[8];
	uint32_t count = hand_choose(hand, 8), room = count;
	bool asks = hand_choose(hand, 2);

	if (hand_judge(hand, "get_configs",
		    krafla_display_get_configs(
			    hand->all->composer, display, &count, asks ? NULL : configs),
		    allow_unless(allow_there(model))) &&
		!asks)
		hand_check(count <= room, "more configurations than there is room for");
}

static void
set_power(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	int32_t mode = hand_choose(hand, 4) ? (int32_t)hand_choose(hand, 4) : hand_number(hand);
	unsigned wrong = allow_there(model);

	if (mode < 0 || mode > 3)
		wrong |= ALLOW(BAD_PARAMETER);
	if (mode == KRAFLA_POWER_DOZE || mode == KRAFLA_POWER_DOZE_SUSPEND ||
		(model && model->is_virtual))
		wrong |= ALLOW(UNSUPPORTED);
	hand_judge(hand, "set_power_mode",
		krafla_display_set_power_mode(
			hand->all->composer, display, (enum krafla_power)mode),
		allow_unless(wrong));
}

static void
set_vsync(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	unsigned wrong = allow_there(model);

	if (model && model->is_virtual)
		wrong |= ALLOW(UNSUPPORTED);
	hand_judge(hand, "set_vsync_enabled",
		krafla_display_set_vsync_enabled(
			hand->all->composer, display, hand_choose(hand, 2)),
		allow_unless(wrong));
}

static void
ask_target_support(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);

	hand_judge(hand, "get_client_target_support",
		krafla_display_get_client_target_support(hand->all->composer, display,
			hand_byte(hand), hand_byte(hand), (int32_t)hand_byte(hand),
			hand_choose(hand, 2) ? SRGB : 77),
		model ? ALLOW(NONE) | ALLOW(UNSUPPORTED) : ALLOW(BAD_DISPLAY));
}

static void
expect_present(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);

	hand_judge(hand, "set_expected_present_time",
		krafla_display_set_expected_present_time(
			hand->all->composer, display, hand_number(hand)),
		model ? ALLOW(NONE) | ALLOW(BAD_PARAMETER) : ALLOW(BAD_DISPLAY));
}

void
call_display(struct hand *hand)
{
	static void (*const calls[])(struct hand *) = {call_create_layer, call_create_layer,
		destroy_layer, move_cursor, get_type, get_name, get_attribute, get_configs,
		set_power, set_vsync, ask_target_support, expect_present};

	calls[hand_choose(hand, KR_ARRAY_LEN(calls))](hand);
}
