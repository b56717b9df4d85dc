/* SPDX-License-Identifier: Apache-2.0 */
/* See slots.h. */
#include "outputs/display/slots.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <sys/mman.h>

#include "colour/convert.h"
#include "gralloc/buffer.h"
#include "gralloc/pixels.h"
#include "outputs/display/log.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

#define BYTES_PER_PIXEL 4
/* More rectangles than this are worth less than their bounds. */
#define STALE_MAX 32

void
slots_init(struct slots *slots, const struct kr_display_output_host *host,
	struct kr_display_output *output)
{
	*slots = (struct slots){.host = host, .output = output};
	for (unsigned i = 0; i < SLOTS; i++) {
		slots->items[i].signal = slots->items[i].fd = -1;
		pixman_region32_init(&slots->items[i].stale);
	}
}

static uint64_t
slot_size(const struct slots *slots)
{
	return (uint64_t)slots->row_bytes * slots->height;
}

static void
note_fate(struct slots *slots, uint64_t number, int64_t shown_ns)
{
	slots->fates[number % KR_DISPLAY_OUTPUT_SHOWN] = (struct slots_fate){number, shown_ns};
}

/* The picture's fate is known: who waits for it hears, and it counts. */
static void
settle(struct slots *slots, struct slot *slot, bool shown, int64_t shown_ns)
{
	if (slot->signal >= 0)
		slots->host->fence_signal(slot->signal, KR_FENCE_SIGNALLED);
	slot->signal = -1;
	if (slot->counted)
		return;
	slot->counted = true;
	note_fate(slots, slot->number, shown ? shown_ns : 0);
	slots->shown += shown;
	slots->output->dropped += !shown;
}

static void
let_go(struct slots *slots, struct slot *slot)
{
	if (slot->hold)
		slots->host->hold_drop(slot->hold);
	slot->hold = NULL;
}

static void
empty(struct slots *slots, struct slot *slot)
{
	if (slot->number)
		settle(slots, slot, false, 0);
	slot_idle(slots, slot);
	slot->number = 0;
	kr_fd_close(&slot->fd);
	if (slot->pixels)
		munmap(slot->pixels, slot_size(slots));
	slot->pixels = NULL;
}

void
slots_finish(struct slots *slots)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		empty(slots, &slots->items[i]);
		pixman_region32_fini(&slots->items[i].stale);
	}
}

void
slots_resize(struct slots *slots, uint32_t width, uint32_t height)
{
	for (unsigned i = 0; i < SLOTS; i++)
		empty(slots, &slots->items[i]);
	slots->width = width;
	slots->height = height;
	slots->row_bytes = width * BYTES_PER_PIXEL;
}

static int
get_memory(struct slots *slots, struct slot *slot)
{
	void *map;
	int ret;

	if (slot->pixels)
		return 0;
	ret = kr_memfd_create("krafla-picture", slot_size(slots), &slot->fd);
	if (ret)
		return ret;
	map = mmap(NULL, slot_size(slots), PROT_READ | PROT_WRITE, MAP_SHARED, slot->fd, 0);
	if (map == MAP_FAILED) {
		ret = -errno;
		kr_fd_close(&slot->fd);
		return ret;
	}
	slot->pixels = map;
	pixman_region32_fini(&slot->stale);
	pixman_region32_init_rect(&slot->stale, 0, 0, slots->width, slots->height);
	return 0;
}

/* Where the picture differs from the one before, as far as that is known. */
static void
init_damage(
	const struct slots *slots, const struct kr_composed_frame *frame, pixman_region32_t *damage)
{
	if (!frame->damage_count || frame->number != slots->last + 1) {
		pixman_region32_init_rect(damage, 0, 0, slots->width, slots->height);
		return;
	}
	pixman_region32_init(damage);
	for (uint32_t i = 0; i < frame->damage_count; i++) {
		const ARect *rect = &frame->damage[i];

		if (rect->left < rect->right && rect->top < rect->bottom)
			pixman_region32_union_rect(damage, damage, rect->left, rect->top,
				(unsigned)(rect->right - rect->left),
				(unsigned)(rect->bottom - rect->top));
	}
	pixman_region32_intersect_rect(damage, damage, 0, 0, slots->width, slots->height);
}

static void
add_stale(struct slot *slot, pixman_region32_t *damage)
{
	pixman_region32_union(&slot->stale, &slot->stale, damage);
	if (pixman_region32_n_rects(&slot->stale) > STALE_MAX) {
		const pixman_box32_t all = *pixman_region32_extents(&slot->stale);

		pixman_region32_reset(&slot->stale, &all);
	}
}

static void
note_damage(struct slots *slots, const struct kr_composed_frame *frame)
{
	pixman_region32_t damage;

	init_damage(slots, frame, &damage);
	for (unsigned i = 0; i < SLOTS; i++)
		add_stale(&slots->items[i], &damage);
	pixman_region32_fini(&damage);
	slots->last = frame->number;
}

/* How a row of a picture becomes what windows of other systems have: sRGB, B8G8R8X8. */
struct copying {
	kr_pixels_row_fn row; /* NULL: colours are converted */
	struct kr_colour_conversion conversion;
};

static bool
copying_init(struct copying *copying, const struct kr_composed_frame *frame)
{
	copying->row = NULL;
	if (frame->dataspace == HAL_DATASPACE_SRGB)
		copying->row = kr_pixels_to_xrgb(frame->format);
	else if (kr_colour_has_format(frame->format))
		kr_colour_conversion_init(&copying->conversion, frame->format, frame->dataspace,
			HAL_DATASPACE_SRGB, false);
	else
		return false;
	return copying->row || frame->dataspace != HAL_DATASPACE_SRGB;
}

