/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Producers that lie about buffers which change hands, and about what they do: raw messages of
 * version 6. Each is cut off, and nothing leaks.
 */
#include "remote/liar.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "util/fd.h"

/* A producer of version 6, whose slot 0 has a buffer. */
static void
open_liar(struct liar *liar)
{
	static const struct kr_dp_message hello = {
		.type = KR_DP_HELLO6, .hello6.hello5.hello4.hello3.hello2.hello = {.version = 6}};
	struct kr_remote_display display = help_display;

	display.hears_rates = display.hears_activity = true;
	liar_start_with(liar, &display);
	liar_send(liar, &hello, -1);
	liar_announce(liar, 0);
	assert_int_equal(help_pump_all(liar->consumer), 0);
}

static struct kr_dp_message
a_rate(float rate, uint8_t compatibility, uint8_t strategy)
{
	struct kr_dp_message message = {.type = KR_DP_FRAME_RATE,
		.frame_rate = {.compatibility = compatibility, .strategy = strategy}};

	memcpy(message.frame_rate.rate, &rate, sizeof(rate));
	return message;
}

static struct kr_dp_message
a_frame(uint32_t slot, uint64_t number)
{
	struct kr_dp_message message = {.type = KR_DP_FRAME4};

	message.frame4.frame3.frame2.frame =
		(struct kr_dp_frame){.slot = slot, .number = number, .format = 1};
	return message;
}

/* */
static void
what_a_producer_says_is_checked(void **state)
{
	const struct {
		struct kr_dp_message message;
		const char *why;
	} lies[] = {
		{a_rate(NAN, 0, 0), "frame rate"},
		{a_rate(-1, 0, 0), "frame rate"},
		{a_rate(INFINITY, 0, 0), "frame rate"},
		{a_rate(60, 2, 0), "frame rate"},
		{a_rate(60, 255, 0), "frame rate"},
		{a_rate(60, 0, 2), "frame rate"},
		{{.type = KR_DP_ACTIVITY, .activity = {.slot = 1}}, "without a buffer"},
		{{.type = KR_DP_ACTIVITY, .activity = {.slot = 64}}, "without a buffer"},
		{{.type = KR_DP_DETACHED, .detached = {.slot = 1}}, "takes away"},
		{{.type = KR_DP_DETACHED, .detached = {.slot = 64}}, "takes away"},
		{{.type = KR_DP_ATTACHED, .attached = {.serial = 0}}, "wasn't asked"},
		{{.type = KR_DP_ATTACHED, .attached = {.serial = 64}}, "wasn't asked"},
		{{.type = KR_DP_ATTACHED, .attached = {.serial = UINT32_MAX, .error = 1}},
			"wasn't asked"},
	};
	struct liar liar;

	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++) {
		open_liar(&liar);
		liar_send(&liar, &lies[i].message, -1);
		liar_expect_cut_off(&liar, lies[i].why);
	}
}

/* Nobody listens to rates there. */
static void
what_nobody_hears_is_refused(void **state)
{
	static const struct kr_dp_message hello = {
		.type = KR_DP_HELLO6, .hello6.hello5.hello4.hello3.hello2.hello = {.version = 6}};
	struct kr_dp_message rate = a_rate(60, 0, 0);
	struct liar liar;

	liar_start(&liar);
	liar_send(&liar, &hello, -1);
	liar_send(&liar, &rate, -1);
	liar_expect_cut_off(&liar, "nobody listens");
}

/* Producers of before version 6 know none of it. */
static void
older_versions_have_none_of_it(void **state)
{
	const struct kr_dp_message all[] = {
		a_rate(60, 0, 0),
		{.type = KR_DP_GENERATION},
		{.type = KR_DP_ACTIVITY},
		{.type = KR_DP_DISCONNECTED},
		{.type = KR_DP_DETACHED},
		{.type = KR_DP_ATTACHED},
	};
	struct liar liar;

	for (size_t i = 0; i < KR_ARRAY_LEN(all); i++) {
		liar_start(&liar);
		liar_hello(&liar);
		liar_announce(&liar, 0);
		liar_send(&liar, &all[i], -1);
		liar_expect_cut_off(
			&liar, all[i].type == KR_DP_ATTACHED ? "wasn't asked" : "another version");
	}
}

