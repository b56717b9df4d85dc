/* SPDX-License-Identifier: Apache-2.0 */
/* See guests.h. Producers send what they like: connections, memory and descriptors are bounded. */
#include "window/reader/guests.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "util/log_budget.h"
#include "window/remote/remote.h"

/*
 * One call takes in of a producer at most so many times what a consumer takes in at once: whoever
 * floods a reader doesn't keep its caller.
 */
#define ROUNDS 16

#define MAX_GUESTS (KR_READER_MAX_PRODUCERS + KR_READER_SPARE)

struct kr_abilities
kr_reader_abilities(const struct kr_reader *reader)
{
	uint32_t shared = reader->config.shares ? KR_ABILITY_SHARED : 0;

	return (struct kr_abilities){
		.modes = (KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT) & ~KR_ABILITY_SHARED) | shared,
		.transforms = KR_ABILITY_TRANSFORMS,
		.alphas = KR_ABILITY_ALL(KR_ALPHA_COUNT),
		.colours = KR_ABILITY_ALL(KR_COLOUR_COUNT),
		.tells_shown = true,
	};
}

struct kr_guest *
kr_guest_create_locked(struct kr_reader *reader)
{
	struct kr_guest *guest = calloc(1, sizeof(*guest));

	if (!guest)
		return NULL;
	guest->reader = reader;
	guest->id = ++reader->ids;
	guest->since_ns = kr_clock_now();
	kr_list_append(&reader->guests, &guest->link);
	return guest;
}

static void
leave_poll(struct kr_guest *guest)
{
	(void)epoll_ctl(guest->reader->fd, EPOLL_CTL_DEL, kr_consumer_fd(guest->consumer), NULL);
}

void
kr_guest_destroy_locked(struct kr_reader *reader, struct kr_guest *guest)
{
	/* Closing isn't enough: who has a duplicate of the socket would keep it in the set. */
	if (guest->consumer && kr_consumer_fd(guest->consumer) >= 0 && !guest->gone)
		leave_poll(guest);
	kr_consumer_destroy(guest->consumer);
	kr_list_remove(&guest->link);
	free(guest);
}

/* The two below are called inside of the guest's consumer, that is under the reader's lock. */

static const char *
handle_greets(void *data) KR_NO_THREAD_SAFETY
{
	struct kr_guest *guest = data;
	struct kr_reader *reader = guest->reader;

	if (reader->producers == reader->config.max_producers)
		return "the reader has all the producers that it takes";
	guest->greeted = true;
	reader->producers++;
	reader->ended = reader->ends = false;
	return NULL;
}

static void
handle_disconnected(void *data) KR_NO_THREAD_SAFETY
{
	struct kr_guest *guest = data;
	struct kr_reader *reader = guest->reader;

	/* Its end can be polled for ever. */
	leave_poll(guest);
	guest->gone = true;
	if (guest->greeted && --reader->producers == 0)
		reader->ended = reader->ends = true;
}

static int
let_in_locked(struct kr_reader *reader, int take_socket) KR_REQUIRES(reader->lock)
{
	static const struct kr_consumer_events events = {
		.producer_greets = handle_greets,
		.disconnected = handle_disconnected,
		.noticed = kr_reader_notice,
	};
	const struct kr_remote_display info = {
		.width = reader->config.width,
		.height = reader->config.height,
		.refresh_ns = reader->config.refresh_ns,
		.consumer_usage = reader->config.usage,
		.max_acquired = reader->config.max_images,
		.max_buffers = reader->config.max_buffers,
		.format = reader->config.format,
		.dataspace = reader->config.dataspace,
		.transform_hint = reader->config.transform_hint,
		.by_app = reader->config.by_app,
		.abilities = kr_reader_abilities(reader),
		.timing = {.events = KR_READER_EVENTS},
		.hears_rates = true,
		.hears_activity = reader->hears_activity,
	};
	struct kr_guest *guest = kr_guest_create_locked(reader);
	struct epoll_event event = {.events = EPOLLIN};
	int err;

	if (!guest) {
		kr_fd_close(&take_socket);
		return -ENOMEM;
	}
	err = kr_consumer_remote_create(
		take_socket, &info, false, &events, guest, &guest->consumer);
	if (err)
		goto err_guest;
	kr_consumer_remote_keep_handles(guest->consumer);
	err = kr_consumer_remote_count(guest->consumer, &reader->descriptors);
	if (err)
		goto err_guest;
	if (epoll_ctl(reader->fd, EPOLL_CTL_ADD, kr_consumer_fd(guest->consumer), &event) < 0) {
		err = -errno;
		goto err_guest;
	}
	return 0;

err_guest:
	kr_guest_destroy_locked(reader, guest);
	return err;
}