static void
copy_row(const struct copying *copying, const void *from, uint32_t *to, uint32_t width)
{
	if (copying->row)
		copying->row(from, to, width);
	else
		kr_colour_to_words(&copying->conversion, from, to, width, true);
}

static int
copy(struct slots *slots, struct slot *slot, const struct kr_composed_frame *frame)
{
	uint32_t bytes = kr_format_bytes(frame->format);
	const pixman_box32_t *box;
	struct copying copying;
	int count;

	if (!copying_init(&copying, frame))
		return -EOPNOTSUPP;
	box = pixman_region32_rectangles(&slot->stale, &count);
	for (; count; count--, box++) {
		for (int32_t y = box->y1; y < box->y2; y++)
			copy_row(&copying,
				(const char *)frame->pixels + (size_t)y * frame->row_bytes +
					(size_t)box->x1 * bytes,
				(uint32_t *)(void *)((char *)slot->pixels +
					(size_t)y * slots->row_bytes) +
					box->x1,
				(uint32_t)(box->x2 - box->x1));
	}
	pixman_region32_clear(&slot->stale);
	return 0;
}

static bool
is_unused(const struct slot *slot)
{
	return slot->state == SLOT_FREE && (!slot->number || slot->counted);
}

/* The one that waits; else of the free ones the one that was filled first. */
static struct slot *
choose(struct slots *slots)
{
	struct slot *chosen = slots_waiting(slots);

	for (unsigned i = 0; i < SLOTS && !slots_waiting(slots); i++) {
		struct slot *slot = &slots->items[i];

		if (is_unused(slot) && (!chosen || slot->order < chosen->order))
			chosen = slot;
	}
	return chosen;
}

int
slots_take(struct slots *slots, const struct kr_composed_frame *frame, bool lend, struct slot **out)
{
	struct slot *slot = choose(slots);
	int ret = 0;

	note_damage(slots, frame);
	*out = NULL;
	if (!slot) {
		note_fate(slots, frame->number, 0);
		slots->output->dropped++;
		return 0;
	}
	if (slot->state == SLOT_WAITING)
		settle(slots, slot, false, 0);
	let_go(slots, slot);
	slot->state = SLOT_FREE;
	if (lend && frame->dataspace == HAL_DATASPACE_SRGB && slots->host->hold_take(frame->hold)) {
		slot->hold = frame->hold;
	} else {
		ret = get_memory(slots, slot);
		if (!ret)
			ret = copy(slots, slot, frame);
		if (ret)
			return ret;
	}
	slot->state = SLOT_WAITING;
	slot->number = frame->number;
	slot->counted = false;
	slot->order = ++slots->orders;
	*out = slot;
	return 0;
}

struct slot *
slots_waiting(struct slots *slots)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		if (slots->items[i].state == SLOT_WAITING)
			return &slots->items[i];
	}
	return NULL;
}

struct slot *
slots_newest(struct slots *slots)
{
	struct slot *newest = NULL;

	for (unsigned i = 0; i < SLOTS; i++) {
		struct slot *slot = &slots->items[i];

		if (slot->state != SLOT_WAITING && slot->number &&
			(!newest || slot->order > newest->order))
			newest = slot;
	}
	return newest;
}

bool
slots_settled(const struct slots *slots)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		if (slots->items[i].number && !slots->items[i].counted)
			return false;
	}
	return true;
}

unsigned
slots_sent(const struct slots *slots)
{
	unsigned sent = 0;

	for (unsigned i = 0; i < SLOTS; i++)
		sent += slots->items[i].state == SLOT_SENT;
	return sent;
}

void
slot_complete(struct slots *slots, struct slot *slot, bool shown, int64_t shown_ns)
{
	settle(slots, slot, shown, shown_ns);
}

/* How long ago a picture may have been shown that is told of now, and how far ahead it may be. */
#define BEFORE_S 10
#define AHEAD_S  1

int64_t
slots_time(uint64_t seconds, uint64_t nanoseconds)
{
	uint64_t now = (uint64_t)(kr_clock_now() / KR_NSEC_PER_SEC);

	if (seconds > now + AHEAD_S || seconds + BEFORE_S < now ||
		nanoseconds >= (uint64_t)KR_NSEC_PER_SEC)
		return 0;
	return (int64_t)seconds * KR_NSEC_PER_SEC + (int64_t)nanoseconds;
}

void
slot_idle(struct slots *slots, struct slot *slot)
{
	let_go(slots, slot);
	slot->state = SLOT_FREE;
}

int
slots_shown_time(const struct slots *slots, uint64_t number, int64_t *time_ns)
{
	const struct slots_fate *fate = &slots->fates[number % KR_DISPLAY_OUTPUT_SHOWN];

	if (fate->number != number)
		return fate->number > number ? -ENOENT : -EAGAIN;
	*time_ns = fate->shown_ns;
	return fate->shown_ns > 0 ? 0 : -ENOENT;
}

int
slots_shown_fence(struct slots *slots, uint64_t number)
{
	int fence = -1, err;

	for (unsigned i = 0; i < SLOTS; i++) {
		struct slot *slot = &slots->items[i];

		if (slot->number != number || slot->counted || slot->signal >= 0)
			continue;
		err = slots->host->fence_create(number, &slot->signal, &fence);
		if (err)
			display_log(slots->host, KR_LOG_WARN,
				"no fence for picture %llu (error %d)", (unsigned long long)number,
				-err);
	}
	return fence;
}
