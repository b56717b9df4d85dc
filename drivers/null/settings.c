/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the settings: "name=value,name=value". */
#include "null/settings.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/macros.h"

#define VERSION_MIN     5
#define VERSION_MAX     11
#define VERSION_DEFAULT 8
#define ITEM_MAX        160

enum kind {
	KIND_WORDS, /* one of two words, for false and true */
	KIND_SMALL, /* uint32_t */
	KIND_BITS,  /* uint64_t */
	KIND_FAULT, /* the name of a mutant */
};

static const struct item {
	const char *name;
	size_t offset;
	enum kind kind;
	const char *words[2];
	uint64_t min, max;
} items[] = {
#define AT(member) offsetof(struct null_settings, member)
	{"version", AT(version), KIND_SMALL, {NULL}, VERSION_MIN, VERSION_MAX},
	{"shared", AT(shared), KIND_WORDS, {"no", "yes"}, 0, 0},
	{"mutable", AT(mutable_format), KIND_WORDS, {"no", "yes"}, 0, 0},
	{"protected", AT(protected_memory), KIND_WORDS, {"no", "yes"}, 0, 0},
	{"compression", AT(compression_control), KIND_WORDS, {"no", "yes"}, 0, 0},
	{"msrtss", AT(multisampled_resolve), KIND_WORDS, {"no", "yes"}, 0, 0},
	{"hardware_buffers", AT(hardware_buffers), KIND_WORDS, {"no", "yes"}, 0, 0},
	{"layout", AT(own_layout), KIND_WORDS, {"plain", "own"}, 0, 0},
	{"ahb", AT(ignores_ahb_usage), KIND_WORDS, {"answered", "ignored"}, 0, 0},
	{"refuse", AT(refused), KIND_SMALL, {NULL}, 0, NULL_USAGE_COUNT},
	{"usage", AT(usage), KIND_BITS, {NULL}, 0, UINT64_MAX},
	{"mutant", AT(fault), KIND_FAULT, {NULL}, 0, 0},
#undef AT
};

static int
set_word(const struct item *item, const char *value, bool *out)
{
	for (unsigned i = 0; i < KR_ARRAY_LEN(item->words); i++) {
		if (!strcmp(value, item->words[i])) {
			*out = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int
set_fault(const char *name, enum null_fault *out)
{
	*out = null_fault_from_name(name);
	return *out == NULL_FAULT_none ? -EINVAL : 0;
}

static int
set_value(const struct item *item, const char *value, struct null_settings *settings)
{
	void *at = (char *)settings + item->offset;
	unsigned long long number;
	char *end;

	if (item->kind == KIND_WORDS)
		return set_word(item, value, at);
	if (item->kind == KIND_FAULT)
		return set_fault(value, at);
	if (*value < '0' || *value > '9')
		return -EINVAL;
	errno = 0;
	number = strtoull(value, &end, 0);
	if (errno || *end || number < item->min || number > item->max)
		return -EINVAL;
	if (item->kind == KIND_SMALL)
		*(uint32_t *)at = (uint32_t)number;
	else
		*(uint64_t *)at = number;
	return 0;
}

static int
set_item(const char *text, size_t length, struct null_settings *settings)
{
	char copy[ITEM_MAX];
	char *value;

	if (length >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	value = strchr(copy, '=');
	if (!value)
		return -EINVAL;
	*value++ = '\0';
	for (size_t i = 0; i < KR_ARRAY_LEN(items); i++) {
		if (!strcmp(copy, items[i].name))
			return set_value(&items[i], value, settings);
	}
	return null_abilities_set(&settings->abilities, copy, value);
}

int
null_settings_parse(const char *text, struct null_settings *out)
{
	struct null_settings settings = {
		.version = VERSION_DEFAULT,
		.shared = true,
		.mutable_format = true,
		.abilities = null_least_abilities,
	};

	while (text && *text) {
		size_t length = strcspn(text, ",");

		if (set_item(text, length, &settings))
			return -EINVAL;
		text += length + (text[length] == ',');
	}
	*out = settings;
	return 0;
}

bool
null_settings_have_query(const struct null_settings *settings, enum null_usage_query query)
{
	static const uint32_t since[NULL_USAGE_COUNT] = {
		[NULL_USAGE_1] = 1,
		[NULL_USAGE_2] = 6,
		[NULL_USAGE_3] = 9,
		[NULL_USAGE_4] = 10,
		[NULL_USAGE_AHB] = 11,
	};

	return settings->version >= since[query];
}

bool
null_settings_answer(const struct null_settings *settings, enum null_usage_query query)
{
	uint32_t newer = 0;

	for (unsigned i = query + 1; i < NULL_USAGE_COUNT; i++)
		newer += null_settings_have_query(settings, (enum null_usage_query)i);
	return null_settings_have_query(settings, query) && newer >= settings->refused;
}
