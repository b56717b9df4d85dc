/* SPDX-License-Identifier: Apache-2.0 */
/* krafla run with captures. */
#include "capture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define LIMIT_S   60
#define MAX_WORDS 32

static void
capture_path(char *path, size_t size, const char *name, unsigned number)
{
	snprintf(path, size, capture_pattern(name), number);
}

const char *
capture_pattern(const char *name)
{
	char file[256];

	snprintf(file, sizeof(file), "%s-%%05d.png", name);
	return kr_test_path(file);
}

static const char *
summary_path(const char *name)
{
	char file[256];

	snprintf(file, sizeof(file), "%s.json", name);
	return kr_test_path(file);
}

void
capture(const char *name, const char *size, const char *frames, const char *const *program,
	const char *const *env)
{
	const char *words[MAX_WORDS] = {prefix_path("bin/krafla"), "run", "--clock", "virtual",
		"--display", size, "--frames", frames, "--capture", capture_pattern(name),
		"--summary", summary_path(name), "--"};
	size_t count = 13;
	struct spawn child;

	while (*program) {
		assert_true(count < MAX_WORDS - 1);
		words[count++] = *program++;
	}
	spawn_run(&child, LIMIT_S, words, env);
	expect_code(&child, 0);
	expect_no_text(&child, "error");
	spawn_finish(&child);
}

void
capture_load(struct image *image, const char *name, unsigned number)
{
	char path[1024];

	capture_path(path, sizeof(path), name, number);
	image_load_png(image, path);
}

bool
capture_exists(const char *name, unsigned number)
{
	char path[1024];

	capture_path(path, sizeof(path), name, number);
	return access(path, R_OK) == 0;
}

json_t *
capture_summary(const char *name)
{
	json_error_t error;
	json_t *summary = json_load_file(summary_path(name), 0, &error);

	if (!summary)
		fail_msg("%s: %s", summary_path(name), error.text);
	return summary;
}

json_int_t
summary_number(const json_t *summary, const char *object, const char *key)
{
	const json_t *value = json_object_get(json_object_get(summary, object), key);

	if (!json_is_integer(value))
		fail_msg("the summary has no number %s.%s", object, key);
	return json_integer_value(value);
}
