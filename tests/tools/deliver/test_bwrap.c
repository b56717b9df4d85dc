/* SPDX-License-Identifier: Apache-2.0 */
/* What krafla deliver puts into a command line of bwrap, and where. No bwrap is run. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tools/deliver/bwrap.h"
#include "tools/deliver/nodes.h"
#include "harness.h"
#include "util/text.h"

#define LINE(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The words with blanks between them; to be freed. */
static char *
join(const struct kr_words *words)
{
	char *text = strdup("");

	assert_false(words->failed);
	for (size_t i = 0; i < words->count; i++) {
		char *longer = kr_asprintf("%s%s%s", text, i ? " " : "", words->items[i]);

		free(text);
		text = longer;
	}
	return text;
}

static void
expect_line(const char *const *argv, const char *expected)
{
	struct kr_words more = {0}, out = {0};
	struct kr_bwrap_line line;
	char *reason = NULL, *text;

	if (kr_bwrap_read(argv, &line, &reason))
		fail_msg("%s", reason);
	kr_words_add(&more, "MORE");
	kr_bwrap_extend(&line, &more, &out);
	text = join(&out);
	assert_string_equal(text, expected);
	free(text);
	kr_words_finish(&out);
	kr_words_finish(&more);
}

static void
expect_refusal(const char *const *argv, const char *part)
{
	struct kr_bwrap_line line = {.options = 4711};
	char *reason = NULL;

	assert_int_equal(kr_bwrap_read(argv, &line, &reason), -22);
	assert_non_null(reason);
	if (!strstr(reason, part))
		fail_msg("'%s' doesn't say '%s'", reason, part);
	assert_int_equal(line.options, 4711);
	free(reason);
}

/* Behind all options: what comes later in bwrap's line covers what came before. */
static void
arguments_go_behind_the_options(void **state)
{
	expect_line(LINE("bwrap", "--proc", "/proc", "--dev", "/dev", "app", "--dev", "x"),
		"bwrap --proc /proc --dev /dev MORE -- app --dev x");
	expect_line(LINE("/usr/bin/bwrap", "--unshare-all", "--proc", "/proc", "--", "app"),
		"/usr/bin/bwrap --unshare-all --proc /proc MORE -- app");
	expect_line(LINE("bwrap", "--setenv", "A", "--", "--proc", "/proc", "app"),
		"bwrap --setenv A -- --proc /proc MORE -- app");
}

static void
proc_is_added_only_where_there_is_none(void **state)
{
	expect_line(LINE("bwrap", "app"), "bwrap --proc /proc MORE -- app");
	expect_line(LINE("bwrap", "--ro-bind", "/", "/", "app"), "bwrap --ro-bind / / MORE -- app");
	expect_line(LINE("bwrap", "--bind", "/proc", "/proc", "app"),
		"bwrap --bind /proc /proc MORE -- app");
	/* Another root, an empty /proc. */
	expect_line(LINE("bwrap", "--ro-bind", "/srv", "/", "app"),
		"bwrap --ro-bind /srv / --proc /proc MORE -- app");
	expect_line(LINE("bwrap", "--tmpfs", "/proc", "app"),
		"bwrap --tmpfs /proc --proc /proc MORE -- app");
	/* What comes later covers what came before. */
	expect_line(LINE("bwrap", "--ro-bind", "/", "/", "--tmpfs", "/proc", "app"),
		"bwrap --ro-bind / / --tmpfs /proc --proc /proc MORE -- app");
	expect_line(LINE("bwrap", "--proc", "/proc", "--ro-bind", "/srv", "/", "app"),
		"bwrap --proc /proc --ro-bind /srv / --proc /proc MORE -- app");
	expect_line(LINE("bwrap", "--setenv", "--proc", "/proc", "app"),
		"bwrap --setenv --proc /proc --proc /proc MORE -- app");
}

