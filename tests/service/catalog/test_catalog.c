/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalog over real directories; packages are fakes whose only file is metadata.json: its text
 * is "TEXT", which the fake of kr_package_open understands ("good", "bad", "unchecked", "theirs",
 * "changing").
 */
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/catalog/catalog.h"
#include "service/package/owners.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/macros.h"
#include "util/text.h"

#define LIMIT (15 * KR_NSEC_PER_SEC)

/* --- fakes of packages and generations --- */

struct kr_generation {
	unsigned references;
	char *name;
	struct kr_package *package;
};

/* As KRAFLA_TEST_LAYOUT says: where packages have it. */
static const char *
metadata_name(void)
{
	const char *layout = getenv("KRAFLA_TEST_LAYOUT");

	return layout && !strcmp(layout, "flat")       ? "metadata.json"
		: layout && !strcmp(layout, "fuchsia") ? "meta/metadata/metadata.json"
						       : "metadata/metadata.json";
}

static int opened, alive, largest_burst, burst;

int
kr_package_open(const char *directory, struct kr_package **out, char **reason)
{
	char *path = kr_asprintf("%s/%s", directory, metadata_name()), text[64] = "";
	struct kr_package *package;
	FILE *file = fopen(path, "re");

	free(path);
	opened++;
	burst++;
	largest_burst = KR_MAX(largest_burst, burst);
	if (!file)
		return -errno;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	if (!strncmp(text, "bad", 3)) {
		*reason = strdup("metadata.json: \"version\" must be 1");
		return -EINVAL;
	}
	if (!strncmp(text, "changing", 8)) {
		*reason = strdup("it changed while it was read");
		return -EAGAIN;
	}
	package = calloc(1, sizeof(*package));
	assert_non_null(package);
	package->metadata = strdup(text);
	package->ephemeral = !strncmp(text, "ephemeral", 9);
	package->library_path = strdup(strncmp(text, "long", 4)
			? "../lib/libvulkan_x.so"
			: "libvulkan_a_name_that_is_much_too_long_for_the_protocol_of_the_service.so");
	*out = package;
	return 0;
}

int
kr_package_check(struct kr_package *package, json_t *warnings, char **reason)
{
	if (strncmp(package->metadata, "unchecked", 9))
		return 0;
	*reason = strdup("libx.so: no vk_icd export");
	return -EINVAL;
}

int
kr_package_check_owners(const struct kr_package *package, char **reason)
{
	if (strncmp(package->metadata, "theirs", 6))
		return 0;
	*reason = strdup("metadata.json can be written by everybody");
	return -EPERM;
}

bool
kr_package_is_same(const struct kr_package *a, const struct kr_package *b)
{
	return !strcmp(a->metadata, b->metadata);
}

void
kr_package_destroy(struct kr_package *package)
{
	free(package->metadata);
	free(package->library_path);
	free(package);
}

int
kr_generation_create(struct kr_store *store, struct kr_package *take_package, const char *name,
	struct kr_generation **out, char **reason)
{
	struct kr_generation *generation = calloc(1, sizeof(*generation));

	assert_non_null(generation);
	*generation = (struct kr_generation){1, strdup(name), take_package};
	alive++;
	*out = generation;
	return 0;
}

const struct kr_package *
kr_generation_package(const struct kr_generation *generation)
{
	return generation->package;
}

json_t *
kr_generation_inspect(const struct kr_generation *generation)
{
	return json_pack("{s:s}", "name", generation->name);
}

void
kr_generation_unref(struct kr_generation *generation)
{
	if (!generation || --generation->references)
		return;
	kr_package_destroy(generation->package);
	free(generation->name);
	free(generation);
	alive--;
}

/* --- the rig --- */

static struct kr_loop *loop;
static struct kr_catalog *catalog;
static struct kr_config config;
static char first[256], second[256];
static char *sources[] = {first, second};
static char told[1024];
static unsigned idles;

