/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the text of an allow list: see allow.h; service/platform/1.txt describes the format. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/allow.h"
#include "service/package/internal.h"
#include "util/array.h"

#define BLANKS " \t"

struct parser {
	struct kr_allow_list *list;
	size_t line;
	bool in_block;
	struct kr_allow_rule rule; /* for the names that follow */
	bool is_kept;              /* it is the last of the list's rules */
	char **reason;
};

static int
refuse(const struct parser *parser, const char *what, const char *word)
{
	return kr_package_refuse(parser->reason, -EINVAL, "%s, line %zu: %s%s%s",
		parser->list->path, parser->line, word, *word ? ": " : "", what);
}

/* Cuts the next word off; NULL: there is none. */
static char *
next_word(char **rest)
{
	char *word = *rest + strspn(*rest, BLANKS);
	size_t len = strcspn(word, BLANKS);

	if (!len)
		return NULL;
	*rest = word + len + (word[len] != '\0');
	word[len] = '\0';
	return word;
}

static int
take_number(struct parser *parser, char *rest, unsigned *number)
{
	const char *text = next_word(&rest);
	size_t digits = text ? strspn(text, "0123456789") : 0;

	if (!digits || text[digits] || digits > 6 || text[0] == '0' || next_word(&rest))
		return refuse(parser, "one number, 1 or more, must stand here", text ? text : "");
	*number = (unsigned)strtoul(text, NULL, 10);
	return 0;
}

static bool
is_pattern(const char *name)
{
	return strchr(name, '*') != NULL;
}

/* At the end alone, and not alone. */
static bool
name_is_good(const char *name)
{
	const char *star = strchr(name, '*');

	return !star || (star > name && !star[1]);
}

static int
take_libraries(struct parser *parser, char *rest, struct kr_allow_names *names)
{
	const char *name = next_word(&rest);

	if (!name)
		return refuse(parser, "names of libraries must stand here", "");
	for (; name; name = next_word(&rest)) {
		const char **place;

		if (!name_is_good(name))
			return refuse(parser, "a `*` may stand at the end of a name only", name);
		place = kr_array_add(&names->names, &names->count, &names->room, sizeof(*place));
		if (!place)
			return -ENOMEM;
		*place = name;
	}
	return 0;
}

static int
begin_block(struct parser *parser, enum kr_allow_kind kind, char *rest)
{
	const char *word = next_word(&rest);

	if (kind == KR_ALLOW_PLAIN ? word != NULL : !word || next_word(&rest))
		return refuse(parser,
			kind == KR_ALLOW_PLAIN ? "nothing stands behind plain"
					       : "one word must stand here",
			word ? word : "");
	if (word && strspn(word, "abcdefghijklmnopqrstuvwxyz-") != strlen(word))
		return refuse(parser, "it must be of small letters and dashes", word);
	parser->rule = (struct kr_allow_rule){.kind = kind, .word = word};
	parser->in_block = true;
	parser->is_kept = false;
	return 0;
}

static int
take_text(struct parser *parser, char *rest, const char **text)
{
	size_t len;

	rest += strspn(rest, BLANKS);
	for (len = strlen(rest); len && strchr(BLANKS, rest[len - 1]); len--)
		rest[len - 1] = '\0';
	if (!len)
		return refuse(parser, "a text must stand here", "");
	*text = rest;
	parser->is_kept = false;
	return 0;
}

static int
keep_rule(struct parser *parser)
{
	struct kr_allow_list *list = parser->list;
	const struct kr_allow_rule *rule = &parser->rule;
	struct kr_allow_rule *place;

	if (parser->is_kept)
		return 0;
	if (rule->kind != KR_ALLOW_PLAIN && (!rule->does || !rule->instead))
		return refuse(parser,
			"`does` and `instead` must say before what these symbols do, and how to do without",
			rule->word);
	place = kr_array_add(
		&list->rules, &list->rule_count, &list->rule_room, sizeof(*list->rules));
	if (!place)
		return -ENOMEM;
	*place = *rule;
	parser->is_kept = true;
	return 0;
}

static int
take_names(struct parser *parser, char *rest)
{
	struct kr_allow_list *list = parser->list;
	const char *name = next_word(&rest);
	int ret = keep_rule(parser);

	if (ret)
		return ret;
	if (!name)
		return refuse(parser, "names of symbols must stand here", "");
	for (; name; name = next_word(&rest)) {
		struct kr_allow_symbols *to = is_pattern(name) ? &list->patterns : &list->symbols;
		struct kr_allow_symbol *symbol;

		if (!name_is_good(name))
			return refuse(parser, "a `*` may stand at the end of a name only", name);
		symbol = kr_array_add(&to->symbols, &to->count, &to->room, sizeof(*to->symbols));
		if (!symbol)
			return -ENOMEM;
		*symbol = (struct kr_allow_symbol){name, list->rule_count - 1, parser->line};
	}
	return 0;
}

