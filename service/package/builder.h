/* SPDX-License-Identifier: Apache-2.0 */
/* A package of an installed driver while it is put together (installed.c, runtime.c, data.c). */
#ifndef KR_SERVICE_PACKAGE_BUILDER_H
#define KR_SERVICE_PACKAGE_BUILDER_H

#include <stddef.h>
#include "service/package/package.h"
#include "service/package/search.h"
#include "util/macros.h"

/* All functions return 0 or -errno, with a sentence in *builder->reason. */
struct kr_package_builder {
	struct kr_package *package;
	const struct kr_package_source_options *options;
	struct kr_package_search search;
	char *sources[KR_INDEX_MAX_FILES]; /* where files[i] comes from; 0 is the driver */
	size_t read;                       /* files whose needs were looked at */
	char **reason;
};

/* What is said of a file that can't be opened for this reason. */
int kr_package_builder_refuse_open(
	const struct kr_package_builder *builder, const char *path, int ret);
/*
 * Adds a file as `name` and takes its path. Under a name that is there already nothing is added,
 * and it must be the same file.
 */
int kr_package_builder_add(struct kr_package_builder *builder, char *take_source, const char *name)
	KR_MUST_CHECK;
/* Adds what the libraries need that came since, until nothing new is needed. */
int kr_package_builder_close(struct kr_package_builder *builder) KR_MUST_CHECK;
/*
 * Where the system has a library, for one with that RUNPATH that lies at `by_path`. 0, -ENOENT or
 * -ENOMEM, silently.
 */
int kr_package_builder_find(const struct kr_package_builder *builder, const char *run_path,
	const char *by_path, const char *name, char **found) KR_MUST_CHECK;

/*
 * runtime.c: libraries that the options declare; if they ask for it, tries the driver and adds what
 * it opens.
 */
int kr_package_builder_runtime(struct kr_package_builder *builder) KR_MUST_CHECK;
/* data.c: data files: those that the options declare, and those that variables shall name. */
int kr_package_builder_data(struct kr_package_builder *builder) KR_MUST_CHECK;

#endif
