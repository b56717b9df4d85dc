/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients of both versions of the protocol on one display: a window of version 1 is typed out in
 * bytes, as its release said it, and is laid out, placed, hidden and paced as any other.
 */
#include "rig.h"

#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "gralloc/handle.h"
#include "util/fd.h"

#define OLD_WIDTH  16
#define OLD_HEIGHT 8
#define OLD_COLOUR 0x3060c0
#define SLOTS      3

/* Types of messages. */
#define BUFFER  2
#define WELCOME 64
#define RELEASE 65

struct old {
	int socket;
	struct kr_buffer *buffers[SLOTS];
	uint64_t number;   /* of the last frame */
	uint64_t released; /* the last that came back */
	unsigned others;   /* messages that version 1 doesn't have */
};

/* clang-format off */
static const uint8_t hello_1[] = {
	1, 0, 0, 0, 17, 0, 0, 0, 1, 0, 0, 0, 3, 0, 'o', 'l', 'd'};
/* Of RGBA, the whole buffer, as soon as it can be shown; queued at 9 ns. */
static const uint8_t frame_1[] = {
	4, 0, 0, 0, 72, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80,
	9, 0, 0, 0, 0, 0, 0, 0, 0, 0};
/* clang-format on */
#define SLOT_AT   8
#define NUMBER_AT 12

/* Waits for a release, and takes in what there is. */
static void
hear(struct old *old, int timeout_ms)
{
	struct pollfd p = {.fd = old->socket, .events = POLLIN};
	uint8_t bytes[256];

	while (poll(&p, 1, timeout_ms) == 1 &&
		recv(old->socket, bytes, sizeof(bytes), MSG_DONTWAIT) > 0) {
		old->others += bytes[0] != RELEASE && bytes[0] != WELCOME;
		if (bytes[0] != RELEASE)
			continue;
		old->released = bytes[NUMBER_AT];
		timeout_ms = 0;
	}
}

/* Slot, id, the 16 numbers of the handle, and the memory beside it. */
static void
announce(struct old *old, uint8_t slot)
{
	static const struct kr_buffer_desc desc = {OLD_WIDTH, OLD_HEIGHT, 1, 1,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	uint8_t bytes[8 + 4 + 8 + 64] = {BUFFER, 0, 0, 0, sizeof(bytes), 0, 0, 0, slot};
	struct iovec vector = {bytes, sizeof(bytes)};
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr message = {.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = control.space,
		.msg_controllen = sizeof(control.space)};
	const native_handle_t *handle;
	uint32_t *pixels;
	uint64_t id;

	assert_int_equal(kr_buffer_allocate(&desc, &old->buffers[slot]), 0);
	assert_int_equal(kr_buffer_map(old->buffers[slot], (void **)&pixels), 0);
	for (size_t i = 0; i < kr_buffer_get_info(old->buffers[slot])->size / 4; i++)
		pixels[i] = 0xff000000 | (OLD_COLOUR & 0xff) << 16 | (OLD_COLOUR & 0xff00) |
			OLD_COLOUR >> 16;
	handle = kr_buffer_handle(old->buffers[slot]);
	id = kr_buffer_get_info(old->buffers[slot])->id;
	memcpy(bytes + 12, &id, sizeof(id));
	memcpy(bytes + 20, handle->data + KR_HANDLE_FDS, 64);
	control.align = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(&control.align), handle->data, sizeof(int));
	assert_int_equal(sendmsg(old->socket, &message, MSG_NOSIGNAL), sizeof(bytes));
}

