/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a driver's devices are here. Problem: a driver that finds no device costs milliseconds
 * and memory, but a driver that is passed over wrongly takes a device away from the program. So
 * each kind of evidence has three answers, and one that couldn't be asked for makes the whole
 * answer "unknown": absence is only what every kind has proven.
 *
 * A directory that is empty because it isn't the real one (a sandbox without /dev or /sys) proves
 * nothing: /dev counts when it has `null`, /sys when it has `devices`.
 */
#include "hardware/device_map.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/env.h"
#include "util/file.h"
#include "util/text.h"

struct search {
	const struct kr_hardware_rule *rule;
	const char *(*env_get)(const char *name);
	const char *dev, *sys;
	char *why; /* KR_PRESENCE_WHY_SIZE: by what the last answer was seen */
};

/* --- one question at a time --- */

static void KR_PRINTF(2, 3) say(const struct search *search, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(search->why, KR_PRESENCE_WHY_SIZE, fmt, args);
	va_end(args);
}

/* Says that errno kept it from being looked at. KR_PRESENCE_UNKNOWN. */
static enum kr_presence
unknown(const struct search *search, const char *path)
{
	say(search, "%s can't be looked at: %s", path, strerror(errno));
	return KR_PRESENCE_UNKNOWN;
}

/* printf; false, with errno ENAMETOOLONG, when it doesn't fit. */
static bool KR_PRINTF(2, 3) join(char path[KR_PRESENCE_WHY_SIZE], const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(path, KR_PRESENCE_WHY_SIZE, fmt, args);
	va_end(args);
	errno = ENAMETOOLONG;
	return len >= 0 && len < KR_PRESENCE_WHY_SIZE;
}

/* Whether there is a path of this name below `root`. */
static enum kr_presence
ask_path(const struct search *search, const char *root, const char *below)
{
	char path[KR_PRESENCE_WHY_SIZE];

	if (!join(path, "%s/%s", root, below))
		return unknown(search, root);
	if (!access(path, F_OK)) {
		say(search, "%s is here", path);
		return KR_PRESENCE_HERE;
	}
	return errno == ENOENT || errno == ENOTDIR ? KR_PRESENCE_ABSENT : unknown(search, path);
}

/*
 * That `root` is what it should be, told by something that it always has: KR_PRESENCE_ABSENT when
 * nothing speaks against it, otherwise KR_PRESENCE_UNKNOWN.
 */
static enum kr_presence
trust(const struct search *search, const char *root, const char *proof)
{
	enum kr_presence presence = ask_path(search, root, proof);

	if (presence == KR_PRESENCE_ABSENT)
		say(search, "%s has no %s: it may not be the system's own", root, proof);
	return presence == KR_PRESENCE_HERE ? KR_PRESENCE_ABSENT : KR_PRESENCE_UNKNOWN;
}

/*
 * Calls `visit` for the names in a directory until one is KR_PRESENCE_HERE. That, or
 * KR_PRESENCE_UNKNOWN if any was, or KR_PRESENCE_ABSENT, also when there is no such directory.
 */
static enum kr_presence
each_name(const struct search *search, const char *path,
	enum kr_presence (*visit)(const struct search *search, const char *path, const char *name))
{
	enum kr_presence presence = KR_PRESENCE_ABSENT;
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return errno == ENOENT || errno == ENOTDIR ? KR_PRESENCE_ABSENT
							   : unknown(search, path);
	while (presence != KR_PRESENCE_HERE) {
		enum kr_presence one;

		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			presence = errno ? unknown(search, path) : presence;
			break;
		}
		one = visit(search, path, entry->d_name);
		presence = one != KR_PRESENCE_ABSENT ? one : presence;
	}
	closedir(dir);
	return presence;
}

/* The first line of a file that begins with `key`, without it; false when there is none. */
static bool
read_line(const char *path, const char *key, char *value, size_t size)
{
	char line[256];
	bool found = false;
	FILE *file;

	if (kr_file_open(path, &file))
		return false;
	/* These files are a page at most. */
	for (int lines = 0; lines < 256 && !found && fgets(line, sizeof(line), file); lines++) {
		line[strcspn(line, "\n")] = '\0';
		found = !strncmp(line, key, strlen(key));
	}
	fclose(file);
	if (found)
		snprintf(value, size, "%s", line + strlen(key));
	return found;
}

