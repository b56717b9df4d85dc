/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections to X servers, for whoever speaks to one: answers in bounded time, and what fits into
 * a socket. Threads as xcb has them.
 */
#ifndef KR_OUTPUTS_XCB_CONNECTION_H
#define KR_OUTPUTS_XCB_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <xcb/xcb.h>
#include "util/macros.h"

/* How long a server may take for an answer. */
#define X_ANSWER_NS (5 * INT64_C(1000000000))

/* A second connection to the server of an application's. NULL when there is none. */
xcb_connection_t *x_connect_again(xcb_connection_t *application);
/* Lets a TCP connection whose peer takes nothing break by itself after X_ANSWER_NS. */
void x_limit_tcp(xcb_connection_t *connection);
/*
 * The reply to a request within X_ANSWER_NS: to be freed, or NULL; *error (may be
 * NULL) is to be freed.
 */
void *x_wait_reply(xcb_connection_t *connection, unsigned int cookie, xcb_generic_error_t **error);
/* How many bytes go to the server without waiting once x_wait_room says so; 0: not known. */
uint32_t x_socket_room(xcb_connection_t *connection);
/* Flushes and waits until there is room. 0; -ETIMEDOUT after X_ANSWER_NS; -EPIPE. */
int x_wait_room(xcb_connection_t *connection) KR_MUST_CHECK;
/* The X error code of a checked request, 0 when it worked, -EPIPE without an answer in time. */
int x_check(xcb_connection_t *connection, xcb_void_cookie_t cookie);
/* Whether pixels of a visual are B8G8R8X8 in memory, as far as the setup tells; its depth. */
bool x_visual_fits(xcb_connection_t *connection, xcb_visualid_t visual, uint8_t *depth);
/* xcb forgets descriptors that it could not send before the connection broke. */
void x_close_unsent(xcb_connection_t *connection, int passed, int original);

#endif
