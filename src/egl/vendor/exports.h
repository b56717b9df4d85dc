/* SPDX-License-Identifier: Apache-2.0 */
/* What vendors get from us as they would from glvnd, and glvnd's own behind it. */
#ifndef KR_EGL_VENDOR_EXPORTS_H
#define KR_EGL_VENDOR_EXPORTS_H

#include "egl/vendor/vendor.h"

/*
 * glvnd's exports, and what it calls us; before anything else here, and again when the program has
 * loaded glvnd anew. NULL in tests without glvnd.
 */
void kr_egl_outer_set(uint32_t version, const __EGLapiExports *outer, __EGLvendorInfo *self);

/* For kr_egl_vendors_load: the table that is given to each vendor. */
extern const __EGLapiExports kr_egl_exports;

/* At the beginning of a dispatch function of ours: what glvnd wants of each. */
void kr_egl_dispatch_begin(void);

/*
 * The function of this name for a display that isn't ours, of a vendor that glvnd has beside us;
 * NULL, and EGL_BAD_DISPLAY: it has none.
 */
void *kr_egl_elsewhere(EGLDisplay display, const char *name);

/* Which number glvnd has for a function (its setDispatchIndex). */
void kr_egl_outer_index_set(const char *name, int index);

/* The dispatch function of the first vendor that has one, made known to all of them; or NULL. */
void *kr_egl_dispatch_address(const char *name);

#endif
