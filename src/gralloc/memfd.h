/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memfd backend: anonymous shared memory, sealed so that nobody can resize it under a reader.
 */
#ifndef KR_GRALLOC_MEMFD_H
#define KR_GRALLOC_MEMFD_H

#include <stdint.h>
#include "util/macros.h"

#define KR_BUFFER_PAGE       4096
#define KR_BUFFER_ROW_ALIGN  64
#define KR_BUFFER_MAX_EXTENT 32768
/* Twice what the largest extent needs in the widest format. */
#define KR_BUFFER_MAX_SIZE (UINT64_C(16) << 30)

/* Zeroed memory of `size` bytes with SHRINK, GROW and SEAL set. 0 or -errno. */
int kr_memfd_create(uint64_t size, int *fd) KR_MUST_CHECK;
/*
 * Whether somebody's descriptor is what kr_memfd_create makes: 0; -EINVAL when it is no file of
 * exactly `size` bytes that can be mapped for reading and writing; -EPERM when it isn't sealed.
 */
int kr_memfd_check(int fd, uint64_t size) KR_MUST_CHECK;

#endif
