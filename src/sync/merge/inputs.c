/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which inputs a new merge has.
 *
 * Problem: programs merge what they have with one fence more, again and again, and let go of what
 * they had. If each merge waited for the one before it, none could be let go of before all is over.
 *
 * Idea: a merge of merges waits for the points themselves. An inner merge of this process stands
 * for its inputs that are still active, which both then share; so it can be given up without any
 * trace, and its points that have signalled are told no more, as the kernel's merge does it.
 *
 * A merge has KR_SYNC_MAX_INPUTS of them at most. When there would be more, points of one
 * timeline of this process become the latest of them: it signals after the others (S-11). Each
 * keeps an input of its own as long as there is room, because a point that fails alone makes
 * the merge an error (S-03), which the later one doesn't know. When that isn't enough, the
 * inner merges are the inputs.
 */
#include "sync/merge/list.h"

#include <errno.h>
#include <stdlib.h>

#include "sync/fence/fence.h"
#include "sync/fence/status.h"
#include "sync/fence/user_fence.h"
#include "util/fd.h"

/* The same fence again, on whatever descriptor: once is enough. */
static bool
has_cookie(const struct kr_sync_inputs *inputs, uint64_t cookie)
{
	for (unsigned i = 0; cookie && i < inputs->count; i++) {
		if (inputs->list[i]->cookie == cookie)
			return true;
	}
	return false;
}

static int
add_new(struct kr_sync_inputs *inputs, const struct kr_sync_merge_handlers *handlers, int fd)
{
	uint64_t cookie = kr_sync_user_cookie(fd);
	struct kr_sync_input *input;
	int err;

	if (has_cookie(inputs, cookie))
		return 0;
	input = calloc(1, sizeof(*input));
	if (!input)
		return -ENOMEM;
	kr_list_init(&input->uses);
	input->source.handle_locked = handlers->input;
	err = kr_fd_dup(fd, &input->fd);
	if (err) {
		free(input);
		return err;
	}
	input->cookie = cookie;
	if (!kr_own_points_find(cookie, &input->point))
		input->point = (struct kr_own_point){0};
	inputs->list[inputs->count++] = input;
	return 0;
}

static bool
has_input(const struct kr_sync_inputs *inputs, const struct kr_sync_input *input)
{
	for (unsigned i = 0; i < inputs->count; i++) {
		if (inputs->list[i] == input)
			return true;
	}
	return has_cookie(inputs, input->cookie);
}

static bool
has_signalled(const struct kr_sync_input *input)
{
	int32_t status;

	return input->done || (!kr_sync_status(input->fd, &status) && status == KR_FENCE_SIGNALLED);
}

/* How many of them are left to wait for: none when the merge is about to signal. */
static unsigned
add_inner(struct kr_sync_inputs *inputs, const struct kr_sync_merge *inner)
{
	unsigned active = 0;

	for (unsigned i = 0; i < inner->count; i++) {
		struct kr_sync_input *input = inner->uses[i].input;

		if (has_signalled(input))
			continue;
		active++;
		if (!has_input(inputs, input))
			inputs->list[inputs->count++] = input;
	}
	return active;
}

static int
add(struct kr_sync_inputs *inputs, const struct kr_list *pending,
	const struct kr_sync_merge_handlers *handlers, int fd)
{
	const struct kr_sync_merge *inner = pending ? kr_sync_merge_find(pending, fd) : NULL;

	if (fd < 0 || (inner && add_inner(inputs, inner)))
		return 0;
	return add_new(inputs, handlers, fd);
}

static bool
is_same_timeline(const struct kr_sync_input *a, const struct kr_sync_input *b)
{
	return a->point.timeline && a->point.timeline == b->point.timeline;
}

/* Leaves the latest point of each timeline. */
static void
collapse(struct kr_sync_inputs *inputs)
{
	struct kr_sync_inputs kept = {0}, dropped = {0};

	for (unsigned i = 0; i < inputs->count; i++) {
		struct kr_sync_input *input = inputs->list[i];
		unsigned at = 0;

		while (at < kept.count && !is_same_timeline(kept.list[at], input))
			at++;
		if (at == kept.count) {
			kept.list[kept.count++] = input;
			continue;
		}
		if (kept.list[at]->point.value < input->point.value) {
			struct kr_sync_input *earlier = kept.list[at];

			kept.list[at] = input;
			input = earlier;
		}
		dropped.list[dropped.count++] = input;
	}
	kr_sync_inputs_drop(&dropped);
	*inputs = kept;
}

static int
find(struct kr_sync_inputs *inputs, const struct kr_list *pending,
	const struct kr_sync_merge_handlers *handlers, int fd1, int fd2)
{
	int err;

	inputs->count = 0;
	err = add(inputs, pending, handlers, fd1);
	if (!err)
		err = add(inputs, pending, handlers, fd2);
	if (err)
		kr_sync_inputs_drop(inputs);
	return err;
}

int
kr_sync_inputs_find(struct kr_sync_inputs *inputs, const struct kr_list *pending,
	const struct kr_sync_merge_handlers *handlers, int fd1, int fd2)
{
	int err = find(inputs, pending, handlers, fd1, fd2);

	if (err || inputs->count <= KR_SYNC_MAX_INPUTS)
		return err;
	collapse(inputs);
	if (inputs->count <= KR_SYNC_MAX_INPUTS)
		return 0;
	kr_sync_inputs_drop(inputs);
	return find(inputs, NULL, handlers, fd1, fd2);
}

void
kr_sync_inputs_drop(struct kr_sync_inputs *inputs)
{
	for (unsigned i = 0; i < inputs->count; i++) {
		if (kr_list_empty(&inputs->list[i]->uses))
			kr_sync_input_destroy(inputs->list[i], -1);
	}
	inputs->count = 0;
}
