/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every reader promises (<krafla/window.h>); KRAFLA_TEST_READER says whether it is one in this
 * process or on a socket.
 */
#include "reader/rig.h"

#include <errno.h>
#include <fcntl.h>
#include <krafla/fault.h>
#include <krafla/native_handle.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "window/reader/reader.h"
#include "window/window.h"

#define MS KR_NSEC_PER_MSEC

static bool
on_a_socket(void)
{
	const char *which = getenv("KRAFLA_TEST_READER");

	return which && !strcmp(which, "socket");
}

static void
rig_start(struct rig *rig, void (*change)(struct krafla_reader_config *config))
{
	rig_open(rig, on_a_socket(), change);
}

static void
two_images(struct krafla_reader_config *config)
{
	config->max_images = 2;
}

static void
images_come_in_order_with_their_fences(void **state)
{
	struct krafla_image image;
	ANativeWindow *window;
	int signal, fence;
	struct rig rig;

	rig_start(&rig, NULL);
	window = rig_window_ahead(&rig, 2);
	assert_int_equal(krafla_reader_acquire_next(rig.reader, &image), -EAGAIN);
	assert_int_equal(kr_fence_create(NULL, &signal, &fence), 0);
	rig_frame_fenced(window, 1, fence);
	rig_frame(window, 2);
	/* Ready or not: the fence is the caller's affair. */
	rig_acquire(&rig, &image);
	assert_int_equal(image.number, 1);
	assert_int_equal(kr_fence_status(image.acquire_fence), KR_FENCE_ACTIVE);
	kr_fence_signal(signal, KR_FENCE_SIGNALLED);
	assert_int_equal(rig_colour(&image), 1);
	rig_release(&rig, &image, -1);
	rig_acquire(&rig, &image);
	assert_int_equal(image.number, 2);
	assert_int_equal(image.acquire_fence, -1);
	assert_int_equal(rig_colour(&image), 2);
	rig_release(&rig, &image, -1);
	assert_int_equal(krafla_reader_acquire_next(rig.reader, &image), -EAGAIN);
	ANativeWindow_release(window);
	rig_close(&rig);
}

