/* SPDX-License-Identifier: Apache-2.0 */
/* Directories that clients read and watch: manifest fs and device fs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "rig.h"
#include "tests/harness/harness.h"
#include "util/macros.h"

struct rig {
	struct kr_store *store;
	struct kr_tree *tree;
	struct kr_given given;
};

static struct rig
make_rig(struct kr_store *take_store)
{
	struct rig rig = {.store = take_store};

	assert_int_equal(kr_tree_create(rig.store, "manifests", &rig.tree), 0);
	assert_int_equal(kr_tree_give(rig.tree, &rig.given), 0);
	assert_int_equal(rig.given.count, 1);
	return rig;
}

static void
end_rig(struct rig *rig)
{
	kr_given_finish(&rig->given);
	kr_tree_destroy(rig->tree);
	kr_store_destroy(rig->store);
}

static void
put(struct rig *rig, const char *path, const char *text)
{
	assert_int_equal(kr_tree_put(rig->tree, path, text, strlen(text)), 0);
}

static int
entries_of(int fd)
{
	DIR *dir = fdopendir(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

/* M-02: what is put later is seen in what was given before. */
static void
changes_are_seen(void **state)
{
	struct rig rig = make_rig(make_mounting_store());
	const int fd = rig.given.fds[0];
	struct stat st;

	assert_int_equal(rig.given.kind, KR_DELIVERY_MOUNT);
	put(&rig, "0-a.json", "one");
	put(&rig, "dri/card0", "");
	put(&rig, "dri/renderD128", "");
	assert_given_holds(&rig.given, 0, "0-a.json", "one");
	put(&rig, "0-a.json", "another");
	assert_given_holds(&rig.given, 0, "0-a.json", "another");
	assert_int_equal(entries_of(fd), 2);
	assert_int_equal(fstatat(fd, "dri/renderD128", &st, 0), 0);
	kr_tree_remove(rig.tree, "dri/renderD128");
	assert_int_equal(fstatat(fd, "dri/renderD128", &st, 0), -1);
	assert_int_equal(fstatat(fd, "dri/card0", &st, 0), 0);
	kr_tree_remove(rig.tree, "dri/card0");
	assert_int_equal(fstatat(fd, "dri", &st, 0), -1);
	kr_tree_remove(rig.tree, "0-a.json");
	kr_tree_remove(rig.tree, "0-a.json");
	assert_int_equal(entries_of(fd), 0);
	end_rig(&rig);
}

/* In the client: waits for one file to appear and to go, and reads it when it is there. */
static int
watch_events(void *data)
{
	const int *fds = data; /* the directory, then a pipe that says when it is watched */
	const int watcher = inotify_init1(IN_CLOEXEC);
	char buffer[4096] __attribute__((aligned(8)));
	bool moved = false, deleted = false;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	MUST(inotify_add_watch(watcher, path, IN_MOVED_TO | IN_DELETE) >= 0);
	MUST(write(fds[1], "", 1) == 1);
	while (!moved || !deleted) {
		struct pollfd poller = {.fd = watcher, .events = POLLIN};
		const struct inotify_event *event;
		ssize_t size;

		MUST(poll(&poller, 1, 10000) == 1);
		size = read(watcher, buffer, sizeof(buffer));
		for (char *at = buffer; at < buffer + size; at += sizeof(*event) + event->len) {
			event = (const struct inotify_event *)at;
			if (event->name[0] == '.')
				continue;
			MUST(!strcmp(event->name, "0-a.json"));
			if (event->mask & IN_MOVED_TO) {
				/* It is whole when it appears. */
				const int fd = openat(fds[0], event->name, O_RDONLY);
				char text[8] = "";

				MUST(fd >= 0 && read(fd, text, 8) == 3 && !strcmp(text, "one"));
				moved = true;
				MUST(write(fds[1], "", 1) == 1);
			}
			deleted |= !!(event->mask & IN_DELETE);
		}
	}
	MUST(moved && deleted);
	return 0;
}

