/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices in a sandbox: see nodes.h. Drivers go from a node's number to /sys/dev/char/<number>,
 * a link to the node's directory below /sys/devices, and from there by `device` to the
 * hardware's, whose files say what it is. The hardware's directory holds the node's, so it is
 * all that is shown of /sys/devices.
 */
#include "tools/deliver/nodes.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "util/text.h"

/* Through these a device is found: links alone, which show names and no contents. */
static const char *const directories[] = {"dev/char", "class/drm"};

static void
add_bind(struct kr_words *arguments, const char *how, const char *from, const char *to)
{
	/* Twice the same would be harmless, and hard to read. */
	if (kr_words_have(arguments, to))
		return;
	kr_words_add(arguments, how);
	kr_words_add(arguments, from);
	kr_words_add(arguments, to);
}

/* The directory of the hardware behind a node, or the node's own; false when sysfs has neither. */
static bool
find_hardware(const char *sys, dev_t number, char path[PATH_MAX])
{
	char *node = kr_asprintf("%s/dev/char/%u:%u", sys, major(number), minor(number));
	char *hardware = node ? kr_asprintf("%s/device", node) : NULL;
	bool found = hardware && (realpath(hardware, path) || realpath(node, path));

	free(hardware);
	free(node);
	return found;
}

static void
add_sysfs(const char *sys, dev_t number, struct kr_words *arguments)
{
	char root[PATH_MAX], path[PATH_MAX], *place;
	size_t length;

	if (!realpath(sys, root) || !find_hardware(sys, number, path))
		return;
	length = strlen(root);
	if (strncmp(path, root, length) || path[length] != '/')
		return;
	for (size_t i = 0; i < KR_ARRAY_LEN(directories); i++) {
		char *from = kr_asprintf("%s/%s", sys, directories[i]);
		char *to = kr_asprintf("/sys/%s", directories[i]);

		if (from && to && !access(from, R_OK))
			add_bind(arguments, "--ro-bind", from, to);
		free(from);
		free(to);
	}
	place = kr_asprintf("/sys%s", path + length);
	if (place)
		add_bind(arguments, "--ro-bind", path, place);
	free(place);
}

static void
add_node(const struct kr_deliver_roots *roots, const char *dev, const char *path,
	struct kr_words *arguments)
{
	char *place = kr_asprintf("/dev%s", path + strlen(dev));
	struct stat status;

	if (place && !stat(path, &status) && S_ISCHR(status.st_mode)) {
		add_bind(arguments, "--dev-bind", path, place);
		add_sysfs(roots->sys ? roots->sys : "/sys", status.st_rdev, arguments);
	}
	free(place);
}

void
kr_deliver_node_arguments(const struct kr_deliver_roots *roots, const char *const *nodes,
	size_t count, struct kr_words *arguments)
{
	const char *dev = roots->dev ? roots->dev : "/dev";

	for (size_t i = 0; i < count; i++) {
		/*
		 * Nothing but devices is shown, wherever a pattern leads; but not under odd names.
		 */
		char *pattern = strstr(nodes[i], "..") ? NULL : kr_asprintf("%s/%s", dev, nodes[i]);
		glob_t found = {0};

		if (pattern && !glob(pattern, 0, NULL, &found)) {
			for (size_t j = 0; j < found.gl_pathc; j++)
				add_node(roots, dev, found.gl_pathv[j], arguments);
		}
		globfree(&found);
		free(pattern);
	}
}
