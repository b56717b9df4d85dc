/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes pictures on from one queue to another without a copy: buffers leave the first one as they
 * are acquired, go into the window of the second, and come back when nobody looks at them any more.
 *
 *   cc relay.c -o relay $(pkg-config --cflags --libs krafla)
 *   ./reader second 90 &
 *   ./relay first second &                 once that listens
 *   KRAFLA_DISPLAY=first ./window 90       likewise
 */
#include <errno.h>
#include <krafla/window.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

struct relay {
	struct krafla_reader *reader;
	ANativeWindow *window;
	int released; /* readable when a buffer may have come back */
	struct krafla_image image;
	AHardwareBuffer *buffer; /* of the image, which the window has no place for yet; NULL */
	long passed;
};

static int
open_ends(struct relay *relay, const char *from, const char *to)
{
	struct krafla_reader_config config = {
		.size = sizeof(config), .socket = from, .width = 640, .height = 360};
	int err = krafla_window_open(to, "relay", 0, 0, &relay->window);

	if (!err)
		err = relay->window->perform(
			relay->window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_CPU);
	/* What is drawn meanwhile waits at the other end, not here. */
	if (!err)
		err = ANativeWindow_setDequeueTimeout(relay->window, 0);
	if (!err)
		err = krafla_window_watch(relay->window,
			KRAFLA_EVENT_BIT(KRAFLA_EVENT_RELEASED) |
				KRAFLA_EVENT_BIT(KRAFLA_EVENT_DISCONNECTED),
			&relay->released);
	if (err) {
		fprintf(stderr, "relay: %s: %s\n", to, strerror(-err));
		return err;
	}
	config.width = (uint32_t)ANativeWindow_getWidth(relay->window);
	config.height = (uint32_t)ANativeWindow_getHeight(relay->window);
	err = krafla_reader_open(&config, &relay->reader);
	if (err)
		fprintf(stderr, "relay: %s: %s\n", from, strerror(-err));
	else
		printf("KRAFLA_DISPLAY=%s\n", from), fflush(stdout);
	return err;
}

/* Buffers that nobody looks at go back to who draws. */
static int
give_back(struct relay *relay)
{
	struct krafla_image image;
	struct krafla_event event;
	AHardwareBuffer *buffer;
	int fence, err;

	while (!(err = krafla_window_next_event(relay->window, &event))) {
		if (event.kind == KRAFLA_EVENT_DISCONNECTED)
			return -EPIPE;
		if (krafla_window_detach_next(relay->window, &buffer, &fence))
			continue;
		/* Where it has no place it is freed here. */
		if (!krafla_reader_attach(relay->reader, relay->image.producer, buffer, &image))
			(void)krafla_reader_release(relay->reader, &image, fence);
		AHardwareBuffer_release(buffer);
	}
	return err == -EAGAIN ? 0 : err;
}

static int
take(struct relay *relay)
{
	int err = krafla_reader_acquire_next(relay->reader, &relay->image);

	return err ? err : krafla_reader_detach(relay->reader, &relay->image, &relay->buffer);
}

static int
pass_on(struct relay *relay)
{
	const struct krafla_image *image = &relay->image;
	const android_native_rect_t crop = {
		image->crop.left, image->crop.top, image->crop.right, image->crop.bottom};
	ANativeWindowBuffer *attached;
	int err = krafla_window_attach(relay->window, relay->buffer, &attached);

	if (err)
		return err;
	relay->window->perform(relay->window, NATIVE_WINDOW_SET_CROP, &crop);
	(void)ANativeWindow_setBuffersTransform(relay->window, image->transform);
	err = ANativeWindow_queueBuffer(relay->window, attached, image->acquire_fence);
	AHardwareBuffer_release(relay->buffer);
	relay->buffer = NULL;
	relay->passed += !err;
	return err;
}

static int
run(struct relay *relay)
{
	struct krafla_event event;
	int err = 0;

	while (!err) {
		struct pollfd fds[2] = {
			{.fd = relay->released, .events = POLLIN},
			{.fd = krafla_reader_get_fd(relay->reader), .events = POLLIN},
		};

		/* Whoever draws is answered, also while his picture waits. */
		(void)krafla_reader_next_event(relay->reader, &event);
		err = give_back(relay);
		if (!err && !relay->buffer)
			err = take(relay);
		if (!err)
			err = pass_on(relay);
		/*
		 * A picture that has no place yet waits for one; nobody else's is taken meanwhile.
		 */
		if (err == -EAGAIN || err == -ETIMEDOUT)
			err = poll(fds, relay->buffer ? 1 : 2, 1000) < 0 ? -errno : 0;
	}
	return err;
}

int
main(int argc, char **argv)
{
	struct relay relay = {.released = -1};
	int err, failed = 1;

	if (argc != 3)
		return fprintf(stderr, "usage: relay FROM TO\n"), 2;
	if (!open_ends(&relay, argv[1], argv[2])) {
		err = run(&relay);
		printf("%ld pictures passed on\n", relay.passed);
		failed = err != -EPIPE; /* who drew, or who looked, is gone */
		if (failed)
			fprintf(stderr, "relay: %s\n", strerror(-err));
	}
	if (relay.buffer)
		AHardwareBuffer_release(relay.buffer);
	krafla_reader_close(relay.reader);
	ANativeWindow_release(relay.window);
	return failed;
}
