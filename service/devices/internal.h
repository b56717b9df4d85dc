/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The devices from inside: node.c and devices.c, below what sees (scan.c), hears (uevents.c) and
 * watches (watch.c).
 */
#ifndef KR_SERVICE_DEVICES_INTERNAL_H
#define KR_SERVICE_DEVICES_INTERNAL_H

#include "service/devices/devices.h"
#include "service/loop/directories.h"

#define KR_DEVICE_PATTERNS_MAX 256

struct kr_uevents; /* where they come from */

struct kr_devices {
	struct kr_loop *loop;
	const struct kr_config *config;
	void (*changed)(void *data);
	void *data;
	struct kr_list nodes; /* kr_node.link */
	size_t node_count;
	unsigned last_serial;
	bool scanned;
	bool is_short; /* the last scan couldn't see everything: shortage.h */
	char *patterns[KR_DEVICE_PATTERNS_MAX];
	size_t pattern_count;
	struct kr_directories *directories;
	struct kr_watch *timer;
	int64_t scan_due; /* KR_FOREVER: nothing has happened */
	struct kr_uevents *uevents;
	char *reason; /* why the device directory can't be watched, by the last scan; NULL */
	char *told;   /* the one before */
};

/* Something has happened: scan in a moment. */
void kr_devices_touch(struct kr_devices *devices);
bool kr_devices_wants(const struct kr_devices *devices, const char *path);

void kr_devices_set_timer(struct kr_devices *devices);
struct kr_node *kr_devices_find(const struct kr_devices *devices, const char *path);
int64_t kr_node_grown_up(const struct kr_node *node);
void kr_node_free(struct kr_node *node);

/*
 * The kernel's driver of a DRM node: sysfs says it, else the node itself. A new string, or NULL:
 * nobody says it. 0, or -errno (and NULL) of a shortage.
 */
int kr_node_kernel_driver(const struct kr_config *config, const char *path, char **driver)
	KR_MUST_CHECK;

/*
 * What sysfs says of a DRM node's ids, with the number that the node itself has, if it is a device.
 * 0, or -errno of a shortage.
 */
int kr_node_find_ids(const struct kr_config *config, const struct kr_node *node,
	struct kr_node_ids *ids) KR_MUST_CHECK;

/*
 * -1: a socket of the kernel's, as the configuration says; without one only inotify tells. 0 or
 * -ENOMEM.
 */
int kr_uevents_create(struct kr_devices *devices, int uevents, struct kr_uevents **out)
	KR_MUST_CHECK;
/* "udev", "kernel", "given", or NULL: none. */
const char *kr_uevents_source(const struct kr_uevents *uevents);
void kr_uevents_destroy(struct kr_uevents *uevents);

#endif
