/* SPDX-License-Identifier: Apache-2.0 */
/* See shell_words.h. */
#include "tools/run/shell_words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* One word from *at on, which it moves behind it; *to likewise. False: something isn't closed. */
static bool
take_word(const char **at, char **to)
{
	char quote = '\0';

	for (; **at && (quote || !is_blank(**at)); ++*at) {
		char c = **at;

		if (c == quote) {
			quote = '\0';
			continue;
		}
		if (!quote && (c == '\'' || c == '"')) {
			quote = c;
			continue;
		}
		if (c == '\\' && quote != '\'') {
			char next = (*at)[1];

			if (!next)
				return false;
			if (!quote || next == '"' || next == '\\')
				c = *++*at;
		}
		*(*to)++ = c;
	}
	*(*to)++ = '\0';
	return !quote;
}

int
kr_shell_words(const char *text, char ***words)
{
	size_t length = strlen(text), most = length / 2 + 2, count = 0;
	/* The pointers, and behind them the words: each is shorter than what it was made of. */
	char **made = malloc(most * sizeof(*made) + length + 1);
	char *to;

	if (!made)
		return -ENOMEM;
	to = (char *)(made + most);
	while (is_blank(*text))
		text++;
	while (*text) {
		made[count++] = to;
		if (!take_word(&text, &to)) {
			free(made);
			return -EINVAL;
		}
		while (is_blank(*text))
			text++;
	}
	made[count] = NULL;
	if (!count) {
		free(made);
		return -EINVAL;
	}
	*words = made;
	return 0;
}
