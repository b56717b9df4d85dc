/* SPDX-License-Identifier: Apache-2.0 */
/* Each entry point arrives at its own entry of the table behind its first argument. */
#include "harness.h"
#include <string.h>
#include "gen/commands.h"
#include "gen/tables.h"
#include "gen/trampolines.h"
#include "loader/handles/live.h"
#include "stand_ins.h"
#include "util/macros.h"

/* Written by hand in src/entry; see stand_ins.c. */
static const PFN_vkVoidFunction hand_written[] = {
	(PFN_vkVoidFunction)vkCreateInstance,
	(PFN_vkVoidFunction)vkDestroyInstance,
	(PFN_vkVoidFunction)vkEnumerateInstanceExtensionProperties,
	(PFN_vkVoidFunction)vkEnumerateInstanceLayerProperties,
	(PFN_vkVoidFunction)vkEnumerateInstanceVersion,
	(PFN_vkVoidFunction)vkGetInstanceProcAddr,
	(PFN_vkVoidFunction)vkGetDeviceProcAddr,
	(PFN_vkVoidFunction)vkCreateDevice,
	(PFN_vkVoidFunction)vkDestroyDevice,
	(PFN_vkVoidFunction)vkEnumerateDeviceExtensionProperties,
	(PFN_vkVoidFunction)vkEnumerateDeviceLayerProperties,
};

static bool
is_hand_written(PFN_vkVoidFunction function)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(hand_written); i++) {
		if (hand_written[i] == function)
			return true;
	}
	return false;
}

static const void *arrived;

static uint64_t
witness(const void *first)
{
	arrived = first;
	return 42;
}

/* Lists that come without a result: what they leave in its place says nothing. */
static bool
has_result(enum kr_command_id id)
{
	return !strstr(kr_commands[id].name, "QueueFamilyProperties") &&
		!strstr(kr_commands[id].name, "SparseImageFormatProperties");
}

/*
 * Calls a trampoline with an object of this table, in whose entry of the command
 * alone stands something.
 */
static void
call(enum kr_command_id id, void *table, bool wrong)
{
	void *object[] = {table};
	uint64_t (*entry)(const void *) = witness;
	uint64_t (*function)(const void *, size_t, size_t, size_t, size_t, size_t);

	memcpy((char *)table + kr_commands[id].table_offset, &entry, sizeof(entry));
	memcpy(&function, &kr_trampolines[id], sizeof(function));
	arrived = NULL;
	if (wrong)
		function(NULL, 0, 0, 0, 0, 0);
	assert_true((uint32_t)function(object, 0, 0, 0, 0, 0) == 42 || !has_result(id));
	assert_ptr_equal(arrived, object);
}

/* L-02: only the command's own entry isn't NULL: whoever took another one would crash. */
static void
each_takes_its_own_entry(void **state)
{
	size_t count = 0;

	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		struct kr_instance_table instance = {0};
		struct kr_device_table device = {.magic = KR_DEVICE_MAGIC};
		bool of_device = kr_commands[i].level == KR_LEVEL_DEVICE;

		assert_non_null(kr_trampolines[i]);
		if (is_hand_written(kr_trampolines[i]))
			continue;
		stand_in_listed = &instance;
		call(i, of_device ? (void *)&device : (void *)&instance, false);
		/* And without asking the list. */
		stand_in_listed = NULL;
		*kr_live_slot(&instance) = &instance;
		call(i, of_device ? (void *)&device : (void *)&instance, false);
		*kr_live_slot(&instance) = NULL;
		count++;
	}
	assert_int_equal(count + KR_ARRAY_LEN(hand_written), KR_COMMAND_COUNT);
}

static jmp_buf refused;
static enum kr_command_id refused_id;

static void
refuse(enum kr_command_id id)
{
	refused_id = id;
	longjmp(refused, 1);
}

/* K-27 */
static void
each_refuses_what_is_not_ours(void **state)
{
	stand_in_invalid = refuse;
	for (volatile size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		struct kr_instance_table instance = {.magic = KR_INSTANCE_MAGIC};
		struct kr_device_table device = {.magic = ~KR_DEVICE_MAGIC};
		bool of_device = kr_commands[i].level == KR_LEVEL_DEVICE;

		if (is_hand_written(kr_trampolines[i]))
			continue;
		for (volatile int null = 0; null < 2; null++) {
			refused_id = KR_COMMAND_COUNT;
			if (!setjmp(refused))
				call(i, of_device ? (void *)&device : (void *)&instance, null);
			assert_int_equal(refused_id, i);
		}
	}
}

static const struct kr_test tests[] = {
	KR_TEST(each_takes_its_own_entry),
	KR_TEST(each_refuses_what_is_not_ours),
};

KR_TEST_MAIN(tests)
