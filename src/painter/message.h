/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between a composer and its painter, for both ends. No state. */
#ifndef KR_PAINTER_MESSAGE_H
#define KR_PAINTER_MESSAGE_H

#include <stdint.h>
#include "util/macros.h"
#include "wire/painter_protocol.h"

struct kr_painter_packet {
	struct kr_pp_message message;
	int fds[KR_PP_MAX_FDS]; /* -1: none */
};

/* The kinds of layers: struct kr_pp_layer's `kind`. */
enum kr_painter_layer_kind {
	KR_PAINTER_LAYER_BUFFER,
	KR_PAINTER_LAYER_COLOR,
	KR_PAINTER_LAYER_HOLE,
	KR_PAINTER_LAYER_NO_CONTENT,
	KR_PAINTER_LAYER_KINDS,
};

/* A float as its bits, and back. */
uint32_t kr_painter_bits_of(float value);
float kr_painter_float_of(uint32_t bits);

/* Borrows the descriptors. 0; -EAGAIN nothing was sent; -EPIPE... (kr_packet_send) */
int kr_painter_send(int socket, const struct kr_painter_packet *packet) KR_MUST_CHECK;
/* The descriptors are the caller's. 0; -EAGAIN; -EPIPE; -EPROTO; -EMFILE... */
int kr_painter_receive(int socket, struct kr_painter_packet *packet) KR_MUST_CHECK;
void kr_painter_packet_close(struct kr_painter_packet *packet);

#endif