static void
handle_changed(void *data, struct kr_catalog_entry *entry)
{
	const size_t len = strlen(told);

	snprintf(told + len, sizeof(told) - len, "%s=%s ", entry->name,
		entry->generation ? entry->generation->name : "none");
}

static void
handle_idle(void *data)
{
	assert_true(kr_catalog_is_idle(catalog));
	idles++;
}

static const struct kr_catalog_events events = {.changed = handle_changed, .idle = handle_idle};

static void
write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static char *
path_of(const char *source, const char *below)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", source, below);
	return path;
}

static void
put(const char *source, const char *name, const char *text)
{
	char below[64];

	if (mkdir(source, 0755))
		assert_int_equal(errno, EEXIST);
	snprintf(below, sizeof(below), "%s/%s", name, metadata_name());
	for (char *slash = strchr(below, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path_of(source, below), 0755))
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
	write_text(path_of(source, below), text);
}

static void
take_away(const char *source, const char *name)
{
	char below[64];

	snprintf(below, sizeof(below), "%s/%s", name, metadata_name());
	assert_int_equal(unlink(path_of(source, below)), 0);
	for (char *slash = strrchr(below, '/'); slash; slash = strrchr(below, '/')) {
		*slash = '\0';
		assert_int_equal(rmdir(path_of(source, below)), 0);
	}
}

static void
init(void)
{
	snprintf(first, sizeof(first), "%s/first", kr_test_dir());
	snprintf(second, sizeof(second), "%s/deep/er/second", kr_test_dir());
	config = (struct kr_config){.packages = sources, .package_count = 2};
	assert_int_equal(kr_loop_create(&loop), 0);
}

static void
run_until_idle(void)
{
	const int64_t limit = kr_clock_now() + LIMIT;

	while (!kr_catalog_is_idle(catalog) && kr_clock_now() < limit) {
		burst = 0;
		assert_int_equal(kr_loop_step(loop, limit), 0);
	}
	assert_true(kr_catalog_is_idle(catalog));
}

static void
run_until_told(const char *word)
{
	const int64_t limit = kr_clock_now() + LIMIT;

	while (!strstr(told, word) && kr_clock_now() < limit)
		assert_int_equal(kr_loop_step(loop, limit), 0);
	assert_non_null(strstr(told, word));
	run_until_idle();
}

static void
start(void)
{
	assert_int_equal(kr_catalog_create(loop, NULL, &config, &events, NULL, &catalog), 0);
	assert_false(kr_catalog_is_idle(catalog));
	assert_int_equal(kr_catalog_start(catalog), 0);
	run_until_idle();
}

static void
assert_told(const char *expected)
{
	assert_string_equal(told, expected);
	told[0] = '\0';
}

static void
finish(void)
{
	kr_catalog_destroy(catalog);
	kr_loop_destroy(loop);
	assert_int_equal(alive, 0);
}

static const char *
reason_of(const char *name)
{
	const struct kr_catalog_entry *entry = kr_catalog_find(catalog, name);

	assert_non_null(entry);
	return entry->reason ? entry->reason : "none";
}

/* Something that is looked at later than what was done before, so that this was looked at, too. */
static void
run_past(void)
{
	static int number;
	char name[32], word[48];

	snprintf(name, sizeof(name), "zz-%d", number++);
	put(first, name, "good");
	snprintf(word, sizeof(word), "%s=", name);
	run_until_told(word);
	take_away(first, name);
	snprintf(word, sizeof(word), "%s=none", name);
	run_until_told(word);
}

/* --- cases --- */

static void
packages_that_are_there_are_found(void **state)
{
	init();
	put(first, "b", "good 1");
	put(first, "a", "good 2");
	put(first, ".hidden", "good 3");
	mkdir(path_of(first, "no-package"), 0755);
	write_text(path_of(first, "file"), "x");
	start();
	assert_told("a=0-libvulkan_x.so b=1-libvulkan_x.so ");
	assert_int_equal(idles, 1);
	assert_string_equal(
		kr_container_of(kr_catalog_entries(catalog)->next, struct kr_catalog_entry, link)
			->name,
		"a");
	assert_null(kr_catalog_find(catalog, "no-package"));
	assert_null(kr_catalog_find(catalog, ".hidden"));
	finish();
}

