/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks on a delivered mount: see escapes.h. */
#include "escapes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "util/macros.h"

#define FILE_NAME "libgood.so"

static int
mount_of(void *data)
{
	return ((const struct target *)data)->fd;
}

static int
set_attributes(int fd, unsigned flags, uint64_t set, uint64_t clear)
{
	struct mount_attr attr = {.attr_set = set, .attr_clr = clear};

	return mount_setattr(fd, "", AT_EMPTY_PATH | flags, &attr, sizeof(attr));
}

static int
leave_by_dots(void *data)
{
	const int fd = mount_of(data);
	struct stat root, parent;

	REFUSED(openat(fd, "../etc/passwd", O_RDONLY));
	REFUSED(openat(fd, "share/../../../../../../../etc/passwd", O_RDONLY));
	REFUSED(openat(fd, "../../proc/self/status", O_RDONLY));
	MUST(!fstat(fd, &root));
	MUST(!fstatat(fd, "../../..", &parent, 0));
	MUST(root.st_ino == parent.st_ino && root.st_dev == parent.st_dev);
	if (!fchdir(fd)) {
		REFUSED(open("../etc/passwd", O_RDONLY));
		REFUSED(open("share/../../etc/passwd", O_RDONLY));
	}
	return 0;
}

static int
open_for_writing(void *data)
{
	const int fd = mount_of(data);

	REFUSED(openat(fd, FILE_NAME, O_RDWR));
	REFUSED(openat(fd, FILE_NAME, O_WRONLY));
	REFUSED(openat(fd, FILE_NAME, O_RDONLY | O_TRUNC));
	REFUSED(openat(fd, "share/data.bin", O_WRONLY | O_APPEND));
	REFUSED(openat(fd, ".krafla-index.json", O_RDWR));
	REFUSED(openat(fd, "test_icd.json", O_RDWR));
	return 0;
}

static int
reopen(void *data)
{
	const int file = openat(mount_of(data), FILE_NAME, O_RDONLY);
	const int path = openat(mount_of(data), FILE_NAME, O_PATH);
	char name[64];

	MUST(file >= 0 && path >= 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
	REFUSED(open(name, O_RDWR));
	REFUSED(open(name, O_WRONLY | O_TRUNC));
	REFUSED(truncate(name, 0));
	REFUSED(chmod(name, 0666));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", path);
	REFUSED(open(name, O_RDWR));
	snprintf(name, sizeof(name), "/proc/self/fd/%d/" FILE_NAME, mount_of(data));
	REFUSED(open(name, O_RDWR));
	return 0;
}

static int
write_through(void *data)
{
	const int file = openat(mount_of(data), FILE_NAME, O_RDONLY);
	void *map;

	MUST(file >= 0);
	REFUSED(write(file, "evil", 4));
	REFUSED(ftruncate(file, 0));
	REFUSED(fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4));
	MUST(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED);
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
	MUST(map != MAP_FAILED);
	REFUSED(mprotect(map, 4096, PROT_READ | PROT_WRITE));
	return 0;
}

static int
change_the_file(void *data)
{
	static const struct timespec times[2];
	const int file = openat(mount_of(data), FILE_NAME, O_RDONLY);
	int flags = FS_APPEND_FL;

	MUST(file >= 0);
	REFUSED(fchmod(file, 0666));
	REFUSED(fchown(file, geteuid(), getegid()));
	REFUSED(futimens(file, times));
	REFUSED(fsetxattr(file, "user.evil", "1", 1, 0));
	REFUSED(ioctl(file, FS_IOC_SETFLAGS, &flags));
	REFUSED(fchmod(mount_of(data), 0777));
	REFUSED(fchmodat(mount_of(data), FILE_NAME, 0666, 0));
	return 0;
}

static int
change_the_directory(void *data)
{
	const int fd = mount_of(data);

	REFUSED(openat(fd, "new", O_WRONLY | O_CREAT, 0666));
	REFUSED(openat(fd, ".", O_TMPFILE | O_RDWR, 0666));
	REFUSED(mkdirat(fd, "new", 0777));
	REFUSED(symlinkat("/etc", fd, "new"));
	REFUSED(linkat(fd, FILE_NAME, fd, "new", 0));
	REFUSED(unlinkat(fd, FILE_NAME, 0));
	REFUSED(unlinkat(fd, "test_icd.json", 0));
	REFUSED(renameat(fd, FILE_NAME, fd, "other"));
	REFUSED(renameat(fd, "share/data.bin", fd, FILE_NAME));
	REFUSED(mknodat(fd, "node", S_IFIFO | 0666, 0));
	return 0;
}

