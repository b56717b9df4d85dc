/* SPDX-License-Identifier: Apache-2.0 */
/* See rig.h. */
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/offers/probe.h"
#include "tests/service/files.h"
#include "util/clock.h"

#define LIMIT (10 * KR_NSEC_PER_SEC)

struct rig rig;

/* --- fakes of packages --- */

struct kr_generation {
	unsigned references;
	char name[80];
	char library[80];
	struct kr_package package;
};

static int alive;
static unsigned next_number;

static struct kr_generation *
make_generation(const char *library)
{
	struct kr_generation *generation = calloc(1, sizeof(*generation));

	assert_non_null(generation);
	generation->references = 1;
	snprintf(generation->library, sizeof(generation->library), "%s", library);
	snprintf(generation->name, sizeof(generation->name), "%u-%s", next_number++, library);
	generation->package.file_path = generation->library;
	alive++;
	return generation;
}

const struct kr_package *
kr_generation_package(const struct kr_generation *generation)
{
	return &generation->package;
}

const char *
kr_generation_name(const struct kr_generation *generation)
{
	return generation->name;
}

struct kr_generation *
kr_generation_ref(struct kr_generation *generation)
{
	generation->references++;
	return generation;
}

void
kr_generation_unref(struct kr_generation *generation)
{
	if (!generation || --generation->references)
		return;
	alive--;
	free(generation);
}

int
rig_generations(void)
{
	return alive;
}

/* --- the fake of the catalog --- */

static struct kr_list entries; /* kr_catalog_entry.link */
static bool catalog_idle;

const struct kr_list *
kr_catalog_entries(const struct kr_catalog *catalog)
{
	return &entries;
}

bool
kr_catalog_is_idle(const struct kr_catalog *catalog)
{
	return catalog_idle;
}

struct kr_catalog_entry *
kr_catalog_find(const struct kr_catalog *catalog, const char *name)
{
	struct kr_catalog_entry *entry;

	kr_list_for_each (entry, &entries, link) {
		if (!strcmp(entry->name, name))
			return entry;
	}
	return NULL;
}

struct kr_package *
rig_add_package(const char *name, const char *library)
{
	struct kr_catalog_entry *entry = kr_catalog_find(NULL, name);

	if (!entry) {
		entry = calloc(1, sizeof(*entry));
		assert_non_null(entry);
		entry->name = strdup(name);
		kr_list_append(&entries, &entry->link);
	}
	kr_generation_unref(entry->generation);
	entry->generation = library ? make_generation(library) : NULL;
	free(entry->reason);
	entry->reason = library ? NULL : strdup("it has no vk_icd export");
	if (rig.offers)
		kr_offers_package_changed(rig.offers, entry);
	return library ? &entry->generation->package : NULL;
}

static void
free_entry(struct kr_catalog_entry *entry)
{
	kr_generation_unref(entry->generation);
	free(entry->name);
	free(entry->reason);
	free(entry);
}

void
rig_remove_package(const char *name)
{
	struct kr_catalog_entry *entry = kr_catalog_find(NULL, name);
	struct kr_generation *generation = entry->generation;

	kr_list_remove(&entry->link);
	entry->generation = NULL;
	kr_offers_package_changed(rig.offers, entry);
	kr_generation_unref(generation);
	free_entry(entry);
}

void
rig_set_catalog_idle(bool idle)
{
	catalog_idle = idle;
	if (idle && rig.offers)
		kr_offers_packages_idle(rig.offers);
}

/* --- fakes of probes --- */

struct held {
	struct kr_list link;
	char library[80];
	kr_offers_found_fn done;
	void *data;
};
static struct kr_list held; /* held.link */

int
kr_offers_probe_start(struct kr_loop *loop, struct kr_generation *generation, unsigned driver_ms,
	kr_offers_found_fn done, void *data, struct kr_offers_probe **process, char **reason)
{
	fail_msg("a test without a real probe starts one");
	return -ENOSYS;
}

const char *
kr_offers_probe_tried(const struct kr_offers_probe *process)
{
	return NULL;
}

const char *
kr_offers_probe_lacks(const struct kr_offers_probe *process)
{
	return NULL;
}

void
kr_offers_probe_destroy(struct kr_offers_probe *process)
{
}

/* Of a driver that works, with the devices that the case gave it. */
static void
answer(kr_offers_found_fn done, void *done_data, const char *library, int result, const char *why)
{
	struct kr_offers_found found = {.result = result, .why = result ? why : NULL};

	for (size_t i = 0; !result && i < 4 && rig.seen[i].library; i++) {
		if (strcmp(rig.seen[i].library, library))
			continue;
		found.devices = rig.seen[i].devices;
		found.device_count = rig.seen[i].count;
	}
	done(done_data, &found);
}

