/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of unmodified programs that stay on the GPU and are composed there (W-11): by Vulkan on
 * lavapipe, which krafla run takes only where that is demanded. The pictures are those of the CPU,
 * and who dies takes nothing of the others' with him: programs, and the process that draws.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"

#define LIMIT_S  200
#define PICTURES 6
#define MANY     16
#define ROUNDS   100
#define MAX_FDS  1024
#define RING     4 /* KR_PAINTER_RING */
#define CUBE     prefix_path("bin/krafla-cube")

static const char *
cube(unsigned width, unsigned height)
{
	static char texts[8][1024];
	static unsigned next;
	char *text = texts[next++ % 8];

	snprintf(text, sizeof(texts[0]), "%s --size %ux%u", CUBE, width, height);
	return text;
}

/* Two windows: `how` says where they lie. */
static void
capture_two(const char *name, const char *compose, const char *const how[4])
{
	char file[64];
	struct spawn child;

	snprintf(file, sizeof(file), "%s.json", name);
	spawn_run(&child, LIMIT_S,
		KRAFLA_RUN("--compose", compose, "--clock", "virtual", "--idle", "60000",
			"--display", "320x200", "--frames", "6", "--capture", capture_pattern(name),
			"--summary", kr_test_path(file), "--program", cube(160, 120), how[0],
			how[1], "--program", cube(100, 90), how[2], how[3]),
		ENV(lavapipe_env()));
	expect_code(&child, 0);
	spawn_finish(&child);
}

static void
expect_difference(const char *a, const char *b, uint32_t most)
{
	for (unsigned i = 1; i <= PICTURES; i++) {
		struct image one, other;

		capture_load(&one, a, i);
		capture_load(&other, b, i);
		assert_true(image_drawn_pixels(&one) > 0);
		assert_in_range(image_difference(&one, &other), 0, most);
		image_free(&one);
		image_free(&other);
	}
}

static json_int_t
gpu_number(const char *name, const char *key)
{
	json_t *summary = capture_summary(name);
	json_t *gpu = json_object_get(json_object_get(summary, "pictures"), "gpu");
	json_int_t number = json_integer_value(json_object_get(gpu, key));

	assert_non_null(gpu);
	json_decref(summary);
	return number;
}

/* Pixel for pixel they are the very same, from memory of the GPU; and another time, too. */
static void
windows_are_what_the_cpu_makes_of_them(void **state)
{
	static const char *const how[] = {"--place", "160x120+10+20", "--place", "100x90+190+50"};

	skip_without_lavapipe();
	capture_two("cpu", "cpu", how);
	capture_two("gpu", "gpu", how);
	capture_two("again", "gpu", how);
	expect_difference("cpu", "gpu", 0);
	expect_difference("gpu", "again", 0);
	assert_int_equal(gpu_number("cpu", "drawn"), 0);
	assert_int_equal(gpu_number("gpu", "drawn"), PICTURES);
	assert_int_equal(gpu_number("gpu", "frames"), 2 * PICTURES);
}

static void
scaled_and_blended_ones_are_within_1(void **state)
{
	static const char *const how[] = {"--place", "300x150+3+5", "--alpha", "0.6"};

	skip_without_lavapipe();
	capture_two("cpu", "cpu", how);
	capture_two("gpu", "gpu", how);
	expect_difference("cpu", "gpu", 1);
	assert_int_equal(gpu_number("gpu", "drawn"), PICTURES);
}

/* --- processes --- */

static int
parent_of(int pid, char name[32])
{
	char path[64], line[512] = "";
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file) ||
		sscanf(line, "%*d (%31[^)]) %*c %d", name, &parent) != 2)
		parent = 0;
	fclose(file);
	return parent;
}

/* The process that draws for krafla; 0: there is none. */
static int
painter_of(int krafla)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	int found = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) && !found) {
		int pid = atoi(entry->d_name);
		char name[32];

		if (pid > 0 && parent_of(pid, name) == krafla && !strcmp(name, "krafla-painter"))
			found = pid;
	}
	closedir(dir);
	return found;
}

static int
wait_for_painter(int krafla, int other_than)
{
	for (int i = 0; i < 2000; i++) {
		int pid = painter_of(krafla);

		if (pid && pid != other_than)
			return pid;
		usleep(5000);
	}
	fail_msg("there is no painter");
	return 0;
}

/*
 * What a process has open. Memory of pictures is counted on its own: a painter has up to RING such
 * buffers, and makes one when a picture first finds the others in use, which may be late.
 */
