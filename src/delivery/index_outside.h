/* SPDX-License-Identifier: Apache-2.0 */
/* The part of an index that is for launchers: see index.h. For index_parse.c alone. */
#ifndef KR_DELIVERY_INDEX_OUTSIDE_H
#define KR_DELIVERY_INDEX_OUTSIDE_H

#include "delivery/index.h"
#include "util/json.h"
#include "util/macros.h"

/* Reads nodes, system_paths and environment, once `files` are read. 0, -EINVAL or -ENOMEM, as kr_index_parse. */
int kr_index_parse_outside(const struct kr_json *root, struct kr_index *index, char **reason)
	KR_MUST_CHECK;

#endif
