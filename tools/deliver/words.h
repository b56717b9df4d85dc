/* SPDX-License-Identifier: Apache-2.0 */
/* A list of words that is built, such as a command line. Thread-safety: one thread. */
#ifndef KR_TOOLS_DELIVER_WORDS_H
#define KR_TOOLS_DELIVER_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include "util/macros.h"

/* All zero at first. `items` ends with NULL once there is one. */
struct kr_words {
	char **items;
	size_t count;
	bool failed; /* a word got lost for want of memory: asked for once, at the end */
};

void kr_words_add(struct kr_words *words, const char *word);
void kr_words_addf(struct kr_words *words, const char *fmt, ...) KR_PRINTF(2, 3);
bool kr_words_have(const struct kr_words *words, const char *word);
void kr_words_finish(struct kr_words *words);

#endif