static struct kr_dp_message
an_answer(uint32_t slot, uint32_t error)
{
	return (struct kr_dp_message){
		.type = KR_DP_ATTACHED, .attached = {.serial = 0, .slot = slot, .error = error}};
}

/* a slot that has a buffer, none, one twice. */
static void
slots_of_attached_buffers_are_checked(void **state)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	const struct kr_dp_message bad[] = {
		an_answer(0, 0), an_answer(64, 0), an_answer(UINT32_MAX, 0)};
	struct kr_buffer *buffer;
	struct kr_frame frame;
	struct liar liar;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
		open_liar(&liar);
		assert_int_equal(kr_consumer_attach(liar.consumer, buffer, &frame), 0);
		liar_send(&liar, &bad[i], -1);
		liar_expect_cut_off(&liar, "can't take it");
	}
	for (uint32_t error = 0; error < 2; error++) {
		struct kr_dp_message answer = an_answer(1, error);

		open_liar(&liar);
		assert_int_equal(kr_consumer_attach(liar.consumer, buffer, &frame), 0);
		liar_send(&liar, &answer, -1);
		liar_send(&liar, &answer, -1);
		liar_expect_cut_off(&liar, "wasn't asked");
	}
	kr_buffer_unref(buffer);
}

/* It takes the buffer out of a slot whose frame the display has, and frames of one that is gone. */
static void
what_is_queued_is_not_detached(void **state)
{
	struct kr_dp_message frame = a_frame(0, 1), later = a_frame(0, 2);
	struct kr_dp_message detached = {.type = KR_DP_DETACHED};
	struct kr_frame taken;
	struct liar liar;

	open_liar(&liar);
	liar_send(&liar, &frame, -1);
	liar_send(&liar, &detached, -1);
	liar_expect_cut_off(&liar, "takes away");
	open_liar(&liar);
	liar_send(&liar, &frame, -1);
	assert_int_equal(help_pump_all(liar.consumer), 0);
	assert_int_equal(kr_consumer_acquire(liar.consumer, &taken), 0);
	liar_send(&liar, &detached, -1);
	liar_expect_cut_off(&liar, "takes away");
	open_liar(&liar);
	liar_send(&liar, &detached, -1);
	liar_send(&liar, &frame, -1);
	liar_expect_cut_off(&liar, "slot");
	/* The display has kept it: there is none to be queued. */
	open_liar(&liar);
	liar_send(&liar, &frame, -1);
	assert_int_equal(help_pump_all(liar.consumer), 0);
	assert_int_equal(kr_consumer_acquire(liar.consumer, &taken), 0);
	{
		struct kr_buffer *kept;

		assert_int_equal(kr_consumer_detach(liar.consumer, &taken, &kept), 0);
		kr_buffer_unref(kept);
	}
	liar_send(&liar, &later, -1);
	liar_expect_cut_off(&liar, "slot");
}

