/* SPDX-License-Identifier: Apache-2.0 */
/* Choices, fences and buffers: see fuzzed.h. */
#include "composer/fuzzed.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/macros.h"

#define END_NS (10 * KR_NSEC_PER_SEC)

/* Of buffers. */
static const uint32_t sizes[4][2] = {{16, 16}, {64, 48}, {33, 33}, {1, 7}};

void
hand_check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_composer: %s\n", what);
	abort();
}

uint8_t
hand_byte(struct hand *hand)
{
	if (!hand->size)
		return 0;
	hand->size--;
	return *hand->data++;
}

unsigned
hand_choose(struct hand *hand, unsigned n)
{
	return hand_byte(hand) % n;
}

int32_t
hand_number(struct hand *hand)
{
	static const int32_t some[] = {
		0, 1, 2, 7, 16, 33, 64, 65, -1, -5, 65536, 65537, -65537, INT32_MAX, INT32_MIN};

	return some[hand_choose(hand, KR_ARRAY_LEN(some))];
}

float
hand_float(struct hand *hand)
{
	static const float some[] = {
		0, 1, 0.5f, 16, 33, 63.5f, 64, 1e-30f, 1e30f, -1, INFINITY, -INFINITY, NAN};
	/* Mostly those that something can be seen of. */
	unsigned of = hand_choose(hand, 4) ? 7 : KR_ARRAY_LEN(some);

	return some[hand_choose(hand, of)];
}

ARect
hand_rect(struct hand *hand)
{
	static const ARect plain[] = {
		{0, 0, 16, 16}, {0, 0, 64, 48}, {8, 4, 40, 33}, {-5, -5, 9, 70}};

	if (hand_choose(hand, 4))
		return plain[hand_choose(hand, KR_ARRAY_LEN(plain))];
	return (ARect){hand_number(hand), hand_number(hand), hand_number(hand), hand_number(hand)};
}

void
hand_extent(struct hand *hand, uint32_t *width, uint32_t *height)
{
	static const uint32_t odd[] = {0, 1, 16384, 16385, UINT32_MAX};
	const uint32_t *size = sizes[hand_choose(hand, KR_ARRAY_LEN(sizes))];

	*width = size[0];
	*height = size[1];
	if (hand_choose(hand, 8) == 7)
		*width = odd[hand_choose(hand, KR_ARRAY_LEN(odd))];
	if (hand_choose(hand, 8) == 7 && *width < 16384)
		*height = odd[hand_choose(hand, KR_ARRAY_LEN(odd))];
}

/* --- fences that go in --- */

static int
active_fence(struct hand *hand)
{
	const struct kr_fence_label label = {"fuzz", 1, "fence"};
	int producer, fence;

	if (hand->producer_count == MAX_FENCES || kr_fence_create(&label, &producer, &fence))
		return -1;
	hand->producers[hand->producer_count++] = producer;
	return fence;
}

static int
done_fence(int status)
{
	const struct kr_fence_label label = {"fuzz", 2, "fence"};
	int fence;

	return kr_fence_create_done(&label, status, &fence) ? -1 : fence;
}

int
hand_fence(struct hand *hand, bool *is_fence)
{
	*is_fence = true;
	switch (hand_choose(hand, 16)) {
	case 0:
		return done_fence(1);
	case 1:
		return done_fence(-5);
	case 2:
	case 3:
	case 4:
		return active_fence(hand);
	case 5:
		*is_fence = false;
		return eventfd(0, EFD_CLOEXEC);
	case 6:
		*is_fence = false;
		return 1 << 20; /* that the system never gives */
	case 7:
		*is_fence = false;
		return -2;
	default:
		return -1;
	}
}

void
hand_put_back(struct hand *hand, int fence)
{
	if (fence < 0 || fence == 1 << 20)
		return;
	hand_check(fcntl(fence, F_GETFD) >= 0, "a fence that was borrowed is closed");
	close(fence);
}

void
hand_end_one(struct hand *hand)
{
	unsigned which;

	if (!hand->producer_count)
		return;
	which = hand_choose(hand, hand->producer_count);
	kr_fence_signal(hand->producers[which], hand_choose(hand, 4) ? 1 : -5);
	hand->producers[which] = hand->producers[--hand->producer_count];
}

/* --- fences that come out --- */

void
hand_take(struct hand *hand, int fence)
{
	if (fence == -1)
		return;
	hand_check(fcntl(fence, F_GETFD) == FD_CLOEXEC, "what came out is no descriptor of ours");
	hand_check(kr_fence_status(fence) != -22, "what came out is no fence");
	if (hand->given_count == MAX_FENCES)
		close(fence);
	else
		hand->given[hand->given_count++] = fence;
}

void
hand_close_one(struct hand *hand)
{
	unsigned which;

	if (!hand->given_count)
		return;
	which = hand_choose(hand, hand->given_count);
	close(hand->given[which]);
	hand->given[which] = hand->given[--hand->given_count];
}

void
hand_finish(struct hand *hand)
{
	int64_t deadline = kr_clock_now() + END_NS;

	while (hand->producer_count)
		kr_fence_signal(hand->producers[--hand->producer_count], 1);
	for (unsigned i = 0; i < hand->given_count; i++) {
		struct pollfd p = {.fd = hand->given[i], .events = POLLIN};

		(void)poll(&p, 1, kr_deadline_poll_ms(deadline));
		hand_check(kr_fence_status(p.fd) != KR_FENCE_ACTIVE,
			"a fence of a composer that is closed doesn't end");
		close(p.fd);
	}
	hand->given_count = 0;
}

/* --- buffers --- */

AHardwareBuffer *
hand_buffer(struct hand *hand, const struct display_model *display)
{
	unsigned which = hand_choose(hand, 4 * MAX_BUFFERS);
	AHardwareBuffer *const *buffers = hand->all->buffers;

	/* The first four have the format that can be everything. */
	for (unsigned i = 0; display && which >= MAX_BUFFERS && i < KR_ARRAY_LEN(sizes); i++) {
		if (sizes[i][0] == display->width && sizes[i][1] == display->height)
			return buffers[i];
	}
	return which ? buffers[which % MAX_BUFFERS] : NULL;
}

AHardwareBuffer *
hand_output(struct hand *hand, const struct display_model *display)
{
	unsigned which = hand_byte(hand);

	if (which % 8 && display && display->output)
		return display->output;
	return which % 16 ? hand->all->buffers[MAX_BUFFERS - 1 - which % 8] : NULL;
}

AHardwareBuffer *
buffer_make(uint32_t width, uint32_t height, uint32_t format)
{
	const AHardwareBuffer_Desc desc = {.width = width,
		.height = height,
		.layers = 1,
		.format = format,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	AHardwareBuffer *buffer;

	hand_check(!AHardwareBuffer_allocate(&desc, &buffer), "no buffer");
	return buffer;
}

void
buffers_make(struct fuzzed *all)
{
	static const uint32_t formats[] = {AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM,
		AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT,
		AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM};

	for (unsigned i = 0; i < MAX_BUFFERS; i++)
		all->buffers[i] = buffer_make(sizes[i % 4][0], sizes[i % 4][1], formats[i / 2]);
}

void
buffers_drop(struct fuzzed *all)
{
	for (unsigned i = 0; i < MAX_BUFFERS; i++)
		AHardwareBuffer_release(all->buffers[i]);
	for (unsigned i = 0; i < MAX_DISPLAYS; i++)
		model_remove_display(&all->displays[i]);
}
