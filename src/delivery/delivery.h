/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver package that somebody delivered, as descriptors: checked against this process, then
 * loaded. Nothing is loaded before everything was checked, and what was loaded before a failure is
 * closed again.
 *
 * How it loads: dlopen of /proc/<pid>/fd/<D>/<path> (a mount) or /proc/<pid>/fd/<N> (memory
 * objects), each library after those that it needs, which the dynamic linker then finds by their
 * SONAMEs. The pid and not `self`, because debuggers open these names in a process of their own; it
 * is the one that /proc knows the process by when it loads. The descriptors stay open as long as
 * the process lives: another file under the same name would be taken for the one that is loaded. A
 * program that closes descriptors which it doesn't know loses the names, for debuggers, and no
 * more: what is loaded stays, and a name is never used twice.
 *
 * Of a SONAME that the process has already, the process's copy is taken, if it defines all versions
 * that the package wants of it (a copy that doesn't say what it defines is taken); if not, the
 * package is refused. That goes for libraries of an earlier delivery too. libstdc++ and libgcc_s,
 * which a process may load later by itself, are the newer one of the package's and the process's
 * own. Those that are the application's own, as libxcb, are the process's file where it has one,
 * and the package's where it has none. The driver itself is always the package's. Libraries of role
 * `runtime` are loaded behind the driver; one without SONAME isn't, because nobody could ask for it
 * by name.
 *
 * After fork both processes go on with what was loaded, under the parent's names; what a child
 * loads has its own.
 *
 * Needs libc alone. Thread-safety: a delivery belongs to one thread.
 */
#ifndef KR_DELIVERY_DELIVERY_H
#define KR_DELIVERY_DELIVERY_H

#include <stddef.h>
#include <stdint.h>
#include "delivery/index.h"
#include "util/macros.h"

/* As in the protocol's messages `package`, `manifests` and `devices`. */
enum kr_delivery_kind {
	KR_DELIVERY_NONE,
	KR_DELIVERY_MOUNT,  /* fd 0: the root of a read-only detached mount */
	KR_DELIVERY_MEMORY, /* fd 0: the index (or a listing), then sealed memfds, one a file */
};

struct kr_delivery; /* opaque */

/*
 * Takes the descriptors, on failure too. Reads the index and checks what came: that a mount is
 * read-only, that memory objects are sealed (against writing, growing, shrinking), that there are
 * as many as files. 0, -EINVAL, -EPERM, -ENOMEM, -errno, with a sentence in *reason (free; NULL
 * only without memory).
 */
int kr_delivery_take(enum kr_delivery_kind kind, const int *take_fds, size_t count,
	struct kr_delivery **delivery, char **reason) KR_MUST_CHECK;
const struct kr_index *kr_delivery_index(const struct kr_delivery *delivery);

/*
 * Whether this process has what the package needs: -ENOEXEC with a sentence that names library,
 * version wanted and version had; -ENOENT one that names each library that the process doesn't
 * have; -EINVAL a package that is wrong in itself, -ENOEXEC and -ELIBBAD also one for other
 * machines. Loads nothing, but for a library of the process's own that only the dynamic linker
 * finds: that is loaded and unloaded again.
 */
int kr_delivery_check(const struct kr_delivery *delivery, char **reason) KR_MUST_CHECK;

/*
 * Checks, then loads: *dso is the driver's handle. What is loaded stays for the life of the
 * process, as do the descriptors that it has its names by; what is delivered again and is loaded
 * already needs none. -ENOENT with a sentence of its own when /proc isn't mounted; else as
 * kr_delivery_check, -EPERM when the driver compiles at run time and this process may not run what
 * it writes (M-04), or -ELIBACC with the dynamic linker's words; nothing stays loaded then, but
 * for a library that says itself that it can't be unloaded (DF_1_NODELETE): the delivery's
 * descriptors stay open then, and to load it again is -EBUSY. Runs the constructors of libraries;
 * holds no lock while it does.
 */
int kr_delivery_load(struct kr_delivery *delivery, void **dso, char **reason) KR_MUST_CHECK;

/* NULL is no delivery. After a successful load the driver stays. */
void kr_delivery_destroy(struct kr_delivery *delivery);

#endif
