/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at what came, one file a kind of delivery. Each returns as kr_delivery_take, with half a sentence. */
#ifndef KR_DELIVERY_TAKE_H
#define KR_DELIVERY_TAKE_H

#include <sys/types.h>
#include "delivery/delivery_impl.h"

/* At least one descriptor is there. Fill the index. */
int kr_take_mount(struct kr_delivery *delivery, char **reason) KR_MUST_CHECK;
int kr_take_memory(struct kr_delivery *delivery, char **reason) KR_MUST_CHECK;
/* The index, from a file of `size` bytes. */
int kr_take_index(struct kr_delivery *delivery, int fd, off_t size, char **reason) KR_MUST_CHECK;

#endif
