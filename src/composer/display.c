/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop of a display: one thread that waits for connections, messages, fences and the next tick.
 *
 * It polls a list that is made anew each time round instead of keeping an epoll set. Fences are
 * why: a fence is a descriptor of the consumer, which closes it when a frame is replaced, and an
 * epoll entry outlives that close for as long as the peer keeps a duplicate. With at most 64
 * producers the list is short, and nothing in it can go stale.
 */
#include "composer/display.h"

#include <errno.h>
#include <krafla/native_window.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "colour/space.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log_budget.h"
#include "window/remote/remote.h"

/* As long as the kernel's own ticks are apart, about. */
#define VIRTUAL_SLACK_NS 4000000UL

/*
 * What is polled: [0] wake, [1] listener, then for each producer its socket and its head's fence,
 * then what targets and outputs have.
 */
#define POLL_FIRST 2
#define POLL_EACH  2
#define POLL_MAX                                                                                   \
	(POLL_FIRST + POLL_EACH * KR_DISPLAY_MAX_PRODUCERS + KR_DISPLAY_TARGETS_POLL +             \
		KR_DISPLAY_OUTPUTS_POLL)

static int
check_size(const struct kr_display_config *config)
{
	return config->width && config->height && config->width <= KR_DISPLAY_MAX_SIZE &&
			config->height <= KR_DISPLAY_MAX_SIZE
		? 0
		: -EINVAL;
}

/* All that it may have, the one to start with first; whether they can be. */
static bool
read_rates(const struct kr_display_config *config, uint32_t rates[KR_DISPLAY_MAX_RATES])
{
	if (config->other_count >= KR_DISPLAY_MAX_RATES)
		return false;
	rates[0] = config->refresh_mhz;
	memcpy(rates + 1, config->other_mhz, sizeof(config->other_mhz));
	for (unsigned i = 0; i <= config->other_count; i++) {
		if (!rates[i])
			return false;
		for (unsigned j = 0; j < i; j++) {
			if (rates[j] == rates[i])
				return false;
		}
	}
	return true;
}

static void
take_rates(struct kr_display *display, const uint32_t rates[KR_DISPLAY_MAX_RATES])
{
	struct kr_display_stats *stats = &display->stats;

	display->rate_count = display->config.other_count + 1;
	memcpy(display->rates_mhz, rates, sizeof(display->rates_mhz));
	display->grid = (struct kr_grid){
		.from = display->config.clock == KR_CLOCK_VIRTUAL,
		.period_ns = kr_display_period_of(rates[0]),
	};
	kr_mutex_lock(&display->lock);
	stats->rate_count = display->rate_count;
	memcpy(stats->rates_mhz, rates, sizeof(stats->rates_mhz));
	kr_mutex_unlock(&display->lock);
}

int
kr_display_create(const struct kr_display_config *config, const struct kr_display_hooks *hooks,
	void *data, struct kr_display **display)
{
	uint32_t rates[KR_DISPLAY_MAX_RATES];
	struct kr_display *made;
	int err;

	if (!read_rates(config, rates) || config->idle_ns < 0 ||
		!kr_colour_is_for_displays(config->dataspace))
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->config = *config;
	made->config.dataspace = kr_colour_resolve(config->dataspace, HAL_DATASPACE_SRGB);
	made->hooks = *hooks;
	made->data = data;
	kr_list_init(&made->producers);
	kr_list_init(&made->stack);
	kr_preparation_init(&made->preparation);
	kr_mutex_init(&made->lock);
	take_rates(made, rates);
	made->layout_asked = config->layout;
	made->transform_asked = config->transform;
	kr_cleaner_init(&made->cleaner);
	kr_descriptors_init(&made->descriptors, kr_descriptors_limit(), KR_DISPLAY_MAX_PRODUCERS);
	made->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	made->listener = (struct kr_listener){.fd = -1, .spare_fd = -1};
	made->holds = kr_display_holds_create();
	err = made->wake_fd < 0 ? -errno : !made->holds ? -ENOMEM : check_size(config);
	if (err == 0)
		err = kr_display_screen_init(&made->screen, config->device);
	if (err == 0)
		err = kr_display_screen_listen(&made->screen, made);
	if (err == 0)
		err = kr_listener_init(&made->listener, config->socket_path);
	if (err < 0) {
		kr_display_destroy(made);
		return err;
	}
	made->config.socket_path = made->listener.path;
	*display = made;
	return 0;
}

