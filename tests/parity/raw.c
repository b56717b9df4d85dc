/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's own interface, beside Krafla's: linux/sync_file.h and krafla/sync.h
 * declare the same names.
 */
#include "parity.h"

#include <errno.h>
#include <krafla/timeline.h>
#include <linux/sync_file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "support.h"

/*
 * What the kernel's own interface says where Krafla's differs; a user-space fence is none of its
 * (ENOTTY), so that no program mistakes one for the other.
 */
void
parity_raw_merge(void **state)
{
	int timeline = parity_timeline(), active = parity_fence(timeline, 1);
	int failed = parity_failed_fence();
	struct sync_merge_data data = {.name = "raw", .fd2 = active};
	struct sync_file_info info = {{0}};

	if (parity_over("user")) {
		assert_int_equal(ioctl(failed, SYNC_IOC_MERGE, &data), -1);
		assert_int_equal(errno, ENOTTY);
		assert_int_equal(ioctl(failed, SYNC_IOC_FILE_INFO, &info), -1);
		assert_int_equal(errno, ENOTTY);
	} else {
		assert_int_equal(ioctl(failed, SYNC_IOC_MERGE, &data), 0);
		assert_int_equal(sw_sync_timeline_inc(timeline, 1), 0);
		parity_expect_wait(data.fence, PARITY_LIMIT_MS, 0);
		assert_int_equal(parity_status(data.fence), 1); /* the failure is gone */
		close(data.fence);
	}
	close(failed);
	close(active);
	close(timeline);
	settle();
}
