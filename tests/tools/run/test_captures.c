/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `krafla run` captures: formats, streams, which pictures, several targets, and what is left
 * when a target fails. The program is tests/composer/producer.c, whose pixel x, y of frame n is red
 * x, green y, blue n, counted from 0.
 */
#include "rig.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <png.h>

#include "half.h"

#define WIDTH      64
#define HEIGHT     48
#define PIXELS     (WIDTH * HEIGHT)
#define SIZE       "64x48"
#define RAW_BYTES  ((size_t)PIXELS * 4)
#define VIRTUAL    "run", "--display", SIZE, "--clock", "virtual"
#define PRODUCE(n) "--", PRODUCER, "-", n

/* A file's content in static memory, and its size. */
static const uint8_t *
read_file(const char *name, size_t *size)
{
	static uint8_t content[1 << 23];
	FILE *file = fopen(kr_test_path(name), "re");

	if (!file)
		fail_msg("%s isn't there", name);
	*size = fread(content, 1, sizeof(content), file);
	assert_true(*size < sizeof(content));
	fclose(file);
	return content;
}

static void
expect_raw(const uint8_t *pixels, unsigned frame)
{
	for (unsigned i = 0; i < PIXELS; i++, pixels += 4) {
		const uint8_t wanted[] = {
			(uint8_t)(i % WIDTH), (uint8_t)(i / WIDTH), (uint8_t)frame, 255};

		assert_memory_equal(pixels, wanted, 4);
	}
}

/* A .raw of so many pictures: frames `first`, first + step... */
static void
expect_raw_file(const char *name, unsigned first, unsigned step, unsigned count)
{
	size_t size;
	const uint8_t *content = read_file(name, &size);

	assert_int_equal(size, count * RAW_BYTES);
	for (unsigned i = 0; i < count; i++)
		expect_raw(content + i * RAW_BYTES, first + i * step);
}

static void
expect_same(const char *a, const char *b)
{
	char command[600];

	snprintf(command, sizeof(command), "cmp '%s/%s' '%s/%s' >&2", kr_test_dir(), a,
		kr_test_dir(), b);
	if (system(command))
		fail_msg("%s and %s differ", a, b);
}

/* Runs a line of the shell in which $K is krafla, $P the producer, in the case's directory. */
static int
shell(const char *line, char *text, size_t size)
{
	char command[2048];

	snprintf(command, sizeof(command),
		"cd '%s'; export XDG_RUNTIME_DIR=. K='" KRAFLA "' P='" PRODUCER
		"'; V=\"$K run --display " SIZE " --clock virtual\"; %s",
		kr_test_dir(), line);
	return kr_test_shell(command, text, size);
}

static void
expect_shell(const char *line, const char *said)
{
	char text[8192];
	int code = shell(line, text, sizeof(text));

	if (code || (said && !strstr(text, said)))
		fail_msg("%s: code %d, said:\n%s", line, code, text);
}

/* --- the command line --- */

