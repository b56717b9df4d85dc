/* SPDX-License-Identifier: Apache-2.0 */
/* Packets with descriptors between the ends, waited for: 0 or 1. */
#ifndef KR_BENCH_SHARED_CARRY_H
#define KR_BENCH_SHARED_CARRY_H

#include <stddef.h>

int shared_carry_send(int socket, const void *data, size_t size, const int *fds, size_t count);
/* Of exactly `size` bytes; up to `count` descriptors. */
int shared_carry_receive(int socket, void *data, size_t size, int *fds, size_t count);

#endif
