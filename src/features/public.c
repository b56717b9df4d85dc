/* SPDX-License-Identifier: Apache-2.0 */
/* krafla/features.h: the system's features, asked once a process, and one device's. */
#include <krafla/features.h>

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features/system.h"
#include "util/log.h"
#include "util/macros.h"

#define LIBRARY "libvulkan.so.1"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool known KR_GUARDED_BY(lock);
/* KR_GUARDED_BY(lock) until it is known; then it stays. */
static struct kr_feature_declaration declarations[KR_FEATURE_NAMES];

/* The one that is loaded already. */
static bool
find_loaded(char path[PATH_MAX])
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD);
	struct link_map *map = NULL;
	bool found = library && !dlinfo(library, RTLD_DI_LINKMAP, &map) && map->l_name &&
		strlen(map->l_name) < PATH_MAX && *map->l_name;

	if (found)
		strcpy(path, map->l_name);
	if (library)
		dlclose(library);
	return found;
}

/* The one beside the library that this is a part of. */
static bool
find_beside(char path[PATH_MAX])
{
	Dl_info here;
	const char *slash;
	int length;

	if (!dladdr(&lock, &here) || !here.dli_fname)
		return false;
	slash = strrchr(here.dli_fname, '/');
	if (!slash)
		return false;
	length = snprintf(
		path, PATH_MAX, "%.*s/%s", (int)(slash - here.dli_fname), here.dli_fname, LIBRARY);
	return length > 0 && length < PATH_MAX;
}

static void
tell_overstated(const struct kr_feature_system *system)
{
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++) {
		const struct kr_feature_declaration *d = &system->declarations[i];
		char version[KR_FEATURE_VERSION_TEXT];

		if (kr_feature_is_overstated(system, d))
			kr_warn("a permission file declares %s in version %s, which no device here holds",
				d->name,
				kr_feature_version_text(d->name, d->file_version, version));
	}
}

static int
ask(struct kr_feature_system *system)
{
	char path[PATH_MAX], why[KR_FEATURE_WHY];
	int err = -ENOENT;

	if (find_loaded(path) || find_beside(path))
		err = kr_feature_system_ask(path, KR_FEATURE_ALL_DEVICES, system, why);
	if (err == -ENOENT)
		err = kr_feature_system_ask(LIBRARY, KR_FEATURE_ALL_DEVICES, system, why);
	if (err < 0)
		kr_warn("features of this system: %s", why);
	return err;
}

static bool
is_known(void)
{
	bool answer;

	pthread_mutex_lock(&lock);
	answer = known;
	pthread_mutex_unlock(&lock);
	return answer;
}

/* Drivers are asked without the lock: of threads that come together each may ask. */
static int
learn(void)
{
	struct kr_feature_system system;
	int err;

	if (is_known())
		return 0;
	err = ask(&system);
	if (err < 0)
		return err;
	tell_overstated(&system);
	pthread_mutex_lock(&lock);
	if (!known)
		memcpy(declarations, system.declarations, sizeof(declarations));
	known = true;
	pthread_mutex_unlock(&lock);
	kr_feature_system_finish(&system);
	return 0;
}

KR_EXPORT int
krafla_get_system_feature(const char *name, uint32_t *version)
{
	const struct kr_feature_declaration *declaration;
	int err;

	if (!name || !version)
		return -EINVAL;
	err = learn();
	if (err < 0)
		return err;
	declaration = kr_feature_find(declarations, name);
	if (!declaration || !declaration->declared)
		return 0;
	*version = declaration->version;
	return 1;
}

KR_EXPORT int
krafla_has_system_feature(const char *name, uint32_t version)
{
	uint32_t had;
	int has = krafla_get_system_feature(name, &had);

	return has == 1 ? had >= version : has;
}

KR_EXPORT int
krafla_device_has_feature(VkInstance instance, VkPhysicalDevice device,
	PFN_vkGetInstanceProcAddr get_instance_proc_addr, const char *name, uint32_t version)
{
	const struct kr_feature_source source = {
		.get_instance_proc_addr = get_instance_proc_addr,
		.instance = instance,
		.device = device,
	};
	struct kr_feature_facts facts;
	struct kr_feature_table *table;
	uint32_t had;
	bool has;
	VkResult result;

	if (!instance || !device || !get_instance_proc_addr || !name)
		return -EINVAL;
	table = malloc(sizeof(*table));
	if (!table)
		return -ENOMEM;
	result = kr_feature_ask(&source, &facts);
	if (result == VK_SUCCESS) {
		kr_feature_table_fill(
			table, &facts, facts.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU);
		has = kr_feature_table_find(table, name, &had) && had >= version;
		kr_feature_facts_finish(&facts);
	}
	free(table);
	if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
		return -ENOMEM;
	return result == VK_SUCCESS ? has : -EIO;
}
