/* SPDX-License-Identifier: Apache-2.0 */
/* Running the command: see rig.h. */
#include "rig.h"

#include <stdio.h>
#include <string.h>

char output[262144];

int
features(const char *variables, const char *words)
{
	char command[8192];

	snprintf(command, sizeof(command),
		"env -u KRAFLA_PROFILE -u VK_ICD_FILENAMES VK_LAYER_PATH=/nonexistent "
		"VK_IMPLICIT_LAYER_PATH=/nonexistent %s " KRAFLA " features %s 2>&1",
		variables, words);
	return kr_test_shell(command, output, sizeof(output));
}

int
null_features(const char *settings, const char *words)
{
	char variables[4096];

	snprintf(variables, sizeof(variables),
		"VK_DRIVER_FILES=/nonexistent.json KRAFLA_HAL_PATH=" NULL_DIR
		" KRAFLA_PROP_ro_hardware_vulkan=null KRAFLA_NULL_DRIVER='%s'",
		settings);
	return features(variables, words);
}

static json_t *
parse(int code)
{
	json_t *all = json_loads(output, 0, NULL);

	if (code || !all)
		fail_msg("exit code %d: %s", code, output);
	return all;
}

json_t *
null_json(const char *settings)
{
	return parse(null_features(settings, "--json"));
}

json_t *
features_json(const char *variables)
{
	return parse(features(variables, "--json"));
}

void
held_rows(const json_t *device, char *text, size_t size)
{
	const json_t *row;
	size_t i, length = 0;

	text[0] = '\0';
	json_array_foreach(json_object_get(device, "features"), i, row)
	{
		const char *name = json_string_value(json_object_get(row, "name"));
		const char *dot = strrchr(name, '.');

		if (json_is_true(json_object_get(row, "holds")))
			length += (size_t)snprintf(text + length, size - length, "%s%s %s",
				length ? ", " : "", dot ? dot + 1 : name,
				json_string_value(json_object_get(row, "version_text")));
	}
}

const char *
declared(const json_t *all, const char *name)
{
	const json_t *feature;
	size_t i;

	json_array_foreach(json_object_get(all, "features"), i, feature)
	{
		if (!strcmp(json_string_value(json_object_get(feature, "name")), name))
			return json_string_value(
				json_object_get(json_object_get(feature, "declared"), "text"));
	}
	fail_msg("%s isn't listed", name);
	return NULL;
}
