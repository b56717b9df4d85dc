/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DRM syncobjs by the public names, on the fake kernel: fences into and out of points,
 * what is refused, and that nothing is left behind in the device.
 * tests/lab/test_syncobj.c asks the real one.
 */
#include "support.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <krafla/kernel_sync.h>

static int drm;

static uint32_t
open_device(void)
{
	uint32_t handle = 0;

	fake_kernel_install();
	drm = fake_drm(true, true);
	assert_int_equal(krafla_syncobj_create(drm, &handle), 0);
	assert_int_not_equal(handle, 0);
	return handle;
}

/* Nothing may be left but the syncobj that a case began with. */
static void
close_device(void)
{
	assert_int_equal(fake_syncobjs(), 1);
	close(drm);
	fake_kernel_remove();
}

static int
status_at(uint32_t handle, uint64_t point)
{
	int fence, status;

	assert_int_equal(krafla_syncobj_export_fence(drm, handle, point, &fence), 0);
	status = kr_fence_status(fence);
	close(fence);
	return status;
}

/* S-04: a fence goes in as a point, and ends it; point 0 is the binary syncobj's. */
static void
fences_go_in_and_out(void **state)
{
	static const uint64_t points[] = {0, 4};

	for (int i = 0; i < 2; i++) {
		uint32_t handle = open_device();
		int point, fence = fake_fence("k", &point);

		assert_int_equal(krafla_syncobj_import_fence(drm, handle, points[i], fence), 0);
		close(fence);
		assert_int_equal(status_at(handle, points[i]), 0);
		fake_signal(point, -EIO);
		assert_int_equal(
			krafla_syncobj_wait(drm, handle, points[i], KRAFLA_SYNCOBJ_WAIT_DONE, 0),
			0);
		close_device();
	}
}

static void
points_come_in_order(void **state)
{
	uint32_t handle = open_device();
	uint64_t reached = 99, last = 99;
	int point[2], fence[2];

	for (int i = 0; i < 2; i++) {
		fence[i] = fake_fence("k", &point[i]);
		assert_int_equal(
			krafla_syncobj_import_fence(drm, handle, 4 + 2 * (uint64_t)i, fence[i]), 0);
		close(fence[i]);
	}
	fake_signal(point[1], 1);
	assert_int_equal(status_at(handle, 6), 0); /* 4 is still open */
	assert_int_equal(krafla_syncobj_query(drm, handle, &reached, &last), 0);
	assert_int_equal(reached, 0);
	assert_int_equal(last, 6);
	fake_signal(point[0], 1);
	assert_int_equal(status_at(handle, 3), 1); /* the first at or after it */
	assert_int_equal(krafla_syncobj_query(drm, handle, &reached, &last), 0);
	assert_int_equal(reached, 6);
	close_device();
}

/* -1 is signalled already: so is its point, once those before it are. */
static void
no_fence_signals_the_point(void **state)
{
	uint32_t handle = open_device();
	int point, fence = fake_fence("k", &point);

	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 1, -1), 0);
	assert_int_equal(status_at(handle, 1), 1);
	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 2, fence), 0);
	assert_int_equal(krafla_syncobj_signal(drm, handle, 3), 0);
	assert_int_equal(status_at(handle, 3), 0);
	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 0, -1), 0);
	assert_int_equal(status_at(handle, 0), 1);
	close(fence);
	close_device();
}

/* S-05, S-03: refused, and then nothing was submitted. */
static void
what_may_not_enter(void **state)
{
	struct pair user = make_pair("user");
	uint32_t handle = open_device();
	int point, fence = fake_fence("k", &point), out = 55;

	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 1, user.fence), -EOPNOTSUPP);
	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 0, user.fence), -EOPNOTSUPP);
	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 1, drm), -EINVAL);
	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 1, -2), -EINVAL);
	fake_signal(point, -EIO);
	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 1, fence), -EIO);
	assert_int_equal(krafla_fence_check_kernel(fence), -EIO);
	assert_int_equal(krafla_syncobj_export_fence(drm, handle, 1, &out), -EINVAL);
	assert_int_equal(krafla_syncobj_export_fence(drm, handle, 0, &out), -EINVAL);
	assert_int_equal(out, 55);
	close(fence);
	close_device();
	close_pair(&user);
}