static void
an_image_says_what_was_said_of_its_frame(void **state)
{
	const android_native_rect_t crop = {4, 2, 40, 30}, damage = {1, 2, 3, 4};
	struct krafla_producer who = {.size = sizeof(who)};
	AHardwareBuffer_Desc desc;
	struct krafla_image image;
	ANativeWindow *window;
	struct rig rig;
	int64_t before = kr_clock_now();

	rig_start(&rig, NULL);
	window = rig_window(&rig);
	rig_frame(window, 1);
	rig_acquire(&rig, &image);
	AHardwareBuffer_describe(image.buffer, &desc);
	assert_int_equal(desc.width, 64);
	assert_int_equal(desc.height, 32);
	assert_int_equal(desc.format, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	assert_int_equal(desc.usage,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN);
	assert_true(image.timestamp_ns >= before && image.timestamp_ns <= kr_clock_now());
	assert_int_equal(image.crop.right, 64);
	assert_int_equal(image.crop.bottom, 32);
	assert_int_equal(image.transform, 0);
	assert_int_equal(image.damage_count, 0);
	assert_int_equal(krafla_reader_get_producer(rig.reader, image.producer, &who), 0);
	assert_string_equal(who.label, on_a_socket() ? "a window" : "local");
	assert_int_equal(who.pid, on_a_socket() ? getpid() : 0);
	assert_int_equal(krafla_reader_get_producer(rig.reader, image.producer + 9, &who), -ENOENT);
	rig_release(&rig, &image, -1);

	window->perform(window, NATIVE_WINDOW_SET_CROP, &crop);
	/* As it is: a reader has no display that would be turned. */
	window->perform(window, NATIVE_WINDOW_SET_BUFFERS_TRANSFORM,
		NATIVE_WINDOW_TRANSFORM_FLIP_V | NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY);
	window->perform(window, NATIVE_WINDOW_SET_BUFFERS_DATASPACE, HAL_DATASPACE_V0_SRGB);
	window->perform(window, NATIVE_WINDOW_SET_SURFACE_DAMAGE, &damage, (size_t)1);
	rig_frame(window, 1);
	rig_acquire(&rig, &image);
	assert_int_equal(image.crop.left, 4);
	assert_int_equal(image.crop.bottom, 30);
	assert_int_equal(image.transform,
		NATIVE_WINDOW_TRANSFORM_FLIP_V | NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY);
	assert_int_equal(image.dataspace, HAL_DATASPACE_V0_SRGB);
	assert_int_equal(image.damage_count, 1);
	assert_int_equal(image.damage[0].left, 1);
	assert_int_equal(image.damage[0].bottom, 4);
	rig_release(&rig, &image, -1);
	ANativeWindow_release(window);
	rig_close(&rig);
}

static void
queue_damaged(ANativeWindow *window, uint32_t colour, int32_t left)
{
	const android_native_rect_t damage = {left, 0, left + 1, 1};

	window->perform(window, NATIVE_WINDOW_SET_SURFACE_DAMAGE, &damage, (size_t)1);
	rig_frame(window, colour);
}

/* Three wait; the last is given, and the others are free again, unseen. */
static void
the_latest_image_leaves_out_the_older(void **state)
{
	struct krafla_image image;
	ANativeWindow *window;
	struct rig rig;

	rig_start(&rig, NULL);
	window = rig_window_ahead(&rig, 3);
	for (int i = 1; i <= 3; i++)
		queue_damaged(window, (uint32_t)i, i);
	if (on_a_socket())
		assert_true(rig_readable(&rig));
	assert_int_equal(krafla_reader_acquire_latest(rig.reader, &image), 0);
	assert_int_equal(image.number, 3);
	assert_int_equal(rig_colour(&image), 3);
	assert_int_equal(image.damage_count, 3);
	assert_int_equal(image.damage[0].left, 3);
	assert_int_equal(image.damage[1].left + image.damage[2].left, 3);
	for (int i = 4; i <= 6; i++)
		rig_frame(window, (uint32_t)i);
	rig_release(&rig, &image, -1);
	rig_acquire(&rig, &image);
	assert_int_equal(image.number, 4);
	assert_int_equal(image.damage_count, 0);
	rig_release(&rig, &image, -1);
	ANativeWindow_release(window);
	rig_close(&rig);
}

static void
no_more_images_are_out_than_was_said(void **state)
{
	struct krafla_image image[3];
	ANativeWindow *window;
	struct rig rig;

	rig_start(&rig, two_images);
	window = rig_window_ahead(&rig, 3);
	for (uint32_t i = 1; i <= 3; i++)
		rig_frame(window, i);
	rig_acquire(&rig, &image[0]);
	rig_acquire(&rig, &image[1]);
	assert_int_equal(krafla_reader_acquire_next(rig.reader, &image[2]), -EBUSY);
	assert_int_equal(krafla_reader_acquire_latest(rig.reader, &image[2]), -EBUSY);
	/* Nothing can be done before one is released: whoever polls would spin. */
	assert_false(rig_readable(&rig));
	rig_release(&rig, &image[1], -1);
	assert_true(rig_readable(&rig));
	assert_int_equal(krafla_reader_acquire_next(rig.reader, &image[2]), 0);
	assert_int_equal(image[2].number, 3);
	/* All are out, and nothing waits. */
	assert_int_equal(krafla_reader_acquire_next(rig.reader, &image[1]), -EAGAIN);
	rig_release(&rig, &image[0], -1);
	rig_release(&rig, &image[2], -1);
	assert_false(rig_readable(&rig));
	ANativeWindow_release(window);
	rig_close(&rig);
}

/* The producer can't get ahead of who reads, and goes on with what is released. */
static void
releases_pace_the_producer(void **state)
{
	struct krafla_image image;
	ANativeWindow *window;
	struct rig rig;

	rig_start(&rig, NULL);
	window = rig_window_ahead(&rig, 1);
	rig_frame(window, 1);
	rig_frame(window, 2);
	rig_acquire(&rig, &image);
	assert_int_equal(rig_try_dequeue(window, 0), -ETIMEDOUT);
	for (uint32_t i = 1; i <= 20; i++) {
		assert_int_equal(image.number, i);
		assert_int_equal(rig_colour(&image), i);
		rig_release(&rig, &image, -1);
		rig_frame(window, i + 2);
		assert_int_equal(rig_try_dequeue(window, 0), -ETIMEDOUT);
		rig_acquire(&rig, &image);
	}
	rig_release(&rig, &image, -1);
	ANativeWindow_release(window);
	rig_close(&rig);
}

static void
a_release_fence_holds_the_buffer_back(void **state)
{
	ANativeWindowBuffer *buffer;
	struct krafla_image image;
	ANativeWindow *window;
	int signal, fence, got;
	struct rig rig;

	rig_start(&rig, NULL);
	window = rig_window_ahead(&rig, 1);
	rig_frame(window, 1);
	rig_acquire(&rig, &image);
	rig_frame(window, 2);
	assert_int_equal(kr_fence_create(NULL, &signal, &fence), 0);
	rig_release(&rig, &image, fence);
	assert_int_equal(ANativeWindow_dequeueBuffer(window, &buffer, &got), 0);
	assert_int_equal(kr_fence_status(got), KR_FENCE_ACTIVE);
	kr_fence_signal(signal, KR_FENCE_SIGNALLED);
	assert_int_equal(kr_fence_status(got), KR_FENCE_SIGNALLED);
	assert_int_equal(ANativeWindow_cancelBuffer(window, buffer, got), 0);
	ANativeWindow_release(window);
	rig_close(&rig);
}

static void
an_image_is_released_once_and_its_fence_is_closed(void **state)
{
	struct krafla_image image, other;
	ANativeWindow *window;
	struct rig rig;
	int fence;

	rig_start(&rig, NULL);
	window = rig_window(&rig);
	rig_frame(window, 1);
	rig_acquire(&rig, &image);
	other = image;
	other.number++;
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	assert_int_equal(krafla_reader_release(rig.reader, &other, fence), -ESTALE);
	assert_int_equal(fcntl(fence, F_GETFD), -1);
	other = image;
	other.producer++;
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	assert_int_equal(krafla_reader_release(rig.reader, &other, fence), -ESTALE);
	assert_int_equal(fcntl(fence, F_GETFD), -1);
	other = image;
	other.slot = 1000;
	assert_int_equal(krafla_reader_release(rig.reader, &other, -1), -ESTALE);
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	assert_int_equal(krafla_reader_release(rig.reader, NULL, fence), -EINVAL);
	assert_int_equal(fcntl(fence, F_GETFD), -1);
	/* No fence: closed, and the buffer is back. */
	fence = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(krafla_reader_release(rig.reader, &image, fence), -EINVAL);
	assert_int_equal(fcntl(fence, F_GETFD), -1);
	assert_int_equal(krafla_reader_release(rig.reader, &image, -1), -ESTALE);
	rig_frame(window, 2);
	rig_acquire(&rig, &image);
	rig_release(&rig, &image, -1);
	ANativeWindow_release(window);
	rig_close(&rig);
}

/* Nobody is given what has no content; all of what comes next is new. */
static void
a_frame_without_pixels_goes_back_unseen(void **state)
{
	struct krafla_image image;
	ANativeWindow *window;
	struct rig rig;

	rig_start(&rig, NULL);
	window = rig_window_ahead(&rig, 2);
	assert_int_equal(window->perform(window, KR_WINDOW_NO_PIXELS), 0);
	rig_frame(window, 1);
	queue_damaged(window, 2, 2);
	rig_acquire(&rig, &image);
	assert_int_equal(image.number, 2);
	assert_int_equal(image.damage_count, 0);
	rig_release(&rig, &image, -1);
	/* Likewise behind one that has some. */
	queue_damaged(window, 3, 3);
	assert_int_equal(window->perform(window, KR_WINDOW_NO_PIXELS), 0);
	rig_frame(window, 4);
	assert_int_equal(krafla_reader_acquire_latest(rig.reader, &image), 0);
	assert_int_equal(image.number, 3);
	assert_int_equal(image.damage_count, 1);
	queue_damaged(window, 5, 5);
	rig_release(&rig, &image, -1);
	rig_acquire(&rig, &image);
	assert_int_equal(image.number, 5);
	assert_int_equal(image.damage_count, 0);
	rig_release(&rig, &image, -1);
	ANativeWindow_release(window);
	rig_close(&rig);
}

/* MAILBOX: a newer frame takes the place of one that nobody has acquired. */
static void
a_droppable_frame_is_replaced(void **state)
{
	struct krafla_image image;
	ANativeWindow *window;
	struct rig rig;

	rig_start(&rig, NULL);
	window = rig_window_ahead(&rig, 2);
	assert_int_equal(window->setSwapInterval(window, 0), 0);
	for (uint32_t i = 1; i <= 5; i++) {
		rig_frame(window, i);
		/* A producer that isn't served waits for a buffer some time. */
		if (krafla_reader_acquire_next(rig.reader, &image) != -EAGAIN)
			rig_release(&rig, &image, -1);
	}
	rig_frame(window, 6);
	rig_frame(window, 7);
	rig_acquire(&rig, &image);
	assert_int_equal(image.number, 7);
	rig_release(&rig, &image, -1);
	ANativeWindow_release(window);
	rig_close(&rig);
}

/* What the producer says of how it is shown reaches who wants to know, as long as it is held. */
static void
an_images_presentation_is_told(void **state)
{
	const struct kr_presentation said = {.mode = KR_PRESENT_FIFO_LATEST_READY,
		.alpha = KR_ALPHA_PREMULTIPLIED,
		.tell_shown = true};
	struct krafla_presentation told = {.size = sizeof(told)};
	struct kr_abilities abilities;
	struct krafla_image image;
	ANativeWindow *window;
	uint64_t shown = 7;
	struct rig rig;

	rig_start(&rig, NULL);
	window = rig_window_ahead(&rig, 2);
	assert_int_equal(window->perform(window, KR_WINDOW_GET_ABILITIES, &abilities), 0);
	assert_true(abilities.tells_shown);
	assert_int_equal(abilities.modes & KR_ABILITY_SHARED, 0);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_PRESENTATION, &said), 0);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_WINDOW_SIZE, 320, 200), 0);
	rig_frame(window, 1);
	/* It is shown when it was taken. */
	assert_int_equal(window->perform(window, KR_WINDOW_LAST_SHOWN, &shown), 0);
	assert_int_equal(shown, 0);
	rig_acquire(&rig, &image);
	assert_int_equal(window->perform(window, KR_WINDOW_WAIT_SHOWN, UINT64_C(1),
				 kr_clock_now() + 10 * KR_NSEC_PER_SEC),
		0);
	assert_int_equal(krafla_reader_get_presentation(rig.reader, &image, &told), 0);
	assert_int_equal(told.mode, KRAFLA_PRESENT_FIFO_LATEST_READY);
	assert_int_equal(told.alpha, KRAFLA_ALPHA_PREMULTIPLIED);
	assert_int_equal(told.window_width, 320);
	assert_int_equal(told.window_height, 200);
	told.size--;
	assert_int_equal(krafla_reader_get_presentation(rig.reader, &image, &told), -EINVAL);
	told.size++;
	rig_release(&rig, &image, -1);
	assert_int_equal(krafla_reader_get_presentation(rig.reader, &image, &told), -ESTALE);
	image.slot = 64;
	assert_int_equal(krafla_reader_get_presentation(rig.reader, &image, &told), -ESTALE);
	image.producer++;
	assert_int_equal(krafla_reader_get_presentation(rig.reader, &image, &told), -ESTALE);
	ANativeWindow_release(window);
	rig_close(&rig);
}

