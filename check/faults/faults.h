/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a driver does when those that it works with fail: fences that fail, end late or never, that
 * are none, whose makers die, and processes that run out of descriptors (W-07, W-08).
 */
#ifndef KR_CHECK_FAULTS_FAULTS_H
#define KR_CHECK_FAULTS_FAULTS_H

#include "check/rig/check.h"

extern const struct check_table check_table_faults;

extern const struct check_rows check_faults_fences;
extern const struct check_rows check_faults_order;
extern const struct check_rows check_faults_descriptors;
extern const struct check_rows check_faults_frames;

#endif
