/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_table: calls every function of EGL 1.5 and some of extensions' with good and bad arguments,
 * and prints what each answers and what eglGetError says of it then; the same in a second thread.
 * No value is printed that differs from process to process.
 */
#include "call_table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void
say(const char *call, intptr_t answer)
{
	EGLint error = eglGetError();

	if (answer > 0xffff || answer < -0xffff)
		printf("%s: something, %#x\n", call, (unsigned)error);
	else
		printf("%s: %ld, %#x\n", call, (long)answer, (unsigned)error);
	error = eglGetError();
	if (error != EGL_SUCCESS)
		printf("%s: the error stays, %#x\n", call, (unsigned)error);
}

const EGLint pbuffer_size[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
const EGLint es2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
	EGL_RED_SIZE, 8, EGL_NONE};

/* --- extensions --- */

/* As they are found by name; each is NULL where there is none. */
#define EXTENSIONS(X)                                                                              \
	X(CreateSyncKHR, CREATESYNCKHR)                                                            \
	X(DestroySyncKHR, DESTROYSYNCKHR)                                                          \
	X(ClientWaitSyncKHR, CLIENTWAITSYNCKHR)                                                    \
	X(GetSyncAttribKHR, GETSYNCATTRIBKHR)                                                      \
	X(SignalSyncKHR, SIGNALSYNCKHR)                                                            \
	X(CreateImageKHR, CREATEIMAGEKHR)                                                          \
	X(DestroyImageKHR, DESTROYIMAGEKHR)                                                        \
	X(QueryDevicesEXT, QUERYDEVICESEXT)                                                        \
	X(QueryDeviceStringEXT, QUERYDEVICESTRINGEXT)                                              \
	X(QueryDeviceAttribEXT, QUERYDEVICEATTRIBEXT)                                              \
	X(QueryDisplayAttribEXT, QUERYDISPLAYATTRIBEXT)                                            \
	X(GetPlatformDisplayEXT, GETPLATFORMDISPLAYEXT)                                            \
	X(CreatePlatformWindowSurfaceEXT, CREATEPLATFORMWINDOWSURFACEEXT)                          \
	X(SwapBuffersWithDamageEXT, SWAPBUFFERSWITHDAMAGEEXT)                                      \
	X(SwapBuffersWithDamageKHR, SWAPBUFFERSWITHDAMAGEKHR)                                      \
	X(LabelObjectKHR, LABELOBJECTKHR)                                                          \
	X(QueryDebugKHR, QUERYDEBUGKHR)

#define POINTER(name, upper) static PFNEGL##upper##PROC egl_##name;
EXTENSIONS(POINTER)
#undef POINTER

