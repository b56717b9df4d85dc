/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How it is decided what is offered: see offers.h. Whatever happens (nodes, packages, results of
 * trials) only marks that something has; settling, in the next round of the loop, brings everything
 * in step and tells the difference:
 *
 *   nodes -> devices -> candidates of each, in order -> the first that works -> what is told
 *
 * Idle is therefore not counted but seen: nothing to settle, packages looked at, every device
 * decided. While packages are being looked at no candidates are chosen, since a better one may be
 * among them.
 */
#include "service/offers/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "util/clock.h"

static bool
step_devices(struct kr_offers *offers, bool *pending)
{
	struct kr_offers_device *device;
	bool any = false;

	*pending = false;
	kr_list_for_each (device, &offers->devices, link) {
		kr_offers_device_step(offers, device);
		any = any || device->active;
		*pending = *pending || !device->decided;
	}
	return any;
}

/*
 * The software driver comes when all have been tried in vain; then it stays until a device has a
 * driver, so that it doesn't flicker each time a device is tried. With it beside a device's driver,
 * programs that take the first device would draw on the processor.
 */
static bool
step_software(struct kr_offers *offers, bool any, bool pending)
{
	struct kr_offers_device *software = &offers->software;

	if (any || !offers->config->software) {
		offers->software_on = false;
		kr_offers_device_set_active(software, NULL);
		return false;
	}
	if (pending && !offers->software_on)
		return false;
	offers->software_on = true;
	kr_offers_device_step(offers, software);
	return !software->decided;
}

static void
settle(void *data, uint32_t events)
{
	struct kr_offers *offers = data;
	bool pending, any;

	offers->dirty = false;
	offers->again_at = KR_FOREVER;
	offers->pass++;
	kr_offers_sync_devices(offers);
	if (kr_catalog_is_idle(offers->catalog))
		kr_offers_build(offers);
	kr_offers_end_trials(offers);
	any = step_devices(offers, &pending);
	pending = step_software(offers, any, pending) || pending;
	kr_offers_end_trials(offers);
	kr_offers_apply(offers);
	offers->pending = pending || offers->again_at != KR_FOREVER;
	if (!offers->dirty)
		kr_watch_deadline(offers->work, offers->again_at);
	if (kr_offers_is_idle(offers))
		offers->events->idle(offers->data);
}

static void
handle_nodes(void *data)
{
	kr_offers_touch(data);
}

static void
init(struct kr_offers *offers)
{
	kr_list_init(&offers->devices);
	kr_list_init(&offers->trials);
	kr_list_init(&offers->announced);
	kr_list_init(&offers->offers);
	kr_list_init(&offers->software.link);
}

int
kr_offers_create(struct kr_loop *loop, struct kr_catalog *catalog, const struct kr_config *config,
	const struct kr_offers_sources *sources, const struct kr_offers_events *events, void *data,
	struct kr_offers **out)
{
	struct kr_offers *offers = calloc(1, sizeof(*offers));
	int ret;

	if (!offers)
		return -ENOMEM;
	*offers = (struct kr_offers){.loop = loop,
		.catalog = catalog,
		.config = config,
		.sources = sources ? *sources : (struct kr_offers_sources){.uevents = -1},
		.events = events,
		.data = data,
		.rebuild = true,
		.again_at = KR_FOREVER,
		.pending = true};
	init(offers);
	ret = kr_watch_add(loop, -1, 0, settle, offers, &offers->work);
	if (!ret)
		ret = kr_devices_create(loop, config, offers->sources.uevents, handle_nodes, offers,
			&offers->nodes);
	if (ret)
		kr_offers_destroy(offers);
	else
		*out = offers;
	return ret;
}

int
kr_offers_start(struct kr_offers *offers)
{
	offers->started = true;
	(void)kr_devices_scan(offers->nodes);
	kr_offers_touch(offers);
	return 0;
}

void
kr_offers_configure(struct kr_offers *offers, const struct kr_config *config)
{
	offers->config = config;
	kr_devices_configure(offers->nodes, config);
	kr_offers_classify(offers);
	offers->rebuild = true;
	kr_offers_touch(offers);
}

void
kr_offers_destroy(struct kr_offers *offers)
{
	struct kr_offers_node *node, *next_node;
	struct kr_offers_device *device, *next_device;
	struct kr_offers_trial *trial, *next_trial;
	struct kr_offer *offer, *next_offer;

	if (!offers)
		return;
	kr_list_for_each_safe (device, next_device, &offers->devices, link)
		kr_offers_device_free(device);
	kr_offers_device_finish(&offers->software);
	kr_list_for_each_safe (trial, next_trial, &offers->trials, link)
		kr_offers_trial_free(trial);
	kr_list_for_each_safe (offer, next_offer, &offers->offers, link) {
		kr_generation_unref(offer->generation);
		free(offer);
	}
	kr_list_for_each_safe (node, next_node, &offers->announced, link) {
		free(node->path);
		free(node);
	}
	kr_devices_destroy(offers->nodes);
	kr_watch_remove(offers->work);
	free(offers->lacks);
	free(offers);
}