static int
take_until(struct parser *parser, char *rest)
{
	int ret = take_number(parser, rest, &parser->rule.until);

	parser->is_kept = false;
	if (!ret && parser->rule.until < parser->list->version)
		return refuse(parser, "that version is older than the list's", "until");
	return ret;
}

static int
take_in_block(struct parser *parser, const char *word, char *rest)
{
	if (!strcmp(word, "names"))
		return take_names(parser, rest);
	if (!strcmp(word, "does"))
		return take_text(parser, rest, &parser->rule.does);
	if (!strcmp(word, "instead"))
		return take_text(parser, rest, &parser->rule.instead);
	return take_until(parser, rest);
}

static bool
is_word_of_blocks(const char *word)
{
	return !strcmp(word, "names") || !strcmp(word, "does") || !strcmp(word, "instead") ||
		!strcmp(word, "until");
}

/* What stands on its own, or begins a block. */
static int
take_word(struct parser *parser, const char *word, char *rest)
{
	static const char *const kinds[] = {
		[KR_ALLOW_PLAIN] = "plain",
		[KR_ALLOW_NOTED] = "noted",
		[KR_ALLOW_FAMILY] = "family",
		[KR_ALLOW_REFUSED] = "refused",
	};

	if (!strcmp(word, "platform"))
		return parser->list->version ? refuse(parser, "it stands there twice", word)
					     : take_number(parser, rest, &parser->list->version);
	if (!parser->list->version)
		return refuse(parser, "the list must begin with platform and its number", word);
	if (!strcmp(word, "libraries"))
		return take_libraries(parser, rest, &parser->list->libraries);
	if (!strcmp(word, "application"))
		return take_libraries(parser, rest, &parser->list->applications);
	for (size_t i = 0; i < KR_ARRAY_LEN(kinds); i++) {
		if (!strcmp(word, kinds[i]))
			return begin_block(parser, (enum kr_allow_kind)i, rest);
	}
	if (!is_word_of_blocks(word))
		return refuse(parser, "this word isn't known", word);
	if (!parser->in_block)
		return refuse(parser,
			"it belongs into a block, which plain, noted, family or refused begins",
			word);
	return take_in_block(parser, word, rest);
}

static int
take_line(struct parser *parser, char *line)
{
	const char *word;

	line[strcspn(line, "#")] = '\0';
	for (const char *at = line; *at; at++) {
		if (*at != '\t' && (*at < ' ' || *at > '~'))
			return refuse(parser, "only printable ASCII characters may stand here", "");
	}
	word = next_word(&line);
	return word ? take_word(parser, word, line) : 0;
}

static int
by_name(const void *a, const void *b)
{
	const struct kr_allow_symbol *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	return order ? order : (left->line > right->line) - (left->line < right->line);
}

static int
sort(struct parser *parser, struct kr_allow_symbols *of)
{
	if (of->count)
		qsort(of->symbols, of->count, sizeof(*of->symbols), by_name);
	for (size_t i = 1; i < of->count; i++) {
		const struct kr_allow_symbol *symbol = &of->symbols[i];

		if (strcmp(symbol[-1].name, symbol->name) != 0)
			continue;
		parser->line = symbol->line;
		return refuse(parser, "it stands in the list twice", symbol->name);
	}
	return 0;
}

static int
finish(struct parser *parser)
{
	struct kr_allow_list *list = parser->list;
	int ret;

	if (!list->version || !list->libraries.count || !list->symbols.count)
		return kr_package_refuse(parser->reason, -EINVAL,
			"%s: it has no %s: it is no allow list, or a part of one", list->path,
			!list->version                   ? "platform"
				: !list->libraries.count ? "libraries"
							 : "names");
	ret = sort(parser, &list->symbols);
	return ret ? ret : sort(parser, &list->patterns);
}

int
kr_allow_parse(
	const char *path, const char *text, size_t size, struct kr_allow_list **list, char **reason)
{
	struct parser parser = {.list = calloc(1, sizeof(*parser.list)), .reason = reason};
	char *line, *rest;
	int ret = 0;

	*reason = NULL;
	if (!parser.list)
		return -ENOMEM;
	parser.list->path = strdup(path);
	parser.list->text = rest = malloc(size + 1);
	if (!parser.list->path || !rest) {
		kr_allow_destroy(parser.list);
		return -ENOMEM;
	}
	memcpy(rest, text, size);
	rest[size] = '\0';
	if (strlen(rest) != size)
		ret = kr_package_refuse(
			reason, -EINVAL, "%s: it is no text: byte %zu is zero", path, strlen(rest));
	while (!ret && (line = strsep(&rest, "\n"))) {
		parser.line++;
		ret = take_line(&parser, line);
	}
	if (!ret)
		ret = finish(&parser);
	if (ret)
		kr_allow_destroy(parser.list);
	else
		*list = parser.list;
	return ret;
}
