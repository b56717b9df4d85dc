/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A queue whose far end is a display in another process (docs/display-protocol.md): the sink that
 * stands for the display, and the consumer that the display has of each producer.
 */
#ifndef KR_WINDOW_REMOTE_REMOTE_H
#define KR_WINDOW_REMOTE_REMOTE_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"
#include "window/consumer/consumer.h"

struct kr_descriptors;
struct kr_sink;

/* What a display tells a connecting producer. */
struct kr_remote_display {
	uint32_t width;
	uint32_t height;
	int64_t refresh_ns;
	bool virtual_clock;
	uint64_t consumer_usage;
	uint32_t max_acquired;
	uint32_t format;
};

/*
 * Display side: speaks the display protocol on a connected SEQPACKET socket, which it
 * owns, also on failure. Nothing the peer sends is trusted: a violation ends the connection.
 * `keep_all`: droppable frames are not replaced (virtual clock: every frame is shown).
 */
int kr_consumer_remote_create(int take_socket, const struct kr_remote_display *info, bool keep_all,
	const struct kr_consumer_events *events, void *data, struct kr_consumer **consumer)
	KR_MUST_CHECK;
/*
 * Counts a remote consumer's descriptors from now on, before anything was dispatched. `all`
 * outlives it. -EMFILE: there are as many connections as there can be.
 */
int kr_consumer_remote_count(struct kr_consumer *consumer, struct kr_descriptors *all)
	KR_MUST_CHECK;

/*
 * Producer side: connects to a display's socket, shakes hands within `deadline_ns`, and
 * gives a sink for kr_queue_create and what the display said. `label` names the surface to the
 * display. -ENOENT/-ECONNREFUSED nobody listens, -ETIMEDOUT, -EPROTO.
 */
int kr_sink_remote_connect(const char *socket_path, const char *label, int64_t deadline_ns,
	struct kr_sink **sink, struct kr_remote_display *info) KR_MUST_CHECK;
/* The same over a socket that is connected already; owns it, also on failure. */
int kr_sink_remote_attach(int take_socket, const char *label, int64_t deadline_ns,
	struct kr_sink **sink, struct kr_remote_display *info) KR_MUST_CHECK;
/* The sink of a connection whose handshake is over. Owns the socket, also on failure. */
int kr_sink_remote_create(int take_socket, bool virtual_clock, struct kr_sink **sink) KR_MUST_CHECK;

#endif
