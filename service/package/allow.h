/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allow list (I-03, I-04): which libraries and symbols from outside a package may be imported,
 * a file for each version of the platform (service/platform, whose first file describes the
 * format). For the package part and its tools.
 *
 * Thread-safety: no shared state. Strings belong to the list.
 */
#ifndef KR_SERVICE_PACKAGE_ALLOW_H
#define KR_SERVICE_PACKAGE_ALLOW_H

#include <stdbool.h>
#include <stddef.h>
#include "util/macros.h"

enum kr_allow_kind {
	KR_ALLOW_PLAIN,
	KR_ALLOW_NOTED,   /* told in reports */
	KR_ALLOW_FAMILY,  /* if the package declares the word */
	KR_ALLOW_REFUSED, /* not at all */
};

/* What becomes of symbols that are imported. */
struct kr_allow_rule {
	enum kr_allow_kind kind;
	const char *word;    /* of the family, or what is noted or refused; NULL: plain */
	const char *does;    /* "starts programs"; plain: may be NULL */
	const char *instead; /* how to do without; plain: may be NULL */
	unsigned until;      /* the last version that has them; 0: not said */
};

struct kr_allow_names {
	const char **names; /* a `*` at the end stands for any rest */
	size_t count, room;
};

struct kr_allow_symbol {
	const char *name;
	size_t rule;
	size_t line; /* for messages */
};

struct kr_allow_symbols {
	struct kr_allow_symbol *symbols;
	size_t count, room;
};

struct kr_allow_list {
	char *path;
	char *text;                         /* that all strings point into */
	unsigned version;                   /* of the platform */
	struct kr_allow_names libraries;    /* of the C library */
	struct kr_allow_names applications; /* the application's own: whatever they have */
	struct kr_allow_rule *rules;
	size_t rule_count, rule_room;
	struct kr_allow_symbols symbols;  /* by name */
	struct kr_allow_symbols patterns; /* names with `*` */
};

/*
 * Reads the text of a list; `path` is what messages call it. 0; -EINVAL with a sentence that names
 * file and line, -ENOMEM.
 */
int kr_allow_parse(const char *path, const char *text, size_t size, struct kr_allow_list **list,
	char **reason) KR_MUST_CHECK;
void kr_allow_destroy(struct kr_allow_list *list);

/* NULL: it isn't on the list. */
const struct kr_allow_rule *kr_allow_find(const struct kr_allow_list *list, const char *symbol);
bool kr_allow_is_library(const struct kr_allow_list *list, const char *soname);
/* The families, "network, process"; a new string, NULL without memory. */
char *kr_allow_families(const struct kr_allow_list *list);
bool kr_allow_is_family(const struct kr_allow_list *list, const char *word);

/* The list of one version, and those of all newer ones that are here. */
struct kr_allow_lists {
	struct kr_allow_list **lists; /* by version; lists[0] is the one that counts */
	size_t count, room;
};

/*
 * Reads them from the directory of lists: KRAFLA_PLATFORM, else the one that was installed or built
 * with this program. `version` 0: the newest. 0; -ENOENT no list of that version, -EINVAL a list is
 * broken, or -errno, with a sentence that names the file.
 */
int kr_allow_read(unsigned version, struct kr_allow_lists *lists, char **reason) KR_MUST_CHECK;
void kr_allow_finish(struct kr_allow_lists *lists);

#endif
