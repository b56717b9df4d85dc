/* SPDX-License-Identifier: Apache-2.0 */
/* Roots for sandboxes: see sandbox.h. */
#include "sandbox.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "tests/integration/programs/spawn.h"

#define LIMIT_S   60
#define MAX_FILES 32

/* $1 the root, then files. What ldd says of each is copied as well, the dynamic linker included. */
static const char copy_script[] = "root=$1; shift; set -e\n"
				  "for file; do\n"
				  "	for path in $file $(ldd $file | grep -o '/[^ ]*'); do\n"
				  "		mkdir -p $root${path%/*}\n"
				  "		test -e $root$path || cp -L $path $root$path\n"
				  "	done\n"
				  "done\n"
				  "mkdir -p $root/proc $root/dev $root/run $root/tmp $root/sys\n"
				  "chmod -R a+rX $root\n";

/* Objects of these cross between programs and drivers, so a driver takes the program's. */
static const char *const window_systems[] = {
	"/usr/lib/*-linux-gnu/libxcb*.so.[0-9]",
	"/usr/lib/*-linux-gnu/libX11*.so.[0-9]",
	"/usr/lib/*-linux-gnu/libwayland-client.so.0",
};

/* What comes with libc, so that a driver may count on it. */
static const char *const glibc[] = {
	"/lib/*-linux-gnu/libm.so.6",
	"/lib/*-linux-gnu/libdl.so.2",
	"/lib/*-linux-gnu/librt.so.1",
	"/lib/*-linux-gnu/libpthread.so.0",
};

static void
skip_without_bwrap(void)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S, ARGV("bwrap", "--version"), NULL);
	if (child.code)
		kr_test_skip("no-bwrap", NULL);
	spawn_finish(&child);
	spawn_run(&child, LIMIT_S,
		ARGV("bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev",
			"/dev", "true"),
		NULL);
	if (child.code)
		kr_test_skip("no-namespaces", child.output);
	spawn_finish(&child);
}

static void
copy(const char *root, const char *const *files)
{
	const char *argv[MAX_FILES] = {"sh", "-c", copy_script, "sh", root};
	struct spawn child;
	size_t count = 5;

	for (; *files; files++) {
		assert_true(count < MAX_FILES - 1);
		argv[count++] = *files;
	}
	spawn_run(&child, LIMIT_S, argv, NULL);
	expect_code(&child, 0);
	spawn_finish(&child);
}

static void
copy_found(const char *root, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		glob_t found = {0};

		if (!glob(patterns[i], 0, NULL, &found))
			copy(root, (const char *const *)found.gl_pathv);
		globfree(&found);
	}
}

static const char *
make_root(const char *const *files)
{
	const char *root = kr_test_path("root");

	skip_without_bwrap();
	copy(root, files);
	return root;
}

const char *
sandbox_make_bare(const char *const *files)
{
	const char *root = make_root(files);

	copy_found(root, glibc, sizeof(glibc) / sizeof(glibc[0]));
	return root;
}

const char *
sandbox_make(const char *const *files)
{
	const char *root = make_root(files);

	copy_found(root, window_systems, sizeof(window_systems) / sizeof(window_systems[0]));
	return root;
}

void
sandbox_swap_loader(void)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S,
		ARGV("sh", "-c",
			"for old in $(find $1 -name libvulkan.so.1); do "
			"install -m 755 $2 $old && echo swapped || exit 1; done",
			"sh", kr_test_path("root"), prefix_path("lib/libvulkan.so.1")),
		NULL);
	expect_code(&child, 0);
	expect_text(&child, "swapped");
	spawn_finish(&child);
}

void
expect_lavapipe(struct spawn *child)
{
	expect_code(child, 0);
	expect_text(child, "llvmpipe");
	spawn_finish(child);
}
