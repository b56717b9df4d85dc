/* SPDX-License-Identifier: Apache-2.0 */
/* krafla features --has: one question, answered by the exit code as hasSystemFeature answers. */
#include "tools/features/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/command.h"
#include "tools/command/json_values.h"

/* `count` decimal numbers with `separator` between; how many there are, 0 when it isn't so. */
static unsigned
read_numbers(const char *word, char separator, uint32_t *numbers, unsigned most)
{
	unsigned count = 0;

	while (count < most && *word >= '0' && *word <= '9') {
		char *end;
		unsigned long number;

		errno = 0;
		number = strtoul(word, &end, 10);
		if (errno || number > UINT32_MAX)
			return 0;
		numbers[count++] = (uint32_t)number;
		if (!*end)
			return count;
		if (*end != separator)
			return 0;
		word = end + 1;
	}
	return 0;
}

bool
kr_flags_parse_version(const char *word, uint32_t *version)
{
	uint32_t n[3] = {0};
	unsigned long number;
	char *end;

	if (strchr(word, '.')) {
		if (read_numbers(word, '.', n, 3) < 2 || n[0] > 0x7f || n[1] > 0x3ff ||
			n[2] > 0xfff)
			return false;
		*version = VK_MAKE_API_VERSION(0, n[0], n[1], n[2]);
		return true;
	}
	if (strchr(word, '-')) {
		if (read_numbers(word, '-', n, 3) < 3 || n[0] > UINT16_MAX || !n[1] || n[1] > 12 ||
			!n[2] || n[2] > 31)
			return false;
		*version = n[0] << 16 | n[1] << 8 | n[2];
		return true;
	}
	if (*word < '0' || *word > '9')
		return false;
	errno = 0;
	number = strtoul(word, &end, 0);
	if (errno || *end || number > UINT32_MAX)
		return false;
	*version = (uint32_t)number;
	return true;
}

static void
say(const struct kr_flags_request *request, struct kr_feature_declaration *declaration)
{
	char text[KR_FEATURE_VERSION_TEXT];

	if (!declaration)
		kr_complain("features", "no feature '%s' is known; without --has all are listed",
			request->has);
	else if (!declaration->declared)
		printf("%s: no\n", declaration->name);
	else
		printf("%s: %s\n", declaration->name,
			kr_feature_is_permission(declaration->name)
				? kr_feature_version_text(
					  declaration->name, declaration->version, text)
				: "yes");
}

int
kr_flags_has(const struct kr_flags_request *request, struct kr_feature_system *system)
{
	struct kr_feature_declaration *declaration =
		kr_feature_find(system->declarations, request->has);
	uint32_t version = 0;
	char text[KR_FEATURE_VERSION_TEXT];
	bool has;

	if (request->word && !kr_flags_parse_version(request->word, &version))
		return KR_EXIT_USAGE;
	has = kr_feature_has(system->declarations, request->has, version);
	if (declaration && kr_feature_is_overstated(system, declaration))
		kr_complain("features",
			"a permission file declares %s %s, which the devices don't hold",
			request->has,
			kr_feature_version_text(request->has, declaration->file_version, text));
	if (request->json) {
		json_t *answer = json_pack("{s:o, s:I, s:b, s:o}", "name",
			kr_tool_json_text(request->has), "asked_version", (json_int_t)version,
			"has", (int)has, "declared_version",
			declaration && declaration->declared ? json_integer(declaration->version)
							     : json_null());

		json_dumpf(answer, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(answer);
	} else {
		say(request, declaration);
	}
	return has ? KR_EXIT_OK : KR_FLAGS_EXIT_NO;
}
