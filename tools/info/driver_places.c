/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/info/driver_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/device_map.h"
#include "manifest/paths.h"
#include "manifest/profile.h"
#include "tools/command/json_values.h"
#include "util/text.h"

/* What needs no device, so that there is something to install everywhere. */
#define SOFTWARE "libvulkan_lvp.so"

json_t *
kr_info_driver_places(void)
{
	json_t *places = json_array();
	struct kr_search_list list;

	if (!(kr_profile_get()->drivers & KR_PROFILE_MANIFESTS) ||
		kr_search_places(KR_MANIFEST_DRIVER, NULL, &list))
		return places;
	for (size_t i = 0; i < list.count; i++)
		json_array_append_new(places,
			json_pack("{s:o, s:o}", "path", kr_tool_json_text(list.places[i].path),
				"named_by", kr_tool_json_text(list.places[i].variable)));
	kr_search_list_finish(&list);
	return places;
}

char *
kr_info_library_packages(const char *library_path)
{
	const struct kr_hardware_rule *rule =
		library_path ? kr_hardware_rule_get(library_path) : NULL;

	if (!rule || !rule->packages[0])
		return strdup("");
	return kr_asprintf("; it is usually in %s", rule->packages);
}

char *
kr_info_driver_advice(void)
{
	char *packages, *advice;

	if (!(kr_profile_get()->drivers & KR_PROFILE_MANIFESTS))
		return kr_asprintf("see what profile '%s' takes drivers from (docs/profiles.md)",
			kr_profile_get()->name);
	if (kr_search_is_replaced(KR_MANIFEST_DRIVER, NULL))
		return kr_asprintf(
			"correct or unset VK_DRIVER_FILES (or VK_ICD_FILENAMES), which replaces the search of the usual directories");
	packages = kr_info_library_packages(SOFTWARE);
	advice = packages
		? kr_asprintf(
			  "install the package that has the driver of this machine's GPU; one that needs none is lavapipe%s",
			  packages)
		: NULL;
	free(packages);
	return advice;
}

bool
kr_info_any_driver_used(const json_t *drivers)
{
	const json_t *driver;
	size_t i;

	json_array_foreach(drivers, i, driver)
	{
		const char *source = json_string_value(json_object_get(driver, "source"));

		if (json_is_true(json_object_get(driver, "used")) && source &&
			strcmp(source, "stub") != 0)
			return true;
	}
	return false;
}

void
kr_info_print_driver_places(const json_t *drivers)
{
	const json_t *place;
	json_t *places;
	char *advice;
	size_t i;

	if (kr_info_any_driver_used(drivers))
		return;
	puts(json_array_size(drivers) ? "  none can be used" : "  none was found");
	places = kr_info_driver_places();
	advice = kr_info_driver_advice();
	json_array_foreach(places, i, place)
	{
		const char *by = json_string_value(json_object_get(place, "named_by"));

		printf("      looked in: %s%s%s\n",
			json_string_value(json_object_get(place, "path")), by ? ", by " : "",
			by ? by : "");
	}
	if (advice)
		printf("      do: %s\n", advice);
	free(advice);
	json_decref(places);
}
