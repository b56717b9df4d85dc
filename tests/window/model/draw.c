/* SPDX-License-Identifier: Apache-2.0 */
/* What is done next, and the fences that go with it. */
#include "harness.h"

#include "world.h"

#include "sync/fence/fence.h"
#include "sync/fence/user_fence.h"
#include "util/fd.h"

/* Fences that are about at a time. */
#define OPEN_FENCES 24

uint32_t
draw(struct world *w, uint32_t below)
{
	w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(w->random >> 33) % below;
}

static uint32_t
new_fence(struct world *w)
{
	uint32_t tag = ++w->fence_count;

	assert_true(tag < MODEL_FENCES);
	assert_int_equal(kr_fence_create(NULL, &w->fences[tag].producer, &w->fences[tag].fence), 0);
	w->fences[tag].cookie = kr_sync_user_cookie(w->fences[tag].fence);
	w->model->signalled[tag] = false;
	return tag;
}

void
world_signal_fence(struct world *w, uint32_t tag)
{
	if (w->fences[tag].producer < 0)
		return;
	kr_fence_signal(w->fences[tag].producer, KR_FENCE_SIGNALLED);
	w->fences[tag].producer = -1;
	w->model->signalled[tag] = true;
}

void
world_age_fences(struct world *w)
{
	if (w->fence_count > OPEN_FENCES)
		world_signal_fence(w, w->fence_count - OPEN_FENCES);
	if (w->fence_count > 4 * OPEN_FENCES)
		kr_fd_close(&w->fences[w->fence_count - 4 * OPEN_FENCES].fence);
}

uint32_t
world_fence(const struct world *w, uint64_t cookie)
{
	for (uint32_t tag = w->fence_count; tag && cookie; tag--) {
		if (w->fences[tag].cookie == cookie)
			return tag;
	}
	return 0;
}

void
world_finish_fences(struct world *w)
{
	for (uint32_t tag = 1; tag <= w->fence_count; tag++) {
		world_signal_fence(w, tag);
		kr_fd_close(&w->fences[tag].fence);
	}
}

static enum op_kind
draw_kind(struct world *w)
{
	/* The main job most of the time. */
	static const uint8_t weights[OP_KINDS] = {[P_CONNECT] = 8,
		[P_DISCONNECT] = 2,
		[P_DEQUEUE] = 60,
		[P_REQUEST] = 60,
		[P_QUEUE] = 50,
		[P_CANCEL] = 8,
		[P_ATTACH] = 8,
		[P_DETACH] = 5,
		[P_DETACH_NEXT] = 4,
		[P_ALLOCATE] = 2,
		[P_SET_ASYNC] = 3,
		[P_SET_MAX_DEQUEUED] = 6,
		[P_SET_COUNT] = 4,
		[P_SET_TIMEOUT] = 2,
		[P_SET_SHARED] = 5,
		[P_SET_REFRESH] = 3,
		[P_SET_GENERATION] = 1,
		[P_ALLOW] = 3,
		[P_LEGACY] = 2,
		[P_PREROTATE] = 2,
		[P_LAST] = 6,
		[P_INFO] = 6,
		[P_RATE] = 1,
		[C_ACQUIRE] = 50,
		[C_RELEASE] = 45,
		[C_DETACH] = 5,
		[C_ATTACH] = 6,
		[C_SET_MAX_ACQUIRED] = 5,
		[C_SET_MAX_BUFFERS] = 1,
		[C_SETTINGS] = 3,
		[C_DISCARD] = 2};
	uint32_t sum = 0, at;

	for (int i = 0; i < OP_KINDS; i++)
		sum += weights[i];
	at = draw(w, sum);
	for (int i = 0;; i++) {
		if (at < weights[i])
			return (enum op_kind)i;
		at -= weights[i];
	}
}

/* One that is dequeued, mostly; else any, and some that there aren't. */
static uint32_t
draw_slot(struct world *w, enum op_kind kind)
{
	uint32_t candidates[MODEL_SLOTS], count = 0;

	for (uint32_t i = 0; i < MODEL_SLOTS; i++) {
		if (w->model->slots[i].dequeued &&
			w->model->slots[i].requested == (kind != P_REQUEST))
			candidates[count++] = i;
	}
	if (count && draw(w, 12))
		return candidates[draw(w, count)];
	return draw(w, 10) ? draw(w, 8) : 60 + draw(w, 8);
}

static int64_t
draw_time(struct world *w)
{
	static const int64_t times[] = {0, 1000000000, 1000000010, 1500000000, 2000000000,
		2000000001, 3000000000, 9000000000};

	return times[draw(w, 8)];
}

static void
draw_numbers(struct world *w, struct op *op)
{
	switch (op->kind) {
	case P_DEQUEUE:
		op->a = draw(w, 4) ? 0 : 16 * draw(w, 3);
		op->b = draw(w, 9) ? op->a : 16;
		op->c = draw(w, 6) ? 0 : 1 << 8;
		break;
	case P_QUEUE:
		op->time = draw(w, 3) ? INT64_MIN : draw_time(w);
		op->a = !draw(w, 4);
		break;
	case P_ATTACH:
	case C_ATTACH:
		op->a = draw(w, 2 * KEPT);
		op->b = draw(w, 6) ? w->model->generation : draw(w, 3);
		break;
	case P_SET_MAX_DEQUEUED:
		op->a = draw(w, 12) ? 1 + draw(w, 4) : draw(w, 70);
		break;
	case P_SET_COUNT:
		op->a = draw(w, 12) ? 2 + draw(w, 5) : draw(w, 70);
		break;
	case P_DISCONNECT:
	case P_SET_TIMEOUT:
	case P_SET_GENERATION:
		op->a = draw(w, 3);
		break;
	case P_ALLOW:
		op->a = draw(w, 3) != 0;
		break;
	case P_SET_SHARED:
		op->a = !draw(w, 3);
		break;
	case P_RATE:
		op->a = draw(w, 100);
		break;
	case C_ACQUIRE:
		op->time = draw(w, 2) ? 0 : draw_time(w);
		op->number = op->time && !draw(w, 3) ? w->model->frames - draw(w, 3) : 0;
		op->a = !draw(w, 6);
		op->b = !draw(w, 3);
		break;
	case C_RELEASE:
	case C_DETACH:
		op->a = draw(
			w, w->model->held_count + (draw(w, 20) ? 0 : 1) + !w->model->held_count);
		op->b = op->kind == C_RELEASE && !draw(w, 25);
		break;
	case C_SET_MAX_ACQUIRED:
		op->a = draw(w, 12) ? 1 + draw(w, 3) : draw(w, 70);
		break;
	case C_SET_MAX_BUFFERS:
		op->a = draw(w, 3) ? 3 + draw(w, 62) : draw(w, 70);
		break;
	case C_SETTINGS:
		op->a = draw(w, 3) ? 64 : 32 + 16 * draw(w, 3);
		op->b = (uint32_t[]){0, 1, 5, 4}[draw(w, 4)];
		op->c = draw(w, 8);
		break;
	default:
		op->a = draw(w, 2);
	}
}

struct op
draw_op(struct world *w)
{
	struct op op = {
		.kind = draw_kind(w),
	};

	bool fenced = op.kind == P_QUEUE || op.kind == P_CANCEL || op.kind == C_RELEASE;

	op.slot = draw_slot(w, op.kind);
	draw_numbers(w, &op);
	if (fenced && draw(w, 2))
		op.fence = new_fence(w);
	return op;
}
