/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpv with libplacebo (--vo=gpu-next) plays a clip of BT.2020 with PQ, made by ffmpeg, in a window
 * that it asks that colour space for. What `krafla run` captures of it, in 10 bits, is what
 * ffmpeg's own conversion makes of the clip; and what displays of other colours make of that
 * window is what ffmpeg makes of the same pixels.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "mpv.h"
#include "spawn.h"
#include "weston.h"
#include "xvfb.h"

#define LIMIT_S   60
#define MAX_WORDS 48
#define WIDTH     320
#define HEIGHT    240
#define SAMPLES   (WIDTH * HEIGHT * 3)
#define FRAMES    10
/* Steps of 10 bits: both round chroma in ways of their own. */
#define MEAN_MOST 1.5
#define MOST      8

static void
run(unsigned limit_s, const char *const *argv, const char *const *env)
{
	struct spawn child;

	spawn_run(&child, limit_s, argv, env);
	expect_code(&child, 0);
	spawn_finish(&child);
}

static bool
is_there(const char *program)
{
	struct spawn child;
	bool there;

	spawn_run(&child, LIMIT_S, ARGV("sh", "-c", "command -v \"$0\"", program), NULL);
	there = child.code == 0;
	spawn_finish(&child);
	return there;
}

/* What the clip's numbers mean is written into it; they cover the whole range. */
static void
make_clip(const char *path)
{
	run(LIMIT_S,
		ARGV("ffmpeg", "-v", "error", "-f", "lavfi", "-i",
			"testsrc2=s=320x240:r=10:d=1,format=yuv444p10le,setparams="
			"color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv",
			"-c:v", "ffv1", "-color_primaries", "bt2020", "-color_trc", "smpte2084",
			"-colorspace", "bt2020nc", "-color_range", "tv", path),
		NULL);
}

static void *
read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	void *content;

	if (!file)
		fail_msg("%s isn't there", path);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	*size = (size_t)ftell(file);
	rewind(file);
	content = malloc(*size);
	assert_non_null(content);
	assert_int_equal(fread(content, 1, *size, file), *size);
	fclose(file);
	return content;
}

/* ffmpeg's, R, G and B of 16 bits each, frame behind frame. */
static uint16_t *
convert_clip(const char *clip)
{
	const char *path = kr_test_path("frames.rgb");
	uint16_t *frames;
	size_t size;

	run(LIMIT_S,
		ARGV("ffmpeg", "-v", "error", "-i", clip, "-vf",
			"scale=in_color_matrix=bt2020:in_range=tv:out_range=pc:"
			"flags=accurate_rnd+full_chroma_int,format=rgb48le",
			"-f", "rawvideo", path),
		NULL);
	frames = read_file(path, &size);
	assert_int_equal(size, FRAMES * SAMPLES * sizeof(*frames));
	return frames;
}

/* In steps of 10 bits. */
static double
mean_difference(const uint32_t *picture, const uint16_t *frame, double *most)
{
	double sum = 0;

	*most = 0;
	for (unsigned i = 0; i < SAMPLES; i++) {
		double found = picture[i / 3] >> 10 * (i % 3) & 1023;
		double wanted = frame[i] * 1023.0 / 65535;
		double difference = found > wanted ? found - wanted : wanted - found;

		sum += difference;
		*most = difference > *most ? difference : *most;
	}
	return sum / SAMPLES;
}

/* Which frame it is isn't known: one is far nearer than the others. */
static void
expect_frame(const uint32_t *picture, const uint16_t *frames)
{
	double best = 1024, best_most = 1024;

	for (unsigned i = 0; i < FRAMES; i++) {
		double most, mean = mean_difference(picture, frames + (size_t)i * SAMPLES, &most);

		if (mean < best) {
			best = mean;
			best_most = most;
		}
	}
	if (best > MEAN_MOST || best_most > MOST)
		fail_msg("the nearest frame is %.2f of 1023 away, %.1f at most", best, best_most);
}

