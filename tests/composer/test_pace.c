/* SPDX-License-Identifier: Apache-2.0 */
/* Displays of several rates: which they have when, and where their pictures are in time then. */
#include "by_hand.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "window/remote/message.h"
#include "window/remote/remote.h"

#define WAIT_NS (10 * KR_NSEC_PER_SEC)

/* A frame's time at these rates, as displays count it. */
#define AT_144 INT64_C(6944444)
#define AT_120 INT64_C(8333333)
#define AT_60  INT64_C(16666666)
#define AT_24  INT64_C(41666666)

static const struct kr_frame_rate nothing;

static struct kr_frame_rate
fixed(double hz)
{
	return (struct kr_frame_rate){
		(float)hz, NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_FIXED_SOURCE, 0};
}

static struct kr_frame_rate
any(double hz)
{
	return (struct kr_frame_rate){(float)hz, NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_DEFAULT, 0};
}

/* The others end with 0. */
static struct kr_display_config
config_of(enum kr_display_clock clock, uint32_t first_mhz, const uint32_t *others)
{
	struct kr_display_config config = rig_config(clock);

	config.refresh_mhz = first_mhz;
	for (; others[config.other_count]; config.other_count++)
		config.other_mhz[config.other_count] = others[config.other_count];
	return config;
}

static struct kr_display_config
config_144(enum kr_display_clock clock)
{
	static const uint32_t others[] = {120000, 60000, 24000, 0};

	return config_of(clock, 144000, others);
}

static struct kr_queue *
window_of(const struct rig *rig, const char *label, uint32_t buffers)
{
	struct kr_queue *queue = rig_window(rig, label);

	assert_int_equal(kr_queue_set_buffer_count(queue, buffers), 0);
	return queue;
}

static void
wish(struct kr_queue *queue, struct kr_frame_rate rate)
{
	assert_int_equal(kr_queue_set_frame_rate(queue, &rate), 0);
}

/* What it knows of its display by now. */
static struct kr_queue_config
hear(struct kr_queue *queue)
{
	struct kr_queue_config config;

	assert_true(kr_queue_alive(queue));
	kr_queue_get_config(queue, &config);
	return config;
}

static int64_t
picture_time(struct rig *rig, unsigned picture)
{
	int64_t time;

	kr_mutex_lock(&rig->lock);
	time = rig->times[picture - 1];
	kr_mutex_unlock(&rig->lock);
	return time;
}

static void
wait_rate(struct rig *rig, uint32_t mhz)
{
	int64_t until = kr_clock_now() + WAIT_NS;
	struct kr_display_stats stats;

	do {
		stats = rig_stats(rig);
		assert_true(kr_clock_now() < until);
		poll(NULL, 0, 1);
	} while (stats.rates_mhz[stats.rate] != mhz);
}

/* Of pictures one behind the other, how long after the one before each is. */
static void
expect_steps(struct rig *rig, unsigned first, const int64_t *steps, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		int64_t step = picture_time(rig, first + i) - picture_time(rig, first + i - 1);

		if (step != steps[i])
			fail_msg("picture %u is %lld ns after the one before, not %lld", first + i,
				(long long)step, (long long)steps[i]);
	}
}

/* --- virtual clock --- */

/* The frames of one window, and what it says before each. */
static const struct {
	bool says;
	float fixed_hz; /* 0: nothing more */
	int64_t step;   /* from the picture that has the frame to the next */
} story[] = {
	{false, 0, AT_144},
	{false, 0, AT_144},
	{true, 30, AT_60},
	{false, 0, AT_60},
	{true, 24, AT_24},
	{true, 40, AT_120},
	{true, 0, AT_144},
	{false, 0, AT_144},
	/* Of no rate a part; of this one it is nearest to that. */
	{true, 49, AT_144},
};

static void
tell_story(struct kr_queue *queue, unsigned i)
{
	if (story[i].says)
		wish(queue, fixed(story[i].fixed_hz));
	rig_show_plain(queue, i);
}

