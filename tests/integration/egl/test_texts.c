/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Debian's eglinfo and es2_info print, with Krafla in between and without: line by line the
 * same, but for names of extensions that Krafla adds. And what a table of calls answers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "programs.h"
#include "xvfb.h"

#define SCREEN "640x480x24"
#define ITEMS  4096

/* What Krafla may have where the vendor hasn't. */
static const char *const added[] = {"EGL_ANDROID_get_native_client_buffer",
	"EGL_ANDROID_image_native_buffer", "EGL_ANDROID_native_fence_sync", "EGL_ANDROID_wait_sync",
	"EGL_KHR_platform_android", "EGL_KHR_wait_sync"};

/* Lines; those that list extensions are cut into their words, which are wrapped as they fit. */
struct text {
	char *items[ITEMS];
	size_t count;
};

static void
add_item(struct text *text, char *item)
{
	assert_true(text->count < ITEMS);
	text->items[text->count++] = item;
}

static void
cut(struct text *text, char *output)
{
	char *line, *word, *next_word;

	text->count = 0;
	while ((line = strsep(&output, "\n"))) {
		if (strncmp(line, "    EGL_", 8)) {
			add_item(text, line);
			continue;
		}
		for (word = strtok_r(line, " ,", &next_word); word;
			word = strtok_r(NULL, " ,", &next_word))
			add_item(text, word);
	}
}

/* eglinfo has a part for each platform: the one of Android's windows is Krafla's alone. */
static void
drop_android(struct text *text)
{
	size_t kept = 0;
	bool android = false;

	for (size_t i = 0; i < text->count; i++) {
		if (strstr(text->items[i], " platform:"))
			android = !strcmp(text->items[i], "Android platform:");
		if (!android)
			text->items[kept++] = text->items[i];
	}
	text->count = kept;
}

static bool
may_be_added(const char *item)
{
	for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++) {
		if (!strcmp(item, added[i]))
			return true;
	}
	return false;
}

/* How often `extension` was added. */
static unsigned
expect_same(const struct text *plain, const struct text *krafla, const char *extension)
{
	unsigned times = 0;
	size_t i = 0;

	for (size_t k = 0; k < krafla->count; k++) {
		if (i < plain->count && !strcmp(plain->items[i], krafla->items[k]))
			i++;
		else if (may_be_added(krafla->items[k]))
			times += !strcmp(krafla->items[k], extension);
		else
			fail_msg("'%s' instead of '%s', after '%s'", krafla->items[k],
				i < plain->count ? plain->items[i] : "the end",
				k ? krafla->items[k - 1] : "the beginning");
	}
	if (i < plain->count)
		fail_msg("'%s' is missing", plain->items[i]);
	return times;
}

static unsigned
compare(const char *const *plain_words, const char *const *krafla_words, const char *display,
	const char *krafla_env)
{
	static struct text plain_text, krafla_text;
	const char *runtime_dir = env_text("XDG_RUNTIME_DIR", kr_test_dir());
	struct spawn plain, krafla;
	unsigned times;

	spawn_run(&plain, LIMIT_S, plain_words, ENV(display, runtime_dir));
	spawn_run(&krafla, LIMIT_S, krafla_words, ENV(display, runtime_dir, krafla_env));
	cut(&plain_text, plain.output);
	cut(&krafla_text, krafla.output);
	drop_android(&krafla_text);
	assert_true(plain_text.count > 20);
	times = expect_same(&plain_text, &krafla_text, "EGL_ANDROID_native_fence_sync");
	spawn_finish(&plain);
	spawn_finish(&krafla);
	return times;
}

/* Each display of llvmpipe's gets native fences. */
static void
eglinfo(void **state)
{
	const char *display;
	struct kr_xvfb x;

	skip_without_egl();
	kr_xvfb_start(&x, SCREEN, NULL, NULL);
	display = env_text("DISPLAY", x.display);
	assert_true(compare(ARGV("eglinfo"), ARGV("eglinfo"), display, egl_env(EGL_KRAFLA)) > 1);
	compare(ARGV("es2_info"), ARGV("es2_info"), display, egl_env(EGL_KRAFLA));
	kr_xvfb_stop(&x);
}

/* `krafla run` puts it there by itself. What it says of frames goes to stderr. */
static void
eglinfo_under_krafla_run(void **state)
{
	const char *display, *line;
	struct kr_xvfb x;

	skip_without_egl();
	kr_xvfb_start(&x, SCREEN, NULL, NULL);
	display = env_text("DISPLAY", x.display);
	line = env_text("exec 2>/dev/null; P", prefix_path("bin/krafla; $P run -- eglinfo"));
	assert_true(compare(ARGV("eglinfo"), ARGV("sh", "-c", line), display, NULL) > 1);
	kr_xvfb_stop(&x);
}

/* Every function of EGL with good and bad arguments, and the error that each leaves. */
static void
call_table(void **state)
{
	struct spawn plain, krafla;
	char *rest[2], *lines[2];
	unsigned different = 0;

	skip_without_egl();
	spawn_run(&plain, LIMIT_S, ARGV(TEST_CALL_TABLE), NULL);
	spawn_run(&krafla, LIMIT_S, ARGV(TEST_CALL_TABLE), ENV(egl_env(EGL_KRAFLA)));
	expect_code(&plain, 0);
	expect_code(&krafla, 0);
	rest[0] = plain.output;
	rest[1] = krafla.output;
	while ((lines[0] = strsep(&rest[0], "\n"))) {
		lines[1] = strsep(&rest[1], "\n");
		if (!lines[1] || strcmp(lines[0], lines[1])) {
			print_message("'%s'\ninstead of '%s'\n", lines[1], lines[0]);
			different++;
		}
	}
	assert_null(rest[1]);
	assert_int_equal(different, 0);
	spawn_finish(&plain);
	spawn_finish(&krafla);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(eglinfo, 0, 240),
	KR_TEST_SLOW(eglinfo_under_krafla_run, 0, 240),
	KR_TEST_SLOW(call_table, 0, 240),
};

KR_TEST_MAIN(tests)
