/* SPDX-License-Identifier: Apache-2.0 */
/* See presentation.h. */
#include "window/queue/presentation.h"

#include <errno.h>

int
kr_present_colour_index(int32_t dataspace)
{
	static const int32_t dataspaces[KR_COLOUR_COUNT] = {
		[KR_COLOUR_SRGB] = 142671872,
		[KR_COLOUR_DISPLAY_P3] = 143261696,
		[KR_COLOUR_DCI_P3] = 155844608,
		[KR_COLOUR_DCI_P3_LINEAR] = 139067392,
		[KR_COLOUR_SRGB_LINEAR] = 138477568,
		[KR_COLOUR_SCRGB] = 411107328,
		[KR_COLOUR_SCRGB_LINEAR] = 406913024,
		[KR_COLOUR_BT2020_LINEAR] = 138805248,
		[KR_COLOUR_BT2020_LINEAR_EXTENDED] = 407240704,
		[KR_COLOUR_BT2020_PQ] = 163971072,
		[KR_COLOUR_BT2020_HLG] = 168165376,
		[KR_COLOUR_ADOBE_RGB] = 151715840,
		[KR_COLOUR_ADOBE_RGB_LINEAR] = 139132928,
	};

	if (dataspace == 0 || dataspace == 1 || dataspace == 513)
		return KR_COLOUR_SRGB;
	for (int i = 0; i < KR_COLOUR_COUNT; i++) {
		if (dataspaces[i] == dataspace)
			return i;
	}
	return -1;
}

bool
kr_present_mode_drops(unsigned mode)
{
	return mode == KR_PRESENT_MAILBOX || mode == KR_PRESENT_IMMEDIATE;
}

bool
kr_present_mode_is_shared(unsigned mode)
{
	return mode == KR_PRESENT_SHARED_DEMAND || mode == KR_PRESENT_SHARED_CONTINUOUS;
}

void
kr_abilities_complete(struct kr_abilities *abilities)
{
	static const struct kr_abilities before = {
		.modes = KR_ABILITY(KR_PRESENT_FIFO) | KR_ABILITY(KR_PRESENT_MAILBOX) |
			KR_ABILITY(KR_PRESENT_IMMEDIATE),
		.transforms = KR_ABILITY_TRANSFORMS,
		.alphas = KR_ABILITY(KR_ALPHA_OPAQUE),
	};

	if (!abilities->modes)
		*abilities = before;
	abilities->modes |= KR_ABILITY(KR_PRESENT_FIFO);
	abilities->transforms |= KR_ABILITY(0);
	abilities->alphas |= KR_ABILITY(KR_ALPHA_INHERIT);
	abilities->scalings |= KR_ABILITY(KR_SCALING_WINDOW);
	abilities->colours |= KR_ABILITY(KR_COLOUR_SRGB);
}

static bool
has(uint32_t abilities, unsigned value)
{
	return abilities >> value & 1;
}

int
kr_presentation_check(
	const struct kr_presentation *presentation, const struct kr_abilities *abilities)
{
	const struct kr_presentation *p = presentation;

	if (p->mode >= KR_PRESENT_MODE_COUNT || p->alpha >= KR_ALPHA_COUNT ||
		p->scaling >= KR_SCALING_COUNT || p->gravity_x >= KR_GRAVITY_COUNT ||
		p->gravity_y >= KR_GRAVITY_COUNT)
		return -EINVAL;
	if (!has(abilities->modes, p->mode) || !has(abilities->alphas, p->alpha) ||
		!has(abilities->scalings, p->scaling))
		return -EOPNOTSUPP;
	if (p->scaling == KR_SCALING_WINDOW)
		return 0;
	return has(abilities->gravities, p->gravity_x) && has(abilities->gravities, p->gravity_y)
		? 0
		: -EOPNOTSUPP;
}