static void
expect_story(struct rig *rig)
{
	int64_t at = 0;

	for (unsigned i = 0; i < KR_ARRAY_LEN(story); i++) {
		assert_int_equal(picture_time(rig, i + 1), at);
		at += story[i].step;
	}
}

/* However early or late the display hears of it. */
static void
wishes_come_and_go_with_frames(void **state)
{
	for (int all_at_once = 0; all_at_once < 2; all_at_once++) {
		const struct kr_display_config config = config_144(KR_CLOCK_VIRTUAL);
		struct rig rig = {.expected_groups = 1};
		struct kr_queue *queue, *other;
		struct kr_display_stats stats;

		rig_start_with(&rig, &config);
		/* Time stands still while the other one has nothing. */
		other = rig_window(&rig, "other");
		queue = window_of(&rig, "wishes", KR_ARRAY_LEN(story) + 1);
		if (!all_at_once)
			rig_close(other);
		for (unsigned i = 0; i < KR_ARRAY_LEN(story); i++) {
			tell_story(queue, i);
			if (!all_at_once)
				rig_wait_frames(&rig, i + 1);
		}
		if (all_at_once) {
			rig_wait_stat(&rig, queued, KR_ARRAY_LEN(story));
			rig_close(other);
		}
		rig_close(queue);
		rig_wait_gone(&rig, 2);
		rig_drain(&rig);
		expect_story(&rig);
		assert_int_equal(rig.display->wishers, 0);
		assert_int_equal(rig.display->wishes_ahead, 0);
		rig_stop(&rig, &stats);
		assert_int_equal(stats.composed, KR_ARRAY_LEN(story));
		assert_int_equal(stats.rate_count, 4);
		assert_int_equal(stats.rate_pictures[0], 5);
		assert_int_equal(stats.rate_pictures[1], 1);
		assert_int_equal(stats.rate_pictures[2], 2);
		assert_int_equal(stats.rate_pictures[3], 1);
	}
}

