/* SPDX-License-Identifier: Apache-2.0 */
/* What wrong drivers do that takes more than a line where they do it (mutants.h). */
#ifndef KR_NULL_FAULTS_H
#define KR_NULL_FAULTS_H

#include <stdbool.h>

#include "null/null.h"

/* Whether another thread is in here; takes a while. */
bool null_is_beside_another(void);
/* Gives what the last thread brought. */
VkSemaphore null_race(VkSemaphore semaphore);
/* VK_SUCCESS, or why this wrong driver doesn't make that image. */
VkResult null_image_fault(const VkImageCreateInfo *info);
/* Does wrong by a fence that a release gives; -1 is none. */
void null_release_fault(int fence);
/* Images of the device that are acquired. */
unsigned null_count_acquired(const struct null_device *device) KR_REQUIRES(device->lock);
/* Whether this process has made another by fork. */
bool null_has_forked(void);

#endif
