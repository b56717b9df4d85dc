/* SPDX-License-Identifier: Apache-2.0 */
/* What a display wants of its producers' frames (composer/wants.c). */
#include "by_hand.h"

#include <krafla/hardware_buffer.h>
#include <unistd.h>

#include "sync/fence/fence.h"

struct looker {
	struct kr_display_output base; /* first */
	unsigned shown;
};

static int
look(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	((struct looker *)output)->shown++;
	return 0;
}

static const struct kr_display_output_impl looking = {.name = "looking", .show = look};

/* A display by hand with somebody who looks at these pictures. */
static void
begin(struct hand *hand, enum kr_display_clock clock, struct looker *looker,
	struct kr_pictures pictures)
{
	*looker = (struct looker){.base = {.impl = &looking, .wanted = pictures}};
	hand_begin(hand, clock, 16, 16);
	hand->display->hooks.frame_pixels = false; /* outputs look, or nobody does */
	if (pictures.every)
		assert_int_equal(kr_display_add_output(hand->display, &looker->base), 0);
}

static void
expect_wants(struct hand_client *client, uint64_t from, uint64_t every, unsigned changed)
{
	hand_hear(client);
	assert_int_equal(client->wants.from, from);
	assert_int_equal(client->wants.every, every);
	assert_int_equal(client->wants_changed, changed);
}

static void
show(struct hand *hand, struct hand_client *client, unsigned frames)
{
	for (unsigned i = 0; i < frames; i++) {
		assert_true(hand_send_frame(client));
		hand_tick(hand);
	}
}

static void
nothing_is_wanted_when_nobody_looks(void **state)
{
	struct hand_client a, b;
	struct looker looker;
	struct hand hand;

	begin(&hand, KR_CLOCK_VIRTUAL, &looker, (struct kr_pictures){0});
	hand_join_second(&hand, &a, 0);
	show(&hand, &a, 5);
	hand_join_second(&hand, &b, 5);
	hand_dispatch(&hand);
	expect_wants(&a, 0, 0, 0);
	expect_wants(&b, 0, 0, 0);
	assert_int_equal(b.liked_format, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM);
	hand_leave(&a);
	hand_leave(&b);
	hand_end(&hand);
}

static void
all_is_wanted_for_all_pictures_and_with_a_real_clock(void **state)
{
	const struct {
		enum kr_display_clock clock;
		struct kr_pictures pictures;
	} cases[] = {{KR_CLOCK_VIRTUAL, {1, 1}}, {KR_CLOCK_REAL, {1, 1}}, {KR_CLOCK_REAL, {7, 3}}};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		struct hand_client client;
		struct looker looker;
		struct hand hand;

		begin(&hand, cases[i].clock, &looker, cases[i].pictures);
		hand_join_second(&hand, &client, 0);
		show(&hand, &client, 4);
		expect_wants(&client, 0, 1, 0);
		assert_int_equal(client.liked_format, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
		hand_leave(&client);
		hand_end(&hand);
	}
}

/* Alone, frame n is in picture n; and when nothing changes, nothing is said. */
static void
a_series_of_pictures_is_one_of_frames(void **state)
{
	struct hand_client a, b;
	struct looker looker;
	struct hand hand;

	begin(&hand, KR_CLOCK_VIRTUAL, &looker, (struct kr_pictures){5, 3});
	hand_join_second(&hand, &a, 0);
	show(&hand, &a, 12);
	expect_wants(&a, 5, 3, 0);
	assert_int_equal(looker.shown, 3); /* 5, 8, 11 */
	hand_leave(&a);
	hand_dispatch(&hand);
	/* One that comes later, alone again: its frame 1 is in picture 13. */
	hand_join_second(&hand, &b, 0);
	hand_dispatch(&hand);
	expect_wants(&b, 2, 3, 0);
	show(&hand, &b, 2);
	assert_int_equal(looker.shown, 4);
	hand_leave(&b);
	hand_end(&hand);
}

