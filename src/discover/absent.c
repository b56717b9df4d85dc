/* SPDX-License-Identifier: Apache-2.0 */
/* Absent hardware: see absent.h. */
#include "discover/absent.h"

#include <string.h>

#include "hardware/device_map.h"
#include "util/env.h"
#include "util/log.h"
#include "util/text.h"

#define SWITCH "KRAFLA_ABSENT_HARDWARE"

/* With a value that means nothing it is better to open. */
bool
kr_absent_are_opened(const struct kr_discover_options *options)
{
	const char *value = options->search.env_get ? options->search.env_get(SWITCH)
						    : kr_env_get("KRAFLA_ABSENT_HARDWARE");

	if (!value || !strcmp(value, "skip"))
		return false;
	if (strcmp(value, "open"))
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			SWITCH " is \"%s\": it can be \"open\" or \"skip\"; taken as \"open\"",
			value);
	return true;
}

bool
kr_driver_absent(const struct kr_discover_options *options, const char *library_path,
	const char *named_by, char **reason)
{
	const struct kr_device_rule *rule = kr_device_rule_get(library_path);
	struct kr_device_options devices = options->devices;
	char why[KR_PRESENCE_WHY_SIZE];

	if (!rule || named_by)
		return false;
	if (!devices.env_get)
		devices.env_get = options->search.env_get;
	if (kr_device_presence(rule, &devices, why) != KR_PRESENCE_ABSENT)
		return false;
	*reason = kr_asprintf("%s isn't opened: its hardware isn't here (%s)", library_path, why);
	kr_log(KR_LOG_INFO | KR_LOG_DRIVER, "%s isn't opened: its hardware isn't here (%s)",
		library_path, why);
	return true;
}
