/* SPDX-License-Identifier: Apache-2.0 */
/* See notice.h. */
#include "window/queue/notice.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "util/fd.h"

struct kr_notice_ring {
	int fd; /* eventfd: 1 while there are notices */
	uint32_t kinds;
	uint64_t tickets;
	uint64_t lost; /* since somebody was told */
	uint32_t first;
	uint32_t count;
	struct kr_notice notices[KR_NOTICE_RING];
};

int
kr_notice_ring_create(uint32_t kinds, struct kr_notice_ring **ring)
{
	struct kr_notice_ring *made = calloc(1, sizeof(*made));
	int err;

	if (!made)
		return -ENOMEM;
	made->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (made->fd < 0) {
		err = -errno;
		free(made);
		return err;
	}
	made->kinds = kinds;
	*ring = made;
	return 0;
}

void
kr_notice_ring_destroy(struct kr_notice_ring *ring)
{
	if (!ring)
		return;
	kr_fd_close(&ring->fd);
	free(ring);
}

void
kr_notice_ring_want(struct kr_notice_ring *ring, uint32_t kinds)
{
	ring->kinds = kinds;
}

bool
kr_notice_ring_wants(const struct kr_notice_ring *ring, enum kr_notice_kind kind)
{
	return ring && ring->kinds >> kind & 1;
}

bool
kr_notice_ring_has(const struct kr_notice_ring *ring)
{
	return ring && (ring->count || ring->lost);
}

void
kr_notice_ring_push(struct kr_notice_ring *ring, const struct kr_notice *notice)
{
	bool had = kr_notice_ring_has(ring);
	struct kr_notice *place;

	if (!kr_notice_ring_wants(ring, notice->kind))
		return;
	if (ring->count == KR_NOTICE_RING) {
		ring->first = (ring->first + 1) % KR_NOTICE_RING;
		ring->count--;
		ring->lost++;
	}
	place = &ring->notices[(ring->first + ring->count++) % KR_NOTICE_RING];
	*place = *notice;
	place->ticket = ++ring->tickets;
	/* It can't be full: it is 1 at most. */
	if (!had && eventfd_write(ring->fd, 1))
		return;
}

static void
take_oldest(struct kr_notice_ring *ring, struct kr_notice *notice)
{
	if (ring->lost) {
		*notice = (struct kr_notice){
			.kind = KR_NOTICE_LOST,
			.ticket =
				ring->count ? ring->notices[ring->first].ticket - 1 : ring->tickets,
			.other = ring->lost,
		};
		ring->lost = 0;
		return;
	}
	*notice = ring->notices[ring->first];
	ring->first = (ring->first + 1) % KR_NOTICE_RING;
	ring->count--;
}

int
kr_notice_ring_pop(struct kr_notice_ring *ring, struct kr_notice *notice)
{
	eventfd_t one;

	if (!kr_notice_ring_has(ring))
		return -EAGAIN;
	take_oldest(ring, notice);
	/* Who polls is done; that it was readable is certain. */
	if (!kr_notice_ring_has(ring) && eventfd_read(ring->fd, &one))
		one = 0;
	return 0;
}

int
kr_notice_ring_fd(const struct kr_notice_ring *ring)
{
	return ring->fd;
}
