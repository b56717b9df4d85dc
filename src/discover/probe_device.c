/* SPDX-License-Identifier: Apache-2.0 */
/* See probe_device.h. */
#include "discover/probe_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void
kr_probe_device_write(const struct kr_probe_device *device, char line[KR_PROBE_DEVICE_LINE_SIZE])
{
	char name[sizeof(device->name)];

	snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1, device->name);
	for (char *c = name; *c; c++) {
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
			*c = '?';
	}
	snprintf(line, KR_PROBE_DEVICE_LINE_SIZE,
		"device %d %" PRIu32 " %" PRIx32 " %" PRIx32 " %d %" PRId64 ":%" PRId64 " %" PRId64
		":%" PRId64 " %s\n",
		device->told, device->type, device->vendor, device->device, device->has_drm,
		device->primary_major, device->primary_minor, device->render_major,
		device->render_minor, name);
}

static bool
read_line(const char *line, size_t length, struct kr_probe_device *device)
{
	int told, has_drm, end = 0;
	size_t name_length;

	if (sscanf(line,
		    "device %d %" SCNu32 " %" SCNx32 " %" SCNx32 " %d %" SCNd64 ":%" SCNd64
		    " %" SCNd64 ":%" SCNd64 "%n",
		    &told, &device->type, &device->vendor, &device->device, &has_drm,
		    &device->primary_major, &device->primary_minor, &device->render_major,
		    &device->render_minor, &end) != 9 ||
		!end || (size_t)end >= length || line[end] != ' ')
		return false;
	device->told = told;
	device->has_drm = has_drm;
	name_length = KR_MIN(length - (size_t)end - 1, sizeof(device->name) - 1);
	memcpy(device->name, line + end + 1, name_length);
	device->name[name_length] = '\0';
	return true;
}

size_t
kr_probe_devices_parse(const char *text, struct kr_probe_device devices[KR_PROBE_DEVICES_MAX])
{
	size_t count = 0;
	const char *end;

	for (; count < KR_PROBE_DEVICES_MAX && (end = strchr(text, '\n')); text = end + 1) {
		if (!read_line(text, (size_t)(end - text), &devices[count]))
			break;
		count++;
	}
	return count;
}