void
kr_display_destroy(struct kr_display *display)
{
	if (!display)
		return;
	kr_display_close_targets(display);
	kr_preparation_finish(&display->preparation);
	kr_descriptors_finish(&display->descriptors);
	kr_cleaner_finish(&display->cleaner);
	kr_listener_finish(&display->listener);
	kr_display_holds_leave(display->holds);
	kr_fd_close(&display->wake_fd);
	kr_mutex_finish(&display->lock);
	free(display);
}

int
kr_display_add_output(struct kr_display *display, struct kr_display_output *output)
{
	return kr_display_outputs_add(&display->outputs, output);
}

void
kr_display_stop(struct kr_display *display)
{
	atomic_store(&display->stopping, true);
	kr_display_wake(display);
}

void
kr_display_drain(struct kr_display *display)
{
	atomic_store(&display->draining, true);
	kr_display_wake(display);
}

void
kr_display_get_stats(struct kr_display *display, struct kr_display_stats *stats)
{
	kr_mutex_lock(&display->lock);
	*stats = display->stats;
	kr_mutex_unlock(&display->lock);
	kr_display_holds_count(display->holds, &stats->held, &stats->not_held);
}

static struct kr_log_budget refused;

static void
accept_all(struct kr_display *display)
{
	int socket = -1;
	int err = kr_listener_accept(&display->listener, &socket);

	if (err == -EAGAIN)
		return;
	if (err == 0) {
		err = kr_producer_create(display, socket);
		if (err == -EMFILE)
			kr_log_limited(&refused, KR_LOG_ERROR,
				"display: more than %u connections; one was refused%s",
				display->descriptors.connections,
				display->descriptors.connections < KR_DISPLAY_MAX_PRODUCERS
					? " (a larger limit of open files, ulimit -n, allows more)"
					: "");
		else if (err < 0)
			kr_log_limited(&refused, KR_LOG_ERROR,
				"display: a connection was refused (error %d)", -err);
	}
	if (err < 0)
		kr_display_count(display, rejected);
}

/* Forgets producers of which nothing more will come, and sees what the others have. */
static void
update_all(struct kr_display *display, int64_t now)
{
	struct kr_producer *producer, *next;
	/* Who is given his frames back draws on, and may keep the last pictures from being made. */
	bool full = kr_display_is_full(display) && !kr_display_on_the_way(display);
	bool draining = atomic_load(&display->draining);

	kr_list_for_each_safe (producer, next, &display->producers, link) {
		kr_producer_update(producer, now);
		if (draining || producer->gone)
			kr_producer_give_up_far(producer, now);
		if (full)
			kr_producer_drop_staged(producer);
		while (full && producer->head == KR_HEAD_READY) {
			kr_producer_discard(producer);
			kr_producer_update(producer, now);
		}
		if (!kr_producer_spent(producer))
			continue;
		if (!producer->greeted && !kr_consumer_remote_asked(producer->consumer))
			kr_display_count(display, rejected);
		kr_producer_destroy(producer);
	}
}

/* The earliest of the next tick and what producers time out on. */
static int64_t
next_deadline(struct kr_display *display, int64_t tick, int64_t now)
{
	const struct kr_producer *producer;
	int64_t deadline = KR_MIN(tick, kr_display_next_blank(display));

	deadline = KR_MIN(deadline, kr_display_next_times(display));
	deadline = KR_MIN(deadline, kr_display_next_rate(display));
	/* What is on its way is looked at now and then, too: it may be stuck. */
	if (kr_display_on_the_way(display))
		deadline = KR_MIN(deadline, now + KR_NSEC_PER_SEC);
	kr_list_for_each (producer, &display->producers, link) {
		if (!producer->greeted)
			deadline = KR_MIN(deadline, producer->idle_since_ns + KR_DISPLAY_HELLO_NS);
		if (producer->greeted && !producer->joined)
			deadline = KR_MIN(deadline, kr_producer_joins_by(producer));
		if (producer->head == KR_HEAD_PENDING)
			deadline = KR_MIN(deadline, producer->late.next_ns);
		if (producer->head == KR_HEAD_PENDING && !producer->stuck)
			deadline =
				KR_MIN(deadline, producer->head_since_ns + KR_DISPLAY_WATCHDOG_NS);
	}
	return deadline;
}

