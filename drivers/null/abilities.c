/* SPDX-License-Identifier: Apache-2.0 */
/* Reading "name=value" into what the driver says of itself. */
#include "null/abilities.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gen/null_members.h"
#include "util/macros.h"

enum kind {
	KIND_U32,
	KIND_I32,
	KIND_U64,
	KIND_FLOAT,
};

/* Flags and enumerations are numbers of 32 bits, too. */
#define KIND_OF(element)                                                                           \
	_Generic((element), int32_t                                                                \
		 : KIND_I32, uint64_t                                                              \
		 : KIND_U64, float                                                                 \
		 : KIND_FLOAT, default                                                             \
		 : KIND_U32)

static const struct member {
	const char *name;
	uint16_t offset;
	uint8_t size; /* of an element; arrays have one value */
	uint8_t count;
	enum kind kind;
} members[] = {
#define NONE (*(struct null_abilities *)0)
#define MEMBER(name, member, element)                                                              \
	{name, offsetof(struct null_abilities, member), sizeof(NONE.element),                      \
		sizeof(NONE.member) / sizeof(NONE.element), KIND_OF(NONE.element)},
	NULL_MEMBERS(MEMBER)
#undef MEMBER
};

struct word {
	const char *word;
	uint32_t value;
};

static int
find_word(const struct word *words, size_t count, const char *word, uint32_t *value)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(words[i].word, word)) {
			*value = words[i].value;
			return 0;
		}
	}
	return -EINVAL;
}

static int
read_number(const char *text, uint64_t most, uint64_t *out)
{
	unsigned long long number;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, 0);
	if (errno || *end || number > most)
		return -EINVAL;
	*out = number;
	return 0;
}

static int
read_float(const char *text, uint64_t *value)
{
	char *end;
	float number = strtof(text, &end);

	if (end == text || *end)
		return -EINVAL;
	memcpy(value, &number, sizeof(number));
	return 0;
}

/* The first bytes of *value are the number: as little-endian machines have it in each size. */
static int
read_value(enum kind kind, const char *text, uint64_t *value)
{
	static const struct word words[] = {{"no", VK_FALSE}, {"yes", VK_TRUE}};
	uint32_t word;

	switch (kind) {
	case KIND_FLOAT:
		return read_float(text, value);
	case KIND_U64:
		return read_number(text, UINT64_MAX, value);
	case KIND_I32:
		if (read_number(text + (*text == '-'), INT32_MAX, value))
			return -EINVAL;
		*value = *text == '-' ? -*value : *value;
		return 0;
	case KIND_U32:
		if (find_word(words, KR_ARRAY_LEN(words), text, &word))
			return read_number(text, UINT32_MAX, value);
		*value = word;
		return 0;
	}
	return -EINVAL;
}

static int
set_member(struct null_abilities *abilities, const struct member *member, const char *text)
{
	uint64_t value = 0;
	bool is_feature = !strncmp(member->name, "feature.", strlen("feature."));
	int ret = read_value(member->kind, text, &value);

	if (ret || (is_feature && value > VK_TRUE))
		return -EINVAL;
	for (uint32_t i = 0; i < member->count; i++)
		memcpy((char *)abilities + member->offset + (size_t)i * member->size, &value,
			member->size);
	return 0;
}

/* "1.3" or "1.0.3". */
static int
set_api(const char *text, uint32_t *out)
{
	static const unsigned long most[3] = {1, 4, 0xfff};
	unsigned long parts[3] = {0};
	unsigned count = 0;

	do {
		char *end;

		if (count == 3 || *text < '0' || *text > '9')
			return -EINVAL;
		parts[count] = strtoul(text, &end, 10);
		if (parts[count] > most[count] || (*end && *end != '.'))
			return -EINVAL;
		count++;
		text = *end ? end + 1 : NULL;
	} while (text);
	if (count < 2 || parts[0] != 1)
		return -EINVAL;
	*out = VK_MAKE_API_VERSION(0, parts[0], parts[1], parts[2]);
	return 0;
}

static int
set_extension(struct null_abilities *abilities, const char *name, const char *text)
{
	struct null_extension *extension = abilities->extensions;
	size_t length = strlen(name);
	uint64_t version = 0;
	uint32_t i = 0;

	if (strncmp(name, "VK_", 3) || length >= sizeof(extension->name) ||
		read_value(KIND_U32, text, &version))
		return -EINVAL;
	while (i < abilities->extension_count && strcmp(extension[i].name, name))
		i++;
	if (i == NULL_EXTENSIONS_SET)
		return -EINVAL;
	memcpy(extension[i].name, name, length + 1);
	extension[i].version = (uint32_t)version;
	abilities->extension_count = KR_MAX(abilities->extension_count, i + 1);
	return 0;
}

static int
set_format(struct null_abilities *abilities, const char *name, const char *text)
{
	uint64_t format, bits;
	uint32_t i = 0;

	if (read_number(name, INT32_MAX, &format) || read_number(text, UINT32_MAX, &bits))
		return -EINVAL;
	while (i < abilities->format_count && abilities->formats[i].format != (VkFormat)format)
		i++;
	if (i == NULL_FORMATS_SET)
		return -EINVAL;
	abilities->formats[i].format = (VkFormat)format;
	abilities->formats[i].optimal = (VkFormatFeatureFlags)bits;
	abilities->format_count = KR_MAX(abilities->format_count, i + 1);
	return 0;
}

static int
set_devices(struct null_abilities *abilities, const char *text)
{
	uint64_t count;

	if (read_number(text, NULL_DEVICES_MAX, &count) || !count)
		return -EINVAL;
	abilities->devices = (uint32_t)count;
	return 0;
}

static int
set_type(struct null_abilities *abilities, const char *text)
{
	static const struct word words[] = {
		{"other", VK_PHYSICAL_DEVICE_TYPE_OTHER},
		{"integrated", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU},
		{"discrete", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU},
		{"virtual", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU},
		{"cpu", VK_PHYSICAL_DEVICE_TYPE_CPU},
	};
	uint32_t type;
	int ret = find_word(words, KR_ARRAY_LEN(words), text, &type);

	if (!ret)
		abilities->type = (VkPhysicalDeviceType)type;
	return ret;
}

/* The bits are the same for semaphores and fences. */
static int
set_external(uint32_t *bits, const char *text)
{
	static const struct word words[] = {
		{"none", 0},
		{"export", VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT},
		{"import", VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT},
		{"both",
			VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT |
				VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT},
	};

	return find_word(words, KR_ARRAY_LEN(words), text, bits);
}

int
null_abilities_set(struct null_abilities *abilities, const char *name, const char *value)
{
	if (!strcmp(name, "api"))
		return set_api(value, &abilities->api_version);
	if (!strcmp(name, "type"))
		return set_type(abilities, value);
	if (!strcmp(name, "devices"))
		return set_devices(abilities, value);
	if (!strcmp(name, "external.semaphore"))
		return set_external(&abilities->semaphores, value);
	if (!strcmp(name, "external.fence"))
		return set_external(&abilities->fences, value);
	if (!strncmp(name, "extension.", strlen("extension.")))
		return set_extension(abilities, name + strlen("extension."), value);
	if (!strncmp(name, "format.", strlen("format.")))
		return set_format(abilities, name + strlen("format."), value);
	for (size_t i = 0; i < KR_ARRAY_LEN(members); i++) {
		if (!strcmp(members[i].name, name))
			return set_member(abilities, &members[i], value);
	}
	return -EINVAL;
}
