/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gles_window FRAMES: a window of a kit's (SDL 2, or GLFW) with a context of OpenGL ES 2, by EGL,
 * in which a triangle turns for so many frames. The last of them is then drawn over and over.
 */
#include <GLES2/gl2.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef KIT_SDL
#include <SDL.h>
#else
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#endif

#define WIDTH  320
#define HEIGHT 240
#define DRAWN  20 /* frames more, after which the last picture has surely been drawn */
#define LIMIT  100000

static void
need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "gles_window: %s\n", what);
	exit(1);
}

/* --- the kit --- */

#ifdef KIT_SDL
static SDL_Window *window;
static SDL_GLContext context;

static void
open_window(void)
{
	SDL_SetHint(SDL_HINT_VIDEO_X11_FORCE_EGL, "1");
	need(!SDL_Init(SDL_INIT_VIDEO), SDL_GetError());
	SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_ES);
	SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 2);
	SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 0);
	window = SDL_CreateWindow("gles", 0, 0, WIDTH, HEIGHT, SDL_WINDOW_OPENGL);
	need(window, SDL_GetError());
	context = SDL_GL_CreateContext(window);
	need(context, SDL_GetError());
}

static void *
function(const char *name)
{
	return SDL_GL_GetProcAddress(name);
}

static void
swap(void)
{
	SDL_Event event;

	SDL_GL_SwapWindow(window);
	while (SDL_PollEvent(&event))
		;
}

static void
close_window(void)
{
	SDL_GL_DeleteContext(context);
	SDL_DestroyWindow(window);
	SDL_Quit();
}
#else
static GLFWwindow *window;

static void
open_window(void)
{
	need(glfwInit(), "glfwInit");
	glfwWindowHint(GLFW_CLIENT_API, GLFW_OPENGL_ES_API);
	glfwWindowHint(GLFW_CONTEXT_CREATION_API, GLFW_EGL_CONTEXT_API);
	glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 2);
	glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 0);
	window = glfwCreateWindow(WIDTH, HEIGHT, "gles", NULL, NULL);
	need(window, "no window");
	glfwMakeContextCurrent(window);
}

static void *
function(const char *name)
{
	return (void *)glfwGetProcAddress(name);
}

static void
swap(void)
{
	glfwSwapBuffers(window);
	glfwPollEvents();
}

static void
close_window(void)
{
	glfwDestroyWindow(window);
	glfwTerminate();
}
#endif

/* --- OpenGL ES --- */

/* What is drawn with, as the kit answers for it. */
#define FUNCTIONS(X)                                                                               \
	X(PFNGLATTACHSHADERPROC, AttachShader)                                                     \
	X(PFNGLBINDATTRIBLOCATIONPROC, BindAttribLocation)                                         \
	X(PFNGLCLEARPROC, Clear)                                                                   \
	X(PFNGLCLEARCOLORPROC, ClearColor)                                                         \
	X(PFNGLCOMPILESHADERPROC, CompileShader)                                                   \
	X(PFNGLCREATEPROGRAMPROC, CreateProgram)                                                   \
	X(PFNGLCREATESHADERPROC, CreateShader)                                                     \
	X(PFNGLDRAWARRAYSPROC, DrawArrays)                                                         \
	X(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray)                               \
	X(PFNGLGETERRORPROC, GetError)                                                             \
	X(PFNGLGETPROGRAMIVPROC, GetProgramiv)                                                     \
	X(PFNGLLINKPROGRAMPROC, LinkProgram)                                                       \
	X(PFNGLSHADERSOURCEPROC, ShaderSource)                                                     \
	X(PFNGLUSEPROGRAMPROC, UseProgram)                                                         \
	X(PFNGLVERTEXATTRIBPOINTERPROC, VertexAttribPointer)                                       \
	X(PFNGLVIEWPORTPROC, Viewport)

#define MEMBER(type, name) static type gl_##name;
FUNCTIONS(MEMBER)
#undef MEMBER

static void
load_functions(void)
{
#define LOAD(type, name)                                                                           \
	gl_##name = (type)function("gl" #name);                                                    \
	need(gl_##name != NULL, "no gl" #name);
	FUNCTIONS(LOAD)
#undef LOAD
}

static GLuint
shader(GLenum type, const char *source)
{
	GLuint made = gl_CreateShader(type);

	gl_ShaderSource(made, 1, &source, NULL);
	gl_CompileShader(made);
	return made;
}

static void
make_program(void)
{
	GLuint program = gl_CreateProgram();
	GLint linked = 0;

	gl_AttachShader(program,
		shader(GL_VERTEX_SHADER,
			"attribute vec2 place; attribute vec3 colour; varying vec3 shade;"
			"void main() { gl_Position = vec4(place, 0.0, 1.0); shade = colour; }"));
	gl_AttachShader(program,
		shader(GL_FRAGMENT_SHADER,
			"precision mediump float; varying vec3 shade;"
			"void main() { gl_FragColor = vec4(shade, 1.0); }"));
	gl_BindAttribLocation(program, 0, "place");
	gl_BindAttribLocation(program, 1, "colour");
	gl_LinkProgram(program);
	gl_GetProgramiv(program, GL_LINK_STATUS, &linked);
	need(linked, "the program isn't linked");
	gl_UseProgram(program);
}

static void
draw(unsigned frame)
{
	static const float colours[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
	const float third = 2.0943951f;
	float corners[6];

	for (unsigned i = 0; i < 3; i++) {
		float angle = (float)frame * 0.05f + (float)i * third;

		corners[2 * i] = 0.8f * cosf(angle);
		corners[2 * i + 1] = 0.8f * sinf(angle);
	}
	gl_Viewport(0, 0, WIDTH, HEIGHT);
	gl_ClearColor(0.2f, 0.3f, 0.4f, 1);
	gl_Clear(GL_COLOR_BUFFER_BIT);
	gl_VertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
	gl_VertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 0, colours);
	gl_EnableVertexAttribArray(0);
	gl_EnableVertexAttribArray(1);
	gl_DrawArrays(GL_TRIANGLES, 0, 3);
	need(gl_GetError() == GL_NO_ERROR, "GL has an error");
}

int
main(int argc, char **argv)
{
	unsigned frames = argc > 1 ? (unsigned)atoi(argv[1]) : 60;

	open_window();
	load_functions();
	make_program();
	for (unsigned i = 0; i < LIMIT; i++) {
		draw(i < frames ? i : frames);
		swap();
		if (i == frames + DRAWN)
			fputs("stands still\n", stderr);
	}
	close_window();
	return 0;
}
