/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers that others wrote, as Debian has them, each with vkcube under Xvfb: through the
 * driver's window system, through Krafla's, and on a display of `krafla run`. Each case sees
 * that the layer did its work.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"
#include "xvfb.h"

#define LIMIT_S     100
#define FRAMES      "20"
#define EMPTY_LIMIT 5000 /* pixels; the cube covers some 60000 */
#define SCREEN      "640x640x24"
#define LAYERS_DIR  "/usr/share/vulkan/"

#define VALIDATION     "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation"
#define OVERLAY        "VK_INSTANCE_LAYERS=VK_LAYER_MESA_overlay"
#define GFXRECONSTRUCT "VK_INSTANCE_LAYERS=VK_LAYER_LUNARG_gfxreconstruct"

static const char *const owners[] = {"KRAFLA_WSI=driver", "KRAFLA_WSI=platform"};

#define OWNERS (sizeof(owners) / sizeof(owners[0]))

/* What every program here is started with. */
static const char *display;

#define WITH(...) ENV(library_env(), lavapipe_env(), display, __VA_ARGS__)
/* `krafla run` says itself whose library and display it is. */
#define UNDER_KRAFLA(...) ENV(lavapipe_env(), display, __VA_ARGS__)

static void
start(struct kr_xvfb *x, const char *manifest, const char *reason)
{
	char detail[256];

	skip_without_lavapipe();
	if (access(manifest, R_OK)) {
		snprintf(detail, sizeof(detail), "%s isn't there", manifest);
		kr_test_skip(reason, detail);
	}
	kr_xvfb_start(x, SCREEN, NULL, NULL);
	display = env_text("DISPLAY", x->display);
}

static void
start_for(struct kr_xvfb *x, const char *layer)
{
	if (!strcmp(layer, "validation"))
		start(x, LAYERS_DIR "explicit_layer.d/VkLayer_khronos_validation.json",
			"no-validation-layer");
	else if (!strcmp(layer, "gfxreconstruct"))
		start(x, LAYERS_DIR "explicit_layer.d/VkLayer_gfxreconstruct.json",
			"no-gfxreconstruct");
	else
		start(x, LAYERS_DIR "implicit_layer.d/renderdoc_capture.json", "no-renderdoc");
}

static void
run_ok(struct spawn *child, const char *const *argv, const char *const *env)
{
	spawn_run(child, LIMIT_S, argv, env);
	expect_code(child, 0);
}

static off_t
file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : st.st_size;
}

/* The names of what the validation layer found, a line each. */
static void
find_names(const struct spawn *child, char *names, size_t size)
{
	static const char before[] = "Message Id Name: ";
	size_t used = 0;

	names[0] = '\0';
	for (const char *at = child->output; (at = strstr(at, before)); at++) {
		const char *name = at + sizeof(before) - 1;
		size_t len = strcspn(name, "\n") + 1;

		assert_true(used + len < size);
		memcpy(names + used, name, len);
		used += len;
		names[used] = '\0';
	}
}

/*
 * Its checks of good manners find in vkcube, through vkcube's own messenger, what they find with
 * Debian's loader, and nothing else. vkcube ends with 1 whenever it was told something.
 */
static void
validation_speaks_of_vkcube(void **state)
{
	static const char *const command[] = {"vkcube", "--validate", "--c", FRAMES, NULL};
	static const char manners[] =
		"VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT";
	char theirs[4096], ours[4096];
	struct spawn child;
	struct kr_xvfb x;

	start_for(&x, "validation");
	spawn_run(&child, LIMIT_S, command, ENV(lavapipe_env(), display, manners));
	expect_code(&child, 1);
	find_names(&child, theirs, sizeof(theirs));
	assert_non_null(strstr(theirs, "BestPractices-vkBindMemory-small-dedicated-allocation"));
	spawn_finish(&child);
	for (size_t i = 0; i < OWNERS; i++) {
		spawn_run(&child, LIMIT_S, command, WITH(owners[i], manners));
		expect_code(&child, 1);
		find_names(&child, ours, sizeof(ours));
		assert_string_equal(ours, theirs);
		spawn_finish(&child);
	}
	run_ok(&child,
		KRAFLA_RUN("--display", "500x500", "--clock", "virtual", "--frames", FRAMES, "--",
			"vkcube"),
		UNDER_KRAFLA(VALIDATION, "VK_LOADER_DEBUG=layer,info"));
	expect_text(&child, "Insert instance layer \"VK_LAYER_KHRONOS_validation\"");
	expect_no_text(&child, "VUID-");
	spawn_finish(&child);
	kr_xvfb_stop(&x);
}

