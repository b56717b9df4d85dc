/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines of kernel devices, whose fences are sync_files. The descriptor of the device is the
 * timeline: its last duplicate's end is the timeline's, so a forked child that has one delays that.
 *
 *   krafla_sync  our own module. Points fail with -EOWNERDEAD when the timeline is destroyed, and
 *                after a time limit, for which the longest possible is asked
 *   sw_sync      the kernel's, in debugfs, for tests: values of 32 bits, no failing, and the name
 *                of the timeline is that of the thread that opens it
 */
#include <errno.h>
#include <linux/ioctl.h>
#include <linux/types.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "kernel/uapi/krafla_sync.h"
#include "sync/fence/fence.h"
#include "sync/fence/kernel_calls.h"
#include "sync/timeline/impl.h"
#include "util/fd.h"
#include "util/log.h"

struct sw_sync_create {
	__u32 value;
	char name[32]; /* which the kernel doesn't use */
	__s32 fence;
};

#define SW_SYNC_CREATE _IOWR('W', 0, struct sw_sync_create)
#define SW_SYNC_INC    _IOW('W', 1, __u32)

_Static_assert(sizeof(struct sw_sync_create) == 40, "struct sw_sync_create_fence_data");

int
kr_timeline_open_device(const struct kr_timeline_impl *impl, int *fd)
{
	static atomic_bool told;
	/* The loader reaches no file by other calls than those that its tests interpose (K-48). */
	FILE *file = fopen(impl->device, "r+e");
	int err = file ? kr_fd_dup(fileno(file), fd) : -errno;

	if (file)
		fclose(file);
	if (!err)
		return 0;
	/* A lack of descriptors or memory says nothing about the device. */
	if (err != -ENOMEM && err != -EMFILE && err != -ENFILE && !atomic_exchange(&told, true))
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
			"KRAFLA_SYNC_TIMELINE is '%s', but %s can't be opened: %s. Load the kernel module, let this user open it, or unset the variable",
			impl->word, impl->device, strerror(-err));
	return err;
}

static void
device_close(struct kr_timeline *timeline)
{
	kr_fd_close(&timeline->state.device.fd);
}

static int
krafla_sync_open(struct kr_timeline *timeline)
{
	struct krafla_sync_name name = {0};
	int err = kr_timeline_open_device(timeline->impl, &timeline->state.device.fd);

	if (err)
		return err;
	memcpy(name.name, timeline->name, sizeof(name.name));
	err = kr_sync_ioctl(timeline->state.device.fd, KRAFLA_SYNC_IOC_SET_NAME, &name);
	if (err)
		device_close(timeline);
	return err;
}

static int
krafla_sync_create_fence(int fd, uint64_t value, int *fence)
{
	struct krafla_sync_create create = {
		.value = value,
		.timeout_ms = KRAFLA_SYNC_MAX_TIMEOUT_MS,
		.fence = -1,
	};
	int err = kr_sync_ioctl(fd, KRAFLA_SYNC_IOC_CREATE, &create);

	if (!err)
		*fence = create.fence;
	return err;
}

static int
krafla_sync_fence_locked(struct kr_timeline *timeline, const char *name, uint64_t value, int *fence)
{
	int err = krafla_sync_create_fence(timeline->state.device.fd, value, fence);

	if (!err)
		kr_fence_rename_held(name, fence);
	return err;
}

static int
krafla_sync_reach(struct kr_timeline *timeline, uint64_t value, int error)
{
	struct krafla_sync_signal signal = {.value = value, .error = error};

	return kr_sync_ioctl(timeline->state.device.fd, KRAFLA_SYNC_IOC_SIGNAL, &signal);
}

static uint64_t
krafla_sync_value(struct kr_timeline *timeline)
{
	struct krafla_sync_info info = {0};

	return kr_sync_ioctl(timeline->state.device.fd, KRAFLA_SYNC_IOC_INFO, &info) ? 0
										     : info.value;
}

const struct kr_timeline_impl kr_timeline_krafla_sync = {
	.word = "krafla_sync",
	.device = "/dev/krafla_sync",
	.open = krafla_sync_open,
	.close = device_close,
	.forget = device_close,
	.fence_locked = krafla_sync_fence_locked,
	.reach = krafla_sync_reach,
	.value = krafla_sync_value,
};

int
kr_krafla_sync_device_fence(int fd, uint32_t value, int *fence)
{
	struct krafla_sync_info info;
	int err = kr_sync_ioctl(fd, KRAFLA_SYNC_IOC_INFO, &info);

	return err ? err
		   : krafla_sync_create_fence(fd, kr_timeline_widen(info.value, value), fence);
}

/* The caller sees to it that nobody else does the same in between. */
int
kr_krafla_sync_device_inc(int fd, uint32_t count)
{
	struct krafla_sync_signal signal = {0};
	struct krafla_sync_info info;
	int err = kr_sync_ioctl(fd, KRAFLA_SYNC_IOC_INFO, &info);

	if (err)
		return err;
	signal.value = info.value + count;
	return kr_sync_ioctl(fd, KRAFLA_SYNC_IOC_SIGNAL, &signal);
}

static int
sw_sync_open(struct kr_timeline *timeline)
{
	return kr_timeline_open_device(timeline->impl, &timeline->state.device.fd);
}

int
kr_sw_sync_device_fence(int fd, uint32_t value, int *fence)
{
	struct sw_sync_create create = {.value = value, .fence = -1};
	int err = kr_sync_ioctl(fd, SW_SYNC_CREATE, &create);

	if (!err)
		*fence = create.fence;
	return err;
}

int
kr_sw_sync_device_inc(int fd, uint32_t count)
{
	return kr_sync_ioctl(fd, SW_SYNC_INC, &count);
}

static uint64_t
sw_sync_value(struct kr_timeline *timeline)
{
	return atomic_load(&timeline->state.device.value);
}

/* What is long gone would look like the future to 32 bits. */
static int
sw_sync_fence_locked(struct kr_timeline *timeline, const char *name, uint64_t value, int *fence)
{
	uint64_t now = sw_sync_value(timeline);
	int err;

	if (value > now && value - now > INT32_MAX)
		return -EOVERFLOW;
	err = kr_sw_sync_device_fence(
		timeline->state.device.fd, (uint32_t)KR_MAX(value, now), fence);
	if (!err && value > now)
		kr_fence_rename_held(name, fence);
	return err;
}

static int
sw_sync_reach(struct kr_timeline *timeline, uint64_t value, int error)
{
	if (error)
		return -EOPNOTSUPP;
	for (uint64_t now = sw_sync_value(timeline); now < value;) {
		uint32_t step = (uint32_t)KR_MIN(value - now, (uint64_t)INT32_MAX);
		int err = kr_sw_sync_device_inc(timeline->state.device.fd, step);

		if (err)
			return err;
		now += step;
		atomic_store(&timeline->state.device.value, now);
	}
	return 0;
}

const struct kr_timeline_impl kr_timeline_sw_sync = {
	.word = "sw_sync",
	.device = "/sys/kernel/debug/sync/sw_sync",
	.open = sw_sync_open,
	.close = device_close,
	.forget = device_close,
	.fence_locked = sw_sync_fence_locked,
	.reach = sw_sync_reach,
	.value = sw_sync_value,
};
