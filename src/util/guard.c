/* SPDX-License-Identifier: Apache-2.0 */
/* Guarded processes: see guard.h. */
#include "util/guard.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "util/env.h"
#include "util/log.h"
#include "util/macros.h"
#include "util/property_file.h"

static atomic_bool guarded;
static atomic_bool told;

void
kr_guard_set(bool on)
{
	atomic_store(&guarded, on);
}

/* Y-04: it exists and isn't zero, in any way that a property file says zero. */
static bool
is_not_zero(const char *value)
{
	static const char *const no[] = {"", "n", "no", "off", "false"};
	char *end;

	for (size_t i = 0; i < KR_ARRAY_LEN(no); i++) {
		if (!strcmp(value, no[i]))
			return false;
	}
	return strtoll(value, &end, 0) != 0 || *end;
}

bool
kr_guard_process_is_debuggable(void)
{
	char value[KR_PROPERTY_VALUE_MAX];

	/* 2 is what setuid programs get: only root may look into them. */
	if (prctl(PR_GET_DUMPABLE) == 1)
		return true;
	return kr_property_get_system("ro.debuggable", value, sizeof(value)) && is_not_zero(value);
}

bool
kr_guard_trusts_environment(void)
{
	return !atomic_load_explicit(&guarded, memory_order_relaxed) ||
		kr_guard_process_is_debuggable();
}

const char *
kr_env_get_code_raw(const char *name)
{
	const char *value = kr_env_get_raw(name);

	if (!value || kr_guard_trusts_environment())
		return value;
	if (!atomic_exchange(&told, true))
		kr_warn("%s: not debuggable, so no variable may name code for this process: ignored, like others of its kind",
			name);
	return NULL;
}

const char *
kr_env_get_code(const char *name)
{
	return kr_env_get(name) ? kr_env_get_code_raw(name) : NULL;
}
