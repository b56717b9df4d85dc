/* SPDX-License-Identifier: Apache-2.0 */
/* malloc and its kin, counted: see alloc_count.h. */
#include "alloc_count.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#define PUBLIC __attribute__((visibility("default")))

/* glibc's own, under the names that it keeps for this. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

PUBLIC void *malloc(size_t size);
PUBLIC void *calloc(size_t count, size_t size);
PUBLIC void *realloc(void *memory, size_t size);
PUBLIC void *aligned_alloc(size_t alignment, size_t size);
PUBLIC int posix_memalign(void **memory, size_t alignment, size_t size);

static atomic_bool counting;
static atomic_long calls;
static const char *left_out_begin, *left_out_end;
static _Thread_local bool excused;

static void
count_call(const char *caller)
{
	if (atomic_load_explicit(&counting, memory_order_relaxed) && !excused &&
		!(caller >= left_out_begin && caller < left_out_end))
		atomic_fetch_add(&calls, 1);
}

void *
malloc(size_t size)
{
	count_call(__builtin_return_address(0));
	return __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	count_call(__builtin_return_address(0));
	return __libc_calloc(count, size);
}

void *
realloc(void *memory, size_t size)
{
	count_call(__builtin_return_address(0));
	return __libc_realloc(memory, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
	count_call(__builtin_return_address(0));
	return __libc_memalign(alignment, size);
}

int
posix_memalign(void **memory, size_t alignment, size_t size)
{
	void *got;

	count_call(__builtin_return_address(0));
	got = __libc_memalign(alignment, size);
	if (!got)
		return ENOMEM;
	*memory = got;
	return 0;
}

void
alloc_count_leave_out(const char *begin, const char *end)
{
	left_out_begin = begin;
	left_out_end = end;
}

void
alloc_count_start(void)
{
	atomic_store(&calls, 0);
	atomic_store(&counting, true);
}

long
alloc_count_stop(void)
{
	atomic_store(&counting, false);
	return atomic_load(&calls);
}

void
alloc_count_excuse(bool excuse)
{
	excused = excuse;
}