static void
find_extensions(void)
{
#define FIND(name, upper)                                                                          \
	egl_##name = (PFNEGL##upper##PROC)eglGetProcAddress("egl" #name);                          \
	printf("egl" #name " %s\n", egl_##name ? "is there" : "isn't there");                      \
	if (!egl_##name)                                                                           \
		exit(1);
	EXTENSIONS(FIND)
#undef FIND
	SAY(eglGetProcAddress("eglNobodyHasThisEXT"));
}

/* --- parts --- */

/* All that take a display; `d` is none, no display at all, or one that isn't initialised. */
static void
call_with(const char *what, EGLDisplay d)
{
	const EGLAttrib none[] = {EGL_NONE};
	EGLConfig config = NULL;
	EGLAttrib attrib;
	EGLint value;

	printf("--- %s\n", what);
	SAY(eglChooseConfig(d, wanted, &config, 1, &value));
	SAY(eglCopyBuffers(d, EGL_NO_SURFACE, 0));
	SAY(eglCreateContext(d, config, EGL_NO_CONTEXT, es2));
	SAY(eglCreatePbufferSurface(d, config, pbuffer_size));
	SAY(eglCreatePbufferFromClientBuffer(d, EGL_OPENVG_IMAGE, NULL, config, NULL));
	SAY(eglCreatePixmapSurface(d, config, 0, NULL));
	SAY(eglCreatePlatformPixmapSurface(d, config, NULL, none));
	SAY(eglCreatePlatformWindowSurface(d, config, NULL, none));
	SAY(eglCreateWindowSurface(d, config, 0, NULL));
	SAY(eglCreateImage(d, EGL_NO_CONTEXT, EGL_GL_TEXTURE_2D, NULL, none));
	SAY(eglCreateSync(d, EGL_SYNC_FENCE, none));
	SAY(eglClientWaitSync(d, EGL_NO_SYNC, 0, 0));
	SAY(eglDestroyContext(d, EGL_NO_CONTEXT));
	SAY(eglDestroyImage(d, EGL_NO_IMAGE));
	SAY(eglDestroySurface(d, EGL_NO_SURFACE));
	SAY(eglDestroySync(d, EGL_NO_SYNC));
	SAY(eglGetConfigAttrib(d, config, EGL_RED_SIZE, &value));
	SAY(eglGetConfigs(d, NULL, 0, &value));
	SAY(eglGetSyncAttrib(d, EGL_NO_SYNC, EGL_SYNC_STATUS, &attrib));
	SAY(eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	SAY(eglMakeCurrent(d, (EGLSurface)1, (EGLSurface)1, (EGLContext)1));
	SAY(eglQueryContext(d, EGL_NO_CONTEXT, EGL_CONTEXT_CLIENT_TYPE, &value));
	SAY(eglQueryString(d, EGL_VENDOR));
	SAY(eglQueryString(d, EGL_EXTENSIONS));
	SAY(eglQueryString(d, EGL_VERSION));
	SAY(eglQueryString(d, 1));
	SAY(eglQuerySurface(d, EGL_NO_SURFACE, EGL_WIDTH, &value));
	SAY(eglReleaseTexImage(d, EGL_NO_SURFACE, EGL_BACK_BUFFER));
	SAY(eglBindTexImage(d, EGL_NO_SURFACE, EGL_BACK_BUFFER));
	SAY(eglSurfaceAttrib(d, EGL_NO_SURFACE, EGL_MIPMAP_LEVEL, 0));
	SAY(eglSwapBuffers(d, EGL_NO_SURFACE));
	SAY(eglSwapInterval(d, 1));
	SAY(eglWaitSync(d, EGL_NO_SYNC, 0));
	SAY(egl_CreateSyncKHR(d, EGL_SYNC_FENCE_KHR, NULL));
	SAY(egl_ClientWaitSyncKHR(d, EGL_NO_SYNC_KHR, 0, 0));
	SAY(egl_GetSyncAttribKHR(d, EGL_NO_SYNC_KHR, EGL_SYNC_STATUS_KHR, &value));
	SAY(egl_SignalSyncKHR(d, EGL_NO_SYNC_KHR, EGL_SIGNALED_KHR));
	SAY(egl_DestroySyncKHR(d, EGL_NO_SYNC_KHR));
	SAY(egl_CreateImageKHR(d, EGL_NO_CONTEXT, EGL_GL_TEXTURE_2D_KHR, NULL, NULL));
	SAY(egl_DestroyImageKHR(d, EGL_NO_IMAGE_KHR));
	SAY(egl_QueryDisplayAttribEXT(d, EGL_DEVICE_EXT, &attrib));
	SAY(egl_CreatePlatformWindowSurfaceEXT(d, config, NULL, NULL));
	SAY(egl_SwapBuffersWithDamageEXT(d, EGL_NO_SURFACE, NULL, 0));
	SAY(egl_SwapBuffersWithDamageKHR(d, EGL_NO_SURFACE, NULL, 0));
}

static void
call_without_display(void)
{
	EGLAttrib attrib;
	EGLint count;

	printf("--- no display\n");
	SAY(eglBindAPI(EGL_NONE));
	SAY(eglBindAPI(EGL_OPENVG_API));
	SAY(eglQueryAPI());
	SAY(eglBindAPI(EGL_OPENGL_API));
	SAY(eglQueryAPI());
	SAY(eglBindAPI(EGL_OPENGL_ES_API));
	SAY(eglQueryAPI());
	SAY(eglGetCurrentContext());
	SAY(eglGetCurrentDisplay());
	SAY(eglGetCurrentSurface(EGL_DRAW));
	SAY(eglGetCurrentSurface(1));
	SAY(eglWaitClient());
	SAY(eglWaitGL());
	SAY(eglWaitNative(EGL_CORE_NATIVE_ENGINE));
	SAY(eglReleaseThread());
	SAY(eglGetPlatformDisplay(EGL_NONE, NULL, NULL));
	SAY(egl_GetPlatformDisplayEXT(EGL_NONE, NULL, NULL));
	SAY(egl_QueryDevicesEXT(0, NULL, &count));
	printf("devices: %d\n", count);
	SAY(egl_QueryDevicesEXT(0, NULL, NULL));
	SAY(egl_QueryDeviceStringEXT(NULL, EGL_EXTENSIONS));
	SAY(egl_QueryDeviceAttribEXT(NULL, EGL_NONE, &attrib));
	SAY(egl_QueryDebugKHR(EGL_NONE, &attrib));
	SAY(egl_LabelObjectKHR(NULL, EGL_OBJECT_THREAD_KHR, NULL, &count));
}

static void
call_syncs(EGLDisplay d)
{
	const EGLint wrong[] = {EGL_SYNC_CONDITION_KHR, 1, EGL_NONE};
	EGLSync sync;
	EGLAttrib attrib;
	EGLint value;

	SAY(sync = eglCreateSync(d, EGL_SYNC_FENCE, NULL));
	SAY(eglClientWaitSync(d, sync, EGL_SYNC_FLUSH_COMMANDS_BIT, 1000000000));
	SAY(eglGetSyncAttrib(d, sync, EGL_SYNC_STATUS, &attrib));
	printf("status %#lx\n", (long)attrib);
	SAY(eglGetSyncAttrib(d, sync, EGL_SYNC_TYPE, &attrib));
	SAY(eglGetSyncAttrib(d, sync, 1, &attrib));
	SAY(egl_GetSyncAttribKHR(d, sync, EGL_SYNC_CONDITION_KHR, &value));
	printf("condition %#x\n", (unsigned)value);
	SAY(egl_SignalSyncKHR(d, sync, EGL_SIGNALED_KHR));
	SAY(eglWaitSync(d, sync, 0));
	SAY(eglWaitSync(d, sync, 1));
	SAY(eglDestroySync(d, sync));
	SAY(egl_CreateSyncKHR(d, EGL_SYNC_FENCE_KHR, wrong));
	SAY(egl_CreateSyncKHR(d, EGL_NONE, NULL));
	SAY(sync = egl_CreateSyncKHR(d, EGL_SYNC_REUSABLE_KHR, NULL));
	SAY(egl_ClientWaitSyncKHR(d, sync, 0, 0));
	SAY(egl_SignalSyncKHR(d, sync, EGL_SIGNALED_KHR));
	SAY(egl_ClientWaitSyncKHR(d, sync, 0, 0));
	SAY(egl_SignalSyncKHR(d, sync, EGL_UNSIGNALED_KHR));
	SAY(egl_SignalSyncKHR(d, sync, 1));
	SAY(egl_DestroySyncKHR(d, sync));
}

/* A second thread has errors and a current context of its own. */
static void *
call_in_thread(void *data)
{
	EGLDisplay d = data;

	SAY(eglGetCurrentContext());
	SAY(eglQueryAPI());
	SAY(eglSwapInterval(d, 1));
	if (eglDestroySurface(d, EGL_NO_SURFACE))
		printf("no surface was destroyed\n");
	return NULL; /* with an error that nobody asked for */
}

static void
call_beside_thread(EGLDisplay d)
{
	pthread_t thread;
	EGLint value;

	printf("--- two threads\n");
	/* This thread's error is kept while another's come and go. */
	if (eglGetConfigAttrib(d, (EGLConfig)1, EGL_RED_SIZE, &value))
		printf("there is a config that can't be\n");
	pthread_create(&thread, NULL, call_in_thread, d);
	pthread_join(thread, NULL);
	printf("the error is %#x\n", (unsigned)eglGetError());
}

static void
call_current(EGLDisplay d, EGLConfig config, EGLContext context, EGLSurface surface)
{
	EGLint value;

	SAY(eglMakeCurrent(d, surface, surface, context));
	SAY(eglGetCurrentContext() == context);
	SAY(eglGetCurrentSurface(EGL_READ) == surface);
	SAY(eglGetCurrentDisplay() == d);
	SAY(eglMakeCurrent(d, surface, EGL_NO_SURFACE, context));
	SAY(eglMakeCurrent(d, surface, surface, EGL_NO_CONTEXT));
	SAY(eglGetCurrentContext() == context);
	SAY(eglQueryContext(d, context, EGL_CONTEXT_CLIENT_TYPE, &value));
	SAY(eglQueryContext(d, context, 1, &value));
	SAY(eglQuerySurface(d, surface, EGL_WIDTH, &value));
	printf("width %d\n", value);
	SAY(eglSwapBuffers(d, surface));
	SAY(eglSwapInterval(d, 0));
	SAY(eglWaitClient());
	SAY(eglWaitNative(1));
	SAY(eglBindAPI(EGL_OPENGL_API));
	SAY(eglGetCurrentContext() == context);
	SAY(eglBindAPI(EGL_OPENGL_ES_API));
	SAY(eglGetCurrentContext() == context);
	call_syncs(d);
	call_beside_thread(d);
	SAY(eglDestroySurface(d, surface));
	SAY(eglDestroyContext(d, context));
	SAY(eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	SAY(eglGetCurrentContext());
	SAY(eglMakeCurrent(d, surface, surface, context));
	SAY(eglCreateContext(d, config, (EGLContext)1, es2));
}

static void
call_initialised(EGLDisplay d)
{
	const EGLint wrong[] = {EGL_WIDTH, -1, EGL_NONE};
	EGLint major, minor, count;
	EGLContext context;
	EGLSurface surface;
	EGLConfig config;

	SAY(eglInitialize(d, &major, &minor));
	printf("version %d.%d\n", major, minor);
	call_with("initialised", d);
	printf("--- current\n");
	SAY(eglChooseConfig(d, wanted, &config, 1, &count));
	SAY(eglChooseConfig(d, wanted, &config, 1, NULL));
	SAY(eglGetConfigAttrib(d, config, 1, &count));
	SAY(eglCreatePbufferSurface(d, config, wrong));
	SAY(context = eglCreateContext(d, config, EGL_NO_CONTEXT, es2));
	SAY(surface = eglCreatePbufferSurface(d, config, pbuffer_size));
	call_current(d, config, context, surface);
	SAY(context = eglCreateContext(d, config, EGL_NO_CONTEXT, es2));
	SAY(eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
	SAY(eglReleaseThread());
	SAY(eglGetCurrentContext());
	SAY(eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
	SAY(eglTerminate(d));
	SAY(eglGetCurrentContext() == context);
	SAY(eglReleaseThread());
	SAY(eglTerminate(d));
	SAY(eglInitialize(d, NULL, NULL));
	SAY(eglTerminate(d));
}

/* A display that needs no window system: Mesa's, else the first device's. */
static EGLDisplay
bare_display(void)
{
	EGLDisplay d = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
	EGLDeviceEXT device;
	EGLint count = 0;

	if (!d && egl_QueryDevicesEXT(1, &device, &count) && count)
		d = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, NULL);
	return d;
}

int
main(void)
{
	EGLDisplay d;

	printf("the error is %#x\n", (unsigned)eglGetError());
	find_extensions();
	call_without_display();
	call_with("EGL_NO_DISPLAY", EGL_NO_DISPLAY);
	call_with("a display that can't be", (EGLDisplay)1);
	SAY(d = bare_display());
	SAY(d == bare_display());
	SAY(d == egl_GetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL));
	call_with("not initialised", d);
	call_initialised(d);
	call_two_displays(d);
	find_names("/usr/include/EGL/egl.h");
	find_names("/usr/include/EGL/eglext.h");
	return 0;
}
