/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of the device directory that may matter: render nodes, those that rules of the device
 * map and classes of the configuration name, and those that packages ask for. Whatever event comes,
 * the directory is listed anew, a moment later: events are hints, and one that is lost, made up or
 * repeated does no harm.
 *
 * Thread-safety: one thread, the loop's.
 */
#ifndef KR_SERVICE_DEVICES_DEVICES_H
#define KR_SERVICE_DEVICES_DEVICES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <jansson.h>
#include "service/config/config.h"
#include "service/loop/loop.h"
#include "util/list.h"
#include "util/macros.h"

#define KR_NODES_MAX     512
#define KR_NODE_PATH_MAX 127 /* as in the protocol's open_device */

/* What tells the device of a DRM node from others; what nobody says is 0. */
struct kr_node_ids {
	uint32_t major, minor;           /* of the node */
	uint32_t pci_vendor, pci_device; /* vendor 0: it is on no PCI bus */
};

struct kr_node {
	struct kr_list link;
	char *path;          /* below the device directory: "dri/renderD128" */
	char *kernel_driver; /* of a DRM node; NULL: it has none, or nobody says it */
	int error;           /* 0, or -errno of opening it for reading and writing */
	bool young; /* it appeared a moment ago and may not be opened yet: permissions come later */
	struct kr_node_identity {
		uint64_t inode;
		uint32_t major, minor;
		/* 0: this file system doesn't say it, and inode numbers aren't used again soon */
		int64_t born_s;
		uint32_t born_ns;
	} identity; /* what tells it from another one under the same path */
	struct kr_node_ids ids;
	unsigned serial; /* another one for each node that ever was */
	int64_t since;
	bool seen;
};

struct kr_devices;

/*
 * `uevents`: a socket that gives uevents, borrowed, or -1: as the configuration says. changed() is
 * called from the loop when nodes have come, gone, or become usable. 0 or -errno.
 */
int kr_devices_create(struct kr_loop *loop, const struct kr_config *config, int uevents,
	void (*changed)(void *data), void *data, struct kr_devices **devices) KR_MUST_CHECK;
/*
 * Lists the nodes that are there now; changed() is not called. Whether anything has changed since
 * the last time.
 */
bool kr_devices_scan(struct kr_devices *devices);
/*
 * Nodes that fit `pattern` count from now on; they are there after the next scan, which comes by
 * itself. 0 or -errno.
 */
int kr_devices_want(struct kr_devices *devices, const char *pattern) KR_MUST_CHECK;

/* Another configuration of the same directories; what was watched for before still is. Borrows. */
void kr_devices_configure(struct kr_devices *devices, const struct kr_config *config);
const struct kr_list *kr_devices_nodes(const struct kr_devices *devices); /* kr_node.link */
/* Opens a node for reading and writing. 0 or -errno. */
int kr_devices_open(const struct kr_devices *devices, const char *path, int *fd) KR_MUST_CHECK;
/* {"directory", "events", "reason"} */
json_t *kr_devices_inspect(const struct kr_devices *devices);
/* NULL is none. */
void kr_devices_destroy(struct kr_devices *devices);

/* A `*` of the pattern stands for any part of a name, but for no slash. */
bool kr_node_fits(const char *pattern, const char *path);
bool kr_node_is_drm(const char *path); /* "dri/..." */

#endif
