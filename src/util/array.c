/* SPDX-License-Identifier: Apache-2.0 */
#include "util/array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16

void *
kr_array_add(void *array, size_t *count, size_t *room, size_t size)
{
	char *items;

	/* By bytes: the pointer has a type of its caller's. */
	memcpy(&items, array, sizeof(items));
	if (*count == *room) {
		size_t wanted = *room ? 2 * *room : FIRST_ROOM;

		items = reallocarray(items, wanted, size);
		if (!items)
			return NULL;
		memcpy(array, &items, sizeof(items));
		*room = wanted;
	}
	return memset(items + (*count)++ * size, 0, size);
}