static void
what_pixels_mean_is_told(void **state)
{
	const struct android_smpte2086_metadata mastering = {
		.displayPrimaryGreen = {0.17f, 0.797f}, .maxLuminance = 1000};
	const struct android_cta861_3_metadata content = {900, 400};

	struct krafla_hdr_metadata hdr;
	struct krafla_image image;
	ANativeWindow *window;
	struct rig rig;

	rig_start(&rig, NULL);
	window = rig_window(&rig);
	assert_int_equal(ANativeWindow_setBuffersDataSpace(window, HAL_DATASPACE_BT2020_PQ), 0);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_BUFFERS_SMPTE2086_METADATA, &mastering),
		0);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_BUFFERS_CTA861_3_METADATA, &content), 0);
	rig_frame(window, 1);
	rig_acquire(&rig, &image);
	assert_int_equal(image.dataspace, HAL_DATASPACE_BT2020_PQ);
	assert_int_equal(krafla_reader_get_hdr(rig.reader, &image, &hdr), 0);
	assert_int_equal(hdr.has, 3);
	assert_true(hdr.green[1] == 0.797f && hdr.max_luminance == 1000);
	assert_true(hdr.max_cll == 900 && hdr.max_fall == 400);
	assert_int_equal(krafla_reader_get_hdr(rig.reader, &image, NULL), -EINVAL);
	rig_release(&rig, &image, -1);
	assert_int_equal(krafla_reader_get_hdr(rig.reader, &image, &hdr), -ESTALE);
	ANativeWindow_release(window);
	rig_close(&rig);
}

