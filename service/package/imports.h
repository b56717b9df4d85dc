/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libraries of a package import from outside of it, judged by the allow list (I-03, I-04). It
 * holds for every library that is loaded, not for the driver's alone: all of them need the C
 * library of the process that they come into. For the package part and its tools.
 */
#ifndef KR_SERVICE_PACKAGE_IMPORTS_H
#define KR_SERVICE_PACKAGE_IMPORTS_H

#include <jansson.h>
#include "service/package/allow.h"
#include "service/package/graph.h"

enum kr_import_kind {
	KR_IMPORT_FINE,
	KR_IMPORT_NOTED,
	KR_IMPORT_DECLARED,
	/* Faults, unless they are weak: */
	KR_IMPORT_UNDECLARED,
	KR_IMPORT_REFUSED,
	KR_IMPORT_UNLISTED,
	KR_IMPORT_LIBRARY, /* a library that is needed, and isn't on the list */
};

struct kr_import {
	enum kr_import_kind kind;
	bool weak;                        /* it may be missing: told, and no fault */
	const char *file;                 /* that imports it */
	const char *name;                 /* the symbol, or the library */
	const char *library;              /* whose version it is; NULL: none is said */
	const struct kr_allow_rule *rule; /* NULL: not on the list */
	const struct kr_allow_list *list; /* it was judged by this one */
	unsigned gone; /* the first version known that doesn't take it; 0: none is */
};

struct kr_import_judge {
	const struct kr_allow_lists *lists;
	char *const *declared;                /* families, NULL-terminated; NULL: none */
	const struct kr_package_graph *graph; /* NULL: a library alone, not in a package */
};

/* Ends it when it returns other than 0. */
typedef int (*kr_import_fn)(void *data, const struct kr_import *import);
/*
 * Tells all that `elf` imports from outside; `node` is its own in judge->graph, or NULL. 0 or what
 * fn returned.
 */
int kr_imports_judge(const struct kr_import_judge *judge, const char *file,
	const struct kr_package_elf *elf, const struct kr_package_node *node, kr_import_fn fn,
	void *data) KR_MUST_CHECK;
/* Of all libraries of the graph that are loaded, in their order. */
int kr_imports_judge_all(const struct kr_import_judge *judge, kr_import_fn fn, void *data)
	KR_MUST_CHECK;

/*
 * The words of package->imports must be families, and no import a fault. Puts in those of an
 * installed driver, and the version of the list. 0; -EINVAL with a sentence for the first fault, or
 * -ENOMEM.
 */
int kr_imports_check(struct kr_package *package, struct kr_import_judge *judge, char **reason)
	KR_MUST_CHECK;

bool kr_import_is_fault(const struct kr_import *import);
/* What is wrong with it, and how to do without; a new string, NULL without memory. */
char *kr_import_sentence(const struct kr_import *import);
/* The same when there is an end to it: `gone`. */
char *kr_import_end(const struct kr_import *import);
const char *kr_import_kind_name(enum kr_import_kind kind);

#endif
