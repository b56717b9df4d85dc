/* SPDX-License-Identifier: Apache-2.0 */
/* Rows on this processor have the same bytes as rows on any. */
#include "rig.h"

#include <string.h>

#include "render/rows.h"

#define MOST   67
#define ROUNDS 400

struct rows_case {
	struct rig_random random;
	uint32_t narrow[MOST + 1], near[MOST];
	uint16_t wide[2][MOST * KR_RENDER_WIDE], below[MOST * KR_RENDER_WIDE];
	uint16_t weight[MOST];
	uint32_t count, dim;
};

static uint16_t
channel(struct rig_random *random)
{
	uint32_t value = rig_random(random, KR_RENDER_FULL + 1);

	return (uint16_t)(rig_random(random, 3) ? value : value / 0x8000 * KR_RENDER_FULL);
}

static void
make(struct rows_case *c, uint32_t round)
{
	c->count = round % (MOST + 1);
	c->dim = round % 2 ? KR_RENDER_DIM_FULL : rig_random(&c->random, KR_RENDER_DIM_FULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(c->narrow); i++)
		c->narrow[i] = rig_random(&c->random, 1u << 31) * 2 + rig_random(&c->random, 2);
	for (size_t i = 0; i < KR_ARRAY_LEN(c->below); i++) {
		c->below[i] = channel(&c->random);
		c->wide[0][i] = channel(&c->random);
		c->wide[1][i] = channel(&c->random);
	}
	for (size_t i = 0; i < MOST; i++) {
		c->near[i] = rig_random(&c->random, MOST);
		c->weight[i] = (uint16_t)rig_random(&c->random, KR_RENDER_ONE);
	}
}

/* What each function makes of the case, one after the other. */
static void
run(const struct kr_render_rows *rows, const struct rows_case *c, uint16_t *out)
{
	const size_t step = sizeof(c->below) / sizeof(*out);

	for (int i = 0; i < 6; i++, out += step) {
		memcpy(out, c->below, sizeof(c->below));
		rows->over[i / 3][i % 3](out,
			i / 3 ? (const void *)c->wide[0] : (const void *)c->narrow, c->count,
			c->dim);
	}
	memcpy(out, c->below, sizeof(c->below));
	rows->over_color(out, c->wide[0], c->count);
	out += step;
	rows->widen(out, c->narrow, c->count);
	out += step;
	rows->narrow((uint32_t *)(void *)out, c->wide[0], c->count);
	out += step;
	rows->between_pixels(out, c->narrow, c->near, c->weight, c->count);
	out += step;
	rows->between_rows(out, c->wide[0], c->wide[1], c->weight[0], c->count);
}

#define OUT (11 * MOST * KR_RENDER_WIDE)

static void
all_processors_make_the_same_rows(void **state)
{
	static uint16_t expected[OUT], got[OUT];
	struct rows_case c = {.random = {1}};

	for (uint32_t round = 0; round < ROUNDS; round++) {
		make(&c, round);
		memset(expected, 0x11, sizeof(expected));
		memset(got, 0x11, sizeof(got));
		run(kr_render_any_rows(), &c, expected);
		run(kr_render_best_rows(), &c, got);
		for (size_t i = 0; i < OUT; i++) {
			if (expected[i] != got[i])
				fail_msg("round %d: function %d, channel %d: %x, not %x",
					(int)round, (int)(i / (MOST * KR_RENDER_WIDE)),
					(int)(i % (MOST * KR_RENDER_WIDE)), got[i], expected[i]);
		}
	}
}

/* Full stays full and nothing stays nothing, whatever is done how often. */
static void
ends_do_not_drift(void **state)
{
	const struct kr_render_rows *all[] = {kr_render_any_rows(), kr_render_best_rows()};
	const uint16_t none[KR_RENDER_WIDE] = {0};
	uint16_t acc[8 * KR_RENDER_WIDE];
	uint32_t clear[8] = {0}, white[8], out[8];

	memset(white, 0xff, sizeof(white));
	for (size_t i = 0; i < KR_ARRAY_LEN(all); i++) {
		all[i]->widen(acc, white, 8);
		for (int k = 0; k < 1000; k++) {
			all[i]->over[0][KR_RENDER_BLEND_PREMULTIPLIED - 1](
				acc, clear, 8, KR_RENDER_DIM_FULL);
			all[i]->over[0][KR_RENDER_BLEND_COVERAGE - 1](acc, clear, 8, 0x8000);
			all[i]->over_color(acc, none, 8);
		}
		all[i]->narrow(out, acc, 8);
		assert_memory_equal(out, white, sizeof(white));
		all[i]->over[0][KR_RENDER_BLEND_COVERAGE - 1](acc, white, 8, KR_RENDER_DIM_FULL);
		all[i]->narrow(out, acc, 8);
		assert_memory_equal(out, white, sizeof(white));
	}
}

static const struct kr_test tests[] = {
	KR_TEST(all_processors_make_the_same_rows),
	KR_TEST(ends_do_not_drift),
};
KR_TEST_MAIN(tests)
