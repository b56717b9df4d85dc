/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a library that was opened with dlopen. */
#ifndef KR_UTIL_LIBRARY_H
#define KR_UTIL_LIBRARY_H

/*
 * dlclose, unless VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING is 1: tools that name code by its address at
 * the end of a program want drivers and layers to be there still. NULL is no library.
 */
void kr_library_close(void *dso);

#endif
