/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debian's unmodified programs with Debian's loader in a sandbox without any driver, given one by
 * `krafla deliver` from those that are installed outside.
 */
#include "harness.h"
#include "sandbox.h"
#include "tests/integration/programs/spawn.h"
#include "xvfb.h"

#define LIMIT_S 120

#define KRAFLA       prefix_path("bin/krafla")
#define DELIVER(...) ARGV(KRAFLA, "deliver", "--no-service", __VA_ARGS__)

static const char *
make_root(void)
{
	skip_without_lavapipe();
	return sandbox_make(ARGV("/usr/bin/vulkaninfo", "/usr/bin/vkcube", system_loader()));
}

static void
run(struct spawn *child, const char *const *argv)
{
	spawn_run(child, LIMIT_S, argv, NULL);
}

/* The root has no driver: what follows gets one from krafla alone. */
static void
without_delivery_there_is_no_driver(void **state)
{
	const char *root = make_root();
	struct spawn child;

	run(&child, ARGV(SANDBOX(root), "--proc", "/proc", "vulkaninfo", "--summary"));
	expect_text(&child, "no drivers");
	expect_no_text(&child, "llvmpipe");
	spawn_finish(&child);
}

static void
driver_comes_in_a_mount(void **state)
{
	const char *root = make_root();
	struct spawn child;

	run(&child, DELIVER("--driver", "lvp", "--print", "--bwrap", SANDBOX(root), "vulkaninfo"));
	expect_text(&child, "KRAFLA_DELIVERED mount:");
	spawn_finish(&child);
	run(&child,
		DELIVER("--driver", "lvp", "--bwrap", "--", SANDBOX(root), "vulkaninfo",
			"--summary"));
	expect_lavapipe(&child);
}

/* --strict: sealed copies, also in a sandbox whose environment is cleared. */
static void
strict_driver_comes_in_memory(void **state)
{
	const char *root = make_root();
	struct spawn child;

	run(&child,
		DELIVER("--strict", "--driver", "lvp", "--print", "--bwrap", SANDBOX(root),
			"vulkaninfo"));
	expect_text(&child, "KRAFLA_DELIVERED memory:");
	spawn_finish(&child);
	run(&child,
		DELIVER("--strict", "--driver", "lvp", "--bwrap", SANDBOX(root), "--clearenv",
			"/usr/bin/vulkaninfo", "--summary"));
	expect_lavapipe(&child);
}

static void
library_path_works_as_well(void **state)
{
	const char *root = make_root();
	struct spawn child;

	run(&child,
		DELIVER("--library-path", "--driver", "lvp", "--bwrap", SANDBOX(root), "vulkaninfo",
			"--summary"));
	expect_lavapipe(&child);
}

/* Variables that choose drivers by the names of their manifests do so once, outside. */
static void
filters_choose_the_driver(void **state)
{
	static const char *const filters[] = {
		"VK_LOADER_DRIVERS_SELECT=lvp_icd*", "VK_LOADER_DRIVERS_DISABLE=krafla*"};
	const char *root = make_root();
	struct spawn child;

	for (int i = 0; i < 2; i++) {
		spawn_run(&child, LIMIT_S,
			DELIVER("--driver", "lvp", "--bwrap", SANDBOX(root), "vulkaninfo",
				"--summary"),
			ENV(filters[i]));
		expect_lavapipe(&child);
		spawn_run(&child, LIMIT_S,
			DELIVER("--driver", "lvp", "--", "vulkaninfo", "--summary"),
			ENV(filters[i]));
		expect_lavapipe(&child);
	}
	spawn_run(&child, LIMIT_S, DELIVER("true"), ENV("VK_LOADER_DRIVERS_DISABLE=*"));
	expect_code(&child, 125);
	expect_text(&child, "libvulkan_lvp.so");
	spawn_finish(&child);
}

/* Nothing but the driver: the sandbox sees no file of the outside through what it has inherited. */
static void
nothing_else_comes_along(void **state)
{
	const char *root = make_root(), *shell = "/bin/sh";
	struct spawn child;

	sandbox_make(ARGV("/bin/sh", "/bin/ls", "/bin/touch", "/bin/cat"));
	run(&child,
		DELIVER("--driver", "lvp", "--bwrap", SANDBOX(root), shell, "-c",
			"fd=${KRAFLA_DELIVERED#mount:}; ls /proc/self/fd/$fd/ || exit 1; "
			"for path in ../etc/hostname ../../etc/hostname ../usr/share/vulkan; do "
			"test ! -e /proc/self/fd/$fd/$path || exit 2; done; "
			"touch /proc/self/fd/$fd/new && exit 3; "
			"for file in /proc/self/fd/$fd/*; do (: >>$file) && exit 4; done; exit 0"));
	expect_code(&child, 0);
	expect_text(&child, "libvulkan_lvp.so");
	spawn_finish(&child);
}

