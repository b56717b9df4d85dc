/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the pictures of a display are in time: numbered places, a period apart. A grid that gets
 * another period goes on from one of its places, so that no number and no time comes twice.
 *
 *     number   0     1     2     3  4  5
 *     time     |     |     |     |  |  |      3 is where it has changed
 *
 * Real clock: the vertical blanks, counted from when the display ran. Virtual clock: its pictures,
 * of which 1 is at 0.
 */
#ifndef KR_COMPOSER_GRID_H
#define KR_COMPOSER_GRID_H

#include <stdint.h>

struct kr_grid {
	uint64_t from; /* a place, and when it is */
	int64_t from_ns;
	int64_t period_ns;
};

/* Of a place from `from` on. Later than any time there is: INT64_MAX. */
static inline int64_t
kr_grid_at(const struct kr_grid *grid, uint64_t number)
{
	int64_t since, at;

	if (__builtin_mul_overflow((int64_t)(number - grid->from), grid->period_ns, &since) ||
		__builtin_add_overflow(grid->from_ns, since, &at))
		return INT64_MAX;
	return at;
}

/* The last place that isn't after a time, which isn't before `from_ns`. */
static inline uint64_t
kr_grid_last(const struct kr_grid *grid, int64_t time_ns)
{
	return grid->from + (uint64_t)((time_ns - grid->from_ns) / grid->period_ns);
}

/* When the first place is that isn't before it. */
static inline int64_t
kr_grid_next(const struct kr_grid *grid, int64_t time_ns)
{
	uint64_t last = kr_grid_last(grid, time_ns);
	int64_t at = kr_grid_at(grid, last);

	return at < time_ns ? kr_grid_at(grid, last + 1) : at;
}

/* Places after that one are as far apart as that. */
static inline void
kr_grid_change(struct kr_grid *grid, uint64_t number, int64_t period_ns)
{
	*grid = (struct kr_grid){number, kr_grid_at(grid, number), period_ns};
}

#endif
