/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsync (S-08): exact errors and layouts. The platform's own cases, and the
 * kernel's: tests/parity.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <krafla/sync.h>

static void
expect_wait(int fd, int timeout_ms, int error)
{
	errno = 0;
	assert_int_equal(sync_wait(fd, timeout_ms), error ? -1 : 0);
	if (error)
		assert_int_equal(errno, error);
}

static void
layouts(void **state)
{
	assert_int_equal(sizeof(struct sync_fence_info), 80);
	assert_int_equal(offsetof(struct sync_fence_info, obj_name), 0);
	assert_int_equal(offsetof(struct sync_fence_info, driver_name), 32);
	assert_int_equal(offsetof(struct sync_fence_info, status), 64);
	assert_int_equal(offsetof(struct sync_fence_info, flags), 68);
	assert_int_equal(offsetof(struct sync_fence_info, timestamp_ns), 72);
	assert_int_equal(sizeof(struct sync_file_info), 56);
	assert_int_equal(offsetof(struct sync_file_info, name), 0);
	assert_int_equal(offsetof(struct sync_file_info, status), 32);
	assert_int_equal(offsetof(struct sync_file_info, flags), 36);
	assert_int_equal(offsetof(struct sync_file_info, num_fences), 40);
	assert_int_equal(offsetof(struct sync_file_info, pad), 44);
	assert_int_equal(offsetof(struct sync_file_info, sync_fence_info), 48);
}

/* S-08: EINVAL for what is no fence, ETIME when the time is up. */
static void
errors(void **state)
{
	struct pair pair = make_pair("errors");
	int closed = fcntl(pair.fence, F_DUPFD_CLOEXEC, 500), pipes[2];

	close(closed);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	const int bad[] = {-1, -2, INT32_MIN, closed, pipes[0], pair.producer};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		expect_wait(bad[i], 0, EINVAL);
		expect_wait(bad[i], -1, EINVAL);
		errno = 0;
		assert_int_equal(sync_merge("m", bad[i], pair.fence), -1);
		assert_int_equal(errno, EINVAL);
		errno = 0;
		assert_int_equal(sync_merge("m", pair.fence, bad[i]), -1);
		assert_int_equal(errno, EINVAL);
		errno = 0;
		assert_null(sync_file_info(bad[i]));
		assert_int_equal(errno, EINVAL);
	}
	sync_file_info_free(NULL);
	expect_wait(pair.fence, 0, ETIME);
	expect_wait(pair.fence, 10, ETIME);
	close(pipes[0]);
	close(pipes[1]);
	close_pair(&pair);
}

/*
 * As over a kernel fence, whose poll gives POLLIN on an error too: done is done, the
 * status says how.
 */
static void
wait_for_a_failed_fence(void **state)
{
	struct pair pair = make_pair("failed");
	struct sync_file_info *info;

	signal_pair(&pair, -EIO);
	expect_wait(pair.fence, 0, 0);
	expect_wait(pair.fence, -1, 0);
	info = sync_file_info(pair.fence);
	assert_int_equal(info->status, -EIO);
	assert_int_equal(sync_get_fence_info(info)->status, -EIO);
	sync_file_info_free(info);
	close_pair(&pair);
}

/* B-85 */
static void
info_of_a_fence(void **state)
{
	struct pair pair = make_pair("a name that is longer than thirty-one bytes");
	struct sync_file_info *info = sync_file_info(pair.fence);

	need_names();
	assert_string_equal(info->name, "a name that is longer than thir");
	assert_int_equal(info->status, 0);
	assert_int_equal(info->flags, 0);
	assert_int_equal(info->num_fences, 1);
	assert_string_equal(sync_get_fence_info(info)->obj_name, "test");
	assert_string_equal(sync_get_fence_info(info)->driver_name, "krafla");
	assert_int_equal(sync_get_fence_info(info)->timestamp_ns, 0);
	sync_file_info_free(info);
	signal_pair(&pair, 1);
	info = sync_file_info(pair.fence);
	assert_int_equal(info->status, 1);
	assert_string_equal(sync_get_fence_info(info)->obj_name, "test");
	assert_true(sync_get_fence_info(info)->timestamp_ns ==
		(uint64_t)kr_fence_signal_time(pair.fence));
	sync_file_info_free(info);
	close_pair(&pair);
}

static void
info_of_a_kernel_fence(void **state)
{
	struct sync_file_info *info;
	int point1, point2, a, b, merged;

	fake_kernel_install();
	a = fake_fence("k1", &point1);
	b = fake_fence("k2", &point2);
	assert_int_equal(kr_fence_merge_kernel("both", a, b, &merged), 0);
	info = sync_file_info(merged);
	assert_string_equal(info->name, "both");
	assert_int_equal(info->num_fences, 2);
	sync_file_info_free(info);
	fake_signal(point2, -EIO);
	info = sync_file_info(merged);
	assert_int_equal(
		info->status, -EIO); /* the kernel's own answer would be 0: the first is active */
	sync_file_info_free(info);
	expect_wait(merged, 0, 0);
	close(a);
	close(b);
	close(merged);
	fake_kernel_remove();
}

static const struct kr_test tests[] = {
	KR_TEST(layouts),
	KR_TEST(errors),
	KR_TEST(wait_for_a_failed_fence),
	KR_TEST(info_of_a_fence),
	KR_TEST(info_of_a_kernel_fence),
};

KR_TEST_MAIN(tests)