/* One that krafla has started, and which starts another, both with Vulkan. */
static void
children_inherit_it(void **state)
{
	const char *root = make_root();
	struct spawn child;

	sandbox_make(ARGV("/bin/sh"));
	run(&child,
		DELIVER("--driver", "lvp", "--bwrap", SANDBOX(root), "/bin/sh", "-c",
			"vulkaninfo --summary && vulkaninfo --summary && echo both"));
	expect_text(&child, "both");
	expect_lavapipe(&child);
}

/* Something in between that closes what it doesn't know. */
static void
closed_descriptors_are_named(void **state)
{
	const char *root = make_root();
	struct spawn child;

	sandbox_make(ARGV("/bin/bash"));
	run(&child,
		DELIVER("--driver", "lvp", "--bwrap", SANDBOX(root), "/bin/bash", "-c",
			"fd=${KRAFLA_DELIVERED#mount:}; exec {fd}<&-; exec vulkaninfo --summary"));
	expect_text(&child, "has closed what it inherited");
	expect_no_text(&child, "llvmpipe");
	spawn_finish(&child);
}

/* Debian's vkcube draws by the driver that was delivered, in a window of an X server outside. */
static void
cube_is_drawn(void **state)
{
	const char *root = make_root();
	struct spawn child;
	struct kr_xvfb x;

	kr_xvfb_start(&x, "640x640x24", NULL, NULL);
	spawn_run(&child, LIMIT_S,
		DELIVER("--driver", "lvp", "--bwrap", SANDBOX(root), "--tmpfs", "/tmp", "--ro-bind",
			"/tmp/.X11-unix", "/tmp/.X11-unix", "vkcube", "--c", "60"),
		ENV(env_text("DISPLAY", x.display)));
	kr_xvfb_stop(&x);
	expect_lavapipe(&child);
}

/*
 * Where user namespaces are forbidden there are no mounts: the driver comes as
 * copies, the manifest is a file.
 */
static void
without_namespaces_copies_are_given(void **state)
{
	struct spawn child;

	make_root();
	run(&child, ARGV(WITHOUT_NAMESPACES, "true"));
	if (child.code)
		kr_test_skip("no-namespaces", child.output);
	spawn_finish(&child);
	run(&child,
		ARGV(WITHOUT_NAMESPACES, KRAFLA, "deliver", "--no-service", "--driver", "lvp", "sh",
			"-c", "echo $KRAFLA_DELIVERED; exec vulkaninfo --summary"));
	expect_text(&child, "memory:");
	expect_text(&child, "as copies in memory, not as mounts");
	expect_lavapipe(&child);
	run(&child,
		ARGV(WITHOUT_NAMESPACES, KRAFLA, "deliver", "--no-service", "--driver", "lvp",
			"--sandbox", "true"));
	expect_code(&child, 0);
	expect_text(&child, "krafla-delivered.json: the sandbox must show");
	spawn_finish(&child);
	run(&child,
		ARGV(WITHOUT_NAMESPACES, KRAFLA, "deliver", "--no-service", "--driver", "lvp",
			"--library-path", "true"));
	expect_code(&child, 125);
	expect_text(&child, "--library-path needs a mount");
	spawn_finish(&child);
	run(&child,
		ARGV(WITHOUT_NAMESPACES, KRAFLA, "deliver", "--no-service", "--driver", "lvp",
			"--print", "--bwrap", "bwrap", "app"));
	expect_text(&child, " /run/krafla-delivered.json --unsetenv");
	spawn_finish(&child);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(without_delivery_there_is_no_driver, 0, LIMIT_S),
	KR_TEST_SLOW(driver_comes_in_a_mount, 0, LIMIT_S),
	KR_TEST_SLOW(strict_driver_comes_in_memory, 0, LIMIT_S),
	KR_TEST_SLOW(library_path_works_as_well, 0, LIMIT_S),
	KR_TEST_SLOW(filters_choose_the_driver, 0, LIMIT_S),
	KR_TEST_SLOW(nothing_else_comes_along, 0, LIMIT_S),
	KR_TEST_SLOW(children_inherit_it, 0, LIMIT_S),
	KR_TEST_SLOW(closed_descriptors_are_named, 0, LIMIT_S),
	KR_TEST_SLOW(cube_is_drawn, 0, LIMIT_S),
	KR_TEST_SLOW(without_namespaces_copies_are_given, 0, LIMIT_S),
};

KR_TEST_MAIN(tests)
