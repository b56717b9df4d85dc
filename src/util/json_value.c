/* SPDX-License-Identifier: Apache-2.0 */
/* What a JSON document holds: every question answers "nothing" for a value of another type. */
#include "util/json.h"

#include <string.h>

#include "util/json_parser.h"

enum kr_json_type
kr_json_type_of(const struct kr_json *value)
{
	return value ? value->type : KR_JSON_NULL;
}

static bool
is_container(const struct kr_json *value)
{
	return value && (value->type == KR_JSON_ARRAY || value->type == KR_JSON_OBJECT);
}

const struct kr_json *
kr_json_get(const struct kr_json *object, const char *key)
{
	if (kr_json_type_of(object) != KR_JSON_OBJECT)
		return NULL;
	for (size_t i = 0; i < object->count; i++) {
		if (!strcmp(object->items[i].key, key))
			return &object->items[i];
	}
	return NULL;
}

size_t
kr_json_count(const struct kr_json *array_or_object)
{
	return is_container(array_or_object) ? array_or_object->count : 0;
}

const struct kr_json *
kr_json_at(const struct kr_json *array_or_object, size_t index)
{
	return index < kr_json_count(array_or_object) ? &array_or_object->items[index] : NULL;
}

const char *
kr_json_key_at(const struct kr_json *object, size_t index)
{
	return kr_json_type_of(object) == KR_JSON_OBJECT && index < object->count
		? object->items[index].key
		: NULL;
}

const char *
kr_json_string(const struct kr_json *value)
{
	return kr_json_type_of(value) == KR_JSON_STRING ? value->string : NULL;
}

bool
kr_json_bool(const struct kr_json *value)
{
	return kr_json_type_of(value) == KR_JSON_BOOL && value->boolean;
}

double
kr_json_number(const struct kr_json *value)
{
	return kr_json_type_of(value) == KR_JSON_NUMBER ? value->number : 0;
}
