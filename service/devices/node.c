/* SPDX-License-Identifier: Apache-2.0 */
/* What a node of the device directory is: see devices.h. */
#include "service/devices/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "service/loop/shortage.h"
#include "util/clock.h"

#define DRM_MAJOR       226 /* Documentation/admin-guide/devices.txt of Linux */
#define DRIVER_NAME_MAX 63
#define YOUTH           KR_NSEC_PER_SEC /* devices.h: `young` */

/* struct drm_version and DRM_IOCTL_VERSION of Linux's include/uapi/drm/drm.h, typed anew. */
struct drm_version {
	int major;
	int minor;
	int patch;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};
#define DRM_VERSION _IOWR('d', 0x00, struct drm_version)

bool
kr_node_fits(const char *pattern, const char *path)
{
	const char *star = NULL, *again = path;

	while (*path) {
		if (*pattern == '*') {
			star = ++pattern;
			again = path;
		} else if (*pattern == *path) {
			pattern++;
			path++;
		} else if (star && *again != '/') {
			pattern = star;
			path = ++again;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool
kr_node_is_drm(const char *path)
{
	return !strncmp(path, "dri/", 4);
}

/* Of an error, as of a file that isn't there, nobody says it; unless it is a shortage. */
static int
pass_shortage(int err)
{
	return kr_is_shortage(err) ? err : 0;
}

static int
copy(const char *text, char **driver)
{
	*driver = strdup(text);
	return *driver ? 0 : -ENOMEM;
}

static int
driver_by_link(const char *sys, const char *name, char **driver)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *slash;
	ssize_t len;

	if (snprintf(path, sizeof(path), "%s/class/drm/%s/device/driver", sys, name) >=
		(int)sizeof(path))
		return 0;
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return 0;
	target[len] = '\0';
	slash = strrchr(target, '/');
	return copy(slash ? slash + 1 : target, driver);
}

/* The line DRIVER= of the device's uevent file, for a tree that has no links. */
static int
driver_by_uevent(const char *sys, const char *name, char **driver)
{
	char path[PATH_MAX], line[256];
	FILE *file;
	int ret = 0;

	if (snprintf(path, sizeof(path), "%s/class/drm/%s/device/uevent", sys, name) >=
		(int)sizeof(path))
		return 0;
	file = fopen(path, "re");
	if (!file)
		return pass_shortage(-errno);
	while (!ret && !*driver && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "DRIVER=", 7) && line[7])
			ret = copy(line + 7, driver);
	}
	fclose(file);
	return ret;
}

/* Opening may wake the device up, so this is for nodes of which sysfs says nothing. */
static int
driver_by_ioctl(const char *dev, const char *path, char **driver)
{
	char full[PATH_MAX], name[DRIVER_NAME_MAX + 1] = "";
	struct drm_version version = {.name_len = DRIVER_NAME_MAX, .name = name};
	struct stat status;
	int fd, ret = 0;

	if (snprintf(full, sizeof(full), "%s/%s", dev, path) >= (int)sizeof(full) ||
		lstat(full, &status) || !S_ISCHR(status.st_mode) ||
		major(status.st_rdev) != DRM_MAJOR)
		return 0;
	fd = open(full, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return pass_shortage(-errno);
	if (!ioctl(fd, DRM_VERSION, &version) && name[0])
		ret = copy(name, driver);
	close(fd);
	return ret;
}

int
kr_node_kernel_driver(const struct kr_config *config, const char *path, char **driver)
{
	const char *name = strrchr(path, '/');
	int ret;

	*driver = NULL;
	if (!kr_node_is_drm(path))
		return 0;
	ret = driver_by_link(config->sys, name + 1, driver);
	if (!ret && !*driver)
		ret = driver_by_uevent(config->sys, name + 1, driver);
	if (!ret && !*driver)
		ret = driver_by_ioctl(config->dev, path, driver);
	return ret;
}

/* A file of one line; `format` takes one or two numbers of it. */
static int
read_numbers(const char *sys, const char *name, const char *file_name, const char *format,
	uint32_t *first, uint32_t *second)
{
	char path[PATH_MAX], line[64] = "";
	FILE *file;

	if (snprintf(path, sizeof(path), "%s/class/drm/%s/%s", sys, name, file_name) >=
		(int)sizeof(path))
		return 0;
	file = fopen(path, "re");
	if (!file)
		return pass_shortage(-errno);
	if (fgets(line, sizeof(line), file) &&
		sscanf(line, format, first, second) != (second ? 2 : 1)) {
		*first = 0;
		if (second)
			*second = 0;
	}
	fclose(file);
	return 0;
}

int
kr_node_find_ids(
	const struct kr_config *config, const struct kr_node *node, struct kr_node_ids *ids)
{
	const char *name = strrchr(node->path, '/');
	struct kr_node_ids found = {.major = node->identity.major, .minor = node->identity.minor};
	int ret = 0;

	if (!kr_node_is_drm(node->path))
		return 0;
	if (!found.major)
		ret = read_numbers(config->sys, name + 1, "dev", "%" SCNu32 ":%" SCNu32,
			&found.major, &found.minor);
	if (!ret)
		ret = read_numbers(config->sys, name + 1, "device/vendor", "0x%" SCNx32,
			&found.pci_vendor, NULL);
	if (!ret && found.pci_vendor)
		ret = read_numbers(config->sys, name + 1, "device/device", "0x%" SCNx32,
			&found.pci_device, NULL);
	if (!ret)
		*ids = found;
	return ret;
}

int64_t
kr_node_grown_up(const struct kr_node *node)
{
	return node->since + YOUTH;
}

void
kr_node_free(struct kr_node *node)
{
	kr_list_remove(&node->link);
	free(node->path);
	free(node->kernel_driver);
	free(node);
}
