/* SPDX-License-Identifier: Apache-2.0 */
/* All devices of a system: see system.h. */
#include "features/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[KR_FEATURE_NAMES] = {
	KR_FEATURE_NAME_LEVEL,
	KR_FEATURE_NAME_COMPUTE,
	KR_FEATURE_NAME_VERSION,
	KR_FEATURE_NAME_DEQP,
	"samplerYcbcrConversion",
	"storageBuffer8BitAccess",
	"dynamicRendering",
	"shaderTerminateInvocation",
	"pipelineCreationCacheControl",
};

static bool
all_are_cpus(const struct kr_feature_device *devices, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (devices[i].facts.properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
			return false;
	}
	return true;
}

/* The best of the devices that hold `level` (where it is declared at all). */
static void
declare_best(const struct kr_feature_device *devices, uint32_t count,
	const struct kr_feature_declaration *level, struct kr_feature_declaration *declaration)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t version = 0, its_level = 0;

		if (level && level->declared &&
			(!kr_feature_table_find(
				 &devices[i].table, KR_FEATURE_NAME_LEVEL, &its_level) ||
				its_level < level->version))
			continue;
		if (!kr_feature_table_find(&devices[i].table, declaration->name, &version) ||
			(declaration->declared && version < declaration->version))
			continue;
		declaration->declared = true;
		declaration->version = version;
	}
}

void
kr_feature_declare(const struct kr_feature_device *devices, uint32_t count,
	struct kr_feature_declaration declarations[KR_FEATURE_NAMES])
{
	/* The level comes first: the others are of devices that hold it. */
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++) {
		declarations[i] = (struct kr_feature_declaration){.name = names[i]};
		declare_best(devices, count, i ? &declarations[0] : NULL, &declarations[i]);
	}
}

struct kr_feature_declaration *
kr_feature_find(struct kr_feature_declaration declarations[KR_FEATURE_NAMES], const char *name)
{
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++) {
		if (!strcmp(declarations[i].name, name))
			return &declarations[i];
	}
	return NULL;
}

bool
kr_feature_has(struct kr_feature_declaration declarations[KR_FEATURE_NAMES], const char *name,
	uint32_t version)
{
	const struct kr_feature_declaration *declaration = kr_feature_find(declarations, name);

	return declaration && declaration->declared && declaration->version >= version;
}

static int
ask_device(struct kr_feature_system *system, uint32_t number, char why[KR_FEATURE_WHY])
{
	struct kr_feature_device *device = &system->devices[system->count];
	VkResult result;

	device->number = number;
	device->source = (struct kr_feature_source){
		.get_instance_proc_addr = system->session.get_instance_proc_addr,
		.instance = system->session.instance,
		.device = system->session.devices[number],
	};
	result = kr_feature_ask(&device->source, &device->facts);
	if (result != VK_SUCCESS) {
		snprintf(why, KR_FEATURE_WHY, "device %u doesn't say what it has (VkResult %d)",
			number, (int)result);
		return -EIO;
	}
	system->count++;
	return 0;
}

static int
ask_devices(struct kr_feature_system *system, long only, char why[KR_FEATURE_WHY])
{
	uint32_t count = system->session.count;
	int err = 0;

	if (!count) {
		snprintf(why, KR_FEATURE_WHY, "there is no Vulkan device here");
		return -ENODEV;
	}
	if (only != KR_FEATURE_ALL_DEVICES && (only < 0 || only >= (long)count)) {
		snprintf(why, KR_FEATURE_WHY, "there is no device %ld: there are %u, from 0 on",
			only, count);
		return -ERANGE;
	}
	system->devices = calloc(count, sizeof(*system->devices));
	if (!system->devices) {
		snprintf(why, KR_FEATURE_WHY, "out of memory");
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count && !err; i++) {
		if (only == KR_FEATURE_ALL_DEVICES || only == (long)i)
			err = ask_device(system, i, why);
	}
	return err;
}

int
kr_feature_system_ask(
	const char *path, long device, struct kr_feature_system *system, char why[KR_FEATURE_WHY])
{
	struct kr_feature_system asked = {0};
	bool only_cpus;
	int err = kr_feature_session_open(path, &asked.session, why);

	if (err < 0)
		return err;
	err = ask_devices(&asked, device, why);
	if (err < 0) {
		kr_feature_system_finish(&asked);
		return err;
	}
	only_cpus = all_are_cpus(asked.devices, asked.count);
	for (uint32_t i = 0; i < asked.count; i++)
		kr_feature_table_fill(&asked.devices[i].table, &asked.devices[i].facts, only_cpus);
	kr_feature_declare(asked.devices, asked.count, asked.declarations);
	*system = asked;
	return 0;
}

void
kr_feature_system_finish(struct kr_feature_system *system)
{
	for (uint32_t i = 0; i < system->count; i++)
		kr_feature_facts_finish(&system->devices[i].facts);
	free(system->devices);
	kr_feature_session_close(&system->session);
	*system = (struct kr_feature_system){0};
}
