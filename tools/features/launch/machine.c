/* SPDX-License-Identifier: Apache-2.0 */
/* ABI and memory: see machine.h. */
#include "tools/features/launch/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "util/properties.h"
#include "util/property_file.h"

#define ABI_PROPERTY    "ro.product.cpu.abilist64"
#define MEMORY_PROPERTY "ro.config.low_ram"
#define LOW_KIB         (1u << 20)

bool
kr_flags_has_64_bit(char seen[KR_FLAGS_SEEN])
{
	char value[KR_PROPERTY_VALUE_MAX];
	struct utsname name;

	if (kr_property_get(ABI_PROPERTY, value, sizeof(value))) {
		snprintf(seen, KR_FLAGS_SEEN, "%s is '%.200s'", ABI_PROPERTY, value);
		return value[0] != '\0';
	}
	snprintf(seen, KR_FLAGS_SEEN, "%s isn't set; this program has %zu bits, on %s",
		ABI_PROPERTY, sizeof(void *) * 8, uname(&name) ? "?" : name.machine);
	return sizeof(void *) == 8;
}

/* As Android reads a property that is a yes or no; false: it is neither. */
static bool
read_bool(const char *value, bool *out)
{
	static const char *const words[][2] = {
		{"1", "0"}, {"true", "false"}, {"yes", "no"}, {"y", "n"}, {"on", "off"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		for (int k = 0; k < 2; k++) {
			if (!strcmp(value, words[i][k])) {
				*out = k == 0;
				return true;
			}
		}
	}
	return false;
}

static bool
read_total(const char *path, unsigned long long *kib)
{
	FILE *file = fopen(path, "re");
	char line[256];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "MemTotal: %llu kB", kib) == 1;
	if (file)
		(void)fclose(file);
	return found;
}

bool
kr_flags_is_low_memory(const char *meminfo, char seen[KR_FLAGS_SEEN])
{
	char value[KR_PROPERTY_VALUE_MAX];
	unsigned long long kib;
	bool low;

	if (kr_property_get(MEMORY_PROPERTY, value, sizeof(value)) && read_bool(value, &low)) {
		snprintf(seen, KR_FLAGS_SEEN, "%s is '%.200s'", MEMORY_PROPERTY, value);
		return low;
	}
	if (!read_total(meminfo, &kib)) {
		snprintf(seen, KR_FLAGS_SEEN, "%s isn't set, and MemTotal can't be read",
			MEMORY_PROPERTY);
		return false;
	}
	snprintf(seen, KR_FLAGS_SEEN, "%s isn't set; MemTotal is %llu MiB", MEMORY_PROPERTY,
		kib >> 10);
	return kib <= LOW_KIB;
}