static void
wrong_captures_are_named(void **state)
{
	static const struct {
		const char *arguments[8];
		const char *said;
	} rows[] = {
		{{"--capture", "%d"}, "must end in .png, .ppm, .exr, .pfm, .raw or .y4m"},
		{{"--capture", "a%d.gif"}, "must end in .png"},
		{{"--capture", "%d.png", "--capture-format", "jpeg"},
			"is png, ppm, exr, pfm, raw or y4m, not 'jpeg'"},
		{{"--capture", "%d.png", "--capture-format", "png"}, "says its format by its name"},
		{{"--capture", "plain", "--capture-format", "raw"}, "must end in .png"},
		{{"--capture", "one.png"}, "one file for all frames"},
		{{"--capture", "one.ppm", "--frames", "2"}, "one file for all frames"},
		{{"--capture", "-"}, "add --capture-format"},
		{{"--capture", "-", "--capture", "-", "--capture-format", "raw"},
			"only one --capture can be standard output"},
		{{"--capture", "-", "--capture", "/dev/stdout", "--capture-format", "raw"},
			"only one --capture"},
		{{"--capture", "-", "--summary", "-", "--capture-format", "raw"},
			"can't both be standard output"},
		{{"--capture", "%d.png", "--capture", "%d.png"}, "is there twice"},
		{{"--capture", "%d.png", "--capture", "./%d.png"}, "is there twice"},
		{{"--capture", "a/./%d.png", "--capture", ".//a//%d.png"}, "is there twice"},
		{{"--capture", "%d.png", "--compress", "10"}, "a level from 0 to 9"},
		{{"--capture", "%d.png", "--compress", "-1"}, "a level from 0 to 9"},
		{{"--capture", "%d.png", "--compress", ""}, "a level from 0 to 9"},
		{{"--capture", "%d.raw", "--compress", "3"}, "--compress is for PNG"},
		{{"--capture", "%d.png", "--capture-every", "0"}, "--capture-every wants a number"},
		{{"--capture", "%d.png", "--capture-every", "99999999999999999999"},
			"--capture-every wants a number"},
		{{"--capture", "%d.png", "--capture-from", "0"}, "--capture-from wants a number"},
		{{"--capture", "%d.png", "--capture-from", "9", "--frames", "8"},
			"comes after the last of --frames 8"},
		{{"--display-colour", "scrgb", "--capture", "%d.png"},
			"on a display of --display-colour scrgb a .png can't hold light"},
		{{"--display-colour", "bt2020-pq", "--capture", "%d.pfm"},
			"can't say its colour space"},
		{{"--display-colour", "scrgb", "--capture", "-", "--capture-format", "y4m"},
			"a .y4m can't hold light"},
		{{"--capture-from", "2"}, "--capture-from means nothing without --capture"},
		{{"--capture-every", "2"}, "--capture-every means nothing"},
		{{"--capture-format", "raw"}, "--capture-format means nothing"},
		{{"--compress", "2"}, "--compress means nothing"},
	};
	struct outcome out;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *words[12] = {"krafla", "run"};
		const char *output = kr_test_file("output", "");
		unsigned count = 2;

		for (const char *const *word = rows[i].arguments; *word; word++)
			words[count++] = *word;
		words[count++] = "true";
		finish(start(words, output), output, &out);
		assert_said(&out, rows[i].said);
		assert_int_equal(out.code, 2);
	}
	krafla(&out, "run", "--capture", "1.raw", "--capture", "2.raw", "--capture", "3.raw",
		"--capture", "4.raw", "--capture", "5.raw", "--capture", "6.raw", "--capture",
		"7.raw", "--capture", "8.raw", "--capture", "9.raw", "true");
	assert_int_equal(out.code, 2);
	assert_said(&out, "8 times at most");
}

/* --- formats --- */

static void
expect_png(const char *name, unsigned frame)
{
	png_image image = {.version = PNG_IMAGE_VERSION};
	static uint8_t pixels[RAW_BYTES];

	if (!png_image_begin_read_from_file(&image, kr_test_path(name)))
		fail_msg("%s: %s", name, image.message);
	assert_int_equal(image.width, WIDTH);
	assert_int_equal(image.height, HEIGHT);
	image.format = PNG_FORMAT_RGBA;
	assert_int_equal(png_image_finish_read(&image, NULL, pixels, 0, NULL), 1);
	expect_raw(pixels, frame);
}

static void
expect_ppm(const char *name, unsigned frame)
{
	static const char head[] = "P6\n64 48\n255\n";
	size_t size, len = strlen(head);
	const uint8_t *content = read_file(name, &size);

	assert_int_equal(size, len + PIXELS * 3);
	assert_memory_equal(content, head, len);
	for (unsigned i = 0; i < PIXELS; i++) {
		const uint8_t wanted[] = {
			(uint8_t)(i % WIDTH), (uint8_t)(i / WIDTH), (uint8_t)frame};

		assert_memory_equal(content + len + (size_t)i * 3, wanted, 3);
	}
}

static void
expect_sample(uint8_t found, double wanted)
{
	if (found < wanted - 0.501 || found > wanted + 0.501)
		fail_msg("%u where %.3f is right", found, wanted);
}

/* BT.709, in the limited range. */
static void
expect_frame(const uint8_t *content, unsigned frame)
{
	assert_memory_equal(content, "FRAME\n", 6);
	content += 6;
	for (unsigned i = 0; i < PIXELS; i++) {
		double r = i % WIDTH / 255.0, g = i / WIDTH / 255.0, b = frame / 255.0;
		double y = 0.2126 * r + 0.7152 * g + 0.0722 * b;

		expect_sample(content[i], 16 + 219 * y);
		expect_sample(content[PIXELS + i], 128 + 224 * (b - y) / 1.8556);
		expect_sample(content[2 * PIXELS + i], 128 + 224 * (r - y) / 1.5748);
	}
}

