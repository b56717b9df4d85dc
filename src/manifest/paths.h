/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where manifests are looked for: the XDG search order of Linux loaders and the VK_* variables that
 * replace or extend it (docs/loader.md). The order, as read in the Khronos loader 1.4.360:
 * $XDG_CONFIG_HOME (or $HOME/.config), $XDG_CONFIG_DIRS (/etc/xdg), /etc, $XDG_DATA_HOME (or
 * $HOME/.local/share), $XDG_DATA_DIRS (/usr/local/share:/usr/share), each with /vulkan/icd.d or its
 * like. Directories are read with opendir, readdir, closedir alone, so whoever interposes those
 * sees and decides everything.
 *
 * Thread-safety: no shared state; any thread, as long as nobody changes the environment meanwhile.
 */
#ifndef KR_MANIFEST_PATHS_H
#define KR_MANIFEST_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include "manifest/names.h"
#include "util/macros.h"

enum kr_manifest_kind {
	KR_MANIFEST_DRIVER,
	KR_MANIFEST_EXPLICIT_LAYER,
	KR_MANIFEST_IMPLICIT_LAYER,
};

/* Seams for tests; zero means the real one. */
struct kr_search_options {
	const char *(*env_get)(const char *name); /* kr_env_get_raw: set to nothing is set */
	const char *sysconfdir;                   /* "/etc" */
	bool no_override; /* the variables that replace or extend the search are ignored */
	bool no_standard; /* what no variable names isn't looked at */
	/* Not for tests: places that replace the whole search, whatever the environment says. */
	const struct kr_names *instead;
};

/* One place that is searched: a directory or, when it ends in .json, a manifest. */
struct kr_search_place {
	char *path;
	const char *variable; /* static: the VK_* variable that named it, NULL for a standard
				 directory */
};

struct kr_search_list {
	struct kr_search_place *places;
	size_t count;
};

/*
 * The places of a kind in search order, none twice. 0 or -ENOMEM. *list is finished by
 * kr_search_list_finish. `options` may be NULL.
 */
int kr_search_places(enum kr_manifest_kind kind, const struct kr_search_options *options,
	struct kr_search_list *list) KR_MUST_CHECK;

/*
 * Whether a variable replaces the search of standard directories: with nothing, when it is empty.
 */
bool kr_search_is_replaced(enum kr_manifest_kind kind, const struct kr_search_options *options);

/*
 * The manifest files in these places, in their order; in a directory the order of readdir. A place
 * that was named by a variable and is a file is listed whether it exists or not, so that reading it
 * tells what is wrong (a FIFO that is named is waited for, as by any program); directories that are
 * missing, and what is no file in one, are passed over. 0 or -ENOMEM.
 */
int kr_search_manifests(const struct kr_search_list *places, struct kr_search_list *files)
	KR_MUST_CHECK;

/* Both of the above at once; whoever debugs is told where was searched and what was found. */
int kr_manifest_find(enum kr_manifest_kind kind, const struct kr_search_options *options,
	struct kr_search_list *files) KR_MUST_CHECK;

void kr_search_list_finish(struct kr_search_list *list);

#endif