static void
one_package_a_round_of_the_loop(void **state)
{
	init();
	for (int i = 0; i < 20; i++) {
		char name[8];

		snprintf(name, sizeof(name), "p%d", i);
		put(first, name, "good");
	}
	start();
	assert_int_equal(opened, 20);
	assert_int_equal(largest_burst, 1);
	finish();
}

/* The directories of a package, each seen before the next one comes, and no metadata yet. */
static void
make_beginning(const char *name)
{
	char below[64];

	snprintf(below, sizeof(below), "%s/%s", name, metadata_name());
	for (char *slash = strchr(below, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_int_equal(mkdir(path_of(first, below), 0755), 0);
		*slash = '/';
		for (int i = 0; i < 3; i++)
			assert_int_equal(
				kr_loop_step(loop, kr_clock_now() + 30 * KR_NSEC_PER_MSEC), 0);
	}
}

/* Long after its directories, which nothing else happens in. */
static void
metadata_that_comes_last_is_seen(void **state)
{
	int64_t limit;

	init();
	put(first, "x", "good");
	start();
	make_beginning("new");
	limit = kr_clock_now() + KR_NSEC_PER_SEC;
	while (kr_clock_now() < limit)
		assert_int_equal(kr_loop_step(loop, limit), 0);
	put(first, "new", "good 1");
	run_until_told("new=1-");
	finish();
}

/* A package is more than its metadata, and what is half there isn't read. */
static void
package_that_comes_in_steps_is_read_once(void **state)
{
	init();
	put(first, "x", "good");
	start();
	opened = 0;
	make_beginning("new");
	mkdir(path_of(first, "new/contents"), 0755);
	for (int i = 0; i < 10; i++) {
		write_text(path_of(first, "new/contents/lib.so"), "x");
		assert_int_equal(kr_loop_step(loop, kr_clock_now() + 30 * KR_NSEC_PER_MSEC), 0);
		put(first, "new", "good 1");
	}
	assert_false(kr_catalog_is_idle(catalog));
	run_until_told("new=");
	assert_string_equal(strstr(told, "new="), "new=1-libvulkan_x.so ");
	assert_int_equal(opened, 1);
	finish();
}

/* A change is another generation with another name; what isn't one is none. */
static void
change_is_a_new_generation(void **state)
{
	char below[64];

	init();
	put(first, "a", "good 1");
	start();
	assert_told("a=0-libvulkan_x.so ");
	put(first, "a", "good 2");
	run_until_told("a=1-");
	assert_told("a=1-libvulkan_x.so ");
	assert_int_equal(alive, 1);
	snprintf(below, sizeof(below), "a/%s", metadata_name());
	chmod(path_of(first, below), 0600);
	opened = 0;
	run_past();
	assert_true(opened >= 2);
	assert_null(strstr(told, "a="));
	finish();
}

/* What is in the directories of its contents counts as well, also in those that come later. */
static void
change_below_contents_is_seen(void **state)
{
	init();
	put(first, "a", "good 1");
	mkdir(path_of(first, "a/contents"), 0755);
	mkdir(path_of(first, "a/contents/lib"), 0755);
	start();
	opened = 0;
	write_text(path_of(first, "a/contents/lib/x.so"), "x");
	run_past();
	assert_int_equal(opened, 2);
	mkdir(path_of(first, "a/contents/more"), 0755);
	run_past();
	opened = 0;
	write_text(path_of(first, "a/contents/more/x.so"), "x");
	run_past();
	assert_int_equal(opened, 2);
	finish();
}

/* docs/packages.md: `contents` may be a link. */
static void
change_below_linked_contents_is_seen(void **state)
{
	init();
	put(first, "a", "good 1");
	mkdir(path_of(kr_test_dir(), "today"), 0755);
	assert_int_equal(symlink("../../today", path_of(first, "a/contents")), 0);
	start();
	opened = 0;
	write_text(path_of(kr_test_dir(), "today/x.so"), "x");
	run_past();
	assert_int_equal(opened, 2);
	finish();
}

/* I-02: what a component names lies elsewhere, and is followed there. */
static void
change_in_a_components_directory_is_seen(void **state)
{
	char text[512];

	init();
	put(first, "a", "good 1");
	mkdir(path_of(kr_test_dir(), "plain"), 0755);
	mkdir(path_of(kr_test_dir(), "plain/lib"), 0755);
	snprintf(text, sizeof(text),
		"{\"program\": {\"runner\": \"icd_runner\", \"directory\": \"%s/plain\"}}",
		kr_test_dir());
	write_text(path_of(first, "a/component.json"), text);
	start();
	opened = 0;
	write_text(path_of(kr_test_dir(), "plain/lib/x.so"), "x");
	run_past();
	assert_int_equal(opened, 2);
	finish();
}

static size_t
count_watches(void)
{
	DIR *directory = opendir("/proc/self/fdinfo");
	const struct dirent *entry;
	size_t count = 0;

	assert_non_null(directory);
	while ((entry = readdir(directory))) {
		char *path = kr_asprintf("/proc/self/fdinfo/%s", entry->d_name), line[256];
		FILE *file = fopen(path, "re");

		while (file && fgets(line, sizeof(line), file))
			count += !strncmp(line, "inotify wd:", 11);
		if (file)
			fclose(file);
		free(path);
	}
	closedir(directory);
	return count;
}

/* A component may name any directory: "/" as well, or one that somebody else fills. */
static void
watches_of_a_package_are_bounded(void **state)
{
	char text[512], name[32];

	init();
	put(first, "a", "good 1");
	mkdir(path_of(kr_test_dir(), "plain"), 0755);
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "plain/%d", i);
		assert_int_equal(mkdir(path_of(kr_test_dir(), name), 0755), 0);
	}
	snprintf(text, sizeof(text),
		"{\"program\": {\"runner\": \"icd_runner\", \"directory\": \"%s/plain\"}}",
		kr_test_dir());
	write_text(path_of(first, "a/component.json"), text);
	start();
	assert_in_range(count_watches(), 100, 300);
	assert_string_equal(reason_of("a"), "none");
	finish();
}

