/* SPDX-License-Identifier: Apache-2.0 */
/* See frame_message.h. */
#include "window/remote/frame_message.h"

#include <string.h>

#include "gralloc/buffer.h"
#include "util/macros.h"

static void
write_frame(struct kr_dp_frame *to, const struct kr_frame *frame)
{
	*to = (struct kr_dp_frame){
		.slot = frame->slot,
		.number = frame->number,
		.droppable = frame->droppable,
		.has_fence = frame->acquire_fence >= 0,
		.format = frame->format,
		.dataspace = frame->dataspace,
		.transform = frame->transform,
		.scaling_mode = frame->scaling_mode,
		.crop_left = frame->crop.left,
		.crop_top = frame->crop.top,
		.crop_right = frame->crop.right,
		.crop_bottom = frame->crop.bottom,
		.timestamp_ns = frame->timestamp_ns,
		.queued_ns = frame->queued_ns,
		.damage_count = (uint16_t)frame->damage_count,
	};
	for (uint32_t i = 0; i < frame->damage_count; i++) {
		const android_native_rect_t *r = &frame->damage[i];

		to->damage[i] = (struct kr_dp_rect){r->left, r->top, r->right, r->bottom};
	}
}

static void
write_presentation(struct kr_dp_frame3 *to, const struct kr_frame *frame)
{
	const struct kr_presentation *p = &frame->presentation;

	to->mode = p->mode;
	to->alpha = p->alpha;
	to->scaling = p->scaling;
	to->gravity_x = p->gravity_x;
	to->gravity_y = p->gravity_y;
	to->tell_shown = p->tell_shown;
	to->window_width = frame->window_width;
	to->window_height = frame->window_height;
}

static void
write_frame3(struct kr_dp_frame3 *to, const struct kr_frame *frame)
{
	write_frame(&to->frame2.frame, frame);
	to->frame2.no_pixels = frame->no_pixels;
	write_presentation(to, frame);
}

static void
write_timing(struct kr_dp_frame4 *to, const struct kr_frame *frame)
{
	to->tell_events = frame->presentation.tell_events;
	to->target_kind = frame->target.kind;
	to->target_nearest = frame->target.nearest;
	to->target_ns = frame->target.time_ns;
}

/* The floats' bits. */
static void
write_hdr(struct kr_dp_frame4 *to, const struct kr_hdr_metadata *hdr)
{
	const float floats[] = {hdr->red[0], hdr->red[1], hdr->green[0], hdr->green[1],
		hdr->blue[0], hdr->blue[1], hdr->white[0], hdr->white[1], hdr->max_luminance,
		hdr->min_luminance, hdr->max_cll, hdr->max_fall};

	_Static_assert(sizeof(to->hdr) == sizeof(floats), "12 words");
	to->hdr_has = hdr->has;
	memcpy(to->hdr, floats, sizeof(floats));
}

static struct kr_hdr_metadata
read_hdr(const struct kr_dp_frame4 *from)
{
	float f[KR_ARRAY_LEN(from->hdr)];

	memcpy(f, from->hdr, sizeof(f));
	return (struct kr_hdr_metadata){
		.has = from->hdr_has,
		.red = {f[0], f[1]},
		.green = {f[2], f[3]},
		.blue = {f[4], f[5]},
		.white = {f[6], f[7]},
		.max_luminance = f[8],
		.min_luminance = f[9],
		.max_cll = f[10],
		.max_fall = f[11],
	};
}

void
kr_remote_write_frame(struct kr_dp_message *message, uint32_t version, const struct kr_frame *frame)
{
	switch (version) {
	case 1:
		message->type = KR_DP_FRAME;
		write_frame(&message->frame, frame);
		return;
	case 2:
		message->type = KR_DP_FRAME2;
		write_frame(&message->frame2.frame, frame);
		message->frame2.no_pixels = frame->no_pixels;
		return;
	case 3:
	case 4:
		message->type = KR_DP_FRAME3;
		write_frame3(&message->frame3, frame);
		return;
	default:
		message->type = KR_DP_FRAME4;
		write_frame3(&message->frame4.frame3, frame);
		write_timing(&message->frame4, frame);
		write_hdr(&message->frame4, &frame->hdr);
	}
}

uint32_t
kr_remote_newest_frame(const struct kr_dp_message *message, struct kr_dp_frame4 *newest)
{
	struct kr_dp_frame3 *third = &newest->frame3;

	if (message->type == KR_DP_FRAME4) {
		*newest = message->frame4;
		return 5;
	}
	*newest = (struct kr_dp_frame4){0};
	if (message->type == KR_DP_FRAME3) {
		*third = message->frame3;
		return 3;
	}
	if (message->type == KR_DP_FRAME)
		third->frame2.frame = message->frame;
	else
		third->frame2 = message->frame2;
	third->mode = third->frame2.frame.droppable ? KR_PRESENT_MAILBOX : KR_PRESENT_FIFO;
	return message->type == KR_DP_FRAME ? 1 : 2;
}

void
kr_remote_read_frame(
	const struct kr_dp_frame4 *whole, struct kr_buffer *buffer, struct kr_frame *frame)
{
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(buffer)->desc;
	const struct kr_dp_frame3 *message = &whole->frame3;
	const struct kr_dp_frame *m = &message->frame2.frame;

	*frame = (struct kr_frame){
		.slot = m->slot,
		.number = m->number,
		.buffer = buffer,
		.acquire_fence = -1,
		.droppable = m->droppable,
		.no_pixels = message->frame2.no_pixels,
		.format = m->format,
		.dataspace = m->dataspace,
		.hdr = read_hdr(whole),
		.transform = m->transform,
		.scaling_mode = m->scaling_mode,
		.crop = {m->crop_left, m->crop_top, m->crop_right, m->crop_bottom},
		.presentation =
			{
				.mode = message->mode,
				.alpha = message->alpha,
				.scaling = message->scaling,
				.gravity_x = message->gravity_x,
				.gravity_y = message->gravity_y,
				.tell_shown = message->tell_shown,
				.tell_events = whole->tell_events,
			},
		.target = {whole->target_kind, whole->target_nearest, whole->target_ns},
		.window_width = message->window_width,
		.window_height = message->window_height,
		.timestamp_ns = m->timestamp_ns,
		.queued_ns = m->queued_ns,
		.damage_count = m->damage_count,
	};
	for (uint32_t i = 0; i < m->damage_count; i++) {
		const struct kr_dp_rect *r = &m->damage[i];

		frame->damage[i] = (android_native_rect_t){r->left, r->top, r->right, r->bottom};
	}
	kr_frame_clip_damage(frame, desc->width, desc->height);
}
