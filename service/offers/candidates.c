/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The candidates of devices: see offers.h. They are found anew whenever packages have changed; what
 * was found out about a generation is kept. A package's earlier generation that works stays a
 * candidate behind the new one, until that one works, too: a package whose new version is broken
 * doesn't take the device away.
 */
#include "service/offers/internal.h"

#include <stdlib.h>
#include <string.h>

#include "hardware/device_map.h"
#include "service/package/claims.h"
#include "util/array.h"
#include "util/log.h"
#include "util/text.h"

/* Candidates on their way to a device. */
struct builder {
	struct kr_offers *offers;
	struct kr_offers_device *device;
	struct kr_offers_candidate *list;
	size_t count, room;
	bool failed; /* without memory */
};

static struct kr_offers_candidate *
find_known(const struct kr_offers_device *device, const struct kr_generation *generation)
{
	for (size_t i = 0; i < device->count; i++) {
		if (device->candidates[i].generation == generation)
			return &device->candidates[i];
	}
	return NULL;
}

static struct kr_offers_candidate *
add(struct builder *builder, const char *rule, const char *package)
{
	struct kr_offers_candidate *candidate =
		kr_array_add(&builder->list, &builder->count, &builder->room, sizeof(*candidate));

	if (!candidate) {
		builder->failed = true;
		return NULL;
	}
	candidate->rule = rule;
	candidate->package = package ? strdup(package) : NULL;
	builder->failed = builder->failed || (package && !candidate->package);
	return candidate;
}

static void
add_absent(struct builder *builder, const char *rule, const char *package, const char *why)
{
	struct kr_offers_candidate *candidate = add(builder, rule, package);

	if (!candidate)
		return;
	candidate->state = KR_OFFERS_ABSENT;
	candidate->reason = strdup(why);
}

/* M-04 */
static bool
may_run(const struct kr_offers *offers, const struct kr_generation *generation)
{
	return !kr_generation_package(generation)->compiles_at_run_time ||
		(offers->config->compile_at_run_time && !offers->code_forbidden[0]);
}

static void
refuse(struct builder *builder, struct kr_offers_candidate *candidate, bool told)
{
	const char *forbidden = builder->offers->code_forbidden;

	candidate->state = KR_OFFERS_REFUSED;
	if (!builder->offers->config->compile_at_run_time)
		candidate->reason = strdup(
			"it compiles at run time, which the configuration forbids (\"compile_at_run_time\")");
	else
		candidate->reason = kr_asprintf(
			"it compiles at run time, and what is written may not be run here: %s",
			forbidden);
	if (told)
		return;
	kr_log(KR_LOG_WARN | KR_LOG_LOUD, "%s: driver %s (package %s) is refused: %s",
		builder->device->path ? builder->device->path : "software driver",
		kr_generation_name(candidate->generation), candidate->package,
		candidate->reason ? candidate->reason : "no memory to say why");
}

/* What was found out stays found out; a trial that is under way stays its own. */
static void
add_generation(struct builder *builder, const char *rule, const char *package,
	struct kr_generation *generation)
{
	struct kr_offers_candidate *candidate = add(builder, rule, package), *known;

	if (!candidate)
		return;
	candidate->generation = kr_generation_ref(generation);
	known = find_known(builder->device, generation);
	if (!may_run(builder->offers, generation)) {
		refuse(builder, candidate, known && known->state == KR_OFFERS_REFUSED);
	} else if (known && known->state != KR_OFFERS_REFUSED) {
		candidate->state = known->state;
		candidate->trial = known->trial;
		candidate->late = known->late;
		candidate->short_trials = known->short_trials;
		candidate->again_at = known->again_at;
		candidate->reason = known->reason ? strdup(known->reason) : NULL;
		candidate->sees = known->sees ? strdup(known->sees) : NULL;
		candidate->tried = known->tried ? strdup(known->tried) : NULL;
	}
}

/*
 * The generation of the package that the device has and that isn't current any more, if it works.
 */
static void
add_previous(struct builder *builder, const char *rule, const struct kr_catalog_entry *entry)
{
	struct kr_generation *active = builder->device->active;
	const struct kr_offers_candidate *known =
		active ? find_known(builder->device, active) : NULL;

	if (!known || active == entry->generation || !known->package ||
		strcmp(known->package, entry->name))
		return;
	add_generation(builder, rule, entry->name, active);
	if (!builder->failed)
		builder->list[builder->count - 1].previous = true;
}

static void
add_entry(struct builder *builder, const char *rule, const struct kr_catalog_entry *entry)
{
	add_generation(builder, rule, entry->name, entry->generation);
	add_previous(builder, rule, entry);
}

/* --- packages that say which devices they serve --- */

static const struct kr_package_claim *
claim_of(const struct kr_offers_device *device, const struct kr_catalog_entry *entry)
{
	return entry->generation
		? kr_package_claim_of(kr_generation_package(entry->generation), device->path,
			  device->kernel_driver, device->ids.pci_vendor, device->ids.pci_device)
		: NULL;
}

/* A package whose library the map knows, too, stands under that name. */
static const char *
name_of_rule(const struct kr_catalog_entry *entry)
{
	const struct kr_hardware_rule *rule =
		kr_hardware_rule_get(kr_generation_package(entry->generation)->file_path);

	return rule ? rule->name : NULL;
}

