/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose packages are taken: only those that nobody but root and the service's user can write
 * (Q-01).
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "rig.h"
#include "service/package/owners.h"
#include "util/file.h"

#define SOMEBODY 4242

/* With a directory in it, and a link. */
static void
make_good(void)
{
	rig_package(RIG_METADATA, RIG_MANIFEST);
	rig_write("libvulkan_t.so", "driver");
	rig_write("share/data", "data");
	assert_int_equal(symlink("share/data", rig_path("link")), 0);
}

static int
check(const struct kr_package *package, const char *words)
{
	char *reason;
	const int ret = kr_package_check_owners(package, &reason);

	if (!!ret != !!reason || (words && (!reason || !strstr(reason, words))))
		fail_msg("%d: %s, and not: %s", ret, reason ? reason : "good", words);
	free(reason);
	return ret;
}

static void
is_taken(void)
{
	struct kr_package *package = rig_open();

	assert_int_equal(check(package, NULL), 0);
	kr_package_destroy(package);
}

static void
is_refused(const char *words)
{
	struct kr_package *package = rig_open();

	assert_int_equal(check(package, words), -EPERM);
	kr_package_destroy(package);
}

#define METADATA "metadata.json, wherever it is"

/* Of a part of the package; NULL is itself. */
static const char *
part_path(const char *name)
{
	return name && !strcmp(name, METADATA) ? rig_metadata_path() : rig_path(name);
}

static void
change_mode(const char *path, mode_t mode)
{
	if (chmod(path, mode))
		fail_msg("%s: %s", path, strerror(errno));
}

static void
one_that_only_its_owner_writes(void **state)
{
	make_good();
	is_taken();
	change_mode(rig_path("libvulkan_t.so"), 0555);
	change_mode(rig_path("share/data"), 0600);
	is_taken();
}

/* Each file and each directory of it. */
static void
what_others_can_write(void **state)
{
	static const struct {
		const char *name;
		mode_t mode;
	} parts[] = {{"libvulkan_t.so", 0644}, {"share/data", 0644}, {"t.json", 0644},
		{METADATA, 0644}, {"share", 0755}, {"", 0755}, {NULL, 0755}};

	make_good();
	for (size_t i = 0; i < KR_ARRAY_LEN(parts); i++) {
		const char *path = part_path(parts[i].name);

		change_mode(path, parts[i].mode | 0020);
		is_refused("can be written by its group (mode 0");
		change_mode(path, parts[i].mode | 0002);
		is_refused("can be written by everybody (mode 0");
		change_mode(path, parts[i].mode);
		is_taken();
	}
}

/* Where it lies: everybody could put another in its place, but not where only owners rename. */
static void
where_others_can_write(void **state)
{
	make_good();
	change_mode(kr_test_dir(), 0777);
	is_refused("can be written by everybody (mode 0777)");
	change_mode(kr_test_dir(), 01777);
	is_taken();
	change_mode(kr_test_dir(), 0700);
}

/* The package by a link, and that by one in a directory of everybody's. */
static void
links_of_others(void **state)
{
	const char *dir = kr_test_dir();
	char open_dir[300], through[600], link[300], *reason;
	struct kr_package *package;

	make_good();
	snprintf(open_dir, sizeof(open_dir), "%s/open", dir);
	snprintf(through, sizeof(through), "%s/q", open_dir);
	snprintf(link, sizeof(link), "%s/current", dir);
	assert_int_equal(mkdir(open_dir, 0755), 0);
	assert_int_equal(symlink("../p", through), 0);
	assert_int_equal(symlink("./open/../open/q", link), 0);
	assert_int_equal(kr_package_open(link, &package, &reason), 0);
	assert_int_equal(check(package, NULL), 0);
	change_mode(open_dir, 0777);
	assert_int_equal(check(package, "/open can be written by everybody"), -EPERM);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink(through, link), 0);
	assert_int_equal(check(package, "/open can be written by everybody"), -EPERM);
	change_mode(open_dir, 0755);
	assert_int_equal(check(package, NULL), 0);
	assert_int_equal(unlink(through), 0);
	assert_int_equal(symlink("../current", through), 0);
	assert_int_equal(check(package, "levels of symbolic links"), -ELOOP);
	assert_int_equal(unlink(through), 0);
	assert_int_equal(check(package, "can't be looked at"), -EAGAIN);
	kr_package_destroy(package);
}

/* The file that is held counts, not the one that has its name by now. */
static void
the_held_file(void **state)
{
	struct kr_package *package;

	make_good();
	change_mode(rig_path("libvulkan_t.so"), 0666);
	package = rig_open();
	rig_write("new", "driver");
	assert_int_equal(rename(rig_path("new"), rig_path("libvulkan_t.so")), 0);
	assert_int_equal(check(package, "libvulkan_t.so can be written by everybody"), -EPERM);
	kr_package_destroy(package);
}

