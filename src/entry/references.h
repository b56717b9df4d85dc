/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of a library's addresses the dynamic linker has filled in for a name, and who
 * calls through one.
 */
#ifndef KR_ENTRY_REFERENCES_H
#define KR_ENTRY_REFERENCES_H

#include <stdbool.h>
#include <stdint.h>

struct link_map;

/*
 * Whether a library keeps `value` where it refers to this name, or a stub of the
 * program that leads there.
 */
bool kr_entry_library_refers_to(const struct link_map *map, const char *name, uintptr_t value);
/*
 * Whether the call that returns to `caller` is one of the name itself, as in a program that is
 * linked with it, not of a pointer that the program got somewhere. A function that jumps to the
 * name at its end leaves no such call. Elsewhere than on x86-64 calls aren't read, and none is.
 */
bool kr_call_is_by_name(const void *caller, const char *name);

#endif
