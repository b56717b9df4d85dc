/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The service confines itself (I-05), whoever started it: by Landlock, once its socket and the
 * store's child are there. From then on it writes to device nodes and to the directories that
 * clients watch, removes its socket, and has no TCP; what it starts is bound by that, too.
 */
#include "service/daemon/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "service/server/server.h"
#include "service/server/state.h"
#include "service/store/store.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/text.h"

/* Linux 6.2 and 6.7 have these; the header may be older. */
#define TRUNCATE ((uint64_t)1 << 14)
#define TCP      ((uint64_t)3)

#define WRITE  ((uint64_t)LANDLOCK_ACCESS_FS_WRITE_FILE)
#define REMOVE ((uint64_t)LANDLOCK_ACCESS_FS_REMOVE_FILE)
#define CHANGE                                                                                     \
	(WRITE | REMOVE |                                                                          \
		(uint64_t)(LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_CHAR |          \
			LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |                \
			LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |              \
			LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM))

/* Nothing is there: nothing to be allowed. */
static int
allow(int rules, int fd, uint64_t access)
{
	const struct landlock_path_beneath_attr beneath = {
		.allowed_access = access, .parent_fd = fd};

	if (fd < 0)
		return 0;
	return syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0)
		? -errno
		: 0;
}

static int
allow_path(int rules, const char *path, uint64_t access)
{
	int fd = open(path, O_PATH | O_CLOEXEC), ret;

	ret = allow(rules, fd, access);
	kr_fd_close(&fd);
	return ret;
}

static int
allow_socket(const struct kr_daemon *daemon, int rules)
{
	const char *path = daemon->socket_path, *slash = path ? strrchr(path, '/') : NULL;
	char *directory;
	int ret;

	if (!path)
		return 0;
	directory = slash ? strndup(path, (size_t)(slash - path + 1)) : strdup(".");
	ret = directory ? allow_path(rules, directory, REMOVE) : -ENOMEM;
	free(directory);
	return ret;
}

/*
 * /proc: krafla-probe writes the maps of its user namespace there, which root needs none of. What
 * belongs to others is theirs there in any case.
 */
static int
allow_all(const struct kr_daemon *daemon, int rules)
{
	int ret = allow(rules, kr_store_directory(daemon->server->store), CHANGE);

	ret = ret ? ret : allow_socket(daemon, rules);
	ret = ret ? ret : allow_path(rules, daemon->config->dev, WRITE);
	ret = ret ? ret : allow_path(rules, "/dev", WRITE);
	if (!ret && geteuid() != 0)
		ret = allow_path(rules, "/proc", WRITE);
	return ret;
}

static int
restrict_self(const struct kr_daemon *daemon)
{
	const long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	const uint64_t rules[] = {CHANGE | (version >= 3 ? TRUNCATE : 0), TCP};
	int fd, ret;

	if (version < 0)
		return -errno;
	fd = (int)syscall(SYS_landlock_create_ruleset, rules,
		version >= 4 ? sizeof(rules) : sizeof(rules[0]), 0);
	if (fd < 0)
		return -errno;
	ret = allow_all(daemon, fd);
	if (!ret &&
		(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
			syscall(SYS_landlock_restrict_self, fd, 0)))
		ret = -errno;
	close(fd);
	return ret;
}

void
kr_daemon_confine(struct kr_daemon *daemon)
{
	const int ret = restrict_self(daemon);

	if (!ret)
		return;
	daemon->server->unconfined = strdup(strerror(-ret));
	kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
		"the service can't confine itself, and may write what its user may (Landlock): %s",
		strerror(-ret));
}
