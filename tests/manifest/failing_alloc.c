/* SPDX-License-Identifier: Apache-2.0 */
/* The wrappers: --wrap=NAME sends NAME to __wrap_NAME. */
#include "failing_alloc.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

long failing_alloc_left = -1;

static bool
must_fail(void)
{
	return failing_alloc_left >= 0 && failing_alloc_left-- == 0;
}

#define WRAP(result, failure, name, parameters, arguments)                                         \
	result __real_##name parameters;                                                           \
	result __wrap_##name parameters;                                                           \
	result __wrap_##name parameters                                                            \
	{                                                                                          \
		return must_fail() ? failure : __real_##name arguments;                            \
	}

WRAP(void *, NULL, malloc, (size_t size), (size))
WRAP(void *, NULL, calloc, (size_t count, size_t size), (count, size))
WRAP(void *, NULL, realloc, (void *memory, size_t size), (memory, size))
WRAP(char *, NULL, strdup, (const char *text), (text))
WRAP(char *, NULL, strndup, (const char *text, size_t len), (text, len))
WRAP(int, -1, vasprintf, (char **out, const char *fmt, va_list args), (out, fmt, args))
