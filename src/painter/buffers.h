/* SPDX-License-Identifier: Apache-2.0 */
/* The buffers that a painter knows, by the caller's numbers. One thread at a time. */
#ifndef KR_PAINTER_BUFFERS_H
#define KR_PAINTER_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>
#include "painter/painter.h"
#include "util/list.h"
#include "util/macros.h"

struct kr_painter_known {
	struct kr_list link; /* kr_painter_buffers.list */
	uint64_t id;
	uint64_t serial; /* of its look */
	bool gpu;        /* it has memory of a GPU */
	enum kr_painter_verdict verdict;
	char reason[128];
};

struct kr_painter_buffers {
	struct kr_list list; /* kr_painter_known.link */
};

void kr_painter_buffers_init(struct kr_painter_buffers *buffers);
void kr_painter_buffers_finish(struct kr_painter_buffers *buffers);
/* NULL: there is none. */
struct kr_painter_known *kr_painter_buffers_find(
	const struct kr_painter_buffers *buffers, uint64_t id);
/* -EINVAL the number is in use; -ENOMEM. */
int kr_painter_buffers_add(struct kr_painter_buffers *buffers, uint64_t id,
	struct kr_painter_known **known) KR_MUST_CHECK;
void kr_painter_buffers_remove(struct kr_painter_buffers *buffers, struct kr_painter_known *known);

#endif
