/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer's handle as one message over a connected AF_UNIX socket, for the public
 * AHardwareBuffer_sendHandleToUnixSocket and _recvHandleFromUnixSocket.
 *
 * The message is 32-bit words in the machine's own order (both ends are of one machine): magic,
 * size of the message in bytes, then the integers of the handle, KR_TRANSFER_WORDS in all for
 * version 1 and KR_TRANSFER_MAX_WORDS for version 2; where the buffer has a data space that isn't
 * 0, one word more, which is that. The descriptors travel with it. On a stream it may come in
 * pieces. Who knows version 1 alone, or no data spaces, finds another size than his and refuses it.
 */
#ifndef KR_GRALLOC_TRANSFER_H
#define KR_GRALLOC_TRANSFER_H

#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "util/macros.h"

#define KR_TRANSFER_MAGIC     0x4b524258 /* "KRBX" */
#define KR_TRANSFER_WORDS     (2 + KR_HANDLE_INTS)
#define KR_TRANSFER_MAX_WORDS (2 + KR_HANDLE_MAX_INTS)
#define KR_TRANSFER_ROOM      (KR_TRANSFER_MAX_WORDS + 1)

/* Whether it is one: 0, -EBADF, or -EINVAL it is no AF_UNIX socket. */
int kr_transfer_check_socket(int fd);
/*
 * 0; -EINVAL the socket is no AF_UNIX socket; -EAGAIN it doesn't block and is full; -ETIME it
 * blocks and was full for 5 s; -EPIPE the peer is gone; -errno. Nothing was sent then.
 */
int kr_transfer_send(int socket, const native_handle_t *handle, int32_t data_space) KR_MUST_CHECK;
/*
 * Waits for the first byte as the socket does (blocking, SO_RCVTIMEO), for the rest of a
 * stream's message 5 s. 0; -EAGAIN; -EPIPE the peer is gone; -ETIME; -EPROTO what came is no
 * message of a buffer; -EINVAL, -EPERM as kr_buffer_import_shared; -EMFILE... Whatever
 * descriptors came are closed then. After an error other than -EAGAIN a stream can't be read any
 * further; of packets the next one can.
 */
int kr_transfer_receive(int socket, struct kr_buffer **buffer) KR_MUST_CHECK;

#endif