/* A broken new version keeps the old one current, and says so. */
static void
bad_change_keeps_the_old_generation(void **state)
{
	static const char *const faults[] = {"bad", "unchecked", "theirs", "long"};
	json_t *shown, *package;

	init();
	put(first, "a", "good 1");
	start();
	assert_told("a=0-libvulkan_x.so ");
	for (size_t i = 0; i < KR_ARRAY_LEN(faults); i++) {
		put(first, "a", faults[i]);
		run_past();
		assert_null(strstr(told, " a="));
		assert_non_null(kr_catalog_find(catalog, "a")->generation);
		assert_string_not_equal(reason_of("a"), "none");
		told[0] = '\0';
	}
	assert_non_null(strstr(reason_of("a"), "too long a name"));
	shown = kr_catalog_inspect(catalog);
	package = json_array_get(json_object_get(shown, "found"), 0);
	assert_string_equal(json_string_value(json_object_get(package, "state")), "bad");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(package, "generation"), "name")),
		"0-libvulkan_x.so");
	json_decref(shown);
	/* The old one again: nothing has changed, and nothing is bad. */
	put(first, "a", "good 1");
	run_past();
	assert_null(strstr(told, " a="));
	assert_string_equal(reason_of("a"), "none");
	finish();
}

static void
package_that_is_bad_from_the_start_has_a_reason(void **state)
{
	init();
	put(first, "a", "bad");
	put(first, "b", "good");
	start();
	assert_told("b=0-libvulkan_x.so ");
	assert_null(kr_catalog_find(catalog, "a")->generation);
	assert_non_null(strstr(reason_of("a"), "must be 1"));
	finish();
}

