/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendors of EGL that glvnd would have found, had it not been told of Krafla's alone. Krafla is
 * towards them what glvnd is: it loads them, calls their __egl_Main with exports of its own, and
 * gives each of their dispatch functions the vendor that a display belongs to. They are loaded
 * once, in glvnd's order, and never unloaded.
 */
#ifndef KR_EGL_VENDOR_VENDOR_H
#define KR_EGL_VENDOR_VENDOR_H

#include <glvnd/libeglabi.h>
#include <stdbool.h>
#include <stddef.h>

#include "egl/vendor/functions.h"

#define KR_EGL_MAX_VENDORS 16

struct kr_egl_vendor {
	const char *manifest; /* the path of the file that names it */
	const char *library;
	unsigned index;
	__EGLapiImports imports;
	struct kr_egl_functions egl;
	void (*gl_flush)(void); /* NULL: it has none */
	void (*gl_finish)(void);
	_Atomic bool flushes_unseen; /* programs have its own glFlush: none of ours is around it */
};

/*
 * Loads all vendors, with exports of ours (exports.h) in place of glvnd's. False when there is
 * none: glvnd then goes without us, as it would without vendors.
 */
bool kr_egl_vendors_load(void);

/* How many there are, and each of them (index below that number). Thread-safe once loaded. */
unsigned kr_egl_vendors_count(void);
struct kr_egl_vendor *kr_egl_vendor_at(unsigned index);

/* A function of this vendor's, of EGL or of GL; NULL: it hasn't. */
void *kr_egl_vendor_function(struct kr_egl_vendor *vendor, const char *name);

#endif
