/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the state of user-space fences, in two ways.
 *
 * The status comes from the length of what is queued. Nothing is received for it: receiving takes a
 * lock of the socket, which another holder of the description can keep for as long as he likes (he
 * receives into memory whose page fault he serves himself), and heeds a peek offset, which he can
 * set. Asking whether something is there, and how much, does neither.
 *
 * Names, points and time are received, with MSG_PEEK. That is for fences that this process made,
 * whose description a client has no part in, and for those who ask about a fence of their own.
 *
 * All of it comes from another process: all of it is checked.
 */
#include "sync/fence/user_fence.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "sync/fence/packet.h"
#include "util/clock.h"
#include "util/fd.h"

#define PEEK_TRIES 2

static int
option(int fd, int name)
{
	int value = 0;
	socklen_t len = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &len) ? -1 : value;
}

/*
 * The lock can be set by anybody, on a socket of his own: which then is a fence that he produces.
 */
static bool
is_fence(int fd)
{
	return option(fd, SO_TYPE) == SOCK_SEQPACKET && option(fd, SO_LOCK_FILTER) == 1;
}

int32_t
kr_sync_user_status_of_length(size_t len)
{
	size_t points = len - sizeof(struct kr_sync_packet_head);

	if (len > KR_SYNC_FAILED_LEN && len <= KR_SYNC_FAILED_LEN + KR_SYNC_MAX_ERRNO)
		return -(int32_t)(len - KR_SYNC_FAILED_LEN);
	if (len >= sizeof(struct kr_sync_packet_head) &&
		points <= KR_SYNC_MAX_POINTS * sizeof(struct sync_fence_info) &&
		points % sizeof(struct sync_fence_info) == 0)
		return KR_FENCE_SIGNALLED;
	return -EOWNERDEAD;
}

/*
 * 0, -ENOTSOCK, -EINVAL. Of a local socket the mark answers for the rest, until somebody changes
 * it. The family is asked as well: TCP takes the mark, too, and asking a TCP socket for what is
 * queued, or for its peer, waits for who receives from it, which can be for ever.
 */
static int
check_kind(int fd)
{
	int value = 0;
	socklen_t len = sizeof(value);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &value, &len))
		return errno == ENOTSOCK || errno == EBADF ? -ENOTSOCK : -EINVAL;
	if (value != AF_UNIX)
		return -EINVAL;
	if (option(fd, SO_PEEK_OFF) == KR_SYNC_PEEK_MARK)
		return 0;
	return is_fence(fd) ? 0 : -EINVAL;
}

static bool
is_ready(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return kr_fd_poll(&p, 1, 0) > 0;
}

/* Of a fence that is ready. */
static int32_t
queued_status(int fd)
{
	int len = 0;

	if (ioctl(fd, SIOCINQ, &len) || len <= 0)
		return -EOWNERDEAD; /* end-of-file */
	return kr_sync_user_status_of_length((size_t)len);
}

int
kr_sync_user_status(int fd, int32_t *status)
{
	int err = check_kind(fd);

	if (err)
		return err;
	*status = is_ready(fd) ? queued_status(fd) : KR_FENCE_ACTIVE;
	if (*status != KR_FENCE_ACTIVE)
		atomic_load_explicit(&kr_sync_order, memory_order_acquire);
	return 0;
}

bool
kr_sync_user_is_active(int fd)
{
	return option(fd, SO_PEEK_OFF) == KR_SYNC_PEEK_MARK && !is_ready(fd);
}

static bool
is_packet(const struct kr_sync_packet_head *head, ssize_t len)
{
	return len >= (ssize_t)sizeof(*head) && head->magic == KR_SYNC_MAGIC &&
		head->version == KR_SYNC_VERSION && head->n_points <= KR_SYNC_MAX_POINTS &&
		(size_t)len >= sizeof(*head) + head->n_points * sizeof(struct sync_fence_info);
}

/*
 * The packet of a fence that is done; false when there is none that is worth reading. A peek offset
 * hides it, or its beginning: what is no packet is read again with the mark put back.
 */
static bool
receive(int fd, struct kr_sync_packet *packet)
{
	int mark = KR_SYNC_PEEK_MARK;

	for (int attempt = 0; attempt < PEEK_TRIES; attempt++) {
		ssize_t len =
			recv(fd, packet, sizeof(*packet), MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC);

		if (len > 0 && is_packet(&packet->head, len))
			return true;
		if (setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &mark, sizeof(mark)))
			return false;
	}
	return false;
}

/* Names that end, statuses that exist, times that have been. */
static void
take_point(struct sync_fence_info *out, const struct sync_fence_info *in, int64_t now)
{
	char text[KR_SYNC_TEXT];
	bool known = in->status == 0 || in->status == 1 ||
		(in->status < 0 && in->status >= -KR_SYNC_MAX_ERRNO);

	memset(out, 0, sizeof(*out));
	memcpy(text, in->obj_name, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	kr_sync_text_copy(out->obj_name, text);
	memcpy(text, in->driver_name, sizeof(text) - 1);
	kr_sync_text_copy(out->driver_name, text);
	out->status = known ? in->status : -EOWNERDEAD;
	if (in->status)
		out->timestamp_ns = KR_MIN(in->timestamp_ns, (uint64_t)now);
}

/* The newest name that the sockets carry, and the fence's own point. */
static void
read_label(int fd, struct kr_sync_points *points, bool point_wanted)
{
	struct sync_fence_info *point = &points->point[0];
	struct kr_sync_name name = {0};
	bool named = kr_sync_name_peer(fd, KR_SYNC_NAME_FENCE, &name);

	if (point_wanted) {
		memset(point, 0, sizeof(*point));
		kr_sync_text_copy(point->obj_name, named ? name.timeline : "krafla");
		kr_sync_text_copy(point->driver_name, "krafla");
		point->status = points->status;
		point->timestamp_ns = (uint64_t)points->timestamp;
		points->count = 1;
	}
	if (kr_sync_name_own(fd, KR_SYNC_NAME_RENAME, &name) || (named && !points->name[0]))
		kr_sync_text_copy(points->name, name.name);
}

pid_t
kr_sync_user_owner(int fd)
{
	struct ucred cred = {0};
	socklen_t len = sizeof(cred);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) ? 0 : cred.pid;
}

int
kr_sync_user_read(int fd, bool careful, struct kr_sync_points *points)
{
	struct kr_sync_packet packet;
	int64_t now = kr_clock_now();
	int32_t status;
	int err = kr_sync_user_status(fd, &status);

	if (err)
		return err;
	memset(&packet.head, 0, sizeof(packet.head));
	if (status == KR_FENCE_ACTIVE) {
		now = 0;
	} else if (careful && kr_sync_user_owner(fd) != getpid()) {
		packet.head.timestamp = now;
	} else if (!receive(fd, &packet) || packet.head.status != status) {
		memset(&packet.head, 0, sizeof(packet.head)); /* whatever it was, it says nothing */
	}
	packet.head.name[KR_SYNC_TEXT - 1] = '\0';
	kr_sync_points_init(points, packet.head.name);
	points->status = status;
	points->timestamp = KR_MAX(0, KR_MIN(packet.head.timestamp, now));
	points->count = packet.head.n_points;
	for (uint32_t i = 0; i < points->count; i++)
		take_point(&points->point[i], &packet.point[i], now);
	read_label(fd, points, points->count == 0);
	return 0;
}

uint64_t
kr_sync_user_cookie(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) ? 0 : cookie;
}