static void
expect_y4m(const char *name, const char *rate, unsigned first, unsigned step, unsigned count)
{
	char head[100];
	size_t size, len, frame = 6 + 3 * PIXELS;
	const uint8_t *content = read_file(name, &size);

	snprintf(head, sizeof(head), "YUV4MPEG2 W64 H48 %s Ip A1:1 C444 XCOLORRANGE=LIMITED\n",
		rate);
	len = strlen(head);
	assert_int_equal(size, len + count * frame);
	assert_memory_equal(content, head, len);
	for (unsigned i = 0; i < count; i++)
		expect_frame(content + len + i * frame, first + i * step);
}

static void
all_formats_show_the_picture(void **state)
{
	struct outcome out;

	krafla(&out, VIRTUAL, "--frames", "3", "--capture", kr_test_path("%d.png"), "--capture",
		kr_test_path("%d.ppm"), "--capture", kr_test_path("%d.raw"), "--capture",
		kr_test_path("%d.y4m"), PRODUCE("9"));
	assert_int_equal(out.code, 0);
	expect_png("3.png", 2);
	expect_ppm("3.ppm", 2);
	expect_raw_file("3.raw", 2, 1, 1);
	expect_y4m("3.y4m", "F60000:1000", 2, 1, 1);
	assert_int_equal(count_files(kr_test_dir(), ".png"), 3);
	assert_int_equal(count_files(kr_test_dir(), ".raw"), 3);
}

static bool
has_chunk(const uint8_t *content, size_t size, const void *chunk, size_t length)
{
	return memmem(content, size, chunk, length) != NULL;
}

/* What a window draws in 10 bits of PQ comes out bit for bit, with what it says of its light. */
static void
captures_have_ten_bits(void **state)
{
	static const uint8_t cicp[] = {'c', 'I', 'C', 'P', 9, 16, 0, 1};
	static const uint8_t light[] = {
		'c', 'L', 'L', 'I', 0x00, 0x98, 0x96, 0x80, 0x00, 0x3d, 0x09, 0x00};
	struct outcome out;
	const uint8_t *content;
	size_t size;

	krafla(&out, VIRTUAL, "--display-colour", "bt2020-pq", "--frames", "3", "--capture",
		kr_test_path("%d.raw"), "--capture", kr_test_path("%d.png"), "--capture",
		kr_test_path("%d.exr"), "--capture", kr_test_path("all.y4m"), "--", PRODUCER, "-",
		"9", "pq");
	assert_int_equal(out.code, 0);
	content = read_file("3.raw", &size);
	assert_int_equal(size, RAW_BYTES);
	for (uint32_t i = 0; i < PIXELS; i++) {
		uint32_t word;

		memcpy(&word, content + (size_t)i * 4, 4);
		assert_int_equal(word, kr_test_10_bit_pixel(i % WIDTH << 16 | i / WIDTH << 8 | 2));
	}
	content = read_file("3.png", &size);
	assert_int_equal(content[24], 16);
	assert_true(has_chunk(content, size, cicp, sizeof(cicp)));
	assert_true(has_chunk(content, size, light, sizeof(light)));
	content = read_file("3.exr", &size);
	assert_memory_equal(content, "\x76\x2f\x31\x01", 4);
	content = read_file("all.y4m", &size);
	assert_non_null(memmem(content, 100, "C444p10", 7));
	assert_int_equal(size, 80 + 3 * (6 + 6 * PIXELS));
}