struct fds {
	unsigned pictures;
	unsigned others;
	unsigned count;
	char names[MAX_FDS][64];
};

static void
read_fds(int pid, struct fds *fds)
{
	const struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	assert_non_null(dir);
	*fds = (struct fds){0};
	while ((entry = readdir(dir))) {
		char *name = fds->names[fds->count];
		ssize_t length =
			readlinkat(dirfd(dir), entry->d_name, name, sizeof(*fds->names) - 1);

		if (length < 0)
			continue;
		name[length] = '\0';
		if (strstr(name, "memfd:krafla-buffer"))
			fds->pictures++;
		else
			fds->others++;
		assert_true(++fds->count < MAX_FDS);
	}
	closedir(dir);
}

/* Fences come and go: of several looks the one that saw least, or most. */
static void
look_at_fds(int pid, bool most, struct fds *seen)
{
	read_fds(pid, seen);
	for (int i = 0; i < 40; i++) {
		struct fds now;

		read_fds(pid, &now);
		if (most ? now.count > seen->count : now.count < seen->count)
			*seen = now;
		usleep(10000);
	}
}

static bool
has_no_more(const struct fds *now, const struct fds *before)
{
	return now->others <= before->others && now->pictures < before->pictures + RING;
}

static void
print_fds(const char *who, const struct fds *fds)
{
	print_message("%s has %u descriptors:\n", who, fds->count);
	for (unsigned i = 0; i < fds->count; i++)
		print_message("  %s\n", fds->names[i]);
}

static void
expect_no_more(const char *who, const struct fds *now, const struct fds *before)
{
	if (!has_no_more(now, before)) {
		print_fds(who, before);
		print_fds("later it", now);
	}
	assert_in_range(now->others, 0, before->others);
	assert_in_range(now->pictures, 0, before->pictures + RING - 1);
}

/* What it has of memory that others may have, too: buffers are of that kind. KiB. */
static unsigned
shared_memory(int pid)
{
	char path[64], line[256];
	unsigned kib = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		sscanf(line, "RssShmem: %u", &kib);
	fclose(file);
	return kib;
}

/* A shell that has searched for krafla tells it no path. */
static void
painter_is_found_when_krafla_was_searched_for(void **state)
{
	struct spawn child;
	char path[1024];

	skip_without_lavapipe();
	snprintf(path, sizeof(path), "PATH=%s:/usr/bin:/bin", prefix_path("bin"));
	spawn_run(&child, LIMIT_S,
		ARGV("/usr/bin/env", path, "krafla", "run", "--compose", "gpu", "--frames", "1",
			"--display", "64x64", "krafla-cube"),
		ENV(lavapipe_env()));
	expect_code(&child, 0);
	spawn_finish(&child);
}

/* --- who dies --- */

static void
start_two(struct spawn *child, const char *frames)
{
	spawn_start(child,
		KRAFLA_RUN("--compose", "gpu", "--display", "320x200", "--layout", "grid",
			"--frames", frames, "--capture", kr_test_path("all.raw"), "--summary",
			kr_test_path("two.json"), "--socket", kr_test_path("here"), "--program",
			cube(160, 120), "--program", cube(100, 90)),
		ENV(lavapipe_env()));
}

/* Another one takes its place. */
static void
a_painter_that_is_killed_is_replaced(void **state)
{
	struct spawn child;
	int painter;

	skip_without_lavapipe();
	start_two(&child, "200");
	painter = wait_for_painter(child.pid, 0);
	usleep(300000);
	kill(painter, SIGKILL);
	wait_for_painter(child.pid, painter);
	spawn_wait(&child, LIMIT_S);
	expect_code(&child, 0);
	expect_text(&child, "another one is started");
	spawn_finish(&child);
	assert_true(gpu_number("two", "drawn") > 0);
	assert_int_equal(gpu_number("two", "cut_off"), 0);
}

/* Three times; then the CPU draws, and krafla says by its exit code that not all is as demanded. */
static void
the_cpu_draws_when_painters_go_on_dying(void **state)
{
	struct spawn child;
	json_t *summary;
	int painter = 0;

	skip_without_lavapipe();
	start_two(&child, "200");
	for (int i = 0; i < 4; i++) {
		painter = wait_for_painter(child.pid, painter);
		usleep(i ? 0 : 300000);
		kill(painter, SIGKILL);
	}
	spawn_wait(&child, LIMIT_S);
	expect_code(&child, 5);
	expect_text(&child, "the CPU makes them from now on");
	expect_text(&child, "the GPU was lost");
	spawn_finish(&child);
	summary = capture_summary("two");
	assert_int_equal(summary_number(summary, "frames", "captured"), 200);
	json_decref(summary);
}

