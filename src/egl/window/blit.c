/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each buffer becomes an image, a texture and a framebuffer once, and stays so while the window
 * uses it. glBlitFramebuffer turns the picture over, because GL's first row is at the bottom; it
 * can't do that out of several samples a pixel, and would take colours of sRGB apart.
 */
#include "egl/window/blit.h"

#define GL_GLES_PROTOTYPES 0
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <stdlib.h>
#include <string.h>

#include "egl/vendor/import.h"
#include "gralloc/buffer.h"
#include "util/log.h"
#include "util/macros.h"

/* Of the context: those of reading (pixels.c) are apart. */
#define FUNCTIONS(X)                                                                               \
	X(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                                               \
	X(PFNGLBINDTEXTUREPROC, BindTexture)                                                       \
	X(PFNGLBLITFRAMEBUFFERPROC, BlitFramebuffer)                                               \
	X(PFNGLCHECKFRAMEBUFFERSTATUSPROC, CheckFramebufferStatus)                                 \
	X(PFNGLDELETEFRAMEBUFFERSPROC, DeleteFramebuffers)                                         \
	X(PFNGLDELETETEXTURESPROC, DeleteTextures)                                                 \
	X(PFNGLFINISHPROC, Finish)                                                                 \
	X(PFNGLFRAMEBUFFERTEXTURE2DPROC, FramebufferTexture2D)                                     \
	X(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                                               \
	X(PFNGLGENTEXTURESPROC, GenTextures)                                                       \
	X(PFNGLGETERRORPROC, GetError)                                                             \
	X(PFNGLGETSTRINGPROC, GetString)                                                           \
	X(PFNGLEGLIMAGETARGETTEXTURE2DOESPROC, EGLImageTargetTexture2DOES)

struct kr_egl_blit_gl {
#define MEMBER(type, name) type name;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Also that it is OpenGL ES 3 with images as textures. */
static struct kr_egl_blit_gl *
load_gl(struct kr_egl_vendor *vendor)
{
	struct kr_egl_blit_gl *gl = calloc(1, sizeof(*gl));
	const char *version, *extensions;

	if (!gl)
		return NULL;
#define LOAD(type, name)                                                                           \
	gl->name = (type)kr_egl_vendor_function(vendor, "gl" #name);                               \
	if (!gl->name)                                                                             \
		goto err_free;
	FUNCTIONS(LOAD)
#undef LOAD
	version = (const char *)gl->GetString(GL_VERSION);
	extensions = (const char *)gl->GetString(GL_EXTENSIONS);
	if (version && !strncmp(version, "OpenGL ES 3", 11) &&
		kr_egl_names_extension(extensions, "GL_OES_EGL_image"))
		return gl;
err_free:
	free(gl);
	return NULL;
}

bool
kr_egl_blit_init(struct kr_egl_blit *blit, struct kr_egl_display *display, EGLConfig config)
{
	EGLint samples = 0;

	*blit = (struct kr_egl_blit){.display = display};
	display->vendor->egl.GetConfigAttrib(display->handle, config, EGL_SAMPLES, &samples);
	/*
	 * llvmpipe's own reading is the better copy: a blit is compiled first, for each window,
	 * and in the lab four threads that did so at once crash, why isn't known (docs/egl.md).
	 */
	if (samples > 1 || !kr_egl_imports(display) || kr_egl_draws_by_cpu(display))
		return false;
	blit->gl = load_gl(display->vendor);
	return blit->gl != NULL;
}

static void
drop(struct kr_egl_blit *blit, struct kr_egl_blit_target *target)
{
	if (!target->buffer)
		return;
	blit->gl->DeleteFramebuffers(1, &target->framebuffer);
	blit->gl->DeleteTextures(1, &target->texture);
	kr_egl_import_destroy(blit->display, target->image);
	kr_buffer_any_unref(target->buffer);
	*target = (struct kr_egl_blit_target){0};
}

void
kr_egl_blit_finish(struct kr_egl_blit *blit)
{
	for (size_t i = 0; i < KR_EGL_BLIT_TARGETS; i++) {
		struct kr_egl_blit_target *target = &blit->targets[i];

		if (!target->buffer)
			continue;
		kr_egl_import_destroy(blit->display, target->image);
		kr_buffer_any_unref(target->buffer);
	}
	free(blit->gl);
	*blit = (struct kr_egl_blit){0};
}

/* A window that has changed gives none of those any more. */
static void
drop_other_sizes(struct kr_egl_blit *blit, const ANativeWindowBuffer *buffer)
{
	for (size_t i = 0; i < KR_EGL_BLIT_TARGETS; i++) {
		const ANativeWindowBuffer *other = blit->targets[i].buffer;

		if (other && (other->width != buffer->width || other->height != buffer->height))
			drop(blit, &blit->targets[i]);
	}
}

/* A framebuffer that is the buffer, bound for drawing. */
static bool
attach(const struct kr_egl_blit_gl *gl, struct kr_egl_blit_target *target)
{
	gl->GenTextures(1, &target->texture);
	gl->BindTexture(GL_TEXTURE_2D, target->texture);
	gl->EGLImageTargetTexture2DOES(GL_TEXTURE_2D, (GLeglImageOES)target->image);
	gl->GenFramebuffers(1, &target->framebuffer);
	gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, target->framebuffer);
	gl->FramebufferTexture2D(
		GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->texture, 0);
	return gl->GetError() == GL_NO_ERROR &&
		gl->CheckFramebufferStatus(GL_DRAW_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static struct kr_egl_blit_target *
make_target(struct kr_egl_blit *blit, ANativeWindowBuffer *buffer)
{
	struct kr_egl_blit_target *target = &blit->targets[blit->next];
	const char *reason;
	EGLint error;

	drop_other_sizes(blit, buffer);
	drop(blit, target);
	target->image = kr_egl_import(blit->display, buffer, &reason, &error);
	if (target->image == EGL_NO_IMAGE) {
		kr_info("EGL: a window's buffer isn't drawn into by the GPU: %s (0x%x)", reason,
			(unsigned)error);
		return NULL;
	}
	kr_buffer_any_ref(buffer);
	target->buffer = buffer;
	if (!attach(blit->gl, target)) {
		kr_info("EGL: a window's buffer isn't drawn into by the GPU: GL can't");
		drop(blit, target);
		return NULL;
	}
	blit->next = (blit->next + 1) % KR_EGL_BLIT_TARGETS;
	return target;
}

static struct kr_egl_blit_target *
find_target(struct kr_egl_blit *blit, ANativeWindowBuffer *buffer)
{
	for (size_t i = 0; i < KR_EGL_BLIT_TARGETS; i++) {
		if (blit->targets[i].buffer == buffer)
			return &blit->targets[i];
	}
	return make_target(blit, buffer);
}

bool
kr_egl_blit_copy(struct kr_egl_blit *blit, ANativeWindowBuffer *buffer, EGLint width, EGLint height,
	struct kr_egl_rows rows)
{
	const struct kr_egl_blit_gl *gl = blit->gl;
	struct kr_egl_blit_target *target;

	for (int i = 0; i < 16 && gl->GetError() != GL_NO_ERROR; i++)
		;
	target = find_target(blit, buffer);
	if (target) {
		gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, target->framebuffer);
		gl->BlitFramebuffer(0, height - rows.bottom, width, height - rows.top, 0,
			rows.bottom, width, rows.top, GL_COLOR_BUFFER_BIT, GL_NEAREST);
		gl->Finish();
	}
	gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
	return target && gl->GetError() == GL_NO_ERROR;
}