static void
old_join(struct old *old, const struct rig *rig)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	*old = (struct old){.socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", rig->socket);
	assert_int_equal(connect(old->socket, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(send(old->socket, hello_1, sizeof(hello_1), 0), sizeof(hello_1));
	for (uint8_t slot = 0; slot < SLOTS; slot++)
		announce(old, slot);
}

/* The next frame, once its slot is free: of three, two wait or are on screen. */
static void
old_show(struct old *old)
{
	uint8_t bytes[sizeof(frame_1)];

	while (old->number - old->released >= SLOTS - 1) {
		uint64_t before = old->released;

		hear(old, 10000);
		assert_int_not_equal(old->released, before);
	}
	memcpy(bytes, frame_1, sizeof(bytes));
	old->number++;
	bytes[SLOT_AT] = (uint8_t)(old->number % SLOTS);
	bytes[NUMBER_AT] = (uint8_t)old->number;
	assert_int_equal(send(old->socket, bytes, sizeof(bytes), MSG_NOSIGNAL), sizeof(bytes));
}

static void
old_leave(struct old *old)
{
	close(old->socket);
	for (unsigned i = 0; i < SLOTS; i++)
		kr_buffer_unref(old->buffers[i]);
}

/* New pictures come until one has that colour there. */
static void
expect_pixel(struct rig *rig, struct kr_queue *queue, unsigned x, unsigned y, uint32_t colour)
{
	for (unsigned i = 0; i < 60; i++) {
		unsigned frames = (unsigned)rig_stats(rig).composed;

		rig_show_plain(queue, 1);
		rig_wait_frames(rig, frames + 1);
		if (rig_pixel(rig, x, y) == colour)
			return;
	}
	assert_int_equal(rig_pixel(rig, x, y), colour);
}

static uint64_t
id_of(struct rig *rig, const char *label)
{
	struct kr_display_window windows[4];
	unsigned count = kr_display_list_windows(rig->display, windows, 4);

	for (unsigned i = 0; i < count; i++) {
		if (!strcmp(windows[i].label, label))
			return windows[i].id;
	}
	fail_msg("no window %s", label);
	return 0;
}

static void
place(struct rig *rig, const char *label, const struct kr_layout_place *where)
{
	assert_int_equal(kr_display_place_window(rig->display, id_of(rig, label), where), 0);
}

static void
both_versions_are_laid_out_and_placed(void **state)
{
	const struct kr_layout_place corner = {
		.set = KR_PLACE_POSITION | KR_PLACE_SIZE, .x = 0, .y = 0, .width = 8, .height = 8};
	const struct kr_layout_place below = {.set = KR_PLACE_Z, .z = -1};
	const uint32_t new_colour = rig_plain(0, 0, 1);
	struct rig rig = {.laid_out = true};
	struct kr_queue *queue;
	struct old old;

	rig_start(&rig, KR_CLOCK_REAL);
	queue = rig_window(&rig, "new");
	rig_show_plain(queue, 1);
	rig_wait_frames(&rig, 1);
	old_join(&old, &rig);
	old_show(&old);
	/* Its own size, in the middle, above who came before. */
	expect_pixel(&rig, queue, 32, 24, OLD_COLOUR);
	assert_int_equal(rig_pixel(&rig, 24, 20), OLD_COLOUR);
	assert_int_equal(rig_pixel(&rig, 39, 27), OLD_COLOUR);
	assert_int_equal(rig_pixel(&rig, 23, 20), new_colour);
	assert_int_equal(rig_pixel(&rig, 40, 27), new_colour);
	place(&rig, "old", &corner);
	expect_pixel(&rig, queue, 1, 1, OLD_COLOUR);
	expect_pixel(&rig, queue, 32, 24, new_colour);
	place(&rig, "old", &below);
	expect_pixel(&rig, queue, 1, 1, new_colour);
	/* Nothing was said to it that version 1 hasn't. */
	hear(&old, 0);
	assert_int_equal(old.others, 0);
	old_leave(&old);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* Nobody sees it: its buffers come back all the same, as fast as the others'. */
static void
a_hidden_window_of_version_1_keeps_its_pace(void **state)
{
	const struct kr_layout_place hidden = {.set = KR_PLACE_VISIBLE};
	struct kr_display_stats stats;
	struct rig rig = {.laid_out = true};
	struct kr_queue *queue;
	struct old old;

	rig_start(&rig, KR_CLOCK_REAL);
	queue = rig_window(&rig, "new");
	rig_show_plain(queue, 1);
	rig_wait_frames(&rig, 1);
	old_join(&old, &rig);
	old_show(&old);
	expect_pixel(&rig, queue, 32, 24, OLD_COLOUR);
	place(&rig, "old", &hidden);
	expect_pixel(&rig, queue, 32, 24, rig_plain(0, 0, 1));
	stats = rig_stats(&rig);
	for (int i = 0; i < 10; i++)
		old_show(&old);
	assert_true(rig_stats(&rig).hidden > stats.hidden);
	assert_int_equal(rig_pixel(&rig, 32, 24), rig_plain(0, 0, 1));
	old_leave(&old);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

/* It stops reading and sending, with frames on their way: the others go on. */
static void
a_stuck_client_of_version_1_holds_up_nobody(void **state)
{
	struct rig rig = {.laid_out = true};
	struct kr_queue *queue;
	struct old old;

	rig_start(&rig, KR_CLOCK_REAL);
	old_join(&old, &rig);
	old_show(&old);
	old_show(&old);
	queue = rig_window(&rig, "new");
	for (unsigned i = 0; i < 20; i++)
		rig_show_plain(queue, i);
	rig_wait_stat(&rig, shown, 20);
	old_leave(&old);
	rig_close(queue);
	rig_stop(&rig, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST(both_versions_are_laid_out_and_placed),
	KR_TEST(a_hidden_window_of_version_1_keeps_its_pace),
	KR_TEST(a_stuck_client_of_version_1_holds_up_nobody),
};

KR_TEST_MAIN(tests)