/* A slot whose buffer was attached is the display's until it lets go. */
static void
what_was_attached_is_in_use(void **state)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	const struct {
		struct kr_dp_message message;
		const char *why;
	} lies[] = {
		{{.type = KR_DP_BUFFER_GONE, .buffer_gone = {.slot = 1}}, "takes away"},
		{{.type = KR_DP_DETACHED, .detached = {.slot = 1}}, "takes away"},
		{a_frame(1, 1), "wasn't released"},
	};
	struct kr_dp_message answer = an_answer(1, 0);
	struct kr_buffer *buffer, *kept;
	struct kr_frame frame;
	struct liar liar;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++) {
		open_liar(&liar);
		assert_int_equal(kr_consumer_attach(liar.consumer, buffer, &frame), 0);
		liar_send(&liar, &answer, -1);
		liar_send(&liar, &lies[i].message, -1);
		liar_expect_cut_off(&liar, lies[i].why);
		/* Once it is free it is the producer's. */
		open_liar(&liar);
		assert_int_equal(kr_consumer_attach(liar.consumer, buffer, &frame), 0);
		liar_send(&liar, &answer, -1);
		assert_int_equal(kr_consumer_release(liar.consumer, &frame, -1), 0);
		liar_send(&liar, &lies[i].message, -1);
		assert_int_equal(help_pump_all(liar.consumer), 0);
		liar_finish(&liar);
	}
	/* And where the display has kept it nobody's. */
	open_liar(&liar);
	assert_int_equal(kr_consumer_attach(liar.consumer, buffer, &frame), 0);
	liar_send(&liar, &answer, -1);
	assert_int_equal(help_pump_all(liar.consumer), 0);
	assert_int_equal(kr_consumer_detach(liar.consumer, &frame, &kept), 0);
	kr_buffer_unref(kept);
	liar_send(&liar, &lies[0].message, -1);
	liar_expect_cut_off(&liar, lies[0].why);
	kr_buffer_unref(buffer);
}

/* What a display says of a frame is its release. */
static void
a_frame_is_answered_by_one_packet(void **state)
{
	struct kr_dp_message message;
	struct kr_frame frame;
	struct liar liar;
	int fd;

	open_liar(&liar);
	assert_int_equal(kr_remote_receive(liar.socket, &message, &fd), 0);
	assert_int_equal(message.type, KR_DP_WELCOME6);
	for (uint64_t i = 1; i <= 50; i++) {
		message = a_frame(0, i);
		liar_send(&liar, &message, -1);
		assert_int_equal(help_pump_all(liar.consumer), 0);
		assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
		assert_int_equal(kr_consumer_release(liar.consumer, &frame, -1), 0);
		assert_int_equal(kr_remote_receive(liar.socket, &message, &fd), 0);
		assert_int_equal(message.type, KR_DP_RELEASE);
		assert_int_equal(message.release.number, i);
		assert_int_equal(recv(liar.socket, &fd, sizeof(fd), MSG_PEEK | MSG_DONTWAIT), -1);
	}
	liar_finish(&liar);
}

/* It never answers: no more is open than may be held, and nothing is lost with it. */
static void
who_never_answers_holds_little(void **state)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	struct kr_buffer *buffers[65];
	unsigned taken = 0;
	struct liar liar;

	open_liar(&liar);
	for (unsigned i = 0; i < KR_ARRAY_LEN(buffers); i++) {
		struct kr_frame frame;
		int err;

		assert_int_equal(kr_buffer_allocate(&desc, &buffers[i]), 0);
		err = kr_consumer_attach(liar.consumer, buffers[i], &frame);
		if (err) {
			assert_int_equal(err, -ENOMEM);
			continue;
		}
		taken++;
		assert_int_equal(kr_consumer_release(liar.consumer, &frame, -1), 0);
	}
	assert_int_equal(taken, 64);
	for (unsigned i = 0; i < KR_ARRAY_LEN(buffers); i++)
		kr_buffer_unref(buffers[i]);
	liar_finish(&liar);
}

static const struct kr_test tests[] = {
	KR_TEST(what_a_producer_says_is_checked),
	KR_TEST(what_nobody_hears_is_refused),
	KR_TEST(older_versions_have_none_of_it),
	KR_TEST(slots_of_attached_buffers_are_checked),
	KR_TEST(what_is_queued_is_not_detached),
	KR_TEST(what_was_attached_is_in_use),
	KR_TEST(a_frame_is_answered_by_one_packet),
	KR_TEST(who_never_answers_holds_little),
};

KR_TEST_MAIN(tests)
