/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of extensions. */
#include "egl/calls/internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "egl/fence/fence.h"
#include "egl/image/image.h"
#include "egl/window/window.h"
#include "util/text.h"

#define ANDROID_PLATFORM "EGL_KHR_platform_android"

/* Lists of a display, the newest first: what was given to an application stays. */
struct kr_egl_string {
	struct kr_egl_string *older;
	char text[];
};

/* Words of `more` that `list` hasn't are put behind it; `list` is freed, NULL: no memory. */
static char *
add_words(char *list, const char *more)
{
	const char *word;
	size_t len;

	while (list && more && kr_list_next(&more, ' ', &word, &len)) {
		char name[256], *longer;

		if (len >= sizeof(name))
			continue;
		memcpy(name, word, len);
		name[len] = '\0';
		if (kr_egl_names_extension(list, name))
			continue;
		longer = kr_asprintf("%s%s%s", list, *list ? " " : "", name);
		free(list);
		list = longer;
	}
	return list;
}

enum list {
	LIST_CLIENT,
	LIST_PLATFORM,
	LISTS,
};

static const char *
list_of(const struct kr_egl_vendor *vendor, enum list which)
{
	if (which == LIST_CLIENT)
		return vendor->egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
	return vendor->imports.getVendorString
		? vendor->imports.getVendorString(__EGL_VENDOR_STRING_PLATFORM_EXTENSIONS)
		: NULL;
}

/* All vendors', made when it is first asked for; NULL: no memory. */
static const char *
have_list(enum list which)
{
	static _Atomic(char *) lists[LISTS];
	char *list = atomic_load(&lists[which]), *made = NULL;

	if (list)
		return list;
	made = strdup(which == LIST_PLATFORM ? ANDROID_PLATFORM : "");
	for (unsigned i = 0; made && i < kr_egl_vendors_count(); i++)
		made = add_words(made, list_of(kr_egl_vendor_at(i), which));
	/* Another thread may have been faster: then its list is the one. */
	if (!made || atomic_compare_exchange_strong(&lists[which], &list, made))
		return made;
	free(made);
	return list;
}

const char *
kr_egl_client_string(EGLint name)
{
	const char *text = name == EGL_VERSION ? "1.5" : have_list(LIST_CLIENT);

	kr_egl_error_set(text ? EGL_SUCCESS : EGL_BAD_ALLOC);
	return text;
}

const char *
kr_egl_platform_extensions(void)
{
	return have_list(LIST_PLATFORM);
}

bool
kr_egl_display_extensions_build(struct kr_egl_display *display)
{
	const char *vendors = display->vendor->egl.QueryString(display->handle, EGL_EXTENSIONS);
	struct kr_egl_string *made, *newest;
	char *list = strdup(vendors ? vendors : "");
	size_t len;

	while (list && *list && list[strlen(list) - 1] == ' ')
		list[strlen(list) - 1] = '\0';
	list = add_words(list, kr_egl_fences_extensions(display));
	list = add_words(list, kr_egl_images_extensions(display));
	if (display->android)
		list = add_words(list, kr_egl_windows_extensions(display));
	if (!list)
		return false;
	newest = atomic_load(&display->extensions);
	if (newest && !strcmp(newest->text, list)) {
		free(list);
		return true;
	}
	len = strlen(list);
	made = malloc(sizeof(*made) + len + 1);
	if (made) {
		memcpy(made->text, list, len + 1);
		made->older = newest;
		atomic_store(&display->extensions, made);
	}
	free(list);
	return made;
}

const char *
kr_egl_display_extensions(struct kr_egl_display *display)
{
	const struct kr_egl_string *newest = atomic_load(&display->extensions);

	return newest ? newest->text
		      : display->vendor->egl.QueryString(display->handle, EGL_EXTENSIONS);
}
