/* SPDX-License-Identifier: Apache-2.0 */
/* libliftoff, which finds out what a card's planes take. */
#ifndef KR_OUTPUTS_KMS_LIFTOFF_H
#define KR_OUTPUTS_KMS_LIFTOFF_H

#include <libliftoff.h>
#include "util/macros.h"

/*
 * With all planes of the card. What it logs goes to our log. 0 or -errno; *device isn't NULL then
 * either once there is something to destroy.
 */
int kms_liftoff_open(int drm, struct liftoff_device **device) KR_MUST_CHECK;

#endif