/* Who has an image may hand its memory on. */
static void
an_images_handle_names_its_memory(void **state)
{
	AHardwareBuffer *other = NULL;
	struct krafla_image image;
	ANativeWindow *window;
	struct rig rig;
	void *pixels;
	int pair[2];

	rig_start(&rig, NULL);
	window = rig_window(&rig);
	rig_frame(window, 0x11223344);
	rig_acquire(&rig, &image);
	assert_true(AHardwareBuffer_getNativeHandle(image.buffer)->data[0] >= 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(image.buffer, pair[0]), 0);
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(pair[1], &other), 0);
	assert_int_equal(AHardwareBuffer_lock(
				 other, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, -1, NULL, &pixels),
		0);
	assert_int_equal(*(uint32_t *)pixels, 0x11223344);
	close(pair[0]);
	close(pair[1]);
	AHardwareBuffer_release(other);
	/* One that is acquired outlives image and reader. */
	AHardwareBuffer_acquire(image.buffer);
	rig_release(&rig, &image, -1);
	ANativeWindow_release(window);
	rig_close(&rig);
	assert_int_equal(AHardwareBuffer_lock(image.buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
				 -1, NULL, &pixels),
		0);
	assert_int_equal(*(uint32_t *)pixels, 0x11223344);
	AHardwareBuffer_release(image.buffer);
}

