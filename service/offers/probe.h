/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trying a generation in another process: krafla-probe gets it as a client does, loads it, makes an
 * instance and counts its devices. Nothing waits: the loop hears when the process has ended, or
 * when its time is up.
 */
#ifndef KR_SERVICE_OFFERS_PROBE_H
#define KR_SERVICE_OFFERS_PROBE_H

#include "service/loop/loop.h"
#include "service/store/store.h"
#include "util/macros.h"

struct kr_offers_probe;

#define KR_OFFERS_PROBE_MS 8000u /* for a driver; the process has two seconds more */

/*
 * done() is called once, later: 0 when the driver sees a device, or -errno and a sentence (valid
 * during the call).
 * 0, or -errno with a sentence in *reason (free) and no call.
 */
int kr_offers_probe_start(struct kr_loop *loop, struct kr_generation *generation,
	unsigned driver_ms, void (*done)(void *data, int result, const char *why), void *data,
	struct kr_offers_probe **process, char **reason) KR_MUST_CHECK;
/* Ends the process if it is still there; done() isn't called any more. NULL is none. */
void kr_offers_probe_destroy(struct kr_offers_probe *process);

#endif
