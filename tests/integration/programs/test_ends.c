/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DESIGN 4.7: a dead or stuck peer never hangs anyone. The display, the X server or the window goes
 * away while a program renders; the program hears of it and ends.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include "capture.h"
#include "harness.h"
#include "spawn.h"
#include "xvfb.h"

#define LIMIT_S 10 /* for a peer that died */
#define STUCK_S 12 /* for one that was stopped: 5 s, and a slow machine */
#define START_S 20
#define LOST    "VK_ERROR_SURFACE_LOST_KHR"
#define CUBE    prefix_path("bin/krafla-cube")
#define FOREVER "1000000000"

/* krafla -v tells when a window comes. */
static void
start_on_display(struct spawn *krafla, const char *clock, const char *mode)
{
	skip_without_lavapipe();
	spawn_start(krafla,
		KRAFLA_RUN("-v", "--display", "160x120", "--clock", clock, "--capture",
			capture_pattern("ends"), "--", CUBE, "--present-mode", mode),
		ENV(lavapipe_env(), env_text("XDG_RUNTIME_DIR", kr_test_dir())));
	for (int i = 0; i < START_S * 100 && !capture_exists("ends", 5); i++)
		poll(NULL, 0, 10);
	assert_true(capture_exists("ends", 5));
}

/* krafla is killed; its program is its own process and writes to the same pipe. */
static void
killed_display(void **state)
{
	static const char *const clocks[] = {"real", "virtual", "real"};
	static const char *const modes[] = {"fifo", "fifo", "mailbox"};

	for (int i = 0; i < 3; i++) {
		struct spawn krafla;

		start_on_display(&krafla, clocks[i], modes[i]);
		kill(krafla.pid, SIGKILL);
		if (!spawn_wait_for_end_of_output(&krafla, LIMIT_S))
			fail_msg(
				"the cube lives on without a display; it said:\n%s", krafla.output);
		expect_text(&krafla, LOST);
		spawn_finish(&krafla);
		unlink(kr_test_path("ends-00005.png"));
	}
}

/*
 * Stopped for more than 5 s while frames are due; when it goes on it reports what its program did.
 */
static void
stopped_display(void **state)
{
	static const char *const modes[] = {"fifo", "mailbox"};

	for (int i = 0; i < 2; i++) {
		struct spawn krafla;

		start_on_display(&krafla, "real", modes[i]);
		kill(krafla.pid, SIGSTOP);
		if (!spawn_wait_for(&krafla, LOST, STUCK_S))
			fail_msg("the cube isn't told within %d s; it said:\n%s", STUCK_S,
				krafla.output);
		kill(krafla.pid, SIGCONT);
		spawn_wait(&krafla, LIMIT_S);
		expect_code(&krafla, 1);
		spawn_finish(&krafla);
		unlink(kr_test_path("ends-00005.png"));
	}
}

/* Less than 5 s are nothing: the program goes on. */
static void
paused_display(void **state)
{
	struct spawn krafla;

	start_on_display(&krafla, "real", "fifo");
	kill(krafla.pid, SIGSTOP);
	poll(NULL, 0, 2000);
	kill(krafla.pid, SIGCONT);
	assert_false(spawn_wait_for(&krafla, LOST, 2));
	kill(krafla.pid, SIGTERM);
	spawn_wait(&krafla, LIMIT_S);
	expect_no_text(&krafla, LOST);
	assert_true(krafla.code >= 0);
	spawn_finish(&krafla);
}

/* --- X --- */

static void
start_on_x(struct spawn *cube, const struct kr_xvfb *x, const char *const *argv)
{
	spawn_start(cube, argv,
		ENV(library_env(), lavapipe_env(), "KRAFLA_WSI=platform",
			env_text("DISPLAY", x->display)));
}

/* The only window on the screen, once it shows something; 0 when none comes. */
static xcb_window_t
find_window(xcb_connection_t *c)
{
	xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(c)).data->root, found = 0;

	for (int i = 0; i < START_S * 100 && !found; i++) {
		xcb_query_tree_reply_t *tree =
			xcb_query_tree_reply(c, xcb_query_tree(c, root), NULL);

		if (tree && xcb_query_tree_children_length(tree))
			found = xcb_query_tree_children(tree)[0];
		free(tree);
		poll(NULL, 0, 10);
	}
	return found;
}

/* Waits until the cube's window isn't of one colour any more. */
static void
wait_for_picture(const struct kr_xvfb *x)
{
	const char *path = kr_test_path("shot.png");
	struct image screen;
	struct spawn shooter;
	uint32_t drawn = 0;

	for (int i = 0; i < 200 && drawn < 1000; i++) {
		spawn_run(&shooter, START_S, ARGV(TEST_XSHOT, path),
			ENV(env_text("DISPLAY", x->display)));
		expect_code(&shooter, 0);
		spawn_finish(&shooter);
		image_load_png(&screen, path);
		drawn = image_drawn_pixels(&screen);
		image_free(&screen);
	}
	assert_true(drawn >= 1000);
}

static void
expect_end(struct spawn *cube)
{
	spawn_wait(cube, LIMIT_S);
	if (cube->code < 0)
		fail_msg("it hangs; it said:\n%s", cube->output);
	if (cube->code > 127)
		fail_msg("signal %d ended it; it said:\n%s", cube->code - 128, cube->output);
	spawn_finish(cube);
}

static const char *const modes[] = {"fifo", "mailbox", "immediate"};

static void
destroyed_window(void **state)
{
	struct kr_xvfb x;

	skip_without_lavapipe();
	kr_xvfb_start(&x, "640x480x24", NULL, NULL);
	for (int i = 0; i < 3; i++) {
		xcb_connection_t *c = xcb_connect(x.display, NULL);
		struct spawn cube;

		start_on_x(&cube, &x,
			ARGV(CUBE, "--surface", "xcb", "--frames", FOREVER, "--present-mode",
				modes[i]));
		wait_for_picture(&x);
		xcb_destroy_window(c, find_window(c));
		xcb_flush(c);
		expect_end(&cube);
		xcb_disconnect(c);
	}
	kr_xvfb_stop(&x);
}

static void
killed_server(void **state)
{
	skip_without_lavapipe();
	for (int i = 0; i < 3; i++) {
		struct kr_xvfb x;
		struct spawn cube;

		kr_xvfb_start(&x, "640x480x24", NULL, NULL);
		start_on_x(&cube, &x,
			ARGV(CUBE, "--surface", "xcb", "--frames", FOREVER, "--present-mode",
				modes[i]));
		wait_for_picture(&x);
		kr_xvfb_stop(&x);
		expect_end(&cube);
	}
}

/* The application is not Krafla's own either. */
static void
killed_server_under_vkcube(void **state)
{
	struct kr_xvfb x;
	struct spawn cube;

	skip_without_lavapipe();
	kr_xvfb_start(&x, "640x640x24", NULL, NULL);
	start_on_x(&cube, &x, ARGV("vkcube", "--c", FOREVER));
	wait_for_picture(&x);
	kr_xvfb_stop(&x);
	spawn_wait(&cube, LIMIT_S);
	assert_true(cube.code >= 0);
	spawn_finish(&cube);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(killed_display, 0, 60),
	KR_TEST_SLOW(stopped_display, 0, 60),
	KR_TEST_SLOW(paused_display, 0, 60),
	KR_TEST_SLOW(destroyed_window, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(killed_server, 0, 60),
	KR_TEST_SLOW(killed_server_under_vkcube, 0, 60),
};

KR_TEST_MAIN(tests)
