/* SPDX-License-Identifier: Apache-2.0 */
/* Which of its rates a display has, by what its windows wish. */
#include "harness.h"

#include <krafla/native_window.h>

#include "composer/rate.h"
#include "window/queue/queue.h"

#define MAX_WISHES 4

#define DEFAULT(hz)                                                                                \
	{                                                                                          \
		(float)(hz), NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_DEFAULT,                       \
			NATIVE_WINDOW_CHANGE_FRAME_RATE_ONLY_IF_SEAMLESS                           \
	}
#define FIXED(hz)                                                                                  \
	{                                                                                          \
		(float)(hz), NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_FIXED_SOURCE,                  \
			NATIVE_WINDOW_CHANGE_FRAME_RATE_ONLY_IF_SEAMLESS                           \
	}

struct row {
	uint32_t rates[KR_DISPLAY_MAX_RATES]; /* ended by 0, where there is room */
	struct kr_frame_rate wishes[MAX_WISHES];
	uint32_t chosen;
};

static unsigned
count_rates(const struct row *row)
{
	unsigned count = 0;

	while (count < KR_DISPLAY_MAX_RATES && row->rates[count])
		count++;
	return count;
}

static void
expect(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned wishes = 0, chosen;

		while (wishes < MAX_WISHES && rows[i].wishes[wishes].rate > 0)
			wishes++;
		chosen = kr_rate_choose(
			rows[i].rates, count_rates(&rows[i]), rows[i].wishes, wishes);
		if (rows[i].rates[chosen] != rows[i].chosen)
			fail_msg("row %zu: %u mHz, not %u", i, rows[i].rates[chosen],
				rows[i].chosen);
	}
}

static void
nobody_s_wish_is_where_it_starts(void **state)
{
	static const struct row rows[] = {
		{{60000}, {{0}}, 60000},
		{{60000, 144000, 24000}, {{0}}, 60000},
		{{24000, 144000, 60000}, {{0}}, 24000},
		{{60000}, {FIXED(24)}, 60000},
		{{60000}, {DEFAULT(144)}, 60000},
	};

	expect(rows, KR_ARRAY_LEN(rows));
}

static void
a_fixed_source_has_its_smallest_multiple(void **state)
{
	static const struct row rows[] = {
		{{144000, 120000, 60000}, {FIXED(30)}, 60000},
		{{144000, 60000, 120000}, {FIXED(24)}, 120000},
		{{120000, 144000, 24000, 48000}, {FIXED(24)}, 24000},
		{{60000, 50000}, {FIXED(25)}, 50000},
		{{120000, 60000}, {FIXED(60)}, 60000},
		{{60000, 120000}, {FIXED(120)}, 120000},
		{{60000, 90000, 144000}, {FIXED(1)}, 60000},
	};

	expect(rows, KR_ARRAY_LEN(rows));
}

/* NTSC's rates and those that they came from are as good as each other; the nearer is better. */
static void
a_thousandth_is_no_difference(void **state)
{
	static const struct row rows[] = {
		{{60000, 24000}, {FIXED(23.976)}, 24000},
		{{60000, 24000}, {FIXED(24000.0 / 1001)}, 24000},
		{{60000, 23976}, {FIXED(24)}, 23976},
		{{60000, 24000, 23976}, {FIXED(23.976)}, 23976},
		{{60000, 24000, 23976}, {FIXED(24000.0 / 1001)}, 23976},
		{{60000, 23976, 24000}, {FIXED(24)}, 24000},
		{{50000, 120000}, {FIXED(23.976)}, 120000},
		{{50000, 119880}, {FIXED(24)}, 119880},
		{{50000, 60000}, {FIXED(59.94)}, 60000},
		{{50000, 60000}, {FIXED(60000.0 / 1001)}, 60000},
		{{50000, 60000}, {FIXED(30000.0 / 1001)}, 60000},
		{{60000, 59940}, {FIXED(29.97)}, 59940},
		{{60000, 59940}, {FIXED(30)}, 60000},
		/* What is a little less than the wish is at least it. */
		{{59940, 144000}, {DEFAULT(60)}, 59940},
		/* What is less by more isn't. */
		{{59800, 61000}, {DEFAULT(60)}, 61000},
	};

	expect(rows, KR_ARRAY_LEN(rows));
}

static void
without_a_multiple_there_is_least_judder(void **state)
{
	static const struct row rows[] = {
		/* 3:2 or nearly 2:2. */
		{{60000, 50000}, {FIXED(24)}, 50000},
		{{60000, 144000}, {FIXED(25)}, 144000},
		{{60000, 24100}, {FIXED(24)}, 24100},
		/* Every second frame is lost, or every fifth. */
		{{30000, 48000}, {FIXED(60)}, 48000},
		{{48000, 30000}, {FIXED(60)}, 48000},
	};

	expect(rows, KR_ARRAY_LEN(rows));
}

