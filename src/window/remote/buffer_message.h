/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer on its way between both ends of a connection: its handle's integers, and one descriptor.
 */
#ifndef KR_WINDOW_REMOTE_BUFFER_MESSAGE_H
#define KR_WINDOW_REMOTE_BUFFER_MESSAGE_H

#include <stdint.h>
#include "gralloc/handle.h"
#include "util/macros.h"

struct kr_buffer;

/*
 * What is sent of a buffer: its words, and *fd, borrowed. -EOPNOTSUPP it is a GPU's alone, or has
 * given its descriptor up.
 */
int kr_remote_write_buffer(const struct kr_buffer *buffer, int32_t words[KR_HANDLE_INTS], int *fd)
	KR_MUST_CHECK;
/* A buffer of what has come; the descriptor is borrowed. As kr_buffer_import. */
int kr_remote_read_buffer(const int32_t words[KR_HANDLE_INTS], int fd, struct kr_buffer **buffer)
	KR_MUST_CHECK;

#endif