static void
watch_as(enum client_kind kind)
{
	struct rig rig = make_rig(make_mounting_store());
	int pipes[2], fds[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	fds[0] = rig.given.fds[0];
	fds[1] = pipes[1];
	pid = fork();
	if (pid == 0)
		_exit(as_client(kind, watch_events, fds) ? 0 : 99);
	close(pipes[1]);
	if (read(pipes[0], &byte, 1) == 1) {
		put(&rig, "0-a.json", "one");
		assert_int_equal(read(pipes[0], &byte, 1), 1);
		kr_tree_remove(rig.tree, "0-a.json");
	}
	close(pipes[0]);
	byte = (char)wait_for_child(pid);
	if (byte != 99)
		assert_int_equal(byte, 0);
	end_rig(&rig);
}

/*
 * M-03: inotify tells clients of other namespaces and users of a file when it is whole, and when it
 * goes.
 */
static void
changes_are_told(void **state)
{
	for (int kind = 0; kind < CLIENT_KINDS; kind++)
		watch_as(kind);
}

static int
change_directory_given(void *data)
{
	const int fd = *(const int *)data;
	struct mount_attr writable = {.attr_clr = MOUNT_ATTR_RDONLY};

	REFUSED(openat(fd, "new", O_WRONLY | O_CREAT, 0666));
	REFUSED(openat(fd, "0-a.json", O_RDWR));
	REFUSED(unlinkat(fd, "0-a.json", 0));
	REFUSED(renameat(fd, "0-a.json", fd, "0-b.json"));
	REFUSED(mkdirat(fd, "folder", 0777));
	REFUSED(fchmod(fd, 0777));
	REFUSED(openat(fd, "../etc/passwd", O_RDONLY));
	REFUSED(mount_setattr(fd, "", AT_EMPTY_PATH, &writable, sizeof(writable)));
	REFUSED(openat(fd, "new", O_WRONLY | O_CREAT, 0666));
	return 0;
}

/* */
static void
clients_cant_change_it(void **state)
{
	struct rig rig = make_rig(make_mounting_store());
	struct statvfs vfs;

	put(&rig, "0-a.json", "one");
	assert_int_equal(fstatvfs(rig.given.fds[0], &vfs), 0);
	assert_int_equal(vfs.f_flag & (ST_RDONLY | ST_NOSUID | ST_NODEV | ST_NOEXEC),
		ST_RDONLY | ST_NOSUID | ST_NODEV | ST_NOEXEC);
	for (int kind = 0; kind < CLIENT_KINDS; kind++)
		(void)as_client(kind, change_directory_given, rig.given.fds);
	assert_given_holds(&rig.given, 0, "0-a.json", "one");
	assert_int_equal(entries_of(rig.given.fds[0]), 1);
	put(&rig, "0-a.json", "two");
	assert_given_holds(&rig.given, 0, "0-a.json", "two");
	end_rig(&rig);
}

static void
it_outlives_the_service(void **state)
{
	struct rig rig = make_rig(make_mounting_store());

	put(&rig, "0-a.json", "one");
	kr_tree_destroy(rig.tree);
	kr_store_destroy(rig.store);
	assert_given_holds(&rig.given, 0, "0-a.json", "one");
	kr_given_finish(&rig.given);
}

static void
assert_listing(struct kr_tree *tree, const char *listing)
{
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	struct kr_given given = {0};
	char *text;

	assert_int_equal(kr_tree_give(tree, &given), 0);
	assert_int_equal(given.kind, KR_DELIVERY_MEMORY);
	assert_int_equal(fcntl(given.fds[0], F_GET_SEALS) & seals, seals);
	assert_int_equal(lseek(given.fds[0], 0, SEEK_CUR), 0);
	text = read_all(given.fds[0]);
	assert_string_equal(text, listing);
	free(text);
	kr_given_finish(&given);
}

/* M-02, without mounts: a picture of the moment. */
static void
memory_gives_a_listing(void **state)
{
	struct rig rig = make_rig(make_store(KR_DELIVER_MEMORY));

	assert_listing(rig.tree, "{\"files\":[]}");
	put(&rig, "0-a.json", "{\"a\": \"b\"}");
	put(&rig, "dri/card0", "");
	assert_listing(rig.tree,
		"{\"files\":[{\"name\":\"0-a.json\",\"text\":\"{\\\"a\\\": \\\"b\\\"}\"},"
		"{\"name\":\"dri/card0\",\"text\":\"\"}]}");
	put(&rig, "0-a.json", "two");
	kr_tree_remove(rig.tree, "dri/card0");
	kr_tree_remove(rig.tree, "dri/card1");
	assert_listing(rig.tree, "{\"files\":[{\"name\":\"0-a.json\",\"text\":\"two\"}]}");
	end_rig(&rig);
}

/*
 * Without the process that makes mounts a listing is given; what was given as a directory still
 * follows.
 */
static void
dead_helper_gives_a_listing(void **state)
{
	struct rig rig = make_rig(make_auto_store());
	json_t *inspected;

	put(&rig, "0-a.json", "one");
	inspected = kr_store_inspect(rig.store);
	assert_int_equal(
		kill((pid_t)json_integer_value(json_object_get(inspected, "process")), SIGKILL), 0);
	json_decref(inspected);
	assert_listing(rig.tree, "{\"files\":[{\"name\":\"0-a.json\",\"text\":\"one\"}]}");
	put(&rig, "0-b.json", "two");
	assert_given_holds(&rig.given, 0, "0-b.json", "two");
	end_rig(&rig);
}

static void
bad_paths_are_refused(void **state)
{
	static const char *const paths[] = {
		"", "/a", "a/", "a//b", ".", "..", "../a", "a/../../b", "a/./b"};

	for (int memory = 0; memory < 2; memory++) {
		struct rig rig =
			make_rig(memory ? make_store(KR_DELIVER_MEMORY) : make_mounting_store());

		for (size_t i = 0; i < KR_ARRAY_LEN(paths); i++)
			assert_int_equal(kr_tree_put(rig.tree, paths[i], "x", 1), -EINVAL);
		assert_int_equal(kr_tree_put(rig.tree, "bytes", "\xff", 1), -EINVAL);
		end_rig(&rig);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(changes_are_seen),
	KR_TEST(changes_are_told),
	KR_TEST(clients_cant_change_it),
	KR_TEST(it_outlives_the_service),
	KR_TEST(memory_gives_a_listing),
	KR_TEST(dead_helper_gives_a_listing),
	KR_TEST(bad_paths_are_refused),
};

KR_TEST_MAIN(tests)
