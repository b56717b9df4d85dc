/* SPDX-License-Identifier: Apache-2.0 */
/* See support.h. */
#include "support.h"

#include <dlfcn.h>
#include <stdio.h>

const char *
hand_library(int number)
{
	return number == 1 ? TEST_HAND_1 : TEST_HAND_2;
}

struct hand *
hand_of(int number)
{
	void *library = dlopen(hand_library(number), RTLD_LAZY | RTLD_LOCAL);
	struct hand *hand = library ? dlsym(library, "hand") : NULL;

	if (!hand)
		fail_msg("%s", dlerror());
	return hand;
}

const char *
hand_manifest(const char *name, const char *library)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\"}}",
		library);
	return kr_test_file(name, text);
}

const char *
hand_list(const char *first, const char *second)
{
	static char lists[8][2048];
	static unsigned used;
	char *list = lists[used++ % 8];

	snprintf(list, sizeof(lists[0]), "%s:%s", first, second);
	return list;
}

void
hand_choose(const char *manifests)
{
	unsetenv("__EGL_VENDOR_LIBRARY_DIRS");
	setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere/10_krafla.json", 1);
	setenv("KRAFLA_EGL_VENDORS", manifests, 1);
}
