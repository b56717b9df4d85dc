/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of native fences do again and again, on fake_display. */
#ifndef KR_TESTS_EGL_FENCE_RIG_H
#define KR_TESTS_EGL_FENCE_RIG_H

#include "egl/fence/fence.h"
#include "../fakes/fake_vendor.h"

#define NATIVE EGL_SYNC_NATIVE_FENCE_ANDROID
#define FD     EGL_SYNC_NATIVE_FENCE_FD_ANDROID

/* The made-up vendor, with a context that is current; until all its commands have ended. */
void rig_start(void);
void rig_stop(void);

/* A sync of the current context's commands; it works. */
EGLSync rig_make(void);
/* The same, and its descriptor, after a flush. */
EGLSync rig_make_flushed(int *fd);
/* A sync that is given a user-space fence, which `producer` ends. */
EGLSync rig_give(int *producer);
EGLSync rig_give_fd(int take_fd);
/* The copy of its descriptor, which must be one. */
int rig_dup(EGLSync sync);
void rig_destroy(EGLSync sync);
/* The fence has that status within `ms`. */
void rig_expect_status(int fd, int status, int ms);
void rig_sleep_ms(int ms);

#endif
