/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in an application's Wayland window while its frames go to a display of ours: black,
 * of the frames' size. The compositor so keeps the window mapped, says when its frames would have
 * been shown, and configures it, for programs that wait for that.
 *
 * One attach, damage and commit a frame are sent, on the thread that presents, as each driver's
 * window system does it. A commit applies what the application has asked for since the last one (a
 * frame callback, a size): that is what it waits for. Its events are read from the socket meanwhile
 * (link.h): programs leave that to whoever presents.
 *
 * A compositor that takes nothing must neither block the program nor break its
 * connection, which libwayland does when it has no room left for requests: after
 * MAX_UNANSWERED frames without an answer nothing more is asked of it until one comes.
 * The display doesn't care, and shows the frames.
 *
 * The buffer has the frames' size, because it is the buffer's size that makes the window's. (A
 * wp_viewport would save it, but a surface has only one, and an application with one of its own
 * would lose its connection.) It is a memfd that is never written: what takes memory is what
 * the compositor reads of it.
 */
#ifndef KR_OUTPUTS_WAYLAND_PLACEHOLDER_H
#define KR_OUTPUTS_WAYLAND_PLACEHOLDER_H

#include "util/macros.h"
#include "surface/output_module.h"

/* As open of struct kr_output_module, without a config. */
int placeholder_open(const struct kr_output_host *host, const struct kr_native_window *native,
	struct kr_output_window **window) KR_MUST_CHECK;

#endif
