/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocation failures by number. A test that includes this is linked with failing_alloc_args, which
 * sends every allocation of the rooms under test here (libc's own are out of reach and not meant).
 */
#ifndef KR_TESTS_FAILING_ALLOC_H
#define KR_TESTS_FAILING_ALLOC_H

/* The allocation that fails is the one after this many; -1: none. */
extern long failing_alloc_left;

#endif
