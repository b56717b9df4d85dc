/* SPDX-License-Identifier: Apache-2.0 */
/* See headless.h. */
#include "composer/output/headless.h"

#include <assert.h>
#include <stdlib.h>

struct headless {
	struct kr_display_output base; /* first */
	uint64_t shown;
};

static const struct kr_display_output_impl impl;

static struct headless *
from_output(struct kr_display_output *output)
{
	assert(output->impl == &impl);
	return (struct headless *)output;
}

static int
show(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	from_output(output)->shown++;
	return 0;
}

static int
finish(struct kr_display_output *output, uint64_t *shown)
{
	*shown = from_output(output)->shown;
	return 0;
}

static void
destroy(struct kr_display_output *output)
{
	free(from_output(output));
}

static const struct kr_display_output_impl impl = {
	.name = "headless",
	.show = show,
	.finish = finish,
	.destroy = destroy,
};

struct kr_display_output *
kr_headless_output_create(void)
{
	struct headless *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->base.impl = &impl;
	return &made->base;
}
