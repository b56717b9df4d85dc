/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla run` from outside: exit codes, messages, frames, captures, what is left behind. The
 * programs it runs are shells and tests/composer/producer.c, which presents without Vulkan.
 */
#include "rig.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <png.h>

/* --- the command line --- */

static void
wrong_options_are_named(void **state)
{
	static const struct {
		const char *arguments[6];
		const char *said;
	} rows[] = {
		{{"run", "--frames", "0", "--", "true"}, "--frames wants a number"},
		{{"run", "--frames", "-1", "--", "true"}, "--frames wants a number"},
		{{"run", "--frames", "12x", "--", "true"}, "--frames wants a number"},
		{{"run", "--display", "640", "--", "true"}, "--display wants"},
		{{"run", "--display", "0x480", "--", "true"}, "--display wants"},
		{{"run", "--display", "20000x480", "--", "true"}, "--display wants"},
		{{"run", "--display", "640x480@", "--", "true"}, "--display wants"},
		{{"run", "--display", "640x480@0", "--", "true"}, "--display wants"},
		{{"run", "--display", "640x480@60Hz", "--", "true"}, "--display wants"},
		{{"run", "--display", "640x480@60,", "--", "true"}, "--display wants"},
		{{"run", "--display", "640x480@,60", "--", "true"}, "--display wants"},
		{{"run", "--display", "640x480@60,0", "--", "true"}, "--display wants"},
		{{"run", "--display", "640x480@60,1001", "--", "true"}, "--display wants"},
		{{"run", "--display", "640x480@60 24", "--", "true"}, "--display wants"},
		{{"run", "--display", "640x480,60", "--", "true"}, "HZ[,HZ...]"},
		{{"run", "--display", "1x1@1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "--",
			 "true"},
			"16 rates"},
		{{"run", "--display", "640x480@60,24,60.0", "--", "true"}, "the rate 60 twice"},
		{{"run", "--display=640x480@60,24", "--capture", "a.y4m", "--", "true"},
			"'a.y4m': a .y4m says one rate for all pictures, and --display has 2"},
		{{"run", "--clock", "fast", "--", "true"}, "--clock is 'real' or 'virtual'"},
		{{"run", "--wsi", "x", "--", "true"}, "--wsi is"},
		{{"run", "--idle", "none", "--", "true"}, "--idle wants"},
		{{"run", "--nonsense", "--", "true"}, "option '--nonsense'"},
		{{"run", "-q", "--", "true"}, "unknown option '-q'"},
		{{"run", "--capture"}, "'--capture' needs a value"},
		{{"run", "--verbose=2", "--", "true"}, "takes no value"},
		{{"run"}, "no program is named"},
		{{"run", "--"}, "no program is named"},
		{{"run", "--capture", "a%d%d.png", "--", "true"}, "more than one conversion"},
		{{"run", "--capture", "a%s.png", "--", "true"}, "only %d"},
		{{"run", "--capture", "a%99d.png", "--", "true"}, "only %d"},
		{{"run", "--capture", "a%05d.jpg", "--", "true"}, "must end in .png"},
		{{"run", "--capture", "a.png", "--", "true"}, "one file for all frames"},
		{{"nonsense"}, "no command 'nonsense'"},
		{{"--nonsense"}, "unknown option '--nonsense'"},
		{{"help", "nonsense"}, "no command 'nonsense'"},
		{{"help", "run", "more"}, "one argument too many"},
		{{"--version", "more"}, "one argument too many"},
		{{"info", "--nonsense"}, "option '--nonsense'"},
		{{"info", "more"}, "one argument too many"},
	};
	struct outcome out;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const *a = rows[i].arguments;

		krafla(&out, a[0], a[1], a[2], a[3], a[4], a[5]);
		assert_said(&out, rows[i].said);
		assert_said(&out, "explains how to call it");
		assert_int_equal(out.code, 2);
	}
	krafla(&out, "run", "--wsi", "driver", "--frames", "3", "--", "true");
	assert_int_equal(out.code, 2);
	assert_said(&out, "--frames can't work");
	assert_nothing_left();
}

static void
help_is_there(void **state)
{
	struct outcome out;

	krafla(&out, "--help");
	assert_int_equal(out.code, 0);
	assert_said(&out, "run ");
	krafla(&out, "help", "run");
	assert_int_equal(out.code, 0);
	assert_said(&out, "--clock real|virtual");
	krafla(&out, "info", "-h");
	assert_int_equal(out.code, 0);
	assert_said(&out, "--json");
	krafla(&out, "--version");
	assert_int_equal(out.code, 0);
	assert_said(&out, "krafla 0.");
	krafla(&out, NULL);
	assert_int_equal(out.code, 2);
}

/* Before the program starts. */
static void
missing_directories_are_named(void **state)
{
	const char *marker = kr_test_path("started");
	struct outcome out;

	krafla(&out, "run", "--capture", kr_test_path("missing/%05d.png"), "--", "touch", marker);
	assert_int_equal(out.code, 125);
	assert_said(&out, "missing' can't be used: No such file or directory");
	krafla(&out, "run", "--summary", kr_test_path("missing/s.json"), "--", "touch", marker);
	assert_int_equal(out.code, 125);
	krafla(&out, "run", "--summary", kr_test_path("output/s.json"), "--", "touch", marker);
	assert_int_equal(out.code, 125);
	assert_said(&out, "is not a directory");
	krafla(&out, "run", "--summary", kr_test_dir(), "--", "touch", marker);
	assert_int_equal(out.code, 125);
	assert_said(&out, "is a directory");
	assert_int_equal(access(marker, F_OK), -1);
	assert_nothing_left();
}

/* --- programs --- */

static void
exit_codes_pass_through(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--", "true");
	assert_int_equal(out.code, 0);
	assert_said(&out, "ended without opening a window");
	krafla(&out, "run", "false");
	assert_int_equal(out.code, 1);
	krafla(&out, "run", "--", "sh", "-c", "exit 7");
	assert_int_equal(out.code, 7);
	krafla(&out, "run", "--frames", "1", "--", "true");
	assert_int_equal(out.code, 3);
	krafla(&out, "run", "--capture", kr_test_path("%d.png"), "--", "true");
	assert_int_equal(out.code, 3);
	krafla(&out, "run", "--frames", "1", "--", "sh", "-c", "exit 7");
	assert_int_equal(out.code, 7);
	krafla(&out, "run", "--", "sh", "-c", "kill -KILL $$");
	assert_int_equal(out.code, 137);
	assert_said(&out, "killed by signal 9 (Killed)");
	krafla(&out, "run", "--", "/nonexistent/program");
	assert_int_equal(out.code, 127);
	assert_said(&out, "can't run '/nonexistent/program': No such file or directory");
	krafla(&out, "run", "--", kr_test_file("plain", "no program\n"));
	assert_int_equal(out.code, 126);
	assert_said(&out, "Permission denied");
	assert_nothing_left();
}

static void
program_sees_display_and_libraries(void **state)
{
	struct outcome out;

	setenv("LD_LIBRARY_PATH", "/mine", 1);
	krafla(&out, "run", "--", "sh", "-c",
		"test -S \"$KRAFLA_DISPLAY\" && test \"$KRAFLA_WSI\" = platform && "
		"case $LD_LIBRARY_PATH in */lib:/mine) ;; *) exit 1;; esac && "
		"case $KRAFLA_OUTPUT_PATH in */lib/krafla) ;; *) exit 1;; esac");
	assert_int_equal(out.code, 0);
	setenv("KRAFLA_DISPLAY", "/outer", 1);
	krafla(&out, "run", "--wsi", "driver", "--", "sh", "-c",
		"test -z \"$KRAFLA_DISPLAY\" && test \"$KRAFLA_WSI\" = driver");
	assert_int_equal(out.code, 0);
}

/* The program has the signal mask and dispositions that krafla was started with. */
static void
program_can_be_interrupted(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--", "sh", "-c", "kill -TERM $$; exit 9");
	assert_int_equal(out.code, 128 + SIGTERM);
}

/* --- frames --- */

/* What nobody looks at is told to be made of nothing. */
static void
pictures_that_nobody_sees_are_told(void **state)
{
	struct outcome out;
	json_t *summary;

	krafla(&out, "run", "--display", "64x48@50", "--clock", "virtual", "--frames", "10",
		"--summary", kr_test_path("s.json"), "--", PRODUCER, "-", "1000");
	assert_int_equal(out.code, 0);
	assert_said(&out, "10 made of nothing, as nobody looked; nothing copied");
	summary = read_summary(kr_test_path("s.json"));
	assert_int_equal(number(summary, "pictures", "untouched"), 10);
	assert_int_equal(number(summary, "pictures", "drawn"), 0);
	assert_int_equal(number(summary, "pictures", "handed_over"), 0);
	assert_int_equal(number(summary, "pictures", "bytes_per_picture"), 0);
	json_decref(summary);
}

static void
frames_are_counted_and_captured(void **state)
{
	struct outcome out;
	json_t *summary;

	mkdir(kr_test_path("a"), 0700);
	mkdir(kr_test_path("b"), 0700);
	krafla(&out, "run", "--display", "64x48@50", "--clock", "virtual", "--frames", "10",
		"--capture", kr_test_path("a/%05d.png"), "--summary", kr_test_path("a/s.json"),
		"--", PRODUCER, "-", "1000");
	assert_int_equal(out.code, 0);
	assert_said(&out, "shown in 10 pictures, 10 written to");
	assert_said(&out, "T0: memfd");
	assert_null(strchr(out.text, '\r')); /* progress is for terminals */
	krafla(&out, "run", "--display", "64x48@50", "--clock", "virtual", "--frames", "10",
		"--capture", kr_test_path("b/%05d.png"), "--", PRODUCER, "-", "1000");
	assert_int_equal(out.code, 0);
	assert_int_equal(count_files(kr_test_path("a"), ".png"), 10);
	summary = read_summary(kr_test_path("a/s.json"));
	assert_int_equal(number(summary, "frames", "composed"), 10);
	assert_int_equal(number(summary, "frames", "captured"), 10);
	assert_int_equal(number(summary, "frames", "requested"), 10);
	assert_int_equal(number(summary, "display", "width"), 64);
	assert_int_equal(number(summary, "display", "refresh_mhz"), 50000);
	assert_string_equal(json_string_value(json_object_get(summary, "ended_by")), "frames");
	assert_string_equal(json_string_value(json_object_get(summary, "tier")), "T0");
	assert_int_equal(number(summary, "fences", "none"), 10);
	assert_int_equal(number(summary, "fences", "kernel"), 0);
	assert_int_equal(number(summary, "pictures", "untouched"), 0);
	assert_int_equal(
		number(summary, "pictures", "drawn") + number(summary, "pictures", "handed_over"),
		10);
	assert_int_equal(number(summary, "pictures", "older"), 0);
	json_decref(summary);
	for (int i = 1; i <= 10; i++) {
		char command[600];

		snprintf(command, sizeof(command), "cmp %s/a/%05d.png %s/b/%05d.png", kr_test_dir(),
			i, kr_test_dir(), i);
		assert_int_equal(system(command), 0);
	}
	assert_nothing_left();
}

static json_int_t
pictures_at(const json_t *summary, size_t rate, json_int_t mhz)
{
	const json_t *all = json_object_get(json_object_get(summary, "display"), "rates");
	const json_t *one = json_array_get(all, rate);

	assert_int_equal(json_integer_value(json_object_get(one, "refresh_mhz")), mhz);
	return json_integer_value(json_object_get(one, "pictures"));
}

/* What windows wish for, what they got of it, and which pictures that were. */
static void
rates_are_told(void **state)
{
	const char *file = kr_test_path("s.json");
	char first[600], second[600];
	struct outcome out;
	json_t *summary;
	const json_t *wish;

	snprintf(first, sizeof(first), "%s - 4 fixed=23.976", PRODUCER);
	snprintf(second, sizeof(second), "%s - 7 rate=50", PRODUCER);
	krafla(&out, "run", "--display", "64x48@100,60,23.976,119.88", "--clock", "virtual",
		"--layout", "grid", "--capture", kr_test_path("%d.ppm"), "--summary", file,
		"--program", first, "--program", second);
	assert_int_equal(out.code, 0);
	assert_said(&out, "on a display of 64x48@100,60,23.976,119.88, virtual clock");
	assert_said(&out, "  rates      100 Hz: pictures 3, 60 Hz 0, 23.976 Hz 0, 119.88 Hz 4\n");
	assert_said(&out, "on no device, wished for a multiple of 23.976 Hz\n");
	assert_said(&out, "on no device, wished for 50 Hz\n");
	summary = read_summary(file);
	assert_int_equal(number(summary, "display", "refresh_mhz"), 100000);
	assert_int_equal(pictures_at(summary, 0, 100000), 3);
	assert_int_equal(pictures_at(summary, 1, 60000), 0);
	assert_int_equal(pictures_at(summary, 2, 23976), 0);
	assert_int_equal(pictures_at(summary, 3, 119880), 4);
	for (size_t i = 0; i < 2; i++) {
		wish = json_object_get(
			json_array_get(json_object_get(summary, "windows"), i), "wish");
		assert_string_equal(json_string_value(json_object_get(wish, "strategy")), "always");
		if (!strcmp(json_string_value(json_object_get(wish, "compatibility")), "default"))
			assert_true(json_real_value(json_object_get(wish, "hz")) == 50);
		else
			assert_true(json_real_value(json_object_get(wish, "hz")) == 23.976);
	}
	json_decref(summary);
	/* One rate, no wish. */
	krafla(&out, "run", "--display", "64x48@59.94", "--clock", "virtual", "--summary", file,
		PRODUCER, "-", "3");
	assert_int_equal(out.code, 0);
	assert_null(strstr(out.text, "  rates "));
	assert_null(strstr(out.text, "wished"));
	assert_said(&out, "64x48@59.94, virtual");
	summary = read_summary(file);
	assert_int_equal(pictures_at(summary, 0, 59940), 3);
	wish = json_object_get(json_array_get(json_object_get(summary, "windows"), 0), "wish");
	assert_true(json_is_null(wish));
	json_decref(summary);
}

/* Frame 6 is the producer's sixth: red is x, green is y, blue the frame's index. */
/* The screen is turned, pictures aren't: what windows see is 48x64. */
static void
turned_screens_are_told(void **state)
{
	const char *file = kr_test_path("s.json");
	struct outcome out;
	const json_t *display;
	json_t *summary;

	krafla(&out, "run", "--display", "64x48", "--rotate", "270", "--clock", "virtual",
		"--summary", file, PRODUCER, "-", "3");
	assert_int_equal(out.code, 0);
	assert_said(&out, "on a display of 64x48@60, turned 270, virtual clock");
	summary = read_summary(file);
	display = json_object_get(summary, "display");
	assert_string_equal(json_string_value(json_object_get(display, "rotate")), "270");
	assert_int_equal(number(summary, "display", "width"), 64);
	assert_int_equal(number(summary, "modes", "fifo"), 3);
	assert_int_equal(number(summary, "modes", "mailbox"), 0);
	json_decref(summary);
	assert_nothing_left();
}

static void
captures_have_the_colours(void **state)
{
	png_image image = {.version = PNG_IMAGE_VERSION};
	static uint8_t pixels[64 * 48 * 3];
	struct outcome out;

	krafla(&out, "run", "--display", "64x48", "--clock", "virtual", "--frames", "6",
		"--capture", kr_test_path("%d.png"), "--", PRODUCER, "-", "6");
	assert_int_equal(png_image_begin_read_from_file(&image, kr_test_path("6.png")), 1);
	assert_int_equal(image.width, 64);
	assert_int_equal(image.height, 48);
	image.format = PNG_FORMAT_RGB;
	assert_int_equal(png_image_finish_read(&image, NULL, pixels, 0, NULL), 1);
	for (unsigned i = 0; i < 64 * 48; i++) {
		assert_int_equal(pixels[3 * i], i % 64);
		assert_int_equal(pixels[3 * i + 1], i / 64);
		assert_int_equal(pixels[3 * i + 2], 5);
	}
}

static void
all_frames_of_a_short_program_are_shown(void **state)
{
	struct outcome out;
	json_t *summary;

	krafla(&out, "run", "--display", "64x48@60", "--clock", "virtual", "--capture",
		kr_test_path("%d.png"), "--summary", kr_test_path("s.json"), "--", PRODUCER, "-",
		"30", "exit=4");
	assert_int_equal(out.code, 4);
	summary = read_summary(kr_test_path("s.json"));
	assert_int_equal(number(summary, "frames", "queued"), 30);
	assert_int_equal(number(summary, "frames", "shown"), 30);
	assert_int_equal(number(summary, "frames", "captured"), 30);
	assert_int_equal(number(summary, "program", "exit_code"), 4);
	json_decref(summary);
	assert_int_equal(count_files(kr_test_dir(), ".png"), 30);
}

/* DESIGN rule 7: which fence kept a window from the screen is told, to people and to programs. */
static void
a_stuck_fence_is_in_the_summary(void **state)
{
	struct outcome out;
	const json_t *stuck;
	json_t *summary;

	krafla(&out, "run", "--display", "64x48", "--summary", kr_test_path("s.json"), "--",
		"/bin/sh", "-c", "\"$0\" - 1 hang & sleep 7; kill $!", PRODUCER);
	assert_said(&out, "has waited 3.");
	assert_said(&out, "frame 2 of producer");
	assert_said(&out, "for the fence 'producer:1' (point 7 of producer, made by process");
	summary = read_summary(kr_test_path("s.json"));
	assert_int_equal(number(summary, "frames", "stuck"), 1);
	assert_int_equal(json_array_size(json_object_get(summary, "stuck_fences")), 1);
	stuck = json_array_get(json_object_get(summary, "stuck_fences"), 0);
	assert_string_equal(json_string_value(json_object_get(stuck, "label")), "producer");
	assert_string_equal(json_string_value(json_object_get(stuck, "fence")), "producer:1");
	assert_string_equal(json_string_value(json_object_get(stuck, "timeline")), "producer");
	assert_int_equal(json_integer_value(json_object_get(stuck, "frame")), 2);
	assert_int_equal(json_integer_value(json_object_get(stuck, "point")), 7);
	assert_int_equal(json_integer_value(json_object_get(stuck, "owner")),
		json_integer_value(json_object_get(stuck, "pid")));
	json_decref(summary);
}

static void
too_few_frames_are_an_error(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--display", "64x48", "--clock", "virtual", "--frames", "10", "--",
		PRODUCER, "-", "4");
	assert_int_equal(out.code, 3);
	assert_said(&out, "ended after 4 of 10 frames");
}

/*
 * A program hears that its surface is lost; the user, who asked for no messages, hears why, once.
 */
static void
wrong_buffers_are_told(void **state)
{
	const char *told = "[Krafla] ERROR: KRAFLA_BUFFERS is 'stone'";
	struct outcome out;

	krafla(&out, "run", "--display", "64x48", "--", "env", "KRAFLA_BUFFERS=stone", PRODUCER,
		"-", "4");
	assert_int_equal(out.code, 98);
	assert_said(&out, told);
	assert_null(strstr(strstr(out.text, told) + 1, told));
}

static void
one_frame_needs_no_number(void **state)
{
	struct outcome out;

	krafla(&out, "run", "--display", "64x48", "--frames", "1", "--capture",
		kr_test_path("100%%.png"), "--", PRODUCER, "-", "9");
	assert_int_equal(out.code, 0);
	assert_int_equal(access(kr_test_path("100%.png"), F_OK), 0);
}

/* SIGTERM first; a program that doesn't listen gets SIGKILL after two seconds. */
static void
deaf_program_is_killed(void **state)
{
	struct timespec before, after;
	struct outcome out;

	clock_gettime(CLOCK_MONOTONIC, &before);
	krafla(&out, "run", "--display", "64x48", "--frames", "2", "--", PRODUCER, "-", "5",
		"deaf");
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_int_equal(out.code, 0);
	assert_in_range(after.tv_sec - before.tv_sec, 1, 6);
	assert_nothing_left();
}

/* What a shell started ends with it. */
static void
frames_end_the_whole_group(void **state)
{
	const char *pid_file = kr_test_path("pid");
	struct outcome out;
	FILE *file;
	int pid = 0;

	krafla(&out, "run", "--display", "64x48", "--frames", "3", "--", "sh", "-c",
		"sleep 100 & echo $! >\"$0\"; \"$1\" - 100; wait", pid_file, PRODUCER);
	assert_int_equal(out.code, 0);
	file = fopen(pid_file, "re");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &pid), 1);
	fclose(file);
	for (int i = 0; i < 1500 && kill(pid, 0) == 0; i++)
		poll(NULL, 0, 10);
	assert_int_equal(kill(pid, 0), -1);
}

static void
failing_captures_end_the_run(void **state)
{
	struct outcome out;

	mkdir(kr_test_path("gone"), 0700);
	krafla(&out, "run", "--display", "64x48", "--capture", kr_test_path("gone/%d.png"), "--",
		"sh", "-c", "rmdir \"$0\"; exec \"$1\" - 1000", kr_test_path("gone"), PRODUCER);
	assert_int_equal(out.code, 4);
	assert_said(&out, "can't write");
	assert_said(&out, "No such file or directory");
	assert_nothing_left();
}

/* krafla told to end: the program is told, the directory is removed, the code is the program's. */
static void
expect_passed_on(int signal)
{
	const char *const arguments[] = {"krafla", "run", "--display", "64x48", "--summary",
		kr_test_path("s.json"), "--", PRODUCER, "-", "2", "hang", NULL};
	const char *output = kr_test_file("output", "");
	pid_t pid = start(arguments, output);
	struct outcome out;
	json_t *summary;

	for (int i = 0; i < 1500 && !count_files(kr_test_dir(), "krafla-"); i++)
		poll(NULL, 0, 10);
	poll(NULL, 0, 100);
	kill(pid, signal);
	finish(pid, output, &out);
	assert_int_equal(out.code, 128 + signal);
	summary = read_summary(kr_test_path("s.json"));
	assert_string_equal(json_string_value(json_object_get(summary, "ended_by")), "signal");
	assert_int_equal(number(summary, "program", "signal"), signal);
	json_decref(summary);
	assert_nothing_left();
}

static void
signals_reach_the_program(void **state)
{
	expect_passed_on(SIGTERM);
	expect_passed_on(SIGINT);
	expect_passed_on(SIGHUP);
	expect_passed_on(SIGQUIT);
}

/* It ends in order although nobody reads what it says any more. */
static void
closed_pipe_leaves_nothing(void **state)
{
	char command[1024];

	snprintf(command, sizeof(command),
		"{ XDG_RUNTIME_DIR='%s' " KRAFLA
		" run -- sh -c 'sleep 0.2; exit 6'; echo $? >'%s'; } "
		"2>&1 | true",
		kr_test_dir(), kr_test_path("code"));
	assert_int_equal(system(command), 0);
	assert_nothing_left();
	snprintf(command, sizeof(command), "test \"$(cat '%s')\" = 6", kr_test_path("code"));
	assert_int_equal(system(command), 0);
}

static const struct kr_test tests[] = {
	KR_TEST(wrong_options_are_named),
	KR_TEST(help_is_there),
	KR_TEST(missing_directories_are_named),
	KR_TEST(exit_codes_pass_through),
	KR_TEST_FLAGS(program_sees_display_and_libraries, KR_TEST_KEEPS_MEMORY),
	KR_TEST(program_can_be_interrupted),
	KR_TEST(pictures_that_nobody_sees_are_told),
	KR_TEST(frames_are_counted_and_captured),
	KR_TEST(rates_are_told),
	KR_TEST(turned_screens_are_told),
	KR_TEST(captures_have_the_colours),
	KR_TEST(all_frames_of_a_short_program_are_shown),
	KR_TEST_SLOW(a_stuck_fence_is_in_the_summary, 0, 60),
	KR_TEST(too_few_frames_are_an_error),
	KR_TEST(wrong_buffers_are_told),
	KR_TEST(one_frame_needs_no_number),
	KR_TEST(deaf_program_is_killed),
	KR_TEST(frames_end_the_whole_group),
	KR_TEST(failing_captures_end_the_run),
	KR_TEST(signals_reach_the_program),
	KR_TEST(closed_pipe_leaves_nothing),
};
KR_TEST_MAIN(tests)
