/* SPDX-License-Identifier: Apache-2.0 */
/* See errands.h. */
#include "painter/errands.h"

#include <stdlib.h>

#include "painter/painter.h"
#include "util/clock.h"

void
kr_painter_errands_init(struct kr_painter_errands *errands)
{
	kr_list_init(&errands->list);
	errands->pictures = 0;
	errands->spare = NULL;
	errands->limit_ns = 0;
}

void
kr_painter_errands_finish(struct kr_painter_errands *errands)
{
	while (kr_painter_errands_first(errands))
		kr_painter_errands_pop(errands);
	free(errands->spare);
	errands->spare = NULL;
}

struct kr_painter_errand *
kr_painter_errands_make(struct kr_painter_errands *errands)
{
	struct kr_painter_errand *errand = errands->spare;

	if (!errand)
		return calloc(1, sizeof(*errand));
	errands->spare = NULL;
	*errand = (struct kr_painter_errand){0};
	return errand;
}

struct kr_painter_errand *
kr_painter_errands_first(const struct kr_painter_errands *errands)
{
	return kr_list_empty(&errands->list)
		? NULL
		: kr_container_of(errands->list.next, struct kr_painter_errand, link);
}

static void
start_clock(struct kr_painter_errands *errands)
{
	struct kr_painter_errand *first = kr_painter_errands_first(errands);

	if (first && !first->deadline && errands->limit_ns)
		first->deadline = kr_deadline_in(errands->limit_ns);
}

void
kr_painter_errands_start(struct kr_painter_errands *errands, uint64_t limit_ns)
{
	errands->limit_ns = limit_ns;
	start_clock(errands);
}

void
kr_painter_errands_add(struct kr_painter_errands *errands, struct kr_painter_errand *take_errand)
{
	kr_list_append(&errands->list, &take_errand->link);
	errands->pictures += !take_errand->look;
	start_clock(errands);
}

void
kr_painter_errands_pop(struct kr_painter_errands *errands)
{
	struct kr_painter_errand *first = kr_painter_errands_first(errands);

	kr_list_remove(&first->link);
	errands->pictures -= !first->look;
	free(errands->spare);
	errands->spare = first;
	start_clock(errands);
}

int64_t
kr_painter_errands_deadline(const struct kr_painter_errands *errands)
{
	const struct kr_painter_errand *first = kr_painter_errands_first(errands);

	return first ? first->deadline : KR_FOREVER;
}

static bool
is_named(const uint64_t *ids, unsigned count, uint64_t id)
{
	for (unsigned i = 0; i < count; i++) {
		if (ids[i] == id)
			return true;
	}
	return false;
}

unsigned
kr_painter_errands_suspects(const struct kr_painter_errands *errands, uint64_t *ids, unsigned room)
{
	uint64_t all[KR_PAINTER_MAX_REQUESTS * KR_RENDER_MAX_LAYERS + 1];
	const struct kr_painter_errand *errand;
	unsigned count = 0;

	kr_list_for_each (errand, &errands->list, link) {
		if (errand->look && errand == kr_painter_errands_first(errands))
			all[count++] = errand->id;
		if (errand->look)
			break;
		for (unsigned i = 0; i < errand->gpu_count && count < KR_ARRAY_LEN(all); i++) {
			if (!is_named(all, count, errand->gpu_ids[i]))
				all[count++] = errand->gpu_ids[i];
		}
	}
	for (unsigned i = 0; i < KR_MIN(count, room); i++)
		ids[i] = all[i];
	return count;
}
