/* SPDX-License-Identifier: Apache-2.0 */
/* L-02: each entry point arrives at its own entry of the table behind its first argument. */
#include "harness.h"
#include <string.h>
#include "gen/commands.h"
#include "gen/tables.h"
#include "gen/trampolines.h"
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

/* Only the command's own entry isn't NULL: whoever took another one would crash. */
static void
each_takes_its_own_entry(void **state)
{
	size_t count = 0;

	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		struct kr_instance_table instance = {0};
		struct kr_device_table device = {0};
		bool of_device = kr_commands[i].level == KR_LEVEL_DEVICE;
		void *table = of_device ? (void *)&device : (void *)&instance;
		void *object[] = {table};
		uint64_t (*entry)(const void *) = witness;
		uint64_t (*call)(const void *, size_t, size_t, size_t, size_t, size_t);

		assert_non_null(kr_trampolines[i]);
		if (is_hand_written(kr_trampolines[i]))
			continue;
		memcpy((char *)table + kr_commands[i].table_offset, &entry, sizeof(entry));
		memcpy(&call, &kr_trampolines[i], sizeof(call));
		arrived = NULL;
		assert_true((uint32_t)call(object, 0, 0, 0, 0, 0) == 42);
		assert_ptr_equal(arrived, object);
		count++;
	}
	assert_int_equal(count + KR_ARRAY_LEN(hand_written), KR_COMMAND_COUNT);
}

static const struct kr_test tests[] = {
	KR_TEST(each_takes_its_own_entry),
};

KR_TEST_MAIN(tests)
