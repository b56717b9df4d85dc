/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of a driver's devices a node is (M-01). A device says it by the number of its node
 * (VK_EXT_physical_device_drm), else by the ids of PCI. What can't be compared speaks against
 * nothing: nodes that aren't DRM's, devices on no PCI bus, and devices of virtio, whose drivers
 * show the ids of the host's GPU.
 */
#include "service/offers/internal.h"

#include "util/vulkan.h"

#define PCI_VENDORS   0x10000u /* ids from here on are Khronos's */
#define VENDOR_VIRTIO 0x1af4u

static bool
is_number(const struct kr_node_ids *ids, int64_t major, int64_t minor)
{
	return major == (int64_t)ids->major && minor == (int64_t)ids->minor;
}

static enum kr_offers_likeness
compare(const struct kr_offers_device *device, const struct kr_probe_device *seen)
{
	const struct kr_node_ids *ids = &device->ids;

	if (!seen->told)
		return KR_OFFERS_UNTOLD;
	if (ids->major && seen->has_drm)
		return is_number(ids, seen->render_major, seen->render_minor) ||
				is_number(ids, seen->primary_major, seen->primary_minor)
			? KR_OFFERS_SAME
			: KR_OFFERS_OTHER;
	/* Unless somebody has said that it shall stand for one. */
	if (seen->type == VK_PHYSICAL_DEVICE_TYPE_CPU && !device->class)
		return KR_OFFERS_OTHER;
	if (!ids->pci_vendor || ids->pci_vendor == VENDOR_VIRTIO || seen->vendor >= PCI_VENDORS)
		return KR_OFFERS_UNTOLD;
	return seen->vendor == ids->pci_vendor && seen->device == ids->pci_device ? KR_OFFERS_SAME
										  : KR_OFFERS_OTHER;
}

enum kr_offers_likeness
kr_offers_match(const struct kr_offers_device *device, const struct kr_probe_device *seen,
	size_t count, const struct kr_probe_device **which)
{
	enum kr_offers_likeness best = count && device->path ? KR_OFFERS_OTHER : KR_OFFERS_UNTOLD;

	*which = NULL;
	for (size_t i = 0; device->path && i < count; i++) {
		const enum kr_offers_likeness match = compare(device, &seen[i]);

		if (match > best)
			best = match;
		if (match == KR_OFFERS_SAME && !*which)
			*which = &seen[i];
	}
	return best;
}
