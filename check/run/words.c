/* SPDX-License-Identifier: Apache-2.0 */
/* Cleaning text: see words.h. */
#include "check/run/words.h"

#include <stdlib.h>
#include <string.h>

#include "util/text.h"

void
check_clean(char *text, size_t size)
{
	text[size - 1] = '\0';
	kr_text_clean(text, strlen(text), false);
}

char *
check_words(const char *bytes, size_t size)
{
	char *text;

	while (size && (bytes[size - 1] == '\n' || !bytes[size - 1]))
		size--;
	text = size ? malloc(size + 1) : NULL;
	if (!text)
		return NULL;
	memcpy(text, bytes, size);
	text[size] = '\0';
	kr_text_clean(text, size, true);
	return text;
}

char *
check_word(const char *text)
{
	char *word = text ? strdup(text) : NULL;

	if (word)
		check_clean(word, strlen(word) + 1);
	return word;
}
