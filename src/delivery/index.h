/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a delivered package: which files there are, in what order its libraries are loaded,
 * and what they need of the process. The service writes it (service/), the client and launchers
 * read it. It is JSON:
 *
 *   {"version": 1, "name": "0-libvulkan_lvp.so", "driver": "libvulkan_lvp.so",
 *    "files": [{"path": "libexpat.so.1", "role": "library", "soname": "libexpat.so.1"},
 *              {"path": "libxcb.so.1", "role": "library", "soname": "libxcb.so.1", "own": true},
 *              ...,
 *              {"path": "libvulkan_lvp.so", "role": "driver", "soname": "libvulkan_lvp.so"}, ...],
 *    "needs": [{"library": "libc.so.6", "versions": ["GLIBC_2.34"]}, {"library": "libxcb.so.1"},
 *    ...], "nodes": ["dri/renderD*"], "system_paths": ["/usr/share/drirc.d"],
 *    "environment": [{"name": "X_VENDOR_FILE", "path": "10_x.json"}],
 *    "compiles_at_run_time": true}
 *
 * files: those of role `library` and the driver so that each comes after those that it needs;
 * behind the driver those of role `runtime` (libraries that it opens itself) in the same order,
 * then `data`. `own` (false where it is missing): a library whose objects the application hands to
 * Vulkan, so that the process's copy is taken when it has one, loaded or not, and the package's
 * only where it has none. When the package comes as memory objects, fd 0 of the answer is the index
 * and fd i + 1 is files[i]. When it comes as a mount, fd 0 is the mount's root, `path` is relative
 * to it and the index is its file KR_INDEX_FILE. needs: libraries that the process must have
 * itself, with every symbol version that the package wants of each. Libraries of the package (those
 * that are a SONAME of files) stand here as well when versions of them are wanted: what the rest of
 * the package wants of them, for whoever has them loaded already. nodes, system_paths, environment
 * (each may be missing): for launchers, who set up where the driver will run. Device nodes below
 * /dev, with `*`; paths below /sys and /usr/share that the driver reads; variables by which it, or
 * one of its libraries, finds a file of the package. compiles_at_run_time (may be missing: false):
 * the driver is not for processes that may not write code and run it.
 *
 * Unknown members are ignored; another version than 1 is refused. Thread-safety: no shared state.
 */
#ifndef KR_DELIVERY_INDEX_H
#define KR_DELIVERY_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include "util/macros.h"

#define KR_INDEX_FILE      ".krafla-index.json"
#define KR_INDEX_VERSION   1
#define KR_INDEX_MAX_FILES 252 /* with the index itself: what one message can carry */

enum kr_index_role {
	KR_INDEX_LIBRARY,
	KR_INDEX_DRIVER,
	KR_INDEX_RUNTIME,
	KR_INDEX_DATA,
};

struct kr_index_file {
	char *path;   /* relative, no "..", no leading or double slash */
	char *soname; /* NULL: none */
	enum kr_index_role role;
	bool own; /* the application's own, if it has one */
};

struct kr_index_need {
	char *library;   /* a SONAME */
	char **versions; /* symbol versions that it must define */
	size_t version_count;
};

/* To be set to wherever that file is for the process. */
struct kr_index_variable {
	char *name;
	size_t file; /* in `files` */
};

struct kr_index {
	char *name;   /* unique for the life of a connection: what Get was asked for */
	char *driver; /* the path of the file with role `driver` */
	struct kr_index_file *files;
	size_t file_count;
	struct kr_index_need *needs;
	size_t need_count;
	char **nodes, **system_paths; /* NULL-terminated, or NULL */
	struct kr_index_variable *variables;
	size_t variable_count;
	bool compiles; /* the driver writes code at run time (M-04) */
};

/*
 * 0; -EINVAL or -ENOMEM with a sentence in *reason (free; NULL only without memory), *index
 * untouched.
 */
int kr_index_parse(const char *text, size_t size, struct kr_index *index, char **reason)
	KR_MUST_CHECK;
void kr_index_finish(struct kr_index *index);

/* Relative, each part a name, one spelling for each file; not KR_INDEX_FILE. */
bool kr_index_is_path(const char *path);
/* "/sys", or a path below it or below /usr/share, with no way out. */
bool kr_index_is_system_path(const char *path);
/*
 * Whether a package may have that variable set: a name as shells write them, but not of those by
 * which the dynamic linker, Vulkan loaders and Krafla are told what to load (LD_*, VK_*, KRAFLA_*),
 * nor PATH, HOME, SHELL, USER.
 */
bool kr_index_is_variable(const char *name);
/*
 * Where the variable's file is, by descriptors of this process, as kr_delivery_take takes them;
 * NULL without memory.
 */
char *kr_index_variable_value(
	const struct kr_index *index, size_t variable, bool mount, const int *fds);

#endif