/* What a producer says of its frames' times is of the time that there is, whatever the rates. */
static void
times_are_the_sum_of_the_periods(void **state)
{
	const struct kr_display_config config = config_144(KR_CLOCK_VIRTUAL);
	const struct kr_frame_target target = {KR_TARGET_ABSOLUTE, false, 3 * AT_60 + 1};
	const struct kr_frame_target far = {KR_TARGET_ABSOLUTE, true, 20 * KR_NSEC_PER_SEC};
	struct rig_frame frame = RIG_FRAME;
	struct kr_frame_times times;
	struct rig rig = {0};
	struct kr_queue *queue;
	int64_t at;
	uint64_t number;

	frame.presentation.tell_events = true;
	frame.number = &number;
	rig_start_with(&rig, &config);
	queue = window_of(&rig, "waits", 5);
	wish(queue, fixed(60));
	rig_show_plain(queue, 1);
	frame.target = target;
	rig_show(queue, &frame, rig_plain, 2);
	/* Pictures without a change come at that rate. */
	rig_wait_frames(&rig, 5);
	for (unsigned i = 1; i <= 5; i++)
		assert_int_equal(picture_time(&rig, i), (i - 1) * AT_60);
	/* And so do they after a leap, the first of which isn't more than half of one too early. */
	frame.target = far;
	rig_show(queue, &frame, rig_plain, 3);
	wish(queue, nothing);
	rig_show_plain(queue, 4);
	rig_show_plain(queue, 5);
	rig_wait_frames(&rig, 8);
	at = picture_time(&rig, 6);
	assert_int_equal(at % AT_60, 0);
	assert_in_range(at, far.time_ns - AT_60 / 2, far.time_ns + AT_60 / 2);
	assert_int_equal(kr_queue_frame_times(queue, number, &times), 0);
	assert_int_equal(times.time_ns[KR_EVENT_SHOWN], at);
	expect_steps(&rig, 7, (const int64_t[]){AT_60, AT_144}, 2);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* Who knows that a frame was shown knows how long its refresh lasts. */
static void
producers_hear_of_it_with_the_picture(void **state)
{
	const struct kr_display_config config = config_144(KR_CLOCK_VIRTUAL);
	struct rig_frame frame = RIG_FRAME;
	struct kr_remote_display display;
	struct kr_queue_config heard;
	struct rig rig = {0};
	struct kr_queue *queue;
	uint64_t number;

	frame.presentation.tell_shown = true;
	frame.number = &number;
	rig_start_with(&rig, &config);
	queue = window_of(&rig, "hears", 4);
	kr_queue_get_config(queue, &heard);
	assert_int_equal(heard.refresh_ns, AT_144);
	for (int i = 0; i < 20; i++) {
		wish(queue, i % 2 ? fixed(30) : fixed(40));
		rig_show(queue, &frame, rig_plain, (unsigned)i);
		assert_int_equal(kr_queue_wait_shown(queue, number, kr_clock_now() + WAIT_NS), 0);
		kr_queue_get_config(queue, &heard);
		assert_int_equal(heard.refresh_ns, i % 2 ? AT_60 : AT_120);
		assert_int_equal(heard.timing.phase_ns, 0);
	}
	/* And who comes now. */
	assert_int_equal(kr_remote_ask(rig.socket, kr_clock_now() + WAIT_NS, &display), 0);
	assert_int_equal(display.refresh_ns, AT_60);
	assert_int_equal(display.refresh_mhz, 60000);
	assert_true(display.hears_rates);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static void
two_windows_have_what_is_good_for_both(void **state)
{
	const uint32_t others[] = {24000, 120000, 0};
	const struct kr_display_config config = config_of(KR_CLOCK_VIRTUAL, 60000, others);
	struct kr_display_window windows[2];
	struct rig rig = {.laid_out = true};
	struct rig_frame frame = {.width = 8, .height = 8, .fence = -1};
	struct kr_display_config grid = config;
	struct kr_queue *film, *game;

	grid.layout = KR_LAYOUT_GRID;
	rig_start_with(&rig, &grid);
	film = window_of(&rig, "film", 6);
	wish(film, fixed(24));
	rig_show(film, &frame, rig_plain, 1);
	rig_wait_frames(&rig, 1);
	/* Of another process; it is waited for from here on. */
	game = window_of(&rig, "game", 6);
	rig_show(film, &frame, rig_plain, 2);
	wish(game, any(60));
	rig_show(game, &frame, rig_plain, 1);
	rig_wait_frames(&rig, 2);
	rig_show(game, &frame, rig_plain, 2);
	rig_show(film, &frame, rig_plain, 3);
	rig_wait_frames(&rig, 3);
	assert_int_equal(kr_display_list_windows(rig.display, windows, 2), 2);
	assert_true(windows[0].wish.rate == 24 && windows[1].wish.rate == 60);
	assert_int_equal(
		windows[0].wish.compatibility, NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_FIXED_SOURCE);
	rig_close(film);
	rig_wait_gone(&rig, 1);
	rig_show(game, &frame, rig_plain, 3);
	rig_show(game, &frame, rig_plain, 4);
	rig_wait_frames(&rig, 5);
	/* The film isn't in picture 4 any more, after which that shows. */
	expect_steps(&rig, 2, (const int64_t[]){AT_24, AT_120, AT_120, AT_60}, 4);
	rig_close(game);
	rig_stop(&rig, NULL);
}

/* Neither those that somebody has hidden nor those that lie behind others. */
static void
windows_that_are_not_seen_do_not_count(void **state)
{
	struct kr_display_config config = config_144(KR_CLOCK_VIRTUAL);
	struct kr_layout_place place = {.set = KR_PLACE_VISIBLE};
	struct kr_display_window windows[2];
	struct rig rig = {0};
	struct kr_queue *below, *above;

	rig_start_with(&rig, &config);
	below = window_of(&rig, "below", 6);
	wish(below, fixed(24));
	rig_show_plain(below, 1);
	rig_wait_frames(&rig, 1);
	above = window_of(&rig, "above", 6);
	rig_show_plain(below, 2);
	rig_show_plain(above, 2);
	rig_wait_frames(&rig, 2);
	assert_int_equal(kr_display_list_windows(rig.display, windows, 2), 2);
	assert_int_equal(kr_display_place_window(rig.display, windows[1].id, &place), 0);
	rig_show_plain(below, 3);
	rig_show_plain(above, 3);
	rig_wait_frames(&rig, 3);
	assert_int_equal(kr_display_place_window(rig.display, windows[0].id, &place), 0);
	for (unsigned i = 4; i <= 5; i++) {
		rig_show_plain(below, i);
		rig_show_plain(above, i);
	}
	rig_wait_frames(&rig, 5);
	expect_steps(&rig, 2, (const int64_t[]){AT_24, AT_144, AT_24, AT_144}, 4);
	rig_close(below);
	rig_close(above);
	rig_stop(&rig, NULL);
}

/* A window that disconnects and connects anew wishes for nothing. */
static void
a_wish_ends_with_the_connection(void **state)
{
	const struct kr_display_config config = config_144(KR_CLOCK_VIRTUAL);
	struct kr_display_window window;
	struct rig rig = {0};
	struct kr_queue *queue;

	rig_start_with(&rig, &config);
	queue = window_of(&rig, "twice", 5);
	wish(queue, fixed(24));
	rig_show_plain(queue, 1);
	rig_show_plain(queue, 2);
	assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_CPU), 0);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_CPU), 0);
	rig_show_plain(queue, 3);
	rig_show_plain(queue, 4);
	rig_wait_frames(&rig, 4);
	expect_steps(&rig, 2, (const int64_t[]){AT_24, AT_24, AT_144}, 3);
	assert_int_equal(kr_display_list_windows(rig.display, &window, 1), 1);
	assert_true(window.wish.rate == 0);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* Who isn't waited for has no next frame that its wish could come with. */
