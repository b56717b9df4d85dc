/* SPDX-License-Identifier: Apache-2.0 */
/* What glvnd gets from us: functions of EGL, dispatch functions of extensions, strings, GL's. */
#ifndef KR_EGL_CALLS_CALLS_H
#define KR_EGL_CALLS_CALLS_H

#include "egl/vendor/thread.h"

/* Fills what glvnd asked for in __egl_Main; vendors are loaded. */
void kr_egl_calls_fill(__EGLapiImports *imports);

#endif
