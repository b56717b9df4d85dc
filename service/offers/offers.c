/* SPDX-License-Identifier: Apache-2.0 */
/* What is offered, and what is asked of it: see offers.h. How it comes about: settle.c. */
#include "service/offers/internal.h"

#include <errno.h>
#include <string.h>

#include "service/loop/shortage.h"
#include "util/clock.h"

void
kr_offers_touch(struct kr_offers *offers)
{
	if (!offers->started || offers->dirty)
		return;
	offers->dirty = true;
	kr_watch_deadline(offers->work, kr_clock_now());
}

void
kr_offers_settle_at(struct kr_offers *offers, int64_t when)
{
	offers->again_at = KR_MIN(offers->again_at, when);
}

void
kr_offers_settle_again(struct kr_offers *offers)
{
	kr_offers_settle_at(offers, kr_clock_now() + KR_SHORTAGE_AGAIN);
}

void
kr_offers_package_changed(struct kr_offers *offers, struct kr_catalog_entry *entry)
{
	offers->rebuild = true;
	kr_offers_touch(offers);
}

void
kr_offers_packages_idle(struct kr_offers *offers)
{
	kr_offers_touch(offers);
}

bool
kr_offers_is_idle(const struct kr_offers *offers)
{
	return offers->started && !offers->dirty && !offers->pending && !offers->rebuild &&
		kr_catalog_is_idle(offers->catalog);
}

const struct kr_list *
kr_offers_list(const struct kr_offers *offers)
{
	return &offers->offers;
}

struct kr_offer *
kr_offers_find(const struct kr_offers *offers, const char *name)
{
	struct kr_offer *offer;

	kr_list_for_each (offer, &offers->offers, link) {
		if (!strcmp(kr_generation_name(offer->generation), name))
			return offer;
	}
	return NULL;
}

int
kr_offers_open_node(const struct kr_offers *offers, const char *path, int *fd)
{
	const struct kr_offers_node *node;

	kr_list_for_each (node, &offers->announced, link) {
		if (!strcmp(node->path, path))
			return kr_devices_open(offers->nodes, path, fd);
	}
	return -ENOENT;
}