static void
what_an_idle_window_says_holds_too(void **state)
{
	struct kr_display_config config = config_144(KR_CLOCK_VIRTUAL);
	struct rig_frame frame = {.width = 8, .height = 8, .fence = -1};
	struct rig rig = {.laid_out = true};
	struct kr_queue *idle, *other;

	config.layout = KR_LAYOUT_GRID;
	config.idle_ns = KR_NSEC_PER_SEC / 10;
	rig_start_with(&rig, &config);
	idle = window_of(&rig, "idle", 4);
	rig_show(idle, &frame, rig_plain, 1);
	rig_wait_frames(&rig, 1);
	other = window_of(&rig, "other", 6);
	wish(idle, fixed(24));
	for (unsigned i = 2; i <= 4; i++)
		rig_show(other, &frame, rig_plain, i);
	rig_wait_frames(&rig, 4);
	expect_steps(&rig, 2, (const int64_t[]){AT_144, AT_24, AT_24}, 3);
	rig_close(idle);
	rig_close(other);
	rig_stop(&rig, NULL);
}

/* --- real clock --- */

/* Slow ticks: what is queued between two of them is there at the second. */
#define SLOW_MHZ 5000
#define SLOW_NS  (KR_NSEC_PER_SEC / 5)
#define FAST_NS  (KR_NSEC_PER_SEC / 20)

static struct kr_display_config
config_slow(void)
{
	static const uint32_t others[] = {20000, 0};

	return config_of(KR_CLOCK_REAL, SLOW_MHZ, others);
}

