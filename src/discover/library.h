/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver libraries that are open in this process, each once however many lists it is in:
 * looking for drivers again finds them open, and costs no dlopen.
 *
 * Thread-safety: any thread. dlopen and dlclose run without a lock; the one exception are HAL
 * modules, whose open() must not run twice (docs/threading.md).
 */
#ifndef KR_DISCOVER_LIBRARY_H
#define KR_DISCOVER_LIBRARY_H

#include "discover/driver.h"
#include "util/list.h"
#include "util/macros.h"

struct kr_driver_service;

struct kr_driver_library {
	struct kr_list link;
	enum kr_driver_source source; /* with the path: what it is found by */
	char *path;
	void *dso;
	struct hwvulkan_device_t *hal; /* of a HAL module */
	bool stays;                    /* whoever loaded it keeps it */
	unsigned refs;                 /* guarded by the lock of library.c */
};

/*
 * A reference to the library, which is opened unless it is open already: its name is logged before,
 * so that one that crashes in its constructor is named by the last line. 0 or -errno:
 * -ENOENT there is no such file, -ELIBBAD it is of another machine, other codes: it can't
 * be opened; then *reason is a sentence (NULL only without memory). `origin` is where it
 * was named, for that line.
 */
int kr_driver_library_open(enum kr_driver_source source, const char *path, const char *origin,
	struct kr_driver_library **library, char **reason) KR_MUST_CHECK;
/*
 * The same for a library that somebody has loaded for the life of the process: `path` names it, and
 * a library of that name stays the one that was opened first. It is never closed.
 */
int kr_driver_library_adopt(enum kr_driver_source source, const char *path, void *dso,
	struct kr_driver_library **library) KR_MUST_CHECK;
/* One that a service knows by `name`: found open, or loaded by the service, and adopted. */
int kr_driver_library_open_served(struct kr_driver_service *service, const char *name,
	const char *origin, struct kr_driver_library **library, char **reason) KR_MUST_CHECK;
struct kr_driver_library *kr_driver_library_ref(struct kr_driver_library *library);
/*
 * The last one closes it, unless VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING is 1.
 * NULL is no library.
 */
void kr_driver_library_unref(struct kr_driver_library *library);

#endif
