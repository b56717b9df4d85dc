/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers that are pictures, for who looks at them longer than the call that shows them. A buffer
 * that its layer gives up meanwhile has a release fence, which signals when nobody looks any more:
 * a slow writer costs the layer that one buffer, and of a second one of it he gets a copy.
 *
 * Thread-safety: all of it, any thread. Holds may outlive what they are of: layer and composer.
 */
#ifndef KR_HWC_HOLD_H
#define KR_HWC_HOLD_H

#include <krafla/composer.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

struct kr_buffer;
struct kr_hwc_holds;

/* Of a layer, beside what it shows: so many buffers that it has given up may be looked at. */
#define KR_HWC_HOLDS_OF_LAYER 1
/* Of a composer. */
#define KR_HWC_HOLDS_MAX 16

/* Of a composer. NULL: no memory. */
struct kr_hwc_holds *kr_hwc_holds_create(void);
/* The composer needs them no more; they go with the last hold. NULL is nothing. */
void kr_hwc_holds_leave(struct kr_hwc_holds *holds);

/*
 * A layer's buffer is a picture now: what whoever looks at it may take, valid during the call that
 * shows it. `number` is the picture's. NULL: none left.
 */
struct krafla_picture_hold *kr_hwc_holds_offer(struct kr_hwc_holds *holds, krafla_layer_t layer,
	uint64_t number, struct kr_buffer *buffer);
/*
 * The layer gives the buffer up: the fence that signals when nobody looks at it any more, the
 * caller's. -1: nobody does.
 */
int kr_hwc_holds_give_back(
	struct kr_hwc_holds *holds, krafla_layer_t layer, const struct kr_buffer *buffer);
/*
 * The same when its release fence is out already: `take_signal` is signalled when nobody looks at
 * it any more, now if that is so.
 */
void kr_hwc_holds_owe(struct kr_hwc_holds *holds, krafla_layer_t layer,
	const struct kr_buffer *buffer, int take_signal);

#endif
