/* SPDX-License-Identifier: Apache-2.0 */
/* More of the table of calls: see call_table.h. */
#include "call_table.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* --- threads that end, and two displays --- */

struct made {
	EGLDisplay display;
	EGLContext context;
	EGLSurface surface;
	EGLConfig config;
};

static void
make(struct made *made, EGLDisplay d)
{
	EGLint count;

	made->display = d;
	SAY(eglInitialize(d, NULL, NULL));
	SAY(eglChooseConfig(d, wanted, &made->config, 1, &count));
	SAY(made->context = eglCreateContext(d, made->config, EGL_NO_CONTEXT, es2));
	SAY(made->surface = eglCreatePbufferSurface(d, made->config, pbuffer_size));
}

static EGLBoolean
become_current(const struct made *made)
{
	return eglMakeCurrent(made->display, made->surface, made->surface, made->context);
}

static void *
end_with_context(void *data)
{
	SAY(become_current(data));
	return NULL;
}

static void *
use_while_current(void *data)
{
	const struct made *made = data;
	EGLint value;

	SAY(become_current(made));
	SAY(eglQueryContext(made->display, made->context, EGL_RENDER_BUFFER, &value));
	SAY(eglSwapBuffers(made->display, made->surface));
	return NULL;
}

static void
in_thread(void *(*call)(void *data), struct made *made)
{
	pthread_t thread;

	pthread_create(&thread, NULL, call, made);
	pthread_join(thread, NULL);
}

void
call_two_displays(EGLDisplay d)
{
	PFNEGLQUERYDEVICESEXTPROC query_devices;
	struct made one, two;
	PFNEGLQUERYDISPLAYATTRIBEXTPROC query_display;
	EGLDeviceEXT device;
	EGLAttrib attrib;
	EGLint count;

	query_devices = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
	query_display =
		(PFNEGLQUERYDISPLAYATTRIBEXTPROC)eglGetProcAddress("eglQueryDisplayAttribEXT");
	printf("--- threads that end\n");
	make(&one, d);
	in_thread(end_with_context, &one);
	SAY(become_current(&one));
	in_thread(use_while_current, &one);
	printf("--- two displays\n");
	make(&one, d);
	SAY(query_devices(1, &device, &count));
	make(&two, eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, NULL));
	SAY(query_display(two.display, EGL_DEVICE_EXT, &attrib));
	SAY((EGLDeviceEXT)attrib == device);
	SAY(become_current(&two));
	SAY(eglGetCurrentDisplay() == two.display);
	SAY(become_current(&one));
	SAY(eglGetCurrentDisplay() == one.display);
	SAY(eglMakeCurrent(one.display, two.surface, two.surface, one.context));
	SAY(eglMakeCurrent(two.display, one.surface, one.surface, one.context));
	SAY(eglDestroySurface(two.display, one.surface));
	SAY(eglDestroyContext(two.display, one.context));
	SAY(eglTerminate(two.display));
	SAY(eglGetCurrentDisplay() == one.display);
	SAY(become_current(&two));
	SAY(eglSwapBuffers(one.display, one.surface));
	SAY(eglTerminate(one.display));
	SAY(eglReleaseThread());
}

/* --- names --- */
void
find_names(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[512], name[128];

	while (file && fgets(line, sizeof(line), file)) {
		const char *at = strstr(line, "EGLAPIENTRY egl");

		if (!at || sscanf(at, "EGLAPIENTRY %127[A-Za-z0-9]", name) != 1 ||
			strstr(name, "ANDROID"))
			continue;
		printf("%s %s\n", name, eglGetProcAddress(name) ? "is there" : "isn't there");
	}
	if (file)
		fclose(file);
}
