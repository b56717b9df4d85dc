/* SPDX-License-Identifier: Apache-2.0 */
/* krafla_sync.ko as a module: its limit, 32-bit callers, unloading while fences live, and load. */
#include "rig.h"

#include <errno.h>
#include <linux/sync_file.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_POINTS "/sys/module/krafla_sync/parameters/max_points"
#define HELD_MS    300 /* longer than a last fence holds the module on */
#define RELOADS    10

static void
points_are_limited(void **state)
{
	int timeline = rig_timeline(), fences[3], other = rig_timeline(), one_more;
	char *before = rig_read_file(MAX_POINTS);

	(void)state;
	rig_write_file(MAX_POINTS, "3");
	for (int i = 0; i < 3; i++)
		fences[i] = rig_fence(timeline, (uint64_t)i + 1);
	assert_int_equal(rig_try_fence(timeline, 4, RIG_LONG_MS), -ENOSPC);
	one_more = rig_fence(other, 1); /* each timeline has a limit of its own */
	close(one_more);
	close(fences[1]);
	fences[1] = rig_fence(timeline, 2);
	assert_int_equal(rig_try_fence(timeline, 4, RIG_LONG_MS), -ENOSPC);
	assert_int_equal(rig_move(timeline, 1, 0), 0);
	one_more = rig_fence(timeline, 4);
	close(one_more);
	for (int i = 0; i < 3; i++)
		close(fences[i]);
	rig_write_file(MAX_POINTS, before);
	free(before);
	close(timeline);
	close(other);
}

#ifdef __x86_64__
static void
programs_of_32_bits_are_served(void **state)
{
	int timeline = rig_timeline();
	void *low = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	struct krafla_sync_create *create = low;
	struct krafla_sync_signal *signal = low;
	struct krafla_sync_info *info = low;
	int fence;

	(void)state;
	*create = (struct krafla_sync_create){.value = 6, .timeout_ms = RIG_LONG_MS};
	assert_int_equal(rig_compat_ioctl(timeline, KRAFLA_SYNC_IOC_CREATE, low), 0);
	fence = create->fence;
	*signal = (struct krafla_sync_signal){.value = 6, .error = -EIO};
	assert_int_equal(rig_compat_ioctl(timeline, KRAFLA_SYNC_IOC_SIGNAL, low), 0);
	assert_int_equal(rig_status(fence), -EIO);
	memset(low, 0xff, 4096);
	assert_int_equal(rig_compat_ioctl(timeline, KRAFLA_SYNC_IOC_INFO, low), 0);
	assert_int_equal(info->last, 6);
	assert_int_equal(info->open, 0);
	close(fence);
	close(timeline);
	munmap(low, 4096);
}
#endif

/* The fence's functions are the module's: it stays for as long as any lives, whoever holds it. */
static void
the_module_stays_while_a_fence_lives(void **state)
{
	int timeline = rig_timeline(), fence = rig_fence(timeline, 1), merged;

	(void)state;
	assert_int_equal(rig_unload("krafla_sync", HELD_MS), -EAGAIN);
	merged = rig_merge(fence, fence);
	close(timeline);
	close(fence);
	assert_int_equal(rig_unload("krafla_sync", HELD_MS), -EAGAIN);
	assert_int_equal(rig_ended(merged), -EOWNERDEAD);
	close(merged);
	assert_int_equal(rig_unload("krafla_sync", RIG_SOON_MS), 0);
	assert_int_not_equal(access("/dev/krafla_sync", F_OK), 0);
	rig_load("krafla_sync");
	timeline = rig_timeline();
	close(timeline);
}

/* Again and again, with fences let go just before. */
static void
it_unloads_and_loads_again(void **state)
{
	(void)state;
	for (int round = 0; round < RELOADS; round++) {
		int timeline = rig_timeline();

		for (uint64_t i = 1; i <= 200; i++) {
			int fence = rig_try_fence(timeline, i, (uint32_t)i % 5 + 1);

			if (fence >= 0)
				close(fence);
		}
		close(timeline);
		assert_int_equal(rig_unload("krafla_sync", RIG_SOON_MS), 0);
		rig_load("krafla_sync");
	}
}

static void
busy(int socket)
{
	int timeline = rig_timeline();

	for (uint64_t i = 1;; i++) {
		int a = rig_try_fence(timeline, i + 1, 1 + (uint32_t)i % 50);
		int b = rig_try_fence(timeline, i + 2, RIG_LONG_MS);
		int merged = a >= 0 && b >= 0 ? rig_merge(a, b) : -1;

		if (i % 64 == 0 && merged >= 0)
			rig_send(socket, merged);
		rig_move(timeline, i, i % 5 ? 0 : -EIO);
		close(a);
		close(b);
		if (merged >= 0)
			close(merged);
	}
}

/* Owners killed at random points while others have fences of theirs: each ends. */
static void
owners_die_under_load(void **state)
{
	(void)state;
	srandom(7);
	for (int round = 0; round < 20; round++) {
		int sockets[2], fences[2][3], status;
		pid_t pids[2];

		for (int i = 0; i < 2; i++)
			pids[i] = rig_child(busy, &sockets[i]);
		for (int i = 0; i < 2; i++)
			for (int j = 0; j < 3; j++)
				fences[i][j] = rig_receive(sockets[i]);
		usleep((useconds_t)(random() % 20000));
		for (int i = 0; i < 2; i++)
			rig_kill(pids[i]);
		for (int i = 0; i < 2; i++) {
			for (int j = 0; j < 3; j++) {
				status = rig_ended(fences[i][j]);
				assert_true(status == 1 || status == -EIO || status == -ETIMEDOUT ||
					status == -EOWNERDEAD);
				close(fences[i][j]);
			}
			close(sockets[i]);
		}
	}
}

static const struct kr_test tests[] = {
	KR_TEST(points_are_limited),
#ifdef __x86_64__
	KR_TEST(programs_of_32_bits_are_served),
#endif
	KR_TEST_SLOW(the_module_stays_while_a_fence_lives, 0, 60),
	KR_TEST_SLOW(it_unloads_and_loads_again, 0, 120),
	KR_TEST_SLOW(owners_die_under_load, 0, 120),
};

KR_TEST_MAIN(tests)