/* Mesa's overlay keeps a record of the frames it has seen. */
static void
overlay_writes_its_figures(void **state)
{
	const char *record = kr_test_path("figures.csv");
	struct spawn child;
	struct kr_xvfb x;
	char config[512];

	skip_without_lavapipe();
	start(&x, LAYERS_DIR "explicit_layer.d/VkLayer_MESA_overlay.json", "no-lavapipe");
	snprintf(config, sizeof(config), "output_file=%s,fps_sampling_period=10,submit", record);
	for (size_t i = 0; i < OWNERS; i++) {
		unlink(record);
		run_ok(&child, ARGV("vkcube", "--c", "100"),
			WITH(owners[i], OVERLAY, env_text("VK_LAYER_MESA_OVERLAY_CONFIG", config)));
		expect_no_text(&child, "error");
		spawn_finish(&child);
		run_ok(&child, ARGV("cat", record), NULL);
		expect_text(&child, "device, format, fps");
		expect_text(&child, "\n0, 0, ");
		spawn_finish(&child);
	}
	kr_xvfb_stop(&x);
}

/* Y-01: and draws into the picture, as the capture has it: the upper part alone. */
static void
overlay_is_in_the_picture(void **state)
{
	struct image with, without;
	struct kr_xvfb x;

	skip_without_lavapipe();
	start(&x, LAYERS_DIR "explicit_layer.d/VkLayer_MESA_overlay.json", "no-lavapipe");
	capture("with", "500x500", "4", ARGV("vkcube"), UNDER_KRAFLA(OVERLAY));
	capture("without", "500x500", "4", ARGV("vkcube"), UNDER_KRAFLA(NULL));
	kr_xvfb_stop(&x);
	capture_load(&with, "with", 4);
	capture_load(&without, "without", 4);
	assert_true(image_difference(&with, &without) > 50);
	image_free(&with);
	image_free(&without);
}

/*
 * Mesa's device selection is an implicit layer: without a word from the application it can answer.
 */
static void
device_select_lists_devices(void **state)
{
	static const char manifest[] =
		LAYERS_DIR "implicit_layer.d/VkLayer_MESA_device_select.json";
	struct spawn child;
	struct kr_xvfb x;

	start(&x, manifest, "no-lavapipe");
	for (size_t i = 0; i < OWNERS; i++) {
		run_ok(&child, ARGV("vkcube", "--c", "3"),
			WITH(owners[i], "MESA_VK_DEVICE_SELECT=list"));
		expect_text(&child, "selectable devices:");
		expect_text(&child, "10005:0 \"llvmpipe");
		spawn_finish(&child);
		/* Its own switch takes it out again. */
		run_ok(&child, ARGV("vkcube", "--c", "3"),
			WITH(owners[i], "MESA_VK_DEVICE_SELECT=list", "NODEVICE_SELECT=1"));
		expect_no_text(&child, "selectable devices:");
		expect_text(&child, "Selected GPU 0: llvmpipe");
		spawn_finish(&child);
	}
	kr_xvfb_stop(&x);
}

