/* SPDX-License-Identifier: Apache-2.0 */
/* What buffers can be made of here, and which tier that allows. */
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "tools/command/json_values.h"
#include "tools/info/facts.h"
#include "tools/info/tier.h"
#include "util/env.h"
#include "util/text.h"

json_t *
kr_info_buffers(void)
{
	struct kr_buffer_backend_state states[KR_BUFFER_BACKENDS];
	json_t *array = json_array();

	kr_buffer_backends_ask(states);
	for (size_t i = 0; i < KR_BUFFER_BACKENDS; i++)
		json_array_append_new(array,
			json_pack("{s:s, s:o, s:b, s:o}", "name",
				kr_buffer_backend_name(states[i].backend), "device",
				states[i].node[0] ? kr_tool_json_text(states[i].node) : json_null(),
				"chosen", (int)states[i].chosen, "error",
				states[i].error ? json_string(strerror(-states[i].error))
						: json_null()));
	return array;
}

static const struct kr_buffer_backend_state *
find_chosen(const struct kr_buffer_backend_state *states)
{
	for (size_t i = 0; i < KR_BUFFER_BACKENDS; i++) {
		if (states[i].chosen)
			return &states[i];
	}
	return NULL;
}

/* `take_text` as JSON, NULL without memory. */
static json_t *
json_of(char *take_text)
{
	json_t *string = take_text ? kr_tool_json_text(take_text) : NULL;

	free(take_text);
	return string;
}

json_t *
kr_info_buffers_error(void)
{
	struct kr_buffer_backend_state states[KR_BUFFER_BACKENDS];
	const char *word = kr_env_get("KRAFLA_BUFFERS");

	if (!kr_buffer_word_is_known(word))
		return json_of(kr_asprintf(
			"KRAFLA_BUFFERS is '%s': no buffer can be allocated until it is %s, or unset",
			word, KR_BUFFER_WORDS));
	kr_buffer_backends_ask(states);
	if (find_chosen(states))
		return json_null();
	return json_of(
		kr_asprintf("no buffer can be allocated: there is no memory of KRAFLA_BUFFERS=%s",
			word ? word : "auto"));
}

bool
kr_tier_has_buffers(void)
{
	struct kr_buffer_backend_state states[KR_BUFFER_BACKENDS];

	kr_buffer_backends_ask(states);
	return find_chosen(states) != NULL;
}

json_t *
kr_tier_add_buffers(json_t *missing)
{
	struct kr_buffer_backend_state states[KR_BUFFER_BACKENDS];
	const struct kr_buffer_backend_state *chosen;
	const char *word = kr_env_get("KRAFLA_BUFFERS");

	kr_buffer_backends_ask(states);
	chosen = find_chosen(states);
	if (chosen && kr_buffer_backend_is_dma_buf(chosen->backend))
		return missing;
	/* Of windows' buffers, which "gpu" leaves as "auto" has them. */
	if (word && strcmp(word, "auto") && strcmp(word, "gpu")) {
		json_array_append_new(missing,
			json_of(kr_asprintf("KRAFLA_BUFFERS=%s asks for buffers that %s", word,
				chosen ? "are no dma-bufs" : "can't be had")));
		return missing;
	}
	for (size_t i = 0; i < KR_BUFFER_BACKENDS; i++) {
		if (states[i].error && kr_buffer_backend_is_dma_buf(states[i].backend))
			json_array_append_new(missing,
				json_sprintf("no dma-bufs: %s: %s", states[i].node,
					strerror(-states[i].error)));
	}
	return missing;
}

void
kr_tier_set(json_t *object, bool able, json_t *take_missing, json_t *take_beyond)
{
	const char *tier = json_array_size(take_missing) ? "T0" : "T1";

	if (able && !json_array_size(take_missing)) {
		char *why = kr_tier_why_no_card();

		json_array_extend(take_missing, take_beyond);
		if (why)
			json_array_append_new(take_missing, json_string(why));
		free(why);
		if (!json_array_size(take_missing))
			tier = "T2";
	}
	json_decref(take_beyond);
	json_object_set_new(object, "tier", able ? json_string(tier) : json_null());
	json_object_set_new(object, "missing_for_next_tier", take_missing);
}