static void
real_ticks_go_on_from_the_last(void **state)
{
	const struct kr_display_config config = config_slow();
	struct kr_queue_config heard;
	struct rig rig = {0};
	struct kr_queue *queue;
	int64_t first;

	rig_start_with(&rig, &config);
	queue = window_of(&rig, "fast", 8);
	rig_show_plain(queue, 1);
	rig_wait_frames(&rig, 1);
	first = picture_time(&rig, 1);
	/* Long before the next of the slow ticks. */
	wish(queue, fixed(20));
	for (unsigned i = 2; i <= 5; i++)
		rig_show_plain(queue, i);
	rig_wait_frames(&rig, 5);
	for (unsigned i = 2; i <= 5; i++)
		assert_int_equal((picture_time(&rig, i) - first) % FAST_NS, 0);
	assert_true(picture_time(&rig, 2) < first + SLOW_NS);
	expect_steps(&rig, 3, (const int64_t[]){FAST_NS, FAST_NS, FAST_NS}, 3);
	heard = hear(queue);
	assert_int_equal(heard.refresh_ns, FAST_NS);
	assert_int_equal((heard.timing.phase_ns - first) % FAST_NS, 0);
	/* And back: the next one is as long after the last as a slow one. */
	wish(queue, nothing);
	rig_show_plain(queue, 6);
	rig_show_plain(queue, 7);
	rig_wait_frames(&rig, 7);
	assert_true(picture_time(&rig, 6) >= picture_time(&rig, 5) + SLOW_NS);
	assert_int_equal((picture_time(&rig, 6) - first) % FAST_NS, 0);
	expect_steps(&rig, 7, (const int64_t[]){SLOW_NS}, 1);
	heard = hear(queue);
	assert_int_equal(heard.refresh_ns, SLOW_NS);
	assert_int_equal((heard.timing.phase_ns - picture_time(&rig, 7)) % SLOW_NS, 0);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* Of a grid whose places are milliseconds after the display began. */
static int64_t
at_ms(int64_t begun, int64_t ms)
{
	return begun + ms * KR_NSEC_PER_MSEC;
}

/* What was to come at a place of the old grid comes at one of the new, and not too early. */
static void
what_is_due_moves_with_the_grid(void **state)
{
	const struct kr_frame_rate fast = fixed(20);
	struct kr_producer *producer = NULL, *each;
	struct hand_client client;
	struct kr_display *display;
	struct hand hand;
	int64_t begun;

	hand_begin(&hand, KR_CLOCK_REAL, 16, 16);
	display = hand.display;
	begun = hand.now;
	display->grid.period_ns = SLOW_NS;
	display->rates_mhz[0] = SLOW_MHZ;
	display->rates_mhz[1] = 20000;
	display->rate_count = 2;
	hand_join_third(&hand, &client);
	hand_send_third(&client, 0, KR_PRESENT_FIFO, -1);
	hand_tick(&hand);
	kr_list_for_each (each, &display->producers, link)
		producer = each;
	kr_producer_wish(producer, &fast);
	/* A rate lasts for a refresh. */
	kr_display_follow_wishes(display, at_ms(begun, 199));
	assert_int_equal(display->rate, 0);
	assert_int_equal(kr_display_next_rate(display), at_ms(begun, 200));
	hand_send_third(&client, 1, KR_PRESENT_FIFO, -1);
	hand_dispatch(&hand);
	hand.now = at_ms(begun, 210);
	kr_producer_watch_vblank(producer, true, hand.now);
	assert_int_equal(kr_display_next_blank(display), at_ms(begun, 400));
	assert_int_equal(kr_display_next_tick(display, hand.now), at_ms(begun, 400));
	kr_display_follow_wishes(display, hand.now);
	assert_int_equal(display->rate, 1);
	assert_int_equal(kr_display_next_rate(display), KR_FOREVER);
	assert_int_equal(kr_display_next_blank(display), at_ms(begun, 250));
	assert_int_equal(kr_display_next_tick(display, hand.now), at_ms(begun, 250));
	/* And back, in the middle of a refresh. */
	kr_producer_wish(producer, &nothing);
	hand.now = at_ms(begun, 260);
	kr_producer_watch_vblank(producer, false, hand.now);
	kr_producer_watch_vblank(producer, true, hand.now);
	assert_int_equal(kr_display_tick(display, hand.now), 0);
	assert_int_equal(hand.pictures, 2);
	assert_int_equal(display->rate, 0);
	assert_int_equal(kr_display_next_blank(display), at_ms(begun, 450));
	hand_send_third(&client, 2, KR_PRESENT_FIFO, -1);
	hand_dispatch(&hand);
	assert_int_equal(kr_display_next_tick(display, hand.now), at_ms(begun, 450));
	/* Blanks at 0, 200 and 250 were 0 to 2. */
	assert_int_equal(kr_grid_last(&display->grid, at_ms(begun, 449)), 2);
	assert_int_equal(kr_grid_last(&display->grid, at_ms(begun, 450)), 3);
	hand_leave(&client);
	hand_end(&hand);
}

/* What waits for a place of a grid that is changed to a slower one has none of the old. */
static void
nothing_is_due_too_early(void **state)
{
	const struct kr_frame_rate slow = fixed(5);
	struct kr_producer *producer = NULL, *each;
	struct hand_client client;
	struct kr_display *display;
	struct hand hand;
	int64_t begun;

	hand_begin(&hand, KR_CLOCK_REAL, 16, 16);
	display = hand.display;
	begun = hand.now;
	display->grid.period_ns = FAST_NS;
	display->rates_mhz[0] = 20000;
	display->rates_mhz[1] = SLOW_MHZ;
	display->rate_count = 2;
	hand_join_third(&hand, &client);
	hand_send_third(&client, 0, KR_PRESENT_FIFO, -1);
	hand_tick(&hand);
	hand_send_third(&client, 1, KR_PRESENT_FIFO, -1);
	hand_dispatch(&hand);
	hand.now = at_ms(begun, 110);
	assert_int_equal(kr_display_next_tick(display, hand.now), at_ms(begun, 150));
	kr_list_for_each (each, &display->producers, link)
		producer = each;
	kr_producer_wish(producer, &slow);
	kr_display_follow_wishes(display, hand.now);
	assert_int_equal(display->rate, 1);
	assert_int_equal(kr_display_next_tick(display, hand.now), at_ms(begun, 300));
	hand_leave(&client);
	hand_end(&hand);
}

static void
say_nothing(struct kr_display_output *output, struct kr_display_output_timing *timing)
{
}

/* Screens keep their rate, so what is shown is as long after its latch as ever, at each tick. */
static void
latches_stay_at_the_ticks_of_screens(void **state)
{
	static const struct kr_display_output_impl impl = {.name = "screen", .timing = say_nothing};
	struct kr_display_output screen = {.impl = &impl};
	const struct kr_frame_rate eight = fixed(8);
	int64_t begun, phase_ns;
	struct kr_display *display;
	struct kr_producer *each;
	struct hand_client client;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_REAL, 16, 16);
	display = hand.display;
	begun = hand.now;
	display->grid.period_ns = SLOW_NS;
	display->rates_mhz[0] = SLOW_MHZ;
	display->rates_mhz[1] = 8000;
	display->rate_count = 2;
	hand_join_third(&hand, &client);
	hand_send_third(&client, 0, KR_PRESENT_FIFO, -1);
	hand_tick(&hand);
	display->outputs = (struct kr_display_outputs){.items = {&screen}, .count = 1};
	assert_int_equal(kr_display_latency_ns(display), SLOW_NS);
	assert_int_equal(kr_display_phase_ns(display, SLOW_NS), begun);
	kr_list_for_each (each, &display->producers, link)
		kr_producer_wish(each, &eight);
	kr_display_follow_wishes(display, at_ms(begun, 210));
	assert_int_equal(display->grid.period_ns, KR_NSEC_PER_SEC / 8);
	assert_int_equal(kr_display_latency_ns(display), SLOW_NS);
	phase_ns = kr_display_phase_ns(display, SLOW_NS);
	assert_int_equal((phase_ns - SLOW_NS - at_ms(begun, 200)) % display->grid.period_ns, 0);
	display->outputs.count = 0;
	hand_leave(&client);
	hand_end(&hand);
}

