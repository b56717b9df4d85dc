/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that are there, of the nodes that are: see offers.h. */
#include "service/offers/internal.h"

#include <stdlib.h>
#include <string.h>

#include "hardware/device_map.h"
#include "service/package/claims.h"
#include "util/log.h"

void
kr_offers_candidate_finish(struct kr_offers_candidate *candidate)
{
	kr_generation_unref(candidate->generation);
	free(candidate->package);
	free(candidate->reason);
	free(candidate->sees);
	free(candidate->tried);
	*candidate = (struct kr_offers_candidate){0};
}

void
kr_offers_candidates_finish(struct kr_offers_candidate *take_list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		kr_offers_candidate_finish(&take_list[i]);
	free(take_list);
}

void
kr_offers_device_finish(struct kr_offers_device *device)
{
	kr_offers_candidates_finish(device->candidates, device->count);
	kr_generation_unref(device->active);
	free(device->path);
	free(device->kernel_driver);
}

void
kr_offers_device_free(struct kr_offers_device *device)
{
	kr_list_remove(&device->link);
	kr_offers_device_finish(device);
	free(device);
}

static const struct kr_config_class *
class_of(const struct kr_offers *offers, const char *path)
{
	for (size_t i = 0; i < offers->config->class_count; i++) {
		if (kr_node_fits(offers->config->classes[i].pattern, path))
			return &offers->config->classes[i];
	}
	return NULL;
}

static bool
is_claimed(const struct kr_offers *offers, const struct kr_node *node)
{
	const struct kr_catalog_entry *entry;

	kr_list_for_each (entry, kr_catalog_entries(offers->catalog), link) {
		if (entry->generation &&
			kr_package_claim_of(kr_generation_package(entry->generation), node->path,
				node->kernel_driver, 0, 0))
			return true;
	}
	return false;
}

/* Other nodes are there for drivers that need them beside their device. */
static bool
is_device(const struct kr_offers *offers, const struct kr_node *node)
{
	const struct kr_hardware_rule *rules[KR_HARDWARE_CANDIDATES_MAX];

	return class_of(offers, node->path) || kr_node_fits("dri/renderD*", node->path) ||
		(!kr_node_is_drm(node->path) &&
			(kr_hardware_candidates_of_node(node->path, rules) > 0 ||
				is_claimed(offers, node)));
}

static struct kr_offers_device *
find_device(const struct kr_offers *offers, const struct kr_node *node)
{
	struct kr_offers_device *device;

	kr_list_for_each (device, &offers->devices, link) {
		if (device->serial == node->serial)
			return device;
	}
	return NULL;
}

/* In the order of paths, so that what is chosen doesn't depend on the order of a directory. */
static void
insert(struct kr_offers *offers, struct kr_offers_device *device)
{
	struct kr_list *at = &offers->devices;
	const struct kr_offers_device *other;

	kr_list_for_each (other, &offers->devices, link) {
		if (strcmp(other->path, device->path) > 0)
			break;
		at = at->next;
	}
	kr_list_insert(at, &device->link);
}

static struct kr_offers_device *
add_device(struct kr_offers *offers, const struct kr_node *node)
{
	struct kr_offers_device *device = calloc(1, sizeof(*device));

	if (!device)
		return NULL;
	kr_list_init(&device->link);
	device->serial = node->serial;
	device->class = class_of(offers, node->path);
	device->path = strdup(node->path);
	if (!device->path) {
		free(device);
		return NULL;
	}
	insert(offers, device);
	return device;
}

/* The kernel's driver may be known only a moment after the node is there. */
static void
update_device(struct kr_offers *offers, struct kr_offers_device *device, const struct kr_node *node)
{
	device->seen = true;
	device->error = node->error;
	device->young = node->young;
	if (memcmp(&device->ids, &node->ids, sizeof(device->ids)))
		device->built = false;
	device->ids = node->ids;
	if (device->kernel_driver || !node->kernel_driver)
		return;
	device->kernel_driver = strdup(node->kernel_driver);
	if (!device->kernel_driver)
		kr_offers_settle_again(offers);
	device->built = false;
}

void
kr_offers_sync_devices(struct kr_offers *offers)
{
	struct kr_offers_device *device, *next;
	const struct kr_node *node;

	kr_list_for_each (device, &offers->devices, link)
		device->seen = false;
	kr_list_for_each (node, kr_devices_nodes(offers->nodes), link) {
		if (!is_device(offers, node))
			continue;
		device = find_device(offers, node);
		if (!device)
			device = add_device(offers, node);
		if (device) {
			update_device(offers, device, node);
			continue;
		}
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD, "No memory for the device %s", node->path);
		kr_offers_settle_again(offers);
	}
	kr_list_for_each_safe (device, next, &offers->devices, link) {
		if (!device->seen)
			kr_offers_device_free(device);
	}
}

/* What was found to be no good counts as not tried. */
static void
try_anew(struct kr_offers_device *device)
{
	for (size_t i = 0; i < device->count; i++) {
		struct kr_offers_candidate *candidate = &device->candidates[i];

		if (candidate->state != KR_OFFERS_FAILED && candidate->state != KR_OFFERS_REFUSED)
			continue;
		candidate->state = KR_OFFERS_WAITING;
		candidate->short_trials = 0;
		candidate->again_at = 0;
		free(candidate->reason);
		candidate->reason = NULL;
		free(candidate->tried);
		candidate->tried = NULL;
	}
}

void
kr_offers_classify(struct kr_offers *offers)
{
	struct kr_offers_device *device;

	kr_list_for_each (device, &offers->devices, link) {
		device->class = class_of(offers, device->path);
		try_anew(device);
	}
	try_anew(&offers->software);
}
