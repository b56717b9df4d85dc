/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel says of cards: that one has changed, as when a screen is plugged in. */
#ifndef KR_OUTPUTS_KMS_HOTPLUG_H
#define KR_OUTPUTS_KMS_HOTPLUG_H

#include <stdbool.h>
#include "util/macros.h"

/* The kernel's own messages, which need no udev and no rights. 0 or -errno. */
int kms_hotplug_open(int *fd) KR_MUST_CHECK;
/* Takes what has come; whether a card was among it. */
bool kms_hotplug_read(int fd);

#endif
