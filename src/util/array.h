/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow. */
#ifndef KR_UTIL_ARRAY_H
#define KR_UTIL_ARRAY_H

#include <stddef.h>

/*
 * One more element, zeroed, at the end of the array that `*(T **)array` points to: of *count
 * elements of `size` bytes, with room for *room of them (all zero at first). Elements move. NULL
 * without memory, and nothing has changed then. Freed with free.
 */
void *kr_array_add(void *array, size_t *count, size_t *room, size_t size);

#endif
