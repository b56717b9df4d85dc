/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The readers of <krafla/window.h>, exported by libkrafla.so.0. Fences pass the boundaries at which
 * tests can make them misbehave (<krafla/fault.h>).
 */
#include <errno.h>
#include <krafla/window.h>
#include <stdio.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "sync/fault/fault.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/native_memory.h"
#include "window/event_public.h"
#include "window/reader/reader.h"
#include "window/state.h"

#define MILLIHERTZ_PER_HERTZ 1000

_Static_assert(KRAFLA_READER_MAX_PRODUCERS == KR_READER_MAX_PRODUCERS, "producers");
_Static_assert(KRAFLA_READER_MAX_IMAGES == KR_READER_MAX_IMAGES, "images");
_Static_assert(KRAFLA_IMAGE_MAX_DAMAGE == KR_FRAME_MAX_DAMAGE, "damage");
_Static_assert(sizeof(((struct krafla_producer *)0)->label) == KR_READER_LABEL, "label");

_Static_assert(KRAFLA_USAGE_GPU_MEMORY == KR_USAGE_GPU_MEMORY, "GPU_MEMORY");
_Static_assert(KRAFLA_PRESENT_MAILBOX == (int)KR_PRESENT_MAILBOX, "MAILBOX");
_Static_assert(KRAFLA_PRESENT_IMMEDIATE == (int)KR_PRESENT_IMMEDIATE, "IMMEDIATE");
_Static_assert(KRAFLA_PRESENT_FIFO_RELAXED == (int)KR_PRESENT_FIFO_RELAXED, "FIFO_RELAXED");
_Static_assert(
	KRAFLA_PRESENT_FIFO_LATEST_READY == (int)KR_PRESENT_FIFO_LATEST_READY, "LATEST_READY");
_Static_assert(KRAFLA_PRESENT_SHARED_CONTINUOUS == (int)KR_PRESENT_SHARED_CONTINUOUS, "SHARED");
_Static_assert(
	sizeof(struct krafla_hdr_metadata) == sizeof(struct kr_hdr_metadata), "HDR metadata");
_Static_assert(KRAFLA_ALPHA_OPAQUE == (int)KR_ALPHA_OPAQUE, "OPAQUE");
_Static_assert(KRAFLA_ALPHA_PREMULTIPLIED == (int)KR_ALPHA_PREMULTIPLIED, "PREMULTIPLIED");
_Static_assert(KRAFLA_ALPHA_STRAIGHT == (int)KR_ALPHA_STRAIGHT, "STRAIGHT");

static struct kr_reader *
inner(const struct krafla_reader *reader)
{
	return (struct kr_reader *)(uintptr_t)reader;
}

#define FLAGS (KRAFLA_READER_BY_APP | KRAFLA_READER_SHARED)

static int
read_config(const struct krafla_reader_config *config, struct kr_reader_config *wanted)
{
	if (!config || config->size != sizeof(*config) || config->flags & ~FLAGS)
		return -EINVAL;
	*wanted = (struct kr_reader_config){
		.socket = config->socket,
		.width = config->width,
		.height = config->height,
		.format = config->format ? config->format : AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = config->usage ? config->usage : AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
		.max_images = config->max_images ? config->max_images : 1,
		.max_producers = config->max_producers ? config->max_producers : 1,
		.max_buffers = config->max_buffers,
		.dataspace = config->dataspace,
		.transform_hint = config->transform_hint,
		.by_app = config->flags & KRAFLA_READER_BY_APP,
		.shares = config->flags & KRAFLA_READER_SHARED,
	};
	if (config->refresh_mhz)
		wanted->refresh_ns = KR_NSEC_PER_SEC * MILLIHERTZ_PER_HERTZ / config->refresh_mhz;
	return 0;
}

KR_EXPORT int
krafla_reader_open(const struct krafla_reader_config *config, struct krafla_reader **reader)
{
	struct kr_reader_config wanted;
	struct kr_reader *made;
	int err = reader ? read_config(config, &wanted) : -EINVAL;

	if (!err)
		err = kr_reader_open(&wanted, &made);
	if (!err)
		*reader = (struct krafla_reader *)made;
	return err;
}

