/* SPDX-License-Identifier: Apache-2.0 */
/* What reading an index takes: see index.h. For its files alone. */
#ifndef KR_DELIVERY_INDEX_OUTSIDE_H
#define KR_DELIVERY_INDEX_OUTSIDE_H

#include "delivery/index.h"
#include "util/json.h"
#include "util/macros.h"

/* Whether it may stand in messages and names: not empty, not too long, no control characters. */
bool kr_index_is_plain(const char *text, size_t max);
/*
 * Reads nodes, system_paths and environment, once `files` are read. 0, -EINVAL or -ENOMEM, as
 * kr_index_parse.
 */
int kr_index_parse_outside(const struct kr_json *root, struct kr_index *index, char **reason)
	KR_MUST_CHECK;

#endif
