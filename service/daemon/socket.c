/* SPDX-License-Identifier: Apache-2.0 */
/* Where kraflad listens: a socket that was handed over, or one of its own. */
#include "service/daemon/daemon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/server/server.h"
#include "util/env.h"
#include "util/text.h"
#include "wire/service.h"

/* A new string, the directory made if it is one of ours. */
static char *
choose_path(struct kr_daemon *daemon)
{
	const char *directory = kr_env_get_directory("XDG_RUNTIME_DIR");
	char *path, *slash;

	if (daemon->options.socket || daemon->config->socket)
		return strdup(
			daemon->options.socket ? daemon->options.socket : daemon->config->socket);
	if (daemon->options.user && !directory) {
		kr_daemon_complain(daemon,
			"XDG_RUNTIME_DIR isn't set to an absolute path: name a socket with --socket PATH");
		return NULL;
	}
	path = daemon->options.user ? kr_asprintf("%s/" KR_SERVICE_USER_SOCKET, directory)
				    : strdup(KR_SERVICE_SYSTEM_SOCKET);
	slash = path ? strrchr(path, '/') : NULL;
	if (slash) {
		*slash = '\0';
		(void)!mkdir(path, 0755); /* the next step says what is wrong */
		*slash = '/';
	}
	return path;
}

static int
make_socket(struct kr_daemon *daemon)
{
	char *reason = NULL;
	int err;

	daemon->socket_path = choose_path(daemon);
	if (!daemon->socket_path)
		return -EINVAL;
	err = kr_server_listen(daemon->socket_path, &daemon->socket, &reason);
	if (!err &&
		(chmod(daemon->socket_path, daemon->config->socket_mode) ||
			stat(daemon->socket_path, &daemon->made)))
		err = -errno;
	if (err) {
		kr_daemon_complain(daemon, "%s", reason ? reason : strerror(-err));
		free(daemon->socket_path);
		daemon->socket_path = NULL;
	}
	free(reason);
	return err;
}

int
kr_daemon_get_socket(struct kr_daemon *daemon)
{
	char *reason;
	int got = kr_activation_take(&daemon->socket, &reason);

	if (got < 0)
		kr_daemon_complain(daemon, "%s", reason ? reason : strerror(-got));
	free(reason);
	return got < 0 ? got : got ? 0 : make_socket(daemon);
}

void
kr_daemon_remove_socket(struct kr_daemon *daemon)
{
	struct stat now;

	if (daemon->socket_path && !stat(daemon->socket_path, &now) &&
		now.st_ino == daemon->made.st_ino && now.st_dev == daemon->made.st_dev)
		unlink(daemon->socket_path);
	free(daemon->socket_path);
}
