/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Xlib's displays. Since libX11 1.4 every Display stands on a connection of libxcb, and says so by
 * XGetXCBConnection of libX11-xcb.so.1, which comes from the same source as libX11.so.6 (ABI of
 * X11/Xlib-xcb.h). From there on an Xlib window is an xcb window: requests that Xlib still keeps in
 * its own buffer are sent when somebody uses the connection, and our own connection goes to the
 * same server, which the socket's peer names.
 *
 * The library is opened when the first Xlib surface comes, so that a program of
 * libxcb loads nothing of Xlib.
 */
#include "outputs/xcb/x_window.h"

#include <dlfcn.h>

#include "outputs/log.h"

#define LIBRARY "libX11-xcb.so.1"

xcb_connection_t *
x_connection_of_xlib(const struct kr_output_host *host, void *display)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	xcb_connection_t *(*get)(void *display) = NULL;
	xcb_connection_t *connection = NULL;

	if (library)
		*(void **)&get = dlsym(library, "XGetXCBConnection");
	if (get) {
		connection = get(display);
	} else {
		output_log(host, KR_LOG_ERROR, "X output: an Xlib window can't be used: %s",
			dlerror());
	}
	/* It only looks into the Display; nothing of it is needed any more. */
	if (library)
		dlclose(library);
	return connection;
}
