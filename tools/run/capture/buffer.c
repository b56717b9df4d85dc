/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that grows: see buffer.h. */
#include "tools/run/capture/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAST ((size_t)1 << 16)

int
kr_capture_buffer_reserve(struct kr_capture_buffer *buffer, size_t more)
{
	size_t room = KR_MAX(buffer->size + more, KR_MAX(buffer->room, LEAST));
	uint8_t *data;

	if (more > SIZE_MAX / 2 - buffer->size)
		return -ENOMEM;
	if (buffer->data && room == buffer->room)
		return 0;
	/* What grows little by little doubles; what is known at once gets what it needs. */
	room = KR_MAX(room, buffer->size ? buffer->room * 2 : 0);
	data = realloc(buffer->data, room);
	if (!data)
		return -ENOMEM;
	buffer->data = data;
	buffer->room = room;
	return 0;
}

int
kr_capture_buffer_add(struct kr_capture_buffer *buffer, const void *data, size_t size)
{
	int err = kr_capture_buffer_reserve(buffer, size);

	if (err < 0)
		return err;
	memcpy(buffer->data + buffer->size, data, size);
	buffer->size += size;
	return 0;
}

void
kr_capture_buffer_finish(struct kr_capture_buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct kr_capture_buffer){0};
}