/* The least order above `above`, of those that claim the device; -1: none. */
static int
next_order(const struct builder *builder, int above)
{
	const struct kr_catalog_entry *entry;
	int next = -1;

	kr_list_for_each (entry, kr_catalog_entries(builder->offers->catalog), link) {
		const struct kr_package_claim *claim = claim_of(builder->device, entry);

		if (claim && claim->order > above && (next < 0 || claim->order < next))
			next = claim->order;
	}
	return next;
}

/* In their order; of one order the first by name, which is the catalog's. */
static void
add_claiming(struct builder *builder)
{
	const struct kr_catalog_entry *entry;

	for (int order = next_order(builder, -1); order >= 0; order = next_order(builder, order)) {
		kr_list_for_each (entry, kr_catalog_entries(builder->offers->catalog), link) {
			const struct kr_package_claim *claim = claim_of(builder->device, entry);

			if (claim && claim->order == order)
				add_entry(builder, name_of_rule(entry), entry);
		}
	}
}

/* --- the others, by the device map --- */

static bool
is_of_rule(const struct kr_catalog_entry *entry, const struct kr_hardware_rule *rule)
{
	return entry->generation && !kr_generation_package(entry->generation)->claims_said &&
		kr_hardware_rule_get(kr_generation_package(entry->generation)->file_path) == rule;
}

static bool
has_rule(const struct builder *builder, const struct kr_hardware_rule *rule)
{
	for (size_t i = 0; i < builder->count; i++) {
		if (builder->list[i].rule == rule->name)
			return true;
	}
	return false;
}

static void
add_rule(struct builder *builder, const struct kr_hardware_rule *rule)
{
	const struct kr_catalog_entry *entry;

	kr_list_for_each (entry, kr_catalog_entries(builder->offers->catalog), link) {
		if (is_of_rule(entry, rule))
			add_entry(builder, rule->name, entry);
	}
	if (!has_rule(builder, rule))
		add_absent(builder, rule->name, NULL, "no good package has a driver of this kind");
}

static void
add_named(struct builder *builder, const char *name)
{
	const struct kr_catalog_entry *entry = kr_catalog_find(builder->offers->catalog, name);

	if (entry && entry->generation)
		add_entry(builder, NULL, entry);
	else if (entry)
		add_absent(builder, NULL, name, entry->reason ? entry->reason : "it isn't good");
	else
		add_absent(builder, NULL, name, "there is no such package");
}

static void
add_candidates(struct builder *builder)
{
	const struct kr_offers_device *device = builder->device;
	const struct kr_hardware_rule *rules[KR_HARDWARE_CANDIDATES_MAX];
	size_t count;

	if (!device->path) {
		if (builder->offers->config->software)
			add_named(builder, builder->offers->config->software);
		return;
	}
	if (device->class) {
		add_named(builder, device->class->package);
		return;
	}
	add_claiming(builder);
	count = kr_node_is_drm(device->path) ? kr_hardware_candidates(device->kernel_driver, rules)
					     : kr_hardware_candidates_of_node(device->path, rules);
	for (size_t i = 0; i < count; i++)
		add_rule(builder, rules[i]);
}

static void
build(struct kr_offers *offers, struct kr_offers_device *device)
{
	struct builder builder = {.offers = offers, .device = device};

	add_candidates(&builder);
	if (builder.failed) {
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD, "No memory for the candidates of %s",
			device->path ? device->path : "the software driver");
		kr_offers_candidates_finish(builder.list, builder.count);
		device->built = false;
		kr_offers_settle_again(offers);
		return;
	}
	kr_offers_candidates_finish(device->candidates, device->count);
	device->candidates = builder.list;
	device->count = builder.count;
	device->built = true;
	device->decided = false;
}

static void
warn_unwatched(const struct kr_catalog_entry *entry, const char *pattern, int error)
{
	if (error)
		kr_log(KR_LOG_WARN | KR_LOG_LOUD, "Package %s: nodes '%s' can't be watched for: %s",
			entry->name, pattern, strerror(-error));
}

static void
want_claimed(struct kr_offers *offers, const struct kr_catalog_entry *entry)
{
	const struct kr_package *package =
		entry->generation ? kr_generation_package(entry->generation) : NULL;

	for (size_t i = 0; package && i < package->claim_count; i++) {
		const char *node = package->claims[i].node;

		if (node)
			warn_unwatched(entry, node, kr_devices_want(offers->nodes, node));
	}
}

/* Nodes that packages need beside their device; they are listed before anything is offered. */
static void
want_nodes(struct kr_offers *offers)
{
	const struct kr_catalog_entry *entry;

	kr_list_for_each (entry, kr_catalog_entries(offers->catalog), link) {
		char *const *node =
			entry->generation ? kr_generation_package(entry->generation)->nodes : NULL;

		for (; node && *node; node++) {
			const int ret = kr_devices_want(offers->nodes, *node);

			warn_unwatched(entry, *node, ret);
		}
		want_claimed(offers, entry);
	}
	if (kr_devices_scan(offers->nodes))
		kr_offers_sync_devices(offers);
}

void
kr_offers_build(struct kr_offers *offers)
{
	struct kr_offers_device *device;

	if (offers->rebuild)
		want_nodes(offers);
	/* A policy may change while the service runs, so it is asked each time. */
	offers->code_forbidden[0] = '\0';
	(void)kr_code_memory_forbidden(offers->code_forbidden);
	kr_list_for_each (device, &offers->devices, link) {
		if (offers->rebuild || !device->built)
			build(offers, device);
	}
	if (offers->rebuild || !offers->software.built)
		build(offers, &offers->software);
	offers->rebuild = false;
}
