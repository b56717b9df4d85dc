/* SPDX-License-Identifier: Apache-2.0 */
/* Which slot has which name, and which function stands behind it. */
#include "loader/names/unknown_functions.h"

#include <stdlib.h>
#include <string.h>

#include "layers/layers.h"
#include "loader/drivers/drivers.h"
#include "loader/handles/unknown_layout.h"
#include "util/alloc.h"
#include "util/log.h"

/* What unknown_slots.S relies on. */
_Static_assert(
	sizeof(PFN_vkVoidFunction) * KR_UNKNOWN_SLOTS == KR_UNKNOWN_BYTES || !KR_UNKNOWN_SLOT_SIZE,
	"a function is 8 bytes");
#define STANDS_BEFORE_TABLE(type)                                                                  \
	_Static_assert(offsetof(struct type, table) - offsetof(struct type, unknown) ==            \
			sizeof(((struct type *)0)->unknown),                                       \
		"functions stand right before the table")
STANDS_BEFORE_TABLE(kr_instance);
STANDS_BEFORE_TABLE(kr_device);
STANDS_BEFORE_TABLE(kr_instance_driver);
_Static_assert(!KR_UNKNOWN_SLOT_SIZE ||
		(offsetof(struct kr_physical_device, handle) == KR_PHYSICAL_DEVICE_HANDLE &&
			offsetof(struct kr_physical_device, driver) == KR_PHYSICAL_DEVICE_DRIVER),
	"physical devices");

extern const char kr_unknown_slots[], kr_unknown_terminators[];

/* Called by the assembly. */
PFN_vkVoidFunction kr_unknown_resolve(const void *object, uint32_t index);
PFN_vkVoidFunction kr_unknown_resolve_below(
	const struct kr_physical_device *device, uint32_t index);

static PFN_vkVoidFunction
slot(const char *slots, size_t size, int index)
{
	uintptr_t address = (uintptr_t)slots + size * (size_t)index;

	return index < 0 || !size ? NULL : (PFN_vkVoidFunction)address;
}

static int
find_locked(const struct kr_unknown_names *names, const char *name)
{
	for (uint32_t i = 0; i < names->count; i++) {
		if (!strcmp(names->items[i], name))
			return (int)i;
	}
	return -1;
}

static int
find(struct kr_instance *instance, const struct kr_unknown_names *names, const char *name)
{
	int index;

	kr_mutex_lock(&instance->lock);
	index = find_locked(names, name);
	kr_mutex_unlock(&instance->lock);
	return index;
}

static char *
copy_name(const struct kr_instance *instance, const char *name)
{
	size_t size = strlen(name) + 1;
	char *copy = kr_zalloc(instance->allocator, size, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);

	return copy ? memcpy(copy, name, size) : NULL;
}

/* The place of a name, also when another thread has given it one; -1 without room or memory. */
static int
add(struct kr_instance *instance, struct kr_unknown_names *names, const char *name)
{
	char *copy;
	int index;

	kr_mutex_lock(&instance->lock);
	index = find_locked(names, name);
	if (index < 0 && names->count < KR_UNKNOWN_SLOTS) {
		copy = copy_name(instance, name);
		if (copy) {
			index = (int)names->count++;
			names->items[index] = copy;
		}
	}
	kr_mutex_unlock(&instance->lock);
	if (index < 0)
		kr_error(
			"%s: no place is left for another function that this loader doesn't know (there are %d of each kind in an instance)",
			name, KR_UNKNOWN_SLOTS);
	return index;
}

/* The driver's function for physical devices, or NULL. */
static PFN_vkVoidFunction
ask_driver(const struct kr_instance_driver *driver, const char *name)
{
	PFN_GetPhysicalDeviceProcAddr get =
		driver->handle ? driver->driver->driver->get_physical_device_proc_addr : NULL;

	return get ? get(driver->handle, name) : NULL;
}

static bool
some_driver_has(const struct kr_instance *instance, const char *name)
{
	for (uint32_t i = 0; i < kr_instance_driver_count(instance); i++) {
		if (ask_driver(instance->drivers[i], name))
			return true;
	}
	return false;
}

/* A name that isn't a physical device's and yet is known to a driver's instance is a device's. */
static bool
some_driver_has_for_devices(const struct kr_instance *instance, const char *name)
{
	for (uint32_t i = 0; i < kr_instance_driver_count(instance); i++) {
		const struct kr_instance_driver *driver = instance->drivers[i];

		if (driver->handle && driver->get_instance_proc_addr(driver->handle, name))
			return true;
	}
	return false;
}

/* Of the first layer that has such functions at all: it asks those below it. */
static PFN_vkVoidFunction
ask_layers(const struct kr_instance *instance, const char *name)
{
	const struct kr_layer_chain *chain = instance->chain;

	for (uint32_t i = 0; chain && i < chain->count; i++) {
		if (chain->layers[i].get_physical_device_proc_addr)
			return chain->layers[i].get_physical_device_proc_addr(
				instance->handle, name);
	}
	return NULL;
}

static bool
some_layer_has_for_devices(const struct kr_instance *instance, const char *name)
{
	const struct kr_layer_chain *chain = instance->chain;

	return chain && chain->layers[0].get_instance_proc_addr(instance->handle, name);
}

