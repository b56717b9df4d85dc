/* SPDX-License-Identifier: Apache-2.0 */
/* Generations as mounts: what they hold, how long, and what they cost. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "rig.h"
#include "tests/harness/harness.h"
#include "util/clock.h"

/* F-04: the package's files, the index and the manifest, to be executed and not to be written. */
static void
mount_holds_the_package(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation = make_generation(store, make_package("package"));
	char *index = kr_package_index(kr_generation_package(generation), "0-libgood.so");
	struct kr_given given = give(generation, false);
	struct statvfs vfs;
	void *map;
	int fd;

	assert_string_equal(kr_generation_name(generation), "0-libgood.so");
	assert_int_equal(given.kind, KR_DELIVERY_MOUNT);
	assert_int_equal(given.count, 1);
	assert_holds_all(&given);
	assert_given_holds(&given, 0, KR_INDEX_FILE, index);
	assert_given_holds(&given, 0, "test_icd.json", "{\"manifest\": true}\n");
	fd = open_given(&given, 0, "libgood.so", O_RDONLY);
	assert_int_equal(fstatvfs(fd, &vfs), 0);
	assert_int_equal(vfs.f_flag & (ST_RDONLY | ST_NOSUID | ST_NODEV | ST_NOEXEC),
		ST_RDONLY | ST_NOSUID | ST_NODEV);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	munmap(map, 4096);
	close(fd);
	free(index);
	kr_given_finish(&given);
	assert_int_equal(given.count, 0);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

/* Whatever the service's umask is, everybody may read. */
static void
umask_changes_nothing(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation;
	struct kr_package *package = make_package("package");
	struct kr_given given;
	struct stat st;

	umask(0777);
	generation = make_generation(store, package);
	given = give(generation, false);
	assert_int_equal(fstatat(given.fds[0], "share", &st, 0), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0755);
	assert_int_equal(fstatat(given.fds[0], KR_INDEX_FILE, &st, 0), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0444);
	assert_int_equal(fstatat(given.fds[0], ".", &st, 0), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0755);
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

static int
count_mounts(pid_t pid)
{
	char path[64], line[4096];
	FILE *file;
	int count = 0;

	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)pid);
	file = fopen(path, "re");
	if (!file)
		kr_test_skip("no-root", NULL);
	while (fgets(line, sizeof(line), file))
		count++;
	fclose(file);
	return count;
}

/*
 * Giving leaves the process where clones are made; the other namespace is counted right after
 * something was made.
 */
static int
count_inner(struct kr_store *store, struct kr_generation *generation)
{
	struct kr_given given = give(generation, false);

	kr_given_finish(&given);
	return count_mounts(helper_of(store));
}

