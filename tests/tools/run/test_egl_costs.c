/* SPDX-License-Identifier: Apache-2.0 */
/* What processes say that EGL costs them, in memory that anybody may have made. */
#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/run/egl_costs.h"

#define NUMBERS 6

static int
memory(const void *data, size_t size)
{
	int fd = memfd_create("costs", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), (ssize_t)size);
	return fd;
}

static uint64_t
frames_of(const struct kr_run_costs *costs)
{
	json_t *json = kr_run_costs_json(costs);
	uint64_t frames = UINT64_MAX;

	if (json_is_object(json))
		frames = (uint64_t)json_integer_value(json_object_get(json, "frames"));
	json_decref(json);
	return frames;
}

static void
test_they_are_read_when_asked_for(void **state)
{
	uint64_t numbers[NUMBERS] = {3, 2, 1000000, 0, 0, 0};
	struct kr_run_costs costs = {0};
	char text[200] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	int fd = memory(numbers, sizeof(numbers)), kept = dup(fd);

	assert_int_equal(frames_of(&costs), UINT64_MAX);
	kr_run_costs_take(&costs, fd);
	assert_int_equal(frames_of(&costs), 3);
	numbers[0] = 4;
	assert_int_equal(pwrite(kept, numbers, sizeof(numbers), 0), sizeof(numbers));
	assert_int_equal(frames_of(&costs), 4);
	/* A child of it may send the same. */
	kr_run_costs_take(&costs, kept);
	kr_run_costs_take(&costs, memory(numbers, sizeof(numbers)));
	assert_int_equal(frames_of(&costs), 8);
	kr_run_costs_print(&costs, out);
	fclose(out);
	assert_string_equal(text, "  egl        8 frames, 4 copied (2.0 MB)\n");
	kr_run_costs_finish(&costs);
	assert_int_equal(frames_of(&costs), UINT64_MAX);
}

/* Each of these is let go: none may stop who reads. */
static void
test_what_is_no_memory(void **state)
{
	struct kr_run_costs costs = {0};
	int pipes[2];

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	kr_run_costs_take(&costs, pipes[0]);
	close(pipes[1]);
	assert_int_equal(mkfifo(kr_test_path("fifo"), 0600), 0);
	kr_run_costs_take(&costs, open(kr_test_path("fifo"), O_RDWR | O_CLOEXEC));
	kr_run_costs_take(&costs, open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	kr_run_costs_take(&costs, open("/dev/zero", O_RDONLY | O_CLOEXEC));
	kr_run_costs_take(&costs, open("/proc/self/status", O_RDONLY | O_CLOEXEC));
	kr_run_costs_take(&costs, -1);
	assert_int_equal(costs.count, 0);
}

static void
test_memory_without_numbers(void **state)
{
	static const uint64_t good[NUMBERS] = {1};
	static const uint64_t large[NUMBERS] = {1, 0, 0, 0, 0, (UINT64_C(1) << 53) + 1};
	struct kr_run_costs costs = {0};
	int shrunk = memory(good, sizeof(good)), kept = dup(shrunk);

	kr_run_costs_take(&costs, memory(large, sizeof(large)));
	kr_run_costs_take(&costs, memory(good, sizeof(good) - 1));
	kr_run_costs_take(&costs, shrunk);
	kr_run_costs_take(&costs, memory(good, sizeof(good)));
	assert_int_equal(frames_of(&costs), 2);
	assert_int_equal(ftruncate(kept, 0), 0);
	assert_int_equal(frames_of(&costs), 1);
	close(kept);
	kr_run_costs_finish(&costs);
}

static void
test_there_is_a_bound(void **state)
{
	static const uint64_t one[NUMBERS] = {1};
	struct kr_run_costs costs = {0};

	for (int i = 0; i < KR_RUN_COSTS_PROCESSES + 10; i++)
		kr_run_costs_take(&costs, memory(one, sizeof(one)));
	assert_int_equal(frames_of(&costs), KR_RUN_COSTS_PROCESSES);
	kr_run_costs_finish(&costs);
}

static const struct kr_test tests[] = {
	KR_TEST(test_they_are_read_when_asked_for),
	KR_TEST(test_what_is_no_memory),
	KR_TEST(test_memory_without_numbers),
	KR_TEST(test_there_is_a_bound),
};
KR_TEST_MAIN(tests)
