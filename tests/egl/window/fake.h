/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vendor of EGL and OpenGL ES without any drawing: pbuffers are arrays, which fake_paint fills,
 * and glReadPixels reads, as the current context's settings say. It holds EGL's rule that a
 * surface and a context are current in one thread at a time.
 */
#ifndef KR_TESTS_EGL_WINDOW_FAKE_H
#define KR_TESTS_EGL_WINDOW_FAKE_H

#include "harness.h"

#include <krafla/window.h>
#include <stdatomic.h>

#include "egl/window/window.h"

/* Configs by their EGL_CONFIG_ID. */
enum fake_config {
	FAKE_RGBA = 1,
	FAKE_RGBX,
	FAKE_565,
	FAKE_1010102,
	FAKE_HALF,
	FAKE_1010100,    /* no format of windows */
	FAKE_NO_PBUFFER, /* 8888 */
	FAKE_NO_ES2,     /* 8888 */
	FAKE_CONFIGS,
};

/* What a case may change before anything is made. */
extern struct fake {
	bool bgra;        /* it reads B, G, R, A best */
	bool no_rows;     /* neither GL_PACK_ROW_LENGTH nor another order of rows */
	bool no_565;      /* reads 565 as RGBA alone */
	bool no_syncs;    /* no fence syncs */
	bool hold;        /* fence syncs that are made don't end until fake_let_go */
	int fail_pbuffer; /* the n-th eglCreatePbufferSurface from now fails; 0: none */
	int fail_current; /* likewise eglMakeCurrent of the test's thread */
	int surfaces, contexts, syncs; /* that there are */
	bool imports;                  /* dma-bufs become images, textures, framebuffers */
	bool wrong_blits;              /* upside down */
	int blit_ms, read_ms;          /* what they take */
	int images, blits, reads;
	EGLint colorspace; /* of the pbuffer that was made last */
	int told_flushes;  /* of native fences */
	int finishes;      /* glFinish was called */
	atomic_int late;   /* calls for a display that was terminated */
	/* Called once, while the test's thread changes what is current, or a frame is read. */
	void (*on_current)(void);
	void (*on_read)(void);
} fake;

int fake_main(int argc, char **argv, const struct kr_test *tests, size_t count);
#define FAKE_MAIN(tests)                                                                           \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		return fake_main(argc, argv, tests, sizeof(tests) / sizeof((tests)[0]));           \
	}

/* The display of the platform, initialised. */
struct kr_egl_display *fake_display(void);
/* eglTerminate, from any thread: what is current goes when it isn't any more. */
void fake_terminate(struct kr_egl_display *display);
/* After all surfaces: eglTerminate, and nothing of the vendor's is left. */
void fake_end(struct kr_egl_display *display);

EGLConfig fake_config(enum fake_config id);
EGLContext fake_context(enum fake_config id);
void fake_context_destroy(EGLContext context);
/* As egl/calls does it, with the thread's record. */
EGLBoolean fake_current(struct kr_egl_display *display, EGLSurface surface, EGLContext context);
/* The last error, which is EGL_SUCCESS then. */
EGLint fake_error(void);
/* Draws into the current surface; each picture is another. */
void fake_paint(unsigned picture);
/* These rows alone, from the top. */
void fake_paint_rows(unsigned picture, int top, int bottom);
/* 8 bits of red, green, blue, alpha of a pixel from the top left, as they were painted. */
uint32_t fake_pixel(unsigned picture, uint32_t x, uint32_t y);
/* The picture whose first row the current surface holds. */
unsigned fake_painted(void);
/* The vendor forgets what this thread has current, as some do when a thread ends. */
void fake_forget(void);
/* All fence syncs end. */
void fake_let_go(void);

#endif
