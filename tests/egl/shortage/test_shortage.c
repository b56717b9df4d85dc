/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each allocation of Krafla's fails once, from the vendors' manifests to a frame that is shown:
 * nothing crashes, and what a program asked for has worked or has an error of EGL's. Mesa draws:
 * its own memory is out of reach here, and what it does without it is its own.
 */
#include <GLES2/gl2.h>
#include <glvnd/libeglabi.h>
#include <krafla/window.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "egl/vendor/vendor.h"
#include "failing_alloc.h"
#include "support.h"

#define FLAGS (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)
#define MESA  "/usr/share/glvnd/egl_vendor.d/50_mesa.json"

static __EGLapiImports krafla;

#define EGL(name, upper) ((PFNEGL##upper##PROC)krafla.getProcAddress("egl" #name))

/* How a child ends. */
enum outcome {
	OUTCOME_ERROR,  /* an allocation failed, and all that didn't work said so */
	OUTCOME_DONE,   /* all worked: no allocation failed any more */
	OUTCOME_SILENT, /* something didn't work, without an error */
	OUTCOME_BROKEN, /* nothing failed, and yet it didn't work */
};

static const char *failed; /* what didn't work, first */
static bool silent;

/* Whether it worked; else EGL says why. */
static bool
worked(bool good, const char *what)
{
	if (good)
		return true;
	if (!failed)
		failed = what;
	if (EGL(GetError, GETERROR)() == EGL_SUCCESS) {
		silent = true;
		failed = what;
	}
	return false;
}

struct screen {
	struct krafla_reader *reader;
	ANativeWindow *window;
	EGLDisplay display;
	EGLConfig config;
	EGLSurface surface;
	EGLContext context;
};

/* Before any allocation fails. */
static void
open_window(struct screen *screen)
{
	const struct krafla_reader_config config = {
		.size = sizeof(config), .width = 32, .height = 24, .max_images = 2};

	assert_int_equal(krafla_reader_open(&config, &screen->reader), 0);
	assert_int_equal(krafla_reader_get_window(screen->reader, &screen->window), 0);
}

/* glvnd goes without Krafla, and Krafla without a vendor, where there is no memory for it. */
static bool
load_vendors(void)
{
	if (__egl_Main(EGL_VENDOR_ABI_VERSION, NULL, NULL, &krafla) && kr_egl_vendors_count() == 2)
		return true;
	failed = "__egl_Main";
	return false;
}

static bool
open_display(struct screen *screen)
{
	static const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 8,
		EGL_ALPHA_SIZE, 8, EGL_NONE};
	EGLint count = 0;

	screen->display = EGL(GetPlatformDisplay, GETPLATFORMDISPLAY)(
		EGL_PLATFORM_ANDROID_KHR, EGL_DEFAULT_DISPLAY, NULL);
	if (!worked(screen->display != EGL_NO_DISPLAY, "eglGetPlatformDisplay") ||
		!worked(EGL(Initialize, INITIALIZE)(screen->display, NULL, NULL), "eglInitialize"))
		return false;
	return worked(EGL(QueryString, QUERYSTRING)(EGL_NO_DISPLAY, EGL_EXTENSIONS), "client") &&
		worked(EGL(QueryString, QUERYSTRING)(screen->display, EGL_EXTENSIONS), "strings") &&
		worked(EGL(ChooseConfig, CHOOSECONFIG)(
			       screen->display, wanted, &screen->config, 1, &count) &&
				count == 1,
			"eglChooseConfig");
}

/* GL that can be had is the current context's. */
static bool
draws(void)
{
	PFNGLGETSTRINGPROC get = (PFNGLGETSTRINGPROC)krafla.getProcAddress("glGetString");

	return !get || get(GL_VERSION);
}

static bool
open_surface(struct screen *screen)
{
	static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};

	screen->surface = EGL(CreateWindowSurface, CREATEWINDOWSURFACE)(
		screen->display, screen->config, (EGLNativeWindowType)screen->window, NULL);
	if (!worked(screen->surface != EGL_NO_SURFACE, "eglCreateWindowSurface"))
		return false;
	screen->context = EGL(CreateContext, CREATECONTEXT)(
		screen->display, screen->config, EGL_NO_CONTEXT, version);
	return worked(screen->context != EGL_NO_CONTEXT, "eglCreateContext") &&
		worked(EGL(MakeCurrent, MAKECURRENT)(
			       screen->display, screen->surface, screen->surface, screen->context),
			"eglMakeCurrent") &&
		worked(draws(), "glGetString");
}

