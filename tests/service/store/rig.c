/* SPDX-License-Identifier: Apache-2.0 */
/* See rig.h. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/harness/harness.h"
#include "util/clock.h"
#include "util/fd.h"

#define OTHER_USER 65533
#define ALL_SEALS  (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

void
say_line(const char *file, int line, const char *what)
{
	fprintf(stderr, "# %s:%d: not so: %s\n", file, line, what);
}

static void
write_package_file(const char *directory, const struct rig_file *file)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, file->path);
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755))
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, file->text, strlen(file->text)), strlen(file->text));
	assert_int_equal(fchmod(fd, 0644), 0);
	close(fd);
}

void
pin_file(struct kr_package *package, size_t i, const char *directory, const char *path,
	enum kr_index_role role)
{
	struct kr_package_file *file = &package->files[i];
	char whole[512];
	struct stat st;

	snprintf(whole, sizeof(whole), "%s/%s", directory, path);
	file->fd = open(whole, O_RDONLY | O_CLOEXEC);
	assert_true(file->fd >= 0);
	assert_int_equal(fstat(file->fd, &st), 0);
	file->path = strdup(path);
	file->soname = NULL;
	file->role = role;
	file->size = (uint64_t)st.st_size;
	file->device = st.st_dev;
	file->inode = st.st_ino;
	file->mtime_ns = st.st_mtim.tv_sec * KR_NSEC_PER_SEC + st.st_mtim.tv_nsec;
}

struct kr_package *
make_package_of(const char *directory, const struct rig_file *files, size_t count)
{
	struct kr_package *package = calloc(1, sizeof(*package));

	package->name = strdup("test");
	package->path = strdup(directory);
	package->manifest_path = strdup("test_icd.json");
	package->manifest = strdup("{\"manifest\": true}\n");
	package->library_path = strdup("libgood.so");
	package->files = calloc(count, sizeof(*package->files));
	package->file_count = count;
	package->checked = true;
	for (size_t i = 0; i < count; i++) {
		write_package_file(directory, &files[i]);
		pin_file(package, i, directory, files[i].path, files[i].role);
		if (files[i].role == KR_INDEX_DRIVER)
			package->file_path = strdup(files[i].path);
	}
	return package;
}

struct kr_package *
make_package(const char *name)
{
	static const struct rig_file files[] = {
		{"libgood.so", "good", KR_INDEX_DRIVER},
		{"share/data.bin", "data", KR_INDEX_DATA},
	};
	char directory[256];

	snprintf(directory, sizeof(directory), "%s/%s", kr_test_dir(), name);
	return make_package_of(directory, files, KR_ARRAY_LEN(files));
}

struct kr_store *
make_store(enum kr_config_delivery choice)
{
	struct kr_store *store;
	char *reason;
	const int ret = kr_store_create(choice, &store, &reason);

	if (ret)
		fail_msg("no store: %s (%s)", reason, strerror(-ret));
	return store;
}

/* What the store needs: whether it is denied here is found out without it. */
static int
mount_in_namespaces(void *data)
{
	int ret = enter_namespaces();

	(void)data;
	if (!ret && mount("test", "/proc", "tmpfs", 0, NULL))
		ret = -errno;
	if (!ret && unshare(CLONE_NEWUSER | CLONE_NEWNS))
		ret = -errno;
	return ret ? 77 : 0;
}

struct kr_store *
make_mounting_store(void)
{
	struct kr_store *store;
	char *reason;

	if (!kr_store_create(KR_DELIVER_MOUNT, &store, &reason))
		return store;
	if (!as_client(CLIENT_SAME_USER, mount_in_namespaces, NULL))
		kr_test_skip("no-namespaces", reason);
	fail_msg("no mounts: %s", reason);
	return NULL;
}

struct kr_store *
make_auto_store(void)
{
	kr_store_destroy(make_mounting_store());
	return make_store(KR_DELIVER_AUTO);
}

struct kr_generation *
make_generation(struct kr_store *store, struct kr_package *take_package)
{
	struct kr_generation *generation;
	char *reason;
	const int ret =
		kr_generation_create(store, take_package, "0-libgood.so", &generation, &reason);

	if (ret)
		fail_msg("no generation: %s (%s)", reason, strerror(-ret));
	return generation;
}

struct kr_given
give(struct kr_generation *generation, bool strict)
{
	struct kr_given given = {0};

	assert_int_equal(kr_generation_give(generation, strict, &given), 0);
	return given;
}

