/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that make pictures: see fuzzed.h. */
#include "composer/fuzzed.h"

#include "util/macros.h"

#define SRGB 0x08810000

/* --- buffers of displays --- */

static void
set_client_target(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	AHardwareBuffer *buffer = hand_buffer(hand, model);
	AHardwareBuffer_Desc desc = {0};
	int32_t dataspace = (int32_t[]){0, SRGB, 77}[hand_choose(hand, 3)];
	bool is_fence;
	int fence = hand_fence(hand, &is_fence);
	ARect damage = hand_rect(hand);
	unsigned wrong = allow_there(model), allowed;

	if (buffer)
		AHardwareBuffer_describe(buffer, &desc);
	if (!is_fence || !buffer ||
		(model && (desc.width != model->width || desc.height != model->height)))
		wrong |= ALLOW(BAD_PARAMETER);
	if (dataspace == 77)
		wrong |= ALLOW(UNSUPPORTED);
	allowed = allow_unless(wrong);
	if (desc.format != AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM)
		allowed |= ALLOW(BAD_PARAMETER);
	hand_judge(hand, "set_client_target",
		krafla_display_set_client_target(hand->all->composer, display, buffer, fence,
			dataspace, hand_choose(hand, 2), &damage),
		allowed);
	hand_put_back(hand, fence);
}

static void
set_output_buffer(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	AHardwareBuffer *buffer = hand_output(hand, model);
	AHardwareBuffer_Desc desc = {0};
	bool is_fence;
	int fence = hand_fence(hand, &is_fence);
	unsigned wrong = allow_there(model);

	if (buffer)
		AHardwareBuffer_describe(buffer, &desc);
	if (model && !model->is_virtual)
		wrong |= ALLOW(UNSUPPORTED);
	if (!is_fence || !buffer ||
		(model && (desc.width != model->width || desc.height != model->height)) ||
		desc.format != AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM)
		wrong |= ALLOW(BAD_PARAMETER);
	if (hand_judge(hand, "set_output_buffer",
		    krafla_display_set_output_buffer(hand->all->composer, display, buffer, fence),
		    allow_unless(wrong)) &&
		hand->all->alone)
		model->has_output = true;
	hand_put_back(hand, fence);
}

/* --- a picture --- */

/* What was found is what get_changed_composition_types and get_requests tell. */
static void
take_validation(struct hand *hand, struct display_model *model, int result, uint32_t types,
	uint32_t requests)
{
	hand_check(result == KRAFLA_COMPOSER_HAS_CHANGES || (!types && !requests),
		"validate says NONE, and that there are changes");
	hand_check(result == KRAFLA_COMPOSER_NONE || types || requests,
		"validate says that there are changes, and none");
	model->validated = YES;
	model->types = types;
	model->pending = types > 0;
	if (!types && requests)
		model->validated = MAYBE; /* whether that has to be accepted isn't said */
	hand_check(types <= model->count, "more layers change than there are");
}

/* Two layers of the client's, between which one of the device's has no place. */
static bool
has_clients(const struct display_model *model)
{
	unsigned clients = 0;

	for (unsigned i = 0; i < model->count; i++)
		clients += model->layers[i].composition == KRAFLA_COMPOSITION_CLIENT ||
			model->layers[i].composition < 0;
	return clients > 1;
}

static void
validate(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	uint32_t types = UNTOUCHED, requests = UNTOUCHED;
	unsigned allowed = allow_unless(allow_there(model));
	int result = krafla_display_validate(hand->all->composer, display, &types, &requests);

	if (model)
		allowed |= ALLOW(HAS_CHANGES) | ALLOW(NO_RESOURCES);
	if (model && !hand->all->is_random)
		allowed = ALLOW(NONE) | (has_clients(model) ? ALLOW(HAS_CHANGES) : 0);
	hand_judge(hand, "validate", result, allowed);
	if (result != KRAFLA_COMPOSER_NONE && result != KRAFLA_COMPOSER_HAS_CHANGES)
		hand_check(
			types == UNTOUCHED && requests == UNTOUCHED, "validate failed and wrote");
	else if (hand->all->alone)
		take_validation(hand, model, result, types, requests);
}

static unsigned
if_validated(const struct display_model *model)
{
	if (!model)
		return ALLOW(BAD_DISPLAY);
	return model->validated == YES   ? ALLOW(NONE)
		: model->validated == NO ? ALLOW(NOT_VALIDATED)
					 : ALLOW(NONE) | ALLOW(NOT_VALIDATED);
}

