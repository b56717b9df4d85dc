/* SPDX-License-Identifier: Apache-2.0 */
/* The store's child, from both ends of its socket: see mounts.h. */
#include "service/store/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/store/helper.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/text.h"
#include "wire/packet.h"

#define ANSWER_WITHIN (5 * KR_NSEC_PER_SEC)

struct kr_mounts {
	int socket; /* -1: the child is gone, or has been given up */
	pid_t pid;
	int directory;    /* above all that it makes; O_PATH */
	uint32_t next_id; /* 0 is the child's own, for its trial */
};

static int
wait_for_packet(int socket, int64_t deadline)
{
	struct pollfd poller = {.fd = socket, .events = POLLIN};
	const int ready = kr_fd_poll(&poller, 1, deadline);

	return ready > 0 ? 0 : ready ? ready : -ETIMEDOUT;
}

/*
 * In the child. Whoever interrupts or ends the service on a terminal means the service, whose end
 * is ours.
 */
static void
settle(int *socket)
{
	static const int signals[] = {
		SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM};
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (size_t i = 0; i < KR_ARRAY_LEN(signals); i++)
		signal(signals[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	/* No descriptor of the service's may live on in here: clients would wait for its end. */
	dup2(*socket, STDERR_FILENO + 1);
	*socket = STDERR_FILENO + 1;
	fcntl(*socket, F_SETFD, FD_CLOEXEC);
	close_range(STDERR_FILENO + 2, ~0u, 0);
	prctl(PR_SET_NAME, "krafla-store");
}

/* Of a child that shows itself to other processes of its user, these could take its namespaces. */
static int
prepare(struct kr_helper *helper, const char **failed)
{
	int ret = kr_helper_enter(helper, failed);

	if (ret)
		return ret;
	*failed = "locking the flags of mounts";
	ret = kr_helper_try_locks(helper);
	if (ret)
		return ret;
	*failed = "hiding from other processes";
	return prctl(PR_SET_DUMPABLE, 0) ? -errno : 0;
}

/*
 * What was made can't be sent: too many descriptors of this user are on their way (ETOOMANYREFS
 * counts those of all his processes), or memory is short. That passes, and this process is needed
 * then.
 */
static int
refuse(struct kr_helper *helper, const struct kr_helper_request *request, int error)
{
	const struct kr_helper_request undo = {.op = KR_HELPER_DROP, .id = request->id};
	const struct kr_helper_answer answer = {.result = error};
	int none;

	if (request->op == KR_HELPER_MAKE)
		(void)!kr_helper_do(helper, &undo, &none);
	return kr_packet_send(helper->socket, &answer, sizeof(answer), NULL, 0);
}

static int
answer_one(struct kr_helper *helper)
{
	struct kr_helper_request request = {0};
	struct kr_helper_answer answer = {0};
	size_t size, count;
	int fd, ret;

	ret = kr_packet_receive(helper->socket, &request, sizeof(request), &size, NULL, 0, &count);
	if (ret)
		return ret;
	/* Both paths end, whatever came. */
	request.path[sizeof(request.path) - 1] = '\0';
	request.source[sizeof(request.source) - 1] = '\0';
	answer.result = kr_helper_do(helper, &request, &fd);
	ret = kr_packet_send(helper->socket, &answer, sizeof(answer), &fd, fd >= 0);
	if (ret && fd >= 0)
		ret = refuse(helper, &request, ret);
	kr_fd_close(&fd);
	return ret;
}

static void __attribute__((noreturn)) run_child(int socket)
{
	struct kr_helper helper = {.outer = -1, .inner = -1, .current = -1};
	struct kr_helper_answer answer = {0};
	const char *failed = "";
	int root, ret;

	settle(&socket);
	helper.socket = socket;
	answer.result = prepare(&helper, &failed);
	strncpy(answer.failed, failed, sizeof(answer.failed) - 1);
	root = answer.result ? -1 : open(KR_HELPER_ROOT, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ret = kr_packet_send(socket, &answer, sizeof(answer), &root, root >= 0);
	kr_fd_close(&root);
	while (!ret && !answer.result) {
		ret = wait_for_packet(socket, KR_FOREVER);
		if (!ret)
			ret = answer_one(&helper);
	}
	_exit(0);
}

/* It may sit in a file system that doesn't answer: it isn't asked to end. */
static void
give_up(struct kr_mounts *mounts)
{
	if (mounts->socket < 0)
		return;
	kr_fd_close(&mounts->socket);
	kill(mounts->pid, SIGKILL);
	while (waitpid(mounts->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int
receive_answer(struct kr_mounts *mounts, struct kr_helper_answer *answer, int *fd)
{
	size_t size, count = 0;
	int ret = wait_for_packet(mounts->socket, kr_deadline_in(ANSWER_WITHIN));

	*fd = -1;
	if (!ret)
		ret = kr_packet_receive(
			mounts->socket, answer, sizeof(*answer), &size, fd, 1, &count);
	if (!ret && size != sizeof(*answer))
		ret = -EPROTO;
	if (!ret)
		return 0;
	if (count)
		kr_fd_close(fd);
	give_up(mounts);
	return ret;
}

static int
ask(struct kr_mounts *mounts, const struct kr_helper_request *request, size_t size, int *fd)
{
	struct kr_helper_answer answer;
	int got, ret;

	if (mounts->socket < 0)
		return -EPIPE;
	ret = kr_packet_send(mounts->socket, request, size, NULL, 0);
	if (ret) {
		give_up(mounts);
		return ret;
	}
	ret = receive_answer(mounts, &answer, &got);
	if (ret)
		return ret;
	if (!answer.result && (got >= 0) != !!fd)
		answer.result = -EPROTO;
	if (answer.result || !fd)
		kr_fd_close(&got);
	if (!answer.result && fd)
		*fd = got;
	return answer.result;
}

static int
ask_short(struct kr_mounts *mounts, enum kr_helper_op op, uint32_t id, int *fd)
{
	const struct kr_helper_request request = {.op = op, .id = id};

	return ask(mounts, &request, offsetof(struct kr_helper_request, path), fd);
}

static int
fork_child(struct kr_mounts *mounts)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	mounts->pid = fork();
	if (mounts->pid == 0)
		run_child(pair[1]);
	close(pair[1]);
	mounts->socket = pair[0];
	if (mounts->pid < 0) {
		const int err = -errno;

		kr_fd_close(&mounts->socket);
		return err;
	}
	return 0;
}

int
kr_mounts_start(struct kr_mounts **out, char **reason)
{
	struct kr_mounts *mounts = calloc(1, sizeof(*mounts));
	struct kr_helper_answer answer = {.failed = "starting a process"};
	int ret;

	if (!mounts)
		return -ENOMEM;
	mounts->next_id = 1;
	/*
	 * Until there is a child: to give it up would close descriptor 0 and kill the caller's
	 * process group.
	 */
	mounts->socket = mounts->directory = -1;
	ret = fork_child(mounts);
	if (!ret)
		ret = receive_answer(mounts, &answer, &mounts->directory);
	if (!ret)
		ret = answer.result;
	if (!ret) {
		*out = mounts;
		return 0;
	}
	answer.failed[sizeof(answer.failed) - 1] = '\0';
	*reason = kr_asprintf("%s failed: %s", answer.failed, strerror(-ret));
	kr_mounts_stop(mounts);
	return ret;
}

void
kr_mounts_stop(struct kr_mounts *mounts)
{
	if (!mounts)
		return;
	give_up(mounts);
	kr_fd_close(&mounts->directory);
	free(mounts);
}

int
kr_mounts_directory(const struct kr_mounts *mounts)
{
	return mounts->directory;
}

pid_t
kr_mounts_pid(const struct kr_mounts *mounts)
{
	return mounts->socket < 0 ? -1 : mounts->pid;
}

int
kr_mounts_make(struct kr_mounts *mounts, uint32_t *id, int *directory)
{
	const int ret = ask_short(mounts, KR_HELPER_MAKE, mounts->next_id, directory);

	if (ret)
		return ret;
	*id = mounts->next_id++;
	return 0;
}

int
kr_mounts_bind(struct kr_mounts *mounts, uint32_t id, const char *path, const char *source,
	dev_t device, ino_t inode)
{
	struct kr_helper_request request = {
		.op = KR_HELPER_BIND, .id = id, .device = device, .inode = inode};

	if (strlen(path) >= sizeof(request.path) || strlen(source) >= sizeof(request.source))
		return -ENAMETOOLONG;
	strcpy(request.path, path);
	strcpy(request.source, source);
	return ask(mounts, &request,
		offsetof(struct kr_helper_request, source) + strlen(source) + 1, NULL);
}

int
kr_mounts_publish(struct kr_mounts *mounts, uint32_t id, bool keep_writable)
{
	return ask_short(mounts, keep_writable ? KR_HELPER_OPEN : KR_HELPER_CLOSE, id, NULL);
}

int
kr_mounts_clone(struct kr_mounts *mounts, uint32_t id, int *fd)
{
	return ask_short(mounts, KR_HELPER_CLONE, id, fd);
}

void
kr_mounts_drop(struct kr_mounts *mounts, uint32_t id)
{
	(void)!ask_short(mounts, KR_HELPER_DROP, id, NULL);
}
