/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What both ends of a run's control socket need (docs/control-protocol.md): `krafla run`, which has
 * it, and `krafla layout`. Thread-safety: no state.
 */
#ifndef KR_TOOLS_COMMAND_CONTROL_H
#define KR_TOOLS_COMMAND_CONTROL_H

#include "composer/layout.h"
#include "util/macros.h"
#include "wire/control_protocol.h"

/* Behind the path of the display's socket. */
#define KR_CONTROL_SUFFIX ".control"
/* alpha of a place that covers all that is below it */
#define KR_CONTROL_OPAQUE 1000000

/* 0; -EAGAIN: the other end doesn't read; -EPIPE it is gone; another -errno. */
int kr_control_send(int socket, const struct kr_cp_message *message) KR_MUST_CHECK;
/* 0; -EAGAIN nothing there; -EPIPE; anything else is a packet that breaks the protocol. */
int kr_control_receive(int socket, struct kr_cp_message *message) KR_MUST_CHECK;

/* What a place is in a message, whose other members stay as they are; and the other way round. */
void kr_control_put_place(struct kr_cp_place *message, const struct kr_layout_place *place);
/* -EINVAL: bits or values that no place has. */
int kr_control_get_place(const struct kr_cp_place *message, struct kr_layout_place *place)
	KR_MUST_CHECK;

#endif
