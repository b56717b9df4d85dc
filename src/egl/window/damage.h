/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of a window's buffer a frame has to bring. The buffer holds an earlier frame; what has
 * changed since is in the damage of the frames from then on. Where anything of that isn't known it
 * is all rows.
 *
 * Used by one thread at a time.
 */
#ifndef KR_EGL_WINDOW_DAMAGE_H
#define KR_EGL_WINDOW_DAMAGE_H

#include <EGL/egl.h>
#include <stdbool.h>
#include <stdint.h>

/* More than a window has buffers. */
#define KR_EGL_DAMAGE_FRAMES 16

/* From the top; `bottom` is the one behind the last. */
struct kr_egl_rows {
	EGLint top;
	EGLint bottom;
};

struct kr_egl_damage_frame {
	uint64_t number; /* as the window counts; 0: none */
	EGLint width;
	EGLint height;
	struct kr_egl_rows rows; /* that differ from the frame before */
	bool copied;             /* its buffer holds it */
};

/* All zero: nothing is known. */
struct kr_egl_damage {
	struct kr_egl_damage_frame frames[KR_EGL_DAMAGE_FRAMES]; /* each in its number's place */
};

/* Of EGL's rectangles, whose origin is at the bottom; all rows where there are none. */
struct kr_egl_rows kr_egl_damage_rows(const EGLint *rectangles, EGLint count, EGLint height);
/*
 * A frame begins, in a buffer that was queued `age` frames ago (0: what it holds isn't known): the
 * rows that it has to bring. `frame` is complete but for `copied`, which is set in *kept when the
 * buffer holds the frame.
 */
struct kr_egl_rows kr_egl_damage_begin(struct kr_egl_damage *damage,
	const struct kr_egl_damage_frame *frame, int age, struct kr_egl_damage_frame **kept);
/* After a frame that came to nothing. */
void kr_egl_damage_forget(struct kr_egl_damage *damage);

#endif