/* A display of floats, whose window draws sRGB: linear light, and white is 1. */
static void
captures_have_floats(void **state)
{
	struct outcome out;
	const uint8_t *content;
	size_t size;

	krafla(&out, VIRTUAL, "--display-colour", "scrgb", "--frames", "2", "--capture",
		kr_test_path("%d.raw"), "--capture", kr_test_path("%d.pfm"), PRODUCE("9"));
	assert_int_equal(out.code, 0);
	content = read_file("2.raw", &size);
	assert_int_equal(size, 2 * RAW_BYTES);
	for (size_t i = 0; i < PIXELS; i++)
		assert_memory_equal(content + i * 8 + 6, "\x00\x3c", 2);
	content = read_file("2.pfm", &size);
	assert_int_equal(size, strlen("PF\n64 48\n-1.0\n") + PIXELS * 12);
	for (unsigned x = 0; x < WIDTH; x++) {
		double signal = x / 255.0, light;
		float found;

		memcpy(&found, content + strlen("PF\n64 48\n-1.0\n") + (size_t)x * 12,
			sizeof(found));
		light = signal <= 0.04045 ? signal / 12.92 : pow((signal + 0.055) / 1.055, 2.4);
		assert_true(fabs((double)found - light) < 0.001 * light + 1e-6);
	}
}

/* Of one picture any level makes the same pixels; 0 is larger than all. */
static void
levels_change_bytes_alone(void **state)
{
	static const char *const levels[] = {"0", "1", "2", "5", "6", "9"};
	struct outcome out;
	struct stat st;
	off_t none = 0;

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		krafla(&out, VIRTUAL, "--frames", "1", "--compress", levels[i], "--capture",
			kr_test_path("one.png"), PRODUCE("9"));
		assert_int_equal(out.code, 0);
		expect_png("one.png", 0);
		assert_int_equal(stat(kr_test_path("one.png"), &st), 0);
		none = i == 0 ? st.st_size : none;
		assert_true(i == 0 || st.st_size < none / 2);
	}
}

/* --- streams --- */

/* More pictures than can be on their way: they come in order, and all. */
static void
streams_are_in_order(void **state)
{
	struct outcome out;

	krafla(&out, VIRTUAL, "--frames", "256", "--capture", kr_test_path("all.raw"), "--capture",
		kr_test_path("all.y4m"), "--capture", kr_test_path("%d.png"), PRODUCE("300"));
	assert_int_equal(out.code, 0);
	expect_raw_file("all.raw", 0, 1, 256);
	expect_y4m("all.y4m", "F60000:1000", 0, 1, 256);
	assert_int_equal(count_files(kr_test_dir(), ".png"), 256);
	assert_nothing_left();
}

static void
standard_output_is_the_captures_own(void **state)
{
	expect_shell("$V --frames 20 --capture - --capture-format raw -- "
		     "sh -c 'echo from the program; exec $P - 30' 2>said >out.raw && cat said",
		"from the program");
	expect_raw_file("out.raw", 0, 1, 20);
	/* Through a pipe that holds no picture at once. */
	expect_shell("$V --frames 20 --capture /dev/stdout --capture-format y4m -- "
		     "$P - 30 2>/dev/null | { sleep 0.2; cat >out.y4m; }",
		NULL);
	expect_y4m("out.y4m", "F60000:1000", 0, 1, 20);
	/* One PNG behind the other is what readers of pipes take. */
	expect_shell("$V --frames 3 --capture - --capture-format png --capture %d.png -- "
		     "$P - 9 2>/dev/null >out.png; cat 1.png 2.png 3.png | cmp - out.png",
		NULL);
	expect_shell("$V --frames 3 --capture - --capture-format raw -- $P - 9 >&- 2>said; "
		     "test $? = 125 && cat said",
		"standard output can't be written");
}

static void
a_reader_is_waited_for(void **state)
{
	assert_int_equal(mkfifo(kr_test_path("fifo.raw"), 0600), 0);
	expect_shell("$V --frames 9 --capture fifo.raw -- $P - 9 2>said & "
		     "until grep -q waiting said; do sleep 0.05; done; "
		     "cat fifo.raw >got.raw; wait $! && cat said",
		"waiting for somebody to read the FIFO 'fifo.raw'");
	expect_raw_file("got.raw", 0, 1, 9);
	/* Without a name's end --capture-format says it. */
	assert_int_equal(mkfifo(kr_test_path("fifo"), 0600), 0);
	expect_shell("{ cat fifo >got.y4m & }; $V --frames 9 --capture fifo --capture-format y4m "
		     "-- $P - 9 2>/dev/null; wait",
		NULL);
	expect_y4m("got.y4m", "F60000:1000", 0, 1, 9);
}

