/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `krafla run` tells programs of vendors of EGL, that eglinfo sees them so, and the commands
 * of docs/egl.md, each run by a shell as it stands there.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "programs.h"

#define PAGE TEST_SOURCE_DIR "/../../docs/egl.md"
#define MARK "```sh recipe="
#define TELL "echo [$__EGL_VENDOR_LIBRARY_FILENAMES] [$KRAFLA_EGL_VENDORS]"

static void
expect_told(const char *const *command, const char *variable, const char *names, const char *others)
{
	struct spawn child;
	char line[1024];

	snprintf(line, sizeof(line), "[%s] [%s]\n", names, others);
	spawn_run(&child, LIMIT_S, command, ENV(variable));
	expect_text(&child, line);
	spawn_finish(&child);
}

static const char *
manifest(void)
{
	return strchr(egl_env(EGL_KRAFLA), '=') + 1;
}

static void
krafla_is_named(void **state)
{
	expect_told(ARGV(prefix_path("bin/krafla"), "run", "--", "sh", "-c", TELL), NULL,
		manifest(), "");
}

/* What glvnd was told of before stands behind Krafla, also in a run within a run. */
static void
a_list_that_was_there_moves(void **state)
{
	const char *krafla = prefix_path("bin/krafla"), *told = "/one.json:/two.json";
	const char *variable = env_text("__EGL_VENDOR_LIBRARY_FILENAMES", told);

	expect_told(ARGV(krafla, "run", "--", "sh", "-c", TELL), variable, manifest(), told);
	expect_told(ARGV(krafla, "run", "--", krafla, "run", "--", "sh", "-c", TELL), variable,
		manifest(), told);
	expect_told(ARGV(krafla, "run", "--", krafla, "run", "--", "sh", "-c", TELL), NULL,
		manifest(), "");
}

/* Programs that nobody may look into get no library by their environment. */
static void
not_where_nobody_looks_in(void **state)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S,
		ARGV(prefix_path("bin/krafla"), "run", "--not-debuggable", "--", "sh", "-c", TELL),
		NULL);
	if (strstr(child.output, "has to trace it"))
		kr_test_skip("no-ptrace", NULL);
	expect_text(&child, "[] []\n");
	spawn_finish(&child);
}

/* A prefix with a library less: told of a vendor that isn't there, glvnd would have none. */
static const char *
prefix_without_egl(const char *name)
{
	const char *copy = kr_test_path(name);
	struct spawn child;

	spawn_run(&child, LIMIT_S,
		ARGV("sh", "-ec",
			"mkdir -p \"$2/bin\" \"$2/lib\" \"$2/share\"; cp \"$1/bin/krafla\" \"$2/bin\";"
			" ln -s \"$1\"/lib/* \"$2/lib\"; rm \"$2/lib/libEGL_krafla.so.0\";"
			" ln -s \"$1/share/krafla\" \"$2/share\"",
			"sh", prefix_path(""), copy),
		NULL);
	assert_int_equal(child.code, 0);
	spawn_finish(&child);
	return copy;
}

static void
expect_systems_vendors(const char *prefix, const char *why)
{
	struct spawn child;
	char krafla[1024];

	snprintf(krafla, sizeof(krafla), "%s/bin/krafla", prefix);
	spawn_run(&child, LIMIT_S, ARGV(krafla, "run", "--", "sh", "-c", TELL),
		ENV("__EGL_VENDOR_LIBRARY_FILENAMES=/one.json"));
	expect_text(&child, why);
	expect_text(&child, "EGL goes to the system's vendors");
	expect_text(&child, "[/one.json] []\n");
	spawn_finish(&child);
}

static void
what_is_not_there_is_not_named(void **state)
{
	expect_systems_vendors(prefix_without_egl("less"), "libEGL_krafla.so.0 can't be read");
}

/* ':' stands between the paths of a list. */
static void
what_no_list_can_name_is_not_named(void **state)
{
	const char *prefix = prefix_without_egl("a:b");
	char library[1024];

	snprintf(library, sizeof(library), "%s/lib/libEGL_krafla.so.0", prefix);
	assert_int_equal(symlink(prefix_path("lib/libEGL_krafla.so.0"), library), 0);
	expect_systems_vendors(prefix, "which no list can name");
}

/* Vendors that are named reach the program by way of Krafla. */
static void
named_vendors_are_used(void **state)
{
	const char *krafla = prefix_path("bin/krafla");
	struct spawn child;

	skip_without_egl();
	spawn_run(&child, LIMIT_S, ARGV(krafla, "run", "--", "eglinfo"),
		ENV("__EGL_VENDOR_LIBRARY_FILENAMES=/usr/share/glvnd/egl_vendor.d/50_mesa.json"));
	expect_text(&child, "EGL vendor string: Mesa Project");
	expect_text(&child, "EGL_KHR_platform_android");
	spawn_finish(&child);
	spawn_run(&child, LIMIT_S, ARGV(krafla, "run", "--", "eglinfo"),
		ENV("__EGL_VENDOR_LIBRARY_FILENAMES=/nowhere.json"));
	expect_no_text(&child, "EGL vendor string");
	spawn_finish(&child);
	/* Set to nothing it names none: so it is with glvnd. */
	spawn_run(&child, LIMIT_S, ARGV(krafla, "run", "--", "eglinfo"),
		ENV("__EGL_VENDOR_LIBRARY_FILENAMES="));
	expect_no_text(&child, "EGL vendor string");
	spawn_finish(&child);
}

/* Each has to end well, and to have EGL of Mesa's with Krafla before it. */
static void
run_recipe(const char *name, const char *text, size_t length)
{
	char line[4096];
	struct spawn child;

	snprintf(line, sizeof(line), "export PREFIX=%s; PATH=$PREFIX/bin:$PATH\n%.*s",
		prefix_path(""), (int)length, text);
	spawn_run(&child, LIMIT_S, ARGV("sh", "-c", line), NULL);
	if (!strstr(child.output, "EGL_KHR_platform_android"))
		fail_msg("%s prints:\n%s", name, child.output);
	spawn_finish(&child);
}

static void
commands_of_the_page(void **state)
{
	static char page[1 << 16];
	const char *at = page, *end;
	FILE *file = fopen(PAGE, "re");
	unsigned count = 0;
	char name[64];

	skip_without_egl();
	assert_non_null(file);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	while ((at = strstr(at, MARK))) {
		assert_int_equal(sscanf(at + strlen(MARK), "%63s", name), 1);
		at = strchr(at, '\n') + 1;
		end = strstr(at, "```");
		assert_non_null(end);
		run_recipe(name, at, (size_t)(end - at));
		at = end + 3;
		count++;
	}
	assert_int_equal(count, 5);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(krafla_is_named, 0, 60),
	KR_TEST_SLOW(a_list_that_was_there_moves, 0, 60),
	KR_TEST_SLOW(not_where_nobody_looks_in, 0, 60),
	KR_TEST_SLOW(what_is_not_there_is_not_named, 0, 60),
	KR_TEST_SLOW(what_no_list_can_name_is_not_named, 0, 60),
	KR_TEST_SLOW(named_vendors_are_used, 0, 60),
	KR_TEST_SLOW(commands_of_the_page, 0, 120),
};

KR_TEST_MAIN(tests)
