/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An installed driver as a package: its library, and of what that needs everything that isn't the
 * platform's, wherever this system has it, flat in one directory under the names by which it is
 * needed. Nothing is copied: files are held open, and looked at
 * again at the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hardware/device_map.h"
#include "manifest/driver_manifest.h"
#include "service/package/builder.h"
#include "service/package/claims.h"
#include "service/package/internal.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/text.h"

#define LINKER_CONFIGURATION "/etc/ld.so.conf"

static int
add_driver(struct kr_package_builder *builder, const char *library_path)
{
	char *path;
	int ret;

	if (strchr(library_path, '/'))
		path = strdup(library_path);
	else {
		ret = kr_package_search_find(&builder->search, NULL, ".", library_path, &path);
		if (ret == -ENOENT)
			return kr_package_refuse(builder->reason, ret,
				"%s names %s, which isn't installed in any directory of the dynamic linker",
				builder->package->path, library_path);
		if (ret)
			return ret;
	}
	if (!path)
		return -ENOMEM;
	builder->package->file_path = strdup(kr_package_base_name(path));
	if (!builder->package->file_path) {
		free(path);
		return -ENOMEM;
	}
	return kr_package_builder_add(builder, path, builder->package->file_path);
}

static int
add_list(char ***list, const char *const *from)
{
	int ret = 0;

	for (; !ret && from && *from; from++)
		ret = kr_package_list_add(list, *from);
	return ret;
}

/* Nodes and files of the system: what the device map knows of the driver, and what was said. */
static int
add_system(struct kr_package_builder *builder)
{
	static const char *const drm_nodes[] = {"dri/renderD*", "dri/card*", NULL};
	static const char *const drm_paths[] = {"/sys/dev/char", "/sys/devices", "/sys/class/drm",
		"/usr/share/drirc.d", "/usr/share/libdrm", NULL};
	struct kr_package *package = builder->package;
	const struct kr_hardware_rule *rule = kr_hardware_rule_get(package->file_path);
	const char *const *node = builder->options->nodes;
	int ret = 0;

	if (rule && rule->kernel_drivers && rule->kernel_drivers[0]) {
		ret = add_list(&package->nodes, drm_nodes);
		if (!ret)
			ret = add_list(&package->system_paths, drm_paths);
	}
	if (!ret && rule)
		ret = add_list(&package->nodes, rule->nodes);
	if (!ret)
		ret = kr_package_claim_by_map(package);
	for (; !ret && node && *node; node++) {
		if (!kr_package_path_is_good(*node))
			return kr_package_refuse(builder->reason, -EINVAL,
				"%s is no pattern of device nodes: " KR_PACKAGE_PATH_RULE
				" (below /dev)",
				*node);
		ret = kr_package_list_add(&package->nodes, *node);
	}
	return ret;
}

/* Nobody wrote metadata for it that could declare anything. */
static int
add_imports(struct kr_package_builder *builder)
{
	builder->package->declares_what_it_imports = !builder->options->imports;
	return add_list(&builder->package->imports, builder->options->imports);
}

static bool
is_still(const struct kr_package_file *file, const char *source)
{
	struct stat status;

	return !stat(source, &status) && status.st_dev == file->device &&
		status.st_ino == file->inode && (uint64_t)status.st_size == file->size &&
		(int64_t)status.st_mtim.tv_sec * KR_NSEC_PER_SEC + status.st_mtim.tv_nsec ==
		file->mtime_ns;
}

static int
look_again(const struct kr_package_builder *builder)
{
	for (size_t i = 0; i < builder->package->file_count; i++) {
		if (!is_still(&builder->package->files[i], builder->sources[i]))
			return kr_package_refuse(builder->reason, -EAGAIN,
				"%s changed while it was read", builder->sources[i]);
	}
	return 0;
}

/* The text of the manifest, and the library that it names, as dlopen takes it. */
static int
read_manifest(struct kr_package_builder *builder, char **library_path)
{
	struct kr_package *package = builder->package;
	struct kr_manifest_driver manifest;
	struct stat status;
	char *text = NULL, *renamed;
	size_t size = 0;
	int fd = -1, ret = kr_package_pin_path(package->path, &fd, &status);

	if (!ret) {
		ret = kr_package_read_text(fd, &text, &size);
		kr_fd_close(&fd);
	}
	if (ret)
		return kr_package_builder_refuse_open(builder, package->path, ret);
	ret = kr_package_parse_manifest(package, package->path, text, size, builder->reason);
	if (!ret)
		ret = kr_manifest_driver_parse(
			package->path, text, size, &manifest, builder->reason);
	free(text);
	if (ret)
		return ret;
	*library_path = strdup(manifest.library_path);
	kr_manifest_driver_finish(&manifest);
	renamed = kr_asprintf("./%s", package->library_path);
	text = renamed ? kr_package_renamed_manifest(package->manifest, renamed) : NULL;
	free(renamed);
	if (!text || !*library_path) {
		free(text);
		free(*library_path);
		return -ENOMEM;
	}
	free(package->manifest);
	package->manifest = text;
	return 0;
}

static int
build(struct kr_package_builder *builder)
{
	const char *configuration = builder->options->linker_configuration;
	char *library_path = NULL;
	int ret = kr_package_search_init(
		&builder->search, configuration ? configuration : LINKER_CONFIGURATION);

	if (!ret)
		ret = read_manifest(builder, &library_path);
	if (ret)
		return ret;
	ret = add_driver(builder, library_path);
	free(library_path);
	if (!ret)
		ret = kr_package_builder_close(builder);
	if (!ret)
		ret = kr_package_builder_runtime(builder);
	if (!ret)
		ret = kr_package_builder_data(builder);
	if (!ret)
		ret = add_system(builder);
	if (!ret)
		ret = add_imports(builder);
	return ret ? ret : look_again(builder);
}

int
kr_package_from_manifest(const char *manifest, const struct kr_package_source_options *options,
	struct kr_package **package, char **reason)
{
	static const struct kr_package_source_options none;
	const char *name = kr_package_base_name(manifest);
	struct kr_package_builder builder = {
		.options = options ? options : &none, .reason = reason};
	size_t len = strlen(name);
	int ret;

	*reason = NULL;
	builder.package =
		kr_package_new(name, kr_has_suffix(name, ".json") ? len - 5 : len, manifest);
	if (!builder.package)
		return -ENOMEM;
	builder.package->manifest_path = strdup(name);
	ret = builder.package->manifest_path ? build(&builder) : -ENOMEM;
	for (size_t i = 0; i < KR_INDEX_MAX_FILES; i++)
		free(builder.sources[i]);
	kr_package_search_finish(&builder.search);
	if (ret)
		kr_package_destroy(builder.package);
	else
		*package = builder.package;
	return ret;
}