/* In the beginning, when nobody reads; later, when nobody reads on. */
static void
signals_are_heard_at_pipes(void **state)
{
	assert_int_equal(mkfifo(kr_test_path("fifo.raw"), 0600), 0);
	expect_shell("$V --capture fifo.raw -- touch started 2>said & "
		     "until grep -q waiting said; do sleep 0.05; done; "
		     "kill -TERM $!; wait $!; test $? = 143 && test ! -e started",
		NULL);
	expect_shell("mkfifo full.raw; exec 9<>full.raw; $V --capture full.raw -- $P - 9999 "
		     "2>said & sleep 0.5; kill -TERM $!; sleep 0.2; kill -TERM $!; wait $!; "
		     "test $? = 143",
		NULL);
	assert_nothing_left();
}

/* --- which pictures --- */

static void
some_pictures_are_taken(void **state)
{
	struct outcome out;

	krafla(&out, VIRTUAL, "--frames", "9", "--capture", kr_test_path("all-%d.png"),
		PRODUCE("20"));
	assert_int_equal(out.code, 0);
	krafla(&out, VIRTUAL, "--frames", "9", "--capture-from", "3", "--capture-every", "2",
		"--capture", kr_test_path("some-%d.png"), "--capture", kr_test_path("some.y4m"),
		"--summary", kr_test_path("s.json"), PRODUCE("20"));
	assert_int_equal(out.code, 0);
	assert_said(&out, "shown in 9 pictures, 4 written to");
	assert_int_equal(count_files(kr_test_dir(), "some-"), 4);
	expect_same("all-3.png", "some-3.png");
	expect_same("all-5.png", "some-5.png");
	expect_same("all-7.png", "some-7.png");
	expect_same("all-9.png", "some-9.png");
	expect_y4m("some.y4m", "F60000:2000", 2, 2, 4);
	/* One of all is one, whatever the name. */
	krafla(&out, VIRTUAL, "--frames", "9", "--capture-from", "9", "--capture",
		kr_test_path("last.png"), PRODUCE("20"));
	assert_int_equal(out.code, 0);
	expect_same("all-9.png", "last.png");
	/* None of those that came. */
	krafla(&out, VIRTUAL, "--capture-from", "7", "--capture", kr_test_path("none-%d.png"),
		"--capture", kr_test_path("none.raw"), PRODUCE("5"));
	assert_int_equal(out.code, 3);
	assert_int_equal(count_files(kr_test_dir(), "none"), 0);
}

static void
the_summary_tells_of_captures(void **state)
{
	struct outcome out;
	const json_t *captures, *target;
	json_t *summary;

	krafla(&out, VIRTUAL, "--frames", "5", "--capture", kr_test_path("%d.ppm"), "--capture",
		kr_test_path("all.raw"), "--summary", kr_test_path("s.json"), PRODUCE("9"));
	assert_int_equal(out.code, 0);
	assert_said(&out, "5 written to");
	assert_said(&out, "  writers    the display ");
	summary = read_summary(kr_test_path("s.json"));
	assert_int_equal(number(summary, "frames", "captured"), 5);
	captures = json_object_get(summary, "captures");
	assert_true(json_is_integer(json_object_get(json_object_get(captures, "waits"), "count")));
	assert_true(json_is_integer(json_object_get(json_object_get(captures, "waits"), "sum_ns")));
	assert_true(json_is_integer(json_object_get(json_object_get(captures, "waits"), "max_ns")));
	target = json_array_get(json_object_get(captures, "targets"), 1);
	assert_string_equal(json_string_value(json_object_get(target, "format")), "raw");
	assert_int_equal(json_integer_value(json_object_get(target, "pictures")), 5);
	assert_int_equal(json_integer_value(json_object_get(target, "bytes")), 5 * RAW_BYTES);
	json_decref(summary);
	krafla(&out, "run", "--summary", kr_test_path("s.json"), "--", "true");
	summary = read_summary(kr_test_path("s.json"));
	assert_true(json_is_null(json_object_get(summary, "captures")));
	json_decref(summary);
}

/* --- targets that fail --- */

static void
a_reader_that_goes_is_told(void **state)
{
	expect_shell(
		"{ $V --capture - --capture-format raw -- $P - 9999 2>said; echo $? >code; } | "
		"head -c 100000 >got.raw; test \"$(cat code)\" = 4 && cat said",
		"to standard output: its reader has gone");
	assert_nothing_left();
}

