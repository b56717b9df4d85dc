/* SPDX-License-Identifier: Apache-2.0 */
/* What cases are written with: verdicts, chance, calls, descriptors, on the null driver. */
#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pthread.h>

#include "check/rig/driver.h"

static struct check_shared *shared;

/* As the runner does it. The verdict. */
static enum check_verdict
run_case(const struct check_case *row, uint64_t seed)
{
	static const struct check_driver driver = {.name = "null", .module = NULL_MODULE};
	static const struct check_facts facts;
	const struct check_job job = {
		.row = row, .driver = &driver, .facts = &facts, .seed = seed, .trace_fd = 2};
	struct check_job with;
	int status;
	pid_t pid;

	if (!shared)
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(shared != MAP_FAILED);
	memset((void *)shared, 0, sizeof(*shared));
	with = job;
	with.shared = shared;
	pid = fork();
	if (!pid)
		check_run(&with);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	return (enum check_verdict)atomic_load(&shared->verdict);
}

#define ROW(fn)                                                                                    \
	{                                                                                          \
		.name = #fn, .requirement = "D-02", .expected = "", .consequence = "", .run = fn   \
	}

static void
hold(struct check *c)
{
	check_say(c, "%d of %s", 3, "them");
}

static void
give_up(struct check *c)
{
	check_skip(c, "no %s", "luck");
}

static void
not_there(struct check *c)
{
	check_not_applicable(c, "none");
}

static void
verdicts(void **state)
{
	static const struct check_case held = ROW(hold), skipped = ROW(give_up),
				       absent = ROW(not_there);

	assert_int_equal(run_case(&held, 0), CHECK_HELD);
	assert_int_equal(atomic_load(&shared->remark_count), 1);
	assert_string_equal(shared->remarks[0], "3 of them");
	assert_int_equal(run_case(&skipped, 0), CHECK_SKIPPED);
	assert_string_equal(shared->seen, "no luck");
	assert_int_equal(run_case(&absent, 0), CHECK_NOT_APPLICABLE);
}

static void
draw_lots(struct check *c)
{
	check_fail(c, "%016llx %016llx", (unsigned long long)check_random(c),
		(unsigned long long)check_random(c));
}

/* The same seed and case: the same chance; another of either: another. */
static void
chance_comes_from_the_seed(void **state)
{
	static const struct check_case row = ROW(draw_lots);
	struct check_case other = row;
	char first[CHECK_TEXT];

	assert_int_equal(run_case(&row, 4711), CHECK_FAILED);
	strcpy(first, shared->seen);
	assert_true(memcmp(first, first + 17, 16) != 0);
	run_case(&row, 4711);
	assert_string_equal(shared->seen, first);
	run_case(&row, 4712);
	assert_string_not_equal(shared->seen, first);
	other.name = "another";
	run_case(&other, 4711);
	assert_string_not_equal(shared->seen, first);
}

static void *
fail_too(void *data)
{
	check_fail(data, "one of many");
}

static void
fail_in_threads(struct check *c)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, fail_too, c);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

static void
any_thread_may_end_it(void **state)
{
	static const struct check_case row = ROW(fail_in_threads);

	for (int i = 0; i < 20; i++) {
		assert_int_equal(run_case(&row, 0), CHECK_FAILED);
		assert_string_equal(shared->seen, "one of many");
	}
}

static void
call_what_is_not_there(struct check *c)
{
	struct check_device device;

	check_make_device(c, NULL, &device);
	for (int i = 0; i < 40; i++)
		CHECK_CALL(c, vkDeviceWaitIdle, device.device);
	CHECK_CALL(c, vkGetFenceFdKHR, device.device, NULL, NULL);
}

static void
a_missing_function_fails(void **state)
{
	static const struct check_case row = ROW(call_what_is_not_there);

	assert_int_equal(run_case(&row, 0), CHECK_FAILED);
	assert_string_equal(shared->seen, "the driver has no vkGetFenceFdKHR");
	assert_true(atomic_load(&shared->call_count) > CHECK_CALLS);
}