PFN_vkVoidFunction
kr_unknown_find(struct kr_instance *instance, const char *name)
{
	struct kr_unknown_names *names = &instance->unknown_physical_device_names;
	int index;

	if (!KR_UNKNOWN_SLOT_SIZE)
		return NULL;
	/* Below the layers a name may have a place that the layers have nothing to do with. */
	if (ask_layers(instance, name) || some_driver_has(instance, name)) {
		index = add(instance, names, name);
		return slot(kr_unknown_slots, KR_UNKNOWN_SLOT_SIZE, index);
	}
	names = &instance->unknown_device_names;
	index = find(instance, names, name);
	if (index < 0 &&
		(some_driver_has_for_devices(instance, name) ||
			some_layer_has_for_devices(instance, name)))
		index = add(instance, names, name);
	return slot(kr_unknown_slots, KR_UNKNOWN_SLOT_SIZE, index);
}

PFN_vkVoidFunction
kr_unknown_find_physical_device_below(struct kr_instance *instance, const char *name)
{
	struct kr_unknown_names *names = &instance->unknown_physical_device_names;

	if (!KR_UNKNOWN_SLOT_SIZE || !some_driver_has(instance, name))
		return NULL;
	return slot(kr_unknown_terminators, KR_UNKNOWN_TERMINATOR_SIZE, add(instance, names, name));
}

PFN_vkVoidFunction
kr_unknown_find_below(struct kr_instance *instance, const char *name)
{
	PFN_vkVoidFunction function = kr_unknown_find_physical_device_below(instance, name);
	struct kr_unknown_names *names = &instance->unknown_device_names;

	if (function || !KR_UNKNOWN_SLOT_SIZE || !some_driver_has_for_devices(instance, name))
		return function;
	return slot(kr_unknown_slots, KR_UNKNOWN_SLOT_SIZE, add(instance, names, name));
}

void
kr_unknown_finish(struct kr_instance *instance)
{
	struct kr_unknown_names *both[] = {
		&instance->unknown_physical_device_names, &instance->unknown_device_names};

	for (size_t i = 0; i < KR_ARRAY_LEN(both); i++) {
		while (both[i]->count)
			kr_free(instance->allocator, both[i]->items[--both[i]->count]);
	}
}

/* Stays valid: names are only added. */
static const char *
name_of(struct kr_instance *instance, const struct kr_unknown_names *names, uint32_t index)
{
	const char *name;

	kr_mutex_lock(&instance->lock);
	name = index < names->count ? names->items[index] : NULL;
	kr_mutex_unlock(&instance->lock);
	return name ? name : "of another instance";
}

/* Nothing can be returned to a caller whose function has an unknown type. */
static _Noreturn void
give_up(const char *name, const char *what)
{
	kr_log(KR_LOG_ERROR | KR_LOG_FATAL, "Function %s not supported for this %s", name, what);
	abort();
}

static PFN_vkVoidFunction
resolve_of_device(struct kr_device *device, uint32_t index)
{
	const char *name =
		name_of(device->instance, &device->instance->unknown_device_names, index);
	PFN_vkVoidFunction function = device->table.GetDeviceProcAddr(device->top, name);

	if (!function)
		give_up(name, "device");
	device->unknown[index] = function;
	return function;
}

static PFN_vkVoidFunction
resolve_of_instance(struct kr_instance *instance, uint32_t index)
{
	PFN_vkVoidFunction function = ask_layers(
		instance, name_of(instance, &instance->unknown_physical_device_names, index));

	if (!function)
		function = slot(kr_unknown_terminators, KR_UNKNOWN_TERMINATOR_SIZE, (int)index);
	instance->unknown[index] = function;
	return function;
}

PFN_vkVoidFunction
kr_unknown_resolve(const void *object, uint32_t index)
{
	struct kr_instance *instance;
	uint64_t magic;

	memcpy(&magic, *(const void *const *)object, sizeof(magic));
	if (magic == KR_DEVICE_MAGIC)
		return resolve_of_device(kr_device_from_dispatchable(object), index);
	instance = kr_instance_from_dispatchable(object);
	/* A device that a layer made is unwrapped as by any terminator (foreign.h). */
	if (kr_instance_table_of(object) != &instance->table)
		return slot(kr_unknown_terminators, KR_UNKNOWN_TERMINATOR_SIZE, (int)index);
	return resolve_of_instance(instance, index);
}

/* Gives the terminator again, which now finds the function. */
PFN_vkVoidFunction
kr_unknown_resolve_below(const struct kr_physical_device *device, uint32_t index)
{
	struct kr_instance_driver *owner = device->owner;
	PFN_vkVoidFunction function;
	struct kr_instance *instance;
	const char *name;

	if (!owner) {
		(void)resolve_of_instance(kr_instance_from_dispatchable(device), index);
	} else {
		instance = owner->instance;
		name = name_of(instance, &instance->unknown_physical_device_names, index);
		function = ask_driver(owner, name);
		if (!function)
			give_up(name, "physical device");
		owner->unknown[index] = function;
	}
	return slot(kr_unknown_terminators, KR_UNKNOWN_TERMINATOR_SIZE, (int)index);
}
