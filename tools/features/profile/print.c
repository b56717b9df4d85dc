/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles as text: what fails, and where. */
#include "tools/features/profile/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/macros.h"
#include "util/text.h"

static const char *
sign(const json_t *verdict)
{
	return json_is_true(json_object_get(verdict, "holds")) ? "+" : "-";
}

/* Names are the file's, and may be any text. For a few of them at a time. */
static const char *
shown(const char *text)
{
	static char rooms[4][512];
	static unsigned next;
	char *room = rooms[next++ % KR_ARRAY_LEN(rooms)];

	snprintf(room, sizeof(rooms[0]), "%s", text ? text : "?");
	kr_text_clean(room, strlen(room), false);
	return room;
}

/* A value in one line, cut where it is long. */
static void
print_value(const json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(7));
	const char *plain = json_string_value(value);

	if (plain && strpbrk(plain, " "))
		printf("%s", shown(plain));
	else
		printf("%.300s%s", shown(text), text && strlen(text) > 300 ? "..." : "");
	free(text);
}

static void
print_line(const json_t *line)
{
	printf("      [%s] %s: wanted ", sign(line),
		shown(json_string_value(json_object_get(line, "what"))));
	print_value(json_object_get(line, "wanted"));
	printf(", seen ");
	print_value(json_object_get(line, "seen"));
	putchar('\n');
}

/* What fails in a block, the first time that it is printed. */
static void
print_block(const struct kr_flags_judge *judge, size_t document, const char *name, json_t *printed)
{
	const json_t *block = json_object_get(judge->blocks[document], name);
	const json_t *lines = json_object_get(block, "lines"), *line;
	char key[512];
	size_t i;

	snprintf(key, sizeof(key), "%zu %s", document, name);
	if (!block) {
		printf("    [-] %s: the file has no block of that name\n", shown(name));
		return;
	}
	printf("    [%s] %s: %zu lines%s\n", sign(block), shown(name), json_array_size(lines),
		json_object_get(printed, key) ? ", see above" : "");
	if (json_object_get(printed, key))
		return;
	json_object_set_new(printed, key, json_true());
	json_array_foreach(lines, i, line)
	{
		if (json_is_false(json_object_get(line, "holds")))
			print_line(line);
	}
}

static void
print_capabilities(
	const struct kr_flags_judge *judge, const json_t *list, const char *kind, json_t *printed)
{
	const json_t *verdict, *name;
	size_t i, k;

	json_array_foreach(list, i, verdict)
	{
		const json_t *names = json_object_get(verdict, "any_of");

		if (json_array_size(names) != 1)
			printf("  [%s] %s: one of %zu\n", sign(verdict), kind,
				json_array_size(names));
		else
			printf("  [%s] %s\n", sign(verdict), kind);
		json_array_foreach(names, k, name)
		{
			const json_t *document = json_object_get(verdict, "document");

			if (json_is_string(name))
				print_block(judge, (size_t)json_integer_value(document),
					json_string_value(name), printed);
			else
				puts("    [-] unknown: a name of a block is a string");
		}
	}
}

static void
print_profile(const struct kr_flags_judge *judge, const char *name, json_t *printed)
{
	const json_t *verdict = json_object_get(judge->profiles, name), *needed;
	const json_t *api_version = json_object_get(verdict, "api_version");
	const char *error = json_string_value(json_object_get(verdict, "error"));
	const struct kr_feature_device *device = judge->view.device;
	size_t i;

	printf("profile %s on device %u (%s): %s\n", shown(name), device->number,
		device->facts.properties.deviceName,
		json_is_true(json_object_get(verdict, "holds")) ? "holds" : "doesn't hold");
	if (error) {
		printf("  [-] %s\n", shown(error));
		return;
	}
	printf("  [%s] Vulkan: wanted ", sign(api_version));
	print_value(json_object_get(api_version, "wanted"));
	printf(", seen %s\n", json_string_value(json_object_get(api_version, "seen")));
	json_array_foreach(json_object_get(verdict, "profiles"), i, needed)
	{
		const char *why = json_string_value(json_object_get(needed, "error"));

		printf("  [%s] profile ", sign(needed));
		print_value(json_object_get(needed, "profile"));
		printf("%s%s\n", why ? ": " : "", why ? shown(why) : "");
	}
	print_capabilities(
		judge, json_object_get(verdict, "capabilities"), "capabilities", printed);
	print_capabilities(judge, json_object_get(verdict, "optionals"), "optional", printed);
}

/* The profiles that it needs stand below, each once. */
void
kr_flags_print_profiles(const struct kr_flags_judge *judge, const json_t *asked)
{
	json_t *printed = json_object();
	const char *name;
	const json_t *verdict, *of_asked;
	size_t i;

	json_array_foreach(asked, i, of_asked)
		print_profile(judge, json_string_value(of_asked), printed);
	json_object_foreach(judge->profiles, name, verdict)
	{
		bool is_asked = false;

		json_array_foreach(asked, i, of_asked) is_asked =
			is_asked || !strcmp(json_string_value(of_asked), name);
		if (!is_asked)
			print_profile(judge, name, printed);
	}
	json_decref(printed);
}