static void
default_is_happy_with_more(void **state)
{
	static const struct row rows[] = {
		{{60000, 120000, 30000}, {DEFAULT(30)}, 60000},
		{{30000, 120000, 60000}, {DEFAULT(30)}, 30000},
		/* A multiple is better, the higher where there are two. */
		{{144000, 60000, 120000}, {DEFAULT(30)}, 120000},
		{{144000, 120000, 60000}, {DEFAULT(30)}, 120000},
		{{60000, 50000}, {DEFAULT(50)}, 50000},
		{{60000, 50000}, {DEFAULT(25)}, 50000},
		/* Where there is none a larger one, and where none is as large the largest. */
		{{48000, 72000}, {DEFAULT(50)}, 72000},
		{{24000, 144000, 60000}, {DEFAULT(240)}, 144000},
	};

	expect(rows, KR_ARRAY_LEN(rows));
}

static void
several_have_what_is_good_for_most(void **state)
{
	static const struct row rows[] = {
		/* 24 and 30 meet in 120. */
		{{60000, 48000, 120000, 240000}, {FIXED(24), FIXED(30)}, 120000},
		{{60000, 24000}, {FIXED(24), DEFAULT(60)}, 60000},
		{{60000, 24000, 120000}, {FIXED(24), DEFAULT(60)}, 120000},
		/* Two of three; it is the number that counts, not who asked first. */
		{{60000, 48000, 50000}, {FIXED(25), FIXED(24), FIXED(24)}, 48000},
		{{60000, 48000, 50000}, {FIXED(25), FIXED(24), FIXED(50)}, 50000},
		/* One each: the other has the least judder. */
		{{60000, 48000, 50000}, {FIXED(25), FIXED(24)}, 50000},
		{{60000, 48000, 24000}, {DEFAULT(60), FIXED(24)}, 60000},
		{{144000, 60000, 120000}, {DEFAULT(60), DEFAULT(40), DEFAULT(30)}, 120000},
	};

	expect(rows, KR_ARRAY_LEN(rows));
}

/* The order of rates says no more than where to start. */
static void
order_makes_no_difference_but_for_the_first(void **state)
{
	static const struct kr_frame_rate wishes[] = {FIXED(24), DEFAULT(50), FIXED(30), FIXED(144),
		DEFAULT(90), FIXED(59.94), DEFAULT(1), FIXED(1000)};
	const uint32_t up[] = {60000, 24000, 48000, 50000, 72000, 90000, 120000, 144000};
	const uint32_t down[] = {60000, 144000, 120000, 90000, 72000, 50000, 48000, 24000};

	for (unsigned set = 1; set < 1u << KR_ARRAY_LEN(wishes); set++) {
		struct kr_frame_rate all[KR_ARRAY_LEN(wishes)], back[KR_ARRAY_LEN(wishes)];
		unsigned count = 0, a, b;

		for (unsigned i = 0; i < KR_ARRAY_LEN(wishes); i++) {
			if (set >> i & 1)
				all[count++] = wishes[i];
		}
		for (unsigned i = 0; i < count; i++)
			back[i] = all[count - 1 - i];
		a = kr_rate_choose(up, KR_ARRAY_LEN(up), all, count);
		b = kr_rate_choose(down, KR_ARRAY_LEN(down), back, count);
		assert_int_equal(up[a], down[b]);
	}
}

/* Whatever can be a wish (kr_frame_rate_check) has an answer. */
static void
no_wish_is_too_large_or_small(void **state)
{
	const uint32_t rates[] = {60000, 1000000, 1};
	const float hz[] = {1e-45f, 1e-30f, 0.001f, 1e9f, 3e38f};

	for (size_t i = 0; i < KR_ARRAY_LEN(hz); i++) {
		for (int8_t compatibility = 0; compatibility < 2; compatibility++) {
			const struct kr_frame_rate wish = {hz[i], compatibility, 0};

			assert_int_equal(kr_frame_rate_check(&wish), 0);
			assert_true(kr_rate_choose(rates, 3, &wish, 1) < 3);
		}
	}
}

static const struct kr_test tests[] = {
	KR_TEST(nobody_s_wish_is_where_it_starts),
	KR_TEST(a_fixed_source_has_its_smallest_multiple),
	KR_TEST(a_thousandth_is_no_difference),
	KR_TEST(without_a_multiple_there_is_least_judder),
	KR_TEST(default_is_happy_with_more),
	KR_TEST(several_have_what_is_good_for_most),
	KR_TEST(order_makes_no_difference_but_for_the_first),
	KR_TEST(no_wish_is_too_large_or_small),
};
KR_TEST_MAIN(tests)
