/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs in sandboxes without any driver that get lavapipe from a loader service outside: with
 * Krafla's libvulkan by its socket alone, with Debian's by `krafla deliver`.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/integration/programs/capture.h"
#include "harness.h"
#include "sandbox.h"
#include "service.h"
#include "tests/integration/programs/spawn.h"

#define LIMIT_S 120
#define SIZE    "320x240"
#define FRAMES  30

#define KRAFLA prefix_path("bin/krafla")

/* The case's service, and a root with these files. */
static const char *
begin(struct spawn *daemon, const char **socket, const char *const *files)
{
	const char *root;

	skip_without_lavapipe();
	root = sandbox_make(files);
	*socket = kr_test_path("run/service");
	service_start(daemon, *socket);
	return root;
}

/*
 * F-01, F-03, F-04, T-03: in the sandbox the cube has its own libc, X libraries and libvulkan, the
 * service's socket and that of a display outside, and no driver. What is captured there is, byte
 * for byte, what the cube shows outside with the driver that is installed.
 */
static void
cube_comes_to_a_display_outside(void **state)
{
	struct spawn daemon;
	const char *socket,
		*root = begin(&daemon, &socket,
			ARGV(prefix_path("bin/krafla-cube"), prefix_path("lib/libvulkan.so.1"),
				prefix_path("lib/libkrafla.so.0")));

	capture("outside", SIZE, "30", ARGV(prefix_path("bin/krafla-cube")), ENV(lavapipe_env()));
	capture("inside", SIZE, "30",
		ARGV("sh", "-c",
			"exec bwrap --unshare-all --ro-bind \"$1\" / --proc /proc --dev /dev "
			"--tmpfs /run --ro-bind \"$2\" /run/service --setenv KRAFLA_SERVICE "
			"/run/service "
			"--ro-bind \"$KRAFLA_DISPLAY\" /run/display "
			"--setenv KRAFLA_DISPLAY /run/display \"$3\"",
			"sh", root, socket, prefix_path("bin/krafla-cube")),
		NULL);
	for (unsigned i = 1; i <= FRAMES; i++) {
		char inside[1024], outside[1024];

		snprintf(inside, sizeof(inside), capture_pattern("inside"), i);
		snprintf(outside, sizeof(outside), capture_pattern("outside"), i);
		if (!files_equal(inside, outside))
			fail_msg("frame %u in the sandbox isn't the one outside", i);
	}
	assert_true(image_count_different(capture_pattern("inside"), FRAMES) >= FRAMES - 2);
	service_stop(&daemon);
}

/* Without the service that cube has nothing: the root is what it should be. */
static void
cube_has_no_driver_of_its_own(void **state)
{
	struct spawn child;
	const char *root;

	skip_without_lavapipe();
	root = sandbox_make(ARGV(prefix_path("bin/krafla-cube"), prefix_path("lib/libvulkan.so.1"),
		prefix_path("lib/libkrafla.so.0")));
	spawn_run(&child, LIMIT_S,
		ARGV(SANDBOX(root), "--proc", "/proc", prefix_path("bin/krafla-cube"), "--surface",
			"headless", "--frames", "1"),
		ENV(library_env()));
	assert_int_not_equal(child.code, 0);
	expect_no_text(&child, "llvmpipe");
	spawn_finish(&child);
}

/* --- roots without a window system --- */

/* What the program says in the root, by its own loader or by a driver that it inherited. */
static void
run_bare(struct spawn *child, const char *root, const char *socket)
{
	spawn_run(child, LIMIT_S,
		ARGV(SANDBOX(root), "--proc", "/proc", "--tmpfs", "/run", "--ro-bind", socket,
			"/run/service", TEST_BARE),
		ENV("KRAFLA_SERVICE=/run/service"));
	expect_code(child, 0);
	expect_text(child, "llvmpipe");
	expect_text(child, "drawn");
	expect_no_text(child, "twice");
}

/*
 * F-04: program, libvulkan and libc are all that there is. What of window systems the driver links
 * comes from the package.
 */
