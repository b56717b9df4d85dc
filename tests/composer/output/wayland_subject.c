/* SPDX-License-Identifier: Apache-2.0 */
/* The Wayland output: on Weston, which shows nothing to anybody, and on a server of the test's. */
#include "subject.h"

#include "harness.h"
#include "wayland_server.h"
#include "weston.h"

#include <signal.h>
#include <string.h>

static struct kr_weston weston;
static struct wayland_server *server;

static void
start_weston(void)
{
	kr_weston_start(&weston);
}

static struct kr_display_output *
open_on_weston(uint32_t width, uint32_t height)
{
	return subject_open_module(strchr(weston.display, '=') + 1, width, height);
}

static void
freeze_weston(bool frozen)
{
	kill(weston.pid, frozen ? SIGSTOP : SIGCONT);
}

static void
stop_weston(void)
{
	kr_weston_stop(&weston);
}

static void
start_server(void)
{
	server = wayland_server_start();
}

static struct kr_display_output *
open_on_server(uint32_t width, uint32_t height)
{
	return subject_open_module(server->path, width, height);
}

static bool
read_server(uint32_t width, uint32_t height, uint32_t *pixels)
{
	return wayland_server_read(server, width, height, pixels);
}

static void
close_on_server(void)
{
	wayland_server_close_window(server);
}

static void
freeze_server(bool frozen)
{
	kill(server->pid, frozen ? SIGSTOP : SIGCONT);
}

static void
kill_server(void)
{
	wayland_server_kill(server);
}

static void
stop_server(void)
{
	wayland_server_stop(server);
}

const struct subject weston_subject = {
	.name = "weston",
	.module = "wayland",
	.start = start_weston,
	.open = open_on_weston,
	.freeze = freeze_weston,
	.kill = stop_weston,
	.stop = stop_weston,
};

const struct subject wayland_subject = {
	.name = "wayland",
	.module = "wayland",
	.start = start_server,
	.open = open_on_server,
	.read = read_server,
	.close = close_on_server,
	.freeze = freeze_server,
	.kill = kill_server,
	.stop = stop_server,
};
