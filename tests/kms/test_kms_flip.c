/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a page flip as the present fence of a picture that had waited has it. */
#include "harness.h"
#include "outputs/kms/display.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

static void
a_picture_was_shown_when_the_card_says(void **state)
{
	const struct kr_fence_label label = {"kms", 1, "present"};
	static struct kms_display display;
	int fence;

	display.screen.pending_fence = -1;
	assert_int_equal(kr_fence_create(&label, &display.flying, &fence), 0);
	kms_display_flipped(&display, 12345);
	assert_int_equal(display.flying, -1);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_SIGNALLED);
	assert_int_equal(kr_fence_signal_time(fence), 12345);
	kr_fd_close(&fence);
}

static const struct kr_test tests[] = {
	KR_TEST(a_picture_was_shown_when_the_card_says),
};
KR_TEST_MAIN(tests)
