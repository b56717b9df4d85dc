/* SPDX-License-Identifier: Apache-2.0 */
/* Rectangles of frames. */
#include "window/queue/frame.h"

#include "util/macros.h"

static bool
is_empty(const android_native_rect_t *rect)
{
	return rect->left >= rect->right || rect->top >= rect->bottom;
}

bool
kr_frame_crop_fits(const android_native_rect_t *crop, uint32_t width, uint32_t height)
{
	if (crop->left == 0 && crop->top == 0 && crop->right == 0 && crop->bottom == 0)
		return true;
	return !is_empty(crop) && crop->left >= 0 && crop->top >= 0 &&
		(uint32_t)crop->right <= width && (uint32_t)crop->bottom <= height;
}

void
kr_frame_clip_damage(struct kr_frame *frame, uint32_t width, uint32_t height)
{
	uint32_t kept = 0;

	if (!frame->damage_count)
		return;
	for (uint32_t i = 0; i < KR_MIN(frame->damage_count, (uint32_t)KR_FRAME_MAX_DAMAGE); i++) {
		android_native_rect_t r = frame->damage[i];

		r.left = KR_MAX(r.left, 0);
		r.top = KR_MAX(r.top, 0);
		r.right = KR_MIN(r.right, (int32_t)width);
		r.bottom = KR_MIN(r.bottom, (int32_t)height);
		if (!is_empty(&r))
			frame->damage[kept++] = r;
	}
	if (!kept)
		frame->damage[kept++] = (android_native_rect_t){0};
	frame->damage_count = kept;
}

void
kr_frame_end_events(uint64_t number, struct kr_frame_events *events)
{
	events->number = number;
	events->known = KR_TIMING_EVENTS;
	for (unsigned i = 0; i < KR_EVENT_COUNT; i++)
		events->time_ns[i] = KR_TIME_INVALID;
}

void
kr_frame_merge_damage(struct kr_frame *frame, const struct kr_frame *earlier)
{
	uint32_t sum = frame->damage_count + earlier->damage_count;

	if (!frame->damage_count || !earlier->damage_count || sum > KR_FRAME_MAX_DAMAGE) {
		frame->damage_count = 0;
		return;
	}
	for (uint32_t i = 0; i < earlier->damage_count; i++)
		frame->damage[frame->damage_count + i] = earlier->damage[i];
	frame->damage_count = sum;
}

void
kr_frame_take_place(struct kr_frame *frame, const struct kr_frame *earlier)
{
	kr_frame_merge_damage(frame, earlier);
	frame->presentation.tell_shown |= earlier->presentation.tell_shown;
}
