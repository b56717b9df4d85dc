/* SPDX-License-Identifier: Apache-2.0 */
/* See sampling.h. */
#include "sampling.h"

#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>

#include "harness.h"

void
begin_sampling(EGLDisplay display)
{
	const EGLint wanted[] = {
		EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
	const EGLint es3[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
	EGLConfig config = NULL;
	EGLContext context;
	EGLint count = 0;

	assert_true(eglBindAPI(EGL_OPENGL_ES_API));
	assert_true(eglChooseConfig(display, wanted, &config, 1, &count));
	context = eglCreateContext(display, count ? config : NULL, EGL_NO_CONTEXT, es3);
	assert_true(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
}

static GLuint
texture_of(EGLImage image)
{
	PFNGLEGLIMAGETARGETTEXTURE2DOESPROC target =
		(PFNGLEGLIMAGETARGETTEXTURE2DOESPROC)eglGetProcAddress(
			"glEGLImageTargetTexture2DOES");
	GLuint texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	target(GL_TEXTURE_2D, (GLeglImageOES)image);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	assert_int_equal(glGetError(), GL_NO_ERROR);
	return texture;
}

static void
attach_shader(GLuint program, GLenum type, const char *text)
{
	GLuint shader = glCreateShader(type);

	glShaderSource(shader, 1, &text, NULL);
	glCompileShader(shader);
	glAttachShader(program, shader);
	glDeleteShader(shader);
}

/* One triangle over all of it, each pixel that of the texture. */
static GLuint
make_program(void)
{
	GLuint program = glCreateProgram();
	GLint linked = 0;

	attach_shader(program, GL_VERTEX_SHADER,
		"#version 300 es\n"
		"void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0,\n"
		"	gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }\n");
	attach_shader(program, GL_FRAGMENT_SHADER,
		"#version 300 es\n"
		"precision highp float;\n"
		"uniform sampler2D picture;\n"
		"out vec4 color;\n"
		"void main() { color = texelFetch(picture, ivec2(gl_FragCoord.xy), 0); }\n");
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &linked);
	assert_true(linked);
	return program;
}

/* Bound, over a texture or over memory of its own. */
static GLuint
make_framebuffer(GLuint texture, GLuint renderbuffer)
{
	GLuint framebuffer;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	if (texture)
		glFramebufferTexture2D(
			GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
	else
		glFramebufferRenderbuffer(
			GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
	assert_int_equal(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
	return framebuffer;
}

void
sample_image(EGLImage image, uint32_t width, uint32_t height, uint32_t *pixels)
{
	GLuint program = make_program(), framebuffer, renderbuffer, texture;

	glGenRenderbuffers(1, &renderbuffer);
	glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, (GLsizei)width, (GLsizei)height);
	framebuffer = make_framebuffer(0, renderbuffer);
	texture = texture_of(image);
	glUseProgram(program);
	glViewport(0, 0, (GLsizei)width, (GLsizei)height);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	glReadPixels(0, 0, (GLsizei)width, (GLsizei)height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	assert_int_equal(glGetError(), GL_NO_ERROR);
	glDeleteTextures(1, &texture);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteRenderbuffers(1, &renderbuffer);
	glDeleteProgram(program);
}

void
fill_image(EGLImage image)
{
	GLuint texture = texture_of(image), framebuffer = make_framebuffer(texture, 0);

	glClearColor(1, 0, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glFinish();
	assert_int_equal(glGetError(), GL_NO_ERROR);
	glDeleteFramebuffers(1, &framebuffer);
	glDeleteTextures(1, &texture);
}
