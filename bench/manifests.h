/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of manifests in which a loader searches, made for a benchmark. */
#ifndef KR_BENCH_MANIFESTS_H
#define KR_BENCH_MANIFESTS_H

#include <stddef.h>

struct manifests {
	char root[64]; /* "" when there is none */
	char env[96];  /* XDG_DATA_DIRS, naming it */
};

/* All return 0, or 1 with a message; then what there is must still be removed. */
int manifests_create(struct manifests *manifests);
/* `count` drivers, each with a library of its own: copies of the one that this manifest names. */
int manifests_add_drivers(struct manifests *manifests, const char *like, unsigned count);
/* Half of them explicit, half implicit and not enabled. */
int manifests_add_layers(struct manifests *manifests, unsigned count);
/* The drivers that a folder holds; *count grows by their number. */
int manifests_link_drivers(struct manifests *manifests, const char *folder, unsigned *count);
void manifests_remove(struct manifests *manifests);

#endif
