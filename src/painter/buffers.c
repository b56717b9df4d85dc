/* SPDX-License-Identifier: Apache-2.0 */
/* See buffers.h. */
#include "painter/buffers.h"

#include <errno.h>
#include <stdlib.h>

void
kr_painter_buffers_init(struct kr_painter_buffers *buffers)
{
	kr_list_init(&buffers->list);
}

void
kr_painter_buffers_finish(struct kr_painter_buffers *buffers)
{
	struct kr_painter_known *known, *next;

	kr_list_for_each_safe (known, next, &buffers->list, link)
		kr_painter_buffers_remove(buffers, known);
}

struct kr_painter_known *
kr_painter_buffers_find(const struct kr_painter_buffers *buffers, uint64_t id)
{
	struct kr_painter_known *known;

	kr_list_for_each (known, &buffers->list, link) {
		if (known->id == id)
			return known;
	}
	return NULL;
}

int
kr_painter_buffers_add(
	struct kr_painter_buffers *buffers, uint64_t id, struct kr_painter_known **known)
{
	struct kr_painter_known *added;

	if (!id || kr_painter_buffers_find(buffers, id))
		return -EINVAL;
	added = calloc(1, sizeof(*added));
	if (!added)
		return -ENOMEM;
	added->id = id;
	kr_list_append(&buffers->list, &added->link);
	*known = added;
	return 0;
}

void
kr_painter_buffers_remove(struct kr_painter_buffers *buffers, struct kr_painter_known *known)
{
	kr_list_remove(&known->link);
	free(known);
}
