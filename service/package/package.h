/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver package (I-01): read once, and held by open descriptors, so that what is on disk may
 * change and this stays what it was. docs/packages.md describes directory and metadata.
 */
#ifndef KR_SERVICE_PACKAGE_PACKAGE_H
#define KR_SERVICE_PACKAGE_PACKAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <jansson.h>
#include "delivery/index.h"
#include "util/macros.h"

struct kr_package_file {
	char *path; /* relative to contents */
	int fd;     /* O_RDONLY, pinned */
	uint64_t size;
	dev_t device; /* with inode, size and mtime: the same file as at another time? */
	ino_t inode;
	int64_t mtime_ns;
	/* Filled by the check (check.c): */
	bool is_elf;
	char *soname; /* NULL: none, or no library */
	enum kr_index_role role;
};

/* Devices that a package serves: what is given must all fit. */
struct kr_package_claim {
	char *kernel_driver; /* of a DRM node; NULL: any */
	/* vendor 0: any */
	uint32_t pci_vendor, pci_device;
	bool any_device; /* of that vendor */
	char *node;      /* another node, with `*` at the end of its path; NULL: DRM's */
	int order;       /* the smaller is tried first */
};

struct kr_package {
	/* The directory's name, or the manifest's of an installed driver, without ".json" */
	char *name;
	char *path;     /* the directory, or that manifest */
	char *metadata; /* metadata.json as it is; NULL: an installed driver */
	/* Where both lie, as place.c has found them, below `path`; NULL: an installed driver */
	char *metadata_file, *contents;
	char *component; /* component.json as it is; NULL: it lies here itself */
	char *file_path; /* the driver's library: I-01 */
	/*
	 * Its ICD manifest: I-01. Of an installed driver, whose manifest names a place of this
	 * system, it is none of `files`: who shows the contents puts `manifest` there
	 */
	char *manifest_path;
	/* Of the manifest: */
	/* The text as it is; of an installed driver with library_path "./<file_path>" */
	char *manifest;
	char *library_path; /* without the directories: what comes after the last slash */
	char *api_version;
	/* Of metadata.json's key "krafla": */
	/* Device nodes that the driver needs, below /dev, with `*`; NULL-terminated */
	char **nodes;
	/* Paths in contents of libraries that it opens itself; NULL-terminated */
	char **runtime_libraries;
	char **data_files; /* NULL-terminated */
	/* Below /sys and /usr/share: what a sandbox should show too; NULL-terminated */
	char **system_paths;
	/* "NAME=path in contents": variables by which it finds files; NULL-terminated */
	char **environment;
	char *glibc;               /* "2.34", or NULL */
	char *libstdcxx;           /* "3.4.30", or NULL */
	bool compiles_at_run_time; /* as the metadata says; where it doesn't, the check guesses */
	bool compiles_is_said;
	bool ephemeral; /* for development, and never for users: I-06 */
	/* Families of symbols that it imports (allow.h), NULL-terminated */
	char **imports;
	/* An installed driver, of whom nobody said anything: the check puts in what it finds */
	bool declares_what_it_imports;
	unsigned platform; /* the version whose allow list counts; 0: the newest */
	struct kr_package_claim *claims;
	size_t claim_count;
	bool claims_said; /* else the device map tells which devices it serves */

	struct kr_package_file *files; /* in the order of the index once checked */
	size_t file_count;
	bool checked;
	struct kr_index_need *needs; /* of the process; filled by the check */
	size_t need_count;
};

/*
 * Reads and pins a package directory. 0; -errno, -EINVAL, -EFBIG, -ENOMEM, -EAGAIN (it changed
 * while it was read: try again) with a sentence in *reason (free; NULL only without memory).
 */
int kr_package_open(const char *directory, struct kr_package **package, char **reason)
	KR_MUST_CHECK;

struct kr_component;
/*
 * The same of a directory as a runner shows it (component.h); `path` is what the package will be
 * called.
 */
int kr_package_open_component(const char *path, const struct kr_component *component,
	struct kr_package **package, char **reason) KR_MUST_CHECK;
/* Writes component.json in a new directory, as kr_package_write does. */
int kr_package_write_component(
	const struct kr_component *component, const char *directory, char **reason) KR_MUST_CHECK;

struct kr_package_source_options {
	/* More of them, SONAMEs or paths; NULL-terminated or NULL */
	const char *const *runtime_libraries;
	/* paths; they lie beside the libraries, under their last name */
	const char *const *data_files;
	/* Patterns, beside those that the device map has for the driver */
	const char *const *nodes;
	/* "NAME=path": data files, and the variables that name them */
	const char *const *environment;
	/* Families that it may import, and no others; NULL: those that it does */
	const char *const *imports;
	bool trace;                /* run krafla-probe on the driver and add what it opens */
	const char *probe_program; /* its path: required with `trace` */
	/* Names the directories of libraries ["/etc/ld.so.conf"] */
	const char *linker_configuration;
	/* Of files that name libraries for libEGL [glvnd's]; NULL-terminated */
	const char *const *egl_vendor_directories;
	/* Says which file is being looked at, for progress; may be NULL. */
	void (*progress)(void *data, const char *what, size_t done, size_t total);
	void *data;
};
/*
 * The same for an installed driver, by its manifest: nothing is copied. Libraries are looked for as
 * dlopen would, by the directories of the linker's configuration and not by its cache or
 * LD_LIBRARY_PATH. -ENOENT: the driver's library, or one that it needs, is nowhere. `options` may
 * be NULL.
 */
int kr_package_from_manifest(const char *manifest, const struct kr_package_source_options *options,
	struct kr_package **package, char **reason) KR_MUST_CHECK;

/*
 * The checks of I-03 by libelf, on the pinned files: the closure is whole, strong imports resolve
 * with their versions, no writable and executable segment, no TEXTREL, no executable stack, no
 * RUNPATH outside $ORIGIN, the driver has a vk_icd export, what is imported from outside is on the
 * allow list (allow.h) and declared. Orders the files and fills what only it knows. 0 or -EINVAL,
 * -ENOMEM, or -errno of reading the list, with a sentence for the first fault; what is merely worth
 * a line goes to `warnings` (an array of strings, or NULL).
 */
int kr_package_check(struct kr_package *package, json_t *warnings, char **reason) KR_MUST_CHECK;

/*
 * The two sets of libraries of which the process's copies are taken (docs/packages.md): what glibc
 * ships, which no package holds; and what must be the application's own, if it has it, because its
 * objects cross to the driver (libxcb, libX11, libwayland-client).
 */
bool kr_package_is_platform(const char *soname);
bool kr_package_is_applications(const char *soname);

/* Whether both hold the very same files. */
bool kr_package_is_same(const struct kr_package *a, const struct kr_package *b);

/*
 * The manifest as it is served (RFC-0205): library_path becomes `name`. A new string, NULL without
 * memory.
 */
char *kr_package_served_manifest(const struct kr_package *package, const char *name);
/* The index (delivery/index.h) under that name; a new string. */
char *kr_package_index(const struct kr_package *package, const char *name);

/*
 * Writes it as a package directory, which must not be there yet; on failure what was made of it is
 * removed. progress(data, file, bytes done, of all) may be NULL; false ends it. 0 or -errno with a
 * sentence.
 */
int kr_package_write(const struct kr_package *package, const char *directory,
	bool (*progress)(void *data, const char *what, size_t done, size_t total), void *data,
	char **reason) KR_MUST_CHECK;

json_t *kr_package_inspect(const struct kr_package *package);
void kr_package_destroy(struct kr_package *package);

#endif
