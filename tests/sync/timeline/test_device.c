/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines of kernel devices, over fakes of both: what they are asked, and what becomes of their
 * refusals. The lab runs all tests of timelines on the real ones.
 */
#include <errno.h>
#include <krafla/sync.h>
#include <krafla/timeline.h>
#include <linux/ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/uapi/krafla_sync.h"
#include "support.h"
#include "util/log.h"

#define SW_SYNC_INC _IOW('W', 1, uint32_t)

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

FILE *
__wrap_fopen(const char *path, const char *mode)
{
	return fake_is_device(path) ? fake_device_open(path, mode) : __real_fopen(path, mode);
}

static void
begin(const char *word)
{
	assert_int_equal(setenv("KRAFLA_SYNC_TIMELINE", word, 1), 0);
	fake_kernel_install();
}

static void
end(void)
{
	fake_kernel_remove();
	unsetenv("KRAFLA_SYNC_TIMELINE");
	settle();
}

/* Points of both devices end in order; a fence of what is over has ended. */
static void
points_end_in_order(void **state)
{
	static const char *const words[] = {"krafla_sync", "sw_sync"};

	for (size_t i = 0; i < KR_ARRAY_LEN(words); i++) {
		struct krafla_timeline *timeline;
		int one, five, over;
		uint64_t value = 0;

		begin(words[i]);
		timeline = make_timeline("cube");
		assert_int_equal(krafla_timeline_submit(timeline, NULL, &value, &one), 0);
		assert_int_equal(value, 1);
		five = point_at(timeline, 5);
		assert_int_equal(krafla_timeline_last(timeline), 5);
		assert_int_equal(kr_fence_status(one), 0);
		assert_int_equal(krafla_timeline_signal(timeline, 4), 0);
		assert_int_equal(krafla_timeline_value(timeline), 4);
		assert_int_equal(kr_fence_status(one), 1);
		assert_int_equal(kr_fence_status(five), 0);
		over = point_at(timeline, 3);
		assert_int_equal(kr_fence_status(over), 1);
		assert_int_equal(krafla_timeline_signal(timeline, 5), 0);
		assert_int_equal(kr_fence_status(five), 1);
		close(one);
		close(five);
		close(over);
		krafla_timeline_destroy(timeline);
		end();
	}
}

/* krafla_sync has names and errors. */
static void
names_and_errors(void **state)
{
	struct krafla_timeline *timeline;
	struct sync_file_info *info;
	int before, failed;

	begin("krafla_sync");
	timeline = make_timeline("SurfaceView:0");
	assert_string_equal(fake_device_name(), "SurfaceView:0");
	before = point_at(timeline, 1);
	failed = point_at(timeline, 2);
	info = sync_file_info(failed);
	assert_string_equal(info->name, "point");
	sync_file_info_free(info);
	assert_int_equal(krafla_timeline_fail(timeline, 2, -EIO), 0);
	assert_int_equal(kr_fence_status(before), 1);
	assert_int_equal(kr_fence_status(failed), -EIO);
	assert_int_equal(krafla_timeline_fail(timeline, 2, -EIO), -EINVAL);
	close(before);
	close(failed);
	krafla_timeline_destroy(timeline);
	end();
}

/*
 * sw_sync has neither errors nor 64 bits: what it can't say is refused, and what takes
 * several steps is done in them.
 */
static void
what_32_bits_hold(void **state)
{
	const uint64_t far = UINT64_C(5) << 32;
	struct krafla_timeline *timeline;
	int fence = -1, near;

	begin("sw_sync");
	timeline = make_timeline("t");
	assert_int_equal(krafla_timeline_fail(timeline, 1, -EIO), -EOPNOTSUPP);
	assert_int_equal(
		krafla_timeline_fence(timeline, "f", (uint64_t)INT32_MAX + 1, &fence), -EOVERFLOW);
	assert_int_equal(fence, -1);
	near = point_at(timeline, INT32_MAX);
	assert_int_equal(krafla_timeline_signal(timeline, far), 0);
	assert_int_equal(kr_fence_status(near), 1);
	assert_int_equal(krafla_timeline_value(timeline), far);
	assert_int_equal(fake_device_value(), (uint32_t)far);
	close(near);
	/* Of 32 bits it is in the future. */
	fence = point_at(timeline, far - (UINT64_C(3) << 31));
	assert_int_equal(kr_fence_status(fence), 1);
	close(fence);
	near = point_at(timeline, far + 1);
	assert_int_equal(kr_fence_status(near), 0);
	fake_device_fails(SW_SYNC_INC, -ENODEV);
	assert_int_equal(krafla_timeline_signal(timeline, far + 1), -ENODEV);
	assert_int_equal(krafla_timeline_value(timeline), far);
	assert_int_equal(kr_fence_status(near), 0);
	close(near);
	krafla_timeline_destroy(timeline);
	end();
}

