/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generations that aren't offered any more, for clients that were there while they were: who has
 * read a manifest gets the driver it names, whatever has been replaced since. Of a package the last
 * KR_RETIRED_OF_A_PACKAGE are kept, KR_RETIRED_IN_ALL at most, and each only as long as a client is
 * connected that may ask.
 */
#ifndef KR_SERVICE_SERVER_RETIRED_H
#define KR_SERVICE_SERVER_RETIRED_H

#include <stdint.h>
#include <jansson.h>
#include "service/store/store.h"
#include "util/list.h"

#define KR_RETIRED_OF_A_PACKAGE 2
#define KR_RETIRED_IN_ALL       16

struct kr_retired {
	struct kr_list all; /* struct in retired.c; oldest first */
};

void kr_retired_init(struct kr_retired *retired);
/* Clients with numbers below `next` were there. Keeps a reference. Without memory it isn't kept. */
void kr_retired_add(struct kr_retired *retired, struct kr_generation *generation, uint64_t next);
/* Borrowed; NULL: none that this client may have. */
struct kr_generation *kr_retired_find(
	const struct kr_retired *retired, const char *name, uint64_t client);
/* `oldest`: the smallest number of a client that is connected, UINT64_MAX for none. */
void kr_retired_prune(struct kr_retired *retired, uint64_t oldest);
json_t *kr_retired_inspect(const struct kr_retired *retired);
void kr_retired_finish(struct kr_retired *retired);

#endif
