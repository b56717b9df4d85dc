/* SPDX-License-Identifier: Apache-2.0 */
/*
 * H-03: `krafla run --output window:SOCKET`: this program has a reader there, and gets the composed
 * picture of other programs as buffers with fences.
 */
#include "rig.h"

#include <errno.h>
#include <krafla/window.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

/* With a virtual clock, at 60 Hz: when picture n is shown. */
#define PERIOD_NS 16666666
#define MAX_SEEN  64

struct seen {
	uint64_t number; /* of the picture */
	uint8_t *pixels; /* RGB */
};

struct watch {
	struct krafla_reader *reader;
	struct krafla_reader *beside; /* NULL: there is no other */
	char socket[128];
	char output[160]; /* window:SOCKET */
	uint32_t width, height;
	struct seen seen[MAX_SEEN];
	unsigned count;
	unsigned pending; /* images whose fence hadn't signalled when they came */
};

static void
begin(struct watch *watch, const char *name, uint32_t max_images)
{
	struct krafla_reader_config config = {
		.size = sizeof(config), .width = 8, .height = 8, .max_images = max_images};

	memset(watch, 0, sizeof(*watch));
	snprintf(watch->socket, sizeof(watch->socket), "%s", kr_test_path(name));
	snprintf(watch->output, sizeof(watch->output), "window:%s", watch->socket);
	config.socket = watch->socket;
	assert_int_equal(krafla_reader_open(&config, &watch->reader), 0);
}

static void
end(struct watch *watch)
{
	krafla_reader_close(watch->reader);
	for (unsigned i = 0; i < watch->count; i++)
		free(watch->seen[i].pixels);
}

/* One that isn't looked at. */
static void
pass_on(struct krafla_reader *reader)
{
	struct krafla_image image;

	if (krafla_reader_acquire_next(reader, &image))
		return;
	kr_fd_close(&image.acquire_fence);
	assert_int_equal(krafla_reader_release(reader, &image, -1), 0);
}

/* The next image; false: the run has ended. Whoever else reads is served meanwhile. */
static bool
next(struct watch *watch, struct krafla_image *image)
{
	for (;;) {
		struct pollfd fds[2] = {
			{.fd = krafla_reader_get_fd(watch->reader), .events = POLLIN},
			{.fd = -1, .events = POLLIN},
		};
		int err = krafla_reader_acquire_next(watch->reader, image);

		if (err == 0 || err == -EPIPE)
			return err == 0;
		assert_int_equal(err, -EAGAIN);
		if (watch->beside)
			fds[1].fd = krafla_reader_get_fd(watch->beside);
		assert_true(poll(fds, 2, 60000) > 0);
		if (fds[1].revents)
			pass_on(watch->beside);
	}
}

/* Its RGB, once its fence has signalled, which is closed. */
static uint8_t *
copy(struct watch *watch, struct krafla_image *image)
{
	AHardwareBuffer_Desc desc;
	const uint8_t *from;
	uint8_t *pixels, *to;
	void *data;
	bool blue_first;

	watch->pending += kr_fence_status(image->acquire_fence) == KR_FENCE_ACTIVE;
	assert_int_equal(AHardwareBuffer_lock(image->buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
				 image->acquire_fence, NULL, &data),
		0);
	image->acquire_fence = -1;
	AHardwareBuffer_describe(image->buffer, &desc);
	blue_first = desc.format == AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM;
	watch->width = desc.width;
	watch->height = desc.height;
	pixels = to = malloc((size_t)desc.width * desc.height * 3);
	assert_non_null(pixels);
	for (uint32_t y = 0; y < desc.height; y++) {
		from = (const uint8_t *)data + (size_t)y * desc.stride * 4;
		for (uint32_t x = 0; x < desc.width; x++, from += 4) {
			*to++ = from[blue_first ? 2 : 0];
			*to++ = from[1];
			*to++ = from[blue_first ? 0 : 2];
		}
	}
	assert_int_equal(AHardwareBuffer_unlock(image->buffer, NULL), 0);
	return pixels;
}