static void
get_changes(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	krafla_layer_t layers[MAX_LAYERS];
	uint32_t count = MAX_LAYERS;
	int32_t types[MAX_LAYERS], bits = 0;
	struct krafla_composer *composer = hand->all->composer;

	if (hand_choose(hand, 2)) {
		hand_judge(hand, "get_requests",
			krafla_display_get_requests(composer, display, &bits, &count,
				hand_choose(hand, 2) ? layers : NULL, types),
			if_validated(model) | ALLOW(BAD_PARAMETER));
		return;
	}
	if (!hand_judge(hand, "get_changed_composition_types",
		    krafla_display_get_changed_composition_types(
			    composer, display, &count, layers, types),
		    if_validated(model)) ||
		!hand->all->alone)
		return;
	hand_check(!model->pending || count == model->types, "other changes than validate said");
	for (uint32_t i = 0; i < count; i++) {
		bool found = false;

		for (unsigned n = 0; n < model->count; n++)
			found |= model->layers[n].handle == layers[i];
		hand_check(found, "a layer changes that isn't there");
		hand_check(types[i] > KRAFLA_COMPOSITION_INVALID &&
				types[i] < KRAFLA_COMPOSITION_SIDEBAND,
			"a layer changes to what it can't be");
	}
}

static void
accept(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);

	if (!hand_judge(hand, "accept_changes",
		    krafla_display_accept_changes(hand->all->composer, display),
		    if_validated(model)) ||
		!hand->all->alone)
		return;
	for (unsigned i = 0; model->pending && i < model->count; i++)
		model->layers[i].composition = -1;
	model->pending = false;
	model->validated = YES;
}

static void
after_present(struct hand *hand, struct display_model *model, int fence)
{
	hand_take(hand, fence);
	if (hand->all->alone)
		model->has_output = false;
}

static void
present(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	unsigned allowed = if_validated(model);
	int fence = UNTOUCHED, result;

	if (model && model->pending)
		allowed = ALLOW(NOT_VALIDATED);
	if (allowed & ALLOW(NONE))
		allowed |= ALLOW(NO_RESOURCES);
	if (model && model->is_virtual && !model->has_output)
		allowed &= ~ALLOW(NONE);
	result = krafla_display_present(hand->all->composer, display, &fence);
	if (hand_judge(hand, "present", result, allowed))
		after_present(hand, model, fence);
	else
		hand_check(fence == UNTOUCHED, "present failed and wrote");
}

static void
present_or_validate(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	uint32_t types = UNTOUCHED, requests = UNTOUCHED, state = UNTOUCHED;
	unsigned allowed = allow_unless(allow_there(model));
	int fence = UNTOUCHED, result;

	if (model)
		allowed |= ALLOW(HAS_CHANGES) | ALLOW(NO_RESOURCES);
	result = krafla_display_present_or_validate(
		hand->all->composer, display, &types, &requests, &fence, &state);
	hand_judge(hand, "present_or_validate", result, allowed);
	if (result == KRAFLA_COMPOSER_NONE && state == 1)
		after_present(hand, model, fence);
	if (!hand->all->alone || !model)
		return;
	if (result == KRAFLA_COMPOSER_NONE && state == 1) {
		model->validated = YES;
		model->pending = false;
	} else if (result == KRAFLA_COMPOSER_NO_RESOURCES) {
		model->validated = MAYBE;
		model->pending = false;
	} else {
		hand_check(state == 0, "a state that is none");
		take_validation(hand, model, result, types, requests);
	}
}

static void
get_release_fences(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	krafla_layer_t layers[MAX_LAYERS];
	int fences[MAX_LAYERS];
	uint32_t count = hand_choose(hand, 4) ? MAX_LAYERS : hand_choose(hand, 3), room = count;
	bool asks = hand_choose(hand, 4) == 0;

	if (!hand_judge(hand, "get_release_fences",
		    krafla_display_get_release_fences(hand->all->composer, display, &count,
			    asks ? NULL : layers, asks ? NULL : fences),
		    allow_unless(allow_there(model))) ||
		asks)
		return;
	hand_check(count <= room, "more release fences than there is room for");
	for (uint32_t i = 0; i < count; i++)
		hand_take(hand, fences[i]);
}

void
call_picture(struct hand *hand)
{
	static void (*const calls[])(struct hand *) = {set_client_target, set_output_buffer,
		set_output_buffer, validate, validate, get_changes, accept, accept, present,
		present, present_or_validate, get_release_fences};

	calls[hand_choose(hand, KR_ARRAY_LEN(calls))](hand);
}
