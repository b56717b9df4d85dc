/* SPDX-License-Identifier: Apache-2.0 */
/* What a delivery is made of, for the files of this room. */
#ifndef KR_DELIVERY_DELIVERY_IMPL_H
#define KR_DELIVERY_DELIVERY_IMPL_H

#include <limits.h>
#include <stdbool.h>
#include "delivery/delivery.h"
#include "delivery/fd_name.h"

struct kr_delivery {
	enum kr_delivery_kind kind;
	int fds[KR_INDEX_MAX_FILES + 1];
	size_t fd_count;
	struct kr_index index;
	void *dso;  /* the driver's, once it is loaded */
	bool stays; /* something is loaded under the names of the descriptors: they stay */
};

#define KR_DELIVERY_PATH_SIZE (KR_DELIVERY_FD_NAME_SIZE + 1024)

/*
 * The name of descriptor 0, which those of all files begin with, of a mount, or stand beside: asked
 * for once by who needs several, because /proc is asked for it. 0; -ENOENT with a sentence.
 */
int kr_delivery_root(const struct kr_delivery *delivery, char root[KR_DELIVERY_FD_NAME_SIZE],
	char **reason) KR_MUST_CHECK;
/* The name by which index.files[file] is opened. `root`: as above. */
void kr_delivery_path(const struct kr_delivery *delivery, const char *root, size_t file,
	char path[KR_DELIVERY_PATH_SIZE]);

#endif
