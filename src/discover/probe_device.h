/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What krafla-probe tells of each physical device that a driver lists, and how it is written: a
 * line each, behind the line of discover/probe.h. By it a loader service sees which of the devices
 * of the kernel it is (M-01).
 *
 * Thread-safety: no shared state.
 */
#ifndef KR_DISCOVER_PROBE_DEVICE_H
#define KR_DISCOVER_PROBE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

#define KR_PROBE_DEVICES_MAX      16 /* that are told of */
#define KR_PROBE_DEVICE_LINE_SIZE 400

struct kr_probe_device {
	bool told; /* it described itself: nothing below is known otherwise */
	uint32_t type, vendor, device;
	/* By VK_EXT_physical_device_drm: numbers of its nodes, -1 for one that it hasn't */
	bool has_drm;
	int64_t primary_major, primary_minor, render_major, render_minor;
	char name[256];
};

/* Writes the line, with its end; bytes of the name that aren't printable become `?`. */
void kr_probe_device_write(
	const struct kr_probe_device *device, char line[KR_PROBE_DEVICE_LINE_SIZE]);
/* Reads the lines of a text, as far as they are right: how many. */
size_t kr_probe_devices_parse(
	const char *text, struct kr_probe_device devices[KR_PROBE_DEVICES_MAX]);

#endif
