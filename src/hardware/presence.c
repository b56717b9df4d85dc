/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a driver's devices are here. Problem: a driver that finds no device costs milliseconds and memory,
 * but a driver that is passed over wrongly takes a device away from the program. So each kind of evidence
 * has three answers, and one that couldn't be asked for makes the whole answer "unknown": absence is only
 * what every kind has proven.
 *
 * A directory that is empty because it isn't the real one (a sandbox without /dev or /sys) proves nothing:
 * /dev counts when it has `null`, /sys when it has `devices`.
 */
#include "hardware/look.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/env.h"
#include "util/text.h"

#define NAME_SIZE 64 /* of a kernel driver */

/* One that is named without a star needs no listing, which some directories don't allow. */
static enum kr_presence
visit_node(const struct kr_device_search *search, const char *path, const char *name)
{
	for (const char *const *node = search->rule->nodes; *node; node++) {
		if (strchr(*node, '*') && kr_device_name_fits(*node, name)) {
			kr_device_say(search, "%s/%s is here", path, name);
			return KR_PRESENCE_HERE;
		}
	}
	return KR_PRESENCE_ABSENT;
}

static enum kr_presence
ask_nodes(const struct kr_device_search *search)
{
	enum kr_presence presence = KR_PRESENCE_ABSENT;
	bool stars = false;

	for (const char *const *node = search->rule->nodes; *node; node++) {
		if (strchr(*node, '*'))
			stars = true;
		else
			presence = kr_device_ask_path(search, search->dev, *node);
		if (presence != KR_PRESENCE_ABSENT)
			return presence;
	}
	return stars ? kr_device_each_name(search, search->dev, visit_node) : KR_PRESENCE_ABSENT;
}

static enum kr_presence
ask_modules(const struct kr_device_search *search)
{
	char path[NAME_SIZE + 8];

	for (const char *const *module = search->rule->modules; *module; module++) {
		enum kr_presence presence;

		snprintf(path, sizeof(path), "module/%s", *module);
		presence = kr_device_ask_path(search, search->sys, path);
		if (presence != KR_PRESENCE_ABSENT)
			return presence;
	}
	return KR_PRESENCE_ABSENT;
}

static enum kr_presence
visit_card(const struct kr_device_search *search, const char *dir, const char *name)
{
	char path[KR_PRESENCE_WHY_SIZE], vendor[16];

	if (name[0] == '.')
		return KR_PRESENCE_ABSENT;
	if (!kr_device_join(path, "%s/%s/vendor", dir, name) ||
		!kr_device_read_line(path, "0x", vendor, sizeof(vendor)))
		return kr_device_unknown(search, path);
	if (!kr_device_is_listed(search->rule->pci_vendors, vendor))
		return KR_PRESENCE_ABSENT;
	kr_device_say(search, "the PCI device %s is of vendor %s", name, vendor);
	return KR_PRESENCE_HERE;
}

static enum kr_presence
ask_pci(const struct kr_device_search *search)
{
	char path[KR_PRESENCE_WHY_SIZE];

	if (!search->rule->pci_vendors[0])
		return KR_PRESENCE_ABSENT;
	if (!kr_device_join(path, "%s/bus/pci/devices", search->sys))
		return kr_device_unknown(search, search->sys);
	return kr_device_each_name(search, path, visit_card);
}

static enum kr_presence
visit_render_node(const struct kr_device_search *search, const char *dir, const char *name)
{
	char path[KR_PRESENCE_WHY_SIZE], driver[NAME_SIZE];

	if (strncmp(name, "renderD", 7))
		return KR_PRESENCE_ABSENT;
	if (!kr_device_join(path, "%s/class/drm/%s/device/uevent", search->sys, name) ||
		!kr_device_read_line(path, "DRIVER=", driver, sizeof(driver))) {
		kr_device_say(search, "which driver %s/%s has can't be seen in %s", dir, name,
			search->sys);
		return KR_PRESENCE_UNKNOWN;
	}
	if (kr_device_is_listed(search->rule->kernel_drivers, driver)) {
		kr_device_say(search, "%s/%s is of %s", dir, name, driver);
		return KR_PRESENCE_HERE;
	}
	if (kr_device_driver_known(driver))
		return KR_PRESENCE_ABSENT;
	kr_device_say(search, "%s/%s is of %s, which isn't known here", dir, name, driver);
	return KR_PRESENCE_UNKNOWN;
}

static enum kr_presence
ask_render_nodes(const struct kr_device_search *search)
{
	char path[KR_PRESENCE_WHY_SIZE];

	if (!search->rule->kernel_drivers[0])
		return KR_PRESENCE_ABSENT;
	if (!kr_device_join(path, "%s/dri", search->dev))
		return kr_device_unknown(search, search->dev);
	return kr_device_each_name(search, path, visit_render_node);
}

