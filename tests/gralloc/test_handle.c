/* SPDX-License-Identifier: Apache-2.0 */
/* native_handle_t and its functions, as libcutils has them. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include <krafla/native_handle.h>

#include "failing_alloc.h"

static void
a_handle_has_room_for_what_was_asked(void **state)
{
	native_handle_t *handle = native_handle_create(2, 3);

	assert_non_null(handle);
	assert_int_equal(handle->version, 12);
	assert_int_equal(handle->numFds, 2);
	assert_int_equal(handle->numInts, 3);
	assert_int_equal(native_handle_delete(handle), 0);
}

static void
counts_out_of_range_are_einval(void **state)
{
	static const int bad[][2] = {{-1, 0}, {0, -1}, {1025, 0}, {0, 1025}, {INT_MAX, 1},
		{1, INT_MAX}, {INT_MAX, INT_MAX}, {INT_MIN, INT_MIN}};
	NATIVE_HANDLE_DECLARE_STORAGE(storage, 0, 0);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		native_handle_t wrong = {12, bad[i][0], bad[i][1]};

		errno = 0;
		assert_null(native_handle_create(bad[i][0], bad[i][1]));
		assert_int_equal(errno, EINVAL);
		errno = 0;
		memset(storage, 7, sizeof(storage));
		assert_null(native_handle_init(storage, bad[i][0], bad[i][1]));
		assert_int_equal(errno, EINVAL);
		assert_int_equal(storage[0], 7);
		/* A handle that was never one: nothing behind it is read. */
		errno = 0;
		assert_null(native_handle_clone(&wrong));
		assert_int_equal(errno, EINVAL);
		assert_int_equal(native_handle_close(&wrong), -EINVAL);
		assert_int_equal(native_handle_close_with_tag(&wrong), -EINVAL);
	}
	native_handle_delete(native_handle_create(1024, 1024));
}

static void
a_handle_lies_in_the_callers_memory(void **state)
{
	struct {
		char before;
		NATIVE_HANDLE_DECLARE_STORAGE(storage, 2, 3);
		char after;
	} in = {.before = 1, .after = 2};
	native_handle_t *handle, *clone;

	assert_int_equal(sizeof(in.storage), 12 + 4 * 5);
	assert_int_equal((uintptr_t)in.storage % _Alignof(native_handle_t), 0);
	memset(in.storage, 7, sizeof(in.storage));
	handle = native_handle_init(in.storage, 1, 2);
	assert_ptr_equal(handle, in.storage);
	assert_int_equal(handle->version, 12);
	assert_int_equal(handle->numFds, 1);
	assert_int_equal(handle->numInts, 2);
	/* Its data is the caller's affair. */
	assert_int_equal(handle->data[0], 0x07070707);
	handle->data[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	clone = native_handle_clone(handle);
	assert_non_null(clone);
	assert_int_equal(clone->data[2], 0x07070707);
	assert_int_equal(native_handle_close(clone), 0);
	assert_int_equal(native_handle_delete(clone), 0);
	assert_int_equal(native_handle_close(handle), 0);
	handle = native_handle_init(in.storage, 2, 3);
	assert_int_equal(handle->numFds + handle->numInts, 5);
	handle->data[4] = -1;
	assert_true(in.before == 1 && in.after == 2);
	errno = 0;
	assert_null(native_handle_init(in.storage + 1, 0, 0));
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_null(native_handle_init(NULL, 0, 0));
	assert_int_equal(errno, EINVAL);
}

/* The second time there is nothing, as long as nobody has the numbers. */
static void
closing_twice_is_no_error(void **state)
{
	native_handle_t *handle = native_handle_create(2, 0);
	int other;

	handle->data[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	handle->data[1] = -1;
	native_handle_set_fdsan_tag(handle);
	assert_int_equal(native_handle_close_with_tag(handle), 0);
	errno = 5;
	assert_int_equal(native_handle_close(handle), 0);
	assert_int_equal(errno, 5);
	native_handle_unset_fdsan_tag(handle);
	other = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(other, handle->data[0]);
	assert_int_equal(native_handle_close(handle), 0);
	assert_int_equal(fcntl(other, F_GETFD), -1);
	native_handle_delete(handle);
}

static void
clone_duplicates_and_close_closes(void **state)
{
	native_handle_t *handle = native_handle_create(2, 1), *clone;

	handle->data[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	handle->data[1] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	handle->data[2] = 42;
	clone = native_handle_clone(handle);
	assert_non_null(clone);
	assert_int_not_equal(clone->data[0], handle->data[0]);
	assert_true(fcntl(clone->data[1], F_GETFD) & FD_CLOEXEC);
	assert_int_equal(clone->data[2], 42);
	errno = 5;
	assert_int_equal(native_handle_close(handle), 0);
	assert_int_equal(errno, 5);
	assert_int_equal(fcntl(handle->data[0], F_GETFD), -1);
	assert_int_equal(native_handle_close(clone), 0);
	native_handle_delete(clone);
	native_handle_delete(handle);
}

static void
a_failed_clone_leaves_nothing_open(void **state)
{
	static const int bad[] = {1000, -1}; /* neither is open */
	native_handle_t *handle = native_handle_create(2, 0);
	int before;

	handle->data[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	before = kr_test_count_fds();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		handle->data[1] = bad[i];
		assert_null(native_handle_clone(handle));
		assert_int_equal(errno, EBADF);
		assert_int_equal(kr_test_count_fds(), before);
	}
	failing_alloc_left = 0;
	assert_null(native_handle_clone(handle));
	assert_int_equal(errno, ENOMEM);
	close(handle->data[0]);
	native_handle_delete(handle);
}

static void
another_version_is_left_alone(void **state)
{
	native_handle_t *handle = native_handle_create(0, 0);

	handle->version = 16;
	assert_int_equal(native_handle_close(handle), -EINVAL);
	assert_int_equal(native_handle_delete(handle), -EINVAL);
	assert_null(native_handle_clone(handle));
	handle->version = 12;
	assert_int_equal(native_handle_delete(handle), 0);
	assert_int_equal(native_handle_close(NULL), 0);
	assert_int_equal(native_handle_delete(NULL), 0);
	assert_int_equal(native_handle_close_with_tag(NULL), 0);
	errno = 0;
	assert_null(native_handle_clone(NULL));
	assert_int_equal(errno, EINVAL);
	native_handle_set_fdsan_tag(NULL);
	native_handle_unset_fdsan_tag(NULL);
}

static const struct kr_test tests[] = {
	KR_TEST(a_handle_has_room_for_what_was_asked),
	KR_TEST(counts_out_of_range_are_einval),
	KR_TEST(a_handle_lies_in_the_callers_memory),
	KR_TEST(closing_twice_is_no_error),
	KR_TEST(clone_duplicates_and_close_closes),
	KR_TEST(a_failed_clone_leaves_nothing_open),
	KR_TEST(another_version_is_left_alone),
};

KR_TEST_MAIN(tests)
