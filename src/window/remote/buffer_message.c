/* SPDX-License-Identifier: Apache-2.0 */
/* See buffer_message.h. */
#include "window/remote/buffer_message.h"

#include <errno.h>
#include <string.h>

#include "gralloc/buffer.h"

int
kr_remote_write_buffer(const struct kr_buffer *buffer, int32_t words[KR_HANDLE_INTS], int *fd)
{
	const native_handle_t *handle = kr_buffer_cpu_handle(buffer);

	if (!handle || handle->data[0] < 0)
		return -EOPNOTSUPP;
	memcpy(words, handle->data + KR_HANDLE_FDS, sizeof(int32_t) * KR_HANDLE_INTS);
	*fd = handle->data[0];
	return 0;
}

int
kr_remote_read_buffer(const int32_t words[KR_HANDLE_INTS], int fd, struct kr_buffer **buffer)
{
	struct kr_handle handle = {
		.native = {sizeof(native_handle_t), KR_HANDLE_FDS, KR_HANDLE_INTS}};

	handle.words[3] = fd;
	memcpy(handle.words + 3 + KR_HANDLE_FDS, words, sizeof(int32_t) * KR_HANDLE_INTS);
	return kr_buffer_import(&handle.native, buffer);
}
