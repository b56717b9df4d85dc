/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words: see words.h. */
#include "tools/deliver/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
append(struct kr_words *words, char *take_word)
{
	char **items =
		take_word ? reallocarray(words->items, words->count + 2, sizeof(*items)) : NULL;

	if (!items) {
		words->failed = true;
		free(take_word);
		return;
	}
	words->items = items;
	items[words->count++] = take_word;
	items[words->count] = NULL;
}

void
kr_words_add(struct kr_words *words, const char *word)
{
	append(words, strdup(word));
}

void
kr_words_addf(struct kr_words *words, const char *fmt, ...)
{
	char *word = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&word, fmt, args) < 0)
		word = NULL;
	va_end(args);
	append(words, word);
}

bool
kr_words_have(const struct kr_words *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++) {
		if (!strcmp(words->items[i], word))
			return true;
	}
	return false;
}

void
kr_words_finish(struct kr_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct kr_words){0};
}
