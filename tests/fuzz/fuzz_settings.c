/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the settings file, as a program finds it below the directory for configuration. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "manifest/settings.h"

#define FILE_NAME "vulkan/loader_settings.d/vk_loader_settings.json"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/fuzz-settings-XXXXXX";
static char path[sizeof(dir) + sizeof(FILE_NAME)];
static pid_t owner;

static void
check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_settings: %s\n", what);
	abort();
}

static void
remove_all(void)
{
	if (getpid() != owner)
		return;
	for (unlink(path); strlen(path) >= strlen(dir); *strrchr(path, '/') = '\0')
		rmdir(path);
}

static void
make_file(void)
{
	owner = getpid();
	check(mkdtemp(dir), "mkdtemp");
	snprintf(path, sizeof(path), "%s/" FILE_NAME, dir);
	for (char *slash = path + strlen(dir); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
	atexit(remove_all);
}

static void
put(const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size, "write");
	close(fd);
}

/* Nothing but the file decides. */
static const char *
no_variable(const char *name)
{
	return strcmp(name, "XDG_CONFIG_DIRS") ? NULL : dir;
}

static void
check_settings(const struct kr_settings *settings)
{
	check(settings->path ||
			(!settings->has_layers && !settings->layer_count &&
				!settings->driver_count && !settings->device_count),
		"settings without a file");
	check(settings->has_layers || !settings->layer_count, "layers in no list");
	for (size_t i = 0; i < settings->layer_count; i++)
		check(settings->layers[i].name ||
				settings->layers[i].control == KR_CONTROL_UNORDERED,
			"a layer without a name");
	for (size_t i = 0; i < settings->driver_count; i++)
		check(settings->driver_paths[i], "a driver without a path");
	for (size_t i = 0; i < settings->device_count; i++) {
		const struct kr_settings_device *device = &settings->devices[i];

		check(memchr(device->device_name, 0, sizeof(device->device_name)) &&
				memchr(device->driver_name, 0, sizeof(device->driver_name)),
			"a name");
		check(device->has_device_uuid || device->has_driver_uuid ||
				device->has_driver_version || device->device_name[0] ||
				device->driver_name[0],
			"a device of no kind");
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct kr_search_options options = {.env_get = no_variable, .sysconfdir = "/nowhere"};
	struct kr_settings settings;

	if (!owner)
		make_file();
	put(data, size);
	check(!kr_settings_read(&options, &settings), "out of memory");
	check_settings(&settings);
	kr_settings_finish(&settings);
	return 0;
}
