/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Producers that break the display protocol: each is cut off, with a line in the log, and nothing
 * leaks.
 */
#include "remote/liar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/remote/message.h"

#define MS KR_NSEC_PER_MSEC

static void
a_decent_producer_is_served(void **state)
{
	struct kr_dp_message message;
	struct kr_frame frame;
	struct liar liar;

	liar_start(&liar);
	liar_hello(&liar);
	assert_string_equal(kr_consumer_label(liar.consumer), "li?ar?");
	liar_announce(&liar, 63);
	message = liar_frame(63, 5);
	liar_send(&liar, &message, -1);
	assert_int_equal(kr_consumer_dispatch(liar.consumer), 0);
	assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
	assert_int_equal(frame.slot, 63);
	liar_finish(&liar);
}

static void
hello_comes_first_and_once(void **state)
{
	struct kr_dp_message message = {.type = KR_DP_WAITING};
	struct liar liar;

	liar_start(&liar);
	liar_send(&liar, &message, -1);
	liar_expect_cut_off(&liar, "no hello");
	liar_start(&liar);
	message = (struct kr_dp_message){.type = KR_DP_HELLO, .hello = {.version = 1}};
	liar_hello(&liar);
	liar_send(&liar, &message, -1);
	liar_expect_cut_off(&liar, "second hello");
	liar_start(&liar);
	message.hello.version = KR_DP_VERSION + 1;
	liar_send(&liar, &message, -1);
	liar_expect_cut_off(&liar, "version");
}

/* */
static void
garbage_is_no_message(void **state)
{
	static const char big[4096];
	struct liar liar;

	liar_start(&liar);
	liar_hello(&liar);
	assert_int_equal(send(liar.socket, "garbage", 7, 0), 7);
	liar_expect_cut_off(&liar, "no message");
	liar_start(&liar);
	assert_int_equal(send(liar.socket, big, sizeof(big), 0), sizeof(big));
	liar_expect_cut_off(&liar, "no message");
	liar_start(&liar);
	liar_hello(&liar);
	liar_send(&liar, &(struct kr_dp_message){.type = KR_DP_PONG}, -1);
	liar_expect_cut_off(&liar, "display's own");
}

static void
descriptors_where_none_belong_are_closed(void **state)
{
	struct kr_dp_message message = {.type = KR_DP_WAITING};
	struct liar liar;

	liar_start(&liar);
	liar_hello(&liar);
	liar_send(&liar, &message, liar.socket);
	liar_expect_cut_off(&liar, "no message");
	liar_start(&liar);
	liar_hello(&liar);
	message = liar_buffer(&liar, 0); /* and none where one belongs */
	liar_send(&liar, &message, -1);
	liar_expect_cut_off(&liar, "no message");
}

/* */
static void
buffers_that_lie_are_refused(void **state)
{
	static const struct {
		int index, value;
	} lies[] = {{KR_HANDLE_INT_WIDTH, 65536}, {KR_HANDLE_INT_HEIGHT, 33},
		{KR_HANDLE_INT_STRIDE, 128}, {KR_HANDLE_INT_SIZE, 1 << 20},
		{KR_HANDLE_INT_BACKEND, 9}, {KR_HANDLE_INT_ID, 0},
		/* Good as a buffer, but no picture. */
		{KR_HANDLE_INT_FORMAT, AHARDWAREBUFFER_FORMAT_R16_UINT}};
	struct kr_dp_message message;
	struct liar liar;
	int fd;

	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++) {
		liar_start(&liar);
		liar_hello(&liar);
		message = liar_buffer(&liar, 0);
		message.buffer.handle[lies[i].index] = lies[i].value;
		liar_send(&liar, &message, kr_buffer_get_info(liar.buffer)->fd);
		liar_expect_cut_off(&liar, "isn't what its handle says");
	}
	liar_start(&liar);
	liar_hello(&liar);
	message = liar_buffer(&liar, 0);
	liar_send(&liar, &message, liar.socket); /* no memory at all */
	liar_expect_cut_off(&liar, "isn't what its handle says");
	liar_start(&liar);
	liar_hello(&liar);
	fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(fd, (off_t)kr_buffer_get_info(liar.buffer)->size), 0);
	liar_send(&liar, &message, fd);
	liar_expect_cut_off(&liar, "isn't sealed");
	close(fd);
	liar_start(&liar);
	liar_hello(&liar);
	fd = memfd_create("truncated", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	liar_send(&liar, &message, fd);
	liar_expect_cut_off(&liar, "isn't what its handle says");
	close(fd);
}

