/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of glvnd's rules share: vendors that are chosen before EGL is first called. */
#ifndef KR_TESTS_EGL_RULES_H
#define KR_TESTS_EGL_RULES_H

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "programs.h"

#define MESA_MANIFEST "/usr/share/glvnd/egl_vendor.d/50_mesa.json"
/* Drivers and glvnd keep both for the life of the process. */
#define RULE_FLAGS (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

/* The path of a manifest in the case's directory. */
const char *write_manifest(const char *name, const char *library);
/*
 * The vendors that glvnd is to find are these (NULL: what it finds by itself), with Krafla before
 * them or not. No window system is there.
 */
void choose(enum egl_way way, const char *manifests);
/* "one fake, Mesa, the other fake". */
const char *three_vendors(void);
/* An initialised display, whose vendor says that it is called so. */
EGLDisplay open_display(EGLenum platform);
void expect_vendor(EGLDisplay display, const char *name);

/* A rule as two cases: with glvnd alone, and with Krafla between it and the vendors. */
#define BOTH_WAYS(rule)                                                                            \
	static void rule##_plain(void **state)                                                     \
	{                                                                                          \
		rule(EGL_PLAIN);                                                                   \
	}                                                                                          \
	static void rule##_krafla(void **state)                                                    \
	{                                                                                          \
		rule(EGL_KRAFLA);                                                                  \
	}

#endif