/* Each has the next number, and none comes early. */
static void
blanks_are_counted_on(void **state)
{
	const struct kr_display_config config = config_slow();
	struct rig rig = {0};
	struct kr_queue *queue;
	uint64_t last = 0;
	int64_t last_ns = 0;

	rig_start_with(&rig, &config);
	queue = window_of(&rig, "counts", 4);
	rig_show_plain(queue, 1);
	rig_wait_frames(&rig, 1);
	for (int i = 0; i < 12; i++) {
		uint64_t count;
		int64_t time_ns;

		if (i % 4 == 2)
			wish(queue, i == 2 || i == 10 ? fixed(20) : nothing);
		assert_int_equal(
			kr_queue_wait_vblank(queue, &count, &time_ns, kr_clock_now() + WAIT_NS), 0);
		assert_true(count > last);
		if (last)
			assert_true(time_ns - last_ns >= (int64_t)(count - last) * FAST_NS);
		assert_int_equal((time_ns - picture_time(&rig, 1)) % FAST_NS, 0);
		last = count;
		last_ns = time_ns;
	}
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* Without a picture, and without a word of the window's. */
static void
the_wish_of_one_that_is_killed_ends(void **state)
{
	const struct kr_display_config config = config_slow();
	struct kr_display_stats stats;
	struct rig rig = {0};
	int status;
	pid_t child;

	rig_start_with(&rig, &config);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct kr_queue *queue = rig_window_at(rig.socket, "killed");

		wish(queue, fixed(20));
		rig_show_plain(queue, 1);
		pause();
		_exit(0);
	}
	wait_rate(&rig, 20000);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	wait_rate(&rig, SLOW_MHZ);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.composed, 1);
	assert_int_equal(stats.rate_changes, 2);
}