/* A number that is given to another file in between is no longer that descriptor. */
static void
mark_descriptors(struct check *c)
{
	unsigned before = check_descriptors(c);
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), other;
	struct check_mark mark = check_mark_fd(c, fd);

	CHECK(c, check_descriptors(c) == before + 2, "the mark is no descriptor");
	CHECK(c, check_mark_is_open(c, &mark) && check_fd_is_open(c, fd), "it isn't open");
	close(fd);
	CHECK(c, !check_mark_is_open(c, &mark) && !check_fd_is_open(c, fd), "it is open");
	other = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK(c, other == fd && check_fd_is_open(c, fd), "another has another number");
	CHECK(c, !check_mark_is_open(c, &mark), "another file is taken for it");
	close(other);
	check_unmark(c, &mark);
	CHECK(c, check_descriptors(c) == before, "something is left");
}

static void
descriptors_are_told_apart(void **state)
{
	static const struct check_case row = ROW(mark_descriptors);

	assert_int_equal(run_case(&row, 0), CHECK_HELD);
}

static void
use_fences(struct check *c)
{
	struct check_timeline *timeline;
	unsigned before = check_descriptors(c);
	int fd = check_fence(c, &timeline);

	CHECK(c, check_fence_status(c, fd) == 0, "it isn't active");
	CHECK(c, !check_wait_fence(c, fd, 10), "it signalled by itself");
	check_signal(c, timeline, 1);
	CHECK(c, check_fence_status(c, fd) == 1 && check_wait_fence(c, fd, 0), "no signal");
	close(fd);
	fd = check_fence(c, &timeline);
	check_signal(c, timeline, -5);
	CHECK(c, check_fence_status(c, fd) == -5 && !check_wait_fence(c, fd, 0), "no error");
	close(fd);
	fd = check_fence(c, &timeline);
	check_abandon(c, timeline);
	CHECK(c, check_fence_status(c, fd) < 0, "no error of who died");
	close(fd);
	fd = check_fence(c, &timeline);
	check_signal_later(c, timeline, 1, 20);
	CHECK(c, check_wait_fence(c, fd, 5000), "no signal of another thread");
	close(fd);
	CHECK(c, check_wait_fence(c, -1, 0) && check_fence_status(c, -1) == 1, "-1 is active");
	usleep(50000);
	CHECK(c, check_descriptors(c) == before, "fences leave descriptors");
}

static void
fences_are_as_a_consumers(void **state)
{
	static const struct check_case row = ROW(use_fences);

	if (run_case(&row, 0) != CHECK_HELD)
		fail_msg("%s", shared->seen);
}

static void
draw_often(struct check *c)
{
	static const float colours[2][4] = {{1, 0, 0, 1}, {0, 0.5f, 1, 1}};
	static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM};
	struct check_device device;

	check_make_device(c, NULL, &device);
	for (int i = 0; i < 20; i++) {
		const struct check_image_request request = {
			.format = formats[i % 2], .width = 17, .height = 5, .deferred = i % 4 > 1};
		struct check_image image;
		int fence = -2;

		check_make_image(c, &device, &request, &image);
		CHECK_SUCCESS(c, vkAcquireImageANDROID, device.device, image.image, -1, NULL, NULL);
		check_clear(c, &device, &image, 0, colours[i % 2], NULL, NULL);
		CHECK_SUCCESS(c, vkQueueSignalReleaseImageANDROID, device.queues[0], 0, NULL,
			image.image, &fence);
		CHECK(c, check_wait_fence(c, fence, 5000), "no release");
		close(fence);
		check_pixels(c, &image, colours[i % 2]);
		check_destroy_image(c, &device, &image);
	}
	check_destroy_device(c, &device);
}

static void
images_are_drawn_again_and_again(void **state)
{
	static const struct check_case row = ROW(draw_often);

	if (run_case(&row, 0) != CHECK_HELD)
		fail_msg("%s", shared->seen);
}

static const struct kr_test tests[] = {
	KR_TEST(verdicts),
	KR_TEST(chance_comes_from_the_seed),
	KR_TEST(any_thread_may_end_it),
	KR_TEST(a_missing_function_fails),
	KR_TEST(descriptors_are_told_apart),
	KR_TEST(fences_are_as_a_consumers),
	KR_TEST(images_are_drawn_again_and_again),
};

KR_TEST_MAIN(tests)
