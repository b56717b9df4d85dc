/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egl/calls with a made-up glvnd before it, made-up vendors behind it (hand.h), and rooms of
 * fences, windows and images that note what they are asked.
 */
#ifndef KR_TESTS_EGL_CALLS_RIG_H
#define KR_TESTS_EGL_CALLS_RIG_H

#include <glvnd/libeglabi.h>

#include "egl/vendor/thread.h"
#include "../vendor/support.h"

/* A display of a vendor that glvnd has beside Krafla, and the number of that vendor's function. */
#define RIG_OTHERS_DISPLAY ((EGLDisplay)0x4440)
#define RIG_OTHERS_INDEX   77

extern struct rooms {
	bool no_start; /* kr_egl_fences_start fails */
	bool emulated; /* displays have fences that need flushes */
	bool meddles;  /* what fences do leaves an error at the vendor */
	int flushed, lost, gone;
	EGLContext context; /* that was flushed or lost at last */
	char log[256];      /* start, stop, flushed, as they came */
} rooms;

/* Krafla as glvnd has it, with both hands behind it. */
extern __EGLapiImports krafla;
void rig_start(void);

/* A function that glvnd would call, by its name without "egl". */
#define EGL(name, upper) ((PFNEGL##upper##PROC)rig_function("egl" #name))
void *rig_function(const char *name);

/* The display of hand 1 or 2, initialised. */
EGLDisplay rig_display(int number);
EGLContext rig_context(EGLDisplay display);
/* eglGetError, as glvnd finds it out. */
EGLint rig_error(void);

#endif
