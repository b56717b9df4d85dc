/* SPDX-License-Identifier: Apache-2.0 */
/* See reader.h. */
#include "window/reader/reader.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/native_memory.h"
#include "window/reader/guests.h"

void
kr_reader_wake(const struct kr_reader *reader)
{
	uint64_t one = 1;
	ssize_t written = write(reader->wake_fd, &one, sizeof(one));

	(void)written; /* full means that it wakes already */
}

void
kr_reader_forget_wake(const struct kr_reader *reader)
{
	uint64_t count;
	ssize_t got = read(reader->wake_fd, &count, sizeof(count));

	(void)got; /* it may not have been awake */
}

/* On the producer's thread. */
static void
handle_frame_available(void *data)
{
	struct kr_guest *guest = data;

	kr_reader_wake(guest->reader);
}

static int
open_here(struct kr_reader *reader) KR_NO_THREAD_SAFETY
{
	static const struct kr_consumer_events events = {
		.frame_available = handle_frame_available, .noticed = kr_reader_notice};
	const struct kr_queue_config config = {
		.default_width = reader->config.width,
		.default_height = reader->config.height,
		.default_format = reader->config.format,
		.consumer_usage = reader->config.usage,
		.max_acquired = reader->config.max_images,
		.max_buffers = reader->config.max_buffers,
		.default_dataspace = reader->config.dataspace,
		.transform_hint = reader->config.transform_hint,
		.by_app = reader->config.by_app,
		.refresh_ns = reader->config.refresh_ns,
		.abilities = kr_reader_abilities(reader),
		.timing = {.events = KR_READER_EVENTS},
	};
	struct kr_guest *guest = kr_guest_create_locked(reader);
	struct kr_sink *sink;
	int err;

	if (!guest)
		return -ENOMEM;
	guest->greeted = true;
	reader->fd = reader->wake_fd;
	err = kr_consumer_local_create(&events, guest, &sink, &guest->consumer);
	return err ? err : kr_queue_create(&config, sink, &reader->queue);
}

static int
check(const struct kr_reader_config *config)
{
	const struct kr_buffer_desc desc = {
		.width = config->width,
		.height = config->height,
		.layers = 1,
		.format = config->format,
		.usage = config->usage,
	};

	if (!config->max_images || config->max_images > KR_READER_MAX_IMAGES ||
		!config->max_producers || config->max_producers > KR_READER_MAX_PRODUCERS ||
		config->refresh_ns < 0 || config->dataspace < 0 ||
		config->transform_hint >= KR_TRANSFORMS)
		return -EINVAL;
	/* A producer has one, too. */
	if (config->max_buffers &&
		(config->max_buffers > KR_QUEUE_SLOTS || config->max_buffers <= config->max_images))
		return -EINVAL;
	return kr_buffer_check_shown(&desc);
}

int
kr_reader_open(const struct kr_reader_config *config, struct kr_reader **reader)
{
	struct kr_reader *made;
	int err = check(config);

	if (err)
		return err;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->config = *config;
	made->config.socket = NULL;
	made->fd = made->timer_fd = -1;
	made->listener = (struct kr_listener){.fd = -1, .spare_fd = -1};
	kr_mutex_init(&made->lock);
	kr_mutex_init(&made->notices_lock);
	kr_list_init(&made->guests);
	made->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (made->wake_fd < 0)
		err = -errno;
	else
		err = config->socket ? kr_guests_init(made, config->socket) : open_here(made);
	if (err) {
		kr_reader_close(made);
		return err;
	}
	*reader = made;
	return 0;
}

void
kr_reader_close(struct kr_reader *reader) KR_NO_THREAD_SAFETY
{
	struct kr_guest *guest, *next;

	if (!reader)
		return;
	kr_list_for_each_safe (guest, next, &reader->guests, link)
		kr_guest_destroy_locked(reader, guest);
	kr_queue_unref(reader->queue);
	if (reader->fd == reader->wake_fd)
		reader->fd = -1;
	kr_guests_finish(reader);
	kr_fd_close(&reader->wake_fd);
	kr_notice_ring_destroy(reader->notices);
	kr_mutex_finish(&reader->notices_lock);
	kr_mutex_finish(&reader->lock);
	free(reader);
}