int
open_given(const struct kr_given *given, size_t i, const char *path, int flags)
{
	char name[64];
	int fd;

	if (given->kind == KR_DELIVERY_MOUNT) {
		fd = openat(given->fds[0], path, flags | O_CLOEXEC);
	} else {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", given->fds[i + 1]);
		fd = open(name, flags | O_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

char *
read_all(int fd)
{
	char *text = calloc(1, 1 << 16);
	ssize_t size = pread(fd, text, (1 << 16) - 1, 0);

	assert_true(size >= 0);
	return text;
}

void
assert_given_holds(const struct kr_given *given, size_t i, const char *path, const char *text)
{
	const int fd = open_given(given, i, path, O_RDONLY);
	char *had;

	assert_true(fd >= 0);
	had = read_all(fd);
	assert_string_equal(had, text);
	free(had);
	close(fd);
}

void
assert_memory_of_package(const struct kr_given *given, const struct kr_generation *generation)
{
	char *index = kr_package_index(kr_generation_package(generation), "0-libgood.so"), *had;

	assert_int_equal(given->kind, KR_DELIVERY_MEMORY);
	assert_int_equal(given->count, 3);
	for (size_t i = 0; i < given->count; i++) {
		assert_int_equal(fcntl(given->fds[i], F_GET_SEALS) & ALL_SEALS, ALL_SEALS);
		assert_int_equal(fcntl(given->fds[i], F_GETFL) & O_ACCMODE, O_RDONLY);
		assert_int_equal(fcntl(given->fds[i], F_GETFD), FD_CLOEXEC);
	}
	had = read_all(given->fds[0]);
	assert_string_equal(had, index);
	assert_given_holds(given, 0, NULL, "good");
	assert_given_holds(given, 1, NULL, "data");
	free(had);
	free(index);
}

void
assert_reason(json_t *take_state, const char *reason)
{
	const char *had = json_string_value(json_object_get(take_state, "reason"));

	assert_string_equal(json_string_value(json_object_get(take_state, "delivery")), "memory");
	if (!had || !strstr(had, reason))
		fail_msg("the reason is '%s'", had ? had : "(none)");
	json_decref(take_state);
}

void
assert_holds_all(const struct kr_given *given)
{
	assert_given_holds(given, 0, "libgood.so", "good");
	assert_given_holds(given, 1, "share/data.bin", "data");
}

pid_t
helper_of(const struct kr_store *store)
{
	json_t *state = kr_store_inspect(store);
	const pid_t pid = (pid_t)json_integer_value(json_object_get(state, "process"));

	json_decref(state);
	return pid;
}

void
poll_for_input(int fd)
{
	struct pollfd poller = {.fd = fd, .events = POLLIN};

	assert_int_equal(poll(&poller, 1, 10000), 1);
}

int
wait_for_child(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int
write_map(const char *path, const char *text)
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

int
enter_namespaces(void)
{
	const uid_t uid = geteuid();
	const gid_t gid = getegid();
	char text[64];
	int ret;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return -errno;
	ret = write_map("/proc/self/setgroups", "deny");
	snprintf(text, sizeof(text), "%u %u 1", uid, uid);
	if (!ret)
		ret = write_map("/proc/self/uid_map", text);
	snprintf(text, sizeof(text), "%u %u 1", gid, gid);
	return ret ? ret : write_map("/proc/self/gid_map", text);
}

const char *
client_name(enum client_kind kind)
{
	static const char *const names[] = {"a client of the same user",
		"one in its own namespaces", "one of another user",
		"one of another user in its own namespaces"};

	return names[kind];
}

static bool
become(enum client_kind kind)
{
	if (kind == CLIENT_OTHER_USER || kind == CLIENT_OTHER_OWN_NAMESPACES) {
		if (setgroups(0, NULL) || setresgid(OTHER_USER, OTHER_USER, OTHER_USER) ||
			setresuid(OTHER_USER, OTHER_USER, OTHER_USER))
			return false;
		/* As after an exec: it owns its files in /proc. */
		prctl(PR_SET_DUMPABLE, 1);
	}
	if (kind == CLIENT_OWN_NAMESPACES || kind == CLIENT_OTHER_OWN_NAMESPACES)
		return !enter_namespaces();
	return true;
}

bool
as_client(enum client_kind kind, int (*fn)(void *data), void *data)
{
	enum { SKIPPED = 77, CANT_BECOME = 99 };
	const pid_t pid = fork();
	int code;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (!become(kind))
			_exit(CANT_BECOME);
		errno = 0;
		code = fn(data);
		if (code)
			fprintf(stderr, "# %s: %d: %s\n", client_name(kind), code, strerror(errno));
		_exit(code);
	}
	code = wait_for_child(pid);
	if (code == CANT_BECOME || code == SKIPPED)
		return false;
	if (code)
		fail_msg("%s: %d", client_name(kind), code);
	return true;
}
