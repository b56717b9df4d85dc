/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader changes while it is open, and what it hears of its producers. */
#include <errno.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "util/log.h"
#include "window/reader/guests.h"

/* Whether only what may change has changed, and to what can be. */
static int
check(const struct kr_reader_config *is, const struct kr_reader_config *wanted)
{
	const struct kr_buffer_desc desc = {
		.width = wanted->width,
		.height = wanted->height,
		.layers = 1,
		.format = wanted->format,
		.usage = wanted->usage,
	};

	if (wanted->max_producers != is->max_producers || wanted->max_buffers != is->max_buffers ||
		wanted->by_app != is->by_app || wanted->shares != is->shares)
		return -EINVAL;
	if (!wanted->max_images || wanted->max_images > KR_READER_MAX_IMAGES ||
		(is->max_buffers && wanted->max_images >= is->max_buffers) ||
		wanted->refresh_ns < 0 || wanted->dataspace < 0 ||
		wanted->transform_hint >= KR_TRANSFORMS)
		return -EINVAL;
	return kr_buffer_check_shown(&desc);
}

static void
tell_guest(struct kr_guest *guest, const struct kr_reader_config *config)
{
	const struct kr_queue_settings settings = {
		.set = KR_SETTING_FORMAT | KR_SETTING_DATASPACE | KR_SETTING_USAGE |
			KR_SETTING_REFRESH,
		.format = config->format,
		.dataspace = config->dataspace,
		.usage = config->usage,
		.refresh_ns = config->refresh_ns,
	};

	kr_consumer_set_settings(guest->consumer, &settings);
	kr_consumer_configure(
		guest->consumer, config->width, config->height, config->transform_hint);
}

/* All producers, or those before the one that refuses: that can be this process's alone. */
static int
set_images_locked(struct kr_reader *reader, uint32_t count) KR_REQUIRES(reader->lock)
{
	struct kr_guest *guest;

	if (count == reader->config.max_images)
		return 0;
	if (reader->held > count)
		return -EINVAL;
	kr_list_for_each (guest, &reader->guests, link) {
		int err = kr_consumer_set_max_acquired(guest->consumer, count);

		if (err && err != -EPIPE)
			return err;
	}
	return 0;
}

int
kr_reader_configure(struct kr_reader *reader, const struct kr_reader_config *config)
{
	struct kr_log_hold hold;
	struct kr_guest *guest;
	int err;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&reader->lock);
	err = check(&reader->config, config);
	if (!err)
		err = set_images_locked(reader, config->max_images);
	if (!err) {
		reader->config = *config;
		reader->config.socket = NULL;
		kr_list_for_each (guest, &reader->guests, link)
			tell_guest(guest, config);
	}
	kr_reader_leave_locked(reader);
	kr_mutex_unlock(&reader->lock);
	kr_log_hold_end(&hold);
	return err;
}

void
kr_reader_discard_free(struct kr_reader *reader)
{
	struct kr_log_hold hold;
	struct kr_guest *guest;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&reader->lock);
	kr_list_for_each (guest, &reader->guests, link)
		kr_consumer_discard_free(guest->consumer);
	kr_reader_leave_locked(reader);
	kr_mutex_unlock(&reader->lock);
	kr_log_hold_end(&hold);
}

/* On any thread: the producer's, or ours inside of a consumer. */
void
kr_reader_notice(void *data, const struct kr_notice *notice)
{
	struct kr_guest *guest = data;
	struct kr_reader *reader = guest->reader;
	struct kr_notice told = *notice;
	bool wakes;

	told.producer = guest->id;
	kr_mutex_lock(&reader->notices_lock);
	wakes = kr_notice_ring_wants(reader->notices, notice->kind);
	kr_notice_ring_push(reader->notices, &told);
	kr_mutex_unlock(&reader->notices_lock);
	if (wakes)
		kr_reader_wake(reader);
}

#define ACTIVITY (1u << KR_NOTICE_DEQUEUED | 1u << KR_NOTICE_CANCELLED)

int
kr_reader_watch(struct kr_reader *reader, uint32_t kinds)
{
	struct kr_guest *guest;
	int err = 0;

	kr_mutex_lock(&reader->lock);
	kr_mutex_lock(&reader->notices_lock);
	if (reader->notices)
		kr_notice_ring_want(reader->notices, kinds);
	else
		err = kr_notice_ring_create(kinds, &reader->notices);
	kr_mutex_unlock(&reader->notices_lock);
	if (!err) {
		reader->hears_activity = kinds & ACTIVITY;
		kr_list_for_each (guest, &reader->guests, link)
			kr_consumer_set_activity(guest->consumer, reader->hears_activity);
	}
	kr_reader_leave_locked(reader);
	kr_mutex_unlock(&reader->lock);
	return err;
}

int
kr_reader_next_notice(struct kr_reader *reader, struct kr_notice *notice)
{
	struct kr_log_hold hold;
	int err = -EAGAIN;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&reader->lock);
	kr_reader_take_in_locked(reader);
	kr_mutex_lock(&reader->notices_lock);
	if (reader->notices)
		err = kr_notice_ring_pop(reader->notices, notice);
	kr_mutex_unlock(&reader->notices_lock);
	/* What was heard just now has woken, too. */
	if (!err)
		kr_reader_forget_wake(reader);
	kr_reader_update_wake_locked(reader);
	kr_mutex_unlock(&reader->lock);
	kr_log_hold_end(&hold);
	return err;
}
