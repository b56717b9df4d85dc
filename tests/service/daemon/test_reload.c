/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A configuration that changes while kraflad serves: what is as before goes on as before, and the
 * rest follows.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "delivery/delivery.h"
#include "harness.h"
#include "tests/service/rig.h"
#include "util/text.h"

#define SOFTWARE(name) ", \"software\": \"" name "\""
#define GPU_CLASS      ", \"classes\": [{\"pattern\": \"class/gpu/*\", \"package\": \"second\"}]"

static struct service_run service;

static void
reload(const char *directory, const char *keys, const char *expected)
{
	service.run.length = 0;
	service.run.said[0] = '\0';
	service_configure(directory, keys);
	assert_int_equal(kill(service.run.pid, SIGHUP), 0);
	daemon_expect(&service.run, expected);
}

static void
expect_kind(int fd, const char *name, bool is_there)
{
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS];
	size_t count;

	service_get(fd, name, 0, &answer, fds, &count);
	if ((answer.package.kind != KR_DELIVERY_NONE) != is_there)
		fail_msg("%s is %s, and kraflad said: %s", name, is_there ? "missing" : "there",
			service.run.said);
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
}

static void
expect_manifest(int fd, const char *name)
{
	const struct kr_ls_message ask = {.type = KR_LS_MANIFEST_FS, .manifest_fs = {1, 0}};
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS];
	size_t count;
	char *text;

	service_ask(fd, &ask, &answer, fds, &count);
	assert_int_equal(answer.type, KR_LS_MANIFESTS);
	assert_int_equal(count, 1);
	text = service_file(fds[0], answer.manifests.kind, name);
	assert_non_null(text);
	free(text);
	close(fds[0]);
}

/*
 * Another software driver, then a device's, then none: each time who was there before keeps what he
 * has read of.
 */
static void
other_drivers(void **state)
{
	int early, late;

	service_package("fake", "libvulkan_fake.so");
	service_package("second", "libvulkan_fake.so");
	service_node("class/gpu/000", "5");
	service_start(&service, SOFTWARE("fake"));
	daemon_expect(&service.run, "offers 0-libvulkan_fake.so (package fake)");
	early = service_client(&service);
	expect_kind(early, "0-libvulkan_fake.so", true);
	reload("drivers", SOFTWARE("second"), "kraflad.json: software\n");
	daemon_expect(&service.run, "no longer offers 0-libvulkan_fake.so");
	assert_non_null(strstr(service.run.said, "offers 1-libvulkan_fake.so (package second)"));
	late = service_client(&service);
	expect_kind(early, "0-libvulkan_fake.so", true);
	expect_kind(early, "1-libvulkan_fake.so", true);
	expect_kind(late, "0-libvulkan_fake.so", false);
	/* The same package, now because a device has it. */
	reload("drivers", SOFTWARE("fake") GPU_CLASS,
		"offers 1-libvulkan_fake.so (package second)\n");
	daemon_expect(&service.run, "of 2 packages");
	assert_null(strstr(service.run.said, "no longer offers"));
	expect_kind(late, "1-libvulkan_fake.so", true);
	expect_manifest(late, "1-libvulkan_fake.so.json");
	reload("drivers", "", "no longer offers 1-libvulkan_fake.so");
	expect_kind(late, "1-libvulkan_fake.so", true);
	close(late);
	late = service_client(&service);
	expect_kind(late, "1-libvulkan_fake.so", false);
	close(early);
	close(late);
	service_stop(&service);
}

/*
 * Packages that come from another directory; those that stay keep their names, and their files
 * aren't read anew.
 */
static void
other_directories(void **state)
{
	char from[300], to[300];
	int fd;

	service_package("fake", "libvulkan_fake.so");
	service_package("second", "libvulkan_fake.so");
	snprintf(from, sizeof(from), "%s/drivers/second", kr_test_dir());
	snprintf(to, sizeof(to), "%s/more", kr_test_dir());
	service_start(&service, SOFTWARE("fake"));
	daemon_expect(&service.run, "1 driver offered, of 2 packages");
	fd = service_client(&service);
	reload("drivers", SOFTWARE("fake"), "nothing to be taken over has changed");
	daemon_expect(&service.run, "1 driver offered, of 2 packages");
	assert_null(strstr(service.run.said, "offers 0"));
	expect_kind(fd, "0-libvulkan_fake.so", true);
	assert_int_equal(mkdir(to, 0755), 0);
	snprintf(to, sizeof(to), "%s/more/second", kr_test_dir());
	assert_int_equal(rename(from, to), 0);
	daemon_expect(&service.run, "of 1 package,");
	reload("more", SOFTWARE("second"), "kraflad.json: packages, software\n");
	daemon_expect(&service.run, "(package second), because no device has a driver");
	daemon_expect(&service.run, "no longer offers 0-libvulkan_fake.so");
	daemon_expect(&service.run, "1 driver offered, of 1 package,");
	expect_kind(fd, "0-libvulkan_fake.so", true);
	/* The directory of before counts no more. */
	close(fd);
	service_package("third", "libvulkan_fake.so");
	fd = service_client(&service);
	expect_kind(fd, "0-libvulkan_fake.so", false);
	close(fd);
	service_stop(&service);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(other_drivers, 0, 90),
	KR_TEST_SLOW(other_directories, 0, 90),
};

KR_TEST_MAIN(tests)