static void
hdr_video_is_as_ffmpeg_has_it(void **state)
{
	const char *clip = kr_test_path("clip.mkv"), *all = kr_test_path("all.raw");
	uint32_t *pictures;
	struct kr_xvfb x;
	uint16_t *frames;
	size_t size;

	skip_without_lavapipe();
	skip_without_mpv();
	if (!is_there("ffmpeg"))
		kr_test_skip("no-ffmpeg", NULL);
	make_clip(clip);
	frames = convert_clip(clip);
	kr_xvfb_start(&x, "640x480x24", NULL, NULL);
	run(LIMIT_S,
		ARGV(prefix_path("bin/krafla"), "run", "--display", "320x240", "--display-colour",
			"bt2020-pq", "--frames", "8", "--capture-from", "4", "--capture", all, "--",
			"mpv", "--no-config", "--vo=gpu-next", "--gpu-api=vulkan", mpv_device(),
			"--gpu-context=x11vk", "--target-colorspace-hint=yes",
			"--tone-mapping=clip", "--dither-depth=no", "--no-audio", "--no-osc",
			"--really-quiet", "--loop", "--no-border", "--geometry=320x240+0+0", clip),
		ENV(lavapipe_env(), env_text("DISPLAY", x.display)));
	kr_xvfb_stop(&x);
	pictures = read_file(all, &size);
	assert_int_equal(size, 5 * WIDTH * HEIGHT * sizeof(*pictures));
	for (unsigned i = 0; i < 5; i++)
		expect_frame(pictures + (size_t)i * WIDTH * HEIGHT, frames);
	free(pictures);
	free(frames);
}

/* ---- one picture, to the step ---- */

/*
 * A still of light up to 1000 cd/m2 in all colours of BT.2020, without loss, that says what it was
 * mastered on.
 */
#define STILL                                                                                      \
	"nullsrc=s=320x240:r=30:d=1,format=gbrp10le,geq=r='X*769/319':g='Y*769/239':"              \
	"b='mod(X*3+Y*5\\,770)',zscale=matrixin=gbr:rangein=full:primariesin=2020:"                \
	"transferin=smpte2084:primaries=2020:transfer=smpte2084:matrix=2020_ncl:range=limited,"    \
	"format=yuv444p10le"
#define X265                                                                                       \
	"lossless=1:log-level=error:hdr10=1:max-cll=1000,400:"                                     \
	"master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"
#define SIGNALS "zscale=matrix=gbr:range=full,"
/* 1.0 is reference white, as on displays here. */
#define LIGHT       "zscale=matrix=gbr:range=full:transfer=linear:npl=203:agamma=false,format=gbrpf32le,"
#define FLOATS_NEAR 0.01 /* differences of floats are parts of a pixel's largest, or of this */

static void
make_still(const char *path)
{
	run(LIMIT_S,
		ARGV("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", STILL, "-c:v",
			"libx265", "-preset", "ultrafast", "-x265-params", X265, "-color_primaries",
			"bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc",
			"-color_range", "tv", path),
		NULL);
}

static void
skip_without_programs(void)
{
	char text[1024];

	skip_without_lavapipe();
	skip_without_mpv();
	if (kr_test_shell("ffmpeg -v error -encoders 2>&1 | grep libx265 && "
			  "ffmpeg -v error -filters 2>&1 | grep zscale",
		    text, sizeof(text)))
		kr_test_skip("no-ffmpeg", NULL);
}

/* mpv's window is of that colour space, which ffmpeg wrote into the clip. */
#define HINT "--target-colorspace-hint=yes"

static size_t
add_words(const char **words, size_t count, const char *const *more)
{
	for (; *more; more++) {
		assert_true(count < MAX_WORDS - 1);
		words[count++] = *more;
	}
	return count;
}

/* Writes the sixth picture of mpv's into files below kr_test_dir; NULL ends their names. */
static void
play(const char *const *how, const char *colour, const char *clip, const char *const *files,
	const char *const *env)
{
	const char *words[MAX_WORDS] = {NULL};
	size_t count = add_words(words, 0,
		ARGV(prefix_path("bin/krafla"), "run", "--clock", "virtual", "--display", "320x240",
			"--display-colour", colour, "--frames", "6", "--capture-from", "6"));

	for (; *files; files++)
		count = add_words(words, count, ARGV("--capture", kr_test_path(*files)));
	count = add_words(words, count,
		ARGV("--", "mpv", "--no-config", "--vo=gpu-next", "--gpu-api=vulkan", mpv_device(),
			"--dither-depth=no", "--no-audio", "--no-osc", "--really-quiet", "--loop",
			"--no-border", "--geometry=320x240+0+0", clip));
	(void)add_words(words, count, how);
	run(LIMIT_S, words, env);
}

