/* SPDX-License-Identifier: Apache-2.0 */
/* What a made-up vendor of EGL has, of which FAKE_NUMBER says which one it is. */
#ifndef KR_TESTS_FAKE_VENDOR_H
#define KR_TESTS_FAKE_VENDOR_H

#include <EGL/egl.h>

/* Its platform, whose one display it has; no name of any registry. */
#define FAKE_PLATFORM(number) (0x7f00 + (number))
/* Another one, of a display that fails to initialise with an error of its own. */
#define FAKE_BROKEN(number) (0x7f10 + (number))
#define FAKE_ERROR(number)  (0x7f20 + (number))

/* eglFakeAnswerEXT(display): the number of the vendor; eglFakePatchesEXT: how often it patched. */
typedef EGLint (*fake_answer_fn)(EGLDisplay display);

#endif
