/* SPDX-License-Identifier: Apache-2.0 */
/* The loader service as this process's search for drivers has met it. */
#include "tools/info/facts.h"

#include <stdio.h>

#include "client/client.h"
#include "manifest/profile.h"
#include "tools/command/json_values.h"
#include "util/macros.h"
#include "wire/service.h"

static json_t *
list_features(uint32_t features)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{KR_SERVICE_GET, "get"},
		{KR_SERVICE_MANIFEST_FS, "manifest_fs"},
		{KR_SERVICE_DEVICE_FS, "device_fs"},
		{KR_SERVICE_INSPECT, "inspect"},
	};
	json_t *array = json_array();

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		if (features & names[i].bit)
			json_array_append_new(array, json_string(names[i].name));
	}
	return array;
}

json_t *
kr_info_service(void)
{
	struct kr_client_report report;
	json_t *service;

	if (!kr_client_describe(&report))
		return json_null();
	service = json_pack("{s:o, s:s, s:o, s:o}", "socket", kr_tool_json_text(report.socket),
		"state", kr_client_state_name(report.state), "reason",
		kr_tool_json_text(report.reason), "features", list_features(report.features));
	kr_client_report_finish(&report);
	return service;
}

static const char *
text(const json_t *service, const char *key)
{
	return json_string_value(json_object_get(service, key));
}

void
kr_info_print_service(const json_t *service)
{
	const char *socket = text(service, "socket"), *reason = text(service, "reason");

	puts("service");
	if (!json_is_object(service)) {
		puts(kr_profile_get()->drivers & KR_PROFILE_SERVICE
				? "  none: KRAFLA_SERVICE doesn't name one"
				: "  none: drivers don't come from one in this profile");
		return;
	}
	printf("  %s\n    %s%s%s\n", socket ? socket : "it wasn't needed", text(service, "state"),
		reason ? ": " : "", reason ? reason : "");
}
