/* SPDX-License-Identifier: Apache-2.0 */
/* Making and removing folders of manifests. */
#include "bench/manifests.h"

#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <jansson.h>

#include "bench/vulkan_child.h"

#define PATH_SIZE 256

static int
problem(const char *path)
{
	fprintf(stderr, "krafla-bench: %s: %s\n", path, strerror(errno));
	return 1;
}

int
manifests_create(struct manifests *manifests)
{
	static const char *const folders[] = {"vulkan", "vulkan/icd.d", "vulkan/explicit_layer.d",
		"vulkan/implicit_layer.d", "lib"};
	char path[PATH_SIZE];

	strcpy(manifests->root, "/tmp/krafla-bench.XXXXXX");
	if (!mkdtemp(manifests->root)) {
		manifests->root[0] = '\0';
		return problem("/tmp");
	}
	snprintf(manifests->env, sizeof(manifests->env), "XDG_DATA_DIRS=%s", manifests->root);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", manifests->root, folders[i]);
		if (mkdir(path, 0700))
			return problem(path);
	}
	return 0;
}

static int
copy_file(const char *from, const char *to)
{
	static char bytes[1 << 16];
	FILE *in = fopen(from, "re"), *out = fopen(to, "we");
	int failed = !in || !out;
	size_t got;

	while (!failed && (got = fread(bytes, 1, sizeof(bytes), in)) > 0)
		failed = fwrite(bytes, 1, got, out) != got;
	if (in)
		fclose(in);
	if (out && fclose(out))
		failed = 1;
	return failed ? problem(to) : 0;
}

/* Takes the object over. */
static int
write_json(const char *path, json_t *object)
{
	int ret = object ? json_dump_file(object, path, JSON_INDENT(1)) : -1;

	json_decref(object);
	return ret ? problem(path) : 0;
}

int
manifests_add_drivers(struct manifests *manifests, const char *like, unsigned count)
{
	char library[4096], copy[PATH_SIZE], path[PATH_SIZE];

	if (vulkan_child_driver_path(like, library, sizeof(library)))
		return 1;
	for (unsigned i = 0; i < count; i++) {
		snprintf(copy, sizeof(copy), "%s/lib/libvulkan_%u.so", manifests->root, i);
		snprintf(path, sizeof(path), "%s/vulkan/icd.d/%u.json", manifests->root, i);
		if (copy_file(library, copy) ||
			write_json(path,
				json_pack("{s:s, s:{s:s, s:s}}", "file_format_version", "1.0.0",
					"ICD", "library_path", copy, "api_version", "1.3.239")))
			return 1;
	}
	return 0;
}

int
manifests_add_layers(struct manifests *manifests, unsigned count)
{
	char path[PATH_SIZE], name[64];

	for (unsigned i = 0; i < count; i++) {
		json_t *layer;

		snprintf(name, sizeof(name), "VK_LAYER_KRAFLA_bench_%u", i);
		layer = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", name, "type", "GLOBAL",
			"library_path", "libVkLayer_krafla_bench_none.so", "api_version", "1.3.239",
			"implementation_version", "1", "description", "a layer that nobody uses");
		if (i % 2) {
			json_object_set_new(layer, "enable_environment",
				json_pack("{s:s}", "KRAFLA_BENCH_ENABLE", "1"));
			json_object_set_new(layer, "disable_environment",
				json_pack("{s:s}", "KRAFLA_BENCH_DISABLE", "1"));
		}
		snprintf(path, sizeof(path), "%s/vulkan/%s_layer.d/%u.json", manifests->root,
			i % 2 ? "implicit" : "explicit", i);
		if (write_json(path,
			    json_pack(
				    "{s:s, s:o}", "file_format_version", "1.1.2", "layer", layer)))
			return 1;
	}
	return 0;
}

int
manifests_link_drivers(struct manifests *manifests, const char *folder, unsigned *count)
{
	char pattern[PATH_SIZE], path[PATH_SIZE];
	glob_t found = {0};
	int ret = 0;

	snprintf(pattern, sizeof(pattern), "%s/*.json", folder);
	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc && !ret; i++) {
		snprintf(path, sizeof(path), "%s/vulkan/icd.d%s", manifests->root,
			strrchr(found.gl_pathv[i], '/'));
		if (symlink(found.gl_pathv[i], path))
			ret = problem(path);
		else
			++*count;
	}
	globfree(&found);
	return ret;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

void
manifests_remove(struct manifests *manifests)
{
	if (manifests->root[0] && nftw(manifests->root, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		(void)problem(manifests->root);
	manifests->root[0] = '\0';
}