static void
note(struct watch *watch, struct krafla_image *image)
{
	assert_true(watch->count < MAX_SEEN);
	watch->seen[watch->count++] = (struct seen){
		.number = (uint64_t)image->timestamp_ns / PERIOD_NS + 1,
		.pixels = copy(watch, image),
	};
}

/* Each is the picture that was captured under its number. */
static void
compare(const struct watch *watch)
{
	size_t size = (size_t)watch->width * watch->height * 3;
	uint8_t *captured = malloc(size);

	assert_non_null(captured);
	for (unsigned i = 0; i < watch->count; i++) {
		char name[32];
		unsigned width, height;
		FILE *file;

		snprintf(name, sizeof(name), "%llu.ppm", (unsigned long long)watch->seen[i].number);
		file = fopen(kr_test_path(name), "re");
		assert_non_null(file);
		assert_int_equal(fscanf(file, "P6 %u %u 255", &width, &height), 2);
		assert_int_equal(fgetc(file), '\n');
		assert_int_equal(width, watch->width);
		assert_int_equal(height, watch->height);
		assert_int_equal(fread(captured, 1, size, file), size);
		fclose(file);
		if (memcmp(captured, watch->seen[i].pixels, size))
			fail_msg("picture %s isn't what was read", name);
	}
	free(captured);
}

/* Two programs, the second with a smaller window, in the middle and above. */
static pid_t
run(const struct watch *watch, const char *output, unsigned width, unsigned height, unsigned frames)
{
	char size[32], first[512], second[512];
	const char *const arguments[MAX_ARGUMENTS] = {"krafla", "run", "--clock", "virtual",
		"--display", size, "--output", watch->output, "--capture", kr_test_path("%d.ppm"),
		"--summary", kr_test_path("summary.json"), "--program", first, "--program", second,
		NULL};

	snprintf(size, sizeof(size), "%ux%u", width, height);
	snprintf(first, sizeof(first), "'" PAINTER "' %u %u %u 1", width, height, frames);
	snprintf(
		second, sizeof(second), "'" PAINTER "' %u %u %u 99", width / 3, height / 3, frames);
	return start(arguments, output);
}

/* "shown", "dropped" of the run's one output, and whether it was "lost". */
static json_int_t
output_number(const json_t *summary, const char *key)
{
	const json_t *value =
		json_object_get(json_array_get(json_object_get(summary, "outputs"), 0), key);

	assert_non_null(value);
	return json_is_boolean(value) ? json_is_true(value) : json_integer_value(value);
}

static void
late_present_fences(void)
{
	setenv("KRAFLA_TESTING", "1", 1);
	setenv("KRAFLA_FAULTS", "composer-present:late,delay=3ms,every=2", 1);
}

/* ---- cases ---- */

static void
read_all(struct watch *watch, unsigned width, unsigned height)
{
	const char *output = kr_test_file("output", "");
	struct krafla_image image;
	struct outcome out;
	json_t *summary;
	pid_t pid = run(watch, output, width, height, 20);

	while (next(watch, &image)) {
		note(watch, &image);
		assert_int_equal(krafla_reader_release(watch->reader, &image, -1), 0);
	}
	finish(pid, output, &out);
	assert_int_equal(out.code, 0);
	summary = read_summary(kr_test_path("summary.json"));
	assert_int_equal(output_number(summary, "shown"), watch->count);
	assert_int_equal(output_number(summary, "shown") + output_number(summary, "dropped"),
		number(summary, "frames", "composed"));
	assert_false(output_number(summary, "lost"));
	json_decref(summary);
	compare(watch);
}

/* Two windows, of which both are seen; a program that is fast enough gets each picture. */
static void
a_reader_gets_each_picture_that_is_captured(void **state)
{
	struct watch watch;

	before_exec = late_present_fences;
	begin(&watch, "reader", 60);
	read_all(&watch, 96, 64);
	assert_true(watch.count >= 20);
	assert_true(watch.pending > 0);
	for (unsigned i = 0; i < watch.count; i++)
		assert_int_equal(watch.seen[i].number, i + 1);
	end(&watch);
}

