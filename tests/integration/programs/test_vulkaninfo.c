/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debian's unmodified vulkaninfo on the installed libvulkan.so.1: one driver, two, bad ones, none.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "harness.h"
#include "spawn.h"
#include "xvfb.h"

#define LIMIT_S     60
#define NULL_DEVICE "deviceName = Krafla null driver"

/* vulkaninfo aligns its columns: takes runs of blanks for one, in place. */
static void
squeeze(char *text)
{
	char *out = text;

	for (const char *in = text; *in; in++) {
		bool blank = *in == ' ' || *in == '\t';

		if (!blank || (out > text && out[-1] != ' '))
			*out++ = blank ? ' ' : *in;
	}
	*out = '\0';
}

static void
run_info(struct spawn *child, const char *argument, const char *const *env)
{
	spawn_run(child, LIMIT_S, ARGV("vulkaninfo", argument), env);
	squeeze(child->output);
}

static const char *
both_drivers(void)
{
	char list[1024];

	snprintf(list, sizeof(list), "%s:%s", lavapipe_manifest(),
		prefix_path("share/krafla/null_icd.json"));
	return env_text("VK_DRIVER_FILES", list);
}

/* 2, "VK_LOADER_DEBUG" of docs/environment.md: messages say whose they are. */
static void
it_is_krafla(void **state)
{
	struct spawn child;

	skip_without_lavapipe();
	run_info(&child, "--summary", ENV(library_env(), lavapipe_env(), "VK_LOADER_DEBUG=all"));
	expect_code(&child, 0);
	expect_text(&child, "Krafla ");
	spawn_finish(&child);
	run_info(&child, "--summary", ENV(lavapipe_env(), "VK_LOADER_DEBUG=all"));
	expect_no_text(&child, "Krafla ");
	spawn_finish(&child);
}

static void
names_lavapipe(void **state)
{
	static const char *const arguments[] = {NULL, "--summary"};

	skip_without_lavapipe();
	for (int i = 0; i < 2; i++) {
		struct spawn child;

		run_info(&child, arguments[i],
			ENV(library_env(), lavapipe_env(),
				env_text("XDG_RUNTIME_DIR", kr_test_dir())));
		expect_code(&child, 0);
		expect_text(&child, "llvmpipe");
		expect_no_text(&child, "error:");
		spawn_finish(&child);
	}
}

/* Several drivers at once. */
static void
lists_two_drivers(void **state)
{
	static const char *const arguments[] = {NULL, "--summary"};

	skip_without_lavapipe();
	for (int i = 0; i < 2; i++) {
		struct spawn child;

		run_info(&child, arguments[i], ENV(library_env(), both_drivers()));
		expect_code(&child, 0);
		expect_text(&child, "GPU0");
		expect_text(&child, "GPU1");
		expect_text(&child, "deviceName = llvmpipe");
		expect_text(&child, NULL_DEVICE);
		spawn_finish(&child);
	}
}

/* D-01: a module named by a property, from a file whose other lines are garbage. */
static void
garbage_in_a_property_file(void **state)
{
	static const char garbage[] = "\x01\xff\xfe\n=\n====\nro.hardware.vulkan\n# a comment\n"
				      "\t\xc3\x28 = \x80\nro.hardware.vulkan=null\nlast line\xff";
	const char *path = kr_test_file("properties", garbage);
	struct spawn child;

	run_info(&child, "--summary",
		ENV(library_env(), env_text("KRAFLA_PROPERTIES", path),
			"VK_DRIVER_FILES=/nonexistent"));
	expect_code(&child, 0);
	expect_text(&child, NULL_DEVICE);
	spawn_finish(&child);
}

/* As many bytes as no manifest has. */
static void
write_huge(const char *path)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs("{\"ICD\": {\"library_path\": \"", file);
	for (int i = 0; i < 1 << 18; i++)
		fputs("................................................................", file);
	fputs("\"}}", file);
	assert_int_equal(fclose(file), 0);
}

