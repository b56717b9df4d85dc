/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DRM syncobjs of virtio-gpu by Krafla's functions: fences of krafla_sync go in and come out,
 * points are waited for, and what the kernel forgets of a failure. tests/sync/kernel/fake_syncobj.c
 * answers as this is seen to.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <xf86drm.h>
#include <krafla/kernel_sync.h>
#include <krafla/sync.h>
#include "sync/wait/wait.h"
#include "tests/lab/card.h"
#include "tests/sync/support.h"

struct bench {
	int drm;
	int timeline;
	uint32_t handle;
};

static struct bench
open_bench(void)
{
	struct bench bench = {.drm = card_open("virtio_gpu"), .timeline = rig_timeline()};

	assert_int_equal(krafla_syncobj_check(bench.drm, 1), 0);
	assert_int_equal(krafla_syncobj_create(bench.drm, &bench.handle), 0);
	return bench;
}

static void
close_bench(const struct bench *bench)
{
	assert_int_equal(krafla_syncobj_destroy(bench->drm, bench->handle), 0);
	close(bench->drm);
	close(bench->timeline);
}

/* A fence of the timeline at `value` becomes that point. */
static void
submit(const struct bench *bench, uint64_t point, uint64_t value)
{
	int fence = rig_fence(bench->timeline, value);

	assert_int_equal(krafla_syncobj_import_fence(bench->drm, bench->handle, point, fence), 0);
	close(fence);
}

static int
export_at(const struct bench *bench, uint64_t point)
{
	int fence = -1;

	assert_int_equal(krafla_syncobj_export_fence(bench->drm, bench->handle, point, &fence), 0);
	assert_true(fcntl(fence, F_GETFD) & FD_CLOEXEC);
	return fence;
}

/* S-04: in as a point, out as a fence that tells the driver that made it. */
static void
fences_go_in_and_out(void **state)
{
	static const uint64_t points[] = {0, 4};

	for (int i = 0; i < 2; i++) {
		struct bench bench = open_bench();
		struct sync_file_info *info;
		int fence;

		submit(&bench, points[i], 1);
		fence = export_at(&bench, points[i]);
		assert_int_equal(kr_fence_status(fence), 0);
		info = sync_file_info(fence);
		assert_int_equal(info->num_fences, 1);
		assert_string_equal(sync_get_fence_info(info)->driver_name, "krafla_sync");
		sync_file_info_free(info);
		assert_int_equal(rig_move(bench.timeline, 1, 0), 0);
		assert_int_equal(kr_fence_wait(fence, SOON), 0);
		close(fence);
		close_bench(&bench);
	}
}

static void
points_come_in_order(void **state)
{
	struct bench bench = open_bench();
	uint64_t reached = 99, last = 99;
	int other = rig_timeline(), fence = rig_fence(other, 1);

	submit(&bench, 4, 1);
	assert_int_equal(krafla_syncobj_import_fence(bench.drm, bench.handle, 6, fence), 0);
	assert_int_equal(rig_move(other, 1, 0), 0);
	close(fence);
	fence = export_at(&bench, 6);
	assert_int_equal(kr_fence_status(fence), 0); /* 4 is still open */
	assert_int_equal(krafla_syncobj_query(bench.drm, bench.handle, &reached, &last), 0);
	assert_true(reached == 0 && last == 6);
	assert_int_equal(rig_move(bench.timeline, 1, 0), 0);
	assert_int_equal(kr_fence_wait(fence, SOON), 0);
	close(fence);
	fence = export_at(&bench, 3); /* the first at or after it */
	assert_int_equal(kr_fence_status(fence), 1);
	assert_int_equal(krafla_syncobj_query(bench.drm, bench.handle, &reached, &last), 0);
	assert_true(reached == 6 && last == 6);
	close(fence);
	close(other);
	close_bench(&bench);
}

/*
 * S-03: a point whose fence fails. The kernel's own answer about the point's
 * sync_file is "signalled".
 */