/* Those are drawn in the background: what is read before its fence is another picture. */
static void
large_pictures_are_read_behind_their_fences(void **state)
{
	struct watch watch;

	begin(&watch, "reader", 2);
	read_all(&watch, 1920, 1200);
	assert_true(watch.count > 0);
	end(&watch);
}

/* Buffers that the queue to a reader of two images has: those, and two for the display. */
#define BUFFERS 4

struct kept {
	struct krafla_image image;
	uint8_t *pixels;
	int signal; /* of its release fence */
};

static void
keep(struct watch *watch, struct kept *kept)
{
	int fence;

	assert_true(next(watch, &kept->image));
	kept->pixels = copy(watch, &kept->image);
	AHardwareBuffer_acquire(kept->image.buffer);
	assert_int_equal(kr_fence_create(NULL, &kept->signal, &fence), 0);
	assert_int_equal(krafla_reader_release(watch->reader, &kept->image, fence), 0);
}

static void
expect_unchanged(struct watch *watch, struct kept *kept)
{
	uint8_t *pixels = copy(watch, &kept->image);

	assert_memory_equal(pixels, kept->pixels, (size_t)watch->width * watch->height * 3);
	free(pixels);
}

static void
let_go(struct kept *kept)
{
	if (kept->signal >= 0)
		kr_fence_signal(kept->signal, KR_FENCE_SIGNALLED);
	AHardwareBuffer_release(kept->image.buffer);
	free(kept->pixels);
}

/* So many pictures more are made, as another reader sees. */
static void
let_pass(struct watch *other, unsigned pictures)
{
	struct krafla_image image;

	for (unsigned i = 0; i < pictures; i++) {
		assert_true(next(other, &image));
		kr_fd_close(&image.acquire_fence);
		assert_int_equal(krafla_reader_release(other->reader, &image, -1), 0);
	}
}

/*
 * All buffers are back, and are still read: none is written however many pictures come. The one
 * whose fence signals is the next that has a picture.
 */
static void
release_fences_hold_buffers_back(void **state)
{
	const char *output = kr_test_file("output", "");
	struct watch watch, other;
	struct kept kept[BUFFERS];
	struct krafla_image image;
	struct outcome out;
	pid_t pid;
	int err;

	begin(&watch, "reader", 2);
	begin(&other, "other", 2);
	watch.beside = other.reader;
	pid = start((const char *const[]){"krafla", "run", "--display", "96x64", "--output",
			    watch.output, "--output", other.output, "--", PAINTER, "96", "64",
			    "100000", "1", NULL},
		output);
	for (int i = 0; i < BUFFERS; i++)
		keep(&watch, &kept[i]);
	let_pass(&other, 10);
	assert_int_equal(krafla_reader_acquire_next(watch.reader, &image), -EAGAIN);
	for (int i = 0; i < BUFFERS; i++)
		expect_unchanged(&watch, &kept[i]);
	kr_fence_signal(kept[2].signal, KR_FENCE_SIGNALLED);
	kept[2].signal = -1;
	while ((err = krafla_reader_acquire_next(watch.reader, &image)) == -EAGAIN)
		let_pass(&other, 1);
	assert_int_equal(err, 0);
	assert_ptr_equal(image.buffer, kept[2].image.buffer);
	assert_true(image.timestamp_ns > kept[3].image.timestamp_ns);
	kr_fd_close(&image.acquire_fence);
	kill(pid, SIGTERM);
	finish(pid, output, &out);
	for (int i = 0; i < BUFFERS; i++)
		let_go(&kept[i]);
	end(&watch);
	end(&other);
}