/* Android's names over descriptors of the devices: 32 bits, also where there are 64. */
static void
descriptors_of_devices(void **state)
{
	static const char *const words[] = {"krafla_sync", "sw_sync"};

	for (size_t i = 0; i < KR_ARRAY_LEN(words); i++) {
		int timeline, one, wrapped;

		begin(words[i]);
		timeline = sw_sync_timeline_create();
		assert_true(timeline >= 0);
		one = sw_sync_fence_create(timeline, "one", 1);
		assert_int_equal(kr_fence_status(one), 0);
		assert_int_equal(sw_sync_timeline_inc(timeline, 1), 0);
		assert_int_equal(kr_fence_status(one), 1);
		assert_int_equal(sw_sync_timeline_inc(timeline, 0x7fffffff), 0);
		assert_int_equal(sw_sync_timeline_inc(timeline, 0x7fffffff), 0);
		wrapped = sw_sync_fence_create(timeline, "wrapped", 2);
		assert_int_equal(kr_fence_status(wrapped), 0);
		assert_int_equal(sw_sync_timeline_inc(timeline, 3), 0);
		assert_int_equal(kr_fence_status(wrapped), 1);
		close(one);
		close(wrapped);
		close(timeline);
		end();
	}
}

/* What the device refuses is passed on, and nothing stays open. */
static void
refusals(void **state)
{
	struct krafla_timeline *timeline = NULL;
	int fence = -1, fd, fds = kr_test_count_fds();
	uint64_t value = 7;

	begin("krafla_sync");
	fake_device_fails(KRAFLA_SYNC_IOC_SET_NAME, -ENOTTY);
	assert_int_equal(krafla_timeline_create("t", NULL, NULL, &timeline), -ENOTTY);
	assert_int_equal(kr_test_count_fds(), fds);
	fake_device_fails(KRAFLA_SYNC_IOC_CREATE, -ENOMEM);
	timeline = make_timeline("t");
	assert_int_equal(krafla_timeline_submit(timeline, "f", &value, &fence), -ENOMEM);
	assert_int_equal(krafla_timeline_last(timeline), 0);
	assert_int_equal(value, 7);
	assert_int_equal(fence, -1);
	fake_device_fails(KRAFLA_SYNC_IOC_SIGNAL, -EPERM);
	assert_int_equal(krafla_timeline_signal(timeline, 1), -EPERM);
	/* Where it is can't be asked: nothing is known to have ended. */
	fake_device_fails(KRAFLA_SYNC_IOC_INFO, -EIO);
	assert_int_equal(krafla_timeline_value(timeline), 0);
	krafla_timeline_destroy(timeline);
	fd = sw_sync_timeline_create();
	assert_int_equal(sw_sync_fence_create(fd, "f", 1), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(sw_sync_timeline_inc(fd, 1), -1);
	assert_int_equal(errno, EIO);
	close(fd);
	assert_int_equal(kr_test_count_fds(), fds);
	end();
}

static char said[1024];
static unsigned lines;

static void
hear(void *data, uint32_t flags, const char *message)
{
	snprintf(said, sizeof(said), "%s", message);
	lines++;
}

/*
 * Without the device no timeline is made, and it is said once why; a lack of
 * descriptors says nothing of it.
 */
static void
without_the_device(void **state)
{
	struct krafla_timeline *timeline = NULL;

	begin("krafla_sync");
	kr_log_set_sink(hear, NULL);
	fake_device_is_missing(EMFILE);
	assert_int_equal(krafla_timeline_create("t", NULL, NULL, &timeline), -EMFILE);
	/* The file is there, and its descriptor isn't: another is made of it. */
	fake_device_is_missing(0);
	kr_test_limit_fds(1);
	assert_int_equal(krafla_timeline_create("t", NULL, NULL, &timeline), -EMFILE);
	kr_test_end_fd_limit();
	assert_int_equal(lines, 0);
	fake_device_is_missing(EACCES);
	assert_int_equal(krafla_timeline_create("t", NULL, NULL, &timeline), -EACCES);
	assert_int_equal(sw_sync_timeline_create(), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(lines, 1);
	assert_non_null(strstr(said, "/dev/krafla_sync can't be opened"));
	kr_log_set_sink(NULL, NULL);
	end();
}

/* setenv keeps what was. */
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(points_end_in_order, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(names_and_errors, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(what_32_bits_hold, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(descriptors_of_devices, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(refusals, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(without_the_device, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