static void
bare_root_gets_the_driver(void **state)
{
	const char *socket = kr_test_path("run/service"), *root;
	struct spawn daemon, child;

	skip_without_lavapipe();
	root = sandbox_make_bare(ARGV(TEST_BARE));
	spawn_run(&child, LIMIT_S, ARGV("find", root, "-name", "lib*"), NULL);
	expect_no_text(&child, "xcb");
	expect_no_text(&child, "X11");
	expect_no_text(&child, "wayland");
	spawn_finish(&child);
	service_start(&daemon, socket);
	run_bare(&child, root, socket);
	expect_text(&child, "libxcb.so.1 is /proc/");
	expect_text(&child, "libxcb-dri3.so.0 is /proc/");
	spawn_finish(&child);
	service_stop(&daemon);
}

/* The same in sealed memory, and for Debian's loader. */
static void
bare_root_is_delivered_to(void **state)
{
	const char *root;
	struct spawn child;

	skip_without_lavapipe();
	root = sandbox_make_bare(ARGV(TEST_BARE, system_loader()));
	spawn_run(&child, LIMIT_S,
		ARGV("sh", "-c", "cp -L \"$1\" $(find \"$2\" -path '*/out/*' -name libvulkan.so.1)",
			"sh", system_loader(), root),
		NULL);
	expect_code(&child, 0);
	spawn_finish(&child);
	for (int strict = 0; strict < 2; strict++) {
		spawn_run(&child, LIMIT_S,
			ARGV(KRAFLA, "deliver", "--no-service", "--driver", "lvp",
				strict ? "--strict" : "--sandbox", "--bwrap", SANDBOX(root),
				TEST_BARE),
			NULL);
		expect_code(&child, 0);
		expect_text(&child, "drawn");
		expect_text(&child, "libxcb.so.1 is /proc/");
		expect_no_text(&child, "twice");
		spawn_finish(&child);
	}
}

/* One that has a libxcb and no more uses that: never the package's beside it. */
static void
root_with_its_own_libxcb_uses_it(void **state)
{
	const char *socket = kr_test_path("run/service"), *root;
	struct spawn daemon, child;

	skip_without_lavapipe();
	root = sandbox_make_bare(
		ARGV(TEST_BARE, prefix_path("bin/krafla-cube"), prefix_path("lib/libkrafla.so.0")));
	service_start(&daemon, socket);
	run_bare(&child, root, socket);
	expect_text(&child, "libxcb.so.1 is /lib/");
	expect_text(&child, "libxcb-dri3.so.0 is /proc/");
	spawn_finish(&child);
	/* Which is linked with it, so that it is loaded when the driver comes. */
	spawn_run(&child, LIMIT_S,
		ARGV(SANDBOX(root), "--proc", "/proc", "--tmpfs", "/run", "--ro-bind", socket,
			"/run/service", prefix_path("bin/krafla-cube"), "--surface", "headless",
			"--frames", "3"),
		ENV("KRAFLA_SERVICE=/run/service"));
	expect_code(&child, 0);
	spawn_finish(&child);
	service_stop(&daemon);
}

/* --- other users --- */

#define AS_NOBODY "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"

static void
open_for_others(void)
{
	if (geteuid())
		kr_test_skip("no-root", NULL);
	assert_int_equal(chmod(kr_test_dir(), 0755), 0);
}

/* A user whom the service isn't, in a user namespace where he is yet another. */
static void
other_user_gets_the_driver(void **state)
{
	struct spawn daemon, child;
	const char *socket, *root;

	open_for_others();
	root = begin(&daemon, &socket, ARGV("/usr/bin/vulkaninfo", system_loader()));
	sandbox_swap_loader();
	spawn_run(&child, LIMIT_S,
		ARGV(AS_NOBODY, SANDBOX(root), "--uid", "1234", "--gid", "1234", "--proc", "/proc",
			"--tmpfs", "/run", "--ro-bind", socket, "/run/service", "vulkaninfo",
			"--summary"),
		ENV("KRAFLA_SERVICE=/run/service"));
	expect_lavapipe(&child);
	service_stop(&daemon);
}

/*
 * The same with Debian's loader: he runs a copy of krafla, whose own folder he may
 * not be able to see.
 */