/* With an image held, one queued, and one dequeued. */
static void
a_reader_that_closes_is_gone_for_its_producer(void **state)
{
	ANativeWindowBuffer *buffer;
	struct krafla_image image;
	ANativeWindow *window;
	struct rig rig;
	int fence;

	rig_start(&rig, NULL);
	window = rig_window_ahead(&rig, 2);
	rig_frame(window, 1);
	rig_acquire(&rig, &image);
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	rig_frame_fenced(window, 2, fence);
	buffer = rig_dequeue(window);
	rig_close(&rig);
	if (on_a_socket())
		assert_int_equal(access(rig.socket, F_OK), -1);
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	/* The first that is sent may still be on its way to nobody. */
	(void)ANativeWindow_queueBuffer(window, buffer, fence);
	assert_int_equal(rig_try_dequeue(window, 10000 * MS), -ENODEV);
	ANativeWindow_release(window);
	krafla_reader_close(NULL);
}

static void
faults_strike_where_images_pass(void **state)
{
	const struct krafla_fault absent = {.size = sizeof(absent), .kind = KRAFLA_FAULT_ABSENT};
	const struct krafla_fault error = {.size = sizeof(error), .kind = KRAFLA_FAULT_ERROR};
	ANativeWindowBuffer *buffer;
	struct krafla_image image;
	ANativeWindow *window;
	struct rig rig;
	int fence;

	rig_start(&rig, NULL);
	window = rig_window(&rig);
	assert_int_equal(krafla_fault_set(KRAFLA_FAULT_AT_READER_ACQUIRE, &error), 0);
	assert_int_equal(krafla_fault_set(KRAFLA_FAULT_AT_READER_RELEASE, &error), 0);
	rig_frame(window, 1);
	rig_acquire(&rig, &image);
	assert_int_equal(kr_fence_status(image.acquire_fence), -EIO);
	kr_fd_close(&image.acquire_fence);
	rig_release(&rig, &image, -1);
	assert_int_equal(krafla_fault_set(KRAFLA_FAULT_AT_READER_RELEASE, &absent), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ANativeWindow_dequeueBuffer(window, &buffer, &fence), 0);
		if (fence >= 0)
			break;
		assert_int_equal(ANativeWindow_queueBuffer(window, buffer, -1), 0);
		rig_acquire(&rig, &image);
		kr_fd_close(&image.acquire_fence);
		rig_release(&rig, &image, -1);
	}
	assert_int_equal(kr_fence_status(fence), -EIO);
	assert_int_equal(ANativeWindow_cancelBuffer(window, buffer, fence), 0);
	krafla_fault_clear(KRAFLA_FAULT_SITES);
	assert_string_equal(
		krafla_fault_site_name(KRAFLA_FAULT_AT_READER_ACQUIRE), "reader-acquire");
	ANativeWindow_release(window);
	rig_close(&rig);
}

