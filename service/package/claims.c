/* SPDX-License-Identifier: Apache-2.0 */
/* See claims.h. */
#include "service/package/claims.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/device_map.h"
#include "service/package/internal.h"
#include "util/text.h"

#define DEFAULT_ORDER 100
#define MOST_ORDER    1000
#define MOST_NAME     63

static int
refuse(const struct kr_package *package, size_t number, const char *what, char **reason)
{
	return kr_package_refuse(reason, -EINVAL, "%s: \"krafla.devices\", element %zu: %s",
		package->metadata_file, number, what);
}

/* "8086:9a49", or "8086:*". */
static bool
read_pci(const char *text, struct kr_package_claim *claim)
{
	static const char digits[] = "0123456789abcdef";
	const bool any = !strcmp(text + KR_MIN(strlen(text), (size_t)5), "*");

	if (strspn(text, digits) != 4 || text[4] != ':' ||
		(!any && (strlen(text) != 9 || strspn(text + 5, digits) != 4)))
		return false;
	claim->pci_vendor = (uint32_t)strtoul(text, NULL, 16);
	claim->any_device = any;
	claim->pci_device = any ? 0 : (uint32_t)strtoul(text + 5, NULL, 16);
	return claim->pci_vendor;
}

static int
copy_name(const char *text, bool good, char **name, bool *wrong)
{
	if (!text || !good) {
		*wrong = true;
		return 0;
	}
	*name = strdup(text);
	return *name ? 0 : -ENOMEM;
}

/*
 * `*` at its end at most, and behind three characters of a name: who claims "*" would have every
 * device that is there, and clients would get the nodes of all.
 */
static bool
node_is_good(const char *text)
{
	const char *star = strchr(text, '*');

	return strncmp(text, "dri/", 4) != 0 &&
		(!star || (!star[1] && strlen(kr_package_base_name(text)) > 3));
}

/* *wrong: NULL, or what is said of a value that can't be. */
static int
take_member(
	struct kr_package_claim *claim, const char *key, const json_t *value, const char **wrong)
{
	const char *text = json_string_value(value);
	const bool good = text && kr_package_path_is_good(text);
	bool bad = false;
	int ret = 0;

	*wrong = NULL;
	if (!strcmp(key, "kernel_driver")) {
		ret = copy_name(text, good && !strchr(text, '/') && strlen(text) <= MOST_NAME,
			&claim->kernel_driver, &bad);
		*wrong = bad ? "\"kernel_driver\" must be a name of 1 to 63 characters" : NULL;
	} else if (!strcmp(key, "node")) {
		ret = copy_name(text, good && node_is_good(text), &claim->node, &bad);
		*wrong = bad
			? "\"node\" must be a path below /dev, and not below /dev/dri, with '*' at its end at most, behind three characters of a name"
			: NULL;
	} else if (!strcmp(key, "pci")) {
		if (!text || !read_pci(text, claim))
			*wrong = "\"pci\" must be like \"8086:9a49\" or \"8086:*\"";
	} else if (!strcmp(key, "order")) {
		claim->order = (int)json_integer_value(value);
		if (!json_is_integer(value) || json_integer_value(value) < 0 ||
			json_integer_value(value) > MOST_ORDER)
			*wrong = "\"order\" must be a number from 0 to 1000";
	} else {
		*wrong = "there are kernel_driver, pci, node and order";
	}
	return ret;
}

static int
take_claim(struct kr_package *package, const json_t *value, size_t number, char **reason)
{
	struct kr_package_claim *claim = &package->claims[number];
	const char *key, *wrong;
	const json_t *member;

	claim->order = DEFAULT_ORDER;
	package->claim_count++;
	if (!json_is_object(value))
		return refuse(package, number, "it must be an object", reason);
	json_object_foreach((json_t *)value, key, member)
	{
		const int ret = take_member(claim, key, member, &wrong);

		if (ret || wrong)
			return ret ? ret : refuse(package, number, wrong, reason);
	}
	if (!claim->kernel_driver && !claim->node && !claim->pci_vendor)
		return refuse(package, number, "it names no device", reason);
	if (claim->node && (claim->kernel_driver || claim->pci_vendor))
		return refuse(package, number, "\"node\" stands alone", reason);
	return 0;
}

