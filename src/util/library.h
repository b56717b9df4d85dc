/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of others that were opened with dlopen. */
#ifndef KR_UTIL_LIBRARY_H
#define KR_UTIL_LIBRARY_H

#include <stdbool.h>

/*
 * dlopen, but for what isn't a file: of a FIFO it would wait for a writer. NULL with *error, which
 * is valid until this thread's next call of dlopen's family.
 */
void *kr_library_load(const char *path, int flags, const char **error);
/*
 * dlclose, unless VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING is 1: tools that name code by its
 * address at the end of a program want drivers and layers to be there still. NULL is no library.
 */
void kr_library_close(void *dso);

/*
 * Whether a function is a loader's: of the library that this is a part of, or of one that calls
 * itself libvulkan.so.1. dlsym finds a loader's exports in a driver or layer that lacks a function
 * but has a loader among its dependencies, or is one: calling those would end where it began.
 */
bool kr_library_is_a_loader(const void *function);

#endif