/* --- what a rule asks --- */

#define NAME_SIZE 64 /* of a kernel driver */

/* One that is named without a star needs no listing, which some directories don't allow. */
static enum kr_presence
visit_node(const struct search *search, const char *path, const char *name)
{
	for (const char *const *node = search->rule->nodes; *node; node++) {
		if (strchr(*node, '*') && kr_hardware_name_fits(*node, name)) {
			say(search, "%s/%s is here", path, name);
			return KR_PRESENCE_HERE;
		}
	}
	return KR_PRESENCE_ABSENT;
}

static enum kr_presence
ask_nodes(const struct search *search)
{
	enum kr_presence presence = KR_PRESENCE_ABSENT;
	bool stars = false;

	for (const char *const *node = search->rule->nodes; *node; node++) {
		if (strchr(*node, '*'))
			stars = true;
		else
			presence = ask_path(search, search->dev, *node);
		if (presence != KR_PRESENCE_ABSENT)
			return presence;
	}
	return stars ? each_name(search, search->dev, visit_node) : KR_PRESENCE_ABSENT;
}

static enum kr_presence
ask_modules(const struct search *search)
{
	char path[NAME_SIZE + 8];

	for (const char *const *module = search->rule->modules; *module; module++) {
		enum kr_presence presence;

		snprintf(path, sizeof(path), "module/%s", *module);
		presence = ask_path(search, search->sys, path);
		if (presence != KR_PRESENCE_ABSENT)
			return presence;
	}
	return KR_PRESENCE_ABSENT;
}

static enum kr_presence
visit_card(const struct search *search, const char *dir, const char *name)
{
	char path[KR_PRESENCE_WHY_SIZE], vendor[16];

	if (name[0] == '.')
		return KR_PRESENCE_ABSENT;
	if (!join(path, "%s/%s/vendor", dir, name) ||
		!read_line(path, "0x", vendor, sizeof(vendor)))
		return unknown(search, path);
	if (!kr_hardware_is_listed(search->rule->pci_vendors, vendor))
		return KR_PRESENCE_ABSENT;
	say(search, "the PCI device %s is of vendor %s", name, vendor);
	return KR_PRESENCE_HERE;
}

static enum kr_presence
ask_pci(const struct search *search)
{
	char path[KR_PRESENCE_WHY_SIZE];

	if (!search->rule->pci_vendors[0])
		return KR_PRESENCE_ABSENT;
	if (!join(path, "%s/bus/pci/devices", search->sys))
		return unknown(search, search->sys);
	return each_name(search, path, visit_card);
}

static enum kr_presence
visit_render_node(const struct search *search, const char *dir, const char *name)
{
	char path[KR_PRESENCE_WHY_SIZE], driver[NAME_SIZE];

	if (strncmp(name, "renderD", 7))
		return KR_PRESENCE_ABSENT;
	if (!join(path, "%s/class/drm/%s/device/uevent", search->sys, name) ||
		!read_line(path, "DRIVER=", driver, sizeof(driver))) {
		say(search, "which driver %s/%s has can't be seen in %s", dir, name, search->sys);
		return KR_PRESENCE_UNKNOWN;
	}
	if (kr_hardware_is_listed(search->rule->kernel_drivers, driver)) {
		say(search, "%s/%s is of %s", dir, name, driver);
		return KR_PRESENCE_HERE;
	}
	if (kr_hardware_driver_known(driver))
		return KR_PRESENCE_ABSENT;
	say(search, "%s/%s is of %s, which isn't known here", dir, name, driver);
	return KR_PRESENCE_UNKNOWN;
}

