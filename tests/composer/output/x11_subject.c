/* SPDX-License-Identifier: Apache-2.0 */
/* The X11 output, on a server of the test's own with all extensions or with fewer. */
#include "subject.h"

#include "harness.h"
#include "xvfb.h"

#include "x11_user.h"

#include <signal.h>

static struct kr_xvfb server;
static struct x11_user user;

static void
start_with(const char *arg1, const char *arg2)
{
	kr_xvfb_start(&server, "400x300x24", arg1, arg2);
	x11_user_begin(&user, server.display);
}

static void
start(void)
{
	start_with(NULL, NULL);
}

/* Present itself can't be switched off, but its events can. */
static void
start_without_present(void)
{
	start_with("-extension", "Generic Event Extension");
}

static void
start_without_shm(void)
{
	start_with("-extension", "MIT-SHM");
}

static void
stop(void)
{
	x11_user_end(&user);
	kr_xvfb_stop(&server);
}

static struct kr_display_output *
open_output(uint32_t width, uint32_t height)
{
	return subject_open_module(server.display, width, height);
}

static bool
read_window(uint32_t width, uint32_t height, uint32_t *pixels)
{
	return x11_user_read(&user, width, height, pixels);
}

static void
close_window(void)
{
	x11_user_close_window(&user);
}

static void
freeze(bool frozen)
{
	kill(server.pid, frozen ? SIGSTOP : SIGCONT);
}

static void
kill_server(void)
{
	kr_xvfb_stop(&server);
}

#define SUBJECT(called, starts)                                                                    \
	{                                                                                          \
		.name = (called), .module = "x11", .start = (starts), .open = open_output,         \
		.read = read_window, .close = close_window, .freeze = freeze, .kill = kill_server, \
		.stop = stop,                                                                      \
	}

const struct subject x11_subject = SUBJECT("x11", start);
const struct subject x11_put_subject = SUBJECT("x11-without-present", start_without_present);
const struct subject x11_plain_subject = SUBJECT("x11-without-shm", start_without_shm);
