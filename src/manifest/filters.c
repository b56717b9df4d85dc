/* SPDX-License-Identifier: Apache-2.0 */
/* Filters by name and by number: see filters.h. */
#include "manifest/filters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/env.h"
#include "util/log.h"
#include "util/text.h"

/* Without the locale, which must not decide what a driver is called. */
static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
is_word(const char *item, size_t len, const char *word)
{
	return len == strlen(word) && !strncasecmp(item, word, len);
}

static const char *
get(const char *variable, const char *(*env_get)(const char *name))
{
	return env_get ? env_get(variable) : kr_env_get(variable);
}

/* Takes the stars off both ends and says what they mean. */
static enum kr_filter_form
form_of(const char **item, size_t *len)
{
	bool front = *len && (*item)[0] == '*', back = *len && (*item)[*len - 1] == '*';

	if (front) {
		(*item)++;
		(*len)--;
	}
	if (back && *len)
		(*len)--;
	if (!*len)
		return KR_FILTER_ALL;
	if (front && back)
		return KR_FILTER_PART;
	return front ? KR_FILTER_SUFFIX : back ? KR_FILTER_PREFIX : KR_FILTER_NAME;
}

/*
 * ~all~ becomes a star, the other special words bits of the set; what else has a tilde is a name.
 */
static bool
is_special(struct kr_filters *filters, const char **item, size_t *len)
{
	bool all = is_word(*item, *len, "~all~");
	bool implicit = is_word(*item, *len, "~implicit~");
	bool explicit = is_word(*item, *len, "~explicit~");

	filters->implicit |= all || implicit;
	filters->explicit |= all || explicit;
	if (all) {
		*item = "*";
		*len = 1;
	}
	return implicit || explicit;
}

static void
add(struct kr_filters *filters, const char *item, size_t len)
{
	struct kr_filter *filter = &filters->items[filters->count];

	filter->form = form_of(&item, &len);
	if (len >= sizeof(filter->text)) {
		kr_warn("%s: \"%.40s...\" is longer than any name, ignored", filters->variable,
			item);
		return;
	}
	if (filter->form == KR_FILTER_ALL)
		filters->implicit = filters->explicit = true;
	for (size_t i = 0; i < len; i++)
		filter->text[i] = lower(item[i]);
	filter->text[len] = '\0';
	filters->count++;
}

void
kr_filters_read(
	struct kr_filters *filters, const char *variable, const char *(*env_get)(const char *name))
{
	const char *list = get(variable, env_get), *item;
	size_t len;

	memset(filters, 0, sizeof(*filters));
	filters->variable = variable;
	filters->set = list;
	while (kr_list_next(&list, ',', &item, &len)) {
		if (is_special(filters, &item, &len))
			continue;
		if (filters->count == KR_MAX_FILTERS) {
			kr_warn("%s: only the first %d filters are used", variable, KR_MAX_FILTERS);
			return;
		}
		add(filters, item, len);
	}
}

/* `text` against the beginning of `name`. */
static bool
begins(const char *name, const char *text)
{
	while (*text && lower(*name) == *text) {
		name++;
		text++;
	}
	return !*text;
}

static bool
contains(const char *name, const char *text)
{
	for (; *name; name++) {
		if (begins(name, text))
			return true;
	}
	return false;
}

static bool
matches(const struct kr_filter *filter, const char *name)
{
	size_t len = strlen(name), filter_len = strlen(filter->text);

	switch (filter->form) {
	case KR_FILTER_NAME:
		return len == filter_len && begins(name, filter->text);
	case KR_FILTER_PREFIX:
		return begins(name, filter->text);
	case KR_FILTER_SUFFIX:
		return len >= filter_len && begins(name + len - filter_len, filter->text);
	case KR_FILTER_PART:
		return contains(name, filter->text);
	case KR_FILTER_ALL:
		return true;
	}
	return false;
}

bool
kr_filters_match(const struct kr_filters *filters, const char *name)
{
	for (size_t i = 0; i < filters->count; i++) {
		if (matches(&filters->items[i], name))
			return true;
	}
	return false;
}

/*
 * A number at *text, which is moved behind it; -EINVAL for anything else, also for too large ones.
 */
static int
read_number(const char **text, uint32_t *number)
{
	char *end;
	unsigned long value;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	errno = 0;
	value = strtoul(*text, &end, 0);
	if (errno || value > UINT32_MAX)
		return -EINVAL;
	*number = (uint32_t)value;
	*text = end;
	return 0;
}

/* `5`, `0x10-0x20`; ends at a comma or at the end of the variable. */
static int
read_range(const char *item, size_t len, uint32_t *first, uint32_t *last)
{
	const char *end = item + len;

	if (read_number(&item, first))
		return -EINVAL;
	*last = *first;
	if (*item == ':' || *item == '-') {
		item++;
		if (read_number(&item, last))
			return -EINVAL;
	}
	return item == end && *first <= *last ? 0 : -EINVAL;
}

void
kr_id_filter_read(
	struct kr_id_filter *filter, const char *variable, const char *(*env_get)(const char *name))
{
	const char *list = get(variable, env_get), *item;
	uint32_t first, last;
	size_t len;

	memset(filter, 0, sizeof(*filter));
	while (kr_list_next(&list, ',', &item, &len)) {
		if (read_range(item, len, &first, &last)) {
			kr_warn("%s: \"%.*s\" is neither a number nor a range first:last, ignored",
				variable, (int)KR_MIN(len, (size_t)40), item);
			continue;
		}
		if (filter->count == KR_MAX_FILTERS) {
			kr_warn("%s: only the first %d ranges are used", variable, KR_MAX_FILTERS);
			break;
		}
		filter->items[filter->count].first = first;
		filter->items[filter->count++].last = last;
	}
	/* What can't be read hides no device: the user meant to see some. */
	filter->set = filter->count;
}

bool
kr_id_filter_passes(const struct kr_id_filter *filter, uint32_t id)
{
	for (size_t i = 0; i < filter->count; i++) {
		if (id >= filter->items[i].first && id <= filter->items[i].last)
			return true;
	}
	return !filter->set;
}
