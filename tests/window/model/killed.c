/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After an end was killed: the operation that it was told last may have been done or not, so what
 * the other one knows isn't known to a step; but what it is answered may be one of few things, and
 * what it holds it can give back.
 */
#include "harness.h"

#include <errno.h>

#include "util/fd.h"
#include "world.h"

#define STEPS 60

static bool
is_one_of(int err, const int *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i] == err)
			return true;
	}
	return false;
}

#define ONE_OF(err, ...)                                                                           \
	is_one_of((err), (const int[]){__VA_ARGS__},                                               \
		sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

/* A producer whose consumer is gone: nothing is to be had any more, as the reference has it. */
static bool
is_producers_answer(struct world *w, const struct outcome *real)
{
	struct outcome model;

	w->model->abandoned = true;
	model_do(w->model, &w->last, &model);
	return real->err == model.err;
}

/* A consumer whose producer is gone: what had arrived is to be had. */
static bool
is_consumers_answer(const struct op *op, int err)
{
	switch (op->kind) {
	case C_ACQUIRE:
		/* Shared with auto-refresh, it may be asked for again and again. */
		return ONE_OF(err, 0, -EPIPE, -EBUSY, -ETIME);
	case C_RELEASE:
		return ONE_OF(err, 0, -EPIPE, -ESTALE);
	case C_DETACH:
		return ONE_OF(err, 0, -EINVAL, -ESTALE);
	case C_ATTACH:
		return err == -EPIPE;
	case C_SET_MAX_ACQUIRED:
	case C_SET_MAX_BUFFERS:
		return ONE_OF(err, -EINVAL, -EPIPE);
	default:
		return err == 0;
	}
}

static void
ask_survivor(struct world *w, const struct op *op, struct outcome *real)
{
	int fence = -1;
	bool right;

	w->last = *op;
	w->step++;
	if (op->fence)
		assert_int_equal(kr_fd_dup(w->fences[op->fence].fence, &fence), 0);
	if (!actors_do(w->actors, op, fence, real))
		world_fail(w, "the end that is left doesn't answer");
	right = op->kind < FIRST_OF_CONSUMER ? is_producers_answer(w, real)
					     : is_consumers_answer(op, real->err);
	if (!right)
		world_fail(w, "answers %d though the other end is gone", real->err);
	world_age_fences(w);
}

/* Everything that it holds; at most the slots that there are, and one more. */
static void
give_all_back(struct world *w)
{
	const struct op release = {.kind = C_RELEASE};
	struct outcome real;

	for (uint32_t i = 0; i <= MODEL_SLOTS; i++) {
		ask_survivor(w, &release, &real);
		if (real.err == -ESTALE)
			return;
	}
	world_fail(w, "there is no end of what it holds");
}

/* And nothing more arrives. */
static void
acquire_all(struct world *w)
{
	const struct op acquire = {.kind = C_ACQUIRE};
	struct outcome real;

	for (uint32_t i = 0; i <= MODEL_SLOTS; i++) {
		ask_survivor(w, &acquire, &real);
		if (real.err == -EPIPE)
			return;
		if (real.err != 0 && real.err != -EBUSY)
			world_fail(w, "answers %d, not a frame", real.err);
		give_all_back(w);
	}
	world_fail(w, "there is no end of what is queued");
}

static void
hear_of_it(struct world *w, int survivor)
{
	struct actor_notices notices;
	uint32_t disconnected = 0;

	assert_true(actors_hear(w->actors, survivor, &notices));
	for (uint32_t i = 0; i < notices.count; i++)
		disconnected += notices.list[i].kind == N_DISCONNECTED;
	if (!notices.gone)
		world_fail(w, "the end that is left doesn't notice it");
	if (notices.out_of_order)
		world_fail(w, "tickets are out of order");
	/* A producer that had disconnected already is gone without a word. */
	if (disconnected > 1 || (!survivor && !disconnected))
		world_fail(w, "hears %u times that the other end is gone", disconnected);
}

void
kill_one(struct world *w)
{
	int survivor = (int)draw(w, 2);
	bool is_midway = draw(w, 2);
	struct outcome real;
	struct op op;

	do {
		op = draw_op(w);
	} while ((op.kind >= FIRST_OF_CONSUMER) == survivor);
	op.fence = 0;
	actors_kill(w->actors, !survivor, is_midway ? &op : NULL);
	hear_of_it(w, survivor);
	for (uint32_t i = 0; i < STEPS; i++) {
		do {
			op = draw_op(w);
		} while ((op.kind >= FIRST_OF_CONSUMER) != survivor);
		ask_survivor(w, &op, &real);
	}
	if (survivor) {
		give_all_back(w);
		acquire_all(w);
	}
}
