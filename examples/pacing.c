/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window that holds its own pace on a display that has another one: each frame says when it is
 * meant to be seen, and the display tells when it was.
 *
 *   krafla run --display 640x360@144 -- krafla-pacing 90 30
 *
 * That are 90 frames, 30 a second, at 144 Hz: 4.8 refreshes each, so four frames of five stay for
 * five of them and one for four. A frame's time is half a refresh before it is meant to be seen,
 * which makes it the refresh that is nearest. What is drawn depends on that time and on nothing
 * else. It works with every clock: the first frame says no time, and those after it count from when
 * that one was shown.
 *
 *   krafla run --display 640x360@144,120,60 -- krafla-pacing 90 30
 *
 * A display that has several rates is asked for one that is a multiple, and then each frame stays
 * for two refreshes of 60 Hz. What it has chosen it tells by the time that a refresh lasts.
 */
#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <krafla/window.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND     INT64_C(1000000000)
#define MAX_FRAMES 10000
#define MAX_RATE   1000
/* Frames that are asked about behind the one that is drawn, and times that are asked at the end. */
#define BEHIND 4
#define ASKS   2000
/* As windows say it: not known yet, never will be. */
#define PENDING (-2)

struct frame {
	uint64_t id;
	int64_t meant; /* when it shall be seen */
	int64_t shown; /* PENDING; negative: it wasn't, or nobody knows when */
};

struct pacing {
	ANativeWindow *window;
	int64_t refresh;
	int64_t interval;
	unsigned rate;
	unsigned count;
	struct frame *frames;
};

static void
check(const char *what, int result)
{
	if (result >= 0)
		return;
	fprintf(stderr, "krafla-pacing: %s: %s\n", what, strerror(-result));
	exit(1);
}

/* A bar that goes across the window once a second. */
static void
draw(uint32_t *pixels, const AHardwareBuffer_Desc *desc, int64_t since)
{
	uint32_t at = (uint32_t)((uint64_t)(since % SECOND) * desc->width / (uint64_t)SECOND);

	for (uint32_t y = 0; y < desc->height; y++) {
		for (uint32_t x = 0; x < desc->width; x++) {
			uint32_t behind = (at + desc->width - x) % desc->width;
			uint32_t light = behind < 64 ? 255 - 4 * behind : 0;

			/* R, G, B, A in memory, that is from the lowest byte on. */
			pixels[y * desc->stride + x] =
				light | light << 8 | 0x40 << 16 | 0xffu << 24;
		}
	}
}

static int
show_frame(struct pacing *pacing, struct frame *frame, int64_t since)
{
	ANativeWindowBuffer *buffer;
	AHardwareBuffer *pixels;
	AHardwareBuffer_Desc desc;
	void *address;
	int fence, err = ANativeWindow_dequeueBuffer(pacing->window, &buffer, &fence);

	if (err)
		return err;
	pixels = ANativeWindowBuffer_getHardwareBuffer(buffer);
	AHardwareBuffer_describe(pixels, &desc);
	err = AHardwareBuffer_lock(
		pixels, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, fence, NULL, &address);
	if (!err) {
		draw(address, &desc, since);
		err = AHardwareBuffer_unlock(pixels, &fence);
	}
	if (!err)
		err = native_window_get_next_frame_id(pacing->window, &frame->id);
	if (err) {
		ANativeWindow_cancelBuffer(pacing->window, buffer, -1);
		return err;
	}
	frame->shown = PENDING;
	return ANativeWindow_queueBuffer(pacing->window, buffer, fence);
}

/* Whether it is known. */
static int
look(struct pacing *pacing, struct frame *frame)
{
	if (frame->shown == PENDING &&
		native_window_get_frame_timestamps(pacing->window, frame->id, NULL, NULL, NULL,
			NULL, NULL, NULL, &frame->shown, NULL, NULL))
		frame->shown = -1;
	return frame->shown != PENDING;
}

static void
wait_until_known(struct pacing *pacing, struct frame *frame)
{
	const struct timespec pause = {0, 1000000};

	for (int i = 0; i < ASKS && !look(pacing, frame); i++)
		nanosleep(&pause, NULL);
}

/* How long one lasts now: it may be another one each time that the display is heard. */
static void
ask_refresh(struct pacing *pacing)
{
	check("the refresh",
		pacing->window->perform(pacing->window, NATIVE_WINDOW_GET_REFRESH_CYCLE_DURATION,
			&pacing->refresh));
}

