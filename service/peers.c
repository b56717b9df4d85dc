/* SPDX-License-Identifier: Apache-2.0 */
/* A question is a packet of one byte with the socket, the answer its struct ucred: see peers.h. */
#include "service/peers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "wire/packet.h"

#define PATIENCE_NS KR_NSEC_PER_SEC

struct kr_peers {
	pid_t helper;      /* 0: none is needed, or it is gone */
	int socket;        /* -1: so */
	bool lost;         /* it is gone and would be needed */
	struct stat users; /* the user namespace that clients are seen from */
};

static int
ask_kernel(int socket, struct ucred *cred)
{
	socklen_t size = sizeof(*cred);

	return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, cred, &size) ? -errno : 0;
}

/* --- the helper --- */

/* False: the service is gone. */
static bool
answer(int socket)
{
	struct pollfd pollfd = {.fd = socket, .events = POLLIN};
	struct ucred cred;
	size_t size, count = 0;
	char byte;
	int peer = -1, err;

	if (poll(&pollfd, 1, -1) < 0)
		return errno == EINTR;
	err = kr_packet_receive(socket, &byte, 1, &size, &peer, 1, &count);
	if (err == -EAGAIN)
		return true;
	if (err)
		return false;
	err = count ? ask_kernel(peer, &cred) : -EINVAL;
	kr_fd_close(&peer);
	if (err)
		cred = (struct ucred){.pid = -1};
	return !kr_packet_send(socket, &cred, sizeof(cred), NULL, 0);
}

static void __attribute__((noreturn)) help(int socket, pid_t service)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != service)
		_exit(0);
	if (socket > 3)
		syscall(SYS_close_range, 3, socket - 1, 0);
	syscall(SYS_close_range, socket + 1, ~0u, 0);
	while (answer(socket))
		;
	_exit(0);
}

/* --- the service --- */

int
kr_peers_create(struct kr_peers **out)
{
	struct kr_peers *peers = calloc(1, sizeof(*peers));
	const pid_t service = getpid();
	int pair[2], err;

	if (!peers)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		err = -errno;
		goto err_free;
	}
	if (stat("/proc/self/ns/user", &peers->users))
		memset(&peers->users, 0, sizeof(peers->users));
	peers->helper = fork();
	if (peers->helper < 0) {
		err = -errno;
		goto err_close;
	}
	if (!peers->helper)
		help(pair[1], service);
	close(pair[1]);
	peers->socket = pair[0];
	*out = peers;
	return 0;
err_close:
	close(pair[0]);
	close(pair[1]);
err_free:
	free(peers);
	return err;
}

static void
end_helper(struct kr_peers *peers)
{
	kr_fd_close(&peers->socket);
	if (!peers->helper)
		return;
	kill(peers->helper, SIGKILL);
	while (waitpid(peers->helper, NULL, 0) < 0 && errno == EINTR)
		;
	peers->helper = 0;
}

/* Whether every user has the same number here as in the namespace above. */
static bool
maps_all_users(void)
{
	FILE *file = fopen("/proc/self/uid_map", "re");
	unsigned long inside, outside, count;
	bool all;

	if (!file)
		return false;
	all = fscanf(file, "%lu %lu %lu", &inside, &outside, &count) == 3 && !inside && !outside &&
		count == UINT32_MAX;
	fclose(file);
	return all;
}

void
kr_peers_settle(struct kr_peers *peers)
{
	struct stat now;
	const bool same = !stat("/proc/self/ns/user", &now) && now.st_ino == peers->users.st_ino &&
		now.st_dev == peers->users.st_dev;

	if (same || maps_all_users())
		end_helper(peers);
}

static int
ask_helper(struct kr_peers *peers, int socket, struct ucred *cred)
{
	struct pollfd pollfd = {.fd = peers->socket, .events = POLLIN};
	const int64_t deadline = kr_deadline_in(PATIENCE_NS);
	size_t size, count;
	int err = kr_packet_send(peers->socket, "", 1, &socket, 1);

	while (!err) {
		err = kr_packet_receive(peers->socket, cred, sizeof(*cred), &size, NULL, 0, &count);
		if (err != -EAGAIN)
			break;
		err = kr_clock_now() >= deadline ? -ETIMEDOUT : 0;
		if (!err && poll(&pollfd, 1, kr_deadline_poll_ms(deadline)) < 0 && errno != EINTR)
			err = -errno;
	}
	return err ? err : size == sizeof(*cred) ? 0 : -EPROTO;
}

void
kr_peers_identify(struct kr_peers *peers, int socket, struct kr_peer *peer)
{
	struct ucred cred = {.pid = -1};
	int err;

	*peer = (struct kr_peer){.uid = (uid_t)-1};
	if (peers->socket >= 0) {
		err = ask_helper(peers, socket, &cred);
		if (err) {
			kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
				"the process that tells users apart is gone (%s): clients of all "
				"users share "
				"one limit from now on, and nobody may inspect; restart the "
				"service",
				strerror(-err));
			end_helper(peers);
			peers->lost = true;
		}
	}
	if (peers->socket < 0 && ask_kernel(socket, &cred))
		return;
	if (cred.pid < 0)
		return;
	peer->pid = cred.pid;
	peer->known = !peers->lost;
	if (peer->known)
		peer->uid = cred.uid;
}

void
kr_peers_destroy(struct kr_peers *peers)
{
	if (!peers)
		return;
	end_helper(peers);
	free(peers);
}