static void
play_on_display(const char *colour, const char *clip, const char *const *files)
{
	play(ARGV("--gpu-context=displayvk", HINT), colour, clip, files, ENV(lavapipe_env()));
}

/* ffmpeg's conversion of a file's first picture. The caller's to free. */
static void *
convert(const char *from, const char *filter, const char *format, size_t size)
{
	const char *path = kr_test_path("converted");
	size_t found;
	void *content;

	run(LIMIT_S,
		ARGV("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", from, "-frames:v", "1", "-vf",
			filter, "-f", "rawvideo", "-pix_fmt", format, path),
		NULL);
	content = read_file(path, &found);
	assert_int_equal(found, size);
	return content;
}

/* The same as numbers, red, green and blue of each pixel, from ffmpeg's planes. */
static float *
convert_to_numbers(const char *from, const char *filter, const char *format)
{
	static const unsigned planes[] = {2, 0, 1}; /* green, blue, red */
	bool floats = !strcmp(format, "gbrpf32le");
	float most = !strcmp(format, "gbrp10le") ? 1023 : 65535;
	void *content = convert(
		from, filter, format, SAMPLES * (floats ? sizeof(float) : sizeof(uint16_t)));
	float *numbers = malloc(SAMPLES * sizeof(*numbers));

	assert_non_null(numbers);
	for (unsigned i = 0; i < SAMPLES; i++) {
		unsigned at = planes[i % 3] * WIDTH * HEIGHT + i / 3;

		numbers[i] = floats ? ((const float *)content)[at]
				    : (float)((const uint16_t *)content)[at] / most;
	}
	free(content);
	return numbers;
}

/* A capture of raw pixels of 8 or 10 bits. */
static float *
load_raw(const char *name, unsigned bits)
{
	float *numbers = malloc(SAMPLES * sizeof(*numbers));
	uint32_t most = (1U << bits) - 1, *words;
	size_t size;

	assert_non_null(numbers);
	words = read_file(kr_test_path(name), &size);
	assert_int_equal(size, WIDTH * HEIGHT * sizeof(*words));
	for (unsigned i = 0; i < SAMPLES; i++)
		numbers[i] = (float)(words[i / 3] >> bits * (i % 3) & most) / (float)most;
	free(words);
	return numbers;
}

struct differences {
	double most;
	double mean;
	double far; /* which part is more than 2 */
};

/* In steps of which `steps` are 1.0; 0: of floats. */
static struct differences
compare(const float *found, const float *wanted, double steps)
{
	struct differences all = {0};

	for (unsigned i = 0; i < SAMPLES; i++) {
		const float *pixel = wanted + i / 3 * 3;
		double size = fmax(fmax(fabsf(pixel[0]), fabsf(pixel[1])), fabsf(pixel[2]));
		double unit = steps > 0 ? 1 / steps : fmax(size, FLOATS_NEAR);
		double difference = fabs((double)found[i] - (double)wanted[i]) / unit;

		all.most = fmax(all.most, difference);
		all.mean += difference / SAMPLES;
		all.far += difference > 2 ? 1.0 / SAMPLES : 0;
	}
	return all;
}

static void
expect_near(const char *what, const float *found, const float *wanted, double steps, double most)
{
	struct differences all = compare(found, wanted, steps);

	printf("# %s: mean %.5f, most %.5f\n", what, all.mean, all.most);
	if (!(all.most <= most))
		fail_msg("%s is up to %g away, %g on average", what, all.most, all.mean);
}

/*
 * The numbers of the clip come to the display as they are, whatever the window is one of. lavapipe
 * cuts off what it draws in 10 bits, where ffmpeg rounds: one step. On Wayland libplacebo 4 finds
 * no size for its second swapchain, the one after a hint, so there the numbers are passed through.
 */
