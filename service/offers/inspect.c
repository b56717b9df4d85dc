/* SPDX-License-Identifier: Apache-2.0 */
/* What is offered, and why, for `krafla service status` (M-06): see offers.h. */
#include "service/offers/internal.h"

#include <string.h>

static const char *const state_names[] = {
	[KR_OFFERS_WAITING] = "waiting",
	[KR_OFFERS_PROBING] = "probing",
	[KR_OFFERS_WORKS] = "works",
	[KR_OFFERS_FAILED] = "failed",
	[KR_OFFERS_ABSENT] = "absent",
	[KR_OFFERS_REFUSED] = "refused",
};

static const char *
name_of(const struct kr_generation *generation)
{
	return generation ? kr_generation_name(generation) : NULL;
}

static json_t *
inspect_candidates(const struct kr_offers_device *device)
{
	json_t *list = json_array();

	for (size_t i = 0; i < device->count; i++) {
		const struct kr_offers_candidate *candidate = &device->candidates[i];

		json_array_append_new(list,
			json_pack("{s:s?, s:s?, s:s?, s:s, s:s?, s:s?, s:s?, s:b}", "rule",
				candidate->rule, "package", candidate->package, "generation",
				name_of(candidate->generation), "state",
				state_names[candidate->state], "reason", candidate->reason, "sees",
				candidate->sees, "tried", candidate->tried, "previous",
				candidate->previous));
	}
	return list;
}

static const char *
state_of(const struct kr_offers_device *device)
{
	if (device->error)
		return "not accessible";
	if (device->active)
		return "works";
	return device->decided ? "no driver" : "trying";
}

static const char *
reason_of(const struct kr_offers_device *device)
{
	if (device->error)
		return strerror(-device->error);
	if (device->active || !device->decided || device->count)
		return NULL;
	return device->kernel_driver ? "no driver is known for this driver of the kernel"
				     : "which driver of the kernel it has can't be seen";
}

static json_t *
inspect_device(const struct kr_offers_device *device)
{
	return json_pack("{s:s, s:s?, s:s?, s:s, s:s?, s:s?, s:o}", "node", device->path,
		"kernel_driver", device->kernel_driver, "class",
		device->class ? device->class->pattern : NULL, "state", state_of(device), "reason",
		reason_of(device), "driver", name_of(device->active), "candidates",
		inspect_candidates(device));
}

static json_t *
inspect_software(const struct kr_offers *offers)
{
	const struct kr_offers_device *software = &offers->software;
	const char *state = software->active ? "offered"
		: !offers->software_on       ? offers->pending ? "waiting" : "not needed"
		: software->decided          ? "no driver"
					     : "waiting";

	if (!offers->config->software)
		return json_null();
	return json_pack("{s:s, s:s, s:s?, s:o}", "package", offers->config->software, "state",
		state, "driver", name_of(software->active), "candidates",
		inspect_candidates(software));
}

json_t *
kr_offers_inspect(const struct kr_offers *offers)
{
	json_t *devices = json_array(), *offered = json_array(), *nodes = json_array();
	const struct kr_offers_device *device;
	const struct kr_offer *offer;
	const struct kr_offers_node *node;

	kr_list_for_each (device, &offers->devices, link)
		json_array_append_new(devices, inspect_device(device));
	kr_list_for_each (offer, &offers->offers, link)
		json_array_append_new(offered, json_string(name_of(offer->generation)));
	kr_list_for_each (node, &offers->announced, link)
		json_array_append_new(nodes, json_string(node->path));
	return json_pack("{s:s?, s:o, s:o, s:o, s:o, s:o}", "unconfined", offers->lacks, "watch",
		kr_devices_inspect(offers->nodes), "devices", devices, "software",
		inspect_software(offers), "offered", offered, "nodes", nodes);
}
