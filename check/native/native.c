/* SPDX-License-Identifier: Apache-2.0 */
/* The table of this folder. */
#include "check/native/native.h"

static const struct check_rows *const files[] = {
	&check_native_offer,
	&check_native_usage,
	&check_native_usage_buffers,
	&check_native_image,
	&check_native_image_chain,
	&check_native_image_life,
	&check_native_deferred,
	&check_native_acquire_fd,
	&check_native_acquire_fd_odd,
	&check_native_acquire,
	&check_native_acquire_several,
	&check_native_release,
	&check_native_release_waits,
	&check_native_shared,
	&check_native_layout,
	&check_native_layout_formats,
	&check_native_outside,
	&check_native_hardware,
};

const struct check_table check_table_native = {"native", files, KR_ARRAY_LEN(files)};
