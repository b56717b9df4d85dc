/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake kernel's timelines that are devices: /dev/krafla_sync as kernel/krafla_sync is, and
 * sw_sync as Linux's drivers/dma-buf/sw_sync.c. A timeline is known by the inode of its memory
 * file. That closing one ends its points can't be had here: tests/lab has it.
 */
#include <errno.h>
#include <linux/ioctl.h>
#include <linux/types.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_kernel.h"
#include "kernel/uapi/krafla_sync.h"
#include "support.h"

#define KRAFLA_SYNC   "/dev/krafla_sync"
#define SW_SYNC       "/sys/kernel/debug/sync/sw_sync"
#define MAX_TIMELINES 8

struct sw_sync_create {
	__u32 value;
	char name[32];
	__s32 fence;
};

#define SW_SYNC_CREATE _IOWR('W', 0, struct sw_sync_create)
#define SW_SYNC_INC    _IOW('W', 1, __u32)

struct timeline {
	ino_t inode;
	bool narrow; /* sw_sync: values of 32 bits */
	char name[KRAFLA_SYNC_NAME_LEN];
	uint64_t value, last;
	struct {
		uint64_t value;
		int point;
	} fences[FAKE_MAX_POINTS];
	unsigned count;
};

static struct timeline timelines[MAX_TIMELINES];
static int timeline_count, open_error, request_error;
static unsigned long failing_request;

bool
fake_is_device(const char *path)
{
	return !strcmp(path, SW_SYNC) || !strcmp(path, KRAFLA_SYNC);
}

FILE *
fake_device_open(const char *path, const char *mode)
{
	const bool narrow = !strcmp(path, SW_SYNC);
	struct timeline *timeline = &timelines[timeline_count];
	int fd;

	assert_string_equal(mode, "r+e");
	assert_true(timeline_count < MAX_TIMELINES);
	if (open_error) {
		errno = open_error;
		return NULL;
	}
	fd = memfd_create("timeline", MFD_CLOEXEC);
	assert_true(fd >= 0);
	pthread_mutex_lock(&fake_lock);
	*timeline = (struct timeline){.inode = fake_inode(fd), .narrow = narrow, .name = "process"};
	timeline_count++;
	pthread_mutex_unlock(&fake_lock);
	return fdopen(fd, mode);
}

static struct timeline *
timeline_of(int fd)
{
	ino_t inode = fake_inode(fd);

	for (int i = 0; i < timeline_count; i++) {
		if (timelines[i].inode == inode)
			return &timelines[i];
	}
	return NULL;
}

static bool
is_over(const struct timeline *timeline, uint64_t value)
{
	if (timeline->narrow)
		return (int32_t)((uint32_t)value - (uint32_t)timeline->value) <= 0;
	return value <= timeline->value;
}

static int
add_fence(struct timeline *timeline, uint64_t value, int32_t *fence)
{
	struct fake_set set = {.count = 1};
	const int point = fake_new_point_locked(timeline->name);

	if (point < 0)
		return point;
	if (is_over(timeline, value))
		fake_end_point_locked(point, 1);
	set.point[0] = point;
	*fence = fake_new_file_locked(timeline->name, &set);
	if (*fence < 0)
		return *fence;
	timeline->last = KR_MAX(timeline->last, value);
	timeline->fences[timeline->count].value = value;
	timeline->fences[timeline->count++].point = point;
	return 0;
}

/* The points up to there end, those at it with `error`. */
static void
reach(struct timeline *timeline, uint64_t value, int error)
{
	const struct timeline before = *timeline;

	timeline->value = value;
	for (unsigned i = 0; i < timeline->count; i++) {
		const bool last = timeline->fences[i].value == value;

		if (!is_over(&before, timeline->fences[i].value) &&
			is_over(timeline, timeline->fences[i].value))
			fake_end_point_locked(timeline->fences[i].point, last && error ? error : 1);
	}
}

static int
krafla_sync_ioctl(struct timeline *timeline, unsigned long request, void *data)
{
	struct krafla_sync_create *create = data;
	struct krafla_sync_signal *signal = data;

	switch (request) {
	case KRAFLA_SYNC_IOC_SET_NAME:
		if (timeline->count)
			return -EBUSY;
		memcpy(timeline->name, data, sizeof(timeline->name));
		return 0;
	case KRAFLA_SYNC_IOC_CREATE:
		if (!create->timeout_ms || create->timeout_ms > KRAFLA_SYNC_MAX_TIMEOUT_MS)
			return -EINVAL;
		return add_fence(timeline, create->value, &create->fence);
	case KRAFLA_SYNC_IOC_SIGNAL:
		if (signal->pad || signal->error > 0 || signal->value < timeline->value)
			return -EINVAL;
		reach(timeline, signal->value, signal->error);
		return 0;
	case KRAFLA_SYNC_IOC_INFO:
		*(struct krafla_sync_info *)data =
			(struct krafla_sync_info){.value = timeline->value, .last = timeline->last};
		return 0;
	default:
		return -ENOTTY;
	}
}

static int
sw_sync_ioctl(struct timeline *timeline, unsigned long request, void *data)
{
	struct sw_sync_create *create = data;

	if (request == SW_SYNC_CREATE)
		return add_fence(timeline, create->value, &create->fence);
	if (request != SW_SYNC_INC)
		return -ENOTTY;
	reach(timeline, (uint32_t)(timeline->value + *(uint32_t *)data), 0);
	return 0;
}

int
fake_device_ioctl_locked(int fd, unsigned long request, void *data)
{
	struct timeline *timeline = timeline_of(fd);

	if (!timeline)
		return -ENOTTY;
	if (request_error && request == failing_request)
		return request_error;
	return timeline->narrow ? sw_sync_ioctl(timeline, request, data)
				: krafla_sync_ioctl(timeline, request, data);
}

void
fake_device_reset_locked(void)
{
	timeline_count = open_error = request_error = 0;
}

void
fake_device_is_missing(int error)
{
	open_error = error;
}

void
fake_device_fails(unsigned long request, int err)
{
	pthread_mutex_lock(&fake_lock);
	failing_request = request;
	request_error = err;
	pthread_mutex_unlock(&fake_lock);
}

const char *
fake_device_name(void)
{
	return timelines[timeline_count - 1].name;
}

uint64_t
fake_device_value(void)
{
	return timelines[timeline_count - 1].value;
}
