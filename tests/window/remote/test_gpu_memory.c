/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of a GPU behind a window's buffers (W-11): how it gets to the display, and what the
 * display makes of producers that lie about it.
 */
#include "remote/liar.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "util/native_memory.h"
#include "window/remote/descriptors.h"

/* As a driver might describe an image for a buffer of 64x32 RGBA. */
static const struct kr_gpu_memory an_image = {
	.kind = KR_GPU_OPAQUE_FD,
	.device_uuid = {1},
	.driver_uuid = {2},
	.allocation_size = 8192,
	.format = 37,
	.width = 64,
	.height = 32,
	.usage = 5,
	.mip_levels = 1,
	.array_layers = 1,
	.samples = 1,
	.layout = 1,
};

/* Nobody here looks into it. */
static int
make_memory(void)
{
	int fd = memfd_create("memory", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static bool
is_same_file(int a, int b)
{
	struct stat x, y;

	assert_int_equal(fstat(a, &x), 0);
	assert_int_equal(fstat(b, &y), 0);
	return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static struct kr_remote_display
looks_at_gpus(void)
{
	struct kr_remote_display display = help_display;

	display.consumer_usage |= KR_USAGE_GPU_MEMORY;
	return display;
}

/* ---- both ends ---- */

struct window {
	struct kr_queue *queue;
	struct kr_consumer *consumer;
};

/* A queue at a display, whose consumer_usage is that of help_display now. */
static void
open_window(struct window *window)
{
	help_connect(&window->queue, &window->consumer, false, NULL, NULL);
}

static void
close_window(struct window *window)
{
	kr_consumer_destroy(window->consumer);
	kr_queue_unref(window->queue);
}

static struct kr_buffer *
dequeue(struct window *window, uint32_t *slot)
{
	const struct kr_queue_request request = {.deadline_ns = 0};
	struct kr_buffer *buffer;
	int fence;

	assert_int_equal(kr_queue_dequeue(window->queue, &request, slot, &buffer, &fence), 0);
	assert_int_equal(fence, -1);
	return buffer;
}

static void
frames_bring_the_memory_of_their_gpu(void **state)
{
	struct kr_remote_display before = help_display;
	int fd = make_memory();
	struct window window;
	struct kr_frame frame;
	unsigned again = 0;
	uint32_t slot;

	help_display = looks_at_gpus();
	help_config.consumer_usage = help_display.consumer_usage;
	open_window(&window);
	for (int i = 0; i < 6; i++) {
		struct kr_buffer *buffer = dequeue(&window, &slot);
		const struct kr_buffer_info *info;

		assert_true(kr_buffer_get_info(buffer)->desc.usage & KR_USAGE_GPU_MEMORY);
		if (!kr_buffer_get_info(buffer)->gpu)
			assert_int_equal(kr_buffer_attach_gpu(buffer, &an_image, dup(fd)), 0);
		else
			again++;
		help_queue_frame(window.queue, slot);
		assert_int_equal(help_pump_all(window.consumer), 0);
		assert_int_equal(kr_consumer_acquire(window.consumer, &frame), 0);
		info = kr_buffer_get_info(frame.buffer);
		/* Told once, and there for each frame; the CPU's pixels are there as well. */
		assert_non_null(info->gpu);
		assert_int_equal(info->gpu->allocation_size, 8192);
		assert_int_equal(info->gpu->layout, 1);
		assert_true(is_same_file(info->gpu_fd, fd));
		assert_int_equal(info->backend, KR_BUFFER_MEMFD);
		assert_int_equal(kr_consumer_release(window.consumer, &frame, -1), 0);
	}
	assert_true(again >= 3);
	close_window(&window);
	close(fd);
	help_display = before;
	help_config.consumer_usage = before.consumer_usage;
}

/* A display that doesn't look at it isn't told, and its window goes on. */
static void
who_does_not_look_is_not_told(void **state)
{
	struct window window;
	struct kr_frame frame;
	uint32_t slot;

	open_window(&window);
	assert_int_equal(
		kr_buffer_attach_gpu(dequeue(&window, &slot), &an_image, make_memory()), 0);
	help_queue_frame(window.queue, slot);
	assert_int_equal(help_pump_all(window.consumer), 0);
	assert_int_equal(kr_consumer_acquire(window.consumer, &frame), 0);
	assert_null(kr_buffer_get_info(frame.buffer)->gpu);
	assert_int_equal(kr_consumer_release(window.consumer, &frame, -1), 0);
	close_window(&window);
}

/* ---- producers that lie ---- */

static void
start(struct liar *liar)
{
	const struct kr_remote_display display = looks_at_gpus();
	const struct kr_dp_message hello = {.type = KR_DP_HELLO4,
		.hello4.hello3 = {.hello2 = {.hello = {.version = 4, .label = "liar"}}}};

	liar_start_with(liar, &display);
	liar_send(liar, &hello, -1);
	liar_announce(liar, 0);
	assert_int_equal(kr_consumer_dispatch(liar->consumer), 0);
}

static void
send_memory(struct liar *liar, uint32_t slot, const struct kr_gpu_memory *memory, int fd)
{
	struct kr_dp_message message = {.type = KR_DP_GPU_MEMORY, .gpu_memory = {.slot = slot}};

	kr_buffer_gpu_encode(message.gpu_memory.memory, memory);
	liar_send(liar, &message, fd);
	close(fd);
}

/* */
static void
memory_that_lies_is_refused(void **state)
{
	struct kr_gpu_memory lies[12];
	struct liar liar;
	int sockets[2];

	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++)
		lies[i] = an_image;
	lies[0].kind = 3;
	lies[1].allocation_size = 0;
	lies[2].width = 65; /* than its buffer */
	lies[3].format = 44;
	lies[4].array_layers = 2;
	lies[5].layout = 0;
	lies[6].samples = 4;
	lies[7].view_format_count = 5;
	lies[8].plane_count = 5;
	lies[9].memory_type = 32;
	lies[10].allocation_size = UINT64_MAX;
	lies[11].driver_uuid[0] = 0;
	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++) {
		start(&liar);
		send_memory(&liar, 0, &lies[i], make_memory());
		liar_expect_cut_off(&liar, "memory of a GPU that");
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
	start(&liar);
	send_memory(&liar, 0, &an_image, sockets[0]);
	liar_expect_cut_off(&liar, "memory of a GPU that");
	close(sockets[1]);
}

/* */
static void
memory_where_none_belongs_is_refused(void **state)
{
	const struct kr_remote_display display = looks_at_gpus();
	struct kr_dp_message message;
	struct liar liar;

	start(&liar);
	send_memory(&liar, 1, &an_image, make_memory());
	liar_expect_cut_off(&liar, "can't take it");
	start(&liar);
	send_memory(&liar, 64, &an_image, make_memory());
	liar_expect_cut_off(&liar, "can't take it");
	start(&liar);
	send_memory(&liar, 0, &an_image, make_memory());
	send_memory(&liar, 0, &an_image, make_memory());
	liar_expect_cut_off(&liar, "that has such");
	/* While a frame of the slot is here. */
	start(&liar);
	message = (struct kr_dp_message){.type = KR_DP_FRAME3};
	message.frame3.frame2.frame = liar_frame(0, 1).frame;
	liar_send(&liar, &message, -1);
	send_memory(&liar, 0, &an_image, make_memory());
	liar_expect_cut_off(&liar, "can't take it");
	/* Of another version, and where nobody looks at it. */
	liar_start_with(&liar, &display);
	liar_hello(&liar);
	liar_announce(&liar, 0);
	send_memory(&liar, 0, &an_image, make_memory());
	liar_expect_cut_off(&liar, "nobody looks at");
	liar_start(&liar);
	message = (struct kr_dp_message){
		.type = KR_DP_HELLO4, .hello4.hello3 = {.hello2 = {.hello = {.version = 4}}}};
	liar_send(&liar, &message, -1);
	liar_announce(&liar, 0);
	send_memory(&liar, 0, &an_image, make_memory());
	liar_expect_cut_off(&liar, "nobody looks at");
	/* And without a descriptor. */
	start(&liar);
	message = (struct kr_dp_message){.type = KR_DP_GPU_MEMORY};
	liar_send(&liar, &message, -1);
	liar_expect_cut_off(&liar, "no message");
}

/* What the display attached may be its own still, or somebody else's, too. */
static void
memory_for_what_was_attached_is_refused(void **state)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	const struct kr_remote_display display = looks_at_gpus();
	const struct kr_dp_message hello = {
		.type = KR_DP_HELLO6, .hello6.hello5.hello4.hello3.hello2.hello = {.version = 6}};
	const struct kr_dp_message answer = {.type = KR_DP_ATTACHED, .attached = {.slot = 1}};
	struct kr_buffer *buffer;
	struct kr_frame frame;
	struct liar liar;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	for (int freed = 0; freed < 2; freed++) {
		liar_start_with(&liar, &display);
		liar_send(&liar, &hello, -1);
		assert_int_equal(help_pump_all(liar.consumer), 0);
		assert_int_equal(kr_consumer_attach(liar.consumer, buffer, &frame), 0);
		liar_send(&liar, &answer, -1);
		if (freed)
			assert_int_equal(kr_consumer_release(liar.consumer, &frame, -1), 0);
		send_memory(&liar, 1, &an_image, make_memory());
		liar_expect_cut_off(&liar, "can't take it");
		assert_null(kr_buffer_get_info(buffer)->gpu);
	}
	kr_buffer_unref(buffer);
}

static unsigned
count_gpu_memory(struct liar *liar, uint64_t each, unsigned most)
{
	struct kr_gpu_memory memory = an_image;
	unsigned count = 1;

	memory.allocation_size = each;
	send_memory(liar, 0, &memory, make_memory());
	while (!help_pump_all(liar->consumer) && count < most) {
		liar_announce(liar, count);
		send_memory(liar, count++, &memory, make_memory());
	}
	return count;
}

/* It costs the display no memory, but those who import it. */
static void
claims_of_memory_are_bounded(void **state)
{
	struct kr_gpu_memory memory = an_image;
	struct kr_dp_message gone = {.type = KR_DP_BUFFER_GONE};
	struct liar liar;

	start(&liar);
	/* 4 GiB are all right, one more isn't. */
	assert_int_equal(count_gpu_memory(&liar, UINT64_C(1) << 30, 10), 5);
	liar_expect_cut_off(&liar, "more memory of GPUs");
	/* What goes makes room. */
	start(&liar);
	memory.allocation_size = UINT64_C(1) << 30;
	for (int i = 0; i < 10; i++) {
		send_memory(&liar, 0, &memory, make_memory());
		liar_send(&liar, &gone, -1);
		liar_announce(&liar, 0);
		assert_int_equal(help_pump_all(liar.consumer), 0);
	}
	liar_finish(&liar);
}

/* A descriptor each, which is counted as its others are. */
static void
descriptors_of_memory_are_counted(void **state)
{
	struct kr_descriptors all;
	struct liar liar;

	start(&liar);
	kr_descriptors_init(&all, 24, 1); /* ten for it, and what is left of 18 */
	assert_int_equal(kr_consumer_remote_count(liar.consumer, &all), 0);
	assert_int_equal(count_gpu_memory(&liar, 8192, 60), 18);
	liar_expect_cut_off(&liar, "file descriptors");
	assert_int_equal(all.taken, 0);
	kr_descriptors_finish(&all);
}

#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(frames_bring_the_memory_of_their_gpu, KEEPS),
	KR_TEST_FLAGS(who_does_not_look_is_not_told, KEEPS),
	KR_TEST_FLAGS(memory_that_lies_is_refused, KEEPS),
	KR_TEST_FLAGS(memory_where_none_belongs_is_refused, KEEPS),
	KR_TEST_FLAGS(memory_for_what_was_attached_is_refused, KEEPS),
	KR_TEST_FLAGS(claims_of_memory_are_bounded, KEEPS),
	KR_TEST_FLAGS(descriptors_of_memory_are_counted, KEEPS),
};

KR_TEST_MAIN(tests)
