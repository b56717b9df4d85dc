/* SPDX-License-Identifier: Apache-2.0 */
/* Environment with secure_getenv semantics. */
#include "util/env.h"

#include <stdlib.h>

const char *
kr_env_get_raw(const char *name)
{
	return secure_getenv(name);
}

const char *
kr_env_get(const char *name)
{
	const char *value = kr_env_get_raw(name);

	return value && value[0] ? value : NULL;
}

const char *
kr_env_get_directory(const char *name)
{
	const char *value = kr_env_get(name);

	return value && value[0] == '/' ? value : NULL;
}