/* A window that nothing is seen of yet has no say, and has it with its first picture. */
static void
a_wish_waits_for_the_window(void **state)
{
	const struct kr_display_config config = config_slow();
	struct rig rig = {0};
	struct kr_queue *queue;

	rig_start_with(&rig, &config);
	queue = window_of(&rig, "slow to draw", 4);
	wish(queue, fixed(20));
	poll(NULL, 0, 2 * (int)(SLOW_NS / KR_NSEC_PER_MSEC));
	assert_int_equal(rig_stats(&rig).rate, 0);
	rig_show_plain(queue, 1);
	rig_show_plain(queue, 2);
	rig_wait_frames(&rig, 2);
	expect_steps(&rig, 2, (const int64_t[]){FAST_NS}, 1);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* Whatever one of them says as often as it can, a rate lasts for a refresh. */
static void
a_flood_of_wishes_changes_little(void **state)
{
	const struct kr_display_config config = config_slow();
	struct kr_display_stats stats;
	struct rig rig = {0};
	struct kr_queue *queue, *other;
	int64_t begun;
	unsigned said = 0;

	rig_start_with(&rig, &config);
	queue = window_of(&rig, "floods", 4);
	rig_show_plain(queue, 1);
	rig_wait_frames(&rig, 1);
	other = window_of(&rig, "beside it", 4);
	begun = kr_clock_now();
	while (kr_clock_now() < begun + KR_NSEC_PER_SEC / 2) {
		wish(queue, said % 3 ? nothing : fixed(20));
		said++;
	}
	rig_show_plain(other, 2);
	rig_wait_frames(&rig, 2);
	stats = rig_stats(&rig);
	assert_true(said > 1000);
	assert_true(stats.rate_changes <= 1 + (uint64_t)((kr_clock_now() - begun) / FAST_NS));
	rig_close(queue);
	rig_close(other);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.rejected, 0);
}

/* Of what is said of one frame the last word holds; there is no end to what may be said. */
static void
a_flood_before_a_virtual_frame_is_one_wish(void **state)
{
	const struct kr_display_config config = config_144(KR_CLOCK_VIRTUAL);
	struct kr_display_stats stats;
	struct rig rig = {0};
	struct kr_queue *queue;

	rig_start_with(&rig, &config);
	queue = window_of(&rig, "floods", 6);
	rig_show_plain(queue, 1);
	rig_wait_frames(&rig, 1);
	for (unsigned i = 2; i <= 6; i++) {
		for (unsigned said = 0; said < 1000; said++)
			wish(queue, fixed(said % 2 ? 24 : 30));
		rig_show_plain(queue, i);
	}
	rig_wait_frames(&rig, 6);
	expect_steps(&rig, 2, (const int64_t[]){AT_144, AT_24, AT_24, AT_24, AT_24}, 5);
	rig_close(queue);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.rate_changes, 1);
}

/* --- who has nothing of it --- */

