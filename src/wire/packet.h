/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets with file descriptors over connected SEQPACKET sockets. Never blocks, never raises
 * SIGPIPE, never leaks a descriptor, whatever the peer sends. Policy and meaning are elsewhere.
 */
#ifndef KR_WIRE_PACKET_H
#define KR_WIRE_PACKET_H

#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

/*
 * Sends one packet whole. The descriptors stay the caller's. 0; -EAGAIN the socket is full, nothing
 * was sent; -EPIPE the peer is gone; -EINVAL, -EMSGSIZE, -ETOOMANYREFS...
 */
int kr_packet_send(int socket, const void *data, size_t size, const int *fds, size_t fd_count)
	KR_MUST_CHECK;
/*
 * Receives one packet: *size bytes in `data`, *fd_count descriptors (CLOEXEC, the caller's) in
 * `fds`. 0; -EAGAIN nothing there; -EPIPE the peer is gone, or sent a packet of no bytes. These
 * consume the packet and close what came with it: -EMSGSIZE more than `capacity` bytes; -EPROTO
 * more than `fd_capacity` descriptors; -EMFILE some could not be installed here.
 */
int kr_packet_receive(int socket, void *data, size_t capacity, size_t *size, int *fds,
	size_t fd_capacity, size_t *fd_count) KR_MUST_CHECK;

#endif
