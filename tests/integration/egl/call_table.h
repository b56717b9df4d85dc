/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of call_table know of each other. */
#ifndef KR_TESTS_EGL_CALL_TABLE_H
#define KR_TESTS_EGL_CALL_TABLE_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdint.h>

extern const EGLint pbuffer_size[], es2[], wanted[];

/* What was asked, the answer, and the error that it left. Handles are told as "something". */
void say(const char *call, intptr_t answer);
#define SAY(call) say(#call, (intptr_t)(call))

/* Threads that end with a context, or meet one; contexts of two displays of a vendor. */
void call_two_displays(EGLDisplay display);
/* Which functions there are, of all that a header names; Android's may be Krafla's alone. */
void find_names(const char *header);

#endif