static void
unknown_handles_and_devices(void **state)
{
	struct pair user = make_pair("user");
	uint32_t handle = open_device(), none = 12;
	uint64_t reached = 7, last = 7;
	int point, fence = fake_fence("k", &point), out = 55;

	assert_int_equal(krafla_syncobj_import_fence(drm, none, 1, fence), -ENOENT);
	assert_int_equal(krafla_syncobj_import_fence(drm, none, 0, fence), -ENOENT);
	assert_int_equal(krafla_syncobj_export_fence(drm, none, 1, &out), -ENOENT);
	assert_int_equal(krafla_syncobj_query(drm, none, &reached, &last), -ENOENT);
	assert_int_equal(krafla_syncobj_signal(drm, none, 1), -ENOENT);
	assert_int_equal(krafla_syncobj_destroy(drm, none), -EINVAL);
	assert_int_equal(krafla_syncobj_create(user.fence, &none), -ENOTTY);
	assert_int_equal(krafla_syncobj_check(user.fence, 1), -ENOTTY);
	assert_int_equal(none, 12);
	assert_true(reached == 7 && last == 7 && out == 55);
	assert_int_equal(krafla_syncobj_destroy(drm, handle), 0);
	assert_int_equal(krafla_syncobj_create(drm, &handle), 0);
	close(fence);
	close_device();
	close_pair(&user);
}

static void
devices_without(void **state)
{
	uint32_t handle = 5;
	int without;

	fake_kernel_install();
	without = fake_drm(false, false);
	assert_int_equal(krafla_syncobj_check(without, 0), -EOPNOTSUPP);
	assert_int_equal(krafla_syncobj_create(without, &handle), -EOPNOTSUPP);
	close(without);
	without = fake_drm(true, false);
	assert_int_equal(krafla_syncobj_check(without, 0), 0);
	assert_int_equal(krafla_syncobj_check(without, 1), -EOPNOTSUPP);
	close(without);
	fake_kernel_remove();
}

static void
shared_as_a_descriptor(void **state)
{
	uint32_t handle = open_device(), again = 0;
	int fd = -1;

	assert_int_equal(krafla_syncobj_export(drm, handle, &fd), 0);
	assert_int_equal(krafla_syncobj_import(drm, fd, &again), 0);
	assert_int_equal(again, handle);
	assert_int_equal(krafla_syncobj_import(drm, drm, &again), -EINVAL);
	close(fd);
	close_device();
}

static void
transfers_signal_together(void **state)
{
	uint32_t handle = open_device(), other;
	int point, fence = fake_fence("k", &point);

	assert_int_equal(krafla_syncobj_create(drm, &other), 0);
	assert_int_equal(krafla_syncobj_transfer(drm, handle, 3, other, 8), -EINVAL);
	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 3, fence), 0);
	assert_int_equal(krafla_syncobj_transfer(drm, handle, 3, other, 8), 0);
	assert_int_equal(status_at(other, 8), 0);
	fake_signal(point, 1);
	assert_int_equal(status_at(other, 8), 1);
	assert_int_equal(krafla_syncobj_destroy(drm, other), 0);
	close(fence);
	close_device();
}

static int
wait_now(uint32_t handle, uint64_t point, enum krafla_syncobj_until until)
{
	return krafla_syncobj_wait(drm, handle, point, until, kr_clock_now());
}

static void
waits_have_deadlines(void **state)
{
	uint32_t handle = open_device();
	int point, fence = fake_fence("k", &point);

	for (uint64_t at = 0; at < 8; at += 4) {
		assert_int_equal(wait_now(handle, at, KRAFLA_SYNCOBJ_WAIT_DONE), -EINVAL);
		assert_int_equal(wait_now(handle, at, KRAFLA_SYNCOBJ_WAIT_SUBMIT), -ETIME);
	}
	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 0, fence), 0);
	assert_int_equal(wait_now(handle, 0, KRAFLA_SYNCOBJ_WAIT_AVAILABLE), 0);
	assert_int_equal(wait_now(handle, 0, KRAFLA_SYNCOBJ_WAIT_DONE), -ETIME);
	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 4, fence), 0);
	assert_int_equal(wait_now(handle, 4, KRAFLA_SYNCOBJ_WAIT_AVAILABLE), 0);
	assert_int_equal(wait_now(handle, 4, KRAFLA_SYNCOBJ_WAIT_DONE), -ETIME);
	assert_int_equal(wait_now(handle, 4, (enum krafla_syncobj_until)1), -EINVAL);
	fake_signal(point, 1);
	assert_int_equal(
		krafla_syncobj_wait(drm, handle, 4, KRAFLA_SYNCOBJ_WAIT_SUBMIT, KR_FOREVER), 0);
	close(fence);
	close_device();
}

