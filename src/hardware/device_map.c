/* SPDX-License-Identifier: Apache-2.0 */
/* Looking things up in the table of device_map.txt. */
#include "hardware/device_map.h"

#include <string.h>

const struct kr_hardware_rule *
kr_hardware_rules(size_t *count)
{
	*count = kr_hardware_rule_table_size;
	return kr_hardware_rule_table;
}

/* libx.so is also libx.so.1 and libx.so.1.2. */
static bool
is_library(const char *library, const char *file)
{
	size_t len = strlen(library);

	if (strncmp(library, file, len))
		return false;
	return !file[len] ||
		(file[len] == '.' && strspn(file + len, ".0123456789") == strlen(file + len));
}

const struct kr_hardware_rule *
kr_hardware_rule_get(const char *library_path)
{
	const char *slash = strrchr(library_path, '/');
	const char *file = slash ? slash + 1 : library_path;

	for (size_t i = 0; i < kr_hardware_rule_table_size; i++) {
		const char *const *library = kr_hardware_rule_table[i].libraries;

		for (; *library; library++) {
			if (is_library(*library, file))
				return &kr_hardware_rule_table[i];
		}
	}
	return NULL;
}

bool
kr_hardware_is_listed(const char *const *list, const char *name)
{
	for (; *list; list++) {
		if (!strcmp(*list, name))
			return true;
	}
	return false;
}

bool
kr_hardware_driver_known(const char *driver)
{
	if (kr_hardware_is_listed(kr_hardware_other_drivers, driver))
		return true;
	for (size_t i = 0; i < kr_hardware_rule_table_size; i++) {
		if (kr_hardware_is_listed(kr_hardware_rule_table[i].kernel_drivers, driver))
			return true;
	}
	return false;
}

bool
kr_hardware_name_fits(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (len && pattern[len - 1] == '*')
		return !strncmp(pattern, name, len - 1);
	return !strcmp(pattern, name);
}

static const struct kr_hardware_rule *
rule_of_name(const char *name)
{
	for (size_t i = 0; i < kr_hardware_rule_table_size; i++) {
		if (!strcmp(kr_hardware_rule_table[i].name, name))
			return &kr_hardware_rule_table[i];
	}
	return NULL;
}

static const char *const *
order_of(const char *kernel_driver)
{
	const struct kr_hardware_order *order = kr_hardware_orders;

	while (order->kernel_driver && strcmp(order->kernel_driver, kernel_driver))
		order++;
	return order->rules;
}

size_t
kr_hardware_candidates(
	const char *kernel_driver, const struct kr_hardware_rule *rules[KR_HARDWARE_CANDIDATES_MAX])
{
	const char *const *order = kernel_driver ? order_of(kernel_driver) : NULL;
	size_t count = 0;

	if (!kernel_driver)
		return 0;
	if (order) {
		/* device_map.py has seen to it that all these names are rules. */
		for (; *order && count < KR_HARDWARE_CANDIDATES_MAX; order++)
			rules[count++] = rule_of_name(*order);
		return count;
	}
	for (size_t i = 0; i < kr_hardware_rule_table_size && count < KR_HARDWARE_CANDIDATES_MAX;
		i++) {
		if (kr_hardware_is_listed(kr_hardware_rule_table[i].kernel_drivers, kernel_driver))
			rules[count++] = &kr_hardware_rule_table[i];
	}
	return count;
}

static bool
has_node(const struct kr_hardware_rule *rule, const char *name)
{
	for (const char *const *pattern = rule->nodes; *pattern; pattern++) {
		if (kr_hardware_name_fits(*pattern, name))
			return true;
	}
	return false;
}

size_t
kr_hardware_candidates_of_node(
	const char *node, const struct kr_hardware_rule *rules[KR_HARDWARE_CANDIDATES_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < kr_hardware_rule_table_size && count < KR_HARDWARE_CANDIDATES_MAX;
		i++) {
		if (has_node(&kr_hardware_rule_table[i], node))
			rules[count++] = &kr_hardware_rule_table[i];
	}
	return count;
}
