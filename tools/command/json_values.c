/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values: see json_values.h. */
#include "tools/command/json_values.h"

#include <stdlib.h>
#include <string.h>

#include "util/vulkan.h"

json_t *
kr_tool_json_text(const char *text)
{
	json_t *string = json_string(text);
	char *ascii;

	if (string || !text)
		return string ? string : json_null();
	ascii = strdup(text);
	for (char *c = ascii; c && *c; c++) {
		if (*c & 0x80)
			*c = '?';
	}
	string = json_string(ascii);
	free(ascii);
	return string;
}

json_t *
kr_tool_json_version(uint32_t version)
{
	return json_sprintf("%u.%u.%u", VK_API_VERSION_MAJOR(version),
		VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
}

json_t *
kr_tool_json_wish(double hz, bool fixed, bool always)
{
	if (!(hz > 0))
		return json_null();
	return json_pack("{s:f, s:s, s:s}", "hz", hz, "compatibility",
		fixed ? "fixed_source" : "default", "strategy",
		always ? "always" : "only_if_seamless");
}
