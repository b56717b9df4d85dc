/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenGL ES in a window of Krafla, as a program of Android has it: an ANativeWindow, EGL's
 * android platform, native fences.
 *
 *   krafla run --display 640x360 --clock virtual --frames 60 --capture %03d.png -- krafla-gles
 *
 * Any vendor's driver draws: Krafla's vendor of EGL, which `krafla run` names to libEGL.so.1, makes
 * windows of its pbuffers, and native fences where it has none.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <krafla/window.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gles_scene.h"

struct screen {
	ANativeWindow *window;
	EGLDisplay display;
	EGLSurface surface;
	EGLContext context;
	PFNEGLCREATESYNCKHRPROC create_sync; /* NULL: no native fences */
	PFNEGLDESTROYSYNCKHRPROC destroy_sync;
	PFNEGLDUPNATIVEFENCEFDANDROIDPROC dup_fence;
};

static void
fail(const char *what)
{
	fprintf(stderr, "krafla-gles: %s (0x%x)\n", what, (unsigned)eglGetError());
	exit(1);
}

static void
open_display(struct screen *screen)
{
	const char *extensions;

	screen->display =
		eglGetPlatformDisplay(EGL_PLATFORM_ANDROID_KHR, EGL_DEFAULT_DISPLAY, NULL);
	if (screen->display == EGL_NO_DISPLAY)
		fail("EGL has no android platform: start this with krafla run; if it is, VK_LOADER_DEBUG=warn says why no vendor can be used");
	if (!eglInitialize(screen->display, NULL, NULL))
		fail("the display can't be initialised");
	extensions = eglQueryString(screen->display, EGL_EXTENSIONS);
	if (!extensions || !strstr(extensions, "EGL_ANDROID_native_fence_sync"))
		return;
	screen->create_sync = (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
	screen->destroy_sync = (PFNEGLDESTROYSYNCKHRPROC)eglGetProcAddress("eglDestroySyncKHR");
	screen->dup_fence =
		(PFNEGLDUPNATIVEFENCEFDANDROIDPROC)eglGetProcAddress("eglDupNativeFenceFDANDROID");
}

/* As on Android: the config says which format the window's buffers are to have. */
static void
open_surface(struct screen *screen)
{
	static const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 8,
		EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, 8, EGL_NONE};
	static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
	EGLConfig config;
	EGLint count = 0, format = 0;

	if (!eglChooseConfig(screen->display, wanted, &config, 1, &count) || count < 1)
		fail("no config of windows");
	eglGetConfigAttrib(screen->display, config, EGL_NATIVE_VISUAL_ID, &format);
	ANativeWindow_setBuffersGeometry(screen->window, 0, 0, format);
	screen->surface = eglCreateWindowSurface(
		screen->display, config, (EGLNativeWindowType)screen->window, NULL);
	if (screen->surface == EGL_NO_SURFACE)
		fail("no surface on the window");
	screen->context = eglCreateContext(screen->display, config, EGL_NO_CONTEXT, version);
	if (screen->context == EGL_NO_CONTEXT)
		fail("no context");
	if (!eglMakeCurrent(screen->display, screen->surface, screen->surface, screen->context))
		fail("the context isn't current");
}

/* A native fence of what was drawn so far, for whoever takes file descriptors; -1: none. */
static int
fence_of_drawing(const struct screen *screen)
{
	EGLSyncKHR sync;
	int fence;

	if (!screen->create_sync)
		return -1;
	sync = screen->create_sync(screen->display, EGL_SYNC_NATIVE_FENCE_ANDROID, NULL);
	if (sync == EGL_NO_SYNC_KHR)
		fail("no native fence");
	/* It exists from the next flush on. */
	glFlush();
	fence = screen->dup_fence(screen->display, sync);
	screen->destroy_sync(screen->display, sync);
	return fence;
}

/* The picture in the window's size, which may be another each time. */
static int
draw(const struct screen *screen, const struct gles_scene *scene, unsigned frame)
{
	EGLint width = 1, height = 1;
	int fence;

	eglQuerySurface(screen->display, screen->surface, EGL_WIDTH, &width);
	eglQuerySurface(screen->display, screen->surface, EGL_HEIGHT, &height);
	gles_scene_draw(scene, width, height, frame);
	fence = fence_of_drawing(screen);
	if (!eglSwapBuffers(screen->display, screen->surface))
		fail("the frame isn't shown");
	return fence;
}

/* A fence is a descriptor that can be read once it has signalled. */
static int
wait_for(int fence)
{
	struct pollfd ready = {.fd = fence, .events = POLLIN};

	if (fence < 0)
		return 0;
	if (poll(&ready, 1, 5000) != 1)
		fail("a frame isn't drawn after 5 s");
	close(fence);
	return 1;
}

static void
show_frames(const struct screen *screen, unsigned frames)
{
	struct gles_scene scene;
	unsigned fences = 0;
	int last = -1;

	if (gles_scene_init(&scene))
		exit(1);
	printf("krafla-gles: drawn by %s\n", glGetString(GL_RENDERER));
	/* Who counts the frames (krafla run --frames) may end us with the last one. */
	fflush(stdout);
	for (unsigned frame = 0; frame < frames; frame++) {
		int fence = draw(screen, &scene, frame);

		/* One frame is drawn while the next one is told. */
		fences += (unsigned)wait_for(last);
		last = fence;
	}
	fences += (unsigned)wait_for(last);
	printf("krafla-gles: %u frames, %u native fences\n", frames, fences);
	gles_scene_finish(&scene);
}

int
main(int argc, char **argv)
{
	char *end = NULL;
	long frames = argc == 2 ? strtol(argv[1], &end, 10) : 60;
	struct screen screen = {0};
	int err;

	if (argc > 2 || (end && *end) || frames < 1) {
		fprintf(stderr,
			"usage: krafla-gles [FRAMES]    on the display that KRAFLA_DISPLAY names\n");
		return 2;
	}
	/* NULL: KRAFLA_DISPLAY, which `krafla run` sets. 0x0: as large as the display. */
	err = krafla_window_open(NULL, "gles", 0, 0, &screen.window);
	if (err) {
		fprintf(stderr, "krafla-gles: no window: %s; start this with krafla run\n",
			strerror(-err));
		return 1;
	}
	open_display(&screen);
	open_surface(&screen);
	show_frames(&screen, (unsigned)frames);
	eglMakeCurrent(screen.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	eglDestroyContext(screen.display, screen.context);
	eglDestroySurface(screen.display, screen.surface);
	eglTerminate(screen.display);
	ANativeWindow_release(screen.window);
	return 0;
}