static void
points_wake_an_eventfd(void **state)
{
	uint32_t handle = open_device();
	int point, fence = fake_fence("k", &point);
	int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), other;
	eventfd_t count = 0;

	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 4, fence), 0);
	assert_int_equal(krafla_syncobj_watch(drm, handle, 4, KRAFLA_SYNCOBJ_WAIT_DONE, event), 0);
	assert_int_equal(poll_events(event, 0), 0);
	fake_signal(point, 1);
	assert_int_equal(eventfd_read(event, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(
		krafla_syncobj_watch(drm, handle, 5, KRAFLA_SYNCOBJ_WAIT_AVAILABLE, event), 0);
	assert_int_equal(poll_events(event, 0), 0);
	other = fake_fence("k2", &point);
	assert_int_equal(krafla_syncobj_import_fence(drm, handle, 5, other), 0);
	assert_int_equal(eventfd_read(event, &count), 0);
	close(other);
	assert_int_equal(
		krafla_syncobj_watch(drm, handle, 4, KRAFLA_SYNCOBJ_WAIT_DONE, fence), -EINVAL);
	assert_int_equal(
		krafla_syncobj_watch(drm, handle, 4, (enum krafla_syncobj_until)8, event), -EINVAL);
	fake_old_kernel();
	assert_int_equal(
		krafla_syncobj_watch(drm, handle, 4, KRAFLA_SYNCOBJ_WAIT_DONE, event), -EOPNOTSUPP);
	close(event);
	close(fence);
	close_device();
}

/*
 * The other public names of krafla/kernel_sync.h, whose insides test_merge and test_dma_buf look
 * at.
 */
static void
public_names(void **state)
{
	uint32_t handle = open_device();
	int point[2], fence[2], merged, buffer = fake_dma_buf();

	fence[0] = fake_fence("k1", &point[0]);
	fence[1] = fake_fence("k2", &point[1]);
	assert_int_equal(krafla_fence_merge_kernel("m", fence[0], fence[1], &merged), 0);
	assert_int_equal(krafla_fence_check_kernel(merged), 0);
	assert_int_equal(krafla_fence_set_deadline(merged, 77), 0);
	assert_int_equal(fake_deadline(point[1]), 77);
	assert_int_equal(krafla_dma_buf_import_fence(buffer, KRAFLA_DMA_BUF_WRITE, merged), 0);
	close(merged);
	assert_int_equal(krafla_dma_buf_export_fence(buffer, KRAFLA_DMA_BUF_READ, &merged), 0);
	assert_int_equal(kr_fence_status(merged), 0);
	close(merged);
	for (int access = 0; access < 5; access += 4) {
		enum krafla_dma_buf_access bad = (enum krafla_dma_buf_access)access;

		assert_int_equal(krafla_dma_buf_export_fence(buffer, bad, &merged), -EINVAL);
		assert_int_equal(krafla_dma_buf_import_fence(buffer, bad, fence[0]), -EINVAL);
		assert_int_equal(krafla_dma_buf_import_fence(buffer, bad, -1), -EINVAL);
	}
	close(fence[0]);
	close(fence[1]);
	close(buffer);
	assert_int_equal(krafla_syncobj_check(drm, 1), 0);
	assert_int_not_equal(handle, 0);
	close_device();
}

static const struct kr_test tests[] = {
	KR_TEST(fences_go_in_and_out),
	KR_TEST(points_come_in_order),
	KR_TEST(no_fence_signals_the_point),
	KR_TEST(what_may_not_enter),
	KR_TEST(unknown_handles_and_devices),
	KR_TEST(devices_without),
	KR_TEST(shared_as_a_descriptor),
	KR_TEST(transfers_signal_together),
	KR_TEST(waits_have_deadlines),
	KR_TEST(points_wake_an_eventfd),
	KR_TEST(public_names),
};

KR_TEST_MAIN(tests)
