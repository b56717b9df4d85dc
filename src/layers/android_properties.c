/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layers that properties name. debug.vulkan.layers is a colon list; debug.vulkan.layer.<n> is
 * one layer with priority n, for n of 0 to 9 and from 10 on until one is missing. The list has the
 * lowest priorities, in its order; a lower priority is nearer to the application. That makes the
 * order of reading the order of the chain.
 */
#include "layers/android.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/properties.h"
#include "util/text.h"

#define LIST          "debug.vulkan.layers"
#define ONE           "debug.vulkan.layer"
#define ALWAYS_ASKED  10
#define MOST_NUMBERED 1000

static bool
contains(const struct kr_layer_property_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (!strcmp(names->items[i], name))
			return true;
	}
	return false;
}

/* A name that is there already keeps its place. */
static int
append(struct kr_layer_property_names *names, const char *property, const char *name, size_t len)
{
	char(*items)[VK_MAX_EXTENSION_NAME_SIZE];

	items = realloc(names->items, (names->count + 1) * sizeof(*items));
	if (!items)
		return -ENOMEM;
	names->items = items;
	if (len >= sizeof(*items)) {
		kr_log(KR_LOG_WARN | KR_LOG_LAYER, "%s: no layer has a name as long as %.40s...",
			property, name);
		len = sizeof(*items) - 1;
	}
	memcpy(items[names->count], name, len);
	items[names->count][len] = '\0';
	if (!contains(names, items[names->count]))
		names->count++;
	return 0;
}

int
kr_layer_property_names_read(struct kr_layer_property_names *names)
{
	char value[KR_PROPERTY_VALUE_MAX];
	const char *list = value, *item;
	size_t len;
	int ret = 0;

	*names = (struct kr_layer_property_names){0};
	if (!kr_property_get(LIST, value, sizeof(value)))
		value[0] = '\0';
	while (!ret && kr_list_next(&list, ':', &item, &len))
		ret = append(names, LIST, item, len);
	for (int n = 0; !ret && n < MOST_NUMBERED; n++) {
		char property[32];

		snprintf(property, sizeof(property), ONE ".%d", n);
		if (kr_property_get(property, value, sizeof(value)) && value[0])
			ret = append(names, property, value, strlen(value));
		else if (n >= ALWAYS_ASKED)
			break;
	}
	return ret;
}

void
kr_layer_property_names_finish(struct kr_layer_property_names *names)
{
	free(names->items);
	*names = (struct kr_layer_property_names){0};
}
