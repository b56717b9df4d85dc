/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes <krafla/composer.h>: the input is a sequence of calls with their arguments, wrong ones
 * among them. The first byte picks the device and whether, after the first half, two threads go on,
 * each with a part of what is left. The rest is told in composer/fuzzed.h.
 *
 * Besides what the model says: a fence that goes in stays open, one that comes out is one and ends
 * when the composer is closed, and nothing stays open then.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "composer/fuzzed.h"
#include "sync/fence/fence.h"
#include "util/macros.h"

#define BEGIN_LAYERS 6
#define SETTLE_MS    2
#define SETTLE_TRIES 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- screens --- */

static atomic_uint shown;
static pthread_mutex_t holds_lock = PTHREAD_MUTEX_INITIALIZER;
static struct krafla_picture_hold *holds[MAX_HOLDS];
static unsigned hold_count;

void
holds_drop_all(void)
{
	pthread_mutex_lock(&holds_lock);
	while (hold_count)
		krafla_picture_hold_drop(holds[--hold_count]);
	pthread_mutex_unlock(&holds_lock);
}

static void
look_at(const struct krafla_picture *picture)
{
	const volatile uint8_t *pixels = picture->pixels;

	hand_check(picture->width && picture->height, "a picture without a size");
	if (pixels)
		(void)(pixels[0] + pixels[(size_t)picture->row_bytes * (picture->height - 1)]);
}

static bool
wants(void *data, uint64_t number)
{
	return atomic_fetch_add(&shown, 1) % 5 != 0;
}

static int
show(void *data, const struct krafla_picture *picture, int *shown_fence)
{
	const struct kr_fence_label label = {"fuzz", 3, "shown"};
	unsigned turn = atomic_fetch_add(&shown, 1);

	look_at(picture);
	pthread_mutex_lock(&holds_lock);
	if (turn % 3 == 0 && hold_count < MAX_HOLDS && krafla_picture_hold_take(picture->hold))
		holds[hold_count++] = picture->hold;
	pthread_mutex_unlock(&holds_lock);
	if (turn % 7 == 0)
		(void)!kr_fence_create_done(&label, 1, shown_fence);
	return turn % 31 == 0 ? -EIO : 0;
}

static void
create_screen(struct hand *hand)
{
	struct krafla_screen screen = {.size = sizeof(screen),
		.vsync_period_ns = hand_choose(hand, 16) ? 1000000 : 0,
		.dpi_x = -1,
		.dpi_y = -1,
		.wants = hand_choose(hand, 2) ? wants : NULL,
		.show = hand_choose(hand, 16) ? show : NULL};
	krafla_display_t display = UNTOUCHED_64;
	unsigned wrong = 0;

	hand_extent(hand, &screen.width, &screen.height);
	if (hand_choose(hand, 32) == 31)
		screen.size = hand_byte(hand);
	if (!screen.width || screen.width > 16384 || !screen.height || screen.height > 16384 ||
		!screen.vsync_period_ns || !screen.show || screen.size != sizeof(screen))
		wrong = ALLOW(BAD_PARAMETER);
	if (!hand_judge(hand, "create_screen",
		    krafla_composer_create_screen(hand->all->composer, &screen, &display),
		    wrong ? wrong : ALLOW(NONE) | ALLOW(NO_RESOURCES))) {
		hand_check(display == UNTOUCHED_64, "create_screen failed and wrote");
		return;
	}
	if (hand->all->alone &&
		!model_add_display(hand->all, display, false, screen.width, screen.height))
		(void)krafla_composer_destroy_screen(hand->all->composer, display);
}

static void
resize_screen(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	unsigned wrong = model ? 0 : ALLOW(BAD_DISPLAY);
	uint32_t width, height;

	hand_extent(hand, &width, &height);
	if (!width || width > 16384 || !height || height > 16384)
		wrong |= ALLOW(BAD_PARAMETER);
	if (model && model->is_virtual)
		wrong |= ALLOW(UNSUPPORTED);
	if (!hand_judge(hand, "resize_screen",
		    krafla_composer_resize_screen(hand->all->composer, display, width, height),
		    wrong ? wrong : ALLOW(NONE) | ALLOW(NO_RESOURCES)) ||
		!hand->all->alone)
		return;
	model->width = width;
	model->height = height;
	model_end_validation(model);
}

static void
set_period(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	unsigned wrong = model ? 0 : ALLOW(BAD_DISPLAY);
	uint32_t period = hand_choose(hand, 8) * 1000000;

	if (!period)
		wrong |= ALLOW(BAD_PARAMETER);
	if (model && model->is_virtual)
		wrong |= ALLOW(UNSUPPORTED);
	hand_judge(hand, "set_screen_period",
		krafla_composer_set_screen_period(hand->all->composer, display, period),
		wrong ? wrong : ALLOW(NONE));
}

static void
destroy_display(struct hand *hand)
{
	struct display_model *model;
	krafla_display_t display = hand_display(hand, &model);
	struct krafla_composer *composer = hand->all->composer;
	bool as_virtual = hand_choose(hand, 4) ? model && model->is_virtual : hand_choose(hand, 2);
	unsigned allowed = !model                 ? ALLOW(BAD_DISPLAY)
		: model->is_virtual == as_virtual ? ALLOW(NONE)
		: as_virtual                      ? ALLOW(BAD_PARAMETER)
						  : ALLOW(UNSUPPORTED);

	/* A display has a life before it goes. */
	if (hand_choose(hand, 4))
		return;
	if (hand_judge(hand, "destroy",
		    as_virtual ? krafla_composer_destroy_virtual_display(composer, display)
			       : krafla_composer_destroy_screen(composer, display),
		    allowed) &&
		hand->all->alone)
		model_remove_display(model);
}