static void
open_window(struct pacing *pacing)
{
	ANativeWindow *window;
	int count, err = krafla_window_open(NULL, "pacing", 0, 0, &window);

	if (err == -ENOENT)
		fprintf(stderr, "krafla-pacing: no display; start this with krafla run\n");
	check("opening a window", err);
	check("connecting",
		window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_CPU));
	check("usage", ANativeWindow_setUsage(window, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN));
	check("format",
		ANativeWindow_setBuffersFormat(window, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM));
	check("a count", ANativeWindow_query(window, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS, &count));
	check("buffers", ANativeWindow_setBufferCount(window, (size_t)count + 3));
	check("times of frames", native_window_enable_frame_timestamps(window, true));
	/* One that has no rates to choose from, or doesn't listen, shows it all the same. */
	err = ANativeWindow_setFrameRate(
		window, (float)pacing->rate, NATIVE_WINDOW_FRAME_RATE_COMPATIBILITY_FIXED_SOURCE);
	if (err != -ENOSYS)
		check("a frame rate", err);
	pacing->window = window;
}

static void
run(struct pacing *pacing)
{
	struct frame *first = &pacing->frames[0];

	check("showing a frame", show_frame(pacing, first, 0));
	wait_until_known(pacing, first);
	if (first->shown < 0) {
		fprintf(stderr, "krafla-pacing: this display doesn't say when frames are shown\n");
		exit(1);
	}
	first->meant = first->shown;
	ask_refresh(pacing);
	printf("%u frames a second, %.3f refreshes\n", pacing->rate,
		(double)SECOND / (double)pacing->refresh);
	for (unsigned i = 1; i < pacing->count; i++) {
		struct frame *frame = &pacing->frames[i];

		ask_refresh(pacing);
		frame->meant = first->meant + i * pacing->interval;
		check("a frame's time",
			ANativeWindow_setBuffersTimestamp(
				pacing->window, frame->meant - pacing->refresh / 2));
		check("showing a frame", show_frame(pacing, frame, i * pacing->interval));
		if (i > BEHIND)
			(void)look(pacing, frame - BEHIND);
	}
	for (unsigned i = 1; i < pacing->count; i++)
		wait_until_known(pacing, &pacing->frames[i]);
}

/* One line a frame: where it was between one refresh early (left) and one late (right). */
static void
print_frame(const struct pacing *pacing, unsigned i)
{
	const struct frame *frame = &pacing->frames[i];
	char place[] = "|.........:.........|";
	int64_t off = frame->shown - frame->meant, column = 10 + off * 10 / pacing->refresh;

	if (frame->shown < 0) {
		printf("%5u  %10.3f           -\n", i,
			(double)(frame->meant - pacing->frames[0].meant) / 1e6);
		return;
	}
	place[column < 0 ? 0 : column > 20 ? 20 : column] = '#';
	printf("%5u  %10.3f  %10.3f  %s %+.3f ms\n", i,
		(double)(frame->meant - pacing->frames[0].meant) / 1e6,
		(double)(frame->shown - pacing->frames[0].meant) / 1e6, place, (double)off / 1e6);
}

static void
report(const struct pacing *pacing)
{
	unsigned shown = 0, near = 0;
	int64_t last = 0;

	printf("frame    meant ms    shown ms  early      late\n");
	for (unsigned i = 0; i < pacing->count; i++) {
		const struct frame *frame = &pacing->frames[i];
		int64_t off = frame->shown - frame->meant;

		print_frame(pacing, i);
		if (frame->shown < 0)
			continue;
		shown++;
		near += off >= -pacing->refresh / 2 && off <= pacing->refresh / 2 + 1;
		last = frame->shown - pacing->frames[0].shown;
	}
	printf("%u of %u frames shown, %u at the refresh that was nearest", shown, pacing->count,
		near);
	if (shown > 1)
		printf(", %.3f a second", (double)(shown - 1) * 1e9 / (double)last);
	printf("\n");
}

static unsigned
number(const char *text, unsigned most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	return *end || !*text || value > most ? 0 : (unsigned)value;
}

int
main(int argc, char **argv)
{
	unsigned rate = argc > 2 ? number(argv[2], MAX_RATE) : 30;
	struct pacing pacing = {.count = argc > 1 ? number(argv[1], MAX_FRAMES) : 90};

	if (argc > 3 || !pacing.count || !rate) {
		fprintf(stderr,
			"usage: krafla-pacing [FRAMES [RATE]]    (90 frames, 30 a second)\n");
		return 2;
	}
	pacing.rate = rate;
	pacing.interval = SECOND / rate;
	pacing.frames = calloc(pacing.count, sizeof(*pacing.frames));
	if (!pacing.frames)
		return 1;
	open_window(&pacing);
	run(&pacing);
	report(&pacing);
	ANativeWindow_release(pacing.window);
	free(pacing.frames);
	return 0;
}