static void
expect_sys(const char *const *argv, const char *text)
{
	struct kr_words more = {0}, out = {0};
	struct kr_bwrap_line line;
	char *reason = NULL, said[1024] = "";

	assert_int_equal(kr_bwrap_read(argv, &line, &reason), 0);
	kr_words_add(&more, "--ro-bind");
	kr_words_add(&more, "/x");
	kr_words_add(&more, "/sys/x");
	kr_bwrap_extend(&line, &more, &out);
	for (size_t i = 0; i < out.count; i++) {
		strncat(said, i ? " " : "", sizeof(said) - strlen(said) - 1);
		strncat(said, out.items[i], sizeof(said) - strlen(said) - 1);
	}
	assert_string_equal(said, text);
	kr_words_finish(&out);
	kr_words_finish(&more);
}

/* A read-only root has an empty /sys, where bwrap can make no places to mount things. */
static void
sys_is_added_only_where_there_is_none(void **state)
{
	expect_sys(LINE("bwrap", "--ro-bind", "./root", "/", "--proc", "/proc", "app"),
		"bwrap --ro-bind ./root / --proc /proc --tmpfs /sys --ro-bind /x /sys/x -- app");
	expect_sys(LINE("bwrap", "--ro-bind", "/", "/", "app"),
		"bwrap --ro-bind / / --ro-bind /x /sys/x -- app");
	expect_sys(LINE("bwrap", "--proc", "/proc", "--ro-bind", "/sys", "/sys", "app"),
		"bwrap --proc /proc --ro-bind /sys /sys --ro-bind /x /sys/x -- app");
	expect_sys(LINE("bwrap", "--proc", "/proc", "--tmpfs", "/sys", "app"),
		"bwrap --proc /proc --tmpfs /sys --ro-bind /x /sys/x -- app");
}

static bool
has_room(const char *const *argv, const char *path)
{
	struct kr_bwrap_line line;
	char *reason = NULL;

	assert_int_equal(kr_bwrap_read(argv, &line, &reason), 0);
	return kr_bwrap_has_room(&line, path);
}

static void
room_in_a_read_only_root_must_be_there(void **state)
{
	const char *root = kr_test_dir();
	char share[512];

	snprintf(share, sizeof(share), "%s/share", root);
	assert_int_equal(mkdir(share, 0755), 0);
	assert_true(has_room(LINE("bwrap", "--ro-bind", root, "/", "app"), "/share"));
	assert_false(has_room(LINE("bwrap", "--ro-bind", root, "/", "app"), "/share/x"));
	assert_false(
		has_room(LINE("bwrap", "--ro-bind-try", root, "/usr/", "app"), "/usr/share/x"));
	assert_true(has_room(LINE("bwrap", "--ro-bind", root, "/usr", "app"), "/usrx/share/x"));
	assert_true(has_room(LINE("bwrap", "--bind", root, "/", "app"), "/share/x"));
	assert_true(has_room(LINE("bwrap", "app"), "/share/x"));
	assert_true(has_room(
		LINE("bwrap", "--ro-bind", root, "/", "--tmpfs", "/share", "app"), "/share/x"));
	assert_false(has_room(
		LINE("bwrap", "--tmpfs", "/share", "--ro-bind", root, "/", "app"), "/share/x"));
}

static void
unknown_options_need_dashes(void **state)
{
	expect_refusal(LINE("bwrap", "--new-thing", "app"), "--new-thing");
	expect_line(LINE("bwrap", "--new-thing", "3", "--proc", "/proc", "--", "app"),
		"bwrap --new-thing 3 --proc /proc --proc /proc MORE -- app");
}

static void
what_is_no_line_of_bwrap_is_refused(void **state)
{
	expect_refusal(LINE("vkcube"), "'vkcube' isn't bwrap");
	expect_refusal(LINE("/usr/bwrap/vkcube"), "isn't bwrap");
	expect_refusal(LINE("bwrap"), "without a command");
	expect_refusal(LINE("bwrap", "--dev", "/dev"), "without a command");
	expect_refusal(LINE("bwrap", "--dev", "/dev", "--"), "without a command");
	expect_refusal(LINE("bwrap", "--bind", "/usr"), "takes 2 arguments");
}

/* --- devices --- */

static void
make_folder(const char *name)
{
	assert_int_equal(mkdir(kr_test_path(name), 0755), 0);
}

static void
make_link(const char *to, const char *name)
{
	assert_int_equal(symlink(to, kr_test_path(name)), 0);
}

