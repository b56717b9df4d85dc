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

struct kr_account;
struct kr_descriptors;
struct kr_sink;

/* Room for a display's name. */
#define KR_REMOTE_NAME 64

/* What a display tells a connecting producer. */
struct kr_remote_display {
	uint32_t width;
	uint32_t height;
	int64_t refresh_ns;
	bool virtual_clock;
	uint64_t consumer_usage;
	uint32_t max_acquired;
	uint32_t format;
	struct kr_abilities abilities; /* as in struct kr_queue_config */
	struct kr_timing timing;       /* likewise */
	uint32_t transform_hint;
	int32_t dataspace;
	uint32_t max_buffers; /* 0: KR_QUEUE_SLOTS */
	bool by_app;
	bool is_protected;
	bool hears_rates;    /* frame rates are noticed (consumer.h) */
	bool hears_activity; /* dequeues and cancels are */
	/* What stands behind it, for who asks what display this is; empty and 0: not known. */
	char name[KR_REMOTE_NAME];
	uint32_t width_mm;
	uint32_t height_mm;
	uint32_t refresh_mhz; /* the exact rate; 0: as refresh_ns says */
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
 * Buffers that come from now on keep their descriptors, so that their handles name memory: for who
 * hands them on. Who only reads them saves these.
 */
void kr_consumer_remote_keep_handles(struct kr_consumer *consumer);

/*
 * Whether the producer has said hello, and how many frames its process had queued on its other
 * windows here by then (its word; 0 of version 1).
 */
bool kr_consumer_remote_greeted(const struct kr_consumer *consumer, uint64_t *queued);
/* Whether it asked what the display is, and never wanted to be a producer. */
bool kr_consumer_remote_asked(const struct kr_consumer *consumer);
/* Cuts the producer off with error 3 and a sentence for it; `disconnected` is called in here. */
void kr_consumer_remote_refuse(struct kr_consumer *consumer, const char *why);
/* Buffers that the producer has announced. */
unsigned kr_consumer_remote_buffers(const struct kr_consumer *consumer);

/*
 * Producer side: connects to a display's socket, shakes hands within `deadline_ns`, and
 * gives a sink for kr_queue_create and what the display said. `label` names the surface to the
 * display. An older display is connected to once more, with the version before, and once more.
 * -ENOENT/-ECONNREFUSED nobody listens, -ETIMEDOUT, -EBUSY it takes no more, -EPROTO, -EPIPE.
 */
int kr_sink_remote_connect(const char *socket_path, const char *label, int64_t deadline_ns,
	struct kr_sink **sink, struct kr_remote_display *info) KR_MUST_CHECK;
/*
 * The same over a socket that is connected already, with the newest version only; owns it, also on
 * failure. -EPROTONOSUPPORT: an older display.
 */
int kr_sink_remote_attach(int take_socket, const char *label, int64_t deadline_ns,
	struct kr_sink **sink, struct kr_remote_display *info) KR_MUST_CHECK;

/*
 * What a display says of itself, without being a window there; an older display sees one that
 * comes and goes. As kr_sink_remote_connect.
 */
int kr_remote_ask(const char *socket_path, int64_t deadline_ns, struct kr_remote_display *info)
	KR_MUST_CHECK;

/* Whether a display can say that it takes so long from one refresh to the next; 0: no clock. */
bool kr_remote_is_refresh(int64_t ns);

/* What a handshake has come to. */
struct kr_remote_session {
	uint32_t version;
	bool virtual_clock;
	uint32_t events; /* as in struct kr_timing */
	bool hears_rates;
	bool hears_activity;
	bool gpu_memory; /* the display looks at memory of a GPU */
	struct kr_wants wants;
	struct kr_account *account; /* of the process, account.h; NULL: nobody counts */
};
/* The sink of a connection whose handshake is over. Owns socket and account, also on failure. */
int kr_sink_remote_create(int take_socket, const struct kr_remote_session *session,
	struct kr_sink **sink) KR_MUST_CHECK;

#endif