static void
other_user_is_delivered_to(void **state)
{
	struct spawn daemon, child;
	const char *socket, *root;

	open_for_others();
	root = begin(&daemon, &socket, ARGV("/usr/bin/vulkaninfo", system_loader()));
	spawn_run(&child, LIMIT_S,
		ARGV("sh", "-c",
			"mkdir -p $2/bin $2/lib/krafla && cp $1/bin/krafla $2/bin && "
			"cp $1/lib/krafla/krafla-delivered.* $2/lib/krafla && chmod -R a+rX $2",
			"sh", prefix_path(""), kr_test_path("copy")),
		NULL);
	expect_code(&child, 0);
	spawn_finish(&child);
	spawn_run(&child, LIMIT_S,
		ARGV(AS_NOBODY, kr_test_path("copy/bin/krafla"), "deliver", "--service", socket,
			"--bwrap", "--", SANDBOX(root), "--uid", "1234", "--gid", "1234",
			"vulkaninfo", "--summary"),
		NULL);
	expect_lavapipe(&child);
	service_stop(&daemon);
}

/* --- krafla deliver and services --- */

static void
service_delivers(void **state)
{
	struct spawn daemon, child;
	const char *socket,
		*root = begin(&daemon, &socket, ARGV("/usr/bin/vulkaninfo", system_loader()));

	/* The variable, too; both ways to give it. */
	spawn_run(&child, LIMIT_S,
		ARGV(KRAFLA, "deliver", "--bwrap", SANDBOX(root), "vulkaninfo", "--summary"),
		ENV(env_text("KRAFLA_SERVICE", socket)));
	expect_lavapipe(&child);
	spawn_run(&child, LIMIT_S,
		ARGV(KRAFLA, "deliver", "--service", socket, "--driver", "lvp", "--strict",
			"--bwrap", SANDBOX(root), "vulkaninfo", "--summary"),
		NULL);
	expect_lavapipe(&child);
	spawn_run(&child, LIMIT_S,
		ARGV(KRAFLA, "deliver", "--service", socket, "--strict", "--print", "true"), NULL);
	expect_code(&child, 0);
	expect_text(&child, "KRAFLA_DELIVERED=memory:");
	spawn_finish(&child);
	/* It offers the one driver; those that are installed here it doesn't know. */
	spawn_run(&child, LIMIT_S,
		ARGV(KRAFLA, "deliver", "--service", socket, "--driver", "intel", "true"), NULL);
	expect_code(&child, 125);
	expect_text(&child, "no driver 'intel'; it offers:\n  libvulkan_lvp.so");
	spawn_finish(&child);
	service_stop(&daemon);
}

/*
 * What a package says of nodes, the system's files and variables reaches the sandbox by the
 * service, too.
 */
static void
sandbox_is_as_the_package_says(void **state)
{
	struct spawn daemon, child;
	const char *socket, *root = begin(&daemon, &socket, ARGV("/bin/sh", "/bin/cat")),
			    *shell = "/bin/sh";

	spawn_run(&child, LIMIT_S,
		ARGV(KRAFLA, "deliver", "--service", socket, "--print", "--bwrap", SANDBOX(root),
			"true"),
		NULL);
	expect_code(&child, 0);
	expect_text(&child, " --dev-bind /dev/null /dev/null ");
	/* A root that is read-only and has no such directory can't show it. */
	expect_no_text(&child, "/usr/share/doc");
	spawn_finish(&child);
	spawn_run(&child, LIMIT_S,
		ARGV(KRAFLA, "deliver", "--service", socket, "--print", "--bwrap", SANDBOX(root),
			"--tmpfs", "/usr", "true"),
		NULL);
	expect_code(&child, 0);
	expect_text(&child, " --ro-bind-try /usr/share/doc /usr/share/doc ");
	spawn_finish(&child);
	for (int strict = 0; strict < 2; strict++) {
		spawn_run(&child, LIMIT_S,
			ARGV(KRAFLA, "deliver", "--service", socket,
				strict ? "--strict" : "--sandbox", "--bwrap", SANDBOX(root),
				"--clearenv", shell, "-c",
				"test ! -e /usr/share/doc && test -e /sys/dev/char/1:3 && /bin/cat "
				"$TEST_FILE"),
			NULL);
		expect_code(&child, 0);
		expect_text(&child, "what it reads");
		spawn_finish(&child);
	}
	service_stop(&daemon);
}

