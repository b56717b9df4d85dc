/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nobody who gets a driver can change what others run, or reach what he wasn't given: every escape
 * of escapes.h, by clients of each kind.
 */
#include "escapes.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"
#include "tests/harness/harness.h"

struct pair {
	struct kr_store *store;
	struct kr_generation *generation;
};

static struct pair
make_pair(bool mounting)
{
	struct pair pair = {
		.store = mounting ? make_mounting_store() : make_store(KR_DELIVER_MEMORY)};

	pair.generation = make_generation(pair.store, make_package("package"));
	return pair;
}

static void
end_pair(struct pair *pair)
{
	kr_generation_unref(pair->generation);
	kr_store_destroy(pair->store);
}

/*
 * To the files themselves nothing has happened, nor to what another client got before or gets now.
 */
static void
assert_whole(struct pair *pair, const struct kr_given *before)
{
	struct kr_given now = give(pair->generation, false);

	assert_given_holds(before, 0, "libgood.so", "good");
	assert_given_holds(before, 1, "share/data.bin", "data");
	assert_given_holds(&now, 0, "libgood.so", "good");
	assert_given_holds(&now, 1, "share/data.bin", "data");
	kr_given_finish(&now);
}

/* Root's capabilities outside of all namespaces open any handle: nothing can be kept from root. */
static bool
is_pointless(const struct escape *escape, enum client_kind kind)
{
	return kind == CLIENT_SAME_USER && geteuid() == 0 &&
		!strcmp(escape->name, "open by handle");
}

static void
try_escapes(struct pair *pair, const struct escape *escapes, size_t count)
{
	for (int kind = 0; kind < CLIENT_KINDS; kind++) {
		for (size_t i = 0; i < count; i++) {
			struct kr_given before = give(pair->generation, false);
			struct kr_given given = give(pair->generation, false);
			struct target target = {
				given.kind == KR_DELIVERY_MOUNT ? given.fds[0] : given.fds[1]};

			if (is_pointless(&escapes[i], kind))
				goto next;
			if (!as_client(kind, escapes[i].try, &target))
				print_message("# left out: %s\n", client_name(kind));
			assert_whole(pair, &before);
		next:
			kr_given_finish(&given);
			kr_given_finish(&before);
		}
	}
}

/* */
static void
mounts_hold(void **state)
{
	struct pair pair = make_pair(true);

	try_escapes(&pair, mount_escapes, mount_escape_count);
	end_pair(&pair);
}

/* */
static void
memory_holds(void **state)
{
	struct pair pair = make_pair(false);

	try_escapes(&pair, memory_escapes, memory_escape_count);
	end_pair(&pair);
}

/* strict copies of a service that gives mounts. */
static void
strict_memory_holds(void **state)
{
	struct pair pair = make_pair(true);
	struct kr_given given = give(pair.generation, true);

	for (size_t i = 0; i < given.count; i++) {
		struct target target = {given.fds[i]};

		for (size_t k = 0; k < memory_escape_count; k++)
			assert_true(as_client(CLIENT_SAME_USER, memory_escapes[k].try, &target));
	}
	assert_given_holds(&given, 0, "libgood.so", "good");
	kr_given_finish(&given);
	end_pair(&pair);
}

/*
 * symbolic links of a package arrive as the files that they name, also those that lead out of
 * it.
 */