static void
windows_of_every_kind_show_the_clip(void **state)
{
	const char *clip = kr_test_path("still.mkv");
	struct kr_weston weston;
	float *wanted, *found;
	struct kr_xvfb x;

	skip_without_programs();
	make_still(clip);
	wanted = convert_to_numbers(clip, SIGNALS "format=gbrp10le", "gbrp10le");
	kr_xvfb_start(&x, "640x480x24", NULL, NULL);
	kr_weston_start(&weston);
	play(ARGV("--gpu-context=x11vk", HINT), "bt2020-pq", clip, ARGV("x.raw"),
		ENV(lavapipe_env(), env_text("DISPLAY", x.display)));
	play(ARGV("--gpu-context=waylandvk", "--target-trc=pq", "--target-prim=bt.2020"),
		"bt2020-pq", clip, ARGV("wayland.raw"),
		ENV(lavapipe_env(), weston.runtime_dir, weston.display));
	kr_weston_stop(&weston);
	kr_xvfb_stop(&x);
	play_on_display("bt2020-pq", clip, ARGV("display.raw"));
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"x.raw", "wayland.raw", "display.raw"};

		found = load_raw(names[i], 10);
		expect_near(names[i], found, wanted, 1023, 1.01);
		free(found);
	}
	free(wanted);
}

/* ---- files ---- */

static void
expect_chunk(const uint8_t *png, size_t size, const char *name, const uint8_t *content, size_t want)
{
	size_t at = 8, length;

	for (; at + 12 <= size; at += 12 + length) {
		length = (size_t)png[at] << 24 | (size_t)png[at + 1] << 16 |
			(size_t)png[at + 2] << 8 | png[at + 3];
		assert_true(length <= size - at - 12);
		if (memcmp(png + at + 4, name, 4))
			continue;
		assert_int_equal(length, want);
		assert_memory_equal(png + at + 8, content, want);
		return;
	}
	fail_msg("the picture has no %s", name);
}

/* The clip's colour space, and what it was mastered on, from ffmpeg through mpv into the file. */
static void
expect_metadata(const char *name)
{
	static const uint8_t colours[] = {9, 16, 0, 1};
	static const uint8_t mastering[] = {34000 >> 8, 34000 & 255, 16000 >> 8, 16000 & 255,
		13250 >> 8, 13250 & 255, 34500 >> 8, 34500 & 255, 7500 >> 8, 7500 & 255, 3000 >> 8,
		3000 & 255, 15635 >> 8, 15635 & 255, 16450 >> 8, 16450 & 255, 0, 10000000 >> 16,
		10000000 >> 8 & 255, 10000000 & 255, 0, 0, 0, 50};
	static const uint8_t light[] = {0, 10000000 >> 16, 10000000 >> 8 & 255, 10000000 & 255, 0,
		4000000 >> 16, 4000000 >> 8 & 255, 4000000 & 255};
	size_t size;
	uint8_t *png = read_file(kr_test_path(name), &size);

	expect_chunk(png, size, "cICP", colours, sizeof(colours));
	expect_chunk(png, size, "mDCV", mastering, sizeof(mastering));
	expect_chunk(png, size, "cLLI", light, sizeof(light));
	free(png);
}

/* ffmpeg reads the files as what they are; y4m's planes are the clip's own, give or take a step. */
static void
ffmpeg_reads_captures_of_the_clip(void **state)
{
	const char *clip = kr_test_path("still.mkv");
	float *pixels, *read;
	uint16_t *sent, *kept;
	struct differences all;

	skip_without_programs();
	make_still(clip);
	play_on_display("bt2020-pq", clip, ARGV("pq.raw", "pq.png", "pq.y4m"));
	expect_metadata("pq.png");
	pixels = load_raw("pq.raw", 10);
	read = convert_to_numbers(kr_test_path("pq.png"), "format=gbrp16le", "gbrp16le");
	all = compare(pixels, read, 65535);
	assert_true(all.most <= 0.51);
	sent = convert(clip, "null", "yuv444p10le", SAMPLES * sizeof(*sent));
	kept = convert(kr_test_path("pq.y4m"), "null", "yuv444p10le", SAMPLES * sizeof(*kept));
	for (unsigned i = 0; i < SAMPLES; i++)
		assert_true(abs(sent[i] - kept[i]) <= 1);
	free(sent);
	free(kept);
	free(read);
	free(pixels);
}

