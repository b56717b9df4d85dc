/* SPDX-License-Identifier: Apache-2.0 */
/* What krafla-gles draws: a turning star over a moving ground, by OpenGL ES 2. */
#ifndef KRAFLA_EXAMPLES_GLES_SCENE_H
#define KRAFLA_EXAMPLES_GLES_SCENE_H

#include <GLES2/gl2.h>

struct gles_scene {
	GLuint program;
	GLint turn; /* uniforms */
	GLint aspect;
	GLint colour;
};

/* With a context that is current. 0, or -1 with the reason on stderr. */
int gles_scene_init(struct gles_scene *scene);
void gles_scene_finish(struct gles_scene *scene);
/* Frame number `frame` in the size of the current surface: the same number, the same picture. */
void gles_scene_draw(const struct gles_scene *scene, int width, int height, unsigned frame);

#endif
