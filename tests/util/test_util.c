/* SPDX-License-Identifier: Apache-2.0 */
/* The small ones: clock, text, alloc, list, fd. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "util/array.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/list.h"
#include "util/text.h"

static void
deadlines_saturate(void **state)
{
	int64_t now = kr_clock_now(), deadline = kr_deadline_in(5 * KR_NSEC_PER_MSEC);

	assert_true(now > 0 && deadline >= now + 5 * KR_NSEC_PER_MSEC);
	assert_true(deadline < now + 5 * KR_NSEC_PER_SEC);
	assert_true(kr_deadline_in(UINT64_MAX) == KR_FOREVER);
	assert_true(kr_deadline_in(INT64_MAX) == KR_FOREVER);
	assert_true(kr_deadline_in((uint64_t)INT64_MAX + 1) == KR_FOREVER);
}

static void
deadlines_for_poll(void **state)
{
	int64_t now = kr_clock_now();
	int left = kr_deadline_poll_ms(now + 10 * KR_NSEC_PER_SEC);

	assert_int_equal(kr_deadline_poll_ms(KR_FOREVER), -1);
	assert_int_equal(kr_deadline_poll_ms(now - 1), 0);
	assert_int_equal(kr_deadline_poll_ms(0), 0);
	assert_true(left > 9000 && left <= 10000);
	assert_int_equal(kr_deadline_poll_ms(KR_FOREVER - 1), INT_MAX);
}

static void
lists_of_text(void **state)
{
	static const char *const expected[] = {"a", "bc", "d"};
	const char *list = "::a:bc:::d:", *item;
	size_t len, count = 0;

	while (kr_list_next(&list, ':', &item, &len)) {
		assert_true(count < 3);
		assert_int_equal(len, strlen(expected[count]));
		assert_memory_equal(item, expected[count], len);
		count++;
	}
	assert_int_equal(count, 3);
	assert_null(list);
	assert_false(kr_list_next(&list, ':', &item, &len));
	list = ":";
	assert_false(kr_list_next(&list, ':', &item, &len));
}

static void
text_helpers(void **state)
{
	char *text = kr_asprintf("%s-%d", "a", 5);

	assert_string_equal(text, "a-5");
	free(text);
	assert_true(kr_has_suffix("a.json", ".json"));
	assert_true(kr_has_suffix(".json", ".json"));
	assert_false(kr_has_suffix("json", ".json"));
	assert_false(kr_has_suffix("a.jsonx", ".json"));
}

static int live;

static VKAPI_ATTR void *VKAPI_CALL
counted_allocation(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	void *memory = *(bool *)data ? NULL : malloc(size);

	assert_int_equal(scope, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (memory)
		memset(memory, 0xaa, size);
	live += memory != NULL;
	return memory;
}

static VKAPI_ATTR void VKAPI_CALL
counted_free(void *data, void *memory)
{
	live -= memory != NULL;
	free(memory);
}

static void
memory_by_callbacks(void **state)
{
	bool fails = false;
	VkAllocationCallbacks callbacks = {
		.pUserData = &fails, .pfnAllocation = counted_allocation, .pfnFree = counted_free};
	VkSystemAllocationScope scope = VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE;
	char *zeros = kr_zalloc(&callbacks, 64, scope), *text = kr_strdup(&callbacks, "abc", scope);

	for (int i = 0; i < 64; i++)
		assert_int_equal(zeros[i], 0);
	assert_string_equal(text, "abc");
	assert_int_equal(live, 2);
	kr_free(&callbacks, zeros);
	kr_free(&callbacks, text);
	kr_free(&callbacks, NULL);
	assert_int_equal(live, 0);
	fails = true;
	assert_null(kr_zalloc(&callbacks, 64, scope));
	assert_null(kr_strdup(&callbacks, "abc", scope));
	assert_null(kr_zalloc_array(&callbacks, 2, 8, scope));
}

static void
memory_sizes_that_overflow(void **state)
{
	VkSystemAllocationScope scope = VK_SYSTEM_ALLOCATION_SCOPE_OBJECT;
	void *memory = kr_zalloc_array(NULL, 4, 8, scope);

	assert_non_null(memory);
	kr_free(NULL, memory);
	assert_null(kr_zalloc_array(NULL, SIZE_MAX / 2, 3, scope));
}

struct item {
	struct kr_list link;
	int number;
};

static void
lists(void **state)
{
	struct item items[3] = {{.number = 0}, {.number = 1}, {.number = 2}}, *item, *next;
	struct kr_list head;
	int expected = 0;

	kr_list_init(&head);
	assert_true(kr_list_empty(&head));
	kr_list_append(&head, &items[1].link);
	kr_list_append(&head, &items[2].link);
	kr_list_insert(&head, &items[0].link);
	kr_list_for_each (item, &head, link)
		assert_int_equal(item->number, expected++);
	assert_int_equal(expected, 3);
	kr_list_for_each_safe (item, next, &head, link)
		kr_list_remove(&item->link);
	assert_true(kr_list_empty(&head));
	kr_list_remove(&items[0].link);
}

static void
descriptors(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), copy = -2;

	assert_int_equal(kr_fd_dup(fd, &copy), 0);
	assert_true(copy >= 0 && copy != fd);
	assert_true(fcntl(copy, F_GETFD) & FD_CLOEXEC);
	errno = 5;
	kr_fd_close(&copy);
	kr_fd_close(&copy);
	assert_int_equal(copy, -1);
	assert_int_equal(errno, 5);
	kr_fd_close(&fd);
	copy = -2;
	assert_int_equal(kr_fd_dup(1000000, &copy), -EBADF);
	assert_int_equal(copy, -2);
	assert_int_equal(kr_fd_dup(-1, &copy), 0);
	assert_int_equal(copy, -1);
}

/* A clock read twice once made a time left negative, and ended a display. */
static void
the_lesser_and_the_greater(void **state)
{
	int calls = 0;

	assert_int_equal(KR_MAX(++calls, 0), 1);
	assert_int_equal(KR_MIN(++calls, 7), 2);
	assert_int_equal(calls, 2);
	assert_int_equal(KR_MIN(KR_MAX(-3, 2), 5), 2);
	assert_int_equal(KR_MAX((int64_t)1 << 40, 2), (int64_t)1 << 40);
}