/* Sixteen windows at once, each of whose frames is in a picture. */
static void
sixteen_windows_are_composed(void **state)
{
	const char *words[32 + 2 * MANY] = {prefix_path("bin/krafla"), "run", "--compose", "gpu",
		"--clock", "virtual", "--idle", "60000", "--layout", "grid", "--display", "256x256",
		"--summary", kr_test_path("many.json"), "--capture", kr_test_path("many.raw"),
		"--frames", "5"};
	struct spawn child;
	size_t count = 18;

	skip_without_lavapipe();
	for (unsigned i = 0; i < MANY; i++) {
		words[count++] = "--program";
		words[count++] = cube(64, 64);
	}
	spawn_start(&child, words, ENV(lavapipe_env()));
	spawn_wait(&child, LIMIT_S);
	expect_code(&child, 0);
	spawn_finish(&child);
	assert_int_equal(gpu_number("many", "drawn"), 5);
	assert_int_equal(gpu_number("many", "frames"), 5 * MANY);
	assert_false(gpu_number("many", "lost"));
}

/* Programs that are killed at any moment leave nothing, here or with the painter. */
static void
nothing_stays_of_programs_that_are_killed(void **state)
{
	struct fds fds = {0}, painters_fds = {0}, now, painters_now;
	unsigned memory = 0;
	struct spawn host;
	int painter;

	skip_without_lavapipe();
	spawn_start(&host,
		KRAFLA_RUN("--compose", "gpu", "--display", "200x100", "--layout", "grid",
			"--capture", kr_test_path("all.raw"), "--summary",
			kr_test_path("killed.json"), "--socket", kr_test_path("here"), "--program",
			cube(64, 64), "--program", cube(64, 64)),
		ENV(lavapipe_env()));
	painter = wait_for_painter(host.pid, 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct spawn child;

		spawn_start(&child, ARGV(CUBE, "--size", "64x64"),
			ENV(lavapipe_env(), library_env(),
				env_text("KRAFLA_DISPLAY", kr_test_path("here"))));
		usleep(30000 + i % 20 * 6000);
		kill(child.pid, SIGKILL);
		spawn_wait(&child, LIMIT_S);
		spawn_finish(&child);
		if (i != ROUNDS / 10)
			continue;
		usleep(500000);
		look_at_fds(host.pid, true, &fds);
		look_at_fds(painter, true, &painters_fds);
		memory = shared_memory(painter);
	}
	/* What the last one had goes with a picture that comes after it. */
	for (int i = 0; i < 20; i++) {
		look_at_fds(host.pid, false, &now);
		look_at_fds(painter, false, &painters_now);
		if (has_no_more(&now, &fds) && has_no_more(&painters_now, &painters_fds) &&
			shared_memory(painter) <= memory + 1024)
			break;
		usleep(200000);
	}
	assert_int_equal(painter_of(host.pid), painter);
	expect_no_more("krafla", &now, &fds);
	expect_no_more("the painter", &painters_now, &painters_fds);
	assert_in_range(shared_memory(painter), 0, memory + 1024);
	kill(host.pid, SIGTERM);
	spawn_wait(&host, LIMIT_S);
	spawn_finish(&host);
	assert_true(gpu_number("killed", "drawn") > ROUNDS / 2);
	assert_true(gpu_number("killed", "frames_alone") > 0);
	assert_int_equal(gpu_number("killed", "cut_off"), 0);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(windows_are_what_the_cpu_makes_of_them, 0, 60),
	KR_TEST_SLOW(scaled_and_blended_ones_are_within_1, 0, 60),
	KR_TEST_SLOW(painter_is_found_when_krafla_was_searched_for, 0, 60),
	KR_TEST_SLOW(a_painter_that_is_killed_is_replaced, 0, 60),
	KR_TEST_SLOW(the_cpu_draws_when_painters_go_on_dying, 0, 60),
	KR_TEST_SLOW(sixteen_windows_are_composed, 0, 60),
	KR_TEST_SLOW(nothing_stays_of_programs_that_are_killed, 0, 150),
};

KR_TEST_MAIN(tests)