static enum kr_presence
ask_render_nodes(const struct search *search)
{
	char path[KR_PRESENCE_WHY_SIZE];

	if (!search->rule->kernel_drivers[0])
		return KR_PRESENCE_ABSENT;
	if (!join(path, "%s/dri", search->dev))
		return unknown(search, search->dev);
	return each_name(search, path, visit_render_node);
}

static enum kr_presence
ask_variables(const struct search *search)
{
	const char *preload = search->env_get("LD_PRELOAD");

	for (const char *const *name = search->rule->variables; *name; name++) {
		if (search->env_get(*name)) {
			say(search, "%s is set", *name);
			return KR_PRESENCE_HERE;
		}
	}
	for (const char *const *word = kr_hardware_preload_words; preload && *word; word++) {
		if (strstr(preload, *word)) {
			say(search, "LD_PRELOAD has %s", *word);
			return KR_PRESENCE_HERE;
		}
	}
	return KR_PRESENCE_ABSENT;
}

/* /sys is needed only where a rule asks for something in it. */
static enum kr_presence
ask_trust(const struct search *search)
{
	const struct kr_hardware_rule *rule = search->rule;
	enum kr_presence presence = trust(search, search->dev, "null");

	if (presence != KR_PRESENCE_ABSENT || (!rule->modules[0] && !rule->pci_vendors[0]))
		return presence;
	return trust(search, search->sys, "devices");
}

static struct search
make_search(
	const struct kr_hardware_rule *rule, const struct kr_hardware_options *options, char *why)
{
	static const struct kr_hardware_options none;
	const struct kr_hardware_options *given = options ? options : &none;

	return (struct search){
		.rule = rule,
		.env_get = given->env_get ? given->env_get : kr_env_get,
		.dev = given->dev ? given->dev : "/dev",
		.sys = given->sys ? given->sys : "/sys",
		.why = why,
	};
}

/*
 * What a person is told who wonders why it is absent: "/dev/dri has no render node of i915 or xe".
 */
static void
say_absent(const struct search *search)
{
	const struct kr_hardware_rule *rule = search->rule;
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
	say(search, drm ? "%s/dri has no render node of %s" : "%s has no %s", search->dev, list);
}

enum kr_presence
kr_hardware_presence(const struct kr_hardware_rule *rule, const struct kr_hardware_options *options,
	char why[KR_PRESENCE_WHY_SIZE])
{
	static enum kr_presence (*const questions[])(const struct search *search) = {
		ask_variables, ask_render_nodes, ask_nodes, ask_modules, ask_pci, ask_trust};
	const struct search search = make_search(rule, options, why);
	enum kr_presence presence = KR_PRESENCE_ABSENT;
	char doubt[KR_PRESENCE_WHY_SIZE] = "";

	if (rule->always) {
		say(&search, "it needs no device");
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
visit_forbidden(const struct search *search, const char *dir, const char *name)
{
	char path[KR_PRESENCE_WHY_SIZE], sentence[KR_PRESENCE_WHY_SIZE];
	struct search quiet = *search;
	bool ours;

	quiet.why = sentence;
	if (!strncmp(name, "renderD", 7)) {
		ours = visit_render_node(&quiet, dir, name) == KR_PRESENCE_HERE;
	} else {
		ours = false;
		for (const char *const *node = search->rule->nodes; *node; node++)
			ours = ours || kr_hardware_name_fits(*node, name);
	}
	if (!ours || !join(path, "%s/%s", dir, name) || !access(path, R_OK | W_OK) ||
		errno != EACCES)
		return KR_PRESENCE_ABSENT;
	say(search, "%s", path);
	return KR_PRESENCE_HERE;
}

bool
kr_hardware_forbidden(const struct kr_hardware_rule *rule,
	const struct kr_hardware_options *options, char path[KR_PRESENCE_WHY_SIZE])
{
	const struct search search = make_search(rule, options, path);
	char dri[KR_PRESENCE_WHY_SIZE];

	if (join(dri, "%s/dri", search.dev) &&
		each_name(&search, dri, visit_forbidden) == KR_PRESENCE_HERE)
		return true;
	return each_name(&search, search.dev, visit_forbidden) == KR_PRESENCE_HERE;
}
