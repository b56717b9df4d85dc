/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpv with libplacebo (--vo=gpu-next) plays a clip of BT.2020 with PQ, made by ffmpeg, in a window
 * that it asks that colour space for. What `krafla run` captures of it, in 10 bits, is what
 * ffmpeg's own conversion makes of the clip.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "spawn.h"
#include "xvfb.h"

#define LIMIT_S 60
#define WIDTH   320
#define HEIGHT  240
#define SAMPLES (WIDTH * HEIGHT * 3)
#define FRAMES  10
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

/* "--vulkan-device=NAME": mpv takes no software device unless it is named. */
static const char *
mpv_device(void)
{
	struct spawn child;
	char *name, *end;

	spawn_run(&child, LIMIT_S, ARGV("vulkaninfo", "--summary"), ENV(lavapipe_env()));
	name = strstr(child.output, "deviceName");
	name = name ? strstr(name, "llvmpipe") : NULL;
	end = name ? strchr(name, '\n') : NULL;
	if (!end)
		fail_msg("lavapipe's device has no name in:\n%s", child.output);
	*end = '\0';
	name = (char *)env_text("--vulkan-device", name);
	spawn_finish(&child);
	return name;
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
	if (!is_there("mpv"))
		kr_test_skip("no-mpv", NULL);
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

static const struct kr_test tests[] = {
	KR_TEST_SLOW(hdr_video_is_as_ffmpeg_has_it, 0, 180),
};
KR_TEST_MAIN(tests)
