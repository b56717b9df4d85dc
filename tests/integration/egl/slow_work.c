/* SPDX-License-Identifier: Apache-2.0 */
/* See slow_work.h. */
#include "slow_work.h"

#include "harness.h"
#include "rules.h"
#include "util/clock.h"
#include "util/macros.h"

#define GL_COLOR_BUFFER_BIT 0x4000
#define GL_TRIANGLES        0x0004
#define GL_FRAGMENT_SHADER  0x8B30
#define GL_VERTEX_SHADER    0x8B31
#define GL_LINK_STATUS      0x8B82

#define SIZE 256

/* X(result, name, arguments): what is needed of OpenGL ES. */
#define FUNCTIONS(X)                                                                               \
	X(void, AttachShader, (unsigned program, unsigned shader))                                 \
	X(void, Clear, (unsigned mask))                                                            \
	X(void, CompileShader, (unsigned shader))                                                  \
	X(unsigned, CreateProgram, (void))                                                         \
	X(unsigned, CreateShader, (unsigned type))                                                 \
	X(void, DrawArrays, (unsigned mode, int first, int count))                                 \
	X(void, Finish, (void))                                                                    \
	X(void, Flush, (void))                                                                     \
	X(void, GetProgramiv, (unsigned program, unsigned name, int *value))                       \
	X(int, GetUniformLocation, (unsigned program, const char *name))                           \
	X(void, LinkProgram, (unsigned program))                                                   \
	X(void, ShaderSource,                                                                      \
		(unsigned shader, int count, const char *const *texts, const int *lengths))        \
	X(void, Uniform1i, (int location, int value))                                              \
	X(void, UseProgram, (unsigned program))

static struct {
#define MEMBER(result, name, arguments) result(*name) arguments;
	FUNCTIONS(MEMBER)
#undef MEMBER
} gl;

static _Thread_local int turns_at;
static int64_t turns_per_s;

void
open_mesa(EGLDisplay *display, EGLConfig *config)
{
	const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
		EGL_OPENGL_ES3_BIT, EGL_RED_SIZE, 8, EGL_NONE};
	EGLint count = 0;

	*display = open_display(EGL_PLATFORM_SURFACELESS_MESA);
	assert_true(eglChooseConfig(*display, wanted, config, 1, &count));
	assert_int_equal(count, 1);
#define LOAD(result, name, arguments)                                                              \
	gl.name = (result(*) arguments)eglGetProcAddress("gl" #name);                              \
	assert_non_null(gl.name);
	FUNCTIONS(LOAD)
#undef LOAD
}

static unsigned
make_shader(unsigned type, const char *text)
{
	unsigned shader = gl.CreateShader(type);

	gl.ShaderSource(shader, 1, &text, NULL);
	gl.CompileShader(shader);
	return shader;
}

/* One triangle over all of it, whose pixels take as many turns as they are told to. */
static void
use_program(void)
{
	unsigned program = gl.CreateProgram();
	int linked = 0;

	gl.AttachShader(program,
		make_shader(GL_VERTEX_SHADER,
			"#version 300 es\n"
			"void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0,\n"
			"	gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }\n"));
	gl.AttachShader(program,
		make_shader(GL_FRAGMENT_SHADER,
			"#version 300 es\n"
			"precision highp float;\n"
			"uniform int turns;\n"
			"out vec4 color;\n"
			"void main() { float x = gl_FragCoord.x;\n"
			"	for (int i = 0; i < turns; i++) x = sin(x) + 1.0;\n"
			"	color = vec4(x); }\n"));
	gl.LinkProgram(program);
	gl.GetProgramiv(program, GL_LINK_STATUS, &linked);
	assert_true(linked);
	gl.UseProgram(program);
	turns_at = gl.GetUniformLocation(program, "turns");
}

static void
draw(int turns)
{
	gl.Uniform1i(turns_at, turns);
	gl.DrawArrays(GL_TRIANGLES, 0, 3);
}

static int64_t
time_of(int turns)
{
	int64_t before = kr_clock_now();

	draw(turns);
	gl.Finish();
	return kr_clock_now() - before;
}

/* At full speed, which a GPU that was idle has after a while. */
static void
measure(void)
{
	int64_t took = 0;
	int turns = 1; /* few are enough for an emulated processor */

	draw(1);
	gl.Finish();
	while (took < 40 * KR_NSEC_PER_MSEC) {
		turns *= 2;
		took = time_of(turns);
		for (int i = 0; i < 8 && took >= 40 * KR_NSEC_PER_MSEC; i++)
			took = KR_MIN(took, time_of(turns));
	}
	turns_per_s = turns * KR_NSEC_PER_SEC / took;
}

EGLContext
begin_context(EGLDisplay display, EGLConfig config)
{
	const EGLint size[] = {EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE, EGL_NONE};
	const EGLint es3[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
	EGLSurface surface = eglCreatePbufferSurface(display, config, size);
	EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, es3);

	assert_true(eglMakeCurrent(display, surface, surface, context));
	return context;
}

EGLContext
begin_work(EGLDisplay display, EGLConfig config)
{
	EGLContext context = begin_context(display, config);

	use_program();
	if (!turns_per_s)
		measure();
	return context;
}

void
work_for_ms(int ms)
{
	if (ms < 1) {
		gl.Clear(GL_COLOR_BUFFER_BIT);
		return;
	}
	/* In pieces: a single one that takes seconds looks like a hang. */
	for (; ms > 0; ms -= 100)
		draw((int)(turns_per_s * KR_MIN(ms, 100) / 1000) + 1);
}

void
gl_flush(void)
{
	gl.Flush();
}

void
gl_finish(void)
{
	gl.Finish();
}
