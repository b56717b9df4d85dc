/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values that jansson has no function for. Each is a new one; NULL without memory. */
#ifndef KR_TOOLS_COMMAND_JSON_VALUES_H
#define KR_TOOLS_COMMAND_JSON_VALUES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Text of command lines, files and drivers, which may not be UTF-8: then what isn't ASCII
 * becomes '?'. null for NULL.
 */
json_t *kr_tool_json_text(const char *text);
/* A Vulkan version as "1.3.230". */
json_t *kr_tool_json_version(uint32_t version);

/* A window's wish for a frame rate; null: it has none (0 Hz). */
json_t *kr_tool_json_wish(double hz, bool fixed, bool always);

#endif