static int
make_room(struct kr_package *package, size_t count)
{
	package->claims = calloc(count ? count : 1, sizeof(*package->claims));
	package->claims_said = package->claims;
	return package->claims ? 0 : -ENOMEM;
}

int
kr_package_parse_claims(struct kr_package *package, const json_t *value, char **reason)
{
	const json_t *item;
	size_t i;
	int ret;

	if (!json_is_array(value) || json_array_size(value) > KR_PACKAGE_CLAIMS_MAX)
		return kr_package_refuse(reason, -EINVAL,
			"%s: \"krafla.devices\" must be an array of at most 252 objects",
			package->metadata_file);
	ret = make_room(package, json_array_size(value));
	json_array_foreach(value, i, item)
	{
		if (!ret)
			ret = take_claim(package, item, i, reason);
	}
	return ret;
}

/* --- by the device map --- */

static int
place_of(const struct kr_hardware_rule *rule, const struct kr_hardware_rule *const *rules,
	size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (rules[i] == rule)
			return (int)i;
	}
	return DEFAULT_ORDER;
}

static int
claim_one(struct kr_package *package, const struct kr_hardware_rule *rule, const char *name,
	bool is_node)
{
	const struct kr_hardware_rule *rules[KR_HARDWARE_CANDIDATES_MAX];
	struct kr_package_claim *claim = &package->claims[package->claim_count++];
	const size_t count = is_node ? kr_hardware_candidates_of_node(name, rules)
				     : kr_hardware_candidates(name, rules);
	char **text = is_node ? &claim->node : &claim->kernel_driver;

	claim->order = place_of(rule, rules, count);
	*text = strdup(name);
	return *text ? 0 : -ENOMEM;
}

static size_t
count_of(const char *const *list)
{
	size_t count = 0;

	while (list[count])
		count++;
	return count;
}

int
kr_package_claim_by_map(struct kr_package *package)
{
	const struct kr_hardware_rule *rule = kr_hardware_rule_get(package->file_path);
	int ret;

	if (!rule)
		return 0;
	ret = make_room(package, count_of(rule->kernel_drivers) + count_of(rule->nodes));
	for (size_t i = 0; !ret && rule->kernel_drivers[i]; i++)
		ret = claim_one(package, rule, rule->kernel_drivers[i], false);
	for (size_t i = 0; !ret && rule->nodes[i]; i++)
		ret = claim_one(package, rule, rule->nodes[i], true);
	return ret;
}

/* --- what is done with them --- */

json_t *
kr_package_list_claims(const struct kr_package *package)
{
	json_t *list = package->claims_said ? json_array() : NULL;

	for (size_t i = 0; i < package->claim_count; i++) {
		const struct kr_package_claim *claim = &package->claims[i];
		char pci[16] = "";

		if (claim->any_device)
			snprintf(pci, sizeof(pci), "%04x:*", claim->pci_vendor & 0xffff);
		else if (claim->pci_vendor)
			snprintf(pci, sizeof(pci), "%04x:%04x", claim->pci_vendor & 0xffff,
				claim->pci_device & 0xffff);
		json_array_append_new(list,
			json_pack("{s:s*, s:s*, s:s*, s:i}", "kernel_driver", claim->kernel_driver,
				"pci", pci[0] ? pci : NULL, "node", claim->node, "order",
				claim->order));
	}
	return list;
}

const struct kr_package_claim *
kr_package_claim_of(const struct kr_package *package, const char *path, const char *kernel_driver,
	uint32_t vendor, uint32_t device)
{
	const struct kr_package_claim *best = NULL;

	for (size_t i = 0; i < package->claim_count; i++) {
		const struct kr_package_claim *claim = &package->claims[i];

		if (claim->node ? !kr_hardware_name_fits(claim->node, path)
				: strncmp(path, "dri/", 4) != 0)
			continue;
		if (claim->kernel_driver &&
			(!kernel_driver || strcmp(claim->kernel_driver, kernel_driver)))
			continue;
		if (claim->pci_vendor &&
			(claim->pci_vendor != vendor ||
				(!claim->any_device && claim->pci_device != device)))
			continue;
		if (!best || claim->order < best->order)
			best = claim;
	}
	return best;
}
