/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fences inside dma-bufs, on the fake kernel: what Krafla lets in, and what it asks for.
 * tests/lab/test_kernel_fence.c asks the real one.
 */
#include "support.h"

#include <errno.h>
#include <unistd.h>

#include "sync/kernel/dma_buf.h"
#include "sync/fence/kernel_fence.h"

/* Exported for that access, its status; the export is closed. */
static int
exported(int buffer, enum kr_dma_buf_access access)
{
	int fence = -1, status;

	assert_int_equal(kr_dma_buf_export_fence(buffer, access, &fence), 0);
	assert_true(fence >= 0);
	status = kr_fence_status(fence);
	close(fence);
	return status;
}

static void
readers_wait_for_writers(void **state)
{
	int point, buffer, fence;

	fake_kernel_install();
	buffer = fake_dma_buf();
	fence = fake_fence("k", &point);
	assert_int_equal(exported(buffer, KR_DMA_BUF_READ), 1);
	assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, fence), 0);
	assert_int_equal(exported(buffer, KR_DMA_BUF_READ), 0);
	assert_int_equal(exported(buffer, KR_DMA_BUF_WRITE), 0);
	fake_signal(point, 1);
	assert_int_equal(exported(buffer, KR_DMA_BUF_READ_WRITE), 1);
	close(fence);
	close(buffer);
	fake_kernel_remove();
}

static void
writers_wait_for_readers(void **state)
{
	int point, buffer, fence;

	fake_kernel_install();
	buffer = fake_dma_buf();
	fence = fake_fence("k", &point);
	assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_READ, fence), 0);
	assert_int_equal(exported(buffer, KR_DMA_BUF_READ), 1);
	assert_int_equal(exported(buffer, KR_DMA_BUF_WRITE), 0);
	assert_int_equal(exported(buffer, KR_DMA_BUF_READ_WRITE), 0);
	close(fence);
	close(buffer);
	fake_kernel_remove();
}

/* S-05: what user space signals never enters the kernel, in whichever state. */
static void
user_fences_stay_outside(void **state)
{
	static const int states[] = {0, 1, -EIO};

	for (int i = 0; i < 3; i++) {
		struct pair user = make_pair("user");
		int buffer;

		fake_kernel_install();
		buffer = fake_dma_buf();
		if (states[i])
			signal_pair(&user, states[i]);
		assert_int_equal(
			kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, user.fence), -EOPNOTSUPP);
		assert_int_equal(kr_sync_kernel_check(user.fence), -EOPNOTSUPP);
		close(buffer);
		fake_kernel_remove();
		close_pair(&user);
	}
}

/* S-03: a failure isn't swallowed by a buffer; one member's is enough. */
static void
failed_fences_are_their_failure(void **state)
{
	int point[2], buffer, fence[2], merged;

	fake_kernel_install();
	buffer = fake_dma_buf();
	fence[0] = fake_fence("k1", &point[0]);
	fence[1] = fake_fence("k2", &point[1]);
	assert_int_equal(kr_fence_merge("m", fence[0], fence[1], &merged), 0);
	fake_signal(point[1], -EIO);
	assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, fence[1]), -EIO);
	assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, merged), -EIO);
	assert_int_equal(kr_sync_kernel_check(merged), -EIO);
	assert_int_equal(exported(buffer, KR_DMA_BUF_READ), 1);
	close(merged);
	close(fence[0]);
	close(fence[1]);
	close(buffer);
	fake_kernel_remove();
}

static void
what_is_no_fence_or_no_dma_buf(void **state)
{
	int point, buffer, fence, out = 55;

	fake_kernel_install();
	buffer = fake_dma_buf();
	fence = fake_fence("k", &point);
	assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, -1), 0);
	assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, -2), -EINVAL);
	assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, buffer), -EINVAL);
	assert_int_equal(kr_dma_buf_import_fence(fence, KR_DMA_BUF_WRITE, fence), -ENOTTY);
	assert_int_equal(kr_dma_buf_export_fence(fence, KR_DMA_BUF_READ, &out), -ENOTTY);
	assert_int_equal(kr_dma_buf_begin_cpu(fence, KR_DMA_BUF_READ), -ENOTTY);
	assert_int_equal(out, 55);
	assert_int_equal(kr_dma_buf_check(buffer), 0);
	assert_int_equal(kr_dma_buf_check(fence), -EINVAL);
	assert_int_equal(kr_dma_buf_check(-1), -EINVAL);
	assert_int_equal(kr_sync_kernel_check(fence), 0);
	assert_int_equal(kr_sync_kernel_check(-1), -EINVAL);
	close(fence);
	close(buffer);
	fake_kernel_remove();
}

static void
cpu_access_is_bracketed(void **state)
{
	int buffer;

	fake_kernel_install();
	buffer = fake_dma_buf();
	assert_int_equal(kr_dma_buf_begin_cpu(buffer, KR_DMA_BUF_WRITE), 0);
	assert_int_equal(fake_synced(buffer), 2);
	assert_int_equal(kr_dma_buf_end_cpu(buffer, KR_DMA_BUF_READ_WRITE), 0);
	assert_int_equal(fake_synced(buffer), 7);
	close(buffer);
	fake_kernel_remove();
}

static void
deadlines_reach_the_driver(void **state)
{
	struct pair user = make_pair("user");
	int point, fence;

	fake_kernel_install();
	fence = fake_fence("k", &point);
	assert_int_equal(kr_sync_kernel_set_deadline(fence, 12345), 0);
	assert_int_equal(fake_deadline(point), 12345);
	assert_int_equal(kr_sync_kernel_set_deadline(user.fence, 1), -EOPNOTSUPP);
	assert_int_equal(kr_sync_kernel_set_deadline(-1, 1), -EINVAL);
	fake_old_kernel();
	assert_int_equal(kr_sync_kernel_set_deadline(fence, 1), -EOPNOTSUPP);
	fake_signal(point, -EIO);
	assert_int_equal(kr_sync_kernel_set_deadline(fence, 1), 0);
	close(fence);
	fake_kernel_remove();
	close_pair(&user);
}

/* The real kernel of this machine, as far as it goes without a dma-buf. */
static void
real_files_are_no_dma_bufs(void **state)
{
	int pipes[2], fence;

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(kr_dma_buf_check(pipes[0]), -EINVAL);
	assert_int_equal(kr_dma_buf_export_fence(pipes[0], KR_DMA_BUF_READ, &fence), -ENOTTY);
	close(pipes[0]);
	close(pipes[1]);
	assert_int_equal(kr_dma_buf_check(pipes[0]), -EINVAL);
	assert_int_equal(kr_dma_buf_export_fence(pipes[0], KR_DMA_BUF_READ, &fence), -EBADF);
}

static const struct kr_test tests[] = {
	KR_TEST(readers_wait_for_writers),
	KR_TEST(writers_wait_for_readers),
	KR_TEST(user_fences_stay_outside),
	KR_TEST(failed_fences_are_their_failure),
	KR_TEST(what_is_no_fence_or_no_dma_buf),
	KR_TEST(cpu_access_is_bracketed),
	KR_TEST(deadlines_reach_the_driver),
	KR_TEST(real_files_are_no_dma_bufs),
};

KR_TEST_MAIN(tests)
