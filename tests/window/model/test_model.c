/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random sequences of operations on a real queue, each step compared with the reference (model.h):
 * in one process, over a socket, between two processes, and with either killed at random. A failure
 * names its seed, which makes the very sequence again:
 *
 * KRAFLA_TEST_SEED=4711 KRAFLA_TEST_STEPS=500 out/build/tests/window/test_window_model socket
 */
#include "harness.h"

#include <errno.h>
#include <signal.h>

#include "util/fd.h"
#include "util/macros.h"
#include "world.h"

/* What the real queue has held that it was refused is let go of. */
static void
settle_attach(struct world *w, const struct outcome *real, const struct outcome *model)
{
	struct op back = {.kind = C_DETACH};
	struct outcome outcome;

	if (w->last.kind != C_ATTACH || real->err || !model->err)
		return;
	back.a = w->model->held_count;
	/* The model has kept it where it was, or never had it. */
	back.b = w->last.a < KEPT && w->model->kept[1][w->last.a] ? w->last.a + 1 : KEPT + 1;
	assert_true(actors_do(w->actors, &back, -1, &outcome));
	if (outcome.err)
		world_fail(w, "letting go of what was refused answers %d", outcome.err);
}

static void
step(struct world *w)
{
	struct outcome real, model;
	int fence = -1;

	w->last = draw_op(w);
	w->step++;
	if (w->last.fence)
		assert_int_equal(kr_fd_dup(w->fences[w->last.fence].fence, &fence), 0);
	model_do(w->model, &w->last, &model);
	assert_true(actors_do(w->actors, &w->last, fence, &real));
	w->past[(w->step - 1) % PAST] = (struct past){w->last, real, model};
	compare_outcomes(w, &real, &model);
	settle_attach(w, &real, &model);
	for (int end = 0; end < 2; end++)
		compare_notices(w, end);
	if (!draw(w, 3) && w->fence_count)
		world_signal_fence(
			w, 1 + w->fence_count - 1 - draw(w, KR_MIN(w->fence_count, 12u)));
	world_age_fences(w);
}

static uint64_t
number_from(const char *name, uint64_t otherwise)
{
	const char *said = getenv(name);

	return said ? strtoull(said, NULL, 10) : otherwise;
}

static struct world *
begin(enum actor_way way, uint64_t seed)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->model = calloc(1, sizeof(*w->model));
	assert_non_null(w->model);
	w->way = way;
	w->seed = w->random = seed;
	for (uint32_t i = 0; i < MODEL_FENCES; i++)
		w->fences[i].producer = w->fences[i].fence = -1;
	draw(w, 2);
	model_init(w->model, way == ACTOR_LOCAL, draw(w, 2));
	w->actors = actors_start(way, w->model->by_app);
	return w;
}

static void
end(struct world *w)
{
	actors_stop(w->actors);
	world_finish_fences(w);
	free(w->model);
	free(w);
}

/* Sequences of 500 steps: much is seen only from a fresh queue. */
static void
run(enum actor_way way, uint32_t steps)
{
	uint64_t seed = number_from("KRAFLA_TEST_SEED", 1);
	uint32_t each = 500;

	steps = (uint32_t)number_from("KRAFLA_TEST_STEPS", steps);
	for (uint32_t done = 0; done < steps; done += each) {
		struct world *w = begin(way, seed++);

		for (uint32_t i = 0; i < each; i++)
			step(w);
		end(w);
	}
}

static void
killed(void **state)
{
	uint64_t seed = number_from("KRAFLA_TEST_SEED", 1);
	uint32_t sequences = (uint32_t)number_from("KRAFLA_TEST_STEPS", 20000) / 500;

	for (uint32_t done = 0; done < sequences; done++) {
		struct world *w = begin(ACTOR_PROCESSES, seed++);
		uint32_t steps = 1 + draw(w, 400);

		for (uint32_t i = 0; i < steps; i++)
			step(w);
		kill_one(w);
		end(w);
	}
}

static void
local(void **state)
{
	run(ACTOR_LOCAL, 200000);
}

static void
socket_(void **state)
{
	run(ACTOR_SOCKET, 100000);
}

static void
processes(void **state)
{
	run(ACTOR_PROCESSES, 20000);
}

static const struct kr_test tests[] = {
	{"local", local, 0, 120},
	{"socket", socket_, 0, 120},
	{"processes", processes, 0, 120},
	{"killed", killed, 0, 120},
};

KR_TEST_MAIN(tests)
