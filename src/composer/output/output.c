/* SPDX-License-Identifier: Apache-2.0 */
/* See output.h. */
#include "composer/output/output.h"

#include <errno.h>

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
		int err = output->impl->show(output, frame);

		if (err < 0)
			return err;
	}
	return 0;
}
