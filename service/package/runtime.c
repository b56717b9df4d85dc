/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that an installed driver opens itself: those that were declared, and those that it is
 * seen to open.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/package/builder.h"
#include "service/package/elf.h"
#include "service/package/internal.h"
#include "service/package/trace.h"

/* Takes the path. */
static int
add_runtime_library(struct kr_package_builder *builder, char *take_path, const char *name)
{
	int ret = kr_package_builder_add(builder, take_path, name);

	if (!ret)
		ret = kr_package_list_add(&builder->package->runtime_libraries, name);
	return ret ? ret : kr_package_builder_close(builder);
}

/* What was declared: a SONAME or a path. */
static int
add_declared(struct kr_package_builder *builder, const char *name)
{
	char *path = NULL;
	int ret;

	if (strchr(name, '/')) {
		path = strdup(name);
		ret = path ? 0 : -ENOMEM;
	} else {
		ret = kr_package_builder_find(builder, NULL, builder->sources[0], name, &path);
	}
	if (ret == -ENOENT)
		return kr_package_refuse(builder->reason, ret,
			"%s, which was said to be opened by the driver, isn't installed in any directory of the dynamic linker",
			name);
	return ret ? ret : add_runtime_library(builder, path, kr_package_base_name(name));
}

/* The RUNPATH of a file of the package that lies at `path`, as a new string; NULL: none. */
static int
get_run_path(const struct kr_package_builder *builder, const char *path, char **run_path)
{
	const struct kr_package_file *file =
		kr_package_find_file(builder->package, kr_package_base_name(path));
	struct kr_package_elf *elf;
	int ret;

	*run_path = NULL;
	if (!file)
		return 0;
	ret = kr_package_elf_open(file->fd, path, &elf, builder->reason);
	if (ret)
		return ret;
	if (elf->run_path) {
		*run_path = strdup(elf->run_path);
		ret = *run_path ? 0 : -ENOMEM;
	}
	kr_package_elf_close(elf);
	return ret;
}

/*
 * What the driver was seen to open. What isn't here (it lives without), and the platform's, is
 * left; so is the application's own, since no window system's library that the driver opens itself
 * does anything for a process that has none.
 */
static int
add_traced(void *data, const char *name, const char *by)
{
	struct kr_package_builder *builder = data;
	const char *base = kr_package_base_name(name);
	char *run_path, *path = NULL;
	int ret;

	if (kr_package_is_platform(base) || kr_package_is_applications(base) ||
		kr_package_find_file(builder->package, base))
		return 0;
	if (strchr(name, '/')) {
		path = access(name, R_OK) ? NULL : strdup(name);
		return path ? add_runtime_library(builder, path, base) : 0;
	}
	ret = get_run_path(builder, by, &run_path);
	if (!ret)
		ret = kr_package_builder_find(builder, run_path, by, name, &path);
	free(run_path);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	return add_runtime_library(builder, path, base);
}

static int
trace(struct kr_package_builder *builder)
{
	const struct kr_package_source_options *options = builder->options;

	if (!options->trace)
		return 0;
	if (!options->probe_program)
		return kr_package_refuse(builder->reason, -EINVAL,
			"%s can't be traced: no krafla-probe was named", builder->sources[0]);
	if (options->progress)
		options->progress(options->data, "tracing what the driver opens", 0, 0);
	return kr_package_trace(
		options->probe_program, builder->sources[0], add_traced, builder, builder->reason);
}

int
kr_package_builder_runtime(struct kr_package_builder *builder)
{
	const char *const *name = builder->options->runtime_libraries;
	int ret = 0;

	for (; !ret && name && *name; name++)
		ret = add_declared(builder, *name);
	return ret ? ret : trace(builder);
}
