/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of devices, the same whatever order drivers are found in: the one that the user
 * selects, then discrete before integrated before virtual before other before CPU, then by place on
 * the PCI bus, then by ids. What is equal stays in the order of the drivers.
 */
#include "loader/devices/list.h"

#include <stdio.h>
#include <stdlib.h>

#include "loader/drivers/drivers.h"
#include "util/env.h"
#include "util/log.h"

static int
rank_of_type(VkPhysicalDeviceType type)
{
	switch (type) {
	case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
		return 0;
	case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
		return 1;
	case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
		return 2;
	case VK_PHYSICAL_DEVICE_TYPE_OTHER:
		return 3;
	case VK_PHYSICAL_DEVICE_TYPE_CPU:
		return 4;
	default:
		return 5;
	}
}

static int
compare(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int
compare_entries(const struct kr_device_entry *a, const struct kr_device_entry *b)
{
	const struct kr_device_facts *x = &a->facts, *y = &b->facts;
	int order = b->selected - a->selected;

	if (!order)
		order = rank_of_type(x->type) - rank_of_type(y->type);
	if (!order)
		order = y->has_pci - x->has_pci;
	for (int i = 0; !order && x->has_pci && i < 4; i++)
		order = compare(x->pci[i], y->pci[i]);
	if (!order)
		order = compare(x->device_id ^ x->vendor_id, y->device_id ^ y->vendor_id);
	return order;
}

/* Stable, and without memory; there are few devices. */
static void
sort_entries(struct kr_device_list *list)
{
	for (uint32_t i = 1; i < list->count; i++) {
		struct kr_device_entry entry = list->items[i];
		uint32_t at = i;

		for (; at && compare_entries(&list->items[at - 1], &entry) > 0; at--)
			list->items[at] = list->items[at - 1];
		list->items[at] = entry;
	}
}

/* The first device with the ids of VK_LOADER_DEVICE_SELECT, `vendor:device` in hexadecimal. */
static void
select_device(struct kr_device_list *list)
{
	const char *text = kr_env_get("VK_LOADER_DEVICE_SELECT");
	unsigned vendor, device;

	if (!text)
		return;
	if (sscanf(text, "%x:%x", &vendor, &device) != 2) {
		kr_warn("VK_LOADER_DEVICE_SELECT=%s: not of the form vendor:device (hexadecimal ids), ignored",
			text);
		return;
	}
	for (uint32_t i = 0; i < list->count; i++) {
		struct kr_device_entry *entry = &list->items[i];

		if (entry->facts.vendor_id != vendor || entry->facts.device_id != device)
			continue;
		entry->selected = true;
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"VK_LOADER_DEVICE_SELECT=%s: device \"%s\" comes first", text,
			entry->facts.name);
		return;
	}
	kr_log(KR_LOG_INFO | KR_LOG_DRIVER, "VK_LOADER_DEVICE_SELECT=%s: no device has these ids",
		text);
}

bool
kr_device_list_wants_sorting(const struct kr_device_list *list)
{
	const struct kr_instance *instance = list->instance;
	const char *disable = kr_env_get("VK_LOADER_DISABLE_SELECT");

	if (disable && atoi(disable)) {
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"VK_LOADER_DISABLE_SELECT=%s: devices stay in the order of their drivers",
			disable);
		return false;
	}
	for (uint32_t i = 0; i < list->driver_count; i++) {
		if (instance->drivers[i]->handle && instance->drivers[i]->properties2)
			return true;
	}
	return false;
}

/* As other loaders tell it, under their function's name, which is what is looked for. */
static void
tell_order(const struct kr_device_list *list, bool sorted)
{
	const uint32_t bits = KR_LOG_INFO | KR_LOG_DRIVER;

	if (!kr_log_enabled(bits))
		return;
	if (!sorted)
		kr_log(bits, "linux_read_sorted_physical_devices:");
	kr_log(bits, "     %s order:", sorted ? "Sorted" : "Original");
	for (uint32_t i = 0; i < list->count; i++)
		kr_log(bits, "           [%u] %s%s", i, list->items[i].facts.name,
			sorted && list->items[i].selected ? "  [default]" : "");
}

void
kr_device_list_sort(struct kr_device_list *list)
{
	tell_order(list, false);
	if (list->count < 2) {
		tell_order(list, true);
		return;
	}
	select_device(list);
	sort_entries(list);
	tell_order(list, true);
	list->ordered = true;
	for (uint32_t i = 1; i < list->count; i++)
		list->items[i].rank = compare_entries(&list->items[i - 1], &list->items[i])
			? i
			: list->items[i - 1].rank;
	for (uint32_t i = 0; i < list->count; i++)
		kr_log(KR_LOG_DEBUG | KR_LOG_DRIVER, "device %u is \"%s\" of %s", i,
			list->items[i].facts.name, list->items[i].driver->driver->driver->name);
}
