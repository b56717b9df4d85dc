/* SPDX-License-Identifier: Apache-2.0 */
/* krafla features: the tables of the devices, and what is declared, as text or JSON. */
#include "tools/features/request.h"

#include <stdio.h>
#include <string.h>

#include "tools/command/command.h"
#include "tools/command/device_type.h"
#include "tools/command/json_values.h"

static json_t *
line_json(const struct kr_feature_line *line)
{
	return json_pack("{s:s, s:s, s:s, s:o, s:b}", "asked", line->asked, "source", line->source,
		"wanted", line->wanted, "seen", kr_tool_json_text(line->seen), "holds",
		(int)line->holds);
}

static json_t *
row_json(const struct kr_feature_table *table, const struct kr_feature_row *row)
{
	char text[KR_FEATURE_VERSION_TEXT];
	json_t *rules = json_array();

	for (size_t i = 0; i < row->line_count; i++)
		json_array_append_new(rules, line_json(&table->lines[row->first_line + i]));
	return json_pack("{s:s, s:I, s:s, s:b, s:o}", "name", row->name, "version",
		(json_int_t)row->version, "version_text",
		kr_feature_version_text(row->name, row->version, text), "holds", (int)row->holds,
		"rules", rules);
}

static json_t *
device_json(const struct kr_feature_device *device)
{
	const VkPhysicalDeviceProperties *properties = &device->facts.properties;
	json_t *rows = json_array();

	for (unsigned i = 0; i < KR_FEATURE_ROWS; i++)
		json_array_append_new(rows, row_json(&device->table, &device->table.rows[i]));
	return json_pack("{s:i, s:o, s:s, s:o, s:o}", "number", (int)device->number, "name",
		kr_tool_json_text(properties->deviceName), "type",
		kr_tool_device_type(properties->deviceType), "api_version",
		kr_tool_json_version(properties->apiVersion), "features", rows);
}

static json_t *
version_json(const char *name, bool there, uint32_t version)
{
	char text[KR_FEATURE_VERSION_TEXT];

	if (!there)
		return json_null();
	return json_pack("{s:I, s:s}", "number", (json_int_t)version, "text",
		kr_feature_version_text(name, version, text));
}

static json_t *
declaration_json(const struct kr_feature_system *system, const struct kr_feature_declaration *d)
{
	return json_pack("{s:s, s:o, s:o, s:o}", "name", d->name, "declared",
		version_json(d->name, d->declared, d->version), "held",
		version_json(d->name, d->held, d->held_version), "permission_file",
		version_json(d->name, system->by_files && d->in_files, d->file_version));
}

static int
print_json(const struct kr_feature_system *system)
{
	json_t *devices = json_array(), *features = json_array();
	json_t *all;
	int failed;

	for (uint32_t i = 0; i < system->count; i++)
		json_array_append_new(devices, device_json(&system->devices[i]));
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++)
		json_array_append_new(features, declaration_json(system, &system->declarations[i]));
	all = json_pack("{s:o, s:b, s:o}", "devices", devices, "permission_files_decide",
		(int)system->by_files, "features", features);
	failed = json_dumpf(all, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(all);
	return failed && !ferror(stdout) ? KR_EXIT_FAILURE : KR_EXIT_OK;
}

/* " 1.1.0", or nothing for features that have but one version. */
static void
print_version(const char *name, uint32_t version)
{
	char text[KR_FEATURE_VERSION_TEXT];

	if (strchr(name, '.'))
		printf(" %s", kr_feature_version_text(name, version, text));
}

static void
print_device(const struct kr_feature_device *device)
{
	const struct kr_feature_table *table = &device->table;
	const VkPhysicalDeviceProperties *properties = &device->facts.properties;

	printf("device %u: %s (%s), Vulkan %u.%u.%u\n", device->number, properties->deviceName,
		kr_tool_device_type(properties->deviceType),
		VK_API_VERSION_MAJOR(properties->apiVersion),
		VK_API_VERSION_MINOR(properties->apiVersion),
		VK_API_VERSION_PATCH(properties->apiVersion));
	for (unsigned i = 0; i < KR_FEATURE_ROWS; i++) {
		const struct kr_feature_row *row = &table->rows[i];

		printf("  [%s] %s", row->holds ? "+" : "-", row->name);
		print_version(row->name, row->version);
		putchar('\n');
		for (size_t k = 0; k < row->line_count; k++) {
			const struct kr_feature_line *line = &table->lines[row->first_line + k];

			printf("      [%s] %s: wanted %s, seen %s (%s)\n", line->holds ? "+" : "-",
				line->asked, line->wanted, line->seen, line->source);
		}
	}
}

/* What permission files say that isn't so, and don't say that is. */
static void
print_files(const struct kr_feature_system *system)
{
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++) {
		const struct kr_feature_declaration *d = &system->declarations[i];
		char said[KR_FEATURE_VERSION_TEXT], held[KR_FEATURE_VERSION_TEXT];

		if (kr_feature_is_overstated(system, d) && d->held)
			printf("  [-] %s: a permission file declares %s, the devices hold %s\n",
				d->name, kr_feature_version_text(d->name, d->file_version, said),
				kr_feature_version_text(d->name, d->held_version, held));
		else if (kr_feature_is_overstated(system, d))
			printf("  [-] %s: a permission file declares %s, the devices don't hold it\n",
				d->name, kr_feature_version_text(d->name, d->file_version, said));
		else if (d->held && !d->in_files && kr_feature_is_permission(d->name))
			printf("  [-] %s: the devices hold %s, no permission file declares it\n",
				d->name, kr_feature_version_text(d->name, d->held_version, held));
	}
}

static int
print_text(const struct kr_feature_system *system)
{
	unsigned declared = 0;

	for (uint32_t i = 0; i < system->count; i++)
		print_device(&system->devices[i]);
	puts(system->by_files ? "declared, as permission files say and devices hold" : "declared");
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++) {
		const struct kr_feature_declaration *declaration = &system->declarations[i];

		if (!declaration->declared)
			continue;
		printf("  %s", declaration->name);
		print_version(declaration->name, declaration->version);
		putchar('\n');
		declared++;
	}
	if (!declared)
		puts("  nothing");
	if (system->by_files)
		print_files(system);
	return KR_EXIT_OK;
}

int
kr_flags_print(const struct kr_flags_request *request, struct kr_feature_system *system)
{
	return request->json ? print_json(system) : print_text(system);
}