/* */
static void
slots_are_checked(void **state)
{
	struct kr_dp_message gone = {.type = KR_DP_BUFFER_GONE, .buffer_gone = {.slot = 0}};
	struct kr_dp_message message;
	struct liar liar;

	liar_start(&liar);
	liar_hello(&liar);
	liar_announce(&liar, 64);
	liar_expect_cut_off(&liar, "slot");
	liar_start(&liar);
	liar_hello(&liar);
	liar_announce(&liar, 0);
	liar_announce(&liar, 0);
	liar_expect_cut_off(&liar, "slot");
	liar_start(&liar);
	liar_hello(&liar);
	liar_send(&liar, &gone, -1);
	liar_expect_cut_off(&liar, "takes away");
	liar_start(&liar);
	liar_hello(&liar);
	liar_announce(&liar, 0);
	message = liar_frame(0, 1);
	liar_send(&liar, &message, -1);
	liar_send(&liar, &gone, -1);
	liar_expect_cut_off(&liar, "takes away");
	liar_start(&liar);
	liar_hello(&liar);
	liar_announce(&liar, 0);
	liar_send(&liar, &gone, -1);
	liar_announce(&liar, 0);
	assert_int_equal(kr_consumer_dispatch(liar.consumer), 0);
	liar_finish(&liar);
}

/* Sends one frame in slot 0, spoilt in one way. */
static void
expect_bad_frame(const struct kr_dp_message *message, int fd, const char *why)
{
	struct liar liar;

	liar_start(&liar);
	liar_hello(&liar);
	liar_announce(&liar, 0);
	liar_send(&liar, message, fd);
	liar_expect_cut_off(&liar, why);
}

/* */
static void
frames_are_checked(void **state)
{
	struct kr_dp_message message = liar_frame(1, 1);
	int fd = eventfd(0, EFD_CLOEXEC);

	expect_bad_frame(&message, -1, "without a buffer");
	message = liar_frame(64, 1);
	expect_bad_frame(&message, -1, "without a buffer");
	message = liar_frame(0, 0);
	expect_bad_frame(&message, -1, "don't grow");
	message = liar_frame(0, 1);
	message.frame.has_fence = true;
	expect_bad_frame(&message, -1, "without its fence");
	expect_bad_frame(&message, fd, "without its fence"); /* an eventfd is no fence */
	message.frame.has_fence = false;
	expect_bad_frame(&message, fd, "without its fence");
	message = liar_frame(0, 1);
	message.frame.format = 4;
	expect_bad_frame(&message, -1, "another format");
	message = liar_frame(0, 1);
	message.frame.transform = 16;
	expect_bad_frame(&message, -1, "transform");
	message = liar_frame(0, 1);
	message.frame.scaling_mode = -1;
	expect_bad_frame(&message, -1, "scaling mode");
	message = liar_frame(0, 1);
	message.frame.crop_right = 65;
	message.frame.crop_bottom = 1;
	expect_bad_frame(&message, -1, "crop");
	message.frame.crop_right = INT32_MIN;
	expect_bad_frame(&message, -1, "crop");
	close(fd);
}

