/* SPDX-License-Identifier: Apache-2.0 */
/* Environment and innards of the stack under test: see stack.h. */
#include "stack.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "tests/integration/programs/spawn.h"

/* "given": the driver that VK_DRIVER_FILES named at first. */
static const char *
given_driver(void)
{
	static char kept[1024];
	const char *wanted = getenv("KRAFLA_TEST_DRIVER"), *named = getenv("VK_DRIVER_FILES");

	if (!wanted || strcmp(wanted, "given"))
		return NULL;
	if (!kept[0] && named)
		snprintf(kept, sizeof(kept), "%s", named);
	return kept;
}

static void
hide_surroundings(void)
{
	static const char *const unset[] = {"VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES",
		"VK_INSTANCE_LAYERS", "VK_ADD_LAYER_PATH", "VK_LOADER_DEBUG", "KRAFLA_WSI",
		"KRAFLA_DISPLAY", "KRAFLA_PROPERTIES", "KRAFLA_PROP_ro_hardware_vulkan",
		"KRAFLA_NULL_RELEASE", "KRAFLA_NULL_DRIVER", "DISPLAY", "WAYLAND_DISPLAY"};

	for (size_t i = 0; i < sizeof(unset) / sizeof(unset[0]); i++)
		unsetenv(unset[i]);
	setenv("KRAFLA_HAL_PATH", TEST_HAL_DIR, 1);
	setenv("KRAFLA_OUTPUT_PATH", TEST_OUTPUT_DIR, 1);
	setenv("VK_DRIVER_FILES", "/nonexistent", 1);
}

static const char *
real_driver(void)
{
	static const char *const swiftshader = "/usr/lib/chromium/vk_swiftshader_icd.json";
	const char *wanted = getenv("KRAFLA_TEST_DRIVER"), *given = given_driver();

	if (given)
		return given;
	if (!wanted || strcmp(wanted, "swiftshader")) {
		skip_without_lavapipe();
		return lavapipe_manifest();
	}
	if (access(swiftshader, R_OK))
		kr_test_skip("no-swiftshader", NULL);
	return swiftshader;
}

void
stack_use(enum stack_driver driver)
{
	char both[2048];

	(void)given_driver();
	hide_surroundings();
	switch (driver) {
	case STACK_LAVAPIPE:
		setenv("VK_DRIVER_FILES", real_driver(), 1);
		break;
	case STACK_NULL:
		setenv("KRAFLA_PROP_ro_hardware_vulkan", "null", 1);
		break;
	case STACK_NULL_ICD:
		setenv("VK_DRIVER_FILES", TEST_NULL_MANIFEST, 1);
		break;
	case STACK_BOTH:
		snprintf(both, sizeof(both), "%s:%s", real_driver(), TEST_NULL_MANIFEST);
		setenv("VK_DRIVER_FILES", both, 1);
		break;
	}
}

void *
stack_null_function(const char *name)
{
	void *library = dlopen(TEST_HAL_DIR "/vulkan.null.so", RTLD_NOW | RTLD_NOLOAD);
	void *function = library ? dlsym(library, name) : NULL;

	if (!function)
		fail_msg("%s isn't there: is the null driver loaded?", name);
	dlclose(library);
	return function;
}

struct range {
	const char *name;
	char *begin;
	char *end;
};

static int
find_range(struct dl_phdr_info *info, size_t size, void *data)
{
	struct range *range = data;
	size_t len = strlen(info->dlpi_name), wanted = strlen(range->name);

	if (len < wanted || strcmp(info->dlpi_name + len - wanted, range->name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		char *begin = (char *)info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X)) {
			range->begin = begin;
			range->end = begin + segment->p_memsz;
		}
	}
	return 1;
}

void
stack_library_range(const char *name, char **begin, char **end)
{
	struct range range = {.name = name};

	if (!dl_iterate_phdr(find_range, &range) || !range.begin)
		fail_msg("%s isn't loaded", name);
	*begin = range.begin;
	*end = range.end;
}

long long
stack_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}
