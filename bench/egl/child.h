/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What children of `krafla-bench egl` draw with: libEGL.so.1 as programs open it, a context of
 * OpenGL ES 2 on a surfaceless display, in a window of X, or in one of Krafla's, and a picture that
 * takes as long as is asked for.
 */
#ifndef KR_BENCH_EGL_CHILD_H
#define KR_BENCH_EGL_CHILD_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdbool.h>
#include <stdint.h>

#define BENCH_EGL(X)                                                                               \
	X(BindAPI, BINDAPI)                                                                        \
	X(ChooseConfig, CHOOSECONFIG)                                                              \
	X(ClientWaitSync, CLIENTWAITSYNC)                                                          \
	X(CreateContext, CREATECONTEXT)                                                            \
	X(CreatePbufferSurface, CREATEPBUFFERSURFACE)                                              \
	X(CreatePlatformWindowSurface, CREATEPLATFORMWINDOWSURFACE)                                \
	X(CreateSync, CREATESYNC)                                                                  \
	X(DestroyContext, DESTROYCONTEXT)                                                          \
	X(DestroySurface, DESTROYSURFACE)                                                          \
	X(DestroySync, DESTROYSYNC)                                                                \
	X(GetConfigAttrib, GETCONFIGATTRIB)                                                        \
	X(GetCurrentContext, GETCURRENTCONTEXT)                                                    \
	X(GetError, GETERROR)                                                                      \
	X(GetPlatformDisplay, GETPLATFORMDISPLAY)                                                  \
	X(GetProcAddress, GETPROCADDRESS)                                                          \
	X(Initialize, INITIALIZE)                                                                  \
	X(MakeCurrent, MAKECURRENT)                                                                \
	X(QueryContext, QUERYCONTEXT)                                                              \
	X(QueryString, QUERYSTRING)                                                                \
	X(QuerySurface, QUERYSURFACE)                                                              \
	X(SwapBuffers, SWAPBUFFERS)                                                                \
	X(SwapInterval, SWAPINTERVAL)                                                              \
	X(Terminate, TERMINATE)

/* Of GL, with its own types written out: its headers aren't needed to build. */
#define BENCH_GL(X)                                                                                \
	X(void, AttachShader, unsigned program, unsigned shader)                                   \
	X(void, BindAttribLocation, unsigned program, unsigned index, const char *name)            \
	X(void, ClearColor, float red, float green, float blue, float alpha)                       \
	X(void, Clear, unsigned mask)                                                              \
	X(void, CompileShader, unsigned shader)                                                    \
	X(unsigned, CreateProgram, void)                                                           \
	X(unsigned, CreateShader, unsigned type)                                                   \
	X(void, DrawArrays, unsigned mode, int first, int count)                                   \
	X(void, EnableVertexAttribArray, unsigned index)                                           \
	X(void, Finish, void)                                                                      \
	X(void, Flush, void)                                                                       \
	X(unsigned, GetError, void)                                                                \
	X(void, GetProgramiv, unsigned program, unsigned name, int *value)                         \
	X(const unsigned char *, GetString, unsigned name)                                         \
	X(int, GetUniformLocation, unsigned program, const char *name)                             \
	X(void, LinkProgram, unsigned program)                                                     \
	X(void, ReadPixels, int x, int y, int width, int height, unsigned format, unsigned type,   \
		void *pixels)                                                                      \
	X(void, ShaderSource, unsigned shader, int count, const char *const *source,               \
		const int *lengths)                                                                \
	X(void, Uniform1f, int location, float value)                                              \
	X(void, UseProgram, unsigned program)                                                      \
	X(void, VertexAttribPointer, unsigned index, int size, unsigned type,                      \
		unsigned char normalised, int stride, const void *values)                          \
	X(void, Viewport, int x, int y, int width, int height)

#define BENCH_GL_CLEAR 0x4000
#define BENCH_GL_RGBA  0x1908
#define BENCH_GL_BYTE  0x1401

struct egl_child {
#define BENCH_MEMBER(name, upper) PFNEGL##upper##PROC egl_##name;
	BENCH_EGL(BENCH_MEMBER)
#undef BENCH_MEMBER
#define BENCH_MEMBER(type, name, ...) type (*gl_##name)(__VA_ARGS__);
	BENCH_GL(BENCH_MEMBER)
#undef BENCH_MEMBER
	EGLDisplay display;
	EGLConfig config;
	EGLContext context;
	EGLSurface surface; /* a pbuffer, or the window's */
	unsigned width, height;
	int loops, turn; /* the shader's uniforms */
};

/*
 * Where to draw. `native` is the display's, `window` as eglCreatePlatformWindowSurface takes it;
 * both NULL for a pbuffer.
 */
struct egl_place {
	EGLenum platform; /* 0: none is needed */
	void *native;
	void *window;
	unsigned width, height;
};

/* 0, or 1 with a message: current in this thread, and ready to draw. */
int egl_child_open(struct egl_child *child, const struct egl_place *place);
void egl_child_close(struct egl_child *child);
/* A triangle over all of it; its pixels take so many rounds of a loop each. Nothing is flushed. */
void egl_child_draw(struct egl_child *child, unsigned loops, unsigned turn);
/* So many rounds as make it take about this long, drawn and finished. */
unsigned egl_child_loops_for(struct egl_child *child, double us);

#endif
