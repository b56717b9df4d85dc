/* SPDX-License-Identifier: Apache-2.0 */
/* Rules applied: see table.h. */
#include "features/table.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define AT(base, type, offset) (*(const type *)((const char *)(base) + (offset)))

static const char *
bool_text(bool value)
{
	return value ? "VK_TRUE" : "VK_FALSE";
}

static void
version_text(uint32_t version, char *text, size_t size)
{
	snprintf(text, size, "%u.%u.%u", VK_API_VERSION_MAJOR(version),
		VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
}

static void
apply_member(const struct kr_feature_facts *facts, enum kr_feature_member member,
	struct kr_feature_line *line)
{
	const struct kr_feature_member_info *info = kr_feature_describe_member(member);
	const struct kr_feature_fact *fact = &facts->members[member];
	char core[16];

	line->asked = info->name;
	line->source = info->structure;
	line->holds = fact->asked == KR_FEATURE_ASKED && fact->value;
	snprintf(line->wanted, sizeof(line->wanted), "VK_TRUE");
	version_text(info->core, core, sizeof(core));
	if (fact->asked == KR_FEATURE_ASKED)
		snprintf(line->seen, sizeof(line->seen), "%s", bool_text(fact->value));
	else if (fact->asked == KR_FEATURE_HAS_NO_QUERY)
		snprintf(line->seen, sizeof(line->seen),
			"can't be asked: no vkGetPhysicalDeviceFeatures2");
	else
		snprintf(line->seen, sizeof(line->seen),
			"can't be asked: neither Vulkan %.3s nor %s", core, info->extension);
}

static void
apply_external(const struct kr_feature_external *external, const char *source,
	struct kr_feature_line *line)
{
	line->source = source;
	line->holds = external->asked && external->exports && external->imports;
	snprintf(line->wanted, sizeof(line->wanted), "exported and imported");
	snprintf(line->seen, sizeof(line->seen), "%s",
		!external->asked                                 ? "can't be asked"
			: external->exports && external->imports ? "exported and imported"
			: external->exports                      ? "exported, not imported"
			: external->imports                      ? "imported, not exported"
								 : "neither exported nor imported");
}

static void
apply_row(const struct kr_feature_table *table, unsigned id, struct kr_feature_line *line)
{
	const struct kr_feature_row *row = &table->rows[id];
	char version[KR_FEATURE_VERSION_TEXT];

	line->asked = row->name;
	line->source = "the rules above";
	line->holds = row->holds;
	snprintf(line->wanted, sizeof(line->wanted), "%s",
		kr_feature_version_text(row->name, row->version, version));
	snprintf(line->seen, sizeof(line->seen), "%s", row->holds ? "held" : "not held");
}

static void
apply(const struct kr_feature_table *table, const struct kr_feature_facts *facts,
	const struct kr_feature_rule *rule, struct kr_feature_line *line)
{
	uint32_t number;

	line->asked = rule->name;
	switch (rule->kind) {
	case KR_FEATURE_RULE_API_VERSION:
		line->source = "VkPhysicalDeviceProperties";
		/* Variants (Vulkan SC) count by themselves, above all versions of Vulkan. */
		line->holds = facts->properties.apiVersion >= rule->limit &&
			!VK_API_VERSION_VARIANT(facts->properties.apiVersion);
		version_text(rule->limit, line->wanted, sizeof(line->wanted));
		version_text(facts->properties.apiVersion, line->seen, sizeof(line->seen));
		break;
	case KR_FEATURE_RULE_FEATURE:
		line->source = "VkPhysicalDeviceFeatures";
		line->holds = AT(&facts->features, VkBool32, rule->offset);
		snprintf(line->wanted, sizeof(line->wanted), "VK_TRUE");
		snprintf(line->seen, sizeof(line->seen), "%s", bool_text(line->holds));
		break;
	case KR_FEATURE_RULE_LIMIT:
		line->source = "VkPhysicalDeviceLimits";
		number = AT(&facts->properties.limits, uint32_t, rule->offset);
		line->holds = number >= rule->limit;
		snprintf(line->wanted, sizeof(line->wanted), "at least %u", rule->limit);
		snprintf(line->seen, sizeof(line->seen), "%u", number);
		break;
	case KR_FEATURE_RULE_MEMBER:
		apply_member(facts, (enum kr_feature_member)rule->limit, line);
		break;
	case KR_FEATURE_RULE_EXTENSION:
		line->source = "vkEnumerateDeviceExtensionProperties";
		line->holds = kr_feature_facts_have_extension(facts, rule->name);
		snprintf(line->wanted, sizeof(line->wanted), "offered");
		snprintf(line->seen, sizeof(line->seen), "%s",
			line->holds ? "offered" : "not offered");
		break;
	case KR_FEATURE_RULE_SYNC_FD_SEMAPHORE:
		apply_external(&facts->sync_fd_semaphore,
			"vkGetPhysicalDeviceExternalSemaphoreProperties", line);
		break;
	case KR_FEATURE_RULE_SYNC_FD_FENCE:
		apply_external(
			&facts->sync_fd_fence, "vkGetPhysicalDeviceExternalFenceProperties", line);
		break;
	case KR_FEATURE_RULE_ROW:
		apply_row(table, rule->limit, line);
		break;
	}
}

void
kr_feature_table_fill(
	struct kr_feature_table *table, const struct kr_feature_facts *facts, bool only_cpus)
{
	assert(kr_feature_rule_count <= KR_FEATURE_MOST_LINES);
	memset(table, 0, sizeof(*table));
	for (unsigned i = 0; i < KR_FEATURE_ROWS; i++) {
		table->rows[i].name = kr_feature_row_info[i].name;
		table->rows[i].version = kr_feature_row_info[i].version;
		table->rows[i].holds = true;
	}
	for (size_t i = 0; i < kr_feature_rule_count; i++) {
		const struct kr_feature_rule *rule = &kr_feature_rules[i];
		struct kr_feature_row *row = &table->rows[rule->row];
		struct kr_feature_line *line = &table->lines[i];

		if (!row->line_count++)
			row->first_line = i;
		apply(table, facts, rule, line);
		if (rule->spares_cpus && only_cpus) {
			snprintf(line->wanted, sizeof(line->wanted), "nothing of a CPU alone");
			line->holds = true;
		}
		row->holds &= line->holds;
	}
}

bool
kr_feature_table_find(const struct kr_feature_table *table, const char *name, uint32_t *version)
{
	bool found = false;

	for (unsigned i = 0; i < KR_FEATURE_ROWS; i++) {
		const struct kr_feature_row *row = &table->rows[i];

		if (!row->holds || strcmp(row->name, name) || (found && row->version < *version))
			continue;
		*version = row->version;
		found = true;
	}
	return found;
}

const char *
kr_feature_version_text(const char *name, uint32_t version, char text[KR_FEATURE_VERSION_TEXT])
{
	if (!strcmp(name, KR_FEATURE_NAME_VERSION))
		version_text(version, text, KR_FEATURE_VERSION_TEXT);
	else if (!strcmp(name, KR_FEATURE_NAME_DEQP))
		snprintf(text, KR_FEATURE_VERSION_TEXT, "%04u-%02u-%02u", version >> 16,
			version >> 8 & 0xff, version & 0xff);
	else
		snprintf(text, KR_FEATURE_VERSION_TEXT, "%u", version);
	return text;
}