static void
a_slot_is_queued_once_and_numbers_grow(void **state)
{
	struct kr_dp_message message = liar_frame(0, 7);
	struct kr_frame frame;
	struct liar liar;

	liar_start(&liar);
	liar_hello(&liar);
	liar_announce(&liar, 0);
	liar_announce(&liar, 1);
	liar_send(&liar, &message, -1);
	message.frame.number = 8;
	liar_send(&liar, &message, -1);
	liar_expect_cut_off(&liar, "wasn't released");
	liar_start(&liar);
	liar_hello(&liar);
	liar_announce(&liar, 0);
	liar_announce(&liar, 1);
	message.frame.number = 7;
	liar_send(&liar, &message, -1);
	assert_int_equal(kr_consumer_dispatch(liar.consumer), 0);
	assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
	message.frame.slot = 1;
	liar_send(&liar, &message, -1);
	liar_expect_cut_off(&liar, "don't grow");
}

/* */
static void
damage_from_outside_is_clipped(void **state)
{
	struct kr_dp_message message = liar_frame(0, 1);
	struct kr_frame frame;
	struct liar liar;

	liar_start(&liar);
	liar_hello(&liar);
	liar_announce(&liar, 0);
	message.frame.damage_count = 2;
	message.frame.damage[0] = (struct kr_dp_rect){INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};
	message.frame.damage[1] = (struct kr_dp_rect){9, 9, -9, -9};
	liar_send(&liar, &message, -1);
	assert_int_equal(kr_consumer_dispatch(liar.consumer), 0);
	assert_int_equal(kr_consumer_acquire(liar.consumer, &frame), 0);
	assert_int_equal(frame.damage_count, 1);
	assert_int_equal(frame.damage[0].left, 0);
	assert_int_equal(frame.damage[0].right, 64);
	liar_finish(&liar);
}

static void
too_much_memory_is_refused(void **state)
{
	struct kr_buffer_desc desc = {32768, 16384, 1, 1, 3}; /* 2 GiB, never touched */
	struct kr_dp_message gone = {.type = KR_DP_BUFFER_GONE, .buffer_gone = {.slot = 0}};
	struct liar liar;

	liar_start(&liar);
	kr_buffer_unref(liar.buffer);
	assert_int_equal(kr_buffer_allocate(&desc, &liar.buffer), 0);
	liar_hello(&liar);
	/* What is gone doesn't count. */
	for (int i = 0; i < 4; i++) {
		liar_announce(&liar, 0);
		liar_send(&liar, &gone, -1);
	}
	liar_announce(&liar, 0);
	liar_announce(&liar, 1);
	assert_int_equal(kr_consumer_dispatch(liar.consumer), 0);
	liar_announce(&liar, 2);
	liar_expect_cut_off(&liar, "more memory");
}

static void
a_producer_that_doesnt_read_is_cut_off(void **state)
{
	struct kr_dp_message ping = {.type = KR_DP_PING};
	struct liar liar;
	int err = 0;

	liar_start(&liar);
	liar_hello(&liar);
	for (int i = 0; i < 100000 && !err; i++) {
		liar_send(&liar, &ping, -1);
		err = kr_consumer_dispatch(liar.consumer);
	}
	assert_int_equal(err, -EPIPE);
	assert_non_null(strstr(liar_logged, "doesn't read"));
	liar_finish(&liar);
}

static const struct kr_test tests[] = {
	KR_TEST(a_decent_producer_is_served),
	KR_TEST(hello_comes_first_and_once),
	KR_TEST(garbage_is_no_message),
	KR_TEST(descriptors_where_none_belong_are_closed),
	KR_TEST(buffers_that_lie_are_refused),
	KR_TEST(slots_are_checked),
	KR_TEST(frames_are_checked),
	KR_TEST(a_slot_is_queued_once_and_numbers_grow),
	KR_TEST(damage_from_outside_is_clipped),
	KR_TEST(too_much_memory_is_refused),
	KR_TEST(a_producer_that_doesnt_read_is_cut_off),
};

KR_TEST_MAIN(tests)