static void
package_that_goes_is_retired(void **state)
{
	init();
	put(first, "a", "good");
	start();
	told[0] = '\0';
	take_away(first, "a");
	run_until_told("a=none");
	assert_null(kr_catalog_find(catalog, "a"));
	assert_int_equal(alive, 0);
	put(first, "a", "good");
	run_until_told("a=1-");
	finish();
}

/* mv old away, mv new here: in between there is none, for a moment. */
static void
package_that_is_swapped_is_never_gone(void **state)
{
	char from[512], to[512];

	init();
	put(first, "a", "good 1");
	start();
	told[0] = '\0';
	snprintf(from, sizeof(from), "%s/a", first);
	snprintf(to, sizeof(to), "%s/old", kr_test_dir());
	assert_int_equal(rename(from, to), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(kr_loop_step(loop, kr_clock_now() + 30 * KR_NSEC_PER_MSEC), 0);
	put(first, ".a", "good 2");
	snprintf(to, sizeof(to), "%s/.a", first);
	assert_int_equal(rename(to, from), 0);
	run_until_told("a=");
	assert_told("a=1-libvulkan_x.so ");
	finish();
}

/* And faster than it can be seen that the old one is away. */
static void
package_that_is_swapped_at_once_is_seen(void **state)
{
	char path[512], old[512], new[512];

	init();
	put(first, "a", "good 1");
	put(kr_test_dir(), "new", "good 2");
	start();
	told[0] = '\0';
	snprintf(path, sizeof(path), "%s/a", first);
	snprintf(old, sizeof(old), "%s/old", kr_test_dir());
	snprintf(new, sizeof(new), "%s/new", kr_test_dir());
	assert_int_equal(rename(path, old), 0);
	assert_int_equal(rename(new, path), 0);
	run_until_told("a=");
	assert_told("a=1-libvulkan_x.so ");
	finish();
}

/* The administrator's directory before the system's. */
static void
later_directory_counts(void **state)
{
	init();
	put(first, "a", "good 1");
	mkdir(path_of(kr_test_dir(), "deep"), 0755);
	mkdir(path_of(kr_test_dir(), "deep/er"), 0755);
	put(second, "a", "good 2");
	start();
	assert_told("a=0-libvulkan_x.so ");
	opened = 0;
	put(first, "a", "good 3");
	run_past();
	assert_null(strstr(told, " a="));
	told[0] = '\0';
	take_away(second, "a");
	run_until_told("a=2-");
	assert_told("a=2-libvulkan_x.so ");
	finish();
}

static void
directory_may_come_later(void **state)
{
	json_t *shown;

	init();
	start();
	shown = kr_catalog_inspect(catalog);
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(json_object_get(shown, "sources"), 1), "state")),
		"absent");
	json_decref(shown);
	assert_told("");
	mkdir(path_of(kr_test_dir(), "deep"), 0755);
	mkdir(path_of(kr_test_dir(), "deep/er"), 0755);
	put(second, "a", "good");
	run_until_told("a=0-");
	take_away(second, "a");
	rmdir(second);
	run_until_told("a=none");
	told[0] = '\0';
	put(second, "b", "good");
	run_until_told("b=1-");
	finish();
}

static void
assert_shown(const char *list, size_t i, const char *key, const char *value)
{
	json_t *shown = kr_catalog_inspect(catalog);
	const char *text = json_string_value(
		json_object_get(json_array_get(json_object_get(shown, list), i), key));

	if (!text || !strstr(text, value))
		fail_msg("%s %zu: %s is %s, and not %s", list, i, key, text, value);
	json_decref(shown);
}

static void
make_second(void)
{
	mkdir(path_of(kr_test_dir(), "deep"), 0755);
	mkdir(path_of(kr_test_dir(), "deep/er"), 0755);
}