struct kr_queue *
kr_reader_queue(const struct kr_reader *reader)
{
	return reader->queue;
}

int
kr_reader_fd(const struct kr_reader *reader)
{
	return reader->fd;
}

/* Nobody reads it, or has: it may be written once its producer is done with it. */
static void
give_back_unseen(struct kr_guest *guest, struct kr_frame *frame)
{
	/* Of a producer that is gone nobody hears it. */
	(void)kr_consumer_release(guest->consumer, frame, frame->acquire_fence);
	frame->acquire_fence = -1;
}

/*
 * Whether the frame has what this reader reads. One that looks at memory of a GPU alone wants no
 * pixels of the CPU from a producer that has such, and all from one that hasn't, or not any more.
 */
static bool
is_readable(struct kr_guest *guest, const struct kr_frame *frame)
{
	const uint64_t usage = guest->reader->config.usage;
	bool on_gpu = (usage & KR_USAGE_GPU_MEMORY) &&
		!(usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK) &&
		kr_buffer_get_info(frame->buffer)->gpu;

	if (on_gpu != guest->on_gpu)
		(void)kr_consumer_set_wants(guest->consumer,
			&(struct kr_wants){.from = frame->number + 1, .every = !on_gpu});
	guest->on_gpu = on_gpu;
	return on_gpu || !frame->no_pixels;
}

static void
tell(struct kr_guest *guest, const struct kr_frame *frame)
{
	int64_t now = kr_clock_now();
	const struct kr_frame_events events = {
		.number = frame->number,
		.known = KR_READER_EVENTS,
		.time_ns = {[KR_EVENT_LATCH] = now, [KR_EVENT_SHOWN] = now},
	};

	if (frame->presentation.tell_events)
		kr_consumer_tell_events(guest->consumer, &events);
	if (frame->presentation.tell_shown)
		kr_consumer_shown(guest->consumer, frame->number, now);
}

/* The next frame that has pixels. As kr_consumer_acquire_at. */
static int
take(struct kr_guest *guest, const struct kr_acquire *how, struct kr_frame *frame)
{
	struct kr_frame taken;

	for (;;) {
		int err = kr_consumer_acquire_at(guest->consumer, how, &taken);

		if (err)
			return err;
		/* Shown anew: it is out, and was told of, once. */
		if (guest->out[taken.slot].number == taken.number) {
			*frame = taken;
			return 0;
		}
		/* Whatever its reader makes of it: it will never be more on a screen. */
		tell(guest, &taken);
		if (is_readable(guest, &taken))
			break;
		give_back_unseen(guest, &taken);
		guest->renewed = true;
	}
	if (guest->renewed)
		taken.damage_count = 0;
	guest->renewed = false;
	*frame = taken;
	return 0;
}

/* Goes on to the newest frame. The consumer gives one more than may be out. */
static void
take_newest(struct kr_guest *guest, struct kr_frame *frame)
{
	struct kr_frame newer;

	while (!take(guest, &(struct kr_acquire){0}, &newer)) {
		kr_frame_merge_damage(&newer, frame);
		give_back_unseen(guest, frame);
		*frame = newer;
	}
}

/*
 * 0: there is a frame that may be out, beside all that are or in the place of an older one of its
 * (shared) slot. -EBUSY one that may not; -EAGAIN none.
 */
static int
look_locked(struct kr_reader *reader, struct kr_guest *guest, bool extra) KR_REQUIRES(reader->lock)
{
	uint32_t most = reader->config.max_images;
	struct kr_frame frame;

	if (kr_consumer_peek(guest->consumer, &frame))
		return -EAGAIN;
	if (guest->out[frame.slot].number)
		return 0;
	if (extra)
		most += frame.droppable ? 1 : 2;
	return reader->held < most ? 0 : -EBUSY;
}

