/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Giving a driver of this system: see parcel.h. A store raises limits and has children, which the
 * command must not find; so a child makes it, sends what it gives over a socket, and ends. What it
 * gave stays whole without it.
 *
 *   child: package -> generation, or manifest -> tree --> socket --> this process --> command
 */
#include "tools/deliver/parcel.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/store/store.h"
#include "tools/command/command.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "wire/packet.h"

#define TOO_MANY                                                                                   \
	"too many file descriptors of this user are on their way between processes: end one that " \
	"doesn't read what it is sent, or raise the limit of descriptors (ulimit -n)"
/* A slow disk may have 200 MB to copy. */
#define GIVE_LIMIT_NS (120 * KR_NSEC_PER_SEC)

/* What comes with descriptors. */
struct answer {
	int32_t error;
	uint32_t kind;
	char reason[1024];
};

/* --- the child --- */

static void
send_answer(int socket, int error, const char *reason, const struct kr_given *given)
{
	struct answer answer = {.error = error, .kind = given ? given->kind : KR_DELIVERY_NONE};

	snprintf(answer.reason, sizeof(answer.reason), "%s", reason ? reason : "");
	if (given) {
		answer.error =
			kr_packet_send(socket, &answer, sizeof(answer), given->fds, given->count);
		if (!answer.error)
			return;
		answer.kind = KR_DELIVERY_NONE;
	}
	/* Then nobody is left who could be told. */
	if (kr_packet_send(socket, &answer, sizeof(answer), NULL, 0))
		_exit(EXIT_FAILURE);
}

/*
 * Copies are waited for here, not in kr_generation_give, which has less patience with a slow disk.
 */
static int
give_generation(struct kr_generation *generation, bool strict, struct kr_given *given)
{
	struct pollfd copied = {.fd = -1, .events = POLLIN};
	int err = kr_generation_prepare(generation, strict, &copied.fd);

	if (!err && copied.fd >= 0)
		err = KR_MIN(kr_fd_poll(&copied, 1, kr_clock_now() + GIVE_LIMIT_NS), 0);
	return err ? err : kr_generation_give(generation, strict, given);
}

static void
give_package(int socket, struct kr_store *store, struct kr_parcel *parcel, bool strict)
{
	struct kr_generation *generation;
	struct kr_given given = {0};
	char *reason = NULL;
	int err = kr_generation_create(store, parcel->package, parcel->name, &generation, &reason);

	if (!err) {
		parcel->package = NULL;
		err = give_generation(generation, strict, &given);
	}
	send_answer(socket, err, reason, err ? NULL : &given);
}

static void
give_manifest(int socket, struct kr_store *store, const char *manifest)
{
	struct kr_given given = {0};
	struct kr_tree *tree;
	int err = kr_tree_create(store, "delivered", &tree);

	if (!err)
		err = kr_tree_put(tree, KR_PARCEL_MANIFEST, manifest, strlen(manifest));
	if (!err)
		err = kr_tree_give(tree, &given);
	send_answer(socket, err, NULL, err ? NULL : &given);
}

/* Ends without tidying up: all that it has made ends with it. */
static void
run_child(int socket, struct kr_parcel *parcel, const char *manifest, bool strict)
{
	struct kr_log_hold hold;
	struct kr_store *store;
	char *reason = NULL;
	int err;

	/* What is beyond RLIMIT_FSIZE is an error that can be told. */
	signal(SIGXFSZ, SIG_IGN);
	/* That mounts can't be had was told when it was the driver's turn. */
	if (manifest)
		kr_log_mute_begin(&hold);
	err = kr_store_create(KR_DELIVER_AUTO, &store, &reason);
	if (err)
		send_answer(socket, err, reason, NULL);
	else if (manifest)
		give_manifest(socket, store, manifest);
	else
		give_package(socket, store, parcel, strict);
	_exit(EXIT_SUCCESS);
}

/* --- who waits for it --- */

/* The child's one answer. 0, its error or -errno. */
static int
receive(int socket, struct answer *answer, int *fds, size_t *count)
{
	int64_t deadline = kr_clock_now() + GIVE_LIMIT_NS;
	struct pollfd ready = {.fd = socket, .events = POLLIN};
	size_t size = 0;
	int n = kr_fd_poll(&ready, 1, deadline), err;

	if (n <= 0)
		return n ? n : -ETIMEDOUT;
	err = kr_packet_receive(
		socket, answer, sizeof(*answer), &size, fds, KR_INDEX_MAX_FILES + 1, count);
	if (err)
		return err;
	answer->reason[sizeof(answer->reason) - 1] = '\0';
	return size == sizeof(*answer) ? answer->error : -EPROTO;
}

static int
give(struct kr_parcel *parcel, const char *manifest, bool strict, struct answer *answer, int *fds,
	size_t *count)
{
	int sockets[2], err;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	child = fork();
	if (child == 0) {
		kr_fd_close(&sockets[0]);
		run_child(sockets[1], parcel, manifest, strict);
	}
	err = child < 0 ? -errno : 0;
	kr_fd_close(&sockets[1]);
	if (!err)
		err = receive(sockets[0], answer, fds, count);
	kr_fd_close(&sockets[0]);
	if (child > 0) {
		kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return err;
}

int
kr_deliver_give(struct kr_parcel *parcel, bool strict)
{
	struct answer answer = {0};
	int err = give(parcel, NULL, strict, &answer, parcel->fds, &parcel->count);

	if (err)
		kr_complain("deliver", "'%s' can't be given: %s%s", parcel->name,
			err == -ETOOMANYREFS     ? TOO_MANY
				: *answer.reason ? answer.reason
						 : strerror(-err),
			err == -EMFILE ? KR_DELIVER_RAISE_LIMIT : "");
	parcel->kind = answer.kind;
	return err ? KR_EXIT_FAILURE : 0;
}

int
kr_deliver_give_manifest(const char *manifest)
{
	struct answer answer = {0};
	int fds[KR_INDEX_MAX_FILES + 1], directory = -1;
	size_t count = 0;

	if (!give(NULL, manifest, false, &answer, fds, &count) && count == 1 &&
		answer.kind == KR_DELIVERY_MOUNT)
		directory = fds[--count];
	while (count)
		kr_fd_close(&fds[--count]);
	return directory;
}
