/* SPDX-License-Identifier: Apache-2.0 */
/* The child that calls EGL: what a call costs, with Krafla in between or without. */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/egl/child.h"
#include "bench/egl/rows.h"
#include "util/macros.h"

#define ROUNDS 25

typedef EGLBoolean (*get_sync_fn)(EGLDisplay display, EGLSync sync, EGLint name, EGLint *value);

/* One call; `data` is what it needs besides. */
struct called {
	struct egl_child *child;
	get_sync_fn get_sync;
	EGLSync sync;
};

static void
query_surface(struct called *c)
{
	EGLint value;

	c->child->egl_QuerySurface(c->child->display, c->child->surface, EGL_WIDTH, &value);
}

static void
get_config_attrib(struct called *c)
{
	EGLint value;

	c->child->egl_GetConfigAttrib(c->child->display, c->child->config, EGL_RED_SIZE, &value);
}

static void
query_string(struct called *c)
{
	c->child->egl_QueryString(c->child->display, EGL_VENDOR);
}

static void
get_error(struct called *c)
{
	c->child->egl_GetError();
}

/* An extension's function: a dispatch function of the vendor's. */
static void
get_sync_attrib(struct called *c)
{
	EGLint value;

	c->get_sync(c->child->display, c->sync, EGL_SYNC_TYPE_KHR, &value);
}

/* Two calls, away and back: glvnd asks no vendor for what is current already. */
static void
make_current(struct called *c)
{
	struct egl_child *child = c->child;

	child->egl_MakeCurrent(child->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	child->egl_MakeCurrent(child->display, child->surface, child->surface, child->context);
}

/* Nothing was drawn. The only one of GL's that Krafla may stand before. */
static void
gl_flush(struct called *c)
{
	c->child->gl_Flush();
}

static void
gl_get_error(struct called *c)
{
	c->child->gl_GetError();
}

/* In the order of egl_call_names. */
static void (*const calls[EGL_CALLS])(struct called *c) = {
	query_surface,
	get_config_attrib,
	query_string,
	get_error,
	get_sync_attrib,
	make_current,
	gl_get_error,
	gl_flush,
};

/* The least of many rounds: what a call takes when nothing else is done. */
static double
measure(void (*call)(struct called *c), struct called *c, unsigned count)
{
	double least = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		int64_t start = kr_bench_now();
		double ns;

		for (unsigned i = 0; i < count; i++)
			call(c);
		ns = (double)(kr_bench_now() - start) / count;
		if (!round || ns < least)
			least = ns;
	}
	return least;
}

/* egl-calls COUNT: prints ns a call of each. */
int
kr_bench_child_egl_calls(int argc, char **argv)
{
	const struct egl_place place = {.width = 16, .height = 16};
	struct egl_child child;
	struct called c = {.child = &child};

	if (argc < 1)
		return 2;
	if (egl_child_open(&child, &place))
		return 1;
	c.get_sync = (get_sync_fn)child.egl_GetProcAddress("eglGetSyncAttribKHR");
	c.sync = child.egl_CreateSync(child.display, EGL_SYNC_FENCE, NULL);
	if (!c.get_sync || !c.sync)
		return 1;
	for (size_t i = 0; i < KR_ARRAY_LEN(calls); i++)
		printf("%.3f ",
			measure(calls[i], &c, (unsigned)atoi(argv[0])) /
				(calls[i] == make_current ? 2 : 1));
	child.egl_DestroySync(child.display, c.sync);
	egl_child_close(&child);
	return 0;
}