/* The command ends the service before it looks for its driver. */
static void
delivered_driver_outlives_its_service(void **state)
{
	struct spawn daemon, child;
	const char *socket,
		*root = begin(&daemon, &socket, ARGV("/usr/bin/vulkaninfo", system_loader()));
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", daemon.pid);
	spawn_run(&child, LIMIT_S,
		ARGV(KRAFLA, "deliver", "--service", socket, "--driver", "0-libvulkan_lvp.so",
			"--sandbox", "--", "sh", "-c",
			"kill $1; while test -S $2; do sleep 0.1; done; shift 2; exec \"$@\"", "sh",
			pid, socket, SANDBOX(root), "--proc", "/proc", "vulkaninfo", "--summary"),
		NULL);
	expect_lavapipe(&child);
	service_stop(&daemon);
}

/* --- where user namespaces are forbidden --- */

static void
expect_copies(const char *socket, unsigned count)
{
	struct spawn child;
	char text[64];

	spawn_run(&child, LIMIT_S, ARGV(KRAFLA, "service", "status", "--json", "--socket", socket),
		NULL);
	expect_code(&child, 0);
	expect_text(&child, "\"delivery\": \"memory\"");
	expect_text(&child, "making a user namespace failed");
	snprintf(text, sizeof(text), "\n    \"mount\": 0,\n    \"memory\": %u,", count);
	expect_text(&child, text);
	spawn_finish(&child);
}

/*
 * F-04: the service can't make mounts, so it gives copies, to a client in a sandbox and to one that
 * can make no namespaces either.
 */
static void
without_namespaces_the_driver_comes_in_memory(void **state)
{
	struct spawn daemon, child;
	const char *socket = kr_test_path("run/service"), *root;

	skip_without_lavapipe();
	root = sandbox_make(ARGV("/usr/bin/vulkaninfo", system_loader()));
	sandbox_swap_loader();
	service_start_without_namespaces(&daemon, socket);
	spawn_run(&child, LIMIT_S,
		ARGV(SANDBOX(root), "--proc", "/proc", "--tmpfs", "/run", "--ro-bind", socket,
			"/run/service", "vulkaninfo", "--summary"),
		ENV("KRAFLA_SERVICE=/run/service"));
	expect_lavapipe(&child);
	expect_copies(socket, 1);
	spawn_run(&child, LIMIT_S,
		ARGV("unshare", "-Urm", "sh", "-c",
			"mount --rbind /proc $1/proc && mount --bind ${2%/*} $1/run && "
			"echo 0 >/proc/sys/user/max_user_namespaces && "
			"exec chroot $1 vulkaninfo --summary",
			"sh", root, socket),
		ENV("KRAFLA_SERVICE=/run/service"));
	expect_lavapipe(&child);
	expect_copies(socket, 2);
	service_stop(&daemon);
}

static void
missing_service_is_told(void **state)
{
	struct spawn child;
	const char *socket = kr_test_path("nobody");

	spawn_run(&child, LIMIT_S, ARGV(KRAFLA, "deliver", "--service", socket, "true"), NULL);
	expect_code(&child, 125);
	expect_text(&child, socket);
	spawn_finish(&child);
	spawn_run(&child, LIMIT_S, ARGV(KRAFLA, "deliver", "true"),
		ENV(env_text("KRAFLA_SERVICE", socket)));
	expect_code(&child, 125);
	expect_text(&child, socket);
	spawn_finish(&child);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(cube_comes_to_a_display_outside, 0, LIMIT_S),
	KR_TEST_SLOW(cube_has_no_driver_of_its_own, 0, LIMIT_S),
	KR_TEST_SLOW(bare_root_gets_the_driver, 0, LIMIT_S),
	KR_TEST_SLOW(bare_root_is_delivered_to, 0, LIMIT_S),
	KR_TEST_SLOW(root_with_its_own_libxcb_uses_it, 0, LIMIT_S),
	KR_TEST_SLOW(other_user_gets_the_driver, 0, LIMIT_S),
	KR_TEST_SLOW(other_user_is_delivered_to, 0, LIMIT_S),
	KR_TEST_SLOW(service_delivers, 0, LIMIT_S),
	KR_TEST_SLOW(sandbox_is_as_the_package_says, 0, 200),
	KR_TEST_SLOW(delivered_driver_outlives_its_service, 0, LIMIT_S),
	KR_TEST_SLOW(without_namespaces_the_driver_comes_in_memory, 0, LIMIT_S),
	KR_TEST_SLOW(missing_service_is_told, 0, LIMIT_S),
};

KR_TEST_MAIN(tests)