/* I-06, M-05: of the base set alone; which it is says the configuration. */
static void
resolver_chooses_the_set(void **state)
{
	enum kr_config_resolver resolvers[] = {KR_RESOLVE_BASE, KR_RESOLVE_FULL};
	char full[] = "full", base[] = "base";
	struct kr_config other;

	init();
	make_second();
	put(first, "a", "good 1");
	put(second, "a", "good 2");
	put(second, "b", "good 3");
	config.resolvers = resolvers;
	config.resolver = base;
	start();
	assert_told("a=0-libvulkan_x.so ");
	assert_shown("found", 0, "resolver", "base");
	assert_shown("sources", 0, "state", "watched");
	assert_shown("sources", 1, "state", "left out");
	assert_shown("sources", 1, "reason", "isn't of the base set");
	assert_shown("sources", 1, "resolver", "full");
	other = config;
	other.resolver = full;
	assert_int_equal(kr_catalog_configure(catalog, &other), 0);
	run_until_told("b=");
	run_until_idle();
	assert_non_null(strstr(told, "a="));
	assert_shown("found", 0, "resolver", "full");
	assert_shown("found", 1, "name", "b");
	finish();
}

/* I-06: what is for development isn't offered to users, and doesn't stand before what is. */
static void
ephemeral_packages_are_refused_to_users(void **state)
{
	enum kr_config_resolver resolvers[] = {KR_RESOLVE_FULL, KR_RESOLVE_EPHEMERAL};

	init();
	make_second();
	put(first, "a", "good 1");
	put(first, "b", "ephemeral");
	put(second, "a", "good 2");
	put(second, "c", "good 3");
	config.resolvers = resolvers;
	config.serves_users = true;
	start();
	assert_told("a=0-libvulkan_x.so ");
	assert_non_null(strstr(reason_of("b"), "it is ephemeral, for development"));
	assert_non_null(strstr(reason_of("c"), "it is ephemeral, for development"));
	assert_shown("found", 0, "resolver", "full");
	assert_shown("found", 1, "resolver", "ephemeral");
	assert_shown("found", 2, "resolver", "ephemeral");
	finish();
}

/* One whose name is no text can't be told of, and so isn't offered either. */
static void
names_are_text(void **state)
{
	init();
	put(first, "a", "good");
	put(first, "b\x1b[31m", "good");
	put(first, "c\xff", "good");
	start();
	assert_told("a=0-libvulkan_x.so ");
	assert_shown("sources", 0, "state", "unreadable");
	assert_shown("sources", 0, "reason", "multibyte");
	finish();
}

/* I-06: nor do those that say it themselves hide the one that came with the system. */
static void
ephemeral_package_hides_no_other(void **state)
{
	init();
	make_second();
	config.serves_users = true;
	put(first, "a", "good");
	put(second, "a", "ephemeral");
	start();
	assert_told("a=0-libvulkan_x.so ");
	assert_string_equal(reason_of("a"), "none");
	told[0] = '\0';
	put(first, "a", "good 2");
	run_until_told("a=1-");
	take_away(first, "a");
	put(first, "a", "bad");
	run_past();
	assert_non_null(strstr(reason_of("a"), "version"));
	finish();
}

/* I-06 */
static void
ephemeral_packages_are_taken_in_development(void **state)
{
	enum kr_config_resolver resolvers[] = {KR_RESOLVE_FULL, KR_RESOLVE_EPHEMERAL};

	init();
	make_second();
	put(first, "a", "ephemeral");
	put(second, "b", "good 3");
	config.resolvers = resolvers;
	start();
	assert_told("a=0-libvulkan_x.so b=1-libvulkan_x.so ");
	assert_shown("found", 0, "resolver", "ephemeral");
	assert_shown("found", 1, "resolver", "ephemeral");
	finish();
}

/* A link is a name of what is current. */
static void
linked_package_follows_its_link(void **state)
{
	char link[512], one[512], two[512];

	init();
	put(first, ".v1", "good 1");
	put(first, ".v2", "good 2");
	snprintf(link, sizeof(link), "%s/a", first);
	snprintf(one, sizeof(one), "%s/new", kr_test_dir());
	snprintf(two, sizeof(two), "%s", ".v2");
	assert_int_equal(symlink(".v1", link), 0);
	start();
	assert_told("a=0-libvulkan_x.so ");
	assert_int_equal(symlink(two, one), 0);
	assert_int_equal(rename(one, link), 0);
	run_until_told("a=1-");
	finish();
}