static void
one_rate_stays_and_is_wished_against(void **state)
{
	struct kr_display_window window;
	struct kr_display_stats stats;
	struct kr_queue_config heard;
	struct rig rig = {0};
	struct kr_queue *queue;

	rig_start(&rig, KR_CLOCK_VIRTUAL);
	queue = window_of(&rig, "wishes", 4);
	wish(queue, fixed(24));
	for (unsigned i = 1; i <= 3; i++)
		rig_show_plain(queue, i);
	rig_wait_frames(&rig, 3);
	expect_steps(&rig, 2, (const int64_t[]){AT_60, AT_60}, 2);
	assert_int_equal(kr_display_list_windows(rig.display, &window, 1), 1);
	assert_true(window.wish.rate == 24);
	heard = hear(queue);
	assert_int_equal(heard.refresh_ns, AT_60);
	rig_close(queue);
	rig_stop(&rig, &stats);
	assert_int_equal(stats.rate_count, 1);
	assert_int_equal(stats.rate_pictures[0], 3);
	assert_int_equal(stats.rate_changes, 0);
}

/* A producer of before version 6 knows no message that would tell it. */
static void
older_producers_hear_nothing(void **state)
{
	const struct kr_frame_rate rate = fixed(24);
	struct kr_producer *producer;
	struct hand_client older;
	struct hand hand;

	hand_begin(&hand, KR_CLOCK_REAL, 16, 16);
	hand.display->rates_mhz[1] = 24000;
	hand.display->rate_count = 2;
	hand_join_third(&hand, &older);
	hand_send_third(&older, 0, KR_PRESENT_FIFO, -1);
	hand_tick(&hand);
	while (hand_hear_one(&older))
		;
	kr_list_for_each (producer, &hand.display->producers, link)
		kr_producer_wish(producer, &rate);
	hand_send_third(&older, 1, KR_PRESENT_FIFO, -1);
	hand_tick(&hand);
	assert_int_equal(hand.display->rate, 1);
	/* The release of the first frame, and nothing else. */
	assert_true(hand_hear_one(&older));
	assert_int_equal(older.released, 1);
	assert_false(hand_hear_one(&older));
	hand_leave(&older);
	hand_end(&hand);
}

static void
rates_are_checked(void **state)
{
	static const uint32_t none[] = {0}, twice[] = {24000, 60000, 24000, 0},
			      first[] = {24000, 60000, 0};
	static const struct kr_display_hooks hooks = {0};
	struct kr_display_config configs[] = {config_of(KR_CLOCK_REAL, 60000, none),
		config_of(KR_CLOCK_REAL, 50000, twice), config_of(KR_CLOCK_REAL, 60000, first),
		config_of(KR_CLOCK_REAL, 60000, none)};
	struct kr_display *display;

	configs[0].other_count = 1;
	configs[3].other_count = KR_DISPLAY_MAX_RATES;
	for (size_t i = 0; i < KR_ARRAY_LEN(configs); i++) {
		configs[i].socket_path = kr_test_path("rates");
		assert_int_equal(kr_display_create(&configs[i], &hooks, NULL, &display), -EINVAL);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(wishes_come_and_go_with_frames),
	KR_TEST(times_are_the_sum_of_the_periods),
	KR_TEST(producers_hear_of_it_with_the_picture),
	KR_TEST(two_windows_have_what_is_good_for_both),
	KR_TEST(windows_that_are_not_seen_do_not_count),
	KR_TEST(a_wish_ends_with_the_connection),
	KR_TEST(what_an_idle_window_says_holds_too),
	KR_TEST(real_ticks_go_on_from_the_last),
	KR_TEST(what_is_due_moves_with_the_grid),
	KR_TEST(nothing_is_due_too_early),
	KR_TEST(latches_stay_at_the_ticks_of_screens),
	KR_TEST(blanks_are_counted_on),
	KR_TEST(the_wish_of_one_that_is_killed_ends),
	KR_TEST(a_wish_waits_for_the_window),
	KR_TEST(a_flood_of_wishes_changes_little),
	KR_TEST(a_flood_before_a_virtual_frame_is_one_wish),
	KR_TEST(one_rate_stays_and_is_wished_against),
	KR_TEST(older_producers_hear_nothing),
	KR_TEST(rates_are_checked),
};
KR_TEST_MAIN(tests)
