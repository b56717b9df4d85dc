/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serving a peer: its messages are read while nothing is to be sent, and what is ready is sent as soon as that is
 * possible. What bounds it: peer.h.
 */
#include <errno.h>
#include <sys/epoll.h>

#include "service/server/state.h"
#include "wire/packet.h"

/* Later versions' messages may be longer than those of this one. */
#define LONGEST_MESSAGE 4096

/* False: the client has left, or is freed. */
static bool
read_messages(struct kr_peer *peer)
{
	uint8_t data[LONGEST_MESSAGE];
	const char *why;
	size_t size, fds;

	for (int i = 0; i < KR_PEER_ROUND && kr_list_empty(&peer->ready); i++) {
		int err = kr_packet_receive(peer->fd, data, sizeof(data), &size, NULL, 0, &fds);

		if (err == -EAGAIN)
			return true;
		if (err == -EPIPE) {
			kr_peer_leave(peer);
			return false;
		}
		why = err == -EMSGSIZE ? "it sent a message that is too long"
				       : "it sent descriptors that nobody asked for";
		if (!err)
			err = kr_peer_take(peer, data, size, &why);
		if (err) {
			kr_peer_throw_out(peer, why);
			return false;
		}
		if (!kr_peer_answer(peer))
			return false;
	}
	return true;
}

/* Reads when nothing is to be sent, writes when that is possible again, else waits for the timer. */
static void
set_watch(struct kr_peer *peer)
{
	const bool is_ready = !kr_list_empty(&peer->ready);
	const uint32_t events = !is_ready ? EPOLLIN : peer->is_full ? EPOLLOUT : 0;
	int64_t deadline = KR_FOREVER;

	if (!peer->greeted)
		deadline = peer->since + KR_PEER_PATIENCE_NS;
	else if (is_ready && !peer->is_full)
		deadline = kr_deadline_in(KR_PEER_RETRY_NS);
	kr_watch_deadline(peer->watch, deadline);
	if (kr_watch_events(peer->watch, events))
		kr_peer_throw_out(peer, "its socket can't be watched");
}

void
kr_peer_handle_event(void *data, uint32_t events)
{
	struct kr_peer *peer = data;

	if (peer->left) {
		kr_peer_look_whether_read(peer, KR_NSEC_PER_SEC);
		return;
	}
	if (events & (EPOLLHUP | EPOLLERR)) {
		kr_peer_leave(peer);
		return;
	}
	if (!events && !peer->greeted && kr_clock_now() >= peer->since + KR_PEER_PATIENCE_NS) {
		kr_peer_throw_out(peer, "it didn't say hello");
		return;
	}
	peer->is_full &= !(events & EPOLLOUT);
	if (!kr_peer_answer(peer))
		return;
	if (events & EPOLLIN && !read_messages(peer))
		return;
	set_watch(peer);
}

void
kr_peer_look_again(struct kr_peer *peer)
{
	struct kr_request *request, *next;

	if (peer->left)
		return;
	kr_list_for_each_safe (request, next, &peer->parked, link) {
		if (kr_request_is_due(peer, request)) {
			kr_list_remove(&request->link);
			kr_list_append(&peer->ready, &request->link);
		}
	}
	if (kr_peer_answer(peer))
		set_watch(peer);
}