/* Whether anybody has such a frame. */
static bool
any_for_us_locked(struct kr_reader *reader) KR_REQUIRES(reader->lock)
{
	struct kr_guest *guest;

	kr_list_for_each (guest, &reader->guests, link) {
		if (!look_locked(reader, guest, false))
			return true;
	}
	return false;
}

static void
remember(struct kr_guest *guest, const struct kr_frame *frame)
{
	guest->out[frame->slot].number = frame->number;
	guest->out[frame->slot].said = (struct kr_reader_shown){
		.presentation = frame->presentation,
		.hdr = frame->hdr,
		.window_width = frame->window_width,
		.window_height = frame->window_height,
	};
}

/*
 * It is out. A shared buffer's is out once: the newer one is in the place of the older, and what is
 * only shown anew is out already.
 */
static void
hand_out_locked(struct kr_reader *reader, struct kr_guest *guest, const struct kr_frame *frame)
	KR_REQUIRES(reader->lock)
{
	bool more = !guest->out[frame->slot].number;

	guest->held += more;
	reader->held += more;
	remember(guest, frame);
}

static int
acquire_locked(struct kr_reader *reader, bool latest, const struct kr_acquire *how,
	struct kr_frame *frame, uint64_t *producer) KR_REQUIRES(reader->lock)
{
	bool full = false, later = false;
	struct kr_guest *guest;

	kr_list_for_each (guest, &reader->guests, link) {
		int err = look_locked(reader, guest, how->extra);

		if (err != -EBUSY)
			err = take(guest, how, frame);
		full |= err == -EBUSY;
		later |= err == -ETIME;
		if (err)
			continue;
		if (latest)
			take_newest(guest, frame);
		hand_out_locked(reader, guest, frame);
		*producer = guest->id;
		/* The others come first now. */
		kr_list_remove(&guest->link);
		kr_list_append(&reader->guests, &guest->link);
		return 0;
	}
	if (full || later)
		return full ? -EBUSY : -ETIME;
	if (!reader->ended)
		return -EAGAIN;
	reader->ends = false;
	return -EPIPE;
}

static bool
has_notices(struct kr_reader *reader)
{
	bool has;

	kr_mutex_lock(&reader->notices_lock);
	has = kr_notice_ring_has(reader->notices);
	kr_mutex_unlock(&reader->notices_lock);
	return has;
}

void
kr_reader_update_wake_locked(struct kr_reader *reader)
{
	if (reader->ends || has_notices(reader) || any_for_us_locked(reader))
		kr_reader_wake(reader);
}

void
kr_reader_leave_locked(struct kr_reader *reader)
{
	kr_guests_sweep_locked(reader);
	kr_reader_update_wake_locked(reader);
}

void
kr_reader_take_in_locked(struct kr_reader *reader)
{
	/* Before anything is looked at: what comes meanwhile wakes anew. */
	kr_reader_forget_wake(reader);
	if (!reader->queue)
		kr_guests_dispatch_locked(reader);
}

int
kr_reader_acquire(struct kr_reader *reader, bool latest, const struct kr_acquire *how,
	struct kr_frame *frame, uint64_t *producer)
{
	struct kr_log_hold hold;
	int err;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&reader->lock);
	kr_reader_take_in_locked(reader);
	err = acquire_locked(reader, latest, how, frame, producer);
	if (!err)
		kr_buffer_ref(frame->buffer);
	kr_reader_leave_locked(reader);
	kr_mutex_unlock(&reader->lock);
	kr_log_hold_end(&hold);
	return err;
}

static struct kr_guest *
find_locked(struct kr_reader *reader, uint64_t id) KR_REQUIRES(reader->lock)
{
	struct kr_guest *guest;

	kr_list_for_each (guest, &reader->guests, link) {
		if (guest->id == id && guest->greeted)
			return guest;
	}
	return NULL;
}

