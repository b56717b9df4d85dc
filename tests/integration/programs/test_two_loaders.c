/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Krafla and another loader in one process (two_loaders.c): preloaded, linked, opened first
 * and last, beside Debian's libvulkan.so.1 and the one that Debian's chromium brings. The
 * other takes Krafla's names for its own where those are global: calls with its objects come
 * to Krafla and go on to it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "spawn.h"

#define CHROMIUM_LOADER "/usr/lib/chromium/libvulkan.so.1"

/* Runs it with up to three loaders, each of which must have worked. */
static void
expect_all(const char *program, const char *preload, const char *one, const char *two,
	const char *three)
{
	struct spawn child;

	spawn_run(&child, 60, ARGV(program, one, two, three),
		ENV(lavapipe_env(), env_text("LD_PRELOAD", preload)));
	expect_code(&child, 0);
	expect_text(&child, "all done");
	spawn_finish(&child);
}

/* HOW:PATH, valid until the case ends. */
static const char *
spec(const char *how, const char *path)
{
	static char specs[16][300];
	static int next;
	char *text = specs[next++ % 16];

	snprintf(text, sizeof(specs[0]), "%s:%s", how, path);
	return text;
}

static void
opened(const char *other)
{
	static const char *const others[] = {"!names", "!gipa", "!mixed"};

	for (int i = 0; i < 3; i++) {
		expect_all(TEST_TWO_LOADERS, "", spec("names", TEST_LIBVULKAN),
			spec(others[i], other), NULL);
		expect_all(TEST_TWO_LOADERS, "", spec(others[i], other),
			spec("gipa", TEST_LIBVULKAN), NULL);
	}
}

static void
linked(const char *other)
{
	static const char *const others[] = {"!names", "!gipa", "!mixed"};

	for (int i = 0; i < 3; i++) {
		expect_all(TEST_TWO_LOADERS_LINKED, "", "linked", spec(others[i], other), NULL);
		expect_all(TEST_TWO_LOADERS_LINKED, "", spec(others[i], other), "linked",
			spec("gipa", TEST_LIBVULKAN));
	}
}

/* Who jumps to Krafla's name gets an instance of the other loader, and all works. */
static void
called(const char *program, const char *other)
{
	expect_all(program, "", "!tail", spec("!gipa", other), NULL);
	expect_all(program, "", spec("!odd", other), "linked", NULL);
	expect_all(program, "", spec("!mixed", other), "linked", "!tail");
}

static void
preloaded(const char *other)
{
	static const char *const others[] = {"!names", "!gipa", "!mixed"};

	expect_all(TEST_TWO_LOADERS, TEST_LIBVULKAN, "global", spec("gipa", TEST_LIBVULKAN), NULL);
	for (int i = 0; i < 3; i++) {
		const char *of_other = spec(others[i], other);

		expect_all(TEST_TWO_LOADERS, TEST_LIBVULKAN, of_other, NULL, NULL);
		expect_all(TEST_TWO_LOADERS, TEST_LIBVULKAN, spec("gipa", TEST_LIBVULKAN), of_other,
			NULL);
		expect_all(TEST_TWO_LOADERS, TEST_LIBVULKAN, of_other, spec("gipa", TEST_LIBVULKAN),
			NULL);
		expect_all(TEST_TWO_LOADERS_LINKED, TEST_LIBVULKAN, "linked", of_other, NULL);
	}
}

/* The other one is global, and ours is bound to itself. */
static void
beside_preloaded(const char *other)
{
	expect_all(TEST_TWO_LOADERS, other, spec("names", TEST_LIBVULKAN), "!global", NULL);
	expect_all(TEST_TWO_LOADERS, other, "!global", spec("gipa", TEST_LIBVULKAN), NULL);
}

static const char *
debians(void)
{
	skip_without_lavapipe();
	return system_loader();
}

static const char *
chromiums(void)
{
	skip_without_lavapipe();
	if (access(CHROMIUM_LOADER, R_OK))
		kr_test_skip("no-chromium", CHROMIUM_LOADER " isn't there");
	return CHROMIUM_LOADER;
}

/* K-53 */
static void
opened_beside_debians(void **state)
{
	opened(debians());
}

/* K-53 */
static void
linked_beside_debians(void **state)
{
	linked(debians());
}

/*
 * K-53: by a jump, by a pointer that stands in a register, from a program whose
 * functions have fixed addresses.
 */
static void
called_in_odd_ways(void **state)
{
	const char *other = debians();

	called(TEST_TWO_LOADERS_LINKED, other);
	called(TEST_TWO_LOADERS_FIXED, other);
	expect_all(TEST_TWO_LOADERS_FIXED, "", "linked", spec("!gipa", other), NULL);
	expect_all(TEST_TWO_LOADERS_FIXED, "", spec("!names", other), "linked", NULL);
}

/* K-53 */
static void
preloaded_before_debians(void **state)
{
	preloaded(debians());
}

/* K-53 */
static void
opened_behind_debians(void **state)
{
	beside_preloaded(debians());
}

static void
opened_beside_chromiums(void **state)
{
	opened(chromiums());
}

static void
linked_beside_chromiums(void **state)
{
	linked(chromiums());
}

static void
preloaded_before_chromiums(void **state)
{
	preloaded(chromiums());
	beside_preloaded(CHROMIUM_LOADER);
}

/* K-53: each object goes to the one of the two others that has made it. */
static void
three_loaders(void **state)
{
	const char *chromium = chromiums();

	expect_all(TEST_TWO_LOADERS_LINKED, "", "linked", spec("!gipa", debians()),
		spec("!gipa", chromium));
	expect_all(TEST_TWO_LOADERS_LINKED, "", spec("!gipa", chromium), spec("!names", debians()),
		"linked");
}

/*
 * K-53: it opens libvulkan.so, which isn't the name of what is preloaded, and finds another loader.
 */
static void
vulkaninfo_with_ours_preloaded(void **state)
{
	struct spawn child;

	(void)debians();
	spawn_run(&child, 60, ARGV("vulkaninfo", "--summary"),
		ENV(lavapipe_env(), env_text("LD_PRELOAD", TEST_LIBVULKAN)));
	expect_code(&child, 0);
	expect_text(&child, "llvmpipe");
	spawn_finish(&child);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(opened_beside_debians, 0, 240),
	KR_TEST_SLOW(linked_beside_debians, 0, 240),
	KR_TEST_SLOW(called_in_odd_ways, 0, 240),
	KR_TEST_SLOW(preloaded_before_debians, 0, 240),
	KR_TEST_SLOW(opened_behind_debians, 0, 240),
	KR_TEST_SLOW(opened_beside_chromiums, 0, 240),
	KR_TEST_SLOW(linked_beside_chromiums, 0, 240),
	KR_TEST_SLOW(preloaded_before_chromiums, 0, 240),
	KR_TEST_SLOW(three_loaders, 0, 240),
	KR_TEST_SLOW(vulkaninfo_with_ours_preloaded, 0, 120),
};

KR_TEST_MAIN(tests)
