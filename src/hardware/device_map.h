/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which devices of the kernel the drivers of Mesa and NVIDIA work with (K-40): the table of
 * device_map.txt, and whether any of them is here. Asked anew each time, because a device may have
 * just appeared. Devices are never opened, which could wake one: directories are listed, files of
 * sysfs read, paths tested with access.
 *
 * Thread-safety: no shared state.
 */
#ifndef KR_HARDWARE_DEVICE_MAP_H
#define KR_HARDWARE_DEVICE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include "util/macros.h"

/* One rule of device_map.txt, which explains the members. Lists end with NULL and may be empty. */
struct kr_hardware_rule {
	const char *name;
	bool always;
	bool writes_code; /* needs memory that is writable and executable (M-04) */
	const char *const *libraries;
	const char *const *kernel_drivers;
	const char *const *nodes;
	const char *const *modules;
	const char *const *pci_vendors; /* four hexadecimal digits, lower case */
	const char *const *variables;
	const char *packages; /* "" when unknown */
};

/* All rules, in the order of the file. */
const struct kr_hardware_rule *kr_hardware_rules(size_t *count);
/* The rule of a library, told by its file name; NULL for one that nobody described. */
const struct kr_hardware_rule *kr_hardware_rule_get(const char *library_path);

#define KR_HARDWARE_CANDIDATES_MAX 16

/*
 * The rules of drivers that may work with a device, in the order in which to try them: of a render
 * node by its kernel driver, of another node by its path below /dev. At most
 * KR_HARDWARE_CANDIDATES_MAX; how many there are. NULL or a name that no rule has: none. Source:
 * M-01.
 */
size_t kr_hardware_candidates(const char *kernel_driver,
	const struct kr_hardware_rule *rules[KR_HARDWARE_CANDIDATES_MAX]);
size_t kr_hardware_candidates_of_node(
	const char *node, const struct kr_hardware_rule *rules[KR_HARDWARE_CANDIDATES_MAX]);

/* Seams for tests and for a service that serves another root; zero means the real one. */
struct kr_hardware_options {
	const char *(*env_get)(const char *name); /* kr_env_get */
	const char *dev;                          /* "/dev" */
	const char *sys;                          /* "/sys" */
};

enum kr_presence {
	KR_PRESENCE_HERE,    /* a device, or a variable that stands for one */
	KR_PRESENCE_ABSENT,  /* proven: everything could be looked at, and nothing is there */
	KR_PRESENCE_UNKNOWN, /* something couldn't be looked at, or isn't known */
};

#define KR_PRESENCE_WHY_SIZE 256

/*
 * Whether a device that the rule's libraries work with is here. `why` says by what that was seen,
 * as part of a sentence: "/dev/dri/renderD128 is of i915". `options` may be NULL.
 */
enum kr_presence kr_hardware_presence(const struct kr_hardware_rule *rule,
	const struct kr_hardware_options *options, char why[KR_PRESENCE_WHY_SIZE]);

/*
 * The first node that is one of the rule's devices and that this process may not open for reading
 * and writing: its path in `path`, and false when there is none.
 */
bool kr_hardware_forbidden(const struct kr_hardware_rule *rule,
	const struct kr_hardware_options *options, char path[KR_PRESENCE_WHY_SIZE]);

/* Whether a list that ends with NULL has the name. */
bool kr_hardware_is_listed(const char *const *list, const char *name);
/*
 * Whether device_map.txt says for what a driver of the kernel is good, or that it is
 * good for nothing.
 */
bool kr_hardware_driver_known(const char *kernel_driver);

/*
 * Whether `pattern` is the name itself or, with a `*` at its end, how it begins: as
 * lines `node` are written.
 */
bool kr_hardware_name_fits(const char *pattern, const char *name);

/* A line `candidates`; the last has no kernel driver. */
struct kr_hardware_order {
	const char *kernel_driver;
	const char *const *rules; /* names, ending with NULL */
};

/* The table as generated; others use the functions above. */
extern const struct kr_hardware_rule kr_hardware_rule_table[];
extern const size_t kr_hardware_rule_table_size;
extern const struct kr_hardware_order kr_hardware_orders[];
extern const char *const kr_hardware_other_drivers[];
extern const char *const kr_hardware_preload_words[];

#endif