/* Elements come zeroed, and keep what they hold when the array moves. */
static void
arrays_grow(void **state)
{
	struct {
		uint32_t value, other;
	} *items = NULL, *item;
	size_t count = 0, room = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		item = kr_array_add(&items, &count, &room, sizeof(*items));
		assert_non_null(item);
		assert_ptr_equal(item, items + i);
		assert_int_equal(item->value | item->other, 0);
		*item = (__typeof__(*item)){i, ~i};
	}
	assert_int_equal(count, 1000);
	assert_true(room >= count);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(items[i].value, i);
	free(items);
}

static void
text_is_read_until_the_end(void **state)
{
	char text[8];
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "abc", 3), 3);
	assert_int_equal(
		kr_fd_read_text(ends[0], text, sizeof(text), kr_clock_now() + KR_NSEC_PER_MSEC),
		-ETIMEDOUT);
	assert_string_equal(text, "abc");
	assert_int_equal(write(ends[1], "defghijkl", 9), 9);
	assert_int_equal(kr_fd_read_text(ends[0], text, sizeof(text), KR_FOREVER), 0);
	assert_string_equal(text, "defghij"); /* full */
	close(ends[1]);
	assert_int_equal(kr_fd_read_text(ends[0], text, sizeof(text), KR_FOREVER), 0);
	assert_string_equal(text, "kl");
	assert_int_equal(kr_fd_read_text(ends[0], text, sizeof(text), KR_FOREVER), 0);
	assert_string_equal(text, "");
	close(ends[0]);
	assert_int_equal(kr_fd_read_text(1000000, text, sizeof(text), KR_FOREVER), -EBADF);
}

static const struct kr_test tests[] = {
	KR_TEST(text_is_read_until_the_end),
	KR_TEST(arrays_grow),
	KR_TEST(deadlines_saturate),
	KR_TEST(deadlines_for_poll),
	KR_TEST(lists_of_text),
	KR_TEST(text_helpers),
	KR_TEST(memory_by_callbacks),
	KR_TEST(memory_sizes_that_overflow),
	KR_TEST(lists),
	KR_TEST(descriptors),
	KR_TEST(the_lesser_and_the_greater),
};

KR_TEST_MAIN(tests)
