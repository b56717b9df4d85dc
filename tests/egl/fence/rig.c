/* SPDX-License-Identifier: Apache-2.0 */
/* Native fences, made and looked at. */
#include "fence/rig.h"

#include <poll.h>

#include "harness.h"
#include "sync/fence/fence.h"
#include "util/clock.h"

void
rig_start(void)
{
	fake_vendor_start(NULL);
	fake_make_current(1);
}

void
rig_stop(void)
{
	fake_end_all();
	fake_make_current(0);
	fake_vendor_stop();
}

EGLSync
rig_make(void)
{
	EGLSync sync = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_CORE, NATIVE, NULL);

	assert_non_null(sync);
	return sync;
}

EGLSync
rig_make_flushed(int *fd)
{
	EGLSync sync = rig_make();

	fake_flush();
	*fd = rig_dup(sync);
	return sync;
}

EGLSync
rig_give_fd(int take_fd)
{
	EGLAttrib list[] = {FD, take_fd, EGL_NONE};
	EGLSync sync = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_CORE, NATIVE, list);

	assert_non_null(sync);
	return sync;
}

EGLSync
rig_give(int *producer)
{
	int fence;

	assert_int_equal(kr_fence_create(NULL, producer, &fence), 0);
	return rig_give_fd(fence);
}

int
rig_dup(EGLSync sync)
{
	int fd = kr_egl_sync_dup(&fake_display, sync);

	assert_true(fd >= 0);
	assert_int_equal(fake_error(), EGL_SUCCESS);
	return fd;
}

void
rig_destroy(EGLSync sync)
{
	assert_true(kr_egl_sync_destroy(&fake_display, sync));
}

void
rig_expect_status(int fd, int status, int ms)
{
	int64_t deadline = kr_clock_now() + ms * KR_NSEC_PER_MSEC;

	while (kr_fence_status(fd) != status && kr_clock_now() < deadline)
		rig_sleep_ms(1);
	assert_int_equal(kr_fence_status(fd), status);
}

void
rig_sleep_ms(int ms)
{
	poll(NULL, 0, ms);
}
