/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which libraries a driver opens itself, seen while krafla-probe tries it. For the package part
 * alone.
 */
#ifndef KR_SERVICE_PACKAGE_TRACE_H
#define KR_SERVICE_PACKAGE_TRACE_H

#include <stddef.h>
#include "util/macros.h"

/*
 * Gets the name that was given to dlopen, a path or a bare name, and the path of the library that
 * asked; other than 0 ends it and is returned.
 */
typedef int (*kr_package_opened_fn)(void *data, const char *name, const char *by);

/*
 * Runs the program `probe` on the library, with the dynamic linker telling which files it opens
 * (LD_DEBUG=files), and calls fn for each that something other than the probe and glibc asked for
 * with dlopen. Ends within a bounded time. 0, what fn returned, -ETIMEDOUT, -EINVAL (the driver
 * crashed or hung: what it would have opened isn't known) or -errno with a sentence.
 */
int kr_package_trace(const char *probe, const char *library, kr_package_opened_fn fn, void *data,
	char **reason) KR_MUST_CHECK;
/*
 * The same from what the dynamic linker has written, which is cut up; `probe` is the program that
 * it was written of.
 */
int kr_package_trace_read(char *text, const char *probe, kr_package_opened_fn fn, void *data)
	KR_MUST_CHECK;

#endif
