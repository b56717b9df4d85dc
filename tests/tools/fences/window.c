/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for `krafla run` that forgets a duplicate of each frame's acquire fence. Prints its
 * pid, and ends with its stdin.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>
#include <krafla/window.h>

#include "sync/fence/fence.h"

/* 0 or -errno. The fence is queued while it is active, as a driver does. */
static int
show(ANativeWindow *window, uint64_t frame)
{
	const struct kr_fence_label label = {.timeline = "app", .seqno = frame, .name = "render"};
	ANativeWindowBuffer *buffer;
	int release, producer, fence, err;

	err = window->dequeueBuffer(window, &buffer, &release);
	if (err)
		return err;
	if (release >= 0)
		close(release);
	err = kr_fence_create(&label, &producer, &fence);
	if (err)
		return err;
	if (dup(fence) < 0)
		return -errno;
	err = window->queueBuffer(window, buffer, fence);
	kr_fence_signal(producer, 1);
	return err;
}

int
main(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	ANativeWindow *window = NULL;
	int err = krafla_window_open(NULL, "Leaky window", 64, 64, &window);

	if (!err)
		err = window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_CPU);
	printf("%d\n", err ? 0 : (int)getpid());
	fflush(stdout);
	for (uint64_t frame = 1; !err && poll(&input, 1, 0) == 0; frame++)
		err = show(window, frame);
	if (window)
		ANativeWindow_release(window);
	return err != 0;
}
