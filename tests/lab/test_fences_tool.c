/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla fences` on a real kernel: fences of kernel drivers and inside dma-bufs, and the rights
 * that only such a kernel withholds (Yama, hidepid).
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/dma-buf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sync/kernel/dma_buf.h"
#include "tests/tools/fences/rig.h"

#define SCOPE "/proc/sys/kernel/yama/ptrace_scope"

static const struct rig_look nobody = {.uid = RIG_NOBODY};

/* Nothing is late for want of another budget. */
static json_t *
look_at_self(int expected)
{
	return rig_json(NULL, "--budget 86400000 %d", getpid(), expected);
}

static void
kernel_fence_is_told(void **state)
{
	int timeline = rig_timeline(), fence = rig_fence(timeline, 3), copy = dup(fence);
	json_t *all = look_at_self(0);
	const json_t *told = rig_item(all, "fences", 0);

	assert_int_equal(rig_count(all, "fences"), 1);
	assert_string_equal(rig_text(told, "backend"), "kernel");
	assert_string_equal(rig_text(told, "driver"), "krafla_sync");
	assert_string_equal(rig_text(told, "status"), "active");
	assert_true(strlen(rig_text(told, "timeline")) > 0);
	assert_int_equal(rig_number(told, "point"), 3);
	assert_true(json_is_null(json_object_get(told, "owner")));
	assert_true(json_is_null(json_object_get(told, "age_ns")));
	/* All sync_files have one inode: kcmp knows that these two are one file. */
	assert_int_equal(rig_number(rig_item(told, "holders", 0), "descriptors"), 2);
	json_decref(all);
	assert_int_equal(rig_fences(NULL, "%d", getpid()), 0);
	rig_assert_said("kernel krafla_sync  active  ?");
	close(copy);
	close(fence);
	close(timeline);
}

/*
 * Two fences of one timeline are two, and a merge is a third, of all the points that it waits for.
 */
static void
kernel_fences_are_told_apart(void **state)
{
	int timelines[2] = {rig_timeline(), rig_timeline()};
	int fences[2] = {rig_fence(timelines[0], 1), rig_fence(timelines[1], 1)};
	int merged = rig_merge(fences[0], fences[1]);
	unsigned points = 0;
	json_t *all = look_at_self(0);

	assert_int_equal(rig_count(all, "fences"), 3);
	for (size_t i = 0; i < 3; i++)
		points += (unsigned)rig_number(rig_item(all, "fences", i), "points");
	assert_int_equal(points, 4);
	json_decref(all);
	assert_int_equal(rig_move(timelines[0], 1, 0), 0);
	assert_int_equal(rig_move(timelines[1], 1, -EIO), 0);
	close(merged);
	all = look_at_self(0);
	assert_string_equal(rig_text(rig_item(all, "fences", 0), "backend"), "kernel");
	assert_true(!strcmp(rig_text(rig_item(all, "fences", 0), "status"), "failed") ||
		!strcmp(rig_text(rig_item(all, "fences", 1), "status"), "failed"));
	json_decref(all);
	for (int i = 0; i < 2; i++) {
		close(fences[i]);
		close(timelines[i]);
	}
}

static void
fence_inside_a_buffer_is_told(void **state)
{
	struct dma_heap_allocation_data data = {.len = 4096, .fd_flags = O_RDWR | O_CLOEXEC};
	int heap = rig_open("/dev/dma_heap/system"), timeline = rig_timeline();
	int fence = rig_fence(timeline, 1), buffer;
	const json_t *holder;
	json_t *all;

	assert_int_equal(rig_ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &data), 0);
	buffer = (int)data.fd;
	assert_true(rig_ioctl(buffer, DMA_BUF_SET_NAME_B, (void *)(uintptr_t) "cube:0") >= 0);
	all = look_at_self(0);
	assert_int_equal(rig_count(all, "fences"), 1);
	json_decref(all);
	assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, fence), 0);
	close(fence);
	all = look_at_self(0);
	assert_int_equal(rig_count(all, "fences"), 1);
	holder = rig_item(rig_item(all, "fences", 0), "holders", 0);
	assert_string_equal(rig_text(holder, "role"), "buffer");
	assert_string_equal(rig_text(holder, "buffer"), "cube:0");
	assert_string_equal(rig_text(rig_item(all, "fences", 0), "driver"), "krafla_sync");
	json_decref(all);
	assert_int_equal(rig_fences(NULL, "%d", getpid()), 0);
	rig_assert_said(" in cube:0\n");
	assert_int_equal(rig_move(timeline, 1, 0), 0);
	close(buffer);
	close(timeline);
	close(heap);
}

/* A kernel fence doesn't tell its age: it is late when it has been seen for so long. */
static void
kernel_fence_is_late_by_watching(void **state)
{
	int timeline = rig_timeline(), fence = rig_fence(timeline, 1);

	assert_int_equal(rig_fences(NULL, "--budget 1 %d", getpid()), 0);
	assert_int_equal(
		rig_fences(NULL, "--watch --budget 100 --interval 20 --samples 40 %d", getpid()),
		1);
	rig_assert_said(" s: late: 'krafla_sync");
	rig_assert_said(" of the kernel driver krafla_sync) has not signalled for 0.1 s\n");
	close(fence);
	close(timeline);
}

static void
leaked_kernel_fences_are_named(void **state)
{
	int timeline = rig_timeline(), fences[40];
	json_t *all;

	for (unsigned i = 0; i < 40; i++)
		fences[i] = rig_fence(timeline, i + 1);
	all = look_at_self(1);
	assert_int_equal(rig_count(all, "fences"), 40);
	assert_int_equal(rig_number(rig_item(all, "findings", 0), "descriptors"), 40);
	json_decref(all);
	for (unsigned i = 0; i < 40; i++)
		close(fences[i]);
	close(timeline);
}

/* A process of nobody's with a kernel fence, which ends with the other end of *socket. */
static void
hold_as_nobody(int socket)
{
	int fence = rig_receive(socket);
	char byte;

	if (fence < 0 || setresgid(RIG_NOBODY, RIG_NOBODY, RIG_NOBODY) ||
		setresuid(RIG_NOBODY, RIG_NOBODY, RIG_NOBODY) || prctl(PR_SET_DUMPABLE, 1))
		_exit(1);
	if (write(socket, "r", 1) == 1 && read(socket, &byte, 1) < 0)
		_exit(2);
	_exit(0);
}

/* What Yama adds: descriptors are listed, but may not be looked at. */
static void
yama_is_told(void **state)
{
	int timeline = rig_timeline(), fence = rig_fence(timeline, 1), socket;
	pid_t child = rig_child(hold_as_nobody, &socket);
	char byte, *before = rig_read_file(SCOPE);

	rig_send(socket, fence);
	assert_int_equal(read(socket, &byte, 1), 1);
	rig_write_file(SCOPE, "0");
	assert_int_equal(rig_fences(&nobody, "%d", child), 0);
	rig_assert_said("kernel krafla_sync");
	rig_write_file(SCOPE, "1");
	assert_int_equal(rig_fences(&nobody, "%d", child), 0);
	rig_assert_said("no fences; 1 process looked at\n");
	/* As the test's child it has a second descriptor of it. */
	rig_assert_said(": 2 kernel fences and signalled fences that no window has named: Yama");
	rig_assert_said(
		"Yama lets only its parents look (kernel.yama.ptrace_scope is 1): set it to 0, or krafla would need CAP_SYS_PTRACE");
	rig_write_file(SCOPE, before);
	free(before);
	close(socket);
	rig_kill(child);
	close(fence);
	close(timeline);
}

/* A process that /proc hides is there all the same: it isn't called gone. */
static void
hidepid_is_told(void **state)
{
	char remount[] = "hidepid=2";

	assert_int_equal(mount("proc", "/proc", "proc", MS_REMOUNT, remount), 0);
	assert_int_equal(rig_fences(&nobody, "%d", getpid()), 125);
	assert_int_equal(mount("proc", "/proc", "proc", MS_REMOUNT, "hidepid=0"), 0);
	rig_assert_said("/proc hides it (mounted with hidepid): root may see it");
}

static const struct kr_test tests[] = {
	KR_TEST(kernel_fence_is_told),
	KR_TEST(kernel_fences_are_told_apart),
	KR_TEST(fence_inside_a_buffer_is_told),
	KR_TEST(kernel_fence_is_late_by_watching),
	KR_TEST(leaked_kernel_fences_are_named),
	KR_TEST(yama_is_told),
	KR_TEST(hidepid_is_told),
};
KR_TEST_MAIN(tests)