static void
probe(void *data, struct kr_generation *generation, kr_offers_found_fn done, void *done_data)
{
	struct held *one;

	rig.probes++;
	if (!rig.hold) {
		for (size_t i = 0; i < 8 && rig.broken[i]; i++) {
			if (!strcmp(rig.broken[i], generation->library)) {
				answer(done, done_data, generation->library, -EIO,
					"signal 11 while it was opened");
				return;
			}
		}
		answer(done, done_data, generation->library, 0, NULL);
		return;
	}
	one = calloc(1, sizeof(*one));
	assert_non_null(one);
	snprintf(one->library, sizeof(one->library), "%s", generation->library);
	one->done = done;
	one->data = done_data;
	kr_list_append(&held, &one->link);
}

static struct held *
find_held(const char *library)
{
	struct held *one;

	kr_list_for_each (one, &held, link) {
		if (!strcmp(one->library, library))
			return one;
	}
	return NULL;
}

bool
rig_is_probing(const char *library)
{
	return find_held(library);
}

void
rig_answer(const char *library, int result)
{
	struct held *one = find_held(library);

	assert_non_null(one);
	kr_list_remove(&one->link);
	answer(one->done, one->data, library, result, "it saw no device");
	free(one);
}

/* --- the log --- */

static void
note(const char *what, const char *name)
{
	const size_t len = strlen(rig.log);

	assert_true(len < sizeof(rig.log) - 200);
	snprintf(rig.log + len, sizeof(rig.log) - len, "%s %s ", what, name);
}

static void
node_added(void *data, const char *path)
{
	note("node+", path);
}

static void
node_removed(void *data, const char *path)
{
	note("node-", path);
}

static void
offer_added(void *data, struct kr_offer *offer)
{
	note(offer->software ? "software+" : "offer+", kr_generation_name(offer->generation));
	assert_ptr_equal(kr_offers_find(rig.offers, kr_generation_name(offer->generation)), offer);
}

static void
offer_removed(void *data, struct kr_offer *offer)
{
	note(offer->software ? "software-" : "offer-", kr_generation_name(offer->generation));
	assert_null(kr_offers_find(rig.offers, kr_generation_name(offer->generation)));
}

static void
idle(void *data)
{
	assert_true(kr_offers_is_idle(rig.offers));
}

static const struct kr_offers_events events = {
	.node_added = node_added,
	.node_removed = node_removed,
	.offer_added = offer_added,
	.offer_removed = offer_removed,
	.idle = idle,
};

void
rig_assert_log(const char *expected)
{
	assert_string_equal(rig.log, expected);
	rig.log[0] = '\0';
}

/* --- devices --- */

static void
driver_link(const char *path, char link[512])
{
	const char *slash = strrchr(path, '/');

	snprintf(link, 512, "%s/class/drm/%s/device/driver", rig.sys, slash ? slash + 1 : path);
}

void
rig_set_driver(const char *path, const char *driver)
{
	char link[512], target[128];

	driver_link(path, link);
	unlink(link);
	if (!driver)
		return;
	make_folders(link);
	snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", driver);
	assert_int_equal(symlink(target, link), 0);
}

static void
put_sysfs(const char *path, const char *name, const char *text)
{
	const char *slash = strrchr(path, '/');
	char full[600];
	FILE *file;

	if (!text)
		return;
	snprintf(full, sizeof(full), "%s/class/drm/%s/%s", rig.sys, slash ? slash + 1 : path, name);
	make_folders(full);
	file = fopen(full, "we");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	fclose(file);
}

void
rig_set_ids(const char *path, const char *number, const char *vendor, const char *device)
{
	put_sysfs(path, "dev", number);
	put_sysfs(path, "device/vendor", vendor);
	put_sysfs(path, "device/device", device);
}

void
rig_add_node(const char *path, const char *driver)
{
	char full[512];
	FILE *file;

	rig_set_driver(path, driver);
	snprintf(full, sizeof(full), "%s/%s", rig.dev, path);
	make_folders(full);
	file = fopen(full, "we");
	assert_non_null(file);
	fputs(path, file);
	fclose(file);
}

void
rig_remove_node(const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", rig.dev, path);
	assert_int_equal(unlink(full), 0);
	rig_set_driver(path, NULL);
}

/* --- beginning and end --- */

void
rig_init(void)
{
	char words[] = "inotify";

	rig = (struct rig){.uevents = -1};
	snprintf(rig.dev, sizeof(rig.dev), "%s/dev", kr_test_dir());
	snprintf(rig.sys, sizeof(rig.sys), "%s/sys", kr_test_dir());
	assert_int_equal(mkdir(rig.dev, 0700), 0);
	assert_int_equal(mkdir(rig.sys, 0700), 0);
	kr_list_init(&entries);
	kr_list_init(&held);
	catalog_idle = true;
	assert_int_equal(kr_loop_create(&rig.loop), 0);
	rig.config = (struct kr_config){.dev = rig.dev,
		.sys = rig.sys,
		.events = strdup(words),
		.classes = rig.classes,
		.probe = true,
		.compile_at_run_time = true};
}