static void
failed_points(void **state)
{
	static const uint64_t points[] = {0, 4};

	for (int i = 0; i < 2; i++) {
		struct bench bench = open_bench();
		int before, after;

		submit(&bench, points[i], 1);
		before = export_at(&bench, points[i]);
		assert_int_equal(rig_move(bench.timeline, 1, -EIO), 0);
		assert_true(rig_ends(before, RIG_SOON_MS));
		assert_int_equal(rig_status(before), i ? 1 : -EIO);
		assert_int_equal(kr_fence_status(before), -EIO);
		assert_int_equal(krafla_syncobj_wait(bench.drm, bench.handle, points[i],
					 KRAFLA_SYNCOBJ_WAIT_DONE, SOON),
			0);
		after = export_at(&bench, points[i]);
		assert_int_equal(kr_fence_status(after), -EIO);
		close(before);
		close(after);
		close_bench(&bench);
	}
}

static void
what_may_not_enter(void **state)
{
	struct bench bench = open_bench();
	struct pair user = make_pair("user");
	int fence = rig_fence(bench.timeline, 1), out = 55;
	struct drm_syncobj_handle raw = {.handle = bench.handle,
		.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE,
		.fd = user.fence};

	assert_int_equal(rig_ioctl(bench.drm, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &raw), -EINVAL);
	assert_int_equal(
		krafla_syncobj_import_fence(bench.drm, bench.handle, 1, user.fence), -EOPNOTSUPP);
	assert_int_equal(rig_move(bench.timeline, 1, -EIO), 0);
	assert_int_equal(krafla_syncobj_import_fence(bench.drm, bench.handle, 1, fence), -EIO);
	for (uint64_t point = 0; point < 2; point++)
		assert_int_equal(
			krafla_syncobj_export_fence(bench.drm, bench.handle, point, &out), -EINVAL);
	assert_int_equal(krafla_syncobj_export_fence(bench.drm, 9999, 1, &out), -ENOENT);
	assert_int_equal(krafla_syncobj_destroy(bench.drm, 9999), -EINVAL);
	assert_int_equal(krafla_syncobj_check(bench.timeline, 1), -ENOTTY);
	assert_int_equal(out, 55);
	close(fence);
	close_bench(&bench);
	close_pair(&user);
}

static void
no_fence_signals_the_point(void **state)
{
	struct bench bench = open_bench();
	int fence;

	submit(&bench, 1, 1);
	assert_int_equal(krafla_syncobj_import_fence(bench.drm, bench.handle, 2, -1), 0);
	fence = export_at(&bench, 2);
	assert_int_equal(kr_fence_status(fence), 0);
	assert_int_equal(rig_move(bench.timeline, 1, 0), 0);
	assert_int_equal(kr_fence_wait(fence, SOON), 0);
	close(fence);
	assert_int_equal(krafla_syncobj_signal(bench.drm, bench.handle, 0), 0);
	fence = export_at(&bench, 0);
	assert_int_equal(kr_fence_status(fence), 1);
	close(fence);
	close_bench(&bench);
}

static int
wait_now(const struct bench *bench, uint64_t point, enum krafla_syncobj_until until)
{
	return krafla_syncobj_wait(bench->drm, bench->handle, point, until, kr_clock_now());
}

