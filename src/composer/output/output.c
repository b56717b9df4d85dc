/* SPDX-License-Identifier: Apache-2.0 */
/* See output.h. */
#include "composer/output/output.h"

#include <errno.h>

bool
kr_pictures_have(const struct kr_pictures *pictures, uint64_t number)
{
	return pictures->every && number >= pictures->from &&
		(number - pictures->from) % pictures->every == 0;
}

static uint64_t
greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

struct kr_pictures
kr_pictures_join(const struct kr_pictures *a, const struct kr_pictures *b)
{
	uint64_t first, later;

	if (!a->every)
		return *b;
	if (!b->every)
		return *a;
	first = KR_MIN(a->from, b->from);
	later = KR_MAX(a->from, b->from);
	return (struct kr_pictures){
		.from = first,
		.every = greatest_divisor(greatest_divisor(a->every, b->every), later - first),
	};
}

struct kr_pictures
kr_display_outputs_wanted(const struct kr_display_outputs *outputs)
{
	struct kr_pictures wanted = {0};

	for (unsigned i = 0; i < outputs->count; i++)
		wanted = kr_pictures_join(&wanted, &outputs->items[i]->wanted);
	return wanted;
}

int
kr_display_outputs_add(struct kr_display_outputs *outputs, struct kr_display_output *output)
{
	if (outputs->count == KR_DISPLAY_MAX_OUTPUTS)
		return -ENOSPC;
	outputs->items[outputs->count++] = output;
	return 0;
}

int
kr_display_outputs_show(
	const struct kr_display_outputs *outputs, const struct kr_composed_frame *frame)
{
	for (unsigned i = 0; i < outputs->count; i++) {
		struct kr_display_output *output = outputs->items[i];
		int err = 0;

		if (kr_pictures_have(&output->wanted, frame->number))
			err = output->impl->show(output, frame);
		if (err < 0)
			return err;
	}
	return 0;
}