/* A device directory whose nodes lead to /dev/null and /dev/zero, and the sysfs of those. */
static void
make_devices(struct kr_deliver_roots *roots)
{
	static char dev[512], sys[512];

	make_folder("dev");
	make_folder("dev/dri");
	make_link("/dev/null", "dev/dri/renderD128");
	make_link("/dev/zero", "dev/dri/renderD129");
	kr_test_file("dev/dri/renderD130", "no device");
	make_folder("sys");
	make_folder("sys/class");
	make_folder("sys/class/drm");
	make_folder("sys/dev");
	make_folder("sys/dev/char");
	make_folder("sys/devices");
	make_folder("sys/devices/pci");
	make_folder("sys/devices/pci/render");
	make_folder("sys/devices/virtual");
	make_link("../../pci", "sys/devices/pci/render/device");
	make_link("../../devices/pci/render", "sys/dev/char/1:3");
	make_link("../../devices/virtual", "sys/dev/char/1:5");
	snprintf(dev, sizeof(dev), "%s/dev", kr_test_dir());
	snprintf(sys, sizeof(sys), "%s/sys", kr_test_dir());
	*roots = (struct kr_deliver_roots){.dev = dev, .sys = sys};
}

static void
expect_arguments(const struct kr_deliver_roots *roots, const char *node, const char *expected)
{
	const char *nodes[] = {node, node};
	struct kr_words words = {0};
	char *text, *at;
	size_t length = strlen(kr_test_dir());

	kr_deliver_node_arguments(roots, nodes, 2, &words);
	text = join(&words);
	while ((at = strstr(text, kr_test_dir())))
		memmove(at, at + length, strlen(at + length) + 1);
	assert_string_equal(text, expected);
	free(text);
	kr_words_finish(&words);
}

static void
nodes_come_with_their_sysfs(void **state)
{
	struct kr_deliver_roots roots;

	make_devices(&roots);
	expect_arguments(&roots, "dri/renderD128",
		"--dev-bind /dev/dri/renderD128 /dev/dri/renderD128 "
		"--ro-bind /sys/dev/char /sys/dev/char --ro-bind /sys/class/drm /sys/class/drm "
		"--ro-bind /sys/devices/pci /sys/devices/pci");
	/* One that no hardware is behind: its own directory. And all that a pattern names. */
	expect_arguments(&roots, "dri/*",
		"--dev-bind /dev/dri/renderD128 /dev/dri/renderD128 "
		"--ro-bind /sys/dev/char /sys/dev/char --ro-bind /sys/class/drm /sys/class/drm "
		"--ro-bind /sys/devices/pci /sys/devices/pci "
		"--dev-bind /dev/dri/renderD129 /dev/dri/renderD129 "
		"--ro-bind /sys/devices/virtual /sys/devices/virtual");
}

static void
what_is_no_device_is_not_shown(void **state)
{
	struct kr_deliver_roots roots;

	make_devices(&roots);
	expect_arguments(&roots, "dri/renderD130", "");
	expect_arguments(&roots, "nvidia*", "");
	expect_arguments(&roots, "../dev/dri/renderD128", "");
}

/* A link of sysfs that leads out of it shows nothing of the outside. */
static void
sysfs_is_not_left(void **state)
{
	struct kr_deliver_roots roots;

	make_devices(&roots);
	assert_int_equal(unlink(kr_test_path("sys/dev/char/1:5")), 0);
	make_link("/etc", "sys/dev/char/1:5");
	expect_arguments(
		&roots, "dri/renderD129", "--dev-bind /dev/dri/renderD129 /dev/dri/renderD129");
}

static const struct kr_test tests[] = {
	KR_TEST(arguments_go_behind_the_options),
	KR_TEST(proc_is_added_only_where_there_is_none),
	KR_TEST(sys_is_added_only_where_there_is_none),
	KR_TEST(room_in_a_read_only_root_must_be_there),
	KR_TEST(unknown_options_need_dashes),
	KR_TEST(what_is_no_line_of_bwrap_is_refused),
	KR_TEST(nodes_come_with_their_sysfs),
	KR_TEST(what_is_no_device_is_not_shown),
	KR_TEST(sysfs_is_not_left),
};

KR_TEST_MAIN(tests)