KR_EXPORT int
krafla_reader_configure(struct krafla_reader *reader, const struct krafla_reader_config *config)
{
	struct kr_reader_config wanted;
	int err = reader ? read_config(config, &wanted) : -EINVAL;

	return err ? err : kr_reader_configure(inner(reader), &wanted);
}

KR_EXPORT void
krafla_reader_close(struct krafla_reader *reader)
{
	kr_reader_close(inner(reader));
}

KR_EXPORT int
krafla_reader_get_window(struct krafla_reader *reader, ANativeWindow **window)
{
	struct kr_queue *queue = reader && window ? kr_reader_queue(inner(reader)) : NULL;

	return queue ? kr_window_create_asked(queue, window) : -EINVAL;
}

KR_EXPORT int
krafla_reader_get_fd(const struct krafla_reader *reader)
{
	return reader ? kr_reader_fd(inner(reader)) : -EINVAL;
}

static ARect
rect_of(const android_native_rect_t *rect)
{
	return (ARect){rect->left, rect->top, rect->right, rect->bottom};
}

/* The crop, which is all of the buffer when nobody has said one. */
static ARect
crop_of(const struct kr_frame *frame)
{
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(frame->buffer)->desc;

	if (frame->crop.left == frame->crop.right)
		return (ARect){0, 0, (int32_t)desc->width, (int32_t)desc->height};
	return rect_of(&frame->crop);
}

static void
fill(struct krafla_image *image, const struct kr_frame *frame, uint64_t producer)
{
	ANativeWindowBuffer *native = kr_buffer_native(frame->buffer);

	*image = (struct krafla_image){
		.buffer = ANativeWindowBuffer_getHardwareBuffer(native),
		.acquire_fence =
			kr_fault_fence(KRAFLA_FAULT_AT_READER_ACQUIRE, frame->acquire_fence),
		.slot = frame->slot,
		.producer = producer,
		.number = frame->number,
		.timestamp_ns = frame->timestamp_ns == NATIVE_WINDOW_TIMESTAMP_AUTO
			? frame->queued_ns
			: frame->timestamp_ns,
		.dataspace = frame->dataspace,
		.transform = frame->transform,
		.scaling_mode = frame->scaling_mode,
		.crop = crop_of(frame),
		.damage_count = frame->damage_count,
	};
	for (uint32_t i = 0; i < frame->damage_count; i++)
		image->damage[i] = rect_of(&frame->damage[i]);
}

static int
acquire(struct krafla_reader *reader, bool latest, const struct kr_acquire *how,
	struct krafla_image *image)
{
	struct kr_frame frame;
	uint64_t producer;
	int err;

	if (!reader || !image)
		return -EINVAL;
	err = kr_reader_acquire(inner(reader), latest, how, &frame, &producer);
	if (err)
		return err;
	fill(image, &frame, producer);
	kr_buffer_unref(frame.buffer);
	return 0;
}

KR_EXPORT int
krafla_reader_acquire_next(struct krafla_reader *reader, struct krafla_image *image)
{
	return acquire(reader, false, &(struct kr_acquire){0}, image);
}

KR_EXPORT int
krafla_reader_acquire_latest(struct krafla_reader *reader, struct krafla_image *image)
{
	return acquire(reader, true, &(struct kr_acquire){0}, image);
}

KR_EXPORT int
krafla_reader_acquire_at(
	struct krafla_reader *reader, const struct krafla_acquire *wish, struct krafla_image *image)
{
	struct kr_acquire how;

	if (!wish || wish->size != sizeof(*wish) ||
		wish->flags & ~(KRAFLA_ACQUIRE_EXTRA | KRAFLA_ACQUIRE_AGAIN))
		return -EINVAL;
	how = (struct kr_acquire){
		.expected_ns = wish->expected_present_ns,
		.max_number = wish->max_number,
		.extra = wish->flags & KRAFLA_ACQUIRE_EXTRA,
		.again = wish->flags & KRAFLA_ACQUIRE_AGAIN,
	};
	return acquire(reader, false, &how, image);
}

/* What can't be done has another number in public. */
static int
public_error(int err)
{
	return err == -EOPNOTSUPP ? -ENOSYS : err;
}

