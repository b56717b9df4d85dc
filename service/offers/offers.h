/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is offered: devices, the ordered candidates of each (hardware/device_map.h), and the one
 * driver that was chosen. Rules, those of Fuchsia's loader service (docs/service.md): a later
 * candidate isn't looked at while an earlier one is still being tried, the first that works wins, a
 * device has one manifest, a driver of several devices is one offer; the software driver is offered
 * only when it is configured, nothing is being tried, and no device has a driver; once offered it
 * stays until a device has one. A device is announced before its offer.
 */
#ifndef KR_SERVICE_OFFERS_OFFERS_H
#define KR_SERVICE_OFFERS_OFFERS_H

#include <stdbool.h>
#include <jansson.h>
#include "service/catalog/catalog.h"
#include "service/config/config.h"
#include "service/loop/loop.h"
#include "service/offers/probe.h"
#include "util/list.h"
#include "util/macros.h"

struct kr_offer {
	struct kr_list link;
	struct kr_generation *generation; /* a reference */
	bool software;
};

struct kr_offers_events {
	/* A node of a supported device, "dri/renderD128": for the device fs. */
	void (*node_added)(void *data, const char *path);
	void (*node_removed)(void *data, const char *path);
	/* A driver is offered, or the reason for it is another. */
	void (*offer_added)(void *data, struct kr_offer *offer);
	/* It is freed afterwards. */
	void (*offer_removed)(void *data, struct kr_offer *offer);
	void (*idle)(void *data); /* nothing is being tried any more */
};

/*
 * Where events come from, for tests: a socket that gives uevent packets
 * ("add@/devices/...\0ACTION=add\0...").
 */
struct kr_offers_sources {
	int uevents; /* -1: as the configuration says */
	/*
	 * Tries a candidate: calls done(done_data, what was found) once, now or later, but not
	 * after kr_offers_destroy. NULL: krafla-probe.
	 */
	void (*probe)(void *data, struct kr_generation *generation, kr_offers_found_fn done,
		void *done_data);
	void *data;
};

struct kr_offers;

int kr_offers_create(struct kr_loop *loop, struct kr_catalog *catalog,
	const struct kr_config *config, const struct kr_offers_sources *sources,
	const struct kr_offers_events *events, void *data, struct kr_offers **offers) KR_MUST_CHECK;
int kr_offers_start(struct kr_offers *offers) KR_MUST_CHECK;
/*
 * Other classes, another software driver, other rules (borrows): candidates are found anew, and
 * those that failed or were refused are tried again. What is offered stays until that is decided.
 */
void kr_offers_configure(struct kr_offers *offers, const struct kr_config *config);
/* The catalog's events, passed on by whoever owns both. */
void kr_offers_package_changed(struct kr_offers *offers, struct kr_catalog_entry *entry);
void kr_offers_packages_idle(struct kr_offers *offers);

bool kr_offers_is_idle(const struct kr_offers *offers);
struct kr_offer *kr_offers_find(const struct kr_offers *offers, const char *name);
const struct kr_list *kr_offers_list(const struct kr_offers *offers); /* kr_offer.link */
/*
 * Opens a node that has been announced, for reading and writing. 0, -ENOENT for any other path,
 * -errno.
 */
int kr_offers_open_node(const struct kr_offers *offers, const char *path, int *fd) KR_MUST_CHECK;
/*
 * {"watch": {"directory", "events", "reason"},
 *  "devices": [{"node", "kernel_driver", "class",
 *    "state": "works" | "trying" | "no driver" | "not accessible", "reason", "driver",
 *    "candidates": [{"rule", "package", "generation",
 *      "state": "waiting" | "probing" | "works" | "failed" | "absent" | "refused", "reason",
 *      "sees": "NAME (VENDOR:DEVICE)", "tried", "previous"}]}],
 *  "software": {"package", "state": "offered" | "not needed" | "waiting" | "no driver", "driver",
 *    "candidates"} or null,
 *  "offered": [names], "nodes": [paths],
 *  "unconfined": what drivers that are tried couldn't be confined by, or null}
 */
json_t *kr_offers_inspect(const struct kr_offers *offers);
void kr_offers_destroy(struct kr_offers *offers);

#endif