/* Where its frames will be is known when the first one is shown; the other's stay. */
static void
a_second_window_learns_it_from_its_first_frame_on(void **state)
{
	struct hand_client a, b;
	struct looker looker;
	struct hand hand;

	begin(&hand, KR_CLOCK_VIRTUAL, &looker, (struct kr_pictures){2, 2});
	hand_join_second(&hand, &a, 0);
	show(&hand, &a, 3);
	hand_join_second(&hand, &b, 3);
	hand_dispatch(&hand);
	expect_wants(&b, 0, 1, 0);
	for (unsigned i = 0; i < 5; i++) {
		assert_true(hand_send_frame(&b));
		show(&hand, &a, 1);
	}
	expect_wants(&a, 2, 2, 0);
	/* Frame 1 is in picture 4; three buffers, so it can be told of 4 and what follows. */
	expect_wants(&b, 5, 2, 1);
	hand_leave(&a);
	hand_leave(&b);
	hand_end(&hand);
}

/* A frame that fails moves all that follow: all are wanted, from one on that isn't made yet. */
static void
a_frame_that_fails_ends_the_series(void **state)
{
	struct hand_client client;
	struct looker looker;
	struct hand hand;
	int fence;

	begin(&hand, KR_CLOCK_VIRTUAL, &looker, (struct kr_pictures){1, 4});
	hand_join_second(&hand, &client, 0);
	show(&hand, &client, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(kr_fence_create_done(NULL, -5, &fence), 0);
		assert_true(hand_send_fenced(&client, fence));
		close(fence);
		hand_dispatch(&hand);
		show(&hand, &client, 2);
		/* Frame 3 failed, 4 was shown, 7 needs a release that comes after the message. */
		expect_wants(&client, 7, 1, 1);
	}
	hand_leave(&client);
	hand_end(&hand);
}

/* Version 1 has no words for it. */
static void
an_old_producer_is_told_nothing(void **state)
{
	struct hand_client client;
	struct looker looker;
	struct hand hand;

	begin(&hand, KR_CLOCK_VIRTUAL, &looker, (struct kr_pictures){2, 2});
	hand_join(&hand, &client, 16, 16, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	show(&hand, &client, 5);
	hand_hear(&client);
	assert_int_equal(client.wants_changed, 0);
	assert_false(client.cut_off);
	hand_leave(&client);
	hand_end(&hand);
}

/* Numbers that no producer of ours has are followed nowhere, and nobody is hurt. */
static void
numbers_that_end_are_followed_no_longer(void **state)
{
	struct hand_client client;
	struct looker looker;
	struct hand hand;

	begin(&hand, KR_CLOCK_VIRTUAL, &looker, (struct kr_pictures){2, 2});
	hand_join_second(&hand, &client, 0);
	client.frame.number = client.released = UINT64_MAX - 2;
	show(&hand, &client, 2);
	expect_wants(&client, 2, 2, 0);
	assert_false(client.cut_off);
	assert_int_equal(hand_shown(&hand), 2);
	hand_leave(&client);
	hand_end(&hand);
}

/* It was asked for pixels and has none, by mistake, too late, or lying: counted, and on it goes. */
static void
wanted_frames_without_pixels_are_counted(void **state)
{
	struct kr_display_stats stats;
	struct hand_client client;
	struct looker looker;
	struct hand hand;

	begin(&hand, KR_CLOCK_VIRTUAL, &looker, (struct kr_pictures){1, 2});
	hand_join_second(&hand, &client, 0);
	show(&hand, &client, 1);
	client.no_pixels = true;
	show(&hand, &client, 2); /* 2 isn't wanted, 3 is */
	client.no_pixels = false;
	show(&hand, &client, 2);
	kr_display_get_stats(hand.display, &stats);
	assert_int_equal(stats.without_pixels, 1);
	assert_int_equal(stats.shown, 5);
	assert_int_equal(looker.shown, 3);
	hand_hear(&client);
	assert_false(client.cut_off);
	hand_leave(&client);
	hand_end(&hand);
}

static const struct kr_test tests[] = {
	KR_TEST(nothing_is_wanted_when_nobody_looks),
	KR_TEST(all_is_wanted_for_all_pictures_and_with_a_real_clock),
	KR_TEST(a_series_of_pictures_is_one_of_frames),
	KR_TEST(a_second_window_learns_it_from_its_first_frame_on),
	KR_TEST(a_frame_that_fails_ends_the_series),
	KR_TEST(an_old_producer_is_told_nothing),
	KR_TEST(numbers_that_end_are_followed_no_longer),
	KR_TEST(wanted_frames_without_pixels_are_counted),
};

KR_TEST_MAIN(tests)