/* ---- displays of other colours ---- */

static const struct display {
	const char *colour;
	const char *file;
	unsigned bits;      /* 0: floats */
	const char *filter; /* what of ffmpeg's does the same */
	double most; /* from ffmpeg's conversion of the same pixels; half a step is rounding */
	double mean; /* from its conversion of the clip; where one step of PQ may be many */
} displays[] = {
	{"srgb", "srgb.raw", 8,
		LIGHT "zscale=primaries=709:transfer=iec61966-2-1:npl=203:agamma=false,"
		      "format=gbrp16le",
		1, 0.25},
	{"p3", "p3.raw", 8,
		LIGHT "zscale=primaries=smpte432:transfer=iec61966-2-1:npl=203:agamma=false,"
		      "format=gbrp16le",
		1, 0.25},
	{"bt2020-hlg", "hlg.raw", 10,
		LIGHT "zscale=transfer=arib-std-b67:npl=203:agamma=false,format=gbrp16le", 1, 0.75},
	{"scrgb", "scrgb.exr", 0, LIGHT "zscale=primaries=709:npl=203", 0.001, 0.01},
};

/* mpv's picture of 10 bits, without any loss, as a clip that ffmpeg converts like the other. */
static void
keep_pixels(const char *name, const char *path)
{
	float *pixels = load_raw(name, 10);
	const char *planes = kr_test_path("planes.gbr");
	FILE *file = fopen(planes, "wbe");

	assert_non_null(file);
	for (unsigned k = 1; k <= 3; k++) {
		for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
			uint16_t code = (uint16_t)lroundf(pixels[i * 3 + k % 3] * 1023);

			assert_int_equal(fwrite(&code, sizeof(code), 1, file), 1);
		}
	}
	assert_int_equal(fclose(file), 0);
	free(pixels);
	run(LIMIT_S,
		ARGV("ffmpeg", "-nostdin", "-v", "error", "-f", "rawvideo", "-pix_fmt", "gbrp10le",
			"-s", "320x240", "-i", planes, "-c:v", "ffv1", "-color_primaries", "bt2020",
			"-color_trc", "smpte2084", "-colorspace", "rgb", "-color_range", "pc",
			path),
		NULL);
}

/*
 * mpv's window is of BT.2020 with PQ on all of them: the display converts it. What mpv drew is a
 * step from the clip, which near black is many of sRGB's: so ffmpeg converts that, too.
 */
static void
displays_convert_as_ffmpeg_does(void **state)
{
	const char *clip = kr_test_path("still.mkv"), *drawn = kr_test_path("drawn.mkv");

	skip_without_programs();
	make_still(clip);
	play_on_display("bt2020-pq", clip, ARGV("pq.raw"));
	keep_pixels("pq.raw", drawn);
	for (size_t i = 0; i < sizeof(displays) / sizeof(displays[0]); i++) {
		const struct display *d = &displays[i];
		const char *format = d->bits ? "gbrp16le" : "gbrpf32le";
		double steps = d->bits ? (1 << d->bits) - 1 : 0;
		float *found, *same, *whole;
		struct differences all;

		play_on_display(d->colour, clip, ARGV(d->file));
		found = d->bits ? load_raw(d->file, d->bits)
				: convert_to_numbers(kr_test_path(d->file), "null", format);
		same = convert_to_numbers(drawn, d->filter, format);
		whole = convert_to_numbers(clip, d->filter, format);
		expect_near(d->colour, found, same, steps, d->most);
		all = compare(found, whole, steps);
		printf("# %s and the clip: mean %.5f, %.5f far\n", d->colour, all.mean, all.far);
		assert_true(all.mean <= d->mean && all.far <= 0.01);
		free(found);
		free(same);
		free(whole);
	}
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(hdr_video_is_as_ffmpeg_has_it, 0, 180),
	KR_TEST_SLOW(windows_of_every_kind_show_the_clip, 0, 180),
	KR_TEST_SLOW(ffmpeg_reads_captures_of_the_clip, 0, 180),
	KR_TEST_SLOW(displays_convert_as_ffmpeg_does, 0, 180),
};
KR_TEST_MAIN(tests)
