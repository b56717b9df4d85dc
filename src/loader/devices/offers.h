/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device extensions about swapchains that ours have: which of them a device offers, and which
 * of those its driver has to be told of for swapchains of its own.
 */
#ifndef KR_LOADER_DEVICES_OFFERS_H
#define KR_LOADER_DEVICES_OFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "loader/drivers/device_extensions.h"
#include "util/vulkan.h"

/* What an extension of ours needs of the driver; each is a bit of kr_device_window.abilities. */
enum kr_device_need {
	KR_NEEDS_NOTHING,
	KR_NEEDS_SHARED,         /* sharedImage (W-10) */
	KR_NEEDS_MUTABLE,        /* images whose views have other formats, which are listed */
	KR_NEEDS_COMPRESSION,    /* imageCompressionControl */
	KR_NEEDS_SINGLE_SAMPLED, /* multisampledRenderToSingleSampled */
	KR_NEEDS_PROTECTED,      /* protectedMemory; no extension needs it */
};

struct kr_vk_offer {
	const char *name;
	uint32_t version;
	uint32_t feature; /* the sType of its features, a VkBool32; 0: it has none */
	enum kr_device_need needs;
	/*
	 * What it adds is asked for by surface, so that it is never used with a driver's own
	 * swapchains unless the driver says so: it can be offered beside those.
	 */
	bool by_surface;
	VkSwapchainCreateFlagsKHR flags; /* of swapchains, that come with it */
	uint32_t more_features;          /* VkBool32s behind the first */
	bool is_both; /* the driver has its part whose swapchains there are: it is told of it */
};

#define KR_OFFER_COUNT 17
extern const struct kr_vk_offer kr_vk_offers[KR_OFFER_COUNT];

#define KR_OFFER_NONE KR_OFFER_COUNT
/* KR_OFFER_NONE when it isn't one of them. */
size_t kr_vk_offer_find(const char *name);
/* Bits of those that have these features: two extensions may share a structure. */
uint32_t kr_vk_offers_with_feature(VkStructureType type);

/*
 * Bits, 1 << number of an offer: what is offered where swapchains of ours can exist on a device
 * with these abilities. `own`: the driver's own can, too; then *passed are those that it is told of
 * when they are enabled, since it lists them.
 */
uint32_t kr_vk_offers_choose(uint32_t abilities, bool own,
	const struct kr_device_extensions *of_driver, uint32_t *passed);

#endif
