/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another program's frames: their numbers, sizes and first pixels, once their fences allow it.
 *
 *   cc reader.c -o reader $(pkg-config --cflags --libs krafla)
 *   ./reader frames 10 &
 *   KRAFLA_DISPLAY=frames ./window 10      once that listens
 */
#include <errno.h>
#include <krafla/window.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
look_at(const struct krafla_image *image)
{
	AHardwareBuffer_Desc desc;
	unsigned *pixel;
	int err = AHardwareBuffer_lock(image->buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
		image->acquire_fence, NULL, (void **)&pixel);

	if (err)
		return (void)printf(
			"frame %d: not drawn: %s\n", (int)image->number, strerror(-err));
	AHardwareBuffer_describe(image->buffer, &desc);
	printf("frame %d: %ux%u, %08x\n", (int)image->number, desc.width, desc.height, *pixel);
	AHardwareBuffer_unlock(image->buffer, NULL);
}

int
main(int argc, char **argv)
{
	struct krafla_reader_config config = {.size = sizeof(config), .width = 640, .height = 360};
	struct krafla_reader *reader = NULL;
	char *end;
	long frames = argc == 3 ? strtol(argv[2], &end, 10) : 0;
	int err;

	if (frames < 1 || *end)
		return fprintf(stderr, "usage: reader SOCKET FRAMES\n"), 2;
	config.socket = argv[1];
	if (!(err = krafla_reader_open(&config, &reader)))
		printf("KRAFLA_DISPLAY=%s\n", argv[1]), fflush(stdout);
	while (!err && frames > 0) {
		struct pollfd ready = {.fd = krafla_reader_get_fd(reader), .events = POLLIN};
		struct krafla_image image;

		err = krafla_reader_acquire_next(reader, &image);
		if (!err && frames--)
			look_at(&image), err = krafla_reader_release(reader, &image, -1);
		else if (err == -EAGAIN)
			err = poll(&ready, 1, -1) < 0 ? -errno : 0;
	}
	krafla_reader_close(reader);
	if (!fflush(stdout) && (!err || err == -EPIPE)) /* that is the program's end */
		return 0;
	fprintf(stderr, "reader: %s: %s\n", argv[1], strerror(err ? -err : errno));
	return 1;
}
