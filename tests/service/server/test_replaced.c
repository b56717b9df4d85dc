/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A package that is replaced on disk, file by file, again and again, while clients get it from the
 * real kraflad: who has read a manifest gets the files of that version, all of them, and never some
 * of another one (F-02).
 */
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "delivery/delivery.h"
#include "harness.h"
#include "tests/service/rig.h"
#include "util/clock.h"
#include "util/text.h"
#include "wire/service.h"

#define DATA_FILES   6
#define CLIENTS      8
#define REPLACEMENTS 12
/*
 * A new version that took this long to be put there may have been read when it was half there: not
 * judged.
 */
#define SWIFT (100 * KR_NSEC_PER_MSEC)

static struct service_run service;
static bool slow[REPLACEMENTS + 2];
static unsigned newest, judged[REPLACEMENTS + 2];

static void
put_file(const char *name, const char *text)
{
	char path[300], made[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/drivers/fake/contents/%s", kr_test_dir(), name);
	snprintf(made, sizeof(made), "%s/new", kr_test_dir());
	file = fopen(made, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(rename(made, path), 0);
}

static void
put_version(unsigned version)
{
	const int64_t since = kr_clock_now();
	char text[300], name[16];

	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"test_version\": %u, \"ICD\": "
		"{\"library_path\": \"libvulkan_fake.so\", \"api_version\": \"1.1.0\"}}",
		version);
	put_file("manifest.json", text);
	/* For a service that looks at once. */
	poll(NULL, 0, 20);
	snprintf(text, sizeof(text), "%u", version);
	for (unsigned i = 0; i < DATA_FILES; i++) {
		snprintf(name, sizeof(name), "data%u", i);
		put_file(name, text);
	}
	slow[version] = kr_clock_now() - since > SWIFT;
	newest = version;
}

/* The text of the one manifest; NULL: there is none just now. */
static char *
first_listed(int listing)
{
	json_t *root = json_loadfd(listing, 0, NULL);
	const json_t *file = json_array_get(json_object_get(root, "files"), 0);
	const char *text = json_string_value(json_object_get(file, "text"));
	char *copy = text ? strdup(text) : NULL;

	assert_non_null(root);
	json_decref(root);
	return copy;
}

static char *
first_file(int tree)
{
	DIR *dir = fdopendir(openat(tree, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *entry;
	char *text = NULL;

	assert_non_null(dir);
	while (!text && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			text = service_file(tree, KR_DELIVERY_MOUNT, entry->d_name);
	}
	closedir(dir);
	return text;
}

/* What is offered: name and version. False: nothing just now. */
static bool
read_offer(int client, char name[64], unsigned *version)
{
	const struct kr_ls_message ask = {.type = KR_LS_MANIFEST_FS, .manifest_fs = {.serial = 3}};
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS];
	json_t *manifest;
	size_t count;
	char *text;

	service_ask(client, &ask, &answer, fds, &count);
	assert_int_equal(answer.type, KR_LS_MANIFESTS);
	assert_int_equal(count, 1);
	text = answer.manifests.kind == KR_DELIVERY_MOUNT ? first_file(fds[0])
							  : first_listed(fds[0]);
	close(fds[0]);
	if (!text)
		return false;
	manifest = json_loads(text, 0, NULL);
	assert_non_null(manifest);
	*version = (unsigned)json_integer_value(json_object_get(manifest, "test_version"));
	snprintf(name, 64, "%s",
		json_string_value(
			json_object_get(json_object_get(manifest, "ICD"), "library_path")));
	json_decref(manifest);
	free(text);
	return true;
}

/* Data files are as long as their number, the others longer. */
static unsigned
judge_file(int take_fd, unsigned version)
{
	char text[512] = "", wanted[64];
	const ssize_t size = pread(take_fd, text, sizeof(text) - 1, 0);

	assert_true(size > 0);
	close(take_fd);
	if (size < 8) {
		assert_int_equal(strtoul(text, NULL, 10), version);
		return 1;
	}
	snprintf(wanted, sizeof(wanted), "\"test_version\": %u,", version);
	if (strstr(text, "\"test_version\"") && !strstr(text, wanted))
		fail_msg("%s isn't of version %u", text, version);
	return 0;
}

static void
judge_mount(int take_fd, unsigned version)
{
	unsigned seen = 0;
	char name[16];

	for (unsigned i = 0; i < DATA_FILES; i++) {
		snprintf(name, sizeof(name), "data%u", i);
		seen += judge_file(openat(take_fd, name, O_RDONLY | O_CLOEXEC), version);
	}
	judge_file(openat(take_fd, "manifest.json", O_RDONLY | O_CLOEXEC), version);
	assert_int_equal(seen, DATA_FILES);
	close(take_fd);
}

/* The first is the index. */
static void
judge_memory(int *take_fds, size_t count, unsigned version)
{
	unsigned seen = 0;

	close(take_fds[0]);
	for (size_t i = 1; i < count; i++)
		seen += judge_file(take_fds[i], version);
	assert_int_equal(seen, DATA_FILES);
}

static void
get_and_judge(int client, uint32_t options)
{
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS];
	unsigned version;
	char name[64];
	size_t count;

	if (!read_offer(client, name, &version))
		return;
	service_get(client, name, options, &answer, fds, &count);
	assert_int_not_equal(answer.package.kind, KR_DELIVERY_NONE);
	if (slow[version] || slow[version + 1]) {
		for (size_t i = 0; i < count; i++)
			close(fds[i]);
	} else if (answer.package.kind == KR_DELIVERY_MOUNT) {
		judge_mount(fds[0], version);
	} else {
		judge_memory(fds, count, version);
	}
	judged[version]++;
}

/* Until the newest version is offered, and a little longer or shorter. */
static void
be_busy(const int *clients)
{
	const int64_t deadline = kr_deadline_in(20 * KR_NSEC_PER_SEC);
	char name[64];
	unsigned version = 0;

	while (version != newest) {
		if (kr_clock_now() > deadline)
			fail_msg("version %u is never offered: %s", newest, service.run.said);
		for (unsigned i = 0; i < CLIENTS; i++)
			get_and_judge(clients[i], i % 2 ? KR_SERVICE_GET_STRICT : 0);
		if (!read_offer(clients[0], name, &version))
			version = 0;
	}
}

static void
replace_under_load(const char *keys)
{
	int clients[CLIENTS];
	unsigned versions = 0;
	char all[300];

	service_package("fake", "libvulkan_fake.so");
	service_node("class/gpu/000", "5");
	put_version(0);
	snprintf(all, sizeof(all),
		", \"classes\": [{\"pattern\": \"class/gpu/*\", \"package\": \"fake\"}]%s", keys);
	service_start(&service, all);
	for (unsigned i = 0; i < CLIENTS; i++)
		clients[i] = service_client(&service);
	for (unsigned version = 1; version <= REPLACEMENTS; version++) {
		be_busy(clients);
		put_version(version);
	}
	be_busy(clients);
	for (unsigned i = 0; i < CLIENTS; i++)
		close(clients[i]);
	for (unsigned version = 0; version <= REPLACEMENTS; version++)
		versions += judged[version] > 0;
	assert_true(versions >= REPLACEMENTS);
	service_stop(&service);
}

/* F-02, Q-01 */
static void
replaced_under_load(void **state)
{
	replace_under_load("");
}

static void
replaced_under_load_in_memory(void **state)
{
	replace_under_load(", \"delivery\": \"memory\"");
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(replaced_under_load, 0, 90),
	KR_TEST_SLOW(replaced_under_load_in_memory, 0, 90),
};

KR_TEST_MAIN(tests)
