/* SPDX-License-Identifier: Apache-2.0 */
/* The files that name vendors, as glvnd finds them. */
#ifndef KR_EGL_VENDOR_MANIFESTS_H
#define KR_EGL_VENDOR_MANIFESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/macros.h"

/* As many as are read of what the variables and directories name; a warning tells of more. */
#define KR_EGL_MAX_MANIFESTS 64

struct kr_egl_manifest {
	char *path;
	char *library; /* as dlopen takes it */
};

struct kr_egl_manifests {
	size_t count;
	struct kr_egl_manifest items[KR_EGL_MAX_MANIFESTS];
};

/*
 * Those of all vendors but Krafla's, in glvnd's order: what KRAFLA_EGL_VENDORS names, else what
 * lies in the directories of __EGL_VENDOR_LIBRARY_DIRS, else in glvnd's own two. A variable that is
 * set to nothing names none. Files that aren't
 * manifests by glvnd's rules are passed over with a warning. 0 or -ENOMEM; finish it either way.
 */
int kr_egl_manifests_find(struct kr_egl_manifests *manifests) KR_MUST_CHECK;

/* In the same way those that glvnd loads itself, beside us: of __EGL_VENDOR_LIBRARY_FILENAMES. */
int kr_egl_manifests_of_glvnd(struct kr_egl_manifests *manifests) KR_MUST_CHECK;

void kr_egl_manifests_finish(struct kr_egl_manifests *manifests);

/* Whether glvnd was told of vendors by name: else it loads all that there are beside us. */
bool kr_egl_is_told_of_vendors(void);

#endif
