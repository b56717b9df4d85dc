/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that say of memory that it is a GPU's image, and lie, beside an honest one, on a display
 * that is composed by that GPU (W-11): the honest one's pictures are all there, the display lives,
 * and ends as it should.
 *
 * KRAFLA_TEST_DRIVER_FILES names the driver in lavapipe's place: a real GPU's.
 * KRAFLA_TEST_LIBRARIES is where the libraries lie that a machine hasn't got itself.
 */
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"

#define LIMIT_S 120
#define FRAMES  "150"
#define PROGRAM "hostile_buffers" /* beside this one */

static const char *
driver_env(void)
{
	const char *files = getenv("KRAFLA_TEST_DRIVER_FILES");

	if (files)
		return env_text("VK_DRIVER_FILES", files);
	skip_without_lavapipe();
	return lavapipe_env();
}

static const char *
libraries_env(void)
{
	const char *path = getenv("KRAFLA_TEST_LIBRARIES");

	return env_text("LD_LIBRARY_PATH", path ? path : "");
}

static const char *
command(const char *lie)
{
	static char text[PATH_MAX + 256];
	char self[PATH_MAX] = "";

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(text, sizeof(text), "%s/" PROGRAM " %s %s", dirname(self), lie,
		prefix_path("lib/libvulkan.so.1"));
	return text;
}

static json_t *
read_summary(void)
{
	json_error_t error;
	json_t *summary = json_load_file(kr_test_path("summary.json"), 0, &error);

	if (!summary)
		fail_msg("the summary: %s", error.text);
	return summary;
}

/* Whether the last picture has the honest program's cube, which is no even field. */
static void
expect_cube(void)
{
	char path[PATH_MAX];
	struct image image;

	snprintf(path, sizeof(path), "%s/%s.ppm", kr_test_dir(), FRAMES);
	image_load_ppm(&image, path);
	assert_true(image_drawn_pixels(&image) > image.width * image.height / 20);
	image_free(&image);
}

static void
run(const char *lie)
{
	const char *cube = prefix_path("bin/krafla-cube");
	struct spawn child;
	json_t *summary;

	spawn_run(&child, LIMIT_S,
		KRAFLA_RUN("--compose", "gpu", "--layout", "grid", "--display", "128x96",
			"--frames", FRAMES, "--summary", kr_test_path("summary.json"), "--capture",
			kr_test_path("%d.ppm"), "--program", cube, "--program", command(lie)),
		ENV(driver_env(), libraries_env(), "VK_LOADER_DEBUG=warn"));
	printf("# %s: krafla run ended with %d\n%s\n", lie, child.code, child.output);
	if (strstr(child.output, "the driver shares no semaphores"))
		kr_test_skip("no-shared-semaphores", NULL);
	if (strstr(child.output, "the driver's descriptors are no files"))
		kr_test_skip("no-memory-files", NULL);
	expect_no_text(&child, "hostile:"); /* it was cut off, or showed frames to the end */
	/* 5: the GPU's process was lost, and the CPU has drawn the rest. */
	if (child.code != 0 && child.code != 5)
		fail_msg("%s: krafla run ended with %d", lie, child.code);
	spawn_finish(&child);
	summary = read_summary();
	assert_int_equal(summary_number(summary, "frames", "composed"), atoi(FRAMES));
	assert_true(summary_number(summary, "frames", "shown") >= atoi(FRAMES));
	json_decref(summary);
	expect_cube();
}

#define LIE(name)                                                                                  \
	static void name##_memory(void **state)                                                    \
	{                                                                                          \
		run(#name);                                                                        \
	}
LIE(none)
LIE(null)
LIE(file)
LIE(semaphore)
LIE(truncated)
LIE(copy)
LIE(smaller)
LIE(larger)
LIE(device)
LIE(driver)
LIE(type)
LIE(format)
LIE(usage)

static const struct kr_test tests[] = {
	KR_TEST_SLOW(none_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(null_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(file_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(semaphore_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(truncated_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(copy_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(smaller_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(larger_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(device_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(driver_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(type_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(format_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
	KR_TEST_SLOW(usage_memory, KR_TEST_KEEPS_MEMORY, LIMIT_S),
};

KR_TEST_MAIN(tests)