/* It is out no more. An older one of a shared buffer isn't, since a newer one came. */
static void
take_in_locked(struct kr_reader *reader, struct kr_guest *guest, uint32_t slot, uint64_t number)
	KR_REQUIRES(reader->lock)
{
	if (slot < KR_QUEUE_SLOTS) {
		if (guest->out[slot].number != number)
			return;
		guest->out[slot].number = 0;
	}
	guest->held--;
	reader->held--;
}

int
kr_reader_release(
	struct kr_reader *reader, uint64_t producer, uint32_t slot, uint64_t number, int take_fence)
{
	const struct kr_frame frame = {.slot = slot, .number = number, .acquire_fence = -1};
	struct kr_log_hold hold;
	struct kr_guest *guest;
	int err = -ESTALE;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&reader->lock);
	guest = find_locked(reader, producer);
	if (guest) {
		err = kr_consumer_release(guest->consumer, &frame, take_fence);
		take_fence = -1;
	}
	if (err != -ESTALE) {
		take_in_locked(reader, guest, slot, number);
		err = 0;
		kr_reader_leave_locked(reader);
	}
	kr_mutex_unlock(&reader->lock);
	kr_log_hold_end(&hold);
	kr_fd_close(&take_fence);
	return err;
}

int
kr_reader_get_shown(struct kr_reader *reader, uint64_t producer, uint32_t slot, uint64_t number,
	struct kr_reader_shown *shown)
{
	const struct kr_guest *guest;
	bool out = false;

	kr_mutex_lock(&reader->lock);
	guest = find_locked(reader, producer);
	if (guest && slot < KR_QUEUE_SLOTS && number) {
		out = guest->out[slot].number == number;
		if (out)
			*shown = guest->out[slot].said;
	}
	kr_mutex_unlock(&reader->lock);
	return out ? 0 : -ESTALE;
}

int
kr_reader_describe(
	struct kr_reader *reader, uint64_t producer, char label[KR_READER_LABEL], int *pid)
{
	const struct kr_guest *guest;

	kr_mutex_lock(&reader->lock);
	guest = find_locked(reader, producer);
	if (guest) {
		snprintf(label, KR_READER_LABEL, "%s", kr_consumer_label(guest->consumer));
		*pid = kr_consumer_pid(guest->consumer);
	}
	kr_mutex_unlock(&reader->lock);
	return guest ? 0 : -ENOENT;
}

int
kr_reader_detach(struct kr_reader *reader, uint64_t producer, uint32_t slot, uint64_t number,
	struct kr_buffer **buffer)
{
	const struct kr_frame frame = {.slot = slot, .number = number, .acquire_fence = -1};
	struct kr_log_hold hold;
	struct kr_guest *guest;
	int err = -ESTALE;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&reader->lock);
	guest = find_locked(reader, producer);
	if (guest)
		err = kr_consumer_detach(guest->consumer, &frame, buffer);
	if (!err) {
		take_in_locked(reader, guest, slot, number);
		kr_reader_leave_locked(reader);
	}
	kr_mutex_unlock(&reader->lock);
	kr_log_hold_end(&hold);
	return err;
}

int
kr_reader_attach(struct kr_reader *reader, uint64_t producer, struct kr_buffer *buffer,
	struct kr_frame *frame)
{
	struct kr_log_hold hold;
	struct kr_guest *guest;
	int err = -ENOENT;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&reader->lock);
	guest = find_locked(reader, producer);
	if (guest && reader->held >= reader->config.max_images)
		err = -EBUSY;
	else if (guest)
		err = kr_consumer_attach(guest->consumer, buffer, frame);
	if (!err) {
		guest->held++;
		reader->held++;
		if (frame->slot < KR_QUEUE_SLOTS)
			remember(guest, frame);
	}
	kr_reader_leave_locked(reader);
	kr_mutex_unlock(&reader->lock);
	kr_log_hold_end(&hold);
	return err;
}
