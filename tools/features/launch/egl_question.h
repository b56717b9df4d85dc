/* SPDX-License-Identifier: Apache-2.0 */
/* EGL's devices and the OpenGL ES of each, asked in this process: gles.h has the process for it. */
#ifndef KR_TOOLS_FEATURES_LAUNCH_EGL_QUESTION_H
#define KR_TOOLS_FEATURES_LAUNCH_EGL_QUESTION_H

#include "tools/features/launch/gles.h"

/* `gles` is all zero. Libraries that it opens stay open. */
void kr_flags_egl_ask(struct kr_flags_gles *gles);

#endif
