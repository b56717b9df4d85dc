/* SPDX-License-Identifier: Apache-2.0 */
/* What a composer has to be after the calls so far: see fuzzed.h. */
#include "composer/fuzzed.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_OWN        64
#define UNKNOWN_HANDLE UINT64_C(0x7777777777)

krafla_display_t
hand_display(struct hand *hand, struct display_model **display)
{
	unsigned which = hand_byte(hand);
	struct display_model *model = &hand->all->displays[which % MAX_DISPLAYS];

	/* Where none is, the next one, but for a few times. */
	for (unsigned i = 1; which / MAX_DISPLAYS && !model->handle && i < MAX_DISPLAYS; i++)
		model = &hand->all->displays[(which + i) % MAX_DISPLAYS];
	*display = model->handle ? model : NULL;
	if (model->handle)
		return model->handle;
	return hand_choose(hand, 2) ? 0 : UNKNOWN_HANDLE;
}

krafla_layer_t
hand_layer(struct hand *hand, struct display_model *display, struct layer_model **layer)
{
	unsigned which = hand_byte(hand);

	*layer = NULL;
	if (!display || !display->count || which % 16 == 15)
		return which % 2 ? 0 : UNKNOWN_HANDLE;
	*layer = &display->layers[which % display->count];
	return (*layer)->handle;
}

bool
hand_judge(struct hand *hand, const char *call, int result, unsigned allowed)
{
	bool known = result >= 0 && result <= KRAFLA_COMPOSER_UNSUPPORTED;

	if (!known || (hand->all->alone && !(allowed & 1u << result))) {
		fprintf(stderr, "fuzz_composer: %s answers %d; of these bits: %#x\n", call, result,
			allowed);
		abort();
	}
	return result == KRAFLA_COMPOSER_NONE;
}

struct display_model *
model_add_display(struct fuzzed *all, krafla_display_t handle, bool is_virtual, uint32_t width,
	uint32_t height)
{
	for (unsigned i = 0; i < MAX_DISPLAYS; i++) {
		if (all->displays[i].handle)
			continue;
		all->displays[i] = (struct display_model){.handle = handle,
			.is_virtual = is_virtual,
			.width = width,
			.height = height};
		if (is_virtual && width <= MAX_OWN && height <= MAX_OWN)
			all->displays[i].output =
				buffer_make(width, height, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
		return &all->displays[i];
	}
	return NULL;
}

void
model_remove_display(struct display_model *display)
{
	if (display->output)
		AHardwareBuffer_release(display->output);
	*display = (struct display_model){0};
}

void
model_end_validation(struct display_model *display)
{
	display->validated = NO;
	display->pending = false;
}

unsigned
allow_unless(unsigned wrong)
{
	return wrong ? wrong : ALLOW(NONE);
}

unsigned
allow_there(const struct display_model *display)
{
	return display ? 0 : ALLOW(BAD_DISPLAY);
}
