/* SPDX-License-Identifier: Apache-2.0 */
/* An allow list that was read, and what can be asked of it: see allow.h. */
#include "service/package/allow.h"

#include <stdlib.h>
#include <string.h>

#include "util/text.h"

static bool
matches(const char *name, const char *pattern)
{
	size_t len = strcspn(pattern, "*");

	return pattern[len] ? !strncmp(name, pattern, len) : !strcmp(name, pattern);
}

static int
by_name(const void *key, const void *symbol)
{
	return strcmp(key, ((const struct kr_allow_symbol *)symbol)->name);
}

const struct kr_allow_rule *
kr_allow_find(const struct kr_allow_list *list, const char *symbol)
{
	const struct kr_allow_symbol *found = bsearch(
		symbol, list->symbols.symbols, list->symbols.count, sizeof(*found), by_name);

	for (size_t i = 0; !found && i < list->patterns.count; i++) {
		if (matches(symbol, list->patterns.symbols[i].name))
			found = &list->patterns.symbols[i];
	}
	return found ? &list->rules[found->rule] : NULL;
}

static bool
is_among(const struct kr_allow_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (matches(name, names->names[i]))
			return true;
	}
	return false;
}

bool
kr_allow_is_library(const struct kr_allow_list *list, const char *soname)
{
	return is_among(&list->libraries, soname) || is_among(&list->applications, soname);
}

/* Whether an earlier rule has the same word. */
static bool
is_seen(const struct kr_allow_list *list, size_t rule)
{
	for (size_t i = 0; i < rule; i++) {
		if (list->rules[i].kind == KR_ALLOW_FAMILY &&
			!strcmp(list->rules[i].word, list->rules[rule].word))
			return true;
	}
	return false;
}

char *
kr_allow_families(const struct kr_allow_list *list)
{
	char *text = strdup(""), *longer;

	for (size_t i = 0; text && i < list->rule_count; i++) {
		if (list->rules[i].kind != KR_ALLOW_FAMILY || is_seen(list, i))
			continue;
		longer = kr_asprintf("%s%s%s", text, *text ? ", " : "", list->rules[i].word);
		free(text);
		text = longer;
	}
	return text;
}

bool
kr_allow_is_family(const struct kr_allow_list *list, const char *word)
{
	for (size_t i = 0; i < list->rule_count; i++) {
		if (list->rules[i].kind == KR_ALLOW_FAMILY && !strcmp(list->rules[i].word, word))
			return true;
	}
	return false;
}

void
kr_allow_destroy(struct kr_allow_list *list)
{
	if (!list)
		return;
	free(list->path);
	free(list->text);
	free(list->libraries.names);
	free(list->applications.names);
	free(list->rules);
	free(list->symbols.symbols);
	free(list->patterns.symbols);
	free(list);
}