static void
create_virtual(struct hand *hand)
{
	int32_t format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	krafla_display_t display = UNTOUCHED_64;
	bool odd = hand_choose(hand, 16) == 15;
	unsigned wrong = odd ? ALLOW(BAD_PARAMETER) : 0;
	uint32_t width, height;

	hand_extent(hand, &width, &height);
	if (!width || width > 16384 || !height || height > 16384)
		wrong |= ALLOW(UNSUPPORTED);
	if (hand_judge(hand, "create_virtual_display",
		    krafla_composer_create_virtual_display(
			    hand->all->composer, width, height, odd ? NULL : &format, &display),
		    wrong ? wrong : ALLOW(NONE) | ALLOW(NO_RESOURCES)) &&
		hand->all->alone && !model_add_display(hand->all, display, true, width, height))
		(void)krafla_composer_destroy_virtual_display(hand->all->composer, display);
}

/* --- the composer --- */

static void
handle_hotplug(void *data, krafla_display_t display, enum krafla_connection connection)
{
	struct fuzzed *all = data;
	int type;

	/* Callbacks may call. */
	(void)krafla_display_get_type(all->composer, display, &type);
}

static void
handle_vsync(void *data, krafla_display_t display, int64_t time_ns, int64_t period_ns)
{
	hand_check(time_ns > 0 && period_ns > 0, "a vsync without a time");
}

static void
dispatch(struct hand *hand)
{
	hand_judge(hand, "dispatch", krafla_composer_dispatch(hand->all->composer),
		ALLOW(NONE) | ALLOW(NO_RESOURCES));
}

static void
listen_to(struct hand *hand)
{
	struct krafla_composer_callbacks callbacks = {.size = sizeof(callbacks),
		.data = hand->all,
		.hotplug = hand_choose(hand, 2) ? handle_hotplug : NULL,
		.vsync = hand_choose(hand, 2) ? handle_vsync : NULL};
	bool odd = hand_choose(hand, 8) == 7;

	hand_judge(hand, "register",
		krafla_composer_register(hand->all->composer, odd ? NULL : &callbacks),
		odd ? ALLOW(BAD_PARAMETER) : ALLOW(NONE));
}

static void
call_nobody(struct hand *hand)
{
	uint32_t n;
	int fence;

	hand_judge(hand, "validate without a composer", krafla_display_validate(NULL, 1, &n, &n),
		ALLOW(BAD_PARAMETER) | ALLOW(BAD_DISPLAY));
	hand_judge(hand, "present without a composer", krafla_display_present(NULL, 1, &fence),
		ALLOW(BAD_PARAMETER) | ALLOW(BAD_DISPLAY) | ALLOW(BAD_DISPLAY));
	hand_check(krafla_composer_get_fd(NULL) == -1, "nobody has a descriptor");
}

static void
drop_holds(struct hand *hand)
{
	holds_drop_all();
}

static void
run(struct hand *hand)
{
	static void (*const others[])(struct hand *) = {create_screen, create_screen,
		create_virtual, resize_screen, set_period, destroy_display, dispatch, dispatch,
		listen_to, hand_end_one, hand_end_one, hand_close_one, drop_holds, call_nobody};

	while (hand->size) {
		unsigned which = hand_choose(hand, 8);

		if (which == 0)
			others[hand_choose(hand, KR_ARRAY_LEN(others))](hand);
		else if (which < 4)
			call_layer(hand);
		else if (which < 7)
			call_picture(hand);
		else
			call_display(hand);
	}
}

static void *
run_beside(void *hand)
{
	run(hand);
	return NULL;
}

static unsigned
count_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

/* Threads that serve fences close their descriptors a moment later. */
static void
expect_open(unsigned before)
{
	for (unsigned i = 0; i < SETTLE_TRIES && count_open() > before; i++)
		poll(NULL, 0, SETTLE_MS);
	hand_check(count_open() <= before, "descriptors are left open");
}

/* So that most calls find something: a screen and a virtual display, with a layer each. */
static void
begin(struct hand *hand)
{
	create_screen(hand);
	create_virtual(hand);
	for (unsigned i = 0; i < BEGIN_LAYERS; i++)
		call_create_layer(hand);
}

static void
run_together(struct hand hands[2], size_t half)
{
	pthread_t thread;

	hands[0].all->alone = false;
	hands[1].data = hands[0].data + half;
	hands[1].size = hands[0].size - half;
	hands[0].size = half;
	hand_check(!pthread_create(&thread, NULL, run_beside, &hands[1]), "no thread");
	run(&hands[0]);
	pthread_join(thread, NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const devices[] = {"soft", "random:7", "random:4711", "soft"};
	struct fuzzed all = {.alone = true};
	struct hand hands[2] = {{.all = &all}, {.all = &all}};
	unsigned first = size ? data[0] : 0, before;

	if (size < 2)
		return 0;
	before = count_open();
	atomic_store(&shown, first);
	all.is_random = first % 4 == 1 || first % 4 == 2;
	hand_check(!krafla_composer_open(devices[first % 4], &all.composer), "no composer");
	buffers_make(&all);
	hands[0].data = data + 1;
	hands[0].size = first & 4 ? size / 2 : size - 1;
	begin(&hands[0]);
	run(&hands[0]);
	if (first & 4) {
		hands[0].size = size - 1 - size / 2;
		run_together(hands, hands[0].size / 2);
	}
	krafla_composer_close(all.composer);
	holds_drop_all();
	buffers_drop(&all);
	hand_finish(&hands[0]);
	hand_finish(&hands[1]);
	expect_open(before);
	return 0;
}