static nfds_t
fill_poll(struct kr_display *display, struct pollfd *fds, const struct pollfd **targets)
{
	struct kr_producer *producer;
	nfds_t n = 0;

	fds[n++] = (struct pollfd){.fd = display->wake_fd, .events = POLLIN};
	fds[n++] = (struct pollfd){.fd = display->listener.fd, .events = POLLIN};
	kr_list_for_each (producer, &display->producers, link) {
		fds[n++] = (struct pollfd){
			.fd = producer->gone ? -1 : kr_consumer_fd(producer->consumer),
			.events = POLLIN,
		};
		fds[n++] = (struct pollfd){.fd = producer->head_fence, .events = POLLIN};
	}
	*targets = fds + n;
	n += kr_display_poll_targets(display, fds + n);
	return n + kr_display_outputs_poll(&display->outputs, fds + n);
}

/* Before each poll: what an output has read already wakes nobody. */
static void
hear_outputs(struct kr_display *display)
{
	struct kr_display_output *closed = kr_display_outputs_dispatch(&display->outputs);

	if (closed && display->hooks.output_closed)
		display->hooks.output_closed(display->data, closed);
}

/* Handles what poll found. Producers are in the order in which fill_poll listed them. */
static void
handle_polled(struct kr_display *display, const struct pollfd *fds)
{
	const struct pollfd *at = fds + POLL_FIRST;
	struct kr_producer *producer;
	uint64_t value;

	kr_list_for_each (producer, &display->producers, link) {
		producer->fence_woke = at[1].revents != 0;
		if (at[0].revents)
			kr_producer_dispatch(producer);
		at += POLL_EACH;
	}
	if (fds[0].revents && read(display->wake_fd, &value, sizeof(value)) < 0 && errno != EAGAIN)
		kr_error("display: its eventfd failed (error %d)", errno);
	if (fds[1].revents)
		accept_all(display);
}

static bool
nothing_queued(const struct kr_display *display)
{
	const struct kr_producer *producer;

	kr_list_for_each (producer, &display->producers, link) {
		if ((producer->head != KR_HEAD_NONE && !producer->stuck) || producer->staging)
			return false;
	}
	return true;
}

int
kr_display_run(struct kr_display *display)
{
	struct pollfd fds[POLL_MAX];
	const struct pollfd *targets = NULL; /* among those, once they were polled */
	bool ticked = false;

	/*
	 * Real ticks are to come when they are due, not up to 50 us later. What a virtual clock
	 * waits for, which is others, may come with one of the kernel's ticks: to set a timer for
	 * each frame and take it back costs more than all else that is told of the frame.
	 */
	(void)prctl(
		PR_SET_TIMERSLACK, display->config.clock == KR_CLOCK_REAL ? 1UL : VIRTUAL_SLACK_NS);
	display->begins_by = kr_clock_now() + display->config.idle_ns;
	if (display->config.clock == KR_CLOCK_REAL)
		display->grid.from_ns = kr_clock_now();
	while (!atomic_load(&display->stopping)) {
		bool draining = atomic_load(&display->draining);
		int64_t now = kr_clock_now(), deadline;
		int n = kr_display_hear_targets(display, targets);

		if (n < 0)
			return n;
		if (display->asks)
			kr_display_tell_shown(display, kr_display_on_the_way(display));
		kr_display_tell_times(display, now);
		kr_display_tell_blank(display, now);
		if (kr_display_take_size(display))
			kr_display_tell_screen(display);
		kr_display_take_places(display);
		update_all(display, now);
		kr_display_follow_wishes(display, now);
		if (display->withdrawn && kr_display_on_the_way(display) < KR_TARGET_PENDING) {
			display->withdrawn = false;
			kr_display_withdraw(display);
		}
		draining = draining && nothing_queued(display) && !kr_display_on_the_way(display);
		deadline = draining
			? now
			: next_deadline(display, kr_display_next_tick(display, now), now);
		n = deadline <= now ? kr_display_tick(display, now) : 0;
		if (n < 0)
			return n;
		/* What is due now? Asked once: between ticks everybody is heard. */
		ticked = deadline <= now && !draining && !ticked;
		if (ticked)
			continue;
		hear_outputs(display);
		kr_display_tell_times(display, now);
		n = kr_fd_poll(fds, fill_poll(display, fds, &targets), deadline);
		if (n < 0)
			return n;
		if (n == 0 && draining)
			break;
		handle_polled(display, fds);
	}
	return 0;
}