/* It holds what it has, and takes no more: the run goes on, and says what was left out. */
static void
a_reader_that_reads_nothing_misses_pictures(void **state)
{
	const char *output = kr_test_file("output", "");
	struct krafla_image image;
	struct watch watch;
	struct outcome out;
	json_t *summary;
	pid_t pid;

	begin(&watch, "reader", 1);
	pid = run(&watch, output, 96, 64, 40);
	assert_true(next(&watch, &image));
	note(&watch, &image);
	/* It serves nobody until the run has ended. */
	finish(pid, output, &out);
	assert_int_equal(out.code, 0);
	summary = read_summary(kr_test_path("summary.json"));
	assert_true(output_number(summary, "dropped") > 0);
	assert_int_equal(output_number(summary, "shown") + output_number(summary, "dropped"),
		number(summary, "frames", "composed"));
	json_decref(summary);
	assert_int_equal(krafla_reader_release(watch.reader, &image, -1), 0);
	/* What it was given is still there. */
	while (next(&watch, &image)) {
		note(&watch, &image);
		assert_int_equal(krafla_reader_release(watch.reader, &image, -1), 0);
	}
	compare(&watch);
	end(&watch);
}

static void
a_reader_that_goes_is_told_of_and_the_run_goes_on(void **state)
{
	const char *output = kr_test_file("output", "");
	struct krafla_image image;
	struct watch watch;
	struct outcome out;
	json_t *summary;
	const char *told;
	pid_t pid;

	begin(&watch, "reader", 1);
	pid = run(&watch, output, 96, 64, 200);
	assert_true(next(&watch, &image));
	kr_fd_close(&image.acquire_fence);
	krafla_reader_close(watch.reader);
	watch.reader = NULL;
	finish(pid, output, &out);
	assert_int_equal(out.code, 0);
	told = strstr(out.text, "takes no more pictures");
	assert_non_null(told);
	assert_null(strstr(told + 1, "takes no more pictures"));
	summary = read_summary(kr_test_path("summary.json"));
	assert_true(output_number(summary, "lost"));
	assert_true(number(summary, "frames", "composed") >= 200);
	json_decref(summary);
	end(&watch);
}

static void
without_a_reader_nothing_is_started(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--output", "window", "--", "touch", kr_test_path("started"));
	assert_int_equal(out.code, 2);
	assert_said(&out, "window:SOCKET");
	krafla(&out, "run", "--output", "window:", "--", "touch", kr_test_path("started"));
	assert_int_equal(out.code, 2);
	krafla(&out, "run", "--output", "window:/nowhere/reader", "--", "touch",
		kr_test_path("started"));
	assert_int_equal(out.code, 125);
	assert_said(&out, "window:/nowhere/reader: No such file or directory");
	assert_said(&out, "start the program that reads the pictures first");
	assert_int_equal(access(kr_test_path("started"), F_OK), -1);
}

/* Its second producer is one too many, and that is what is said. */
static void
a_reader_that_takes_no_more_is_told_of(void **state)
{
	const char *output = kr_test_file("output", "");
	struct krafla_image image;
	struct watch watch;
	struct outcome out;
	pid_t pid;

	begin(&watch, "reader", 1);
	pid = start((const char *const[]){"krafla", "run", "--output", watch.output, "--output",
			    watch.output, "--", "touch", kr_test_path("started"), NULL},
		output);
	/* The run has ended. */
	assert_false(next(&watch, &image));
	finish(pid, output, &out);
	assert_int_equal(out.code, 125);
	assert_said(&out, "Device or resource busy; that reader has all the producers");
	assert_int_equal(access(kr_test_path("started"), F_OK), -1);
	end(&watch);
}

#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_SLOW(a_reader_gets_each_picture_that_is_captured, KEEPS, 60),
	KR_TEST_SLOW(large_pictures_are_read_behind_their_fences, KEEPS, 120),
	KR_TEST_SLOW(release_fences_hold_buffers_back, KEEPS, 60),
	KR_TEST_SLOW(a_reader_that_reads_nothing_misses_pictures, KEEPS, 60),
	KR_TEST_SLOW(a_reader_that_goes_is_told_of_and_the_run_goes_on, KEEPS, 60),
	KR_TEST_FLAGS(without_a_reader_nothing_is_started, KEEPS),
	KR_TEST_FLAGS(a_reader_that_takes_no_more_is_told_of, KEEPS),
};

KR_TEST_MAIN(tests)
