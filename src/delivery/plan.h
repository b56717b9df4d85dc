/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which copy of each library of a package this process will use, decided before anything is loaded.
 *
 * Problem: a process may have libraries of the same SONAME, and the dynamic linker takes the first
 * that is loaded for everybody, without a word. Rule: a loaded one is taken, if it defines all
 * versions that the files of the package want of it. libstdc++ and libgcc_s, which a process that
 * hasn't loaded them may load later (a plugin), are the newer one of the process's file and the
 * package's: either serves both. Those that the index calls the application's own (libxcb) are the
 * process's, if it has a file that the dynamic linker would find, and the package's only where it
 * has none. All others are the package's. What then only copies that aren't taken would need isn't
 * loaded at all: the process's libxcb has a libXau of its own.
 */
#ifndef KR_DELIVERY_PLAN_H
#define KR_DELIVERY_PLAN_H

#include "delivery/delivery_impl.h"
#include "delivery/faults.h"
#include "delivery/image.h"
#include "delivery/mapping.h"

enum kr_delivery_copy {
	KR_COPY_NONE, /* nothing to load: data, or a library that nobody could ask for */
	KR_COPY_PACKAGE,
	KR_COPY_LOADED, /* the process has it loaded */
	KR_COPY_FILE,   /* the process has it on disk: `had` */
	KR_COPY_UNUSED, /* only copies that aren't taken would need it */
};

struct kr_planned {
	enum kr_delivery_copy copy;
	struct kr_process_library had; /* the process's, of FILE and what was loaded for us */
	char *path;                    /* of the package's file */
	struct kr_mapping mapping;
	struct kr_image image; /* valid unless `copy` is NONE */
};

struct kr_plan {
	const struct kr_delivery *delivery;
	char root[KR_DELIVERY_FD_NAME_SIZE];         /* kr_delivery_root */
	struct kr_planned files[KR_INDEX_MAX_FILES]; /* as in the index */
	struct kr_process_search search;
};

/* 0; else as kr_delivery_check, with a sentence. The delivery must outlive it. */
int kr_plan_create(const struct kr_delivery *delivery, struct kr_plan **plan, char **reason)
	KR_MUST_CHECK;
void kr_plan_destroy(struct kr_plan *plan);
/*
 * For libraries of the application's own: the process's copies take the place of the package's.
 * Then drops what nothing needs any more. 0 or -ENOMEM.
 */
int kr_plan_choose_own(struct kr_plan *plan) KR_MUST_CHECK;
/*
 * Adds to `faults` what files of the package want of file `number`, if `library` is taken for it.
 */
void kr_plan_check_wanted(const struct kr_plan *plan, size_t number,
	const struct kr_process_library *library, struct kr_faults *faults);
/* The libraries that the process must have: what it lacks is added to `faults`. 0 or -ENOMEM. */
int kr_plan_check_needs(struct kr_plan *plan, struct kr_faults *faults) KR_MUST_CHECK;
/* Each needed library is there when a file is loaded. 0 or -EINVAL with a sentence. */
int kr_plan_check_order(const struct kr_plan *plan, char **reason) KR_MUST_CHECK;

#endif
