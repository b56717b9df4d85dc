/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device `random`: soft, with the validate of a nasty vendor. It hands layers back as the seed
 * says, each time others, asks for client targets that nothing is drawn into, and for holes in
 * them. What a client makes of that must look as on soft.
 */
#include <errno.h>
#include <stdlib.h>

#include "hwc/changes.h"
#include "hwc/soft_device.h"

/* xorshift64*, whose state may not be 0. */
static uint32_t
draw(struct kr_soft *soft, uint32_t below)
{
	soft->random ^= soft->random >> 12;
	soft->random ^= soft->random << 25;
	soft->random ^= soft->random >> 27;
	return (uint32_t)((soft->random * UINT64_C(0x2545f4914f6cdd1d)) >> 32) % below;
}

static int
open_random(const char *argument, const struct kr_hwc_host *host, struct kr_hwc_device **device)
{
	unsigned long long seed;
	char *end;
	int err;

	if (!argument || *argument < '0' || *argument > '9')
		return -EINVAL;
	errno = 0;
	seed = strtoull(argument, &end, 0);
	if (errno || *end)
		return -EINVAL;
	err = kr_soft_open(&kr_hwc_random, host, device);
	if (!err)
		kr_soft_from_device(*device)->random = seed ? seed : UINT64_C(0x9e3779b97f4a7c15);
	return err;
}

/*
 * Of what lies between two layers of the client's, something opaque stays the device's now and
 * then: it is shown through a hole in the client target.
 */
static void
ask_for_holes(struct kr_soft *soft, struct kr_hwc_display_state *state)
{
	unsigned first = state->count, last = 0;

	for (unsigned i = 0; i < state->count; i++) {
		const struct kr_hwc_layer_state *layer = state->layers[i];

		if (layer->composition == KRAFLA_COMPOSITION_CLIENT || layer->changed_to) {
			first = KR_MIN(first, i);
			last = i;
		}
	}
	for (unsigned i = first + 1; i < last; i++) {
		struct kr_hwc_layer_state *layer = state->layers[i];

		if (!layer->changed_to || !kr_soft_is_opaque(layer) || draw(soft, 2))
			continue;
		layer->changed_to = KRAFLA_COMPOSITION_INVALID;
		layer->requests = KRAFLA_REQUEST_CLEAR_CLIENT_TARGET;
	}
}

static int
validate(struct kr_hwc_device *device, struct kr_hwc_display_state *state)
{
	struct kr_soft *soft = kr_soft_from_device(device);
	uint32_t mood = draw(soft, 4); /* takes all; hands some back; most; all */

	for (unsigned i = 0; i < state->count; i++) {
		struct kr_hwc_layer_state *layer = state->layers[i];

		if (layer->composition != KRAFLA_COMPOSITION_CLIENT && draw(soft, 3) < mood)
			layer->changed_to = KRAFLA_COMPOSITION_CLIENT;
	}
	kr_soft_gather_client_layers(state);
	ask_for_holes(soft, state);
	if (draw(soft, 4) == 0)
		state->requests = KRAFLA_REQUEST_FLIP_CLIENT_TARGET;
	return KRAFLA_COMPOSER_NONE;
}

const struct kr_hwc_device_impl kr_hwc_random = {
	.name = "random",
	.open = open_random,
	.close = kr_soft_close,
	.get_fd = kr_soft_get_fd,
	.dispatch = kr_soft_dispatch,
	.validate = validate,
	KR_SOFT_OPS,
};
