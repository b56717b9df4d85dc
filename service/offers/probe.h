/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trying a generation in another process: krafla-probe gets it as a client does, loads it, makes an
 * instance and counts its devices. Nothing waits: the loop hears when the process has ended, or
 * when its time is up.
 */
#ifndef KR_SERVICE_OFFERS_PROBE_H
#define KR_SERVICE_OFFERS_PROBE_H

#include "discover/probe_device.h"
#include "service/loop/loop.h"
#include "service/store/store.h"
#include "util/macros.h"

struct kr_offers_probe;

#define KR_OFFERS_PROBE_MS 8000u /* for a driver; the process has two seconds more */

/*
 * What a trial found: 0 when the driver sees a device, and what its devices are as far as they say
 * it; or -errno and a sentence. All is valid during the call.
 */
struct kr_offers_found {
	int result;
	const char *why;
	const struct kr_probe_device *devices;
	size_t device_count;
};
typedef void (*kr_offers_found_fn)(void *data, const struct kr_offers_found *found);

/*
 * done() is called once, later.
 * 0, or -errno with a sentence in *reason (free) and no call.
 */
int kr_offers_probe_start(struct kr_loop *loop, struct kr_generation *generation,
	unsigned driver_ms, kr_offers_found_fn done, void *data, struct kr_offers_probe **process,
	char **reason) KR_MUST_CHECK;
/*
 * Once it is done: what the driver tried beyond what it may while it is tried (I-05), and what it
 * couldn't be kept from; parts of sentences, or NULL. Valid until it is destroyed.
 */
const char *kr_offers_probe_tried(const struct kr_offers_probe *process);
const char *kr_offers_probe_lacks(const struct kr_offers_probe *process);
/* Ends the process if it is still there; done() isn't called any more. NULL is none. */
void kr_offers_probe_destroy(struct kr_offers_probe *process);

#endif
