/* SPDX-License-Identifier: Apache-2.0 */
/* The table of this folder. */
#include "check/faults/faults.h"

static const struct check_rows *const files[] = {
	&check_faults_fences,
	&check_faults_order,
	&check_faults_descriptors,
	&check_faults_frames,
};

const struct check_table check_table_faults = {"faults", files, KR_ARRAY_LEN(files)};
