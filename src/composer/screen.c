/* SPDX-License-Identifier: Apache-2.0 */
/* See screen.h. */
#include "composer/screen.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>

#include "composer/display.h"
#include "gralloc/buffer.h"
#include "util/log.h"

int
kr_display_screen_init(struct kr_display_screen *screen, const char *device)
{
	screen->next = 1;
	return krafla_composer_open(device ? device : "soft", &screen->composer);
}

/* What is on screen can be drawn by a GPU that is there now. */
static void
handle_refresh(void *data, krafla_display_t handle)
{
	struct kr_display *display = data;

	display->restacked = true;
}

int
kr_display_screen_listen(struct kr_display_screen *screen, struct kr_display *display)
{
	const struct krafla_composer_callbacks callbacks = {
		.size = sizeof(callbacks),
		.data = display,
		.refresh = handle_refresh,
	};

	(void)kr_hwc_get_drawing(screen->composer, 0, &display->drawing);
	display->draws_by_gpu = display->drawing.possible;
	return krafla_composer_register(screen->composer, &callbacks) ? -EIO : 0;
}

static bool
wants(void *data, uint64_t number)
{
	const struct kr_display *display = data;
	const struct kr_pictures wanted = kr_display_wants_on_screen(display);

	return kr_pictures_have(
		&wanted, display->screen.frames[number % KR_DISPLAY_SCREEN_ON_THE_WAY].number);
}

static void
count_picture(struct kr_display *display, const struct krafla_picture *picture)
{
	struct kr_display_stats *stats = &display->stats;

	kr_mutex_lock(&display->lock);
	stats->untouched += !picture->pixels;
	stats->handed_over += picture->buffer != NULL;
	stats->drawn += picture->pixels && !picture->buffer;
	stats->drawn_bytes += picture->written_bytes;
	stats->without_pixels += picture->older;
	kr_mutex_unlock(&display->lock);
}

/* To whom it is for. 0, or what one of them answered. */
static int
show_everywhere(struct kr_display *display, struct kr_composed_frame *frame)
{
	int err = kr_display_outputs_show(&display->outputs, frame);

	if (err < 0 || !display->hooks.frame)
		return err;
	if (!display->hooks.frame_pixels)
		frame->pixels = NULL;
	return display->hooks.frame(display->data, frame);
}

/* Whose buffer the picture is. 0: nobody's who is still there. */
static uint64_t
owner_of(const struct kr_display *display, const struct kr_buffer *buffer)
{
	const struct kr_producer *producer;

	kr_list_for_each (producer, &display->producers, link) {
		if ((producer->on_screen && producer->content.buffer == buffer) ||
			(producer->has_replaced && producer->replaced.buffer == buffer))
			return producer->own_number;
	}
	return 0;
}

/* Against the last picture that outputs have heard of. */
static void
tell_damage(struct kr_display_screen *screen, const struct krafla_picture *picture,
	struct kr_composed_frame *frame)
{
	static const ARect nowhere;

	frame->damage_count = picture->damage_count;
	frame->damage = picture->damage;
	if (!picture->damage_count) {
		frame->damage_count = 1;
		frame->damage = &nowhere;
	}
	if (screen->unsaid)
		frame->damage_count = 0;
	screen->unsaid = false;
}

/* What the composer made, for outputs. */
static void
describe(struct kr_display *display, const struct krafla_picture *picture,
	struct kr_composed_frame *frame)
{
	const struct kr_buffer *buffer = (const struct kr_buffer *)(const void *)picture->buffer;
	const struct kr_hdr_metadata *hdr =
		&display->screen.hdrs[picture->number % KR_DISPLAY_SCREEN_ON_THE_WAY];

	frame->format = picture->format;
	frame->row_bytes = picture->row_bytes;
	frame->pixels = picture->pixels;
	frame->hold = kr_display_holds_offer(
		display->holds, picture->hold, buffer ? owner_of(display, buffer) : 0);
	frame->buffer = buffer ? kr_buffer_get_info(buffer) : NULL;
	frame->offset = picture->offset;
	frame->dataspace = picture->dataspace;
	frame->hdr = hdr->has ? hdr : NULL;
	tell_damage(&display->screen, picture, frame);
}

static int
show(void *data, const struct krafla_picture *picture, int *shown_fence)
{
	struct kr_display *display = data;
	struct kr_display_screen *screen = &display->screen;
	struct kr_composed_frame *frame =
		&screen->frames[picture->number % KR_DISPLAY_SCREEN_ON_THE_WAY];
	uint64_t number = frame->number;

	screen->shown |= picture->number == screen->next;
	if (frame->number == 0) {
		screen->unsaid = true;
		return 0;
	}
	describe(display, picture, frame);
	count_picture(display, picture);
	if (picture->gpu_done_ns)
		kr_display_time_drawn(display, number, picture->gpu_done_ns);
	screen->err = show_everywhere(display, frame);
	if (!screen->err)
		*shown_fence = kr_display_outputs_shown_fence(&display->outputs, number);
	return screen->err;
}

static uint32_t
vsync_period(int64_t period_ns)
{
	return (uint32_t)KR_MIN(period_ns, (int64_t)INT32_MAX);
}

int
kr_display_screen_open(struct kr_display_screen *screen, struct kr_display *display, uint32_t width,
	uint32_t height)
{
	const struct krafla_screen description = {
		.size = sizeof(description),
		.data = display,
		.width = width,
		.height = height,
		.vsync_period_ns = vsync_period(display->grid.period_ns),
		.dpi_x = -1,
		.dpi_y = -1,
		.wants = wants,
		.show = show,
		.dataspace = display->config.dataspace,
	};
	krafla_display_t handle;
	int error = krafla_composer_create_screen(screen->composer, &description, &handle), err;

	if (error) {
		kr_error(
			"display: no screen of %ux%u (the composer says %d)", width, height, error);
		return error == KRAFLA_COMPOSER_NO_RESOURCES ? -ENOMEM : -EINVAL;
	}
	err = kr_target_open(&screen->target, display, screen->composer, handle);
	if (err)
		return err;
	screen->target.is_screen = true;
	screen->open = true;
	return 0;
}

void
kr_display_screen_set_period(struct kr_display_screen *screen, int64_t period_ns)
{
	if (krafla_composer_set_screen_period(
		    screen->composer, screen->target.handle, vsync_period(period_ns)))
		kr_warn("display: its screen has no period of %lld ns", (long long)period_ns);
	screen->target.period_ns = period_ns;
}

void
kr_display_screen_finish(struct kr_display_screen *screen)
{
	if (screen->open)
		kr_target_finish(&screen->target);
	krafla_composer_close(screen->composer);
}

int
kr_display_screen_present(struct kr_display_screen *screen, const struct kr_composed_frame *frame)
{
	int err;

	screen->frames[screen->next % KR_DISPLAY_SCREEN_ON_THE_WAY] = *frame;
	screen->shown = false;
	err = kr_target_present(&screen->target, frame->time_ns);
	screen->next += !err || screen->shown;
	return screen->err ? screen->err : err;
}

int
kr_display_screen_withdraw(struct kr_display_screen *screen)
{
	const struct kr_composed_frame none = {0};
	int err;

	screen->muted = true;
	err = kr_display_screen_present(screen, &none);
	screen->muted = false;
	return err;
}
