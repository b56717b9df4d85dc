/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The service confines itself (I-05), whoever started it, once its socket and the store's child are
 * there: by Landlock, so that it writes to device nodes and to the directories that clients watch,
 * and removes its socket; and by a filter of system calls, so that it makes no sockets but local
 * ones and the kernel's for events. What it starts is bound by that, too.
 */
#include "service/daemon/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "service/server/server.h"
#include "service/server/state.h"
#include "service/store/store.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/macros.h"
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

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define LOAD(member)   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define IF(k, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), (yes), (no))
#define RETURN(what)   BPF_STMT(BPF_RET | BPF_K, (what))
/*
 * To the caller it is ENOSYS, as nobody traces the service. The filter of krafla-probe, which asks
 * the probe, goes before that, and not before an error: what a driver tries is still told.
 */
#define DENY RETURN(SECCOMP_RET_TRACE)

#ifdef ARCH
/* vsock: for the drivers that are tried. io_uring makes sockets past a filter. */
static const struct sock_filter program[] = {
	LOAD(arch),
	IF(ARCH, 1, 0),
	DENY,
	LOAD(nr),
	/* x86-64 has a second set of numbers (x32), from 1 << 30. */
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 1u << 30, 0, 1),
	DENY,
	IF(__NR_io_uring_setup, 0, 1),
	DENY,
	IF(__NR_socket, 1, 0),
	RETURN(SECCOMP_RET_ALLOW),
	LOAD(args[0]),
	IF(AF_UNIX, 4, 0),
	IF(AF_VSOCK, 3, 0),
	IF(AF_NETLINK, 0, 3),
	LOAD(args[2]),
	IF(NETLINK_KOBJECT_UEVENT, 0, 1),
	RETURN(SECCOMP_RET_ALLOW),
	DENY,
};

static int
filter_sockets(void)
{
	const struct sock_fprog prog = {KR_ARRAY_LEN(program), (struct sock_filter *)program};

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog)
		? -errno
		: 0;
}
#else
static int
filter_sockets(void)
{
	return -ENOTSUP;
}
#endif

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

/* Keeps what it couldn't be confined by for who asks, and tells of it. */
static void
tell(struct kr_daemon *daemon, const char *what, int error)
{
	char **known = &daemon->server->unconfined;
	char *all = kr_asprintf(
		"%s%s%s: %s", *known ? *known : "", *known ? "; " : "", what, strerror(-error));

	kr_log(KR_LOG_ERROR | KR_LOG_LOUD, "the service can't confine itself wholly: %s: %s", what,
		strerror(-error));
	if (!all)
		return;
	free(*known);
	*known = all;
}

void
kr_daemon_confine(struct kr_daemon *daemon)
{
	int ret = restrict_self(daemon);

	if (ret)
		tell(daemon, "it may write what its user may (Landlock)", ret);
	ret = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : filter_sockets();
	if (ret)
		tell(daemon, "it may make any socket (seccomp)", ret);
}