static void
links_arrive_as_files(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_package *package = make_package("package");
	const char *outside = kr_test_file("outside", "outside");
	struct kr_generation *generation;
	struct kr_given given;
	char link[256];
	struct stat st;

	assert_int_equal(chmod(outside, 0644), 0);
	snprintf(link, sizeof(link), "%s/package/share/link.bin", kr_test_dir());
	assert_int_equal(symlink(outside, link), 0);
	free(package->files[1].path);
	close(package->files[1].fd);
	snprintf(link, sizeof(link), "%s/package", kr_test_dir());
	pin_file(package, 1, link, "share/link.bin", KR_INDEX_DATA);
	generation = make_generation(store, package);
	given = give(generation, false);
	assert_int_equal(given.kind, KR_DELIVERY_MOUNT);
	assert_int_equal(fstatat(given.fds[0], "share/link.bin", &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_given_holds(&given, 1, "share/link.bin", "outside");
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

/* A client breaks its own clone in every way that it may. */
static int
break_own(void *data)
{
	const int fd = ((const struct target *)data)->fd;
	struct mount_attr noexec = {.attr_set = MOUNT_ATTR_NOEXEC};
	int file;

	MUST(!mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &noexec, sizeof(noexec)));
	file = openat(fd, "libgood.so", O_RDONLY);
	MUST(file >= 0);
	MUST(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED);
	MUST(!move_mount(fd, "", AT_FDCWD, "/tmp", MOVE_MOUNT_F_EMPTY_PATH));
	MUST(!mount("/etc/passwd", "/tmp/libgood.so", NULL, MS_BIND, NULL));
	return 0;
}

/* each client has a mount of its own; what it does with it isn't seen in another's. */
static void
changes_stay_with_their_client(void **state)
{
	struct pair pair = make_pair(true);
	struct kr_given other = give(pair.generation, false);
	struct kr_given given = give(pair.generation, false);
	struct target target = {given.fds[0]};
	int file;

	if (!as_client(CLIENT_OWN_NAMESPACES, break_own, &target))
		kr_test_skip("no-namespaces", NULL);
	file = openat(other.fds[0], "libgood.so", O_RDONLY | O_CLOEXEC);
	assert_true(file >= 0);
	assert_ptr_not_equal(
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0), MAP_FAILED);
	close(file);
	assert_whole(&pair, &other);
	kr_given_finish(&given);
	kr_given_finish(&other);
	end_pair(&pair);
}

/* Where it has attached its clone: nothing that happens to the store's own mounts comes to it. */
static int
attach_and_look(void *data)
{
	FILE *file;
	char line[4096];
	int lines = 0;

	MUST(!move_mount(
		((const struct target *)data)->fd, "", AT_FDCWD, "/tmp", MOVE_MOUNT_F_EMPTY_PATH));
	file = fopen("/proc/self/mountinfo", "re");
	MUST(file);
	while (fgets(line, sizeof(line), file)) {
		if (!(strstr(line, " /tmp ") && strstr(line, " krafla ")) &&
			!strstr(line, " /tmp/libgood.so "))
			continue;
		MUST(!strstr(line, "master:"));
		lines++;
	}
	fclose(file);
	MUST(lines == 2);
	return 0;
}

/* */
static void
clones_are_private(void **state)
{
	struct pair pair = make_pair(true);
	struct kr_given given = give(pair.generation, false);
	struct target target = {given.fds[0]};

	if (!as_client(CLIENT_OWN_NAMESPACES, attach_and_look, &target))
		kr_test_skip("no-namespaces", NULL);
	kr_given_finish(&given);
	end_pair(&pair);
}

/* Writes over a private mapping as a debugger does, which ignores what the mapping permits. */
static int
write_own_memory(void *data)
{
	const int fd = ((const struct target *)data)->fd;
	const int memory = open("/proc/self/mem", O_RDWR);
	char *map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	char *shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	MUST(map != MAP_FAILED && shared != MAP_FAILED && memory >= 0);
	MUST(pwrite(memory, "evil", 4, (off_t)(uintptr_t)map) == 4);
	MUST(!memcmp(map, "evil", 4));
	(void)!pwrite(memory, "evil", 4, (off_t)(uintptr_t)shared);
	MUST(!memcmp(shared, "good", 4));
	return 0;
}

/* F-04, Fuchsia's VmosIndependent: what a client writes into its mapping is in no other's. */
static void
vmos_independent(void **state)
{
	for (int strict = 0; strict < 2; strict++) {
		struct pair pair = make_pair(!strict);
		struct kr_given given = give(pair.generation, strict);
		struct target target = {open_given(&given, 0, "libgood.so", O_RDONLY)};

		assert_true(target.fd >= 0);
		for (int kind = 0; kind < CLIENT_KINDS; kind++) {
			(void)as_client(kind, write_own_memory, &target);
			assert_whole(&pair, &given);
		}
		close(target.fd);
		kr_given_finish(&given);
		end_pair(&pair);
	}
}

/*
 * of one memory object, nobody moves another's position, and who closes it to all finds it
 * open again.
 */
static int
spoil_object(void *data)
{
	const int fd = ((const struct target *)data)->fd;
	char byte;

	MUST(read(fd, &byte, 1) == 1);
	MUST(lseek(fd, 3, SEEK_SET) == 3);
	(void)!fchmod(fd, 0);
	return 0;
}

static void
objects_are_shared_without_harm(void **state)
{
	struct pair pair = make_pair(false);
	struct kr_given other = give(pair.generation, false);
	struct kr_given given = give(pair.generation, false);
	struct target target = {given.fds[1]};
	struct kr_given later;
	struct stat st;

	assert_true(as_client(CLIENT_SAME_USER, spoil_object, &target));
	assert_int_equal(lseek(other.fds[1], 0, SEEK_CUR), 0);
	later = give(pair.generation, false);
	assert_int_equal(fstat(later.fds[1], &st), 0);
	assert_int_equal(st.st_mode & 0777, 0444);
	kr_given_finish(&later);
	kr_given_finish(&given);
	kr_given_finish(&other);
	end_pair(&pair);
}

/* Of the process that makes the mounts, with a service of the client's own user. */
static int
seize_helper(void *data)
{
	const pid_t pid = *(const pid_t *)data;
	static const char *const names[] = {"ns/user", "ns/mnt", "root", "fd", "mem", "cwd"};
	char path[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, names[i]);
		REFUSED(open(path, O_RDONLY));
	}
	REFUSED(ptrace(PTRACE_ATTACH, pid, NULL, NULL));
	return 0;
}

static int
serve_and_be_seized(void *data)
{
	struct kr_store *store = make_mounting_store();
	pid_t pid = helper_of(store);

	for (int kind = CLIENT_SAME_USER; kind <= CLIENT_OWN_NAMESPACES; kind++)
		MUST(as_client(kind, seize_helper, &pid));
	kr_store_destroy(store);
	return 0;
}

/* other processes of the service's user can't get at its namespaces. */
static void
helper_is_out_of_reach(void **state)
{
	if (geteuid() != 0)
		assert_int_equal(serve_and_be_seized(NULL), 0);
	else if (!as_client(CLIENT_OTHER_USER, serve_and_be_seized, NULL))
		kr_test_skip("no-root", NULL);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(mounts_hold, 0, 60),
	KR_TEST_SLOW(memory_holds, 0, 60),
	KR_TEST(strict_memory_holds),
	KR_TEST(links_arrive_as_files),
	KR_TEST(changes_stay_with_their_client),
	KR_TEST(clones_are_private),
	KR_TEST(vmos_independent),
	KR_TEST(objects_are_shared_without_harm),
	KR_TEST(helper_is_out_of_reach),
};

KR_TEST_MAIN(tests)