/* A dropped generation leaves nothing mounted where mounts are made, nor where they are cloned. */
static void
nothing_stays_mounted(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation = make_generation(store, make_package("package"));
	const int outer = count_mounts(helper_of(store)), inner = count_inner(store, generation);

	for (int i = 0; i < 10; i++) {
		struct kr_generation *other = make_generation(store, make_package("other"));
		struct kr_tree *tree;

		assert_int_equal(kr_tree_create(store, "tree", &tree), 0);
		/*
		 * A directory and two files; the tree's directory, which is written through another
		 * mount.
		 */
		assert_int_equal(count_mounts(helper_of(store)), outer + 3 + 2);
		assert_int_equal(count_inner(store, generation), inner + 3 + 1);
		kr_tree_destroy(tree);
		kr_generation_unref(other);
		assert_int_equal(count_mounts(helper_of(store)), outer);
		assert_int_equal(count_inner(store, generation), inner);
	}
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

static void
many_generations_and_clients(void **state)
{
	enum { GENERATIONS = 50, CLIENTS = 10 };
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generations[GENERATIONS];
	static struct kr_given given[GENERATIONS][CLIENTS];
	char name[16], texts[GENERATIONS][16];

	for (int i = 0; i < GENERATIONS; i++) {
		struct rig_file file = {"libgood.so", texts[i], KR_INDEX_DRIVER};
		char directory[256];

		snprintf(texts[i], sizeof(texts[i]), "text %d", i);
		snprintf(name, sizeof(name), "package %d", i);
		snprintf(directory, sizeof(directory), "%s/%s", kr_test_dir(), name);
		generations[i] = make_generation(store, make_package_of(directory, &file, 1));
		for (int k = 0; k < CLIENTS; k++)
			given[i][k] = give(generations[i], false);
	}
	for (int i = 0; i < GENERATIONS; i += 2)
		kr_generation_unref(generations[i]);
	for (int i = 0; i < GENERATIONS; i++) {
		for (int k = 0; k < CLIENTS; k++) {
			assert_given_holds(&given[i][k], 0, "libgood.so", texts[i]);
			kr_given_finish(&given[i][k]);
		}
	}
	for (int i = 1; i < GENERATIONS; i += 2)
		kr_generation_unref(generations[i]);
	kr_store_destroy(store);
}

/* A reference keeps it. */
static void
references_are_counted(void **state)
{
	struct kr_store *store = make_store(KR_DELIVER_AUTO);
	struct kr_generation *generation = make_generation(store, make_package("package"));
	struct kr_given given;

	assert_ptr_equal(kr_generation_ref(generation), generation);
	kr_generation_unref(generation);
	given = give(generation, false);
	assert_holds_all(&given);
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_generation_unref(NULL);
	kr_store_destroy(store);
}

static void
descriptor_limit_is_raised(void **state)
{
	struct rlimit limit;
	struct kr_store *store;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 200;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	store = make_store(KR_DELIVER_MEMORY);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(limit.rlim_cur, limit.rlim_max);
	kr_store_destroy(store);
}

static double
milliseconds_since(int64_t start)
{
	return (double)(kr_clock_now() - start) / KR_NSEC_PER_MSEC;
}

/* What it costs to make and to give a real driver: told, nothing is demanded. */
static void
costs_of_lavapipe(void **state)
{
	static const char manifest[] = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
	struct kr_package_source_options options = {0};
	struct kr_store *store = make_store(KR_DELIVER_AUTO);
	struct kr_generation *generation;
	struct kr_package *package;
	static struct kr_given clients[100];
	struct kr_given given;
	int64_t start;
	char *reason = NULL;

	if (access(manifest, R_OK))
		kr_test_skip("no-lavapipe", NULL);
	start = kr_clock_now();
	if (kr_package_from_manifest(manifest, &options, &package, &reason))
		fail_msg("%s", reason);
	print_message("# package: %zu files, read in %.1f ms\n", package->file_count,
		milliseconds_since(start));
	start = kr_clock_now();
	if (kr_package_check(package, NULL, &reason))
		fail_msg("%s", reason);
	print_message("# checked in %.1f ms\n", milliseconds_since(start));
	start = kr_clock_now();
	generation = make_generation(store, package);
	print_message("# generation made in %.2f ms\n", milliseconds_since(start));
	start = kr_clock_now();
	for (int i = 0; i < 100; i++)
		clients[i] = give(generation, false);
	print_message("# given in %.3f ms (kind %d; mean of 100)\n",
		milliseconds_since(start) / 100, clients[0].kind);
	start = kr_clock_now();
	for (int i = 0; i < 100; i++)
		kr_given_finish(&clients[i]);
	print_message("# closed in %.3f ms\n", milliseconds_since(start) / 100);
	start = kr_clock_now();
	given = give(generation, true);
	kr_given_finish(&given);
	print_message("# first strict copies in %.1f ms\n", milliseconds_since(start));
	start = kr_clock_now();
	for (int i = 0; i < 100; i++) {
		given = give(generation, true);
		kr_given_finish(&given);
	}
	print_message("# later ones in %.3f ms (mean of 100)\n", milliseconds_since(start) / 100);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

static const struct kr_test tests[] = {
	KR_TEST(mount_holds_the_package),
	KR_TEST(umask_changes_nothing),
	KR_TEST(nothing_stays_mounted),
	KR_TEST(many_generations_and_clients),
	KR_TEST(references_are_counted),
	KR_TEST(descriptor_limit_is_raised),
	KR_TEST_FLAGS(costs_of_lavapipe, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