/* One of the commands so far, and the same as another's. */
static void
make_fences(const struct screen *screen)
{
	EGLint list[] = {EGL_SYNC_NATIVE_FENCE_FD_ANDROID, -1, EGL_NONE};
	void (*flush)(void) = (void (*)(void))krafla.getProcAddress("glFlush");
	EGLSyncKHR sync = EGL(CreateSyncKHR, CREATESYNCKHR)(
		screen->display, EGL_SYNC_NATIVE_FENCE_ANDROID, list);

	if (!worked(sync != EGL_NO_SYNC_KHR, "eglCreateSyncKHR"))
		return;
	if (flush) {
		flush();
		list[1] = EGL(DupNativeFenceFDANDROID, DUPNATIVEFENCEFDANDROID)(
			screen->display, sync);
		worked(list[1] >= 0, "eglDupNativeFenceFDANDROID");
	}
	EGL(DestroySyncKHR, DESTROYSYNCKHR)(screen->display, sync);
	if (list[1] < 0)
		return;
	sync = EGL(CreateSyncKHR, CREATESYNCKHR)(
		screen->display, EGL_SYNC_NATIVE_FENCE_ANDROID, list);
	if (!worked(sync != EGL_NO_SYNC_KHR, "eglCreateSyncKHR of a descriptor")) {
		close(list[1]);
		return;
	}
	worked(EGL(WaitSyncKHR, WAITSYNCKHR)(screen->display, sync, 0), "eglWaitSyncKHR");
	worked(EGL(ClientWaitSyncKHR, CLIENTWAITSYNCKHR)(screen->display, sync, 0, EGL_FOREVER) ==
			EGL_CONDITION_SATISFIED,
		"eglClientWaitSyncKHR");
	EGL(DestroySyncKHR, DESTROYSYNCKHR)(screen->display, sync);
}

static void
show_frames(const struct screen *screen)
{
	for (int i = 0; i < 2; i++) {
		make_fences(screen);
		worked(EGL(SwapBuffers, SWAPBUFFERS)(screen->display, screen->surface),
			"eglSwapBuffers");
	}
}

/* What fails on the way leaves what was there before, which goes as ever. */
static void
close_display(const struct screen *screen)
{
	if (screen->display == EGL_NO_DISPLAY)
		return;
	EGL(MakeCurrent, MAKECURRENT)(screen->display, NULL, NULL, NULL);
	if (screen->context)
		worked(EGL(DestroyContext, DESTROYCONTEXT)(screen->display, screen->context),
			"eglDestroyContext");
	if (screen->surface)
		worked(EGL(DestroySurface, DESTROYSURFACE)(screen->display, screen->surface),
			"eglDestroySurface");
	worked(EGL(Terminate, TERMINATE)(screen->display), "eglTerminate");
}

static void
show(struct screen *screen)
{
	if (load_vendors() && open_display(screen) && open_surface(screen))
		show_frames(screen);
	close_display(screen);
}

/* Whether nothing was missing. */
static bool
show_without_memory(long number)
{
	struct screen screen = {0};
	bool none;

	open_window(&screen);
	failing_alloc_left = number;
	show(&screen);
	none = failing_alloc_left >= 0;
	failing_alloc_left = -1;
	return none;
}

/* So many descriptors are left: Mesa needs some of its own, for a display without a GPU. */
static bool
show_without_fds(long number)
{
	struct screen screen = {0};

	open_window(&screen);
	kr_test_limit_fds((int)number);
	show(&screen);
	kr_test_end_fd_limit();
	return !failed && number > 0;
}

/* --- children, one for each allocation --- */

static enum outcome
outcome_of(bool (*run)(long), long number)
{
	bool none = run(number);

	if (failed && (silent || none))
		fprintf(stderr, "allocation %ld: %s%s\n", number, failed,
			silent ? " without an error" : "");
	if (silent)
		return OUTCOME_SILENT;
	if (none)
		return failed ? OUTCOME_BROKEN : OUTCOME_DONE;
	return OUTCOME_ERROR;
}

static int
run_child(bool (*run)(long), long number)
{
	int status = -1;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		alarm(60);
		_exit(outcome_of(run, number));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

/* How many can fail. */
static long
fail_each(bool (*run)(long))
{
	long number = 0;

	for (;; number++) {
		int status = run_child(run, number);

		if (!WIFEXITED(status) || WEXITSTATUS(status) > OUTCOME_DONE)
			fail_msg("allocation %ld: %x", number, (unsigned)status);
		if (WEXITSTATUS(status) == OUTCOME_DONE)
			return number;
	}
}

static void
each_allocation_fails_once(void **state)
{
	if (access(MESA, R_OK))
		kr_test_skip("no-egl", NULL);
	hand_choose(hand_list(MESA, hand_manifest("1.json", hand_library(1))));
	/* So it has come to fences and frames. */
	assert_true(fail_each(show_without_memory) > 60);
}

static void
descriptors_run_out(void **state)
{
	if (access(MESA, R_OK))
		kr_test_skip("no-egl", NULL);
	hand_choose(hand_list(MESA, hand_manifest("1.json", hand_library(1))));
	assert_true(fail_each(show_without_fds) > 3);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(descriptors_run_out, FLAGS, 280),
	KR_TEST_SLOW(each_allocation_fails_once, FLAGS, 280),
};

KR_TEST_MAIN(tests)
