/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has been decided is told: nodes that have come, then offers, then offers that have gone,
 * then nodes. So whoever sees a manifest finds its device, and there is no moment without a driver
 * while one takes another's place.
 */
#include "service/offers/internal.h"

#include <stdlib.h>
#include <string.h>

#include "util/log.h"

static struct kr_offers_node *
find_announced(struct kr_offers *offers, const char *path)
{
	struct kr_offers_node *node;

	kr_list_for_each (node, &offers->announced, link) {
		if (!strcmp(node->path, path))
			return node;
	}
	return NULL;
}

static void
announce(struct kr_offers *offers, const char *path)
{
	struct kr_offers_node *node = find_announced(offers, path);

	if (node) {
		node->wanted = true;
		return;
	}
	node = calloc(1, sizeof(*node));
	if (node)
		node->path = strdup(path);
	if (!node || !node->path) {
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD, "No memory to announce the device %s", path);
		free(node);
		kr_offers_settle_again(offers);
		return;
	}
	node->wanted = true;
	kr_list_append(&offers->announced, &node->link);
	offers->events->node_added(offers->data, node->path);
}

static bool
is_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/*
 * Whether a node that fits a pattern of the device's package may be given: another render node only
 * as a device with a driver, another DRM node if it is of the same driver of the kernel.
 */
static bool
is_company(const struct kr_node *node, const struct kr_offers_device *device)
{
	if (node->error || kr_node_fits("dri/renderD*", node->path))
		return false;
	return !kr_node_is_drm(node->path) || is_same(node->kernel_driver, device->kernel_driver);
}

static void
announce_company(struct kr_offers *offers, const struct kr_offers_device *device)
{
	const struct kr_package *package = kr_generation_package(device->active);
	const struct kr_node *node;

	kr_list_for_each (node, kr_devices_nodes(offers->nodes), link) {
		char *const *pattern = package->nodes;

		while (pattern && *pattern && !kr_node_fits(*pattern, node->path))
			pattern++;
		if (pattern && *pattern && is_company(node, device))
			announce(offers, node->path);
	}
}

/* A driver is one offer, whyever it is made: its name is that of its manifest. */
static bool
is_offered(struct kr_offers *offers, const struct kr_generation *generation, bool software)
{
	struct kr_offer *public;

	kr_list_for_each (public, &offers->offers, link) {
		struct kr_offers_offer *made =
			kr_container_of(public, struct kr_offers_offer, public);

		if (public->generation != generation)
			continue;
		if (!made->wanted && public->software != software) {
			public->software = software;
			offers->events->offer_added(offers->data, public);
		}
		made->wanted = true;
		return true;
	}
	return false;
}

static void
add_offer(struct kr_offers *offers, struct kr_generation *generation, bool software)
{
	struct kr_offers_offer *made;

	if (is_offered(offers, generation, software))
		return;
	made = calloc(1, sizeof(*made));
	if (!made) {
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD, "No memory to offer %s",
			kr_generation_name(generation));
		kr_offers_settle_again(offers);
		return;
	}
	made->public.generation = kr_generation_ref(generation);
	made->public.software = software;
	made->wanted = true;
	kr_list_append(&offers->offers, &made->public.link);
	offers->events->offer_added(offers->data, &made->public);
}

static void
remove_offers(struct kr_offers *offers)
{
	struct kr_offer *public, *next;

	kr_list_for_each_safe (public, next, &offers->offers, link) {
		struct kr_offers_offer *made =
			kr_container_of(public, struct kr_offers_offer, public);

		if (made->wanted)
			continue;
		kr_list_remove(&public->link);
		offers->events->offer_removed(offers->data, public);
		kr_generation_unref(public->generation);
		free(made);
	}
}

static void
remove_nodes(struct kr_offers *offers)
{
	struct kr_offers_node *node, *next;

	kr_list_for_each_safe (node, next, &offers->announced, link) {
		if (node->wanted)
			continue;
		kr_list_remove(&node->link);
		offers->events->node_removed(offers->data, node->path);
		free(node->path);
		free(node);
	}
}

static void
forget_wishes(struct kr_offers *offers)
{
	struct kr_offers_node *node;
	struct kr_offer *public;

	kr_list_for_each (node, &offers->announced, link)
		node->wanted = false;
	kr_list_for_each (public, &offers->offers, link)
		kr_container_of(public, struct kr_offers_offer, public)->wanted = false;
}

void
kr_offers_apply(struct kr_offers *offers)
{
	struct kr_offers_device *software = &offers->software;
	struct kr_offers_device *device;

	forget_wishes(offers);
	kr_list_for_each (device, &offers->devices, link) {
		if (!device->active)
			continue;
		announce(offers, device->path);
		announce_company(offers, device);
	}
	if (software->active)
		announce_company(offers, software);
	kr_list_for_each (device, &offers->devices, link) {
		if (device->active)
			add_offer(offers, device->active, false);
	}
	if (software->active)
		add_offer(offers, software->active, true);
	remove_offers(offers);
	remove_nodes(offers);
}
