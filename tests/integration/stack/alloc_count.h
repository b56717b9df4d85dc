/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the heap calls of this process; linked in place of malloc, so never with a sanitizer. */
#ifndef KR_TESTS_ALLOC_COUNT_H
#define KR_TESTS_ALLOC_COUNT_H

#include <stdbool.h>

/* Calls from [begin, end), which is a driver's code, aren't ours and aren't counted. */
void alloc_count_leave_out(const char *begin, const char *end);
/* Counts from here on, in all threads. */
void alloc_count_start(void);
/* Ends counting and tells how many calls there were. */
long alloc_count_stop(void);
/* What this very thread calls for is not counted as long as this is set. */
void alloc_count_excuse(bool excuse);

#endif