/* An ELF header of the other word size, and nothing behind it. */
static void
write_other_word_size(const char *path)
{
	char header[64] = "\x7f"
			  "ELF\1\1\1";
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	header[16] = 3;
	header[18] = 3;
	assert_int_equal(fwrite(header, 1, sizeof(header), file), sizeof(header));
	assert_int_equal(fclose(file), 0);
}

/* Bad manifests beside a good one: each is named, the good one works. */
static void
bad_manifests_beside_a_good_one(void **state)
{
	static const char *const names[] = {"missing.json", "truncated.json", "not-json.json",
		"huge.json", "other-size.json", "no-library.json", "empty.json"};
	char list[2048] = "", text[512];
	struct spawn child;

	skip_without_lavapipe();
	kr_test_file("truncated.json", "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"libr");
	kr_test_file("not-json.json", "#!/bin/sh\nexit 1\n");
	kr_test_file("empty.json", "");
	kr_test_file("no-library.json",
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": "
		"\"/nonexistent/libvulkan_x.so\", \"api_version\": \"1.3.0\"}}");
	write_huge(kr_test_path("huge.json"));
	write_other_word_size(kr_test_path("libother.so"));
	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\", "
		"\"api_version\": \"1.3.0\"}}",
		kr_test_path("libother.so"));
	kr_test_file("other-size.json", text);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		strcat(list, kr_test_path(names[i]));
		strcat(list, ":");
	}
	strcat(list, lavapipe_manifest());
	run_info(&child, "--summary",
		ENV(library_env(), env_text("VK_DRIVER_FILES", list), "VK_LOADER_DEBUG=all"));
	expect_code(&child, 0);
	expect_text(&child, "llvmpipe");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect_text(&child, names[i]);
	spawn_finish(&child);
}

/*
 * D-04: no driver, no device, and the reason. vulkaninfo itself gives up on a system
 * without devices.
 */
static void
no_driver_is_said(void **state)
{
	struct spawn child;

	run_info(&child, "--summary",
		ENV(library_env(), "VK_DRIVER_FILES=/nonexistent/icd.json",
			"VK_LOADER_DEBUG=error"));
	assert_in_range(child.code, 0, 1);
	expect_text(&child, "[Vulkan Loader] ERROR");
	expect_text(&child, "/nonexistent/icd.json");
	expect_no_text(&child, "deviceName");
	spawn_finish(&child);
	/* Its own messenger hears it too, although the search was over before there was one. */
	run_info(&child, "--summary", ENV(library_env(), "VK_DRIVER_FILES=/nonexistent/icd.json"));
	expect_text(&child, "names no driver that can be used");
	spawn_finish(&child);
}

/* A crash in a driver's constructor can't be survived; the last line says whose it was. */
static void
crashing_driver_is_named(void **state)
{
	struct spawn child;
	const char *line;
	char text[512];

	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\", "
		"\"api_version\": \"1.3.0\"}}",
		TEST_CRASH_DRIVER);
	run_info(&child, "--summary",
		ENV(library_env(), env_text("VK_DRIVER_FILES", kr_test_file("crash.json", text)),
			"VK_LOADER_DEBUG=all"));
	assert_true(child.code > 128);
	child.output[strlen(child.output) - 1] = '\0';
	line = strrchr(child.output, '\n');
	assert_non_null(strstr(line ? line : child.output, TEST_CRASH_DRIVER));
	spawn_finish(&child);
}

/*
 * It asks for the newest version and for every extension that is offered: no reason to warn of
 * layers that the system enables, nor of drivers that it hands over none of.
 */
static void
warns_of_what_was_asked_for(void **state)
{
	struct spawn child;

	skip_without_lavapipe();
	run_info(&child, "--summary", ENV(library_env(), lavapipe_env()));
	expect_code(&child, 0);
	expect_no_text(&child, "WARNING");
	spawn_finish(&child);
	run_info(&child, "--summary",
		ENV(library_env(), lavapipe_env(), "VK_INSTANCE_LAYERS=VK_LAYER_MESA_overlay"));
	expect_text(&child, "Layer VK_LAYER_MESA_overlay uses API version");
	expect_no_text(&child, "Layer VK_LAYER_MESA_device_select uses API version");
	spawn_finish(&child);
}

