/* SPDX-License-Identifier: Apache-2.0 */
/* All devices of a system: see system.h. */
#include "features/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features/installed.h"
#include "manifest/profile.h"

static bool
all_are_cpus(const struct kr_feature_device *devices, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (devices[i].facts.properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
			return false;
	}
	return true;
}

/* No device answers for deqp.level: without results it is as the files say. */
static bool
is_checked(const struct kr_feature_declaration *declaration)
{
	return declaration->held || strcmp(declaration->name, KR_FEATURE_NAME_DEQP) != 0;
}

bool
kr_feature_is_overstated(
	const struct kr_feature_system *system, const struct kr_feature_declaration *declaration)
{
	return system->by_files && declaration->in_files && is_checked(declaration) &&
		(!declaration->held || declaration->held_version < declaration->file_version);
}

/* What is declared, of what devices hold and what files say. */
static void
settle(const struct kr_feature_system *system, struct kr_feature_declaration *declaration)
{
	declaration->declared = declaration->held;
	declaration->version = declaration->held_version;
	if (!system->by_files || !kr_feature_is_permission(declaration->name))
		return;
	if (!is_checked(declaration)) {
		declaration->declared = declaration->in_files;
		declaration->version = declaration->file_version;
		return;
	}
	declaration->declared &= declaration->in_files;
	declaration->version = KR_MIN(declaration->version, declaration->file_version);
}

/* The best of the devices that hold `level` (where it is declared at all). */
static void
declare_best(const struct kr_feature_device *devices, uint32_t count,
	const struct kr_feature_declaration *level, struct kr_feature_declaration *declaration)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t version = 0, its_level = 0;

		if (level && level->held &&
			(!kr_feature_table_find(
				 &devices[i].table, KR_FEATURE_NAME_LEVEL, &its_level) ||
				its_level < level->held_version))
			continue;
		if (!kr_feature_table_find(&devices[i].table, declaration->name, &version) ||
			(declaration->held && version < declaration->held_version))
			continue;
		declaration->held = true;
		declaration->held_version = version;
	}
}

void
kr_feature_system_declare(struct kr_feature_system *system)
{
	struct kr_feature_declaration *level = &system->declarations[0];

	kr_feature_declarations_init(system->declarations);
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++) {
		declare_best(
			system->devices, system->count, i ? level : NULL, &system->declarations[i]);
	}
	if (kr_profile_get()->permission_files)
		system->by_files = kr_feature_read_installed(system->declarations);
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++)
		settle(system, &system->declarations[i]);
}

void
kr_feature_hold(struct kr_feature_system *system, const char *name, bool held, uint32_t version)
{
	struct kr_feature_declaration *declaration = kr_feature_find(system->declarations, name);

	if (!declaration)
		return;
	declaration->held = held;
	declaration->held_version = version;
	settle(system, declaration);
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
		snprintf(why, KR_FEATURE_WHY,
			"there is no Vulkan device here; 'krafla explain' lists the drivers that were found");
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
	kr_feature_system_declare(&asked);
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