KR_EXPORT int
krafla_reader_detach(
	struct krafla_reader *reader, const struct krafla_image *image, AHardwareBuffer **buffer)
{
	struct kr_buffer *kept;
	int err;

	if (!reader || !image || !buffer)
		return -EINVAL;
	err = kr_reader_detach(inner(reader), image->producer, image->slot, image->number, &kept);
	if (!err)
		*buffer = ANativeWindowBuffer_getHardwareBuffer(kr_buffer_native(kept));
	return public_error(err);
}

KR_EXPORT int
krafla_reader_attach(struct krafla_reader *reader, uint64_t producer, AHardwareBuffer *buffer,
	struct krafla_image *image)
{
	struct kr_buffer *given;
	struct kr_frame frame;
	int err;

	if (!reader || !buffer || !image)
		return -EINVAL;
	err = kr_buffer_from_any(buffer, &given);
	if (err)
		return err;
	err = kr_reader_attach(inner(reader), producer, given, &frame);
	if (!err) {
		frame.queued_ns = kr_clock_now();
		fill(image, &frame, producer);
	}
	kr_buffer_unref(given);
	return public_error(err);
}

KR_EXPORT int
krafla_reader_discard_free(struct krafla_reader *reader)
{
	if (!reader)
		return -EINVAL;
	kr_reader_discard_free(inner(reader));
	return 0;
}

KR_EXPORT int
krafla_reader_watch(struct krafla_reader *reader, uint32_t events)
{
	return reader && !(events & ~KRAFLA_EVENTS_ALL) ? kr_reader_watch(inner(reader), events)
							: -EINVAL;
}

KR_EXPORT int
krafla_reader_next_event(struct krafla_reader *reader, struct krafla_event *event)
{
	struct kr_notice notice;
	int err;

	if (!reader || !event)
		return -EINVAL;
	err = kr_reader_next_notice(inner(reader), &notice);
	if (!err)
		kr_event_fill(event, &notice);
	return err;
}

KR_EXPORT int
krafla_reader_release(
	struct krafla_reader *reader, const struct krafla_image *image, int release_fence)
{
	bool is_fence;
	int err;

	if (!reader || !image) {
		kr_fd_close(&release_fence);
		return -EINVAL;
	}
	release_fence = kr_fault_fence(KRAFLA_FAULT_AT_READER_RELEASE, release_fence);
	/* The buffer goes back all the same: a caller has no other way to get rid of it. */
	is_fence = kr_window_check_fence("krafla_reader_release", &release_fence);
	err = kr_reader_release(
		inner(reader), image->producer, image->slot, image->number, release_fence);
	return err || is_fence ? err : -EINVAL;
}

KR_EXPORT int
krafla_reader_get_presentation(struct krafla_reader *reader, const struct krafla_image *image,
	struct krafla_presentation *presentation)
{
	struct kr_reader_shown said;
	int err;

	if (!reader || !image || !presentation || presentation->size != sizeof(*presentation))
		return -EINVAL;
	err = kr_reader_get_shown(
		inner(reader), image->producer, image->slot, image->number, &said);
	if (err)
		return err;
	presentation->mode = said.presentation.mode;
	presentation->alpha = said.presentation.alpha;
	presentation->window_width = said.window_width;
	presentation->window_height = said.window_height;
	return 0;
}

KR_EXPORT int
krafla_reader_get_hdr(struct krafla_reader *reader, const struct krafla_image *image,
	struct krafla_hdr_metadata *hdr)
{
	struct kr_reader_shown said;
	int err;

	if (!reader || !image || !hdr)
		return -EINVAL;
	err = kr_reader_get_shown(
		inner(reader), image->producer, image->slot, image->number, &said);
	if (!err)
		memcpy(hdr, &said.hdr, sizeof(*hdr));
	return err;
}

KR_EXPORT int
krafla_reader_get_producer(
	struct krafla_reader *reader, uint64_t number, struct krafla_producer *producer)
{
	if (!reader || !producer || producer->size != sizeof(*producer))
		return -EINVAL;
	return kr_reader_describe(inner(reader), number, producer->label, &producer->pid);
}
