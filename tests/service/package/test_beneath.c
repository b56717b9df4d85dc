/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Q-01 Opening below a directory: by openat2 and, where that is denied, by steps; both answer the
 * same.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"
#include "rig.h"
#include "service/package/beneath.h"

static int root;

static void
make_link(const char *text, const char *name)
{
	assert_int_equal(symlinkat(text, root, name), 0);
}

/* root/{a/b/file, links}, and a file beside root. */
static void
make_tree(void)
{
	char path[300];

	kr_test_file("outside", "outside");
	snprintf(path, sizeof(path), "%s/root", kr_test_dir());
	assert_int_equal(mkdir(path, 0755), 0);
	root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(root >= 0);
	assert_int_equal(mkdirat(root, "a", 0755), 0);
	assert_int_equal(mkdirat(root, "a/b", 0755), 0);
	kr_test_file("root/a/b/file", "inside");
	make_link("a/b/file", "to-file");
	make_link("a/b", "to-b");
	make_link("../../a/./b//file", "a/b/round");
	make_link("../outside", "out");
	make_link("a/b/../../../outside", "out-deep");
	make_link("/etc/passwd", "absolute");
	make_link("nothing", "to-nothing");
	make_link("loop", "loop");
	make_link("/proc/self/root/etc", "magic");
}

static const struct {
	const char *path;
	int result;       /* 0 or -errno */
	const char *same; /* below root: what it is */
} cases[] = {
	{".", 0, "."},
	{"a/b/file", 0, "a/b/file"},
	{"to-file", 0, "a/b/file"},
	{"to-b/file", 0, "a/b/file"},
	{"to-b/round", 0, "a/b/file"},
	{"a/../a/b", 0, "a/b"},
	{"a//b/", 0, "a/b"},
	{"..", -EXDEV, NULL},
	{"a/../..", -EXDEV, NULL},
	{"a/../../root/a", -EXDEV, NULL},
	{"out", -EXDEV, NULL},
	{"out-deep", -EXDEV, NULL},
	{"absolute", -EXDEV, NULL},
	{"magic", -EXDEV, NULL},
	{"/etc", -EXDEV, NULL},
	{"to-nothing", -ENOENT, NULL},
	{"nothing", -ENOENT, NULL},
	{"", -ENOENT, NULL},
	{"loop", -ELOOP, NULL},
	{"a/b/file/x", -ENOTDIR, NULL},
	{"to-file/..", -ENOTDIR, NULL},
	{"to-file/.", -ENOTDIR, NULL},
};

static void
check(int (*open_it)(int root, const char *path, int flags))
{
	struct stat got, due;

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		int fd = open_it(root, cases[i].path, O_PATH);

		if ((fd < 0 ? fd : 0) != cases[i].result)
			fail_msg("'%s' gave %d", cases[i].path, fd);
		if (fd < 0)
			continue;
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		assert_int_equal(fstat(fd, &got), 0);
		assert_int_equal(fstatat(root, cases[i].same, &due, 0), 0);
		if (got.st_ino != due.st_ino)
			fail_msg("'%s' isn't %s", cases[i].path, cases[i].same);
		close(fd);
	}
}

static void
check_directories(int (*open_it)(int root, const char *path, int flags))
{
	int fd = open_it(root, "to-b", O_RDONLY | O_DIRECTORY);

	assert_true(fd >= 0);
	assert_int_equal(faccessat(fd, "file", R_OK, 0), 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_PATH, 0);
	close(fd);
	assert_int_equal(open_it(root, "to-file", O_RDONLY | O_DIRECTORY), -ENOTDIR);
}

static void
both_ways_agree(void **state)
{
	make_tree();
	check(kr_package_open_beneath);
	check(kr_package_open_beneath_by_steps);
	check_directories(kr_package_open_beneath);
	check_directories(kr_package_open_beneath_by_steps);
	close(root);
}

/* As systemd denies it to services with DynamicUser=. */
static void
deny_openat2(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {KR_ARRAY_LEN(code), code};

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
	assert_int_equal(syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0), -1);
	assert_int_equal(errno, ENOSYS);
}

static void
packages_are_read_without_openat2(void **state)
{
	struct kr_package *package;

	make_tree();
	rig_package(RIG_METADATA, RIG_MANIFEST);
	rig_add("libvulkan_t.so", "good.so");
	deny_openat2();
	check(kr_package_open_beneath);
	package = rig_open();
	kr_package_destroy(package);
	close(root);
}

static const struct kr_test tests[] = {
	KR_TEST(both_ways_agree),
	KR_TEST(packages_are_read_without_openat2),
};
KR_TEST_MAIN(tests)
