/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what comes with a fence from another process: the packets in its socket and the names
 * that it is bound to; and what a person writes, the text of faults. The input is a list of
 * steps, each a byte that says what, a byte of length, the bytes. After each step everything is
 * asked that can be asked.
 */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <krafla/sync.h>

#include "sync/fault/fault.h"
#include "sync/fault/text.h"
#include "sync/fence/fence.h"
#include "sync/fence/name.h"
#include "sync/fence/packet.h"
#include "sync/fence/points.h"
#include "sync/fence/status.h"
#include "sync/merge/merge.h"
#include "sync/wait/describe.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

#define MAX_STEPS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum step {
	STEP_SEND,        /* the bytes as a packet */
	STEP_SEND_LENGTH, /* a packet of zeros, whose length the bytes are */
	STEP_NAME,        /* binds the producer's end */
	STEP_RENAME,      /* binds the consumer's end */
	STEP_PARSE,       /* the bytes as a name alone */
	STEP_FAULT,       /* as the text of faults */
	STEP_PEEK_OFFSET, /* what a consumer may set */
	STEP_CLOSE,       /* the producer's end */
	STEP_COUNT,
};

static void
check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_fence: %s\n", what);
	abort();
}

static void
check_text(const char *text, size_t room)
{
	size_t len = strnlen(text, room);

	check(len < room, "a text without end");
	for (size_t i = 0; i < len; i++)
		check((unsigned char)text[i] >= ' ' && text[i] != 0x7f, "a control character");
	for (size_t i = 0; i + 1 < len; i++)
		check((unsigned char)text[i] != 0xc2 || (unsigned char)text[i + 1] >= 0xa0,
			"a C1 control character");
}

static void
check_status(int status)
{
	check(status <= 1 && status >= -KR_SYNC_MAX_ERRNO, "a status that is none");
}

static void
check_points(int fence, bool careful, int status)
{
	struct kr_sync_points points;
	int64_t now;

	check(!kr_sync_points_read(fence, careful, &points), "no points");
	now = kr_clock_now();
	check(points.status == status, "another status");
	check(points.count <= KR_SYNC_MAX_POINTS, "too many points");
	check(points.timestamp >= 0 && points.timestamp <= now, "a time to come");
	check_text(points.name, sizeof(points.name));
	for (uint32_t i = 0; i < points.count; i++) {
		check_status(points.point[i].status);
		check(points.point[i].timestamp_ns <= (uint64_t)now, "a point's time to come");
		check(!points.point[i].flags, "a point's flags");
		check_text(points.point[i].obj_name, sizeof(points.point[i].obj_name));
		check_text(points.point[i].driver_name, sizeof(points.point[i].driver_name));
	}
}

static void
check_description(int fence, int status)
{
	struct kr_fence_description description;
	char sentence[KR_FENCE_SENTENCE];

	check(!kr_fence_describe(fence, &description), "no description");
	check(description.status == status, "another status described");
	check(description.created_ns >= 0 && description.created_ns <= kr_clock_now(), "its age");
	check_text(description.name, sizeof(description.name));
	check_text(description.timeline, sizeof(description.timeline));
	kr_fence_sentence(&description, sentence);
	check_text(sentence, sizeof(sentence));
}

static void
ask(int fence)
{
	int status = kr_fence_status(fence), merged;
	struct sync_file_info *info;

	check_status(status);
	check(kr_fence_wait(fence, 0) == (status == 1 ? 0 : status ? status : -ETIME), "wait");
	check_points(fence, false, status);
	check_points(fence, true, status);
	check_description(fence, status);
	info = sync_file_info(fence);
	check(info && info->status == status, "info");
	sync_file_info_free(info);
	if (status == KR_FENCE_ACTIVE)
		return;
	check(!kr_fence_merge("merged", fence, -1, &merged), "merge");
	check(status == 1 ? merged == -1 : kr_fence_status(merged) == status, "merged status");
	kr_fd_close(&merged);
}