static struct kr_log_budget refused;

static void
accept_locked(struct kr_reader *reader) KR_REQUIRES(reader->lock)
{
	for (int i = 0; i < MAX_GUESTS; i++) {
		int socket = -1;
		int err = kr_listener_accept(&reader->listener, &socket);

		if (err == -EAGAIN)
			return;
		if (err == 0)
			err = let_in_locked(reader, socket);
		else
			continue; /* it was told */
		if (err)
			kr_log_limited(&refused, KR_LOG_ERROR,
				"reader %s: a connection was refused: %s", reader->listener.path,
				err == -EMFILE ? "there are too many" : "no memory for it");
	}
}

/* Until nothing is there, or there was enough for once. */
static void
hear_locked(struct kr_reader *reader) KR_REQUIRES(reader->lock)
{
	struct pollfd fds[MAX_GUESTS];

	for (int round = 0; round < ROUNDS; round++) {
		struct kr_guest *guest;
		nfds_t count = 0;

		kr_list_for_each (guest, &reader->guests, link)
			fds[count++] = (struct pollfd){
				.fd = guest->gone ? -1 : kr_consumer_fd(guest->consumer),
				.events = POLLIN,
			};
		if (kr_fd_poll(fds, count, 0) <= 0)
			return;
		count = 0;
		kr_list_for_each (guest, &reader->guests, link) {
			/* That it is gone is told by `disconnected`. */
			if (fds[count++].revents)
				(void)kr_consumer_dispatch(guest->consumer);
		}
	}
}

/* Wakes whoever polls when the next of those who said nothing is to go. */
static void
set_timer(struct kr_reader *reader, int64_t at_ns)
{
	/* All zero: never. */
	const struct itimerspec when = {
		.it_value =
			{
				.tv_sec = at_ns / KR_NSEC_PER_SEC,
				.tv_nsec = at_ns % KR_NSEC_PER_SEC,
			},
	};

	(void)timerfd_settime(reader->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static void
end_silent_locked(struct kr_reader *reader) KR_REQUIRES(reader->lock)
{
	int64_t now = kr_clock_now(), next = 0;
	struct kr_guest *guest, *after;

	kr_list_for_each_safe (guest, after, &reader->guests, link) {
		int64_t until = guest->since_ns + KR_READER_HELLO_NS;

		if (guest->greeted || guest->gone)
			continue;
		if (until <= now)
			kr_guest_destroy_locked(reader, guest);
		else if (!next || until < next)
			next = until;
	}
	if (next || reader->timed)
		set_timer(reader, next);
	reader->timed = next != 0;
}

void
kr_guests_sweep_locked(struct kr_reader *reader)
{
	struct kr_guest *guest, *next;
	struct kr_frame frame;

	kr_list_for_each_safe (guest, next, &reader->guests, link) {
		if (guest->gone && !guest->held && kr_consumer_peek(guest->consumer, &frame))
			kr_guest_destroy_locked(reader, guest);
	}
}

void
kr_guests_dispatch_locked(struct kr_reader *reader)
{
	accept_locked(reader);
	hear_locked(reader);
	end_silent_locked(reader);
}

int
kr_guests_init(struct kr_reader *reader, const char *path) KR_NO_THREAD_SAFETY
{
	struct epoll_event event = {.events = EPOLLIN};
	int err;

	kr_descriptors_init(&reader->descriptors, kr_descriptors_limit(),
		reader->config.max_producers + KR_READER_SPARE);
	reader->fd = epoll_create1(EPOLL_CLOEXEC);
	reader->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (reader->fd < 0 || reader->timer_fd < 0 ||
		epoll_ctl(reader->fd, EPOLL_CTL_ADD, reader->timer_fd, &event) < 0 ||
		epoll_ctl(reader->fd, EPOLL_CTL_ADD, reader->wake_fd, &event) < 0)
		return -errno;
	/* Last: from here on programs come. */
	err = kr_listener_init(&reader->listener, path);
	if (!err && epoll_ctl(reader->fd, EPOLL_CTL_ADD, reader->listener.fd, &event) < 0)
		err = -errno;
	return err;
}

void
kr_guests_finish(struct kr_reader *reader) KR_NO_THREAD_SAFETY
{
	kr_descriptors_finish(&reader->descriptors);
	kr_listener_finish(&reader->listener);
	kr_fd_close(&reader->timer_fd);
	kr_fd_close(&reader->fd);
}