static enum kr_presence
ask_variables(const struct kr_device_search *search)
{
	const char *preload = search->env_get("LD_PRELOAD");

	for (const char *const *name = search->rule->variables; *name; name++) {
		if (search->env_get(*name)) {
			kr_device_say(search, "%s is set", *name);
			return KR_PRESENCE_HERE;
		}
	}
	for (const char *const *word = kr_device_preload_words; preload && *word; word++) {
		if (strstr(preload, *word)) {
			kr_device_say(search, "LD_PRELOAD has %s", *word);
			return KR_PRESENCE_HERE;
		}
	}
	return KR_PRESENCE_ABSENT;
}

/* /sys is needed only where a rule asks for something in it. */
static enum kr_presence
ask_trust(const struct kr_device_search *search)
{
	const struct kr_device_rule *rule = search->rule;
	enum kr_presence presence = kr_device_trust(search, search->dev, "null");

	if (presence != KR_PRESENCE_ABSENT || (!rule->modules[0] && !rule->pci_vendors[0]))
		return presence;
	return kr_device_trust(search, search->sys, "devices");
}

static struct kr_device_search
make_search(const struct kr_device_rule *rule, const struct kr_device_options *options, char *why)
{
	static const struct kr_device_options none;
	const struct kr_device_options *given = options ? options : &none;

	return (struct kr_device_search){
		.rule = rule,
		.env_get = given->env_get ? given->env_get : kr_env_get,
		.dev = given->dev ? given->dev : "/dev",
		.sys = given->sys ? given->sys : "/sys",
		.why = why,
	};
}

/* What a person is told who wonders why it is absent: "/dev/dri has no render node of i915 or xe". */
static void
say_absent(const struct kr_device_search *search)
{
	const struct kr_device_rule *rule = search->rule;
	bool drm = rule->kernel_drivers[0] != NULL;
	const char *const *names = drm ? rule->kernel_drivers : rule->nodes;
	char list[KR_PRESENCE_WHY_SIZE / 2] = "";
	size_t len = 0;

	for (size_t i = 0; names[i] && len < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
			i == 0                 ? ""
				: names[i + 1] ? ", "
					       : " or ",
			names[i]);
	kr_device_say(search, drm ? "%s/dri has no render node of %s" : "%s has no %s", search->dev,
		list);
}

enum kr_presence
kr_device_presence(const struct kr_device_rule *rule, const struct kr_device_options *options,
	char why[KR_PRESENCE_WHY_SIZE])
{
	static enum kr_presence (*const questions[])(const struct kr_device_search *search) = {
		ask_variables, ask_render_nodes, ask_nodes, ask_modules, ask_pci, ask_trust};
	const struct kr_device_search search = make_search(rule, options, why);
	enum kr_presence presence = KR_PRESENCE_ABSENT;
	char doubt[KR_PRESENCE_WHY_SIZE] = "";

	if (rule->always) {
		kr_device_say(&search, "it needs no device");
		return KR_PRESENCE_HERE;
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(questions); i++) {
		enum kr_presence one = questions[i](&search);

		if (one == KR_PRESENCE_HERE)
			return one;
		if (one == KR_PRESENCE_UNKNOWN && presence == KR_PRESENCE_ABSENT) {
			presence = one;
			memcpy(doubt, why, sizeof(doubt));
		}
	}
	if (presence == KR_PRESENCE_ABSENT)
		say_absent(&search);
	else
		memcpy(why, doubt, sizeof(doubt));
	return presence;
}

/* Answers HERE for a node that may not be opened; its path is `why`. */
static enum kr_presence
visit_forbidden(const struct kr_device_search *search, const char *dir, const char *name)
{
	char path[KR_PRESENCE_WHY_SIZE], sentence[KR_PRESENCE_WHY_SIZE];
	struct kr_device_search quiet = *search;
	bool ours;

	quiet.why = sentence;
	if (!strncmp(name, "renderD", 7)) {
		ours = visit_render_node(&quiet, dir, name) == KR_PRESENCE_HERE;
	} else {
		ours = false;
		for (const char *const *node = search->rule->nodes; *node; node++)
			ours = ours || kr_device_name_fits(*node, name);
	}
	if (!ours || !kr_device_join(path, "%s/%s", dir, name) || !access(path, R_OK | W_OK) ||
		errno != EACCES)
		return KR_PRESENCE_ABSENT;
	kr_device_say(search, "%s", path);
	return KR_PRESENCE_HERE;
}

bool
kr_device_forbidden(const struct kr_device_rule *rule, const struct kr_device_options *options,
	char path[KR_PRESENCE_WHY_SIZE])
{
	const struct kr_device_search search = make_search(rule, options, path);
	char dri[KR_PRESENCE_WHY_SIZE];

	if (kr_device_join(dri, "%s/dri", search.dev) &&
		kr_device_each_name(&search, dri, visit_forbidden) == KR_PRESENCE_HERE)
		return true;
	return kr_device_each_name(&search, search.dev, visit_forbidden) == KR_PRESENCE_HERE;
}
