/* SPDX-License-Identifier: Apache-2.0 */
/* krafla features --launch: the launch verdict, as text or JSON. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features/installed.h"
#include "tools/command/command.h"
#include "tools/command/json_values.h"
#include "tools/features/launch/gles.h"
#include "tools/features/launch/rules.h"
#include "tools/features/request.h"

/* Asked before any driver of Vulkan is loaded, and handed on by fork. */
static struct kr_flags_gles gles;
/* The directory that --permissions names, absolute; "" without. */
static char permissions[PATH_MAX];

int
kr_flags_prepare_launch(const struct kr_flags_request *request)
{
	bool known = !request->word;

	for (size_t i = 0; !known && i < KR_FLAGS_RELEASES; i++)
		known = !strcmp(request->word, kr_flags_releases[i]);
	if (!known)
		return kr_usage_error("features",
			"--launch: no rule is known for Android '%s'; known are 7, 9, 10 and 13",
			request->word);
	if (request->permissions && !realpath(request->permissions, permissions)) {
		kr_complain("features", "--permissions: '%s': %s", request->permissions,
			strerror(errno));
		return KR_EXIT_FAILURE;
	}
	if (strchr(permissions, ':'))
		return kr_usage_error("features",
			"--permissions: '%s' has a colon, which stands between directories",
			permissions);
	kr_flags_gles_ask(&gles);
	return KR_EXIT_OK;
}

static void
read_installed(const struct kr_flags_request *request, struct kr_flags_launch *launch)
{
	launch->permissions = request->permissions;
	if (request->permissions)
		setenv("KRAFLA_PROP_ro_krafla_permissions", permissions, 1);
	kr_feature_declarations_init(launch->installed);
	launch->has_files = kr_feature_read_installed(launch->installed);
}

static void
print_release(const json_t *release)
{
	const json_t *line;
	size_t i;

	printf("Android %s: %s\n", json_string_value(json_object_get(release, "release")),
		json_is_true(json_object_get(release, "holds")) ? "may be launched with it"
								: "may not be launched with it");
	json_array_foreach(json_object_get(release, "lines"), i, line)
	{
		const json_t *holds = json_object_get(line, "holds");
		const bool condition = json_is_true(json_object_get(line, "condition"));

		printf("  [%s] %s: %s%s, seen %s (%s)\n",
			json_is_true(holds)           ? "+"
				: json_is_null(holds) ? "?"
				: condition           ? " "
						      : "-",
			json_string_value(json_object_get(line, "rule")),
			condition ? "" : "wanted ",
			json_string_value(json_object_get(line, "wanted")),
			json_string_value(json_object_get(line, "seen")),
			json_string_value(json_object_get(line, "source")));
	}
}

static json_t *
gles_json(void)
{
	json_t *devices = json_array();

	for (uint32_t i = 0; i < gles.count; i++) {
		const struct kr_flags_gles_device *device = &gles.devices[i];

		json_array_append_new(devices,
			json_pack("{s:o, s:o, s:s, s:b, s:b}", "version",
				kr_tool_json_text(device->version), "renderer",
				kr_tool_json_text(device->renderer), "error", device->why,
				"software", (int)device->is_software, "listed",
				(int)device->is_listed));
	}
	return json_pack("{s:o, s:o}", "error", kr_tool_json_text(gles.why), "devices", devices);
}

static int
print_json(json_t *releases, bool holds)
{
	json_t *all = json_pack(
		"{s:b, s:O, s:o}", "holds", (int)holds, "releases", releases, "gles", gles_json());
	const int failed = json_dumpf(all, stdout, JSON_INDENT(2));

	putchar('\n');
	json_decref(all);
	return failed && !ferror(stdout) ? KR_EXIT_FAILURE : KR_EXIT_OK;
}

int
kr_flags_answer_launch(const struct kr_flags_request *request, struct kr_feature_system *system)
{
	struct kr_flags_launch launch = {.system = system, .gles = &gles};
	json_t *releases = json_array();
	bool holds = true;
	int code;

	read_installed(request, &launch);
	for (size_t i = 0; i < KR_FLAGS_RELEASES; i++) {
		json_t *release;

		if (request->word && strcmp(request->word, kr_flags_releases[i]) != 0)
			continue;
		release = kr_flags_judge_launch(&launch, kr_flags_releases[i]);
		holds = holds && json_is_true(json_object_get(release, "holds"));
		if (!request->json)
			print_release(release);
		json_array_append_new(releases, release);
	}
	code = holds ? KR_EXIT_OK : KR_FLAGS_EXIT_NO;
	if (request->json && print_json(releases, holds) != KR_EXIT_OK)
		code = KR_EXIT_FAILURE;
	json_decref(releases);
	return code;
}
