/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that this process has of its own: loaded ones, and those that the dynamic linker would
 * find.
 *
 * What is loaded is asked of the dynamic linker by name (RTLD_NOLOAD), so the answer is what it
 * will itself take for a DT_NEEDED of that name; but only if something with that SONAME or file
 * name is there, since otherwise it would search all its directories to say no. Files are searched
 * for in its order: LD_LIBRARY_PATH and run paths as it tells them (RTLD_DI_SERINFO),
 * /etc/ld.so.cache, its own directories.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_DELIVERY_PROCESS_H
#define KR_DELIVERY_PROCESS_H

#include <dlfcn.h>
#include <stdbool.h>
#include "delivery/image.h"
#include "delivery/mapping.h"
#include "util/macros.h"

struct kr_process_library {
	void *handle;              /* NULL: it isn't loaded */
	struct kr_mapping mapping; /* of a file */
	char *path;                /* of a file, absolute */
	struct kr_image image;
	bool readable; /* image is valid; else nothing is known of it */
};

/*
 * The loaded library of that SONAME; as long as it is open here it stays loaded. False: there is
 * none.
 */
bool kr_process_library_loaded(const char *soname, struct kr_process_library *library);
/*
 * Where searches look, which several share: what LD_LIBRARY_PATH and the cache say is read once.
 * Zero at first, for one thread.
 */
struct kr_process_search {
	bool begun;
	Dl_serinfo *path; /* NULL: the dynamic linker doesn't say */
	struct kr_mapping cache;
};
void kr_process_search_finish(struct kr_process_search *search);
/* The file that the dynamic linker would load. 0, -ENOENT, -ENOMEM. Loads nothing. */
int kr_process_library_find(struct kr_process_search *search, const char *soname,
	struct kr_process_library *library) KR_MUST_CHECK;
/*
 * For those that a search doesn't find: whether the dynamic linker does, by letting it load the
 * library. It is unloaded by kr_process_library_close, if nobody else has it.
 */
bool kr_process_library_try(const char *soname, struct kr_process_library *library);
void kr_process_library_close(struct kr_process_library *library);

#endif
