/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which drivers are checked: the one that was named, or those that the loader would find. To find
 * them is to open them, so that it is done in a process of its own, which tells by a pipe.
 */
#include "check/run/question.h"
#include "check/run/run.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/run/words.h"
#include "discover/discover.h"
#include "manifest/driver_manifest.h"
#include "manifest/elf_file.h"
#include "util/library.h"
#include "util/text.h"

#define LOAD_S     CHECK_TIMEOUT_S
#define FIND_S     30
#define FOUND_SIZE (64 << 10)

static int
refuse(char **reason, int error, char *take_sentence)
{
	*reason = take_sentence;
	return take_sentence ? error : -ENOMEM;
}

/* What the library is, seen in a process of its own: its constructors are the driver's. */
static void
look_at_library(int out, const void *data)
{
	const char *path = data, *error = NULL, *kind = "none";
	void *dso = kr_library_load(path, RTLD_NOW | RTLD_LOCAL, &error);

	if (!dso) {
		dprintf(out, "it can't be loaded: %s", error);
		return;
	}
	if (dlsym(dso, HAL_MODULE_INFO_SYM_AS_STR))
		kind = "hal";
	else if (dlsym(dso, "vk_icdGetInstanceProcAddr"))
		kind = "icd";
	(void)!write(out, kind, strlen(kind));
}

/* A sentence that is given away becomes one about the driver. */
static int
refuse_driver(char **reason, int error, const char *path, char *take_why)
{
	char *why = take_why;
	int ret = refuse(reason, error, kr_asprintf("%s can't be used: %s", path, why ? why : ""));

	free(why);
	return ret;
}

static int
check_library(const char *path, bool *is_hal, char **reason)
{
	const struct check_question question = {look_at_library, path, LOAD_S};
	char text[1024], *why = NULL;
	int ret = kr_elf_check(path, &why);

	if (!ret)
		ret = check_question_answer(&question, text, sizeof(text), &why);
	if (ret)
		return refuse_driver(reason, ret, path, why);
	check_clean(text, sizeof(text));
	*is_hal = !strcmp(text, "hal");
	if (*is_hal || !strcmp(text, "icd"))
		return 0;
	if (strcmp(text, "none") != 0)
		return refuse_driver(reason, -ELIBACC, path, strdup(text));
	return refuse(reason, -EINVAL,
		kr_asprintf(
			"%s is no driver: it has neither the symbol HMI of a HAL module nor vk_icdGetInstanceProcAddr",
			path));
}

static int
name_icd(const char *path, const char *adapter, struct check_driver *driver, char **reason)
{
	if (!adapter)
		return refuse(reason, -ENOENT,
			kr_asprintf(
				"%s is a Linux driver, which is checked through Krafla's adapter, and vulkan.adapter.so isn't beside this krafla",
				path));
	driver->module = adapter;
	driver->icd = path;
	return 0;
}

static int
name_manifest(const char *path, const char *adapter, struct check_driver *driver, char **reason)
{
	struct kr_manifest_driver manifest;
	char *why = NULL;
	int ret = kr_manifest_driver_read(path, &manifest, &why);
	bool is_hal;

	if (ret)
		return refuse_driver(reason, ret, path, why ? why : strdup(strerror(-ret)));
	/* A bare name is looked for by the dynamic linker, when the adapter opens it. */
	ret = strchr(manifest.library_path, '/')
		? check_library(manifest.library_path, &is_hal, reason)
		: 0;
	kr_manifest_driver_finish(&manifest);
	return ret ? ret : name_icd(path, adapter, driver, reason);
}

int
check_driver_named(
	const char *path, const char *adapter, struct check_driver *driver, char **reason)
{
	struct stat status;
	bool is_hal;
	int ret;

	*driver = (struct check_driver){.name = path, .module = path};
	if (stat(path, &status))
		return refuse(reason, -errno, kr_asprintf("%s: %s", path, strerror(errno)));
	if (!S_ISREG(status.st_mode))
		return refuse(reason, -ENODEV, kr_asprintf("%s is no file", path));
	if (kr_has_suffix(path, ".json"))
		return name_manifest(path, adapter, driver, reason);
	ret = check_library(path, &is_hal, reason);
	if (ret || is_hal)
		return ret;
	return name_icd(path, adapter, driver, reason);
}

/* In the child: a line "hal PATH" or "icd PATH" for each, behind one that says that all is well. */
static void
tell_drivers(int fd, const void *data)
{
	struct kr_driver_list list = {.drivers = KR_LIST_INITIALIZER(list.drivers),
		.candidates = KR_LIST_INITIALIZER(list.candidates)};
	const struct kr_discover_options options = {
		.sources = KR_DISCOVER_HAL | KR_DISCOVER_MANIFESTS};
	const struct kr_driver *driver;

	dprintf(fd, "looked\n");
	if (kr_discover_drivers(&options, &list))
		return;
	kr_list_for_each (driver, &list.drivers, link) {
		const char *path = driver->source == KR_DRIVER_MANIFEST ? driver->manifest_path
									: driver->library_path;

		if (path &&
			(driver->source == KR_DRIVER_MANIFEST || driver->source == KR_DRIVER_HAL))
			dprintf(fd, "%s %s\n", driver->source == KR_DRIVER_HAL ? "hal" : "icd",
				path);
	}
}

static int
parse_drivers(const char *adapter, struct check_found *found)
{
	char *rest = found->texts, *line;

	found->drivers = calloc(strlen(found->texts) + 1, sizeof(*found->drivers));
	if (!found->drivers)
		return -ENOMEM;
	while ((line = strsep(&rest, "\n"))) {
		struct check_driver *driver = &found->drivers[found->count];
		bool icd = !strncmp(line, "icd ", 4);

		if (!icd && strncmp(line, "hal ", 4) != 0)
			continue;
		if (icd && !adapter)
			continue;
		driver->name = line + 4;
		driver->module = icd ? adapter : driver->name;
		driver->icd = icd ? driver->name : NULL;
		found->count++;
	}
	return 0;
}

int
check_drivers_find(const char *adapter, struct check_found *found, char **reason)
{
	const struct check_question question = {tell_drivers, NULL, FIND_S};
	char *why = NULL;
	int ret;

	*found = (struct check_found){.texts = calloc(1, FOUND_SIZE)};
	if (!found->texts)
		return -ENOMEM;
	ret = check_question_answer(&question, found->texts, FOUND_SIZE, &why);
	if (ret) {
		ret = refuse(reason, ret,
			kr_asprintf(
				"the drivers of this machine can't be looked for: %s; name one, 'krafla explain' says which can't be used",
				why ? why : ""));
		free(why);
	}
	if (!ret)
		ret = parse_drivers(adapter, found);
	if (!ret && !found->count)
		ret = refuse(reason, -ENODEV,
			strdup("this machine has no driver: name one; 'krafla explain' says what was looked at"));
	if (ret)
		check_drivers_free(found);
	return ret;
}

void
check_drivers_free(struct check_found *found)
{
	free(found->drivers);
	free(found->texts);
	*found = (struct check_found){0};
}
