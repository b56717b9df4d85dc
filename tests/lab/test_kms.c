/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences at a screen, on virtio-gpu and vkms: the acquire fence as IN_FENCE_FD, the present fence
 * from OUT_FENCE_PTR, and what Krafla lets a compositor hand over.
 */
#include "card.h"
#include "picture.h"

#include <errno.h>
#include <unistd.h>

#include <krafla/kernel_sync.h>
#include <krafla/sync.h>
#include "rig.h"
#include "sync/wait/wait.h"
#include "tests/sync/support.h"

static const char *const drivers[] = {"virtio_gpu", "vkms"};

/* S-04: the frame waits for its acquire fence, and the present fence says when it is shown. */
static void
flip_waits_for_its_fence(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(drivers); i++) {
		int timeline = rig_timeline(), acquire = rig_fence(timeline, 1), present = -1;
		struct card_screen screen;
		struct sync_file_info *info;

		card_screen_open(&screen, drivers[i]);
		assert_int_equal(krafla_fence_check_kernel(acquire), 0);
		assert_int_equal(card_flip(&screen, 1, acquire, &present), 0);
		close(acquire); /* the kernel has its own */
		assert_int_equal(kr_fence_status(present), 0);
		assert_int_equal(
			kr_fence_wait(present, kr_deadline_in(60 * KR_NSEC_PER_MSEC)), -ETIME);
		assert_int_equal(rig_move(timeline, 1, 0), 0);
		assert_int_equal(kr_fence_wait(present, SOON), 0);
		info = sync_file_info(present);
		assert_non_null(info);
		assert_int_equal(info->status, 1);
		assert_true(sync_get_fence_info(info)->timestamp_ns > 0);
		assert_true(sync_get_fence_info(info)->driver_name[0]);
		sync_file_info_free(info);
		close(present);
		card_screen_close(&screen);
		close(timeline);
	}
}

/*
 * S-04: what libsync merges of two kernel fences may be handed on, as programs written for Android
 * do.
 */
static void
merged_fences_are_taken(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(drivers); i++) {
		int timeline[2] = {rig_timeline(), rig_timeline()}, fence[2], merged, present = -1;
		struct card_screen screen;

		card_screen_open(&screen, drivers[i]);
		for (int k = 0; k < 2; k++)
			fence[k] = rig_fence(timeline[k], 1);
		merged = sync_merge("frame", fence[0], fence[1]);
		assert_int_equal(card_flip(&screen, 1, merged, &present), 0);
		assert_int_equal(rig_move(timeline[0], 1, 0), 0);
		assert_int_equal(
			kr_fence_wait(present, kr_deadline_in(60 * KR_NSEC_PER_MSEC)), -ETIME);
		assert_int_equal(rig_move(timeline[1], 1, 0), 0);
		assert_int_equal(kr_fence_wait(present, SOON), 0);
		for (int k = 0; k < 2; k++) {
			close(fence[k]);
			close(timeline[k]);
		}
		close(merged);
		close(present);
		card_screen_close(&screen);
	}
}

/*
 * The kernel shows a frame whose acquire fence failed and calls it a success. Krafla says before
 * that it has failed, so that the compositor can leave the frame out.
 */
static void
failed_acquire_fence(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(drivers); i++) {
		int timeline = rig_timeline(), acquire = rig_fence(timeline, 1), present = -1;
		struct card_screen screen;

		card_screen_open(&screen, drivers[i]);
		assert_int_equal(card_flip(&screen, 1, acquire, &present), 0);
		assert_int_equal(rig_move(timeline, 1, -EIO), 0);
		assert_int_equal(krafla_fence_check_kernel(acquire), -EIO);
		assert_int_equal(kr_fence_wait(present, SOON), 0);
		close(present);
		assert_int_equal(card_flip(&screen, 0, acquire, &present), 0);
		assert_int_equal(kr_fence_wait(present, SOON), 0);
		close(present);
		close(acquire);
		card_screen_close(&screen);
		close(timeline);
	}
}

/* S-05: the kernel refuses a socket, and Krafla says so before. */
static void
user_fences_are_refused(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(drivers); i++) {
		struct pair user = make_pair("user");
		struct card_screen screen;
		int present = 55;

		card_screen_open(&screen, drivers[i]);
		assert_int_equal(card_flip(&screen, 1, user.fence, &present), -EINVAL);
		assert_int_equal(krafla_fence_check_kernel(user.fence), -EOPNOTSUPP);
		assert_int_equal(present, 55);
		card_screen_close(&screen);
		close_pair(&user);
	}
}

/* What the lab itself looks at: the screen as QEMU has it, and vkms's checksum of its own. */
static void
screens_are_seen_from_outside(void **state)
{
	static const uint16_t black[2][3];
	struct card_screen screen;
	struct shot shot;

	card_screen_open(&screen, "virtio_gpu");
	shot = shot_of_virtio();
	assert_int_equal(shot.width, screen.width);
	assert_int_equal(shot.height, screen.height);
	assert_int_equal(shot.pixels[0], 0);
	shot_free(&shot);
	card_screen_close(&screen);
	assert_int_equal(crc_of(black, 2, 1), 0xa55f9c8b);
}

static const struct kr_test tests[] = {
	KR_TEST(flip_waits_for_its_fence),
	KR_TEST(merged_fences_are_taken),
	KR_TEST(failed_acquire_fence),
	KR_TEST(user_fences_are_refused),
	KR_TEST(screens_are_seen_from_outside),
};

KR_TEST_MAIN(tests)
