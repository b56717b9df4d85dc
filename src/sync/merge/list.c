/* SPDX-License-Identifier: Apache-2.0 */
/* Unfinished merges and their inputs: made, found, given up. */
#include "sync/merge/list.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "sync/fence/producers.h"
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

/* An fd leaves the epoll set before it is closed: it is a duplicate, and closing it wouldn't remove it. */
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
