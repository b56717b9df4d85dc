/* SPDX-License-Identifier: Apache-2.0 */
/* See output.h. */
#include "composer/output/output.h"

#include <errno.h>
#include <stddef.h>

#include "sync/merge/merge.h"
#include "util/fd.h"
#include "util/log.h"

bool
kr_pictures_have(const struct kr_pictures *pictures, uint64_t number)
{
	return pictures->every && number >= pictures->from &&
		(number - pictures->from) % pictures->every == 0;
}

static uint64_t
greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

struct kr_pictures
kr_pictures_join(const struct kr_pictures *a, const struct kr_pictures *b)
{
	uint64_t first, later;

	if (!a->every)
		return *b;
	if (!b->every)
		return *a;
	first = KR_MIN(a->from, b->from);
	later = KR_MAX(a->from, b->from);
	return (struct kr_pictures){
		.from = first,
		.every = greatest_divisor(greatest_divisor(a->every, b->every), later - first),
	};
}

struct kr_pictures
kr_display_outputs_wanted(const struct kr_display_outputs *outputs)
{
	struct kr_pictures wanted = {0};

	for (unsigned i = 0; i < outputs->count; i++) {
		if (!outputs->items[i]->lost)
			wanted = kr_pictures_join(&wanted, &outputs->items[i]->wanted);
	}
	return wanted;
}

int
kr_display_outputs_add(struct kr_display_outputs *outputs, struct kr_display_output *output)
{
	if (outputs->count == KR_DISPLAY_MAX_OUTPUTS)
		return -ENOSPC;
	outputs->items[outputs->count++] = output;
	return 0;
}

static bool
is_shown(const struct kr_display_output *output, uint64_t number)
{
	return !output->lost && kr_pictures_have(&output->wanted, number);
}

int
kr_display_outputs_show(
	const struct kr_display_outputs *outputs, const struct kr_composed_frame *frame)
{
	for (unsigned i = 0; i < outputs->count; i++) {
		struct kr_display_output *output = outputs->items[i];
		int err = 0;

		if (is_shown(output, frame->number))
			err = output->impl->show(output, frame);
		if (err < 0 && !output->impl->slow_ok)
			return err;
		output->lost |= err < 0;
	}
	return 0;
}

unsigned
kr_display_outputs_poll(
	const struct kr_display_outputs *outputs, struct pollfd fds[KR_DISPLAY_OUTPUTS_POLL])
{
	unsigned count = 0;

	for (unsigned i = 0; i < outputs->count; i++) {
		struct kr_display_output *output = outputs->items[i];

		if (!output->lost && output->impl->poll_fds)
			count += output->impl->poll_fds(output, fds + count);
	}
	return count;
}

struct kr_display_output *
kr_display_outputs_dispatch(const struct kr_display_outputs *outputs)
{
	struct kr_display_output *closed = NULL;

	for (unsigned i = 0; i < outputs->count; i++) {
		struct kr_display_output *output = outputs->items[i];
		struct kr_display_output_events events = {0};

		if (output->lost || !output->impl->dispatch)
			continue;
		output->lost = output->impl->dispatch(output, &events) < 0;
		if (events.closed && !closed)
			closed = output;
	}
	return closed;
}

/* The later of both, which are taken. */
static int
join_fences(int take_a, int take_b)
{
	int both = -1, err;

	if (take_a < 0 || take_b < 0)
		return take_a < 0 ? take_b : take_a;
	err = kr_fence_merge("shown", take_a, take_b, &both);
	if (err < 0)
		kr_warn("display: no fence of two outputs together (error %d)", -err);
	kr_fd_close(&take_a);
	kr_fd_close(&take_b);
	return both;
}

int
kr_display_outputs_shown_fence(const struct kr_display_outputs *outputs, uint64_t number)
{
	int fence = -1;

	for (unsigned i = 0; i < outputs->count; i++) {
		struct kr_display_output *output = outputs->items[i];

		if (is_shown(output, number) && output->impl->shown_fence && !output->impl->slow_ok)
			fence = join_fences(fence, output->impl->shown_fence(output, number));
	}
	return fence;
}

int
kr_display_outputs_shown_time(
	const struct kr_display_outputs *outputs, uint64_t number, int64_t *time_ns)
{
	bool silent = false, others = false, any = false;
	int ret = -ENOENT;

	for (unsigned i = 0; i < outputs->count; i++) {
		struct kr_display_output *output = outputs->items[i];
		int64_t at = 0;
		int err;

		if (!is_shown(output, number))
			continue;
		others |= !output->impl->shown_time;
		if (!output->impl->shown_time)
			continue;
		any = true;
		err = output->impl->shown_time(output, number, &at);
		silent |= err == -EAGAIN;
		if (!err && (ret || at < *time_ns))
			*time_ns = at;
		ret = err ? ret : 0;
	}
	if (!ret)
		return 0;
	if (silent)
		return -EAGAIN;
	return any && !others ? -ENOENT : -EOPNOTSUPP;
}
