/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unfinished merges and their inputs: made, found, watched, given up, and what events do to them.
 *
 * An input that has signalled is no longer watched but stays open: its points are read when its
 * merges end. The first that has failed ends them (S-03), as does the last that has signalled. A
 * hangup of the producer end says that nobody holds the merged fence any more.
 */
#include "sync/merge/list.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "sync/fence/fence.h"
#include "sync/fence/producers.h"
#include "sync/fence/status.h"
#include "sync/fence/user_fence.h"
#include "util/fd.h"

static void
use_input(struct kr_sync_merge *merge, struct kr_sync_use *use, struct kr_sync_input *input)
{
	use->merge = merge;
	use->input = input;
	kr_list_append(&input->uses, &use->link);
	merge->open++;
}

int
kr_sync_merge_create(const char *name, const struct kr_sync_inputs *inputs,
	const struct kr_sync_merge_handlers *handlers, int take_producer,
	struct kr_sync_merge **out)
{
	struct kr_sync_merge *merge =
		calloc(1, sizeof(*merge) + inputs->count * sizeof(merge->uses[0]));

	if (!merge)
		return -ENOMEM;
	merge->source.handle_locked = handlers->producer;
	merge->producer = take_producer;
	merge->count = inputs->count;
	kr_list_init(&merge->link);
	kr_sync_text_copy(merge->name, name);
	for (unsigned i = 0; i < inputs->count; i++)
		use_input(merge, &merge->uses[i], inputs->list[i]);
	*out = merge;
	return 0;
}

/*
 * An fd leaves the set before it is closed: it is a duplicate, and closing it wouldn't remove it.
 */
void
kr_sync_input_destroy(struct kr_sync_input *input, int epoll)
{
	if (input->watched && epoll >= 0)
		epoll_ctl(epoll, EPOLL_CTL_DEL, input->fd, NULL);
	kr_fd_close(&input->fd);
	free(input);
}

void
kr_sync_merge_destroy(struct kr_sync_merge *merge, int epoll)
{
	for (unsigned i = 0; i < merge->count; i++) {
		struct kr_sync_input *input = merge->uses[i].input;

		kr_list_remove(&merge->uses[i].link);
		if (kr_list_empty(&input->uses))
			kr_sync_input_destroy(input, epoll);
	}
	if (merge->producer >= 0)
		kr_sync_producers_close(merge->producer);
	free(merge);
}

struct kr_sync_merge *
kr_sync_merge_find(const struct kr_list *pending, int fd)
{
	struct kr_sync_merge *merge;
	uint64_t cookie = kr_list_empty(pending) ? 0 : kr_sync_user_cookie(fd);

	if (!cookie)
		return NULL;
	kr_list_for_each (merge, pending, link) {
		if (merge->cookie == cookie)
			return merge;
	}
	return NULL;
}

int
kr_sync_merge_watch_producer(struct kr_sync_merge *merge, int epoll)
{
	struct epoll_event event = {.events = 0, .data.ptr = &merge->source};

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, merge->producer, &event))
		return -errno;
	merge->watched = true;
	return 0;
}

int
kr_sync_merge_watch_inputs(struct kr_sync_merge *merge, int epoll)
{
	for (unsigned i = 0; i < merge->count; i++) {
		struct kr_sync_input *input = merge->uses[i].input;
		struct epoll_event event = {.events = EPOLLIN, .data.ptr = &input->source};

		if (input->watched)
			continue;
		if (epoll_ctl(epoll, EPOLL_CTL_ADD, input->fd, &event))
			return -errno;
		input->watched = true;
	}
	return 0;
}

void
kr_sync_merge_end(struct kr_sync_merge *merge, int32_t status, int epoll, struct kr_list *ended)
{
	if (merge->watched)
		epoll_ctl(epoll, EPOLL_CTL_DEL, merge->producer, NULL);
	merge->watched = false;
	merge->over = true;
	merge->status = status;
	kr_list_remove(&merge->link);
	kr_list_append(ended, &merge->link);
}

static void
end_users(struct kr_sync_input *input, int32_t status, int epoll, struct kr_list *ended)
{
	struct kr_sync_use *use;

	kr_list_for_each (use, &input->uses, link) {
		struct kr_sync_merge *merge = use->merge;

		if (merge->over)
			continue;
		if (status < 0)
			kr_sync_merge_end(merge, status, epoll, ended);
		else if (--merge->open == 0)
			kr_sync_merge_end(merge, KR_FENCE_SIGNALLED, epoll, ended);
	}
}

/* An event of what is no longer watched is stale. */
void
kr_sync_merge_handle_input(struct kr_sync_source *source, int epoll, struct kr_list *ended)
{
	struct kr_sync_input *input = kr_container_of(source, struct kr_sync_input, source);
	int32_t status;

	if (!input->watched)
		return;
	if (kr_sync_status_ready(input->fd, &status))
		status = -EINVAL;
	if (status == KR_FENCE_ACTIVE)
		return;
	epoll_ctl(epoll, EPOLL_CTL_DEL, input->fd, NULL);
	input->watched = false;
	input->done = status > 0;
	end_users(input, status, epoll, ended);
}

void
kr_sync_merge_handle_producer(struct kr_sync_source *source, int epoll, struct kr_list *ended)
{
	struct kr_sync_merge *merge = kr_container_of(source, struct kr_sync_merge, source);

	if (merge->watched)
		kr_sync_merge_end(merge, 0, epoll, ended);
}
