/* SPDX-License-Identifier: Apache-2.0 */
/* A window whose far end is a reader of this process, and a surface on it that is current. */
#ifndef KR_TESTS_EGL_WINDOW_RIG_H
#define KR_TESTS_EGL_WINDOW_RIG_H

#include "fake.h"

struct rig {
	struct kr_egl_display *display;
	struct krafla_reader *reader;
	ANativeWindow *window;
	EGLSurface surface;
	EGLContext context;
};

/* 40x30; the reader holds so many images. */
void rig_open(struct rig *rig, enum fake_config config, unsigned max_images);
/* All that there is still of it. */
void rig_close(struct rig *rig);
/* Paints and swaps: whether it worked. */
EGLBoolean rig_show(struct rig *rig, unsigned picture);
/* The next image; it must come within 10 s. */
void rig_take(struct rig *rig, struct krafla_image *image);
/* Waits for its fence, whose status must be this, and compares what can be read with a picture. */
void rig_expect(struct rig *rig, struct krafla_image *image, unsigned picture);
/* The same with a picture for each row. */
void rig_expect_rows(struct rig *rig, struct krafla_image *image, const unsigned *pictures);
void rig_give_back(struct rig *rig, struct krafla_image *image, int take_fence);
/* All of these: the next image must be this picture; it goes back. */
void rig_see(struct rig *rig, unsigned picture);
EGLint rig_query(struct rig *rig, EGLint attribute);

#endif
