/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the real queue and the reference agree; and if they don't, what led to it. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>

#include "window/queue/notice.h"
#include "world.h"

const char *
op_name(enum op_kind kind)
{
	static const char *const names[OP_KINDS] = {"connect", "disconnect", "dequeue", "request",
		"queue", "cancel", "attach", "detach", "detach next", "allocate", "set async",
		"set max dequeued", "set count", "set timeout", "set shared", "set auto-refresh",
		"set generation", "allow allocation", "legacy drop", "auto-prerotation",
		"last queued", "info", "frame rate", "acquire", "release", "detach (consumer)",
		"attach (consumer)", "set max acquired", "set max buffers", "settings", "discard"};

	return names[kind];
}

static void
tell_outcome(const char *whose, const struct outcome *o)
{
	print_message("  %s %d slot %u age %u flags %u frame %llu buffer %llx fence %llx", whose,
		o->err, o->slot, o->age, o->flags, (unsigned long long)o->number,
		(unsigned long long)o->buffer, (unsigned long long)o->fence);
}

static void
tell_past(const struct world *w)
{
	for (uint32_t i = w->step > PAST ? w->step - PAST : 0; i < w->step; i++) {
		const struct past *past = &w->past[i % PAST];

		print_message("%u %s: slot %u fence %u time %lld number %llu a %u b %u c %u\n",
			i + 1, op_name(past->op.kind), past->op.slot, past->op.fence,
			(long long)past->op.time, (unsigned long long)past->op.number, past->op.a,
			past->op.b, past->op.c);
		tell_outcome("real", &past->real);
		tell_outcome("; model", &past->model);
		print_message("\n");
	}
}

void
world_fail(struct world *w, const char *format, ...)
{
	char why[256];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	tell_past(w);
	fail_msg("seed %llu, step %u, %s (slot %u, a %u, b %u, c %u, number %llu): %s",
		(unsigned long long)w->seed, w->step, op_name(w->last.kind), w->last.slot,
		w->last.a, w->last.b, w->last.c, (unsigned long long)w->last.number, why);
	abort(); /* it doesn't come back */
}

/* The same real buffer stands for the same number, always. */
static void
compare_buffer(struct world *w, uint64_t real, uint64_t expected)
{
	if (!real != !expected)
		world_fail(w, "buffer %llx, the model has %llu", (unsigned long long)real,
			(unsigned long long)expected);
	if (!expected)
		return;
	if (!w->real[expected]) {
		for (uint32_t i = 1; i <= w->model->buffer_count; i++) {
			if (w->real[i] == real)
				world_fail(w, "buffer %u, the model has a new one, %llu", i,
					(unsigned long long)expected);
		}
		w->real[expected] = real;
	}
	if (w->real[expected] != real)
		world_fail(w, "buffer %llx, the model's %llu is %llx", (unsigned long long)real,
			(unsigned long long)expected, (unsigned long long)w->real[expected]);
}

void
compare_outcomes(struct world *w, const struct outcome *real, const struct outcome *model)
{
	bool by_socket = w->way != ACTOR_LOCAL;
	uint32_t tag;

	/* Over a socket it shows later that there was no slot for what the consumer attached. */
	if (w->last.kind == C_ATTACH && by_socket && model->err && model->err != -EBUSY &&
		(!real->err || model->err == -ENODEV || model->err == -EINVAL))
		return;
	if (real->err != model->err)
		world_fail(w, "answers %d, the model %d", real->err, model->err);
	if (real->err)
		return;
	if (w->last.kind == P_DEQUEUE || w->last.kind == P_ATTACH || w->last.kind == C_ACQUIRE) {
		if (real->slot != model->slot && !(w->last.kind == C_ACQUIRE && real->slot >= 64))
			world_fail(w, "slot %u, the model %u", real->slot, model->slot);
	}
	/* A dequeue doesn't say which buffer it is: request does. */
	if (w->last.kind != P_DEQUEUE)
		compare_buffer(w, real->buffer, model->buffer);
	if (real->age != model->age || real->flags != model->flags)
		world_fail(w, "age %u flags %u, the model %u, %u", real->age, real->flags,
			model->age, model->flags);
	if (real->number != model->number)
		world_fail(w, "frame %llu, the model %llu", (unsigned long long)real->number,
			(unsigned long long)model->number);
	/* What nobody has to wait for may be left out, or not. */
	tag = world_fence(w, real->fence);
	if (tag != model->fence && (model->fence || !w->model->signalled[tag]))
		world_fail(w, "fence %u, the model %u", tag, (uint32_t)model->fence);
	for (int i = 0; i < 6; i++) {
		if (real->info[i] != model->info[i])
			world_fail(w, "info %d is %lld, the model's %lld", i,
				(long long)real->info[i], (long long)model->info[i]);
	}
}

/* What the model doesn't know: when a buffer goes is the queue's affair, and what becomes of it. */
static bool
is_modelled(uint32_t kind)
{
	return kind == N_AVAILABLE || kind == N_REPLACED ||
		(kind >= N_DEQUEUED && kind <= N_BROUGHT);
}

void
compare_notices(struct world *w, int end)
{
	struct model_notices *model = &w->model->notices[end];
	struct actor_notices real;
	uint32_t at = 0;

	assert_true(actors_hear(w->actors, end, &real));
	if (real.out_of_order)
		world_fail(w, "end %d hears tickets out of order", end);
	for (uint32_t i = 0; i < real.count; i++) {
		const struct actor_notice *r = &real.list[i];
		const struct model_notice *m = &model->list[at];

		if (!is_modelled(r->kind))
			continue;
		if (at++ >= model->count)
			world_fail(w, "end %d hears %u of slot %u, the model nothing", end, r->kind,
				r->slot);
		if (r->kind != (uint32_t)m->kind || r->slot != m->slot || r->number != m->number ||
			r->other != m->other)
			world_fail(w,
				"end %d hears %u of slot %u frame %llu, the model %u, %u, %llu",
				end, r->kind, r->slot, (unsigned long long)r->number, m->kind,
				m->slot, (unsigned long long)m->number);
	}
	if (at != model->count)
		world_fail(w, "end %d hears %u notices, the model %u (next %u of slot %u)", end, at,
			model->count, model->list[at].kind, model->list[at].slot);
	model->count = 0;
}
