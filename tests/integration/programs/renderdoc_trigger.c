/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To be preloaded into a program under `renderdoccmd capture`: asks RenderDoc, by the functions
 * that it offers to programs, to capture the next frame. Nobody can press its key in a test.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define API_1_1_2   10102
#define GET_VERSION 0 /* places in the table of functions that RENDERDOC_GetAPI gives */
#define TRIGGER     15

__attribute__((constructor)) static void
trigger(void)
{
	int (*get)(int version, void **api) = dlsym(RTLD_DEFAULT, "RENDERDOC_GetAPI");
	int major = 0, minor = 0, patch = 0;
	void **functions;

	/* renderdoccmd itself is started with it too. */
	if (!strcmp(program_invocation_short_name, "renderdoccmd"))
		return;
	if (!get || get(API_1_1_2, (void **)&functions) != 1) {
		fprintf(stderr, "trigger: RenderDoc isn't in this process\n");
		return;
	}
	((void (*)(int *, int *, int *))functions[GET_VERSION])(&major, &minor, &patch);
	((void (*)(void))functions[TRIGGER])();
	fprintf(stderr, "trigger: RenderDoc %d.%d.%d was asked\n", major, minor, patch);
}
