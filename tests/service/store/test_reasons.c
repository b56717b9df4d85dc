/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why there is no mount: each reason made to happen, in a process with namespaces of its own where
 * that is needed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"
#include "tests/harness/harness.h"

/*
 * A store that gives this package as memory, for that reason; `store_reason`: because of the store
 * itself.
 */
static int
must_be_memory(struct kr_store *store, struct kr_package *take_package, const char *reason,
	bool store_reason)
{
	struct kr_generation *generation = make_generation(store, take_package);
	struct kr_given given = give(generation, false);

	assert_memory_of_package(&given, generation);
	if (store_reason)
		assert_reason(kr_store_inspect(store), reason);
	assert_reason(kr_generation_inspect(generation), reason);
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_store_destroy(store);
	return 0;
}

/* As an administrator does: no user namespaces below this one. */
static int
forbid_namespaces(void *data)
{
	struct kr_store *store;
	char *reason;
	FILE *file;

	file = fopen("/proc/sys/user/max_user_namespaces", "we");
	MUST(file && fputs("0", file) >= 0);
	MUST(!fclose(file));
	MUST(kr_store_create(KR_DELIVER_MOUNT, &store, &reason) == -ENOSPC);
	MUST(strstr(reason, "user namespace"));
	free(reason);
	return must_be_memory(
		make_store(KR_DELIVER_AUTO), make_package("package"), "user namespace", true);
}

/* */
static void
memory_where_namespaces_are_forbidden(void **state)
{
	kr_test_dir();
	if (!as_client(CLIENT_OWN_NAMESPACES, forbid_namespaces, NULL))
		kr_test_skip("no-namespaces", NULL);
}

/* In a chroot no user namespace can be made. */
static int
enter_chroot(void *data)
{
	struct kr_package *package = make_package("package");
	char path[256];

	snprintf(path, sizeof(path), "%s/proc", kr_test_dir());
	MUST(!mkdir(path, 0755));
	MUST(!mount("/proc", path, NULL, MS_BIND | MS_REC, NULL));
	MUST(!chroot(kr_test_dir()));
	return must_be_memory(make_store(KR_DELIVER_AUTO), package, "user namespace", true);
}

/* */
static void
memory_in_a_chroot(void **state)
{
	kr_test_dir();
	if (!as_client(CLIENT_OWN_NAMESPACES, enter_chroot, NULL))
		kr_test_skip("no-namespaces", NULL);
}

static int
mount_over(const char *name, unsigned long flags)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", kr_test_dir(), name);
	MUST(!mkdir(path, 0755) || errno == EEXIST);
	MUST(!mount("test", path, "tmpfs", flags, "mode=0755"));
	return 0;
}

static int
use_noexec_source(void *data)
{
	MUST(!mount_over("package", MS_NOEXEC));
	return must_be_memory(make_auto_store(), make_package("package"), "noexec", false);
}

/* Libraries of a noexec mount couldn't be mapped by anybody. */
static void
memory_for_a_noexec_source(void **state)
{
	kr_test_dir();
	if (!as_client(CLIENT_OWN_NAMESPACES, use_noexec_source, NULL))
		kr_test_skip("no-namespaces", NULL);
}

static int
use_later_mount(void *data)
{
	struct kr_store *store = make_auto_store();

	MUST(!mount_over("package", 0));
	return must_be_memory(store, make_package("package"), "can't be found", false);
}

/* What was mounted later, without propagation, can't be seen where mounts are made. */
static void
memory_for_what_was_mounted_later(void **state)
{
	kr_test_dir();
	if (!as_client(CLIENT_OWN_NAMESPACES, use_later_mount, NULL))
		kr_test_skip("no-namespaces", NULL);
}

static int
use_shared_later_mount(void *data)
{
	struct kr_generation *generation;
	struct kr_store *store;
	struct kr_given given;

	MUST(!mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL));
	store = make_mounting_store();
	MUST(!mount_over("package", 0));
	generation = make_generation(store, make_package("package"));
	given = give(generation, false);
	MUST(given.kind == KR_DELIVERY_MOUNT);
	assert_given_holds(&given, 0, "libgood.so", "good");
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_store_destroy(store);
	return 0;
}

/* With propagation, as systemd has it, it can. */
static void
later_mounts_are_seen(void **state)
{
	kr_test_dir();
	if (!as_client(CLIENT_OWN_NAMESPACES, use_shared_later_mount, NULL))
		kr_test_skip("no-namespaces", NULL);
}

/* Clients of other users open the files themselves. */
static void
memory_for_an_unreadable_source(void **state)
{
	struct kr_store *store = make_auto_store();
	struct kr_package *package = make_package("package");
	char path[256];

	snprintf(path, sizeof(path), "%s/package/libgood.so", kr_test_dir());
	assert_int_equal(chmod(path, 0640), 0);
	must_be_memory(store, package, "may read", false);
}

/* With mounts demanded, the same is an error, and the package stays the caller's. */
static void
unreadable_source_is_no_mount(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_package *package = make_package("package");
	struct kr_generation *generation = NULL;
	char path[256], *reason = NULL;

	snprintf(path, sizeof(path), "%s/package/libgood.so", kr_test_dir());
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(
		kr_generation_create(store, package, "0-x", &generation, &reason), -EACCES);
	assert_non_null(strstr(reason, "libgood.so"));
	assert_null(generation);
	free(reason);
	kr_package_destroy(package);
	kr_store_destroy(store);
}

/*
 * F-02: a file that was removed is looked for under the name that the kernel gives it, which
 * another may have: never that one is taken for it.
 */
static void
memory_for_a_removed_source(void **state)
{
	struct kr_store *store = make_auto_store();
	struct kr_package *package = make_package("package");
	char path[256];

	snprintf(path, sizeof(path), "%s/package/libgood.so", kr_test_dir());
	assert_int_equal(unlink(path), 0);
	strcat(path, " (deleted)");
	assert_int_equal(rename(kr_test_file("other", "evil"), path), 0);
	assert_int_equal(chmod(path, 0644), 0);
	must_be_memory(store, package, "can't be found", false);
}

static const struct kr_test tests[] = {
	KR_TEST(memory_for_a_removed_source),
	KR_TEST(memory_where_namespaces_are_forbidden),
	KR_TEST(memory_in_a_chroot),
	KR_TEST(memory_for_a_noexec_source),
	KR_TEST(memory_for_what_was_mounted_later),
	KR_TEST(later_mounts_are_seen),
	KR_TEST(memory_for_an_unreadable_source),
	KR_TEST(unreadable_source_is_no_mount),
};

KR_TEST_MAIN(tests)
