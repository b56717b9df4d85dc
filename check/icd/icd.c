/* SPDX-License-Identifier: Apache-2.0 */
/* The table of this folder. */
#include "check/icd/icd.h"

static const struct check_rows *const files[] = {
	&check_icd_abi,
	&check_icd_memory,
	&check_icd_images,
	&check_icd_sync,
};

const struct check_table check_table_icd = {"icd", files, KR_ARRAY_LEN(files)};
