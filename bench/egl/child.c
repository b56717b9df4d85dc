/* SPDX-License-Identifier: Apache-2.0 */
/* See child.h. */
#include "bench/egl/child.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

#define GL_FRAGMENT_SHADER 0x8b30
#define GL_VERTEX_SHADER   0x8b31
#define GL_LINK_STATUS     0x8b82
#define GL_TRIANGLES       4
#define GL_FLOAT           0x1406
#define MAX_LOOPS          65536 /* the shader's own limit is above it */

static int
say(const char *what, unsigned error)
{
	fprintf(stderr, "krafla-bench: %s: error %#x\n", what, error);
	return 1;
}

static int
load_egl(struct egl_child *child)
{
	void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL);

	if (!library) {
		fprintf(stderr, "krafla-bench: %s\n", dlerror());
		return 1;
	}
#define LOAD(name, upper)                                                                          \
	child->egl_##name = (PFNEGL##upper##PROC)dlsym(library, "egl" #name);                      \
	if (!child->egl_##name)                                                                    \
		return say("libEGL.so.1 has no egl" #name, 0);
	BENCH_EGL(LOAD)
#undef LOAD
	return 0;
}

static int
load_gl(struct egl_child *child)
{
#define LOAD(type, name, ...)                                                                      \
	child->gl_##name = (type(*)(__VA_ARGS__))child->egl_GetProcAddress("gl" #name);            \
	if (!child->gl_##name)                                                                     \
		return say("there is no gl" #name, 0);
	BENCH_GL(LOAD)
#undef LOAD
	return 0;
}

/* A display that needs no window system: Mesa's, else the first device's. */
static EGLDisplay
bare_display(struct egl_child *child)
{
	EGLDisplay display =
		child->egl_GetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
	PFNEGLQUERYDEVICESEXTPROC query =
		(PFNEGLQUERYDEVICESEXTPROC)child->egl_GetProcAddress("eglQueryDevicesEXT");
	EGLDeviceEXT device;
	EGLint count = 0;

	if (!display && query && query(1, &device, &count) && count)
		display = child->egl_GetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, NULL);
	return display;
}

static int
make_current(struct egl_child *child, const struct egl_place *place)
{
	const EGLint wanted[] = {EGL_SURFACE_TYPE, place->window ? EGL_WINDOW_BIT : EGL_PBUFFER_BIT,
		EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8,
		EGL_BLUE_SIZE, 8, EGL_NONE};
	const EGLint es2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
	const EGLint size[] = {
		EGL_WIDTH, (EGLint)place->width, EGL_HEIGHT, (EGLint)place->height, EGL_NONE};
	EGLint count = 0;

	child->display = place->platform
		? child->egl_GetPlatformDisplay(place->platform, place->native, NULL)
		: bare_display(child);
	if (!child->display || !child->egl_Initialize(child->display, NULL, NULL))
		return say("no display", (unsigned)child->egl_GetError());
	child->egl_BindAPI(EGL_OPENGL_ES_API);
	if (!child->egl_ChooseConfig(child->display, wanted, &child->config, 1, &count) || !count)
		return say("no config", (unsigned)child->egl_GetError());
	child->context =
		child->egl_CreateContext(child->display, child->config, EGL_NO_CONTEXT, es2);
	child->surface = place->window
		? child->egl_CreatePlatformWindowSurface(
			  child->display, child->config, place->window, NULL)
		: child->egl_CreatePbufferSurface(child->display, child->config, size);
	if (!child->egl_MakeCurrent(child->display, child->surface, child->surface, child->context))
		return say("no context, or no surface", (unsigned)child->egl_GetError());
	return 0;
}

static unsigned
shader(struct egl_child *child, unsigned type, const char *source)
{
	unsigned made = child->gl_CreateShader(type);

	child->gl_ShaderSource(made, 1, &source, NULL);
	child->gl_CompileShader(made);
	return made;
}

/* No number of rounds is known when it is compiled, so none is left out. */
static int
make_program(struct egl_child *child)
{
	static const float corners[] = {-1, -1, 3, -1, -1, 3};
	unsigned program = child->gl_CreateProgram();
	int linked = 0;

	child->gl_AttachShader(program,
		shader(child, GL_VERTEX_SHADER,
			"attribute vec2 place; varying vec2 at;"
			"void main() { gl_Position = vec4(place, 0.0, 1.0); at = place; }"));
	child->gl_AttachShader(program,
		shader(child, GL_FRAGMENT_SHADER,
			"precision highp float; varying vec2 at; uniform float loops, turn;"
			"void main() { float v = turn; for (float i = 0.0; i < 100000.0; i += 1.0)"
			"{ if (i >= loops) break; v = fract(v * 1.7 + at.x * at.y); }"
			"gl_FragColor = vec4(v, abs(at), 1.0); }"));
	child->gl_BindAttribLocation(program, 0, "place");
	child->gl_LinkProgram(program);
	child->gl_GetProgramiv(program, GL_LINK_STATUS, &linked);
	if (!linked)
		return say("the shader isn't linked", child->gl_GetError());
	child->gl_UseProgram(program);
	child->loops = child->gl_GetUniformLocation(program, "loops");
	child->turn = child->gl_GetUniformLocation(program, "turn");
	child->gl_VertexAttribPointer(0, 2, GL_FLOAT, 0, 0, corners);
	child->gl_EnableVertexAttribArray(0);
	child->gl_Viewport(0, 0, (int)child->width, (int)child->height);
	return child->gl_GetError() ? say("GL has an error", 0) : 0;
}

int
egl_child_open(struct egl_child *child, const struct egl_place *place)
{
	memset(child, 0, sizeof(*child));
	child->width = place->width;
	child->height = place->height;
	return load_egl(child) || make_current(child, place) || load_gl(child) ||
		make_program(child);
}

void
egl_child_close(struct egl_child *child)
{
	child->egl_MakeCurrent(child->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	child->egl_DestroySurface(child->display, child->surface);
	child->egl_DestroyContext(child->display, child->context);
	child->egl_Terminate(child->display);
}

void
egl_child_draw(struct egl_child *child, unsigned loops, unsigned turn)
{
	child->gl_Uniform1f(child->loops, (float)loops);
	child->gl_Uniform1f(child->turn, (float)(turn % 256) / 256);
	child->gl_DrawArrays(GL_TRIANGLES, 0, 3);
}

/* The least of a few: what it takes when nothing else is done. */
static double
drawn_us(struct egl_child *child, unsigned loops)
{
	double least = 0;

	for (unsigned i = 0; i < 5; i++) {
		int64_t start = kr_bench_now();
		double us;

		egl_child_draw(child, loops, i);
		child->gl_Finish();
		us = (double)(kr_bench_now() - start) / 1000;
		if (!i || us < least)
			least = us;
	}
	return least;
}

unsigned
egl_child_loops_for(struct egl_child *child, double us)
{
	unsigned loops = 1;
	double took;

	while ((took = drawn_us(child, loops)) < us && loops < MAX_LOOPS)
		loops *= 2;
	return took > us && loops > 1 ? (unsigned)(loops * us / took) + 1 : loops;
}
