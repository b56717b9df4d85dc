/* SPDX-License-Identifier: Apache-2.0 */
/* The walls around a driver that is tried: see confine.h. */
#include "tools/probe/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tools/probe/filter.h"
#include "util/clock.h"
#include "util/fd.h"
#include "wire/packet.h"

/* Linux 6.2, 6.7 and 6.12 have these; the header may be older. */
#define TRUNCATE_RIGHT ((uint64_t)1 << 14)
#define TCP_RIGHTS     ((uint64_t)3)
#define SCOPES         ((uint64_t)3) /* abstract sockets, signals */

struct rules {
	uint64_t files, network, scoped;
};

const char *
probe_wall_name(enum probe_wall wall)
{
	static const char *const names[PROBE_WALLS] = {
		[PROBE_WALL_NETWORK] = "a network namespace",
		[PROBE_WALL_FILES] =
			"a file system without writing (Landlock, or read-only mounts)",
		[PROBE_WALL_RIGHTS] = "a way to drop capabilities",
		[PROBE_WALL_CALLS] = "a filter of system calls",
	};

	return names[wall];
}

/* --- namespaces --- */

static int
write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* Without privileges a user namespace is needed for others; files stay this user's there. */
static int
enter_with_user(int flags)
{
	const uid_t uid = geteuid();
	const gid_t gid = getegid();
	char text[64];
	int ret;

	if (unshare(CLONE_NEWUSER | flags))
		return -errno;
	ret = write_file("/proc/self/setgroups", "deny");
	snprintf(text, sizeof(text), "%u %u 1", uid, uid);
	ret = ret ? ret : write_file("/proc/self/uid_map", text);
	snprintf(text, sizeof(text), "%u %u 1", gid, gid);
	return ret ? ret : write_file("/proc/self/gid_map", text);
}

static int
enter_namespaces(void)
{
	const int flags = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS;

	return unshare(flags) ? enter_with_user(flags) : 0;
}

/* --- files --- */

static int
allow_writing(int rules, int directory, const char *name)
{
	struct landlock_path_beneath_attr beneath = {
		.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE,
		.parent_fd = openat(directory, name, O_PATH | O_CLOEXEC),
	};
	long ret;

	if (beneath.parent_fd < 0)
		return -errno;
	ret = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
	close(beneath.parent_fd);
	return ret ? -errno : 0;
}

/*
 * What is the system's, and no GPU: memory and the kernel's log (but null, zero, full, random and
 * urandom), terminals, SCSI commands, and what has a fixed number among the others, as watchdogs,
 * made-up input devices (uinput) and file systems (fuse). Drivers' nodes have a number of their
 * own, or one that is chosen when they come.
 */
static bool
is_of_the_system(dev_t number)
{
	const unsigned device = minor(number);

	switch (major(number)) {
	case 1:
		return device != 3 && device != 5 && device != 7 && device != 8 && device != 9;
	case 4: /* terminals */
	case 5:
	case 7:  /* their memory */
	case 21: /* SCSI */
		return true;
	case 10:
		return device >= 128 && device < 255;
	default:
		return false;
	}
}

/* Device nodes: those of /dev, and the directory dri; not what is mounted below (shm, mqueue). */
static int
allow_devices(int rules)
{
	DIR *directory = opendir("/dev");
	const struct dirent *entry;
	int ret = directory ? 0 : -errno;

	while (!ret && (entry = readdir(directory))) {
		struct stat status;

		if (fstatat(dirfd(directory), entry->d_name, &status, 0))
			continue;
		if ((S_ISCHR(status.st_mode) && !is_of_the_system(status.st_rdev)) ||
			!strcmp(entry->d_name, "dri"))
			ret = allow_writing(rules, dirfd(directory), entry->d_name);
	}
	if (directory)
		closedir(directory);
	return ret;
}

static int
restrict_by_landlock(void)
{
	const long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct rules rules = {
		.files = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
			LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
			LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
			LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
			LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM,
		.network = version >= 4 ? TCP_RIGHTS : 0,
		.scoped = version >= 6 ? SCOPES : 0,
	};
	int fd, ret;

	/* Before 6.2 a file could be cut that can't be written: the filter has these calls, too. */
	if (version < 0)
		return -errno;
	if (version >= 3)
		rules.files |= TRUNCATE_RIGHT;
	fd = (int)syscall(SYS_landlock_create_ruleset, &rules,
		version >= 6           ? sizeof(rules)
			: version >= 4 ? 2 * sizeof(uint64_t)
				       : sizeof(uint64_t),
		0);
	if (fd < 0)
		return -errno;
	ret = allow_devices(fd);
	if (!ret && syscall(SYS_landlock_restrict_self, fd, 0))
		ret = -errno;
	close(fd);
	return ret;
}

/*
 * In a mount namespace of its own. Device nodes can be written there all the same. Beside Landlock,
 * which doesn't know of modes, attributes and flags of files.
 */
static int
make_mounts_read_only(void)
{
	struct {
		uint64_t set, clear, propagation, user;
	} attributes = {.set = 1 /* MOUNT_ATTR_RDONLY */, .propagation = MS_PRIVATE};

	if (syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &attributes,
		    sizeof(attributes)))
		return -errno;
	return 0;
}

/* --- capabilities --- */

/*
 * Root's own, and those that come with a user namespace: by them mounts could be made writable
 * again, other users' processes be reached, modules be loaded.
 */
static int
drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	return syscall(SYS_capset, &header, none) ? -errno : 0;
}

/* --- all --- */

void
probe_confine(int socket)
{
	struct probe_walls walls = {0};
	int filter = -1, read_only, ret;

	walls.errors[PROBE_WALL_NETWORK] = enter_namespaces();
	read_only = walls.errors[PROBE_WALL_NETWORK] ? walls.errors[PROBE_WALL_NETWORK]
						     : make_mounts_read_only();
	walls.errors[PROBE_WALL_RIGHTS] = drop_capabilities();
	ret = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
	walls.errors[PROBE_WALL_FILES] = ret ? ret : restrict_by_landlock();
	/* Who has capabilities makes mounts writable again. */
	if (!read_only && !walls.errors[PROBE_WALL_RIGHTS])
		walls.errors[PROBE_WALL_FILES] = 0;
	walls.errors[PROBE_WALL_CALLS] = ret ? ret : probe_filter_install(&filter);
	(void)!kr_packet_send(socket, &walls, sizeof(walls), &filter, filter >= 0);
	kr_fd_close(&filter);
}

void
probe_receive_walls(int socket, struct probe_walls *walls, int *filter)
{
	struct pollfd ready = {.fd = socket, .events = POLLIN};
	size_t size, count = 0;

	*filter = -1;
	/* It comes, or the other end closes. */
	if (kr_fd_poll(&ready, 1, KR_FOREVER) > 0 &&
		!kr_packet_receive(socket, walls, sizeof(*walls), &size, filter, 1, &count) &&
		size == sizeof(*walls))
		return;
	for (size_t i = 0; i < PROBE_WALLS; i++)
		walls->errors[i] = -EPROTO;
}
