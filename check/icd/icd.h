/* SPDX-License-Identifier: Apache-2.0 */
/* What a Linux driver (ICD) must bring for the adapter: ABI, mapped memory, imports, layouts. */
#ifndef KR_CHECK_ICD_ICD_H
#define KR_CHECK_ICD_ICD_H

#include "check/rig/check.h"

extern const struct check_table check_table_icd;

extern const struct check_rows check_icd_abi;
extern const struct check_rows check_icd_memory;
extern const struct check_rows check_icd_images;
extern const struct check_rows check_icd_sync;

#endif
