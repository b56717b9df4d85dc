/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A random sequence of operations on a real queue and on the reference (model.h), with the fences
 * and buffers that both know by the same names.
 */
#ifndef KR_TESTS_WINDOW_MODEL_WORLD_H
#define KR_TESTS_WINDOW_MODEL_WORLD_H

#include "actor.h"
#include "model.h"

#define PAST 64

struct world {
	struct model *model;
	struct actors *actors;
	enum actor_way way;
	uint64_t random;
	uint64_t seed;
	uint32_t step;
	struct {
		int producer; /* signals it; -1: it has signalled */
		int fence;
		uint64_t cookie;
	} fences[MODEL_FENCES];
	uint32_t fence_count;
	/* What a real buffer is to the model. */
	uint64_t real[MODEL_BUFFERS];
	struct op last;
	/* The last steps, which a failure tells. */
	struct past {
		struct op op;
		struct outcome real, model;
	} past[PAST];
};

/* A number below that, of the sequence. */
uint32_t draw(struct world *w, uint32_t below);
/* What is done next. Fences that it needs are made. */
struct op draw_op(struct world *w);

void world_signal_fence(struct world *w, uint32_t tag);
/* The oldest fence signals, so that descriptors are bounded; its own is closed a while later. */
void world_age_fences(struct world *w);
/* The fence with that cookie; 0: none. */
uint32_t world_fence(const struct world *w, uint64_t cookie);
void world_finish_fences(struct world *w);

/* Fails with the seed, the last steps and why. */
void world_fail(struct world *w, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));
/* What the last operation (w->last) came to. */
void compare_outcomes(struct world *w, const struct outcome *real, const struct outcome *model);
/* What an end has heard since the last time. */
void compare_notices(struct world *w, int end);
/*
 * ACTOR_PROCESSES: one end is killed, and what the other one does then is looked at: whatever it
 * asks is answered, and all that it has can be given back.
 */
void kill_one(struct world *w);

#endif