static void
waits_have_deadlines(void **state)
{
	struct bench bench = open_bench();

	for (uint64_t at = 0; at < 8; at += 4) {
		assert_int_equal(wait_now(&bench, at, KRAFLA_SYNCOBJ_WAIT_DONE), -EINVAL);
		assert_int_equal(wait_now(&bench, at, KRAFLA_SYNCOBJ_WAIT_SUBMIT), -ETIME);
		assert_int_equal(wait_now(&bench, at, KRAFLA_SYNCOBJ_WAIT_AVAILABLE), -ETIME);
	}
	submit(&bench, 4, 1);
	assert_int_equal(wait_now(&bench, 4, KRAFLA_SYNCOBJ_WAIT_AVAILABLE), 0);
	assert_int_equal(wait_now(&bench, 4, KRAFLA_SYNCOBJ_WAIT_DONE), -ETIME);
	assert_int_equal(krafla_syncobj_wait(bench.drm, bench.handle, 4, KRAFLA_SYNCOBJ_WAIT_DONE,
				 kr_deadline_in(50 * KR_NSEC_PER_MSEC)),
		-ETIME);
	assert_int_equal(rig_move(bench.timeline, 1, 0), 0);
	assert_int_equal(krafla_syncobj_wait(bench.drm, bench.handle, 4, KRAFLA_SYNCOBJ_WAIT_SUBMIT,
				 KR_FOREVER),
		0);
	close_bench(&bench);
}

static void
points_wake_an_eventfd(void **state)
{
	struct bench bench = open_bench();
	int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	enum krafla_syncobj_until done = KRAFLA_SYNCOBJ_WAIT_DONE;
	eventfd_t count = 0;

	assert_int_equal(krafla_syncobj_watch(bench.drm, bench.handle, 4, done, event), 0);
	submit(&bench, 4, 1);
	assert_int_equal(poll_events(event, 0), 0);
	assert_int_equal(rig_move(bench.timeline, 1, 0), 0);
	assert_true(poll_events(event, RIG_SOON_MS) != 0);
	assert_int_equal(eventfd_read(event, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(
		krafla_syncobj_watch(bench.drm, bench.handle, 4, done, bench.timeline), -EINVAL);
	assert_int_equal(krafla_syncobj_watch(bench.drm, bench.handle, 4, done, -1), -EBADF);
	assert_int_equal(krafla_syncobj_watch(bench.drm, 9999, 4, done, event), -ENOENT);
	close(event);
	close_bench(&bench);
}

/*
 * Another open device of the same driver, as another process has it, and a transfer
 * between syncobjs.
 */
static void
shared_as_a_descriptor(void **state)
{
	struct bench bench = open_bench();
	int other = card_open("virtio_gpu"), fd = -1, fence = -1;
	uint32_t handle = 0, copy = 0;

	assert_int_equal(krafla_syncobj_export(bench.drm, bench.handle, &fd), 0);
	assert_int_equal(krafla_syncobj_import(other, fd, &handle), 0);
	assert_int_equal(krafla_syncobj_import(other, bench.timeline, &copy), -EINVAL);
	close(fd);
	submit(&bench, 3, 1);
	assert_int_equal(krafla_syncobj_create(other, &copy), 0);
	assert_int_equal(krafla_syncobj_transfer(other, handle, 3, copy, 8), 0);
	assert_int_equal(krafla_syncobj_export_fence(other, copy, 8, &fence), 0);
	assert_int_equal(kr_fence_status(fence), 0);
	assert_int_equal(rig_move(bench.timeline, 1, 0), 0);
	assert_int_equal(kr_fence_wait(fence, SOON), 0);
	close(fence);
	close(other);
	close_bench(&bench);
}

static void
devices_without(void **state)
{
	int drm = card_open("vgem");
	uint32_t handle = 5;

	assert_int_equal(krafla_syncobj_check(drm, 0), -EOPNOTSUPP);
	assert_int_equal(krafla_syncobj_create(drm, &handle), -EOPNOTSUPP);
	assert_int_equal(handle, 5);
	close(drm);
}

static const struct kr_test tests[] = {
	KR_TEST(fences_go_in_and_out),
	KR_TEST(points_come_in_order),
	KR_TEST(failed_points),
	KR_TEST(what_may_not_enter),
	KR_TEST(no_fence_signals_the_point),
	KR_TEST(waits_have_deadlines),
	KR_TEST(points_wake_an_eventfd),
	KR_TEST(shared_as_a_descriptor),
	KR_TEST(devices_without),
};

KR_TEST_MAIN(tests)
