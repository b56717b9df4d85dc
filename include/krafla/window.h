/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows on a Krafla display, for programs that create Android surfaces
 * (vkCreateAndroidSurfaceKHR) or drive an ANativeWindow themselves.
 *
 * Thread-safety: krafla_window_open may be called from any thread; a window as native_window.h
 * says.
 */
#ifndef KRAFLA_WINDOW_H
#define KRAFLA_WINDOW_H

#include <stdint.h>
#include <krafla/native_window.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Opens a window on a display. `display` is the display's socket; NULL means KRAFLA_DISPLAY, which
 * `krafla run` sets. `title` is shown in summaries, NULL for the program's name. width and height
 * of 0 mean the display's size; one of them alone is -EINVAL.
 *
 * 0 and *window with one reference, dropped with ANativeWindow_release; or a negative errno:
 * -ENOENT when no display is named or nothing is at that path, -ECONNREFUSED when nobody listens
 * there, -ETIMEDOUT when it doesn't answer within 5 s, -EPROTO when it speaks another protocol.
 * Source: DESIGN 5.5, S-10.
 */
int krafla_window_open(const char *display, const char *title, uint32_t width, uint32_t height,
	ANativeWindow **window);

#ifdef __cplusplus
}
#endif

#endif