/* The name of a file of kr_test_dir that holds what vulkaninfo prints about lavapipe. */
static const char *
full_text(const char *name, const char *display, const char *library)
{
	const char *path = kr_test_path(name);
	struct spawn child;
	FILE *file;

	spawn_run(&child, LIMIT_S, ARGV("vulkaninfo"),
		ENV(lavapipe_env(), env_text("XDG_RUNTIME_DIR", kr_test_dir()),
			env_text("DISPLAY", display), library));
	expect_code(&child, 0);
	assert_true(strlen(child.output) > 20000 && strlen(child.output) < SPAWN_OUTPUT - 4096);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(child.output, file);
	assert_int_equal(fclose(file), 0);
	spawn_finish(&child);
	return path;
}

/*
 * The whole text beside that of Debian's loader: what diff finds is all in this list, and nothing
 * else. docs/loader.md says why.
 */
static void
differs_only_so(void **state)
{
	static const char *const known[] = {
		"> ",
		"< Vulkan Instance Version:",
		"> Vulkan Instance Version:",
		"< Instance Extensions: count",
		"> Instance Extensions: count",
		"> VK_EXT_headless_surface",
		"> VK_EXT_surface_maintenance1",
		"> VK_EXT_swapchain_colorspace",
		"> VK_KHR_android_surface",
		"> VK_KHR_surface_maintenance1",
		"> VK_LUNARG_direct_driver_loading",
		/* It enables VK_EXT_headless_surface: then surfaces of Krafla are possible. */
		"< Device Extensions: count",
		"> Device Extensions: count",
		"> VK_ANDROID_external_memory_android_hardware_buffer",
		"> VK_EXT_hdr_metadata",
		"> VK_EXT_queue_family_foreign",
		"> VK_EXT_present_mode_fifo_latest_ready",
		"> VK_EXT_present_timing",
		"> VK_KHR_calibrated_timestamps",
		"> VK_KHR_present_id2",
		"> VK_KHR_present_mode_fifo_latest_ready",
		"> VK_KHR_present_wait2",
		/* And VK_EXT_surface_maintenance1, so that it tells what the surface says there. */
		"> VkSurfacePresentModeCompatibilityEXT:",
		"> VkSurfacePresentScalingCapabilitiesEXT:",
		"> ------",
		"> presentModeCount = 0",
		"> pPresentModes:",
		"> supportedPresentScaling:",
		"> supportedPresentGravityX:",
		"> supportedPresentGravityY:",
		"> None",
		"> minScaledImageExtent:",
		"> maxScaledImageExtent:",
		"> width = 256",
		"> height = 256",
	};
	struct spawn child;
	struct kr_xvfb x;

	skip_without_lavapipe();
	kr_xvfb_start(&x, "640x480x24", NULL, NULL);
	spawn_run(&child, LIMIT_S,
		/* It puts the longest name's width in front of all the others'. */
		ARGV("diff", "-w", full_text("theirs", x.display, NULL),
			full_text("ours", x.display, library_env())),
		NULL);
	assert_int_equal(child.code, 1);
	kr_xvfb_stop(&x);
	squeeze(child.output);
	for (char *line = strtok(child.output, "\n"); line; line = strtok(NULL, "\n")) {
		bool found = line[0] != '<' && line[0] != '>';

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && !found; i++)
			found = !strncmp(line, known[i], strlen(known[i])) &&
				(strlen(known[i]) > 2 || !line[2]);
		if (!found)
			fail_msg("this differs from Debian's loader:\n%s", line);
	}
	spawn_finish(&child);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(it_is_krafla, 0, 60),
	KR_TEST_SLOW(names_lavapipe, 0, 60),
	KR_TEST_SLOW(lists_two_drivers, 0, 60),
	KR_TEST_SLOW(differs_only_so, 0, 60),
	KR_TEST_SLOW(warns_of_what_was_asked_for, 0, 60),
	KR_TEST(garbage_in_a_property_file),
	KR_TEST_SLOW(bad_manifests_beside_a_good_one, 0, 60),
	KR_TEST(no_driver_is_said),
	KR_TEST(crashing_driver_is_named),
};

KR_TEST_MAIN(tests)
