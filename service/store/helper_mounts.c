/* SPDX-License-Identifier: Apache-2.0 */
/* What the store's child does with mounts: see helper.h. */
#include "service/store/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/fd.h"

#define READ_ONLY (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

/* Room for a directory's path and the longest path in it. */
#define TARGET_MAX (PATH_MAX + 32)

static int
go(struct kr_helper *helper, int namespace)
{
	if (helper->current == namespace)
		return 0;
	if (setns(namespace, CLONE_NEWNS))
		return -errno;
	helper->current = namespace;
	return 0;
}

static void
name_directory(char path[static 64], const char *where, uint32_t id)
{
	snprintf(path, 64, "%s/%u", where, id);
}

static int
change(int mount, unsigned flags, uint64_t set, uint64_t clear, uint64_t propagation)
{
	struct mount_attr attr = {.attr_set = set, .attr_clr = clear, .propagation = propagation};

	return mount_setattr(mount, "", AT_EMPTY_PATH | flags, &attr, sizeof(attr)) ? -errno : 0;
}

static int
make(uint32_t id, int *fd)
{
	char path[64];
	int ret;

	name_directory(path, KR_HELPER_WORK, id);
	if (mkdir(path, 0700))
		return -errno;
	if (mount("krafla", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755"))
		goto err_rmdir;
	*fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		goto err_unmount;
	return 0;

err_unmount:
	ret = -errno;
	umount2(path, MNT_DETACH);
	rmdir(path);
	return ret;
err_rmdir:
	ret = -errno;
	rmdir(path);
	return ret;
}

/*
 * As this namespace sees it, which may be another file than the service's, or none. The name has no
 * links: it is the kernel's own. Where openat2 is denied (service/package/beneath.c) that isn't
 * held against it on the way: what is found is compared in any case.
 */
static int
open_source(const struct kr_helper_request *request, int *fd)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
	int source = (int)syscall(SYS_openat2, AT_FDCWD, request->source, &how, sizeof(how));
	struct stat st;

	if (source < 0 && errno == ENOSYS)
		source = open(request->source, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (source < 0)
		return -errno;
	if (fstat(source, &st) || st.st_dev != request->device || st.st_ino != request->inode) {
		close(source);
		return -ESTALE;
	}
	*fd = source;
	return 0;
}

static int
attach(int tree, const char *target)
{
	if (move_mount(tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH))
		return -errno;
	return 0;
}

/* A clone of what `at` and `path` name, with these attributes, attached nowhere. */
static int
clone_tree(int at, const char *path, unsigned flags, uint64_t set, int *fd)
{
	int tree = open_tree(at, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | flags);
	int ret;

	if (tree < 0)
		return -errno;
	ret = change(tree, flags & AT_RECURSIVE, set, 0, MS_PRIVATE);
	if (ret) {
		close(tree);
		return ret;
	}
	*fd = tree;
	return 0;
}

/* The flags are set before it is attached: what propagates later is locked as it is then. */
static int
bind_file(const struct kr_helper_request *request)
{
	char directory[64], target[TARGET_MAX];
	int source = -1, tree, ret;

	name_directory(directory, KR_HELPER_WORK, request->id);
	if (snprintf(target, sizeof(target), "%s/%s", directory, request->path) >=
		(int)sizeof(target))
		return -ENAMETOOLONG;
	ret = open_source(request, &source);
	if (ret)
		return ret;
	ret = clone_tree(source, "", AT_EMPTY_PATH, READ_ONLY, &tree);
	close(source);
	if (ret)
		return ret;
	ret = attach(tree, target);
	close(tree);
	return ret;
}

/*
 * The directory's mount itself moves, with all that is in it: nothing is left to write to it
 * through.
 */
static int
publish_closed(const char *work, const char *given)
{
	int tree, ret;

	if (mount(NULL, work, NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
		    NULL))
		return -errno;
	tree = open(work, O_PATH | O_CLOEXEC);
	if (tree < 0)
		return -errno;
	ret = change(tree, 0, READ_ONLY, 0, 0);
	if (!ret)
		ret = attach(tree, given);
	close(tree);
	if (!ret)
		rmdir(work);
	return ret;
}

static int
publish_open(const char *work, const char *given)
{
	int tree;
	int ret = clone_tree(AT_FDCWD, work, AT_RECURSIVE, READ_ONLY | MOUNT_ATTR_NOEXEC, &tree);

	if (ret)
		return ret;
	ret = attach(tree, given);
	close(tree);
	return ret;
}

static int
publish(uint32_t id, bool keep_writable)
{
	char work[64], given[64];
	int ret;

	name_directory(work, KR_HELPER_WORK, id);
	name_directory(given, KR_HELPER_GIVEN, id);
	if (mkdir(given, 0700))
		return -errno;
	ret = keep_writable ? publish_open(work, given) : publish_closed(work, given);
	if (ret)
		rmdir(given);
	return ret;
}

static int
clone_given(uint32_t id, int *fd)
{
	char given[64];

	name_directory(given, KR_HELPER_GIVEN, id);
	return clone_tree(AT_FDCWD, given, AT_RECURSIVE, READ_ONLY, fd);
}

static int
drop(uint32_t id)
{
	char work[64], given[64];

	name_directory(work, KR_HELPER_WORK, id);
	name_directory(given, KR_HELPER_GIVEN, id);
	umount2(given, MNT_DETACH);
	umount2(work, MNT_DETACH);
	rmdir(given);
	rmdir(work);
	return 0;
}

int
kr_helper_do(struct kr_helper *helper, const struct kr_helper_request *request, int *fd)
{
	const bool inside = request->op == KR_HELPER_CLONE;
	const int ret = go(helper, inside ? helper->inner : helper->outer);

	*fd = -1;
	if (ret)
		return ret;
	switch (request->op) {
	case KR_HELPER_MAKE:
		return make(request->id, fd);
	case KR_HELPER_BIND:
		return bind_file(request);
	case KR_HELPER_CLOSE:
		return publish(request->id, false);
	case KR_HELPER_OPEN:
		return publish(request->id, true);
	case KR_HELPER_CLONE:
		return clone_given(request->id, fd);
	case KR_HELPER_DROP:
		return drop(request->id);
	}
	return -EINVAL;
}

static int
try_clone(int fd)
{
	/*
	 * Another change is permitted to this process: when the one that matters is refused, it is
	 * for the lock.
	 */
	int ret = change(fd, 0, MOUNT_ATTR_NOEXEC, 0, 0);

	if (ret)
		return ret;
	ret = change(fd, 0, 0, MOUNT_ATTR_RDONLY, 0);
	if (!ret)
		return -EPERM;
	return ret == -EPERM ? 0 : ret;
}

int
kr_helper_try_locks(struct kr_helper *helper)
{
	struct kr_helper_request request = {.op = KR_HELPER_MAKE};
	int fd;
	int ret = kr_helper_do(helper, &request, &fd);

	if (ret)
		return ret;
	close(fd);
	request.op = KR_HELPER_CLOSE;
	ret = kr_helper_do(helper, &request, &fd);
	if (!ret) {
		request.op = KR_HELPER_CLONE;
		ret = kr_helper_do(helper, &request, &fd);
	}
	if (!ret) {
		ret = try_clone(fd);
		close(fd);
	}
	request.op = KR_HELPER_DROP;
	(void)!kr_helper_do(helper, &request, &fd);
	return ret;
}