/* With two drivers the device that it is told of comes first; taken out, it orders nothing. */
static void
device_select_chooses_the_device(void **state)
{
	static const struct {
		const char *choice, *first;
	} cases[] = {
		{"NODEVICE_SELECT=1", "Krafla null driver"},
		{"MESA_VK_DEVICE_SELECT=10005:0", "llvmpipe"},
		{"MESA_VK_DEVICE_SELECT=0:0", "Krafla null driver"},
	};
	char drivers[1024];
	struct spawn child;

	skip_without_lavapipe();
	/* What nobody sorts comes in the reverse order of the drivers, as with every loader. */
	snprintf(drivers, sizeof(drivers), "%s:%s", lavapipe_manifest(),
		prefix_path("share/krafla/null_icd.json"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name;

		run_ok(&child, ARGV("vulkaninfo", "--summary"),
			ENV(library_env(), env_text("VK_DRIVER_FILES", drivers), cases[i].choice,
				"VK_LOADER_DISABLE_SELECT=1"));
		name = strstr(child.output, "deviceName");
		assert_non_null(name);
		name = strchr(name, '=') + 2;
		if (strncmp(name, cases[i].first, strlen(cases[i].first)))
			fail_msg("%s: %s isn't first:\n%s", cases[i].choice, cases[i].first,
				child.output);
		spawn_finish(&child);
	}
}

/*
 * ---- gfxreconstruct
 * --------------------------------------------------------------------------------
 */

static void
expect_recording(const char *path, const char *frames)
{
	struct spawn child;
	char text[64];

	assert_true(file_size(path) > 10000);
	run_ok(&child, ARGV("gfxrecon-info", path), NULL);
	snprintf(text, sizeof(text), "Total frames: %s", frames);
	expect_text(&child, text);
	expect_text(&child, "Application name: vkcube");
	spawn_finish(&child);
}

/* Plays it and makes a picture of its tenth frame at `shot`, without ".bmp". */
static void
replay(const char *path, const char *shot, const char *const *env)
{
	struct spawn child;

	run_ok(&child,
		ARGV("gfxrecon-replay", "--screenshots", "10", "--screenshot-dir", kr_test_dir(),
			"--screenshot-prefix", shot, path),
		env);
	expect_text(&child, FRAMES " frames, framerange 1-" FRAMES);
	expect_no_text(&child, "FATAL");
	expect_no_text(&child, "ERROR");
	spawn_finish(&child);
}

/* What was recorded plays, and shows what it shows with Debian's loader. */
static void
gfxreconstruct_records_and_replays(void **state)
{
	const char *path = kr_test_path("cube.gfxr");
	struct spawn child;
	struct kr_xvfb x;

	start_for(&x, "gfxreconstruct");
	for (size_t i = 0; i < OWNERS; i++) {
		run_ok(&child, ARGV("vkcube", "--c", FRAMES),
			WITH(owners[i], GFXRECONSTRUCT, env_text("GFXRECON_CAPTURE_FILE", path),
				"GFXRECON_CAPTURE_FILE_TIMESTAMP=false"));
		expect_text(&child, "Recording graphics API capture");
		spawn_finish(&child);
		expect_recording(path, FRAMES);
		replay(path, "ours", WITH(owners[i]));
		replay(path, "theirs", ENV(lavapipe_env(), display));
		assert_true(files_equal(
			kr_test_path("ours_frame_10.bmp"), kr_test_path("theirs_frame_10.bmp")));
	}
	kr_xvfb_stop(&x);
}

/* Under `krafla run` the recording, played, gives the very pictures that were recorded. */
static void
gfxreconstruct_replays_what_was_captured(void **state)
{
	const char *path = kr_test_path("cube.gfxr");
	struct kr_xvfb x;

	start_for(&x, "gfxreconstruct");
	capture("recorded", "500x500", "8", ARGV("vkcube", "--c", FRAMES),
		UNDER_KRAFLA(GFXRECONSTRUCT, env_text("GFXRECON_CAPTURE_FILE", path),
			"GFXRECON_CAPTURE_FILE_TIMESTAMP=false",
			"GFXRECON_CAPTURE_FILE_FLUSH=true"));
	capture("played", "500x500", "8", ARGV("gfxrecon-replay", path), UNDER_KRAFLA(NULL));
	for (unsigned i = 1; i <= 8; i++) {
		struct image a, b;

		capture_load(&a, "recorded", i);
		capture_load(&b, "played", i);
		assert_int_equal(image_difference(&a, &b), 0);
		image_free(&a);
		image_free(&b);
	}
	kr_xvfb_stop(&x);
}

/*
 * What was recorded under the driver's own window system gives, played under `krafla run`, the
 * pictures that it gives there.
 */
static void
gfxreconstruct_replays_what_a_driver_showed(void **state)
{
	const char *path = kr_test_path("theirs.gfxr");
	struct spawn child;
	struct kr_xvfb x;

	start_for(&x, "gfxreconstruct");
	run_ok(&child, ARGV("vkcube", "--c", FRAMES),
		ENV(lavapipe_env(), display, GFXRECONSTRUCT,
			env_text("GFXRECON_CAPTURE_FILE", path),
			"GFXRECON_CAPTURE_FILE_TIMESTAMP=false"));
	spawn_finish(&child);
	run_ok(&child,
		ARGV("gfxrecon-replay", "--screenshot-all", "--screenshot-dir", kr_test_dir(),
			"--screenshot-prefix", "theirs", path),
		ENV(lavapipe_env(), display));
	spawn_finish(&child);
	capture("ours", "500x500", FRAMES, ARGV("gfxrecon-replay", path), UNDER_KRAFLA(NULL));
	for (unsigned i = 1; i <= 20; i++) {
		struct image ours, theirs;
		char name[64];

		snprintf(name, sizeof(name), "theirs_frame_%u.bmp", i);
		capture_load(&ours, "ours", i);
		image_load_bmp(&theirs, kr_test_path(name));
		assert_true(image_drawn_pixels(&theirs) > EMPTY_LIMIT);
		assert_int_equal(image_difference(&ours, &theirs), 0);
		image_free(&ours);
		image_free(&theirs);
	}
	kr_xvfb_stop(&x);
}

/*
 * ---- RenderDoc
 * -------------------------------------------------------------------------------------
 */

/*
 * The file has the frame's calls, and a picture of it that RenderDoc made. It isn't replayed:
 * Debian's lavapipe crashes in RenderDoc's replay with every loader.
 */
static void
expect_frame(const char *path)
{
	const char *xml = kr_test_path("frame.xml"), *thumb = kr_test_path("thumb.png");
	struct image picture;
	struct spawn child;

	assert_true(file_size(path) > 10000);
	run_ok(&child,
		ARGV("renderdoccmd", "convert", "-f", path, "-i", "rdc", "-c", "xml", "-o", xml),
		NULL);
	spawn_finish(&child);
	run_ok(&child, ARGV("grep", "-o", "name=\"vk[A-Za-z]*\"", xml), NULL);
	expect_text(&child, "name=\"vkCreateSwapchainKHR\"");
	expect_text(&child, "name=\"vkCmdDraw\"");
	expect_text(&child, "name=\"vkQueuePresentKHR\"");
	spawn_finish(&child);
	run_ok(&child, ARGV("renderdoccmd", "thumb", "-f", "png", "-o", thumb, path), NULL);
	spawn_finish(&child);
	image_load_png(&picture, thumb);
	assert_true(image_drawn_pixels(&picture) > EMPTY_LIMIT);
	image_free(&picture);
	unlink(path);
}

/* renderdoccmd starts vkcube with its own environment, and the variable that enables the layer. */
#define CAPTURE(template)                                                                          \
	"renderdoccmd", "capture", "-d", kr_test_dir(), "-c", template, "-w", "vkcube", "--c", "200"

static void
renderdoc_captures_a_frame(void **state)
{
	const char *preload = env_text("LD_PRELOAD", TEST_RENDERDOC_TRIGGER);
	const char *home = env_text("HOME", kr_test_dir()), *template = kr_test_path("shot");
	struct spawn child;
	struct kr_xvfb x;

	start_for(&x, "renderdoc");
	for (size_t i = 0; i < OWNERS; i++) {
		run_ok(&child, ARGV(CAPTURE(template)), WITH(owners[i], home, preload));
		expect_text(&child, "was asked");
		expect_text(&child, "Selected GPU 0: llvmpipe");
		spawn_finish(&child);
		expect_frame(kr_test_path("shot_frame0.rdc"));
	}
	run_ok(&child,
		KRAFLA_RUN("--display", "500x500", "--clock", "virtual", "--", CAPTURE(template)),
		UNDER_KRAFLA(home, preload));
	expect_text(&child, "200 shown");
	spawn_finish(&child);
	expect_frame(kr_test_path("shot_frame0.rdc"));
	kr_xvfb_stop(&x);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(validation_speaks_of_vkcube, 0, 120),
	KR_TEST_SLOW(overlay_writes_its_figures, 0, 120),
	KR_TEST_SLOW(overlay_is_in_the_picture, 0, 120),
	KR_TEST_SLOW(device_select_lists_devices, 0, 120),
	KR_TEST_SLOW(device_select_chooses_the_device, 0, 120),
	KR_TEST_SLOW(gfxreconstruct_records_and_replays, 0, 120),
	KR_TEST_SLOW(gfxreconstruct_replays_what_was_captured, 0, 120),
	KR_TEST_SLOW(gfxreconstruct_replays_what_a_driver_showed, 0, 120),
	KR_TEST_SLOW(renderdoc_captures_a_frame, 0, 200),
};

KR_TEST_MAIN(tests)
