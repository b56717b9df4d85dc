/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sets of libraries (package.h): the platform's, which glibc ships and of which a process can
 * have only its own, so that no package holds one; and the application's own, whose objects (a
 * Display, an xcb_connection_t, a wl_display) it hands to Vulkan, so that driver and application
 * must have the same copy: the package's is for processes that have none. For the package part
 * alone.
 */
#ifndef KR_SERVICE_PACKAGE_SETS_H
#define KR_SERVICE_PACKAGE_SETS_H

#include <stdbool.h>
#include "service/package/package.h"

/*
 * Whether a library of the application's own could define the symbol, by its name: they have no
 * versions.
 */
bool kr_package_own_defines(const char *soname, const char *symbol);

#endif