struct painter {
	ANativeWindow *window;
	uint32_t frames; /* 0: until the reader has gone */
	uint32_t done;
};

static void *
paint(void *data)
{
	struct painter *painter = data;

	for (uint32_t i = 1; !painter->frames || i <= painter->frames; i++) {
		ANativeWindowBuffer *buffer;
		void *pixels;
		int fence;

		if (ANativeWindow_dequeueBuffer(painter->window, &buffer, &fence) ||
			AHardwareBuffer_lock(ANativeWindowBuffer_getHardwareBuffer(buffer),
				AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, fence, NULL, &pixels))
			break;
		*(uint32_t *)pixels = i;
		(void)AHardwareBuffer_unlock(ANativeWindowBuffer_getHardwareBuffer(buffer), NULL);
		if (ANativeWindow_queueBuffer(painter->window, buffer, -1))
			break;
		painter->done = i;
	}
	return NULL;
}

/* No wake is lost, whichever of the two is faster. */
static void
two_threads_meet_at_every_frame(void **state)
{
	struct painter painter = {.frames = 2000};
	struct krafla_image image;
	pthread_t thread;
	struct rig rig;

	rig_start(&rig, NULL);
	painter.window = rig_window_ahead(&rig, 2);
	assert_int_equal(pthread_create(&thread, NULL, paint, &painter), 0);
	for (uint32_t i = 1; i <= painter.frames; i++) {
		rig_acquire(&rig, &image);
		assert_int_equal(image.number, i);
		assert_int_equal(rig_colour(&image), i);
		rig_release(&rig, &image, -1);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	ANativeWindow_release(painter.window);
	rig_close(&rig);
}

/* Wherever its producer stands, it is answered and goes. */
static void
a_reader_closes_while_its_producer_works(void **state)
{
	for (unsigned frames = 0; frames < 30; frames++) {
		struct painter painter = {0};
		struct krafla_image image;
		pthread_t thread;
		struct rig rig;

		rig_start(&rig, NULL);
		painter.window = rig_window_ahead(&rig, 2);
		assert_int_equal(pthread_create(&thread, NULL, paint, &painter), 0);
		for (unsigned i = 0; i < frames; i++) {
			rig_acquire(&rig, &image);
			if (i + 1 < frames)
				rig_release(&rig, &image, -1);
		}
		rig_close(&rig);
		assert_int_equal(pthread_join(thread, NULL), 0);
		ANativeWindow_release(painter.window);
	}
}

static void
wrong_arguments_are_answered(void **state)
{
	const struct krafla_reader_config good = {.size = sizeof(good), .width = 8, .height = 8};
	struct krafla_reader *reader = NULL;
	struct krafla_reader_config bad;
	struct krafla_producer who = {.size = 1};
	struct krafla_image image;
	ANativeWindow *window;
	struct rig rig;

#define EXPECT(error, change)                                                                      \
	do {                                                                                       \
		bad = good;                                                                        \
		bad.socket = on_a_socket() ? kr_test_path("bad") : NULL;                           \
		bad.change;                                                                        \
		assert_int_equal(krafla_reader_open(&bad, &reader), error);                        \
		assert_int_equal(access(kr_test_path("bad"), F_OK), -1);                           \
	} while (0)

	EXPECT(-EINVAL, size = 4);
	EXPECT(-EINVAL, width = 0);
	EXPECT(-EOPNOTSUPP, height = 40000);
	EXPECT(-EOPNOTSUPP, format = 0x7777);
	EXPECT(-EOPNOTSUPP, usage = AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT);
	EXPECT(-EINVAL, max_images = KRAFLA_READER_MAX_IMAGES + 1);
	EXPECT(-EINVAL, max_producers = KRAFLA_READER_MAX_PRODUCERS + 1);
	EXPECT(-EINVAL, transform_hint = 8);
	EXPECT(-EINVAL, dataspace = -1);
	EXPECT(-EINVAL, flags = UINT32_C(1) << 31);
	assert_int_equal(krafla_reader_open(NULL, &reader), -EINVAL);
	assert_int_equal(krafla_reader_open(&good, NULL), -EINVAL);
	rig_start(&rig, NULL);
	assert_int_equal(krafla_reader_get_fd(NULL), -EINVAL);
	assert_int_equal(krafla_reader_acquire_next(NULL, &image), -EINVAL);
	assert_int_equal(krafla_reader_acquire_latest(rig.reader, NULL), -EINVAL);
	assert_int_equal(krafla_reader_get_producer(rig.reader, 1, &who), -EINVAL);
	assert_int_equal(krafla_reader_get_window(rig.reader, NULL), -EINVAL);
	if (on_a_socket())
		assert_int_equal(krafla_reader_get_window(rig.reader, &window), -EINVAL);
	rig_close(&rig);
}

/* Another thread may release a shared one as it comes: then it is who acquired that has it last. */
static void
what_is_acquired_is_there(void **state)
{
	const struct kr_acquire any = {0};
	struct kr_reader *inside;
	ANativeWindow *window;
	struct kr_frame frame;
	uint64_t producer;
	struct rig rig;

	rig_start(&rig, NULL);
	inside = (struct kr_reader *)rig.reader;
	window = rig_window(&rig);
	rig_frame(window, 1);
	while (kr_reader_acquire(inside, false, &any, &frame, &producer))
		poll(NULL, 0, 1);
	assert_int_equal(kr_reader_release(inside, producer, frame.slot, frame.number, -1), 0);
	ANativeWindow_release(window);
	rig_close(&rig);
	assert_int_equal(kr_buffer_get_info(frame.buffer)->desc.width, 64);
	kr_buffer_unref(frame.buffer);
}

#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(images_come_in_order_with_their_fences, KEEPS),
	KR_TEST_FLAGS(an_image_says_what_was_said_of_its_frame, KEEPS),
	KR_TEST_FLAGS(the_latest_image_leaves_out_the_older, KEEPS),
	KR_TEST_FLAGS(no_more_images_are_out_than_was_said, KEEPS),
	KR_TEST_FLAGS(releases_pace_the_producer, KEEPS),
	KR_TEST_FLAGS(a_release_fence_holds_the_buffer_back, KEEPS),
	KR_TEST_FLAGS(an_image_is_released_once_and_its_fence_is_closed, KEEPS),
	KR_TEST_FLAGS(a_frame_without_pixels_goes_back_unseen, KEEPS),
	KR_TEST_FLAGS(a_droppable_frame_is_replaced, KEEPS),
	KR_TEST_FLAGS(an_images_presentation_is_told, KEEPS),
	KR_TEST_FLAGS(what_pixels_mean_is_told, KEEPS),
	KR_TEST_FLAGS(an_images_handle_names_its_memory, KEEPS),
	KR_TEST_FLAGS(a_reader_that_closes_is_gone_for_its_producer, KEEPS),
	KR_TEST_FLAGS(faults_strike_where_images_pass, KEEPS),
	KR_TEST_SLOW(two_threads_meet_at_every_frame, KEEPS, 60),
	KR_TEST_SLOW(a_reader_closes_while_its_producer_works, KEEPS, 60),
	KR_TEST_FLAGS(what_is_acquired_is_there, KEEPS),
	KR_TEST_FLAGS(wrong_arguments_are_answered, KEEPS),
};

KR_TEST_MAIN(tests)