static void
bind_to(int fd, const uint8_t *bytes, size_t len)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	len = KR_MIN(len, sizeof(address.sun_path) - 1);
	memcpy(address.sun_path + 1, bytes, len);
	(void)!bind(fd, (struct sockaddr *)&address,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len));
}

static void
parse(const uint8_t *bytes, size_t len)
{
	for (int kind = KR_SYNC_NAME_FENCE; kind <= KR_SYNC_NAME_RENAME; kind++) {
		struct kr_sync_name name = {0};

		if (!kr_sync_name_parse(
			    (const char *)bytes, len, (enum kr_sync_name_kind)kind, &name))
			continue;
		check(name.pid >= 0 && name.created_ns >= 0, "a name's numbers");
		check_text(name.timeline, sizeof(name.timeline));
		check_text(name.name, sizeof(name.name));
	}
}

static void
parse_fault(const uint8_t *bytes, size_t len)
{
	struct krafla_fault faults[KRAFLA_FAULT_SITES];
	struct kr_log_hold hold;
	char text[256];

	memcpy(text, bytes, len);
	text[len] = '\0';
	kr_log_mute_begin(&hold);
	if (!kr_fault_parse(text, faults)) {
		for (unsigned i = 0; i < KRAFLA_FAULT_SITES; i++) {
			check(faults[i].kind < KRAFLA_FAULT_KINDS, "a kind");
			check(faults[i].error <= 0 && faults[i].error >= -KR_SYNC_MAX_ERRNO,
				"an error");
			check(faults[i].permille <= 1000, "a chance");
			check(faults[i].delay_ns <= INT64_MAX, "a delay");
		}
	}
	kr_log_hold_end(&hold);
}

static void
send_packet(int producer, const void *bytes, size_t len)
{
	(void)!send(producer, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static uint32_t
number(const uint8_t *bytes, size_t len)
{
	uint32_t value = 0;

	for (size_t i = 0; i < KR_MIN(len, sizeof(value)); i++)
		value |= (uint32_t)bytes[i] << (8 * i);
	return value;
}

/*
 * `krafla fences` looks at every process, in a test beside this one too, and holds what it looks at
 * for a moment: until it lets go the end isn't closed, and the fence is active still.
 */
static void
close_producer(int *producer, int fence)
{
	kr_fd_close(producer);
	for (int i = 0; i < 5000 && kr_fence_status(fence) == KR_FENCE_ACTIVE; i++)
		poll(NULL, 0, 1);
}

static void
do_step(enum step step, int *producer, int fence, const uint8_t *bytes, size_t len)
{
	static const uint8_t zeros[16384];
	int offset;

	switch (step) {
	case STEP_SEND:
		send_packet(*producer, bytes, len);
		break;
	case STEP_SEND_LENGTH:
		send_packet(*producer, zeros, number(bytes, len) % sizeof(zeros));
		break;
	case STEP_NAME:
	case STEP_RENAME:
		bind_to(step == STEP_NAME ? *producer : fence, bytes, len);
		break;
	case STEP_PARSE:
		parse(bytes, len);
		break;
	case STEP_FAULT:
		parse_fault(bytes, len);
		break;
	case STEP_PEEK_OFFSET:
		offset = (int)number(bytes, len);
		setsockopt(fence, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof(offset));
		break;
	default:
		close_producer(producer, fence);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int ends[2], one = 1;

	check(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), "pair");
	check(!setsockopt(ends[1], SOL_SOCKET, SO_LOCK_FILTER, &one, sizeof(one)), "lock");
	for (int i = 0; i < MAX_STEPS && size >= 2; i++) {
		size_t len = KR_MIN((size_t)data[1], size - 2);

		do_step(data[0] % STEP_COUNT, &ends[0], ends[1], data + 2, len);
		ask(ends[1]);
		data += 2 + len;
		size -= 2 + len;
	}
	close_producer(&ends[0], ends[1]);
	ask(ends[1]);
	kr_fd_close(&ends[1]);
	return 0;
}
