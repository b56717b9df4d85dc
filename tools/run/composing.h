/* SPDX-License-Identifier: Apache-2.0 */
/* What the display did to make its pictures, for the summary. Functions of one thread. */
#ifndef KR_TOOLS_RUN_COMPOSING_H
#define KR_TOOLS_RUN_COMPOSING_H

#include <stdio.h>
#include <jansson.h>
#include "composer/composer.h"

/* A line or two; none without pictures. */
void kr_composing_print(const struct kr_display_stats *stats, FILE *out);
/* As docs/commands.md describes it: a new value. */
json_t *kr_composing_json(const struct kr_display_stats *stats);
/* Frames by their present modes, likewise. */
json_t *kr_composing_modes_json(const struct kr_display_stats *stats);
/* How punctual a real clock's ticks were; null of a virtual one's. */
json_t *kr_composing_ticks_json(const struct kr_display_stats *stats);

#endif