/* It is tried again, by itself; and nobody waits for it longer than 5 s. */
static void
package_that_keeps_changing_is_tried_again(void **state)
{
	int64_t begin;

	init();
	put(first, "a", "changing");
	begin = kr_clock_now();
	start();
	assert_true(kr_clock_now() - begin >= 4 * KR_NSEC_PER_SEC);
	assert_true(opened >= 5);
	assert_string_equal(reason_of("a"), "it changed while it was read");
	put(first, "a", "good");
	run_until_told("a=0-");
	assert_string_equal(reason_of("a"), "none");
	finish();
}

/* Events without end put a look off for 2 s. */
static void
look_is_not_put_off_for_ever(void **state)
{
	const int64_t limit = kr_clock_now() + LIMIT;

	init();
	put(first, "a", "good 1");
	start();
	told[0] = '\0';
	put(first, "a", "good 2");
	while (!told[0] && kr_clock_now() < limit) {
		write_text(path_of(first, "a/noise"), "x");
		assert_int_equal(kr_loop_step(loop, kr_clock_now() + 10 * KR_NSEC_PER_MSEC), 0);
	}
	assert_told("a=1-libvulkan_x.so ");
	finish();
}

/*
 * No descriptor is left: what was known stays, nothing goes, and what there is now is seen by
 * itself later.
 */
static void
shortage_of_descriptors_passes(void **state)
{
	const int64_t limit = kr_clock_now() + LIMIT;

	init();
	put(first, "a", "good 1");
	put(first, "b", "good 1");
	start();
	assert_told("a=0-libvulkan_x.so b=1-libvulkan_x.so ");
	put(first, "a", "good 2");
	put(first, "c", "good 1");
	kr_test_limit_fds(0);
	while (!strcmp(reason_of("a"), "none") && kr_clock_now() < limit)
		assert_int_equal(kr_loop_step(loop, limit), 0);
	assert_string_equal(reason_of("a"), strerror(EMFILE));
	run_until_idle();
	assert_told("");
	assert_non_null(kr_catalog_find(catalog, "b")->generation);
	kr_test_end_fd_limit();
	run_until_told("a=2-");
	run_until_told("c=");
	assert_string_equal(reason_of("a"), "none");
	assert_null(strstr(told, "none"));
	finish();
}

static const struct kr_test tests[] = {
	KR_TEST(packages_that_are_there_are_found),
	KR_TEST(one_package_a_round_of_the_loop),
	KR_TEST(package_that_comes_in_steps_is_read_once),
	KR_TEST(metadata_that_comes_last_is_seen),
	KR_TEST(change_is_a_new_generation),
	KR_TEST(change_below_contents_is_seen),
	KR_TEST(change_below_linked_contents_is_seen),
	KR_TEST(change_in_a_components_directory_is_seen),
	KR_TEST_SLOW(watches_of_a_package_are_bounded, 0, 90),
	KR_TEST(bad_change_keeps_the_old_generation),
	KR_TEST(package_that_is_bad_from_the_start_has_a_reason),
	KR_TEST(package_that_goes_is_retired),
	KR_TEST(package_that_is_swapped_is_never_gone),
	KR_TEST(package_that_is_swapped_at_once_is_seen),
	KR_TEST(later_directory_counts),
	KR_TEST(resolver_chooses_the_set),
	KR_TEST(ephemeral_packages_are_refused_to_users),
	KR_TEST(names_are_text),
	KR_TEST(ephemeral_package_hides_no_other),
	KR_TEST(ephemeral_packages_are_taken_in_development),
	KR_TEST(directory_may_come_later),
	KR_TEST(linked_package_follows_its_link),
	KR_TEST_SLOW(shortage_of_descriptors_passes, 0, 60),
	KR_TEST_SLOW(package_that_keeps_changing_is_tried_again, 0, 60),
	KR_TEST_SLOW(look_is_not_put_off_for_ever, 0, 60),
};

KR_TEST_MAIN(tests)