static void
a_full_device_is_told(void **state)
{
	expect_shell("$V --capture /dev/full --capture-format y4m --capture %d.ppm -- $P - 9999 "
		     "2>said; test $? = 4 && cat said",
		"can't write picture 1 to /dev/full: No space left on device");
	assert_int_equal(count_files(kr_test_dir(), "krafla-"), 0);
	expect_ppm("1.ppm", 0);
}

static void
limit_files(void)
{
	/* Seven pictures and a half; what is shared with the program counts, too. */
	const struct rlimit limit = {RAW_BYTES * 15 / 2, RAW_BYTES * 15 / 2};

	setrlimit(RLIMIT_FSIZE, &limit);
}

/* What is there ends where a picture ends. */
static void
a_file_too_large_is_whole(void **state)
{
	struct outcome out;

	before_exec = limit_files;
	krafla(&out, VIRTUAL, "--capture", kr_test_path("all.raw"), PRODUCE("999"));
	before_exec = NULL;
	assert_int_equal(out.code, 4);
	assert_said(&out, "can't write picture 8 to");
	assert_said(&out, "File too large");
	assert_said(&out, "7 before it are there");
	expect_raw_file("all.raw", 0, 1, 7);
	/* One that others have opened for krafla, and not at its beginning. */
	expect_shell("ulimit -f 184; { echo before; $V --capture - --capture-format raw -- "
		     "$P - 999; } 2>said >out; tail -c +8 out >out.raw; cat said",
		"File too large");
	expect_raw_file("out.raw", 0, 1, 7);
}

static void
a_target_that_goes_is_told(void **state)
{
	struct outcome out;

	mkdir(kr_test_path("gone"), 0700);
	krafla(&out, VIRTUAL, "--capture", kr_test_path("gone/all.raw"), "--", "sh", "-c",
		"rm -r \"$0\"; exec \"$1\" - 9", kr_test_path("gone"), PRODUCER);
	assert_int_equal(out.code, 4);
	assert_said(&out, "can't write");
	assert_said(&out, "gone/all.raw: No such file or directory");
	assert_nothing_left();
}

/* All that was shown is there when krafla was told to end. */
static void
signals_leave_whole_captures(void **state)
{
	const char *const arguments[] = {"krafla", "run", "--display", SIZE, "--clock", "virtual",
		"--capture", kr_test_path("%d.ppm"), "--capture", kr_test_path("all.raw"),
		"--summary", kr_test_path("s.json"), "--", PRODUCER, "-", "100000", NULL};
	const char *output = kr_test_file("output", "");
	pid_t pid = start(arguments, output);
	struct outcome out;
	json_int_t composed;
	json_t *summary;
	struct stat st;

	for (int i = 0; i < 1500 && access(kr_test_path("9.ppm"), F_OK); i++)
		poll(NULL, 0, 10);
	kill(pid, SIGTERM);
	finish(pid, output, &out);
	assert_int_equal(out.code, 128 + SIGTERM);
	summary = read_summary(kr_test_path("s.json"));
	composed = number(summary, "frames", "composed");
	assert_int_equal(number(summary, "frames", "captured"), composed);
	json_decref(summary);
	assert_int_equal(count_files(kr_test_dir(), ".ppm"), composed);
	assert_int_equal(stat(kr_test_path("all.raw"), &st), 0);
	assert_int_equal((json_int_t)st.st_size, composed * (json_int_t)RAW_BYTES);
	assert_nothing_left();
}

static const struct kr_test tests[] = {
	KR_TEST(wrong_captures_are_named),
	KR_TEST(all_formats_show_the_picture),
	KR_TEST(captures_have_ten_bits),
	KR_TEST(captures_have_floats),
	KR_TEST(levels_change_bytes_alone),
	KR_TEST(streams_are_in_order),
	KR_TEST(standard_output_is_the_captures_own),
	KR_TEST(a_reader_is_waited_for),
	KR_TEST_SLOW(signals_are_heard_at_pipes, 0, 60),
	KR_TEST(some_pictures_are_taken),
	KR_TEST(the_summary_tells_of_captures),
	KR_TEST(a_reader_that_goes_is_told),
	KR_TEST(a_full_device_is_told),
	KR_TEST(a_file_too_large_is_whole),
	KR_TEST(a_target_that_goes_is_told),
	KR_TEST(signals_leave_whole_captures),
};
KR_TEST_MAIN(tests)