static int
clear_read_only(void *data)
{
	const int fd = mount_of(data);
	const int file = openat(fd, FILE_NAME, O_PATH);
	int again;

	REFUSED(set_attributes(fd, 0, 0, MOUNT_ATTR_RDONLY));
	REFUSED(set_attributes(fd, AT_RECURSIVE, 0, MOUNT_ATTR_RDONLY));
	REFUSED(set_attributes(fd, AT_RECURSIVE, 0, MOUNT_ATTR_NOSUID));
	REFUSED(set_attributes(fd, AT_RECURSIVE, 0, MOUNT_ATTR_NODEV));
	MUST(file >= 0);
	REFUSED(set_attributes(file, 0, 0, MOUNT_ATTR_RDONLY));
	again = open_tree(fd, "", OPEN_TREE_CLONE | AT_EMPTY_PATH | AT_RECURSIVE);
	if (again >= 0) { /* since Linux 6.15 */
		REFUSED(set_attributes(again, AT_RECURSIVE, 0, MOUNT_ATTR_RDONLY));
		REFUSED(openat(again, FILE_NAME, O_RDWR));
	}
	again = open_tree(file, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
	if (again >= 0) {
		char name[64];

		REFUSED(set_attributes(again, 0, 0, MOUNT_ATTR_RDONLY));
		snprintf(name, sizeof(name), "/proc/self/fd/%d", again);
		REFUSED(open(name, O_RDWR));
	}
	REFUSED(openat(fd, FILE_NAME, O_RDWR));
	return open_for_writing(data);
}

/* Whoever has mounts of its own puts it where remounting by path can get at it. */
static int
attach_and_remount(void *data)
{
	static const char *const files[] = {"/tmp", "/tmp/libgood.so", "/tmp/share/data.bin"};
	int file;

	/* Not into the mounts of the host: the tests may run as root. */
	if (unshare(CLONE_NEWNS))
		return 0;
	MUST(!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	MUST(!move_mount(mount_of(data), "", AT_FDCWD, "/tmp", MOVE_MOUNT_F_EMPTY_PATH));
	for (size_t i = 0; i < KR_ARRAY_LEN(files); i++) {
		REFUSED(mount(NULL, files[i], NULL, MS_REMOUNT | MS_BIND, NULL));
		REFUSED(umount2(files[i], i ? MNT_DETACH : UMOUNT_NOFOLLOW));
		file = open_tree(AT_FDCWD, files[i], 0);
		MUST(file >= 0);
		REFUSED(set_attributes(file, 0, 0, MOUNT_ATTR_RDONLY));
		if (i)
			REFUSED(open(files[i], O_RDWR));
	}
	REFUSED(open("/tmp/new", O_WRONLY | O_CREAT, 0666));
	REFUSED(mount("/tmp/" FILE_NAME, "/tmp/share/data.bin", NULL, MS_BIND, NULL)
			? -1
			: mount(NULL, "/tmp/share/data.bin", NULL, MS_REMOUNT | MS_BIND, NULL));
	REFUSED(open("/tmp/share/data.bin", O_RDWR));
	return 0;
}

/*
 * The owner of the store's user namespace may remount its file systems; the mount's own flag holds
 * all the same.
 */
static int
remount_the_file_system(void *data)
{
	const int picked = fspick(mount_of(data), "", FSPICK_EMPTY_PATH);

	if (picked >= 0) {
		(void)!fsconfig(picked, FSCONFIG_SET_FLAG, "rw", NULL, 0);
		(void)!fsconfig(picked, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0);
	}
	return change_the_directory(data);
}

/* With another mapping of users he may be the owner of what he sees, which doesn't help him. */
static int
map_users(void *data)
{
	const int users = open("/proc/self/ns/user", O_RDONLY);
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)users};
	const int fd = mount_of(data);

	REFUSED(mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)));
	(void)!mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr));
	return open_for_writing(data) || change_the_directory(data);
}

/* A second name, where he may write: nothing crosses a mount, not from a descriptor either. */
static int
link_out(void *data)
{
	const int file = openat(mount_of(data), FILE_NAME, O_RDONLY);
	char name[64], here[] = "/tmp/krafla-escape-XXXXXX", stolen[64];

	MUST(file >= 0);
	if (!mkdtemp(here))
		return 0;
	snprintf(stolen, sizeof(stolen), "%s/stolen", here);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
	errno = 0;
	if (!linkat(mount_of(data), FILE_NAME, AT_FDCWD, stolen, 0) ||
		!linkat(AT_FDCWD, name, AT_FDCWD, stolen, AT_SYMLINK_FOLLOW) ||
		!linkat(file, "", AT_FDCWD, stolen, AT_EMPTY_PATH) ||
		!renameat(mount_of(data), FILE_NAME, AT_FDCWD, stolen)) {
		unlink(stolen);
		rmdir(here);
		return __LINE__;
	}
	rmdir(here);
	return 0;
}

/* The handle of a file that the mount doesn't show, opened by way of one that it does. */
static int
open_by_handle(void *data)
{
	struct {
		struct file_handle handle;
		unsigned char bytes[MAX_HANDLE_SZ];
	} host = {.handle.handle_bytes = MAX_HANDLE_SZ};
	const int file = openat(mount_of(data), FILE_NAME, O_RDONLY);
	int mount_id;

	MUST(file >= 0);
	if (name_to_handle_at(AT_FDCWD, "/etc/passwd", &host.handle, &mount_id, 0))
		return 0;
	REFUSED(open_by_handle_at(file, &host.handle, O_RDONLY));
	REFUSED(open_by_handle_at(mount_of(data), &host.handle, O_RDONLY));
	return 0;
}

const struct escape mount_escapes[] = {
	{"leave by ..", leave_by_dots},
	{"open for writing", open_for_writing},
	{"reopen for writing", reopen},
	{"write through a descriptor for reading", write_through},
	{"change the file", change_the_file},
	{"change the directory", change_the_directory},
	{"clear the flag read-only", clear_read_only},
	{"attach, remount, unmount", attach_and_remount},
	{"remount the file system", remount_the_file_system},
	{"map users", map_users},
	{"open by handle", open_by_handle},
	{"link out", link_out},
};
const size_t mount_escape_count = KR_ARRAY_LEN(mount_escapes);
