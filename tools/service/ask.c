/* SPDX-License-Identifier: Apache-2.0 */
/* Connects, says hello, sends `inspect` and reads the answer's memory object. See ask.h. */
#include "tools/service/ask.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/env.h"
#include "util/fd.h"
#include "util/text.h"
#include "wire/loader_service.h"
#include "wire/packet.h"
#include "wire/service.h"

#define PATIENCE_NS   (10 * KR_NSEC_PER_SEC)
#define LONGEST_STATE (64 << 20)
#define SERIAL        1

static int
send_message(int fd, const struct kr_ls_message *message)
{
	uint8_t bytes[KR_LS_MAX_SIZE];

	return kr_packet_send(fd, bytes, kr_ls_encode(message, bytes), NULL, 0);
}

/* *take_fd: the descriptor that came along, or -1. */
static int
receive_message(int fd, int64_t deadline, struct kr_ls_message *message, int *take_fd)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};
	uint8_t bytes[KR_LS_MAX_SIZE];
	size_t size, count;
	int err;

	for (;;) {
		err = kr_packet_receive(fd, bytes, sizeof(bytes), &size, take_fd, 1, &count);
		if (err != -EAGAIN)
			break;
		err = kr_fd_poll(&pollfd, 1, deadline);
		if (err <= 0)
			return err ? err : -ETIMEDOUT;
	}
	if (err)
		return err;
	if (!count)
		*take_fd = -1;
	err = kr_ls_decode(bytes, size, count, message);
	if (err)
		kr_fd_close(take_fd);
	return err;
}

static int
read_state(int fd, json_t **state)
{
	struct stat st;
	json_error_t error;
	ssize_t got;
	char *text;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > LONGEST_STATE)
		return -EPROTO;
	text = malloc((size_t)st.st_size);
	if (!text)
		return -ENOMEM;
	got = pread(fd, text, (size_t)st.st_size, 0);
	*state = got == st.st_size ? json_loadb(text, (size_t)got, 0, &error) : NULL;
	free(text);
	return *state ? 0 : -EPROTO;
}

/* What a service says that lets nobody in, or doesn't answer this. */
static int
handle_refusal(const struct kr_ls_refused *refused, const char *path, char **reason)
{
	*reason = kr_asprintf("the service at %s refuses: %s%s", path, refused->text,
		refused->error == EPERM ? "; run this as root, or as the user whose service it is"
					: "");
	return refused->error == EPERM ? -EPERM : -EPROTO;
}

static int
talk(int fd, const char *path, json_t **state, char **reason)
{
	const struct kr_ls_message hello = {.type = KR_LS_HELLO, .hello = {KR_LS_VERSION}};
	const struct kr_ls_message inspect = {.type = KR_LS_INSPECT, .inspect = {SERIAL}};
	const int64_t deadline = kr_deadline_in(PATIENCE_NS);
	struct kr_ls_message answer;
	int came = -1, err;

	err = send_message(fd, &hello);
	if (!err)
		err = receive_message(fd, deadline, &answer, &came);
	if (!err && answer.type == KR_LS_WELCOME) {
		err = send_message(fd, &inspect);
		if (!err)
			err = receive_message(fd, deadline, &answer, &came);
	}
	if (err)
		return err;
	if (answer.type == KR_LS_REFUSED)
		return handle_refusal(&answer.refused, path, reason);
	err = answer.type == KR_LS_STATE && answer.state.serial == SERIAL ? read_state(came, state)
									  : -EPROTO;
	kr_fd_close(&came);
	return err;
}

/* A socket whose connect, too, ends: where the queue is full there is nobody to wait for. */
static int
connect_to(const char *path, int *out)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd, err;

	if (!*path || strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
		err = -errno;
		close(fd);
		return err;
	}
	*out = fd;
	return 0;
}

static int
ask_at(const char *path, json_t **state, char **reason)
{
	int fd = -1, err = connect_to(path, &fd);

	*reason = NULL;
	if (err == -ENOENT || err == -ECONNREFUSED) {
		*reason = kr_asprintf(
			"no service runs at %s: start one with 'krafla serve', or name another socket with --socket PATH",
			path);
		return -ENOENT;
	}
	if (err) {
		*reason =
			kr_asprintf("the service at %s can't be reached: %s", path, strerror(-err));
		return err;
	}
	err = talk(fd, path, state, reason);
	close(fd);
	if (err && !*reason)
		*reason = kr_asprintf("the service at %s %s", path,
			err == -ETIMEDOUT        ? "doesn't answer within 10 s"
				: err == -EPROTO ? "answers what this krafla doesn't understand"
				: err == -EPIPE  ? "ended the connection"
						 : strerror(-err));
	return err;
}

int
kr_ask_service(const char *path, char **socket, json_t **state, char **reason)
{
	const char *named = path ? path : kr_env_get("KRAFLA_SERVICE");
	const char *directory = kr_env_get_directory("XDG_RUNTIME_DIR");
	int err;

	*reason = NULL;
	*socket = strdup(named ? named : KR_SERVICE_SYSTEM_SOCKET);
	if (!*socket)
		return -ENOMEM;
	err = ask_at(*socket, state, reason);
	if (err && !named && directory) {
		char *other = NULL, *own = kr_asprintf("%s/" KR_SERVICE_USER_SOCKET, directory);
		int own_err = own ? ask_at(own, state, &other) : -ENOMEM;

		/* Of two that can't be asked, the one that is there is told of. */
		if (!own_err || (err == -ENOENT && own_err != -ENOENT && own)) {
			free(*socket);
			free(*reason);
			*socket = own;
			*reason = other;
			return own_err;
		}
		free(own);
		free(other);
	}
	if (err) {
		free(*socket);
		*socket = NULL;
	}
	return err;
}