static void
give_away(const char *path)
{
	assert_int_equal(lchown(path, SOMEBODY, (gid_t)-1), 0);
}

static void
what_others_own(void **state)
{
	static const char *const parts[] = {"libvulkan_t.so", "share", METADATA, "", NULL};

	if (geteuid() != 0)
		kr_test_skip("no-root", NULL);
	make_good();
	for (size_t i = 0; i < KR_ARRAY_LEN(parts); i++) {
		give_away(part_path(parts[i]));
		is_refused("belongs to user 4242: drivers are taken only from what root or user 0");
		assert_int_equal(chown(part_path(parts[i]), 0, (gid_t)-1), 0);
	}
	/* Only in a directory of everybody's could somebody make a link, which still he may. */
	give_away(rig_path("link"));
	is_refused("link belongs to user 4242");
}

/*
 * Only this user has a number there, and keeps his. Changing users has hidden the process from
 * itself.
 */
static int
enter_namespace(uid_t uid)
{
	char map[32];
	int fd;

	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	if (prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER))
		return 101;
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, map, strlen(map)) < 0 ? 102 : 0;
}

/* In a child: as the owner of what lies there, or as another. */
static int
status_as(uid_t uid, bool in_namespace)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct kr_package *package;
		char *reason;
		int ret = setresuid(uid, uid, uid) ? 100 : 0;

		if (!ret && in_namespace)
			ret = enter_namespace(uid);
		ret = ret ? ret : -kr_package_open(rig_path(NULL), &package, &reason);
		_exit(ret ? ret : -kr_package_check_owners(package, &reason));
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* A service of SOMEBODY takes his, and root's, and no third one's. */
static void
the_services_own(void **state)
{
	if (geteuid() != 0)
		kr_test_skip("no-root", NULL);
	make_good();
	change_mode(kr_test_dir(), 0755);
	assert_int_equal(status_as(SOMEBODY, false), 0);
	give_away(rig_path("libvulkan_t.so"));
	assert_int_equal(status_as(SOMEBODY, false), 0);
	assert_int_equal(status_as(SOMEBODY + 1, false), EPERM);
}

/*
 * Where root has no number, as in a sandbox, what it owns is taken all the same; not what all can
 * write.
 */
static void
in_a_user_namespace(void **state)
{
	int status;

	if (geteuid() != 0)
		kr_test_skip("no-root", NULL);
	make_good();
	change_mode(kr_test_dir(), 0755);
	status = status_as(SOMEBODY, true);
	if (status == 101)
		kr_test_skip("no-namespaces", NULL);
	assert_int_equal(status, 0);
	change_mode(rig_path("libvulkan_t.so"), 0666);
	assert_int_equal(status_as(SOMEBODY, true), EPERM);
}

/* I-02: whoever writes the file that names a directory says what it is, and so does its owner. */
static void
component_of_a_directory(void **state)
{
	char text[1024], component[600], *reason;
	struct kr_package *package;

	rig_choose_layout("fuchsia");
	make_good();
	snprintf(text, sizeof(text),
		"{\"program\": {\"runner\": \"icd_runner\", \"directory\": \"%s\"}}",
		rig_path(NULL));
	snprintf(component, sizeof(component), "%s/c", kr_test_dir());
	assert_int_equal(mkdir(component, 0755), 0);
	kr_test_file("c/component.json", text);
	assert_int_equal(kr_package_open(component, &package, &reason), 0);
	assert_int_equal(check(package, NULL), 0);
	assert_non_null(package->component);
	snprintf(component, sizeof(component), "%s/c/component.json", kr_test_dir());
	change_mode(component, 0666);
	assert_int_equal(check(package, "component.json can be written by everybody"), -EPERM);
	change_mode(component, 0644);
	change_mode(rig_path("share"), 0777);
	assert_int_equal(check(package, "share can be written by everybody"), -EPERM);
	change_mode(rig_path("share"), 0755);
	assert_int_equal(check(package, NULL), 0);
	kr_package_destroy(package);
}

static const struct kr_test tests[] = {
	KR_TEST(one_that_only_its_owner_writes),
	KR_TEST(what_others_can_write),
	KR_TEST(where_others_can_write),
	KR_TEST(links_of_others),
	KR_TEST(the_held_file),
	KR_TEST(what_others_own),
	KR_TEST(the_services_own),
	KR_TEST(in_a_user_namespace),
	KR_TEST(component_of_a_directory),
};

KR_TEST_MAIN(tests)
