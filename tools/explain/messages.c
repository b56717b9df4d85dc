/* SPDX-License-Identifier: Apache-2.0 */
/* What the search warns of that is about no driver or layer: wrong variables, a broken settings file. */
#include "tools/explain/entries.h"

#include <string.h>

#include "tools/command/json_values.h"
#include "util/log.h"

static void
remember(void *data, uint32_t bits, const char *message)
{
	json_t *messages = data, *text;
	const json_t *known;
	size_t i;

	if (!(bits & (KR_LOG_ERROR | KR_LOG_WARN)))
		return;
	text = kr_command_json_text(message);
	json_array_foreach(messages, i, known)
	{
		if (json_equal(known, text)) {
			json_decref(text);
			return;
		}
	}
	json_array_append_new(messages, text);
}

json_t *
kr_explain_listen(void)
{
	json_t *messages = json_array();

	if (messages)
		kr_log_set_sink(remember, messages);
	return messages;
}

/* Whether a message speaks of one of these entries. */
static bool
is_told(const char *message, const json_t *entries)
{
	static const char *const keys[] = {"path", "library", "name", "reason"};
	const json_t *entry;
	size_t i;

	json_array_foreach(entries, i, entry)
	{
		for (size_t j = 0; j < KR_ARRAY_LEN(keys); j++) {
			const char *text = json_string_value(json_object_get(entry, keys[j]));

			if (text && strstr(message, text))
				return true;
		}
	}
	return false;
}

void
kr_explain_listen_end(json_t *messages, const json_t *drivers, const json_t *layers)
{
	kr_log_set_sink(NULL, NULL);
	for (size_t i = json_array_size(messages); i-- > 0;) {
		const char *message = json_string_value(json_array_get(messages, i));

		if (is_told(message, drivers) || is_told(message, layers))
			json_array_remove(messages, i);
	}
}
