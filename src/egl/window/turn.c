/* SPDX-License-Identifier: Apache-2.0 */
#include "egl/window/turn.h"

#define GL_GLES_PROTOTYPES 0
#include <GLES3/gl3.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"

#define FUNCTIONS(X)                                                                               \
	X(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                                               \
	X(PFNGLBINDRENDERBUFFERPROC, BindRenderbuffer)                                             \
	X(PFNGLBLITFRAMEBUFFERPROC, BlitFramebuffer)                                               \
	X(PFNGLFRAMEBUFFERRENDERBUFFERPROC, FramebufferRenderbuffer)                               \
	X(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                                               \
	X(PFNGLGENRENDERBUFFERSPROC, GenRenderbuffers)                                             \
	X(PFNGLGETERRORPROC, GetError)                                                             \
	X(PFNGLGETFRAMEBUFFERATTACHMENTPARAMETERIVPROC, GetFramebufferAttachmentParameteriv)       \
	X(PFNGLGETINTEGERVPROC, GetIntegerv)                                                       \
	X(PFNGLGETSTRINGPROC, GetString)                                                           \
	X(PFNGLRENDERBUFFERSTORAGEPROC, RenderbufferStorage)

struct kr_egl_turn_gl {
#define MEMBER(type, name) type name;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

static struct kr_egl_turn_gl *
load_gl(struct kr_egl_vendor *vendor)
{
	struct kr_egl_turn_gl *gl = calloc(1, sizeof(*gl));

	if (!gl)
		return NULL;
#define LOAD(type, name)                                                                           \
	gl->name = (type)kr_egl_vendor_function(vendor, "gl" #name);                               \
	if (!gl->name)                                                                             \
		goto err_free;
	FUNCTIONS(LOAD)
#undef LOAD
	return gl;
err_free:
	free(gl);
	return NULL;
}

/* A blit can't turn several samples a pixel over, and would take colours of sRGB apart. */
static bool
can_be_turned(const struct kr_egl_turn_gl *gl)
{
	const char *version = (const char *)gl->GetString(GL_VERSION);
	GLint samples = 0, encoding = 0;

	if (!version || strncmp(version, "OpenGL ES 3", 11) != 0)
		return false;
	gl->GetIntegerv(GL_SAMPLES, &samples);
	gl->GetFramebufferAttachmentParameteriv(
		GL_READ_FRAMEBUFFER, GL_BACK, GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING, &encoding);
	return gl->GetError() == GL_NO_ERROR && samples <= 1 && encoding == GL_LINEAR;
}

static unsigned
storage_of(const struct kr_egl_format *format)
{
	if (format->is_float)
		return GL_RGBA16F;
	return format->red == 10 ? GL_RGB10_A2 : format->red == 8 ? GL_RGBA8 : GL_RGB565;
}

void
kr_egl_turn_init(
	struct kr_egl_turn *turn, struct kr_egl_vendor *vendor, const struct kr_egl_format *format)
{
	*turn = (struct kr_egl_turn){.gl = load_gl(vendor), .gl_format = storage_of(format)};
	if (turn->gl && !can_be_turned(turn->gl))
		kr_egl_turn_finish(turn);
	if (!turn->gl)
		return;
	turn->gl->GenFramebuffers(1, &turn->framebuffer);
	turn->gl->GenRenderbuffers(1, &turn->renderbuffer);
	turn->gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, turn->framebuffer);
	turn->gl->BindRenderbuffer(GL_RENDERBUFFER, turn->renderbuffer);
	turn->gl->FramebufferRenderbuffer(
		GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, turn->renderbuffer);
	turn->gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
}

void
kr_egl_turn_finish(struct kr_egl_turn *turn)
{
	free(turn->gl);
	*turn = (struct kr_egl_turn){0};
}

bool
kr_egl_turn_begin(
	struct kr_egl_turn *turn, uint32_t width, uint32_t height, struct kr_egl_rows rows)
{
	const struct kr_egl_turn_gl *gl = turn->gl;
	const GLint right = (GLint)width, top = (GLint)height;

	if (!gl)
		return false;
	if (turn->width != width || turn->height != height)
		gl->RenderbufferStorage(GL_RENDERBUFFER, turn->gl_format, right, top);
	turn->width = width;
	turn->height = height;
	gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, turn->framebuffer);
	gl->BlitFramebuffer(0, top - rows.bottom, right, top - rows.top, 0, rows.bottom, right,
		rows.top, GL_COLOR_BUFFER_BIT, GL_NEAREST);
	gl->BindFramebuffer(GL_READ_FRAMEBUFFER, turn->framebuffer);
	if (gl->GetError() == GL_NO_ERROR)
		return true;
	kr_info("EGL: the GPU doesn't turn pictures over: they are copied twice");
	kr_egl_turn_end(turn);
	kr_egl_turn_finish(turn);
	return false;
}

void
kr_egl_turn_end(struct kr_egl_turn *turn)
{
	turn->gl->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
	turn->gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
}
