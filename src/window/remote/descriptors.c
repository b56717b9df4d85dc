/* SPDX-License-Identifier: Apache-2.0 */
/* See descriptors.h. */
#include "window/remote/descriptors.h"

#include <errno.h>
#include <limits.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "util/fd.h"

/* What the process has beside its connections: files, pipes, libraries; of a small limit a part. */
#define OWN      64u
#define OWN_PART 4
/*
 * Nobody needs more; and what is unread on its way counts against the user's other processes, too.
 */
#define ENOUGH 16384u
/* A producer has no more buffers to be told of. */
#define MOST_UNREAD 64u
/* What the kernel takes for a message in a socket is more: its two headers alone. */
#define LEAST_OF_MESSAGE 256u

/*
 * A connection that ended with something unread. It is there from the beginning:
 * forgetting one is no way out.
 */
struct kr_leaving {
	struct kr_list link;
	struct kr_share share;
	int socket;
};

unsigned
kr_descriptors_limit(void)
{
	struct rlimit limit = {0};

	(void)getrlimit(RLIMIT_NOFILE, &limit);
	return (unsigned)KR_MIN(limit.rlim_cur, (rlim_t)UINT_MAX);
}

void
kr_descriptors_init(struct kr_descriptors *all, unsigned limit, unsigned most)
{
	unsigned room = KR_MIN(limit, ENOUGH);

	room -= KR_MIN(OWN, room / OWN_PART);
	*all = (struct kr_descriptors){0};
	all->connections = KR_MIN(KR_MAX(room / KR_DESCRIPTORS_EACH, 1u), most);
	all->common = room - KR_MIN(room, all->connections * KR_DESCRIPTORS_EACH);
	kr_list_init(&all->leaving);
}

static void
forget(struct kr_leaving *leaving)
{
	kr_share_give(&leaving->share, leaving->share.used);
	leaving->share.all->open--;
	kr_list_remove(&leaving->link);
	kr_fd_close(&leaving->socket);
	free(leaving);
}

void
kr_descriptors_finish(struct kr_descriptors *all)
{
	struct kr_leaving *leaving, *next;

	if (!all->connections)
		return;
	kr_list_for_each_safe (leaving, next, &all->leaving, link)
		forget(leaving);
}

/*
 * The socket says how much memory lies unread, not what: so no more messages do than that has room
 * for. Who is always one message behind has read those before.
 */
static void
look_at_unread(struct kr_share *share, int socket)
{
	unsigned most;
	int queued;

	if (!share->unread || ioctl(socket, SIOCOUTQ, &queued))
		return;
	most = (unsigned)queued / LEAST_OF_MESSAGE;
	if (most >= share->unread)
		return;
	kr_share_give(share, share->unread - most);
	share->unread = most;
}

/* Nothing wakes anybody when they are read: it is looked at when there is a want. */
static void
look_at_leaving(struct kr_descriptors *all)
{
	struct kr_leaving *leaving, *next;

	kr_list_for_each_safe (leaving, next, &all->leaving, link) {
		look_at_unread(&leaving->share, leaving->socket);
		if (!leaving->share.unread)
			forget(leaving);
	}
}

int
kr_share_open(struct kr_share *share, struct kr_descriptors *all)
{
	struct kr_leaving *leaving;

	if (all->open == all->connections)
		look_at_leaving(all);
	if (all->open == all->connections)
		return -EMFILE;
	leaving = calloc(1, sizeof(*leaving));
	if (!leaving)
		return -ENOMEM;
	all->open++;
	*share = (struct kr_share){.all = all, .leaving = leaving, .used = 1};
	return 0;
}

void
kr_share_close(struct kr_share *share, int take_socket)
{
	struct kr_leaving *leaving = share->leaving;

	look_at_unread(share, take_socket);
	if (!share->unread) {
		if (share->all) {
			kr_share_give(share, share->used);
			share->all->open--;
		}
		free(leaving);
		kr_fd_close(&take_socket);
		return;
	}
	shutdown(take_socket, SHUT_RDWR);
	kr_share_give(share, share->used - share->unread - 1);
	leaving->share = *share;
	leaving->socket = take_socket;
	kr_list_append(&share->all->leaving, &leaving->link);
}

static unsigned
beyond(unsigned used)
{
	return used - KR_MIN(used, (unsigned)KR_DESCRIPTORS_EACH);
}

int
kr_share_take(struct kr_share *share, unsigned count)
{
	struct kr_descriptors *all = share->all;
	unsigned more = beyond(share->used + count) - beyond(share->used);

	if (!all)
		return 0;
	if (more > all->common - all->taken)
		look_at_leaving(all);
	if (more > all->common - all->taken)
		return -EMFILE;
	all->taken += more;
	share->used += count;
	return 0;
}

void
kr_share_give(struct kr_share *share, unsigned count)
{
	if (!share->all)
		return;
	share->all->taken -= beyond(share->used) - beyond(share->used - count);
	share->used -= count;
}

unsigned
kr_share_room(struct kr_share *share, int socket)
{
	if (share->all)
		look_at_unread(share, socket);
	return MOST_UNREAD - share->unread;
}

int
kr_share_send(struct kr_share *share, int socket)
{
	int err;

	if (!share->all)
		return 0;
	if (!kr_share_room(share, socket))
		return -EMFILE;
	err = kr_share_take(share, 1);
	if (!err)
		share->unread++;
	return err;
}