static void
start(int uevents)
{
	const struct kr_offers_sources sources = {.uevents = uevents, .probe = probe};

	assert_int_equal(
		kr_offers_create(rig.loop, NULL, &rig.config, &sources, &events, NULL, &rig.offers),
		0);
	assert_false(kr_offers_is_idle(rig.offers));
	assert_int_equal(kr_offers_start(rig.offers), 0);
	assert_false(kr_offers_is_idle(rig.offers));
}

void
rig_start(void)
{
	start(-1);
}

static int service_end = -1;

void
rig_start_with_uevents(void)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	rig.uevents = pair[0];
	service_end = pair[1];
	start(service_end);
}

void
rig_finish(void)
{
	struct kr_catalog_entry *entry, *next;
	struct held *one, *next_one;

	kr_offers_destroy(rig.offers);
	kr_loop_destroy(rig.loop);
	kr_list_for_each_safe (entry, next, &entries, link)
		free_entry(entry);
	kr_list_for_each_safe (one, next_one, &held, link)
		free(one);
	free(rig.config.events);
	if (service_end >= 0) {
		close(service_end);
		if (rig.uevents >= 0)
			close(rig.uevents);
	}
	assert_int_equal(alive, 0);
}

/* --- going on --- */

static void
step(int64_t limit)
{
	assert_int_equal(kr_loop_step(rig.loop, limit), 0);
	if (kr_clock_now() >= limit)
		fail_msg("nothing more happens; the log is '%s'", rig.log);
}

void
rig_run_until_idle(void)
{
	const int64_t limit = kr_clock_now() + LIMIT;

	while (!kr_offers_is_idle(rig.offers))
		step(limit);
}

void
rig_run_until(const char *word)
{
	const int64_t limit = kr_clock_now() + LIMIT;

	while (!strstr(rig.log, word))
		step(limit);
}

void
rig_run_until_probing(const char *library)
{
	const int64_t limit = kr_clock_now() + LIMIT;

	while (!rig_is_probing(library))
		step(limit);
}

void
rig_run_a_while(void)
{
	const int64_t until = kr_clock_now() + 100 * KR_NSEC_PER_MSEC;

	while (kr_clock_now() < until)
		assert_int_equal(kr_loop_step(rig.loop, until), 0);
}

size_t
rig_count_offers(void)
{
	const struct kr_list *list = kr_offers_list(rig.offers);
	size_t count = 0;

	for (const struct kr_list *link = list->next; link != list; link = link->next)
		count++;
	return count;
}

/* --- inspection --- */

static char text[256];

static const char *
keep(json_t *state, const char *found)
{
	snprintf(text, sizeof(text), "%s", found ? found : "none");
	json_decref(state);
	return text;
}

static const json_t *
find_device(const json_t *state, const char *node)
{
	json_t *device;
	size_t i;

	if (!node)
		return json_object_get(state, "software");
	json_array_foreach(json_object_get(state, "devices"), i, device)
	{
		if (!strcmp(json_string_value(json_object_get(device, "node")), node))
			return device;
	}
	return NULL;
}

static bool
is_named(const json_t *candidate, const char *name)
{
	const char *rule = json_string_value(json_object_get(candidate, "rule"));
	const char *package = json_string_value(json_object_get(candidate, "package"));

	return (rule && !strcmp(rule, name)) || (package && !strcmp(package, name));
}

static const char *
candidate_text(const char *node, const char *name, const char *key)
{
	json_t *state = kr_offers_inspect(rig.offers), *candidate;
	const char *found = NULL;
	size_t i;

	json_array_foreach(json_object_get(find_device(state, node), "candidates"), i, candidate)
	{
		if (!found && is_named(candidate, name))
			found = json_string_value(json_object_get(candidate, key));
	}
	return keep(state, found);
}

const char *
rig_candidate_state(const char *node, const char *name)
{
	return candidate_text(node, name, "state");
}

const char *
rig_candidate_reason(const char *node, const char *name)
{
	return candidate_text(node, name, "reason");
}

const char *
rig_candidate_sees(const char *node, const char *name)
{
	return candidate_text(node, name, "sees");
}

const char *
rig_device_text(const char *node, const char *key)
{
	json_t *state = kr_offers_inspect(rig.offers);

	return keep(state, json_string_value(json_object_get(find_device(state, node), key)));
}
