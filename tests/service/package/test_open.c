/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading package directories: metadata, manifest, files; links and strange files; changes
 * meanwhile.
 */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"
#include "service/package/claims.h"
#include "service/package/walk.h"
#include "util/macros.h"

/* --- the walk, with something that happens behind its first --- */

static void (*between)(void);

int __real_kr_package_walk(
	int root, const char *name, kr_package_walk_fn fn, void *data, char **reason);
int __wrap_kr_package_walk(
	int root, const char *name, kr_package_walk_fn fn, void *data, char **reason);

int
__wrap_kr_package_walk(int root, const char *name, kr_package_walk_fn fn, void *data, char **reason)
{
	void (*then)(void) = between;
	int ret = __real_kr_package_walk(root, name, fn, data, reason);

	between = NULL;
	if (then)
		then();
	return ret;
}

/* --- metadata --- */

static void
metadata_is_refused(const char *metadata, const char *words)
{
	static unsigned count;

	if (!count++)
		rig_package(RIG_METADATA, RIG_MANIFEST);
	rig_metadata(metadata);
	rig_open_fails(-EINVAL, words);
}

#define PATHS "\"file_path\": \"libvulkan_t.so\", \"manifest_path\": \"t.json\""

/* I-01; Fuchsia's Icd.BadMetadata */
static void
icd_bad_metadata(void **state)
{
	metadata_is_refused("{\"version\": 2, " PATHS "}", "\"version\" must be the number 1");
	metadata_is_refused("{\"version\": \"1\", " PATHS "}", "\"version\" must be the number 1");
	metadata_is_refused("{\"version\": 1.5, " PATHS "}", "\"version\" must be the number 1");
	metadata_is_refused("{" PATHS "}", "\"version\" is missing");
	metadata_is_refused(
		"{\"version\": 1, \"manifest_path\": \"t.json\"}", "\"file_path\" is missing");
	metadata_is_refused(
		"{\"version\": 1, \"file_path\": \"a.so\"}", "\"manifest_path\" is missing");
	metadata_is_refused("{\"version\": 1, \"file_path\": 7, \"manifest_path\": \"t.json\"}",
		"\"file_path\" must be a string");
	metadata_is_refused("{\"version\": 1, \"file_path\": \"a.so\", \"manifest_path\": []}",
		"\"manifest_path\" must be a string");
	metadata_is_refused("[]", "must hold an object");
	metadata_is_refused("{\"version\": 1,", "line 1");
	metadata_is_refused("", "metadata.json");
	metadata_is_refused("{\"version\": 1, \"version\": 1, " PATHS "}", "duplicate");
}

/* I-01 */
static void
paths_stay_in_contents(void **state)
{
	static const char *const bad[] = {"", "/etc/passwd", "../x", "a/../b", "a//b", "a/", "./a",
		"a/.", "a\\u0007b", "a\\u00e9"};
	char metadata[256];

	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
		snprintf(metadata, sizeof(metadata),
			"{\"version\": 1, \"file_path\": \"%s\", \"manifest_path\": \"t.json\"}",
			bad[i]);
		metadata_is_refused(metadata, "\"file_path\" is bad: a path must be relative");
		snprintf(metadata, sizeof(metadata),
			"{\"version\": 1, " PATHS ", \"krafla\": {\"data_files\": [\"%s\"]}}",
			bad[i]);
		metadata_is_refused(metadata, "\"krafla.data_files\", element 0: a path must be");
		snprintf(metadata, sizeof(metadata),
			"{\"version\": 1, " PATHS ", \"krafla\": {\"nodes\": [\"a\", \"%s\"]}}",
			bad[i]);
		metadata_is_refused(metadata, "\"krafla.nodes\", element 1: a path must be");
	}
}

/* Each with the text that is below "krafla", and words of the sentence. */
static const struct {
	const char *ours, *words;
} bad_ours[] = {
	{"7", "\"krafla\" must be an object"},
	{"{\"node\": []}", "\"krafla.node\" isn't known: there are nodes, "},
	{"{\"nodes\": \"dri/card0\"}", "\"krafla.nodes\" must be an array"},
	{"{\"nodes\": [1]}", "\"krafla.nodes\", element 0: it must be a string"},
	{"{\"devices\": {}}", "\"krafla.devices\" must be an array"},
	{"{\"devices\": [1]}", "\"krafla.devices\", element 0: it must be an object"},
	{"{\"devices\": [{\"order\": 1}]}", "element 0: it names no device"},
	{"{\"devices\": [{\"driver\": \"i915\"}]}", "there are kernel_driver, pci, node and"},
	{"{\"devices\": [{\"kernel_driver\": 7}]}", "\"kernel_driver\" must be a name"},
	{"{\"devices\": [{\"kernel_driver\": \"a/b\"}]}", "\"kernel_driver\" must be a name"},
	{"{\"devices\": [{\"pci\": \"8086:9A49\"}]}", "\"pci\" must be like"},
	{"{\"devices\": [{\"pci\": \"8086\"}]}", "\"pci\" must be like"},
	{"{\"devices\": [{\"pci\": \"8086:*x\"}]}", "\"pci\" must be like"},
	{"{\"devices\": [{\"pci\": \"0000:1234\"}]}", "\"pci\" must be like"},
	{"{\"devices\": [{\"pci\": \"\"}]}", "\"pci\" must be like"},
	{"{\"devices\": [{\"node\": \"dri/renderD128\"}]}", "not below /dev/dri"},
	{"{\"devices\": [{\"node\": \"../x\"}]}", "\"node\" must be a path"},
	{"{\"devices\": [{\"node\": \"x\", \"pci\": \"8086:*\"}]}", "\"node\" stands alone"},
	{"{\"devices\": [{\"pci\": \"8086:*\", \"order\": 1001}]}", "from 0 to 1000"},
	{"{\"devices\": [{\"pci\": \"8086:*\", \"order\": -1}]}", "from 0 to 1000"},
	{"{\"data_files\": [\".krafla-index.json\"]}", "\"krafla.data_files\", element 0"},
	{"{\"runtime_libraries\": {}}", "\"krafla.runtime_libraries\" must be an array"},
	{"{\"runtime_libraries\": [\"/lib/x.so\"]}", "\"krafla.runtime_libraries\", element 0"},
	{"{\"system_paths\": [\"/etc\"]}", "below /sys or /usr/share"},
	{"{\"system_paths\": [\"/sys/../etc\"]}", "below /sys or /usr/share"},
	{"{\"system_paths\": [\"/sysx\"]}", "below /sys or /usr/share"},
	{"{\"system_paths\": [\"/usr/share\"]}", "below /sys or /usr/share"},
	{"{\"imports\": \"process\"}", "\"krafla.imports\" must be an array"},
	{"{\"imports\": [\"Process\"]}", "\"krafla.imports\", element 0: a word must be of"},
	{"{\"imports\": [\"\"]}", "\"krafla.imports\", element 0: a word must be of small letters"},
	{"{\"platform\": 0}", "\"krafla.platform\" must be a number, 1 or more"},
	{"{\"platform\": \"1\"}", "\"krafla.platform\" must be a number, 1 or more"},
	{"{\"environment\": [\"X\"]}", "\"krafla.environment\" must be an object"},
	{"{\"environment\": {\"X\": 1}}", "\"krafla.environment\", X: it must be a string"},
	{"{\"environment\": {\"X\": \"/etc/x\"}}", "\"krafla.environment\", X: a path must be"},
	{"{\"environment\": {\"LD_PRELOAD\": \"x\"}}", "LD_PRELOAD isn't a variable that a"},
	{"{\"ephemeral\": 1}", "\"krafla.ephemeral\" must be true or false"},
	{"{\"glibc\": 2.34}", "\"krafla.glibc\" must be a string with a version"},
	{"{\"glibc\": \"2\"}", "\"krafla.glibc\" must be a string with a version"},
	{"{\"glibc\": \"2.x\"}", "\"krafla.glibc\" must be a string with a version"},
	{"{\"glibc\": \"2.34.\"}", "\"krafla.glibc\" must be a string with a version"},
	{"{\"libstdcxx\": \"GLIBCXX_3.4\"}", "\"krafla.libstdcxx\" must be a string"},
	{"{\"compiles_at_run_time\": \"yes\"}", "must be true or false"},
};

static void
own_keys_are_strict(void **state)
{
	char metadata[256];

	for (size_t i = 0; i < KR_ARRAY_LEN(bad_ours); i++) {
		snprintf(metadata, sizeof(metadata), "{\"version\": 1, " PATHS ", \"krafla\": %s}",
			bad_ours[i].ours);
		metadata_is_refused(metadata, bad_ours[i].words);
	}
}

/* I-01: other keys may be there; all of Krafla's are read. */
static void
everything_is_read(void **state)
{
	struct kr_package *package;

	rig_package(
		"{\"version\": 1.0, \"file_path\": \"lib/d.so\", \"manifest_path\": \"t.json\", "
		"\"vendor\": {\"a\": 1}, \"krafla\": {\"nodes\": [\"dri/renderD*\", \"x\"], "
		"\"data_files\": [\"share/x.bin\"], \"runtime_libraries\": [\"r.so\"], "
		"\"system_paths\": [\"/sys\", \"/sys/dev/char\", \"/usr/share/drirc.d\"], "
		"\"environment\": {\"X_FILE\": \"share/x.bin\"}, "
		"\"imports\": [\"process\", \"process-state\"], \"platform\": 7, "
		"\"glibc\": \"2.34\", \"libstdcxx\": \"3.4.30\", \"compiles_at_run_time\": "
		"true, \"ephemeral\": true}}",
		"{\"file_format_version\": \"1.0.1\", \"ICD\": {\"library_path\": "
		"\"/usr/lib/libvulkan_d.so\", \"api_version\": \"1.3.5\", \"x\": 1}}");
	rig_write("lib/d.so", "driver");
	rig_write("share/x.bin", "data");
	rig_write("r.so", "");
	package = rig_open();
	assert_string_equal(package->name, "p");
	assert_string_equal(package->path, rig_path(NULL));
	assert_string_equal(package->file_path, "lib/d.so");
	assert_string_equal(package->manifest_path, "t.json");
	assert_string_equal(package->library_path, "libvulkan_d.so");
	assert_string_equal(package->api_version, "1.3.5");
	assert_string_equal(package->nodes[0], "dri/renderD*");
	assert_string_equal(package->nodes[1], "x");
	assert_null(package->nodes[2]);
	assert_string_equal(package->data_files[0], "share/x.bin");
	assert_string_equal(package->runtime_libraries[0], "r.so");
	assert_string_equal(package->environment[0], "X_FILE=share/x.bin");
	assert_null(package->environment[1]);
	assert_string_equal(package->system_paths[0], "/sys");
	assert_string_equal(package->system_paths[2], "/usr/share/drirc.d");
	assert_string_equal(package->imports[0], "process");
	assert_string_equal(package->imports[1], "process-state");
	assert_int_equal(package->platform, 7);
	assert_string_equal(package->glibc, "2.34");
	assert_string_equal(package->libstdcxx, "3.4.30");
	assert_true(package->compiles_at_run_time);
	assert_true(package->ephemeral);
	assert_false(package->checked);
	assert_int_equal(package->file_count, 4 + rig_is_all_contents());
	assert_string_equal(package->files[0].path, "lib/d.so");
	assert_int_equal(package->files[0].size, 6);
	assert_int_equal(fcntl(package->files[0].fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(fcntl(package->files[0].fd, F_GETFD), FD_CLOEXEC);
	kr_package_destroy(package);
}

/* M-01: which devices it serves: all that a claim gives must fit, the smallest order counts. */
static void
devices_are_claimed(void **state)
{
	const struct kr_package_claim *claim;
	struct kr_package *package;

	rig_package(RIG_METADATA, RIG_MANIFEST);
	rig_write("libvulkan_t.so", "driver");
	rig_metadata("{\"version\": 1, " PATHS
		     ", \"krafla\": {\"devices\": [{\"kernel_driver\": \"i915\"}, "
		     "{\"kernel_driver\": \"xe\", \"pci\": \"8086:9a49\", \"order\": 3}, "
		     "{\"kernel_driver\": \"xe\", \"pci\": \"8086:*\", \"order\": 7}, "
		     "{\"node\": \"mali*\", \"order\": 0}]}}");
	package = rig_open();
	assert_true(package->claims_said);
	claim = kr_package_claim_of(package, "dri/renderD128", "i915", 0, 0);
	assert_int_equal(claim->order, 100);
	claim = kr_package_claim_of(package, "dri/renderD128", "xe", 0x8086, 0x9a49);
	assert_int_equal(claim->order, 3);
	claim = kr_package_claim_of(package, "dri/renderD128", "xe", 0x8086, 0x9a48);
	assert_int_equal(claim->order, 7);
	assert_null(kr_package_claim_of(package, "dri/renderD128", "xe", 0x1002, 0x9a49));
	assert_null(kr_package_claim_of(package, "dri/renderD128", "xe", 0, 0));
	assert_null(kr_package_claim_of(package, "dri/renderD128", "amdgpu", 0x8086, 0x9a49));
	assert_null(kr_package_claim_of(package, "dri/renderD128", NULL, 0x8086, 0x9a49));
	assert_int_equal(kr_package_claim_of(package, "mali0", NULL, 0, 0)->order, 0);
	assert_null(kr_package_claim_of(package, "malt", NULL, 0, 0));
	/* A kernel driver is one of DRM: other nodes have none. */
	assert_null(kr_package_claim_of(package, "i915", "i915", 0, 0));
	kr_package_destroy(package);
	rig_metadata("{\"version\": 1, " PATHS ", \"krafla\": {\"devices\": []}}");
	package = rig_open();
	assert_true(package->claims_said);
	assert_null(kr_package_claim_of(package, "dri/renderD128", "i915", 0, 0));
	kr_package_destroy(package);
	rig_metadata(RIG_METADATA);
	package = rig_open();
	assert_false(package->claims_said);
	kr_package_destroy(package);
}

/* No package is for every device that is there. */
static void
all_devices_are_not_claimed(void **state)
{
	static const char *const nodes[] = {"*", "s*", "input/*", "*mali", "ma*li0", "dri/*"};

	for (size_t i = 0; i < KR_ARRAY_LEN(nodes); i++) {
		char text[256];

		snprintf(text, sizeof(text),
			"{\"version\": 1, " PATHS
			", \"krafla\": {\"devices\": [{\"node\": \"%s\"}]}}",
			nodes[i]);
		metadata_is_refused(text, "\"node\" must be a path below /dev");
	}
}

/* --- manifest --- */

static void
manifest_is_refused(const char *manifest, const char *words)
{
	static unsigned count;

	if (!count++) {
		rig_package(RIG_METADATA, NULL);
		rig_write("libvulkan_t.so", "");
	}
	rig_write("t.json", manifest);
	rig_open_fails(-EINVAL, words);
}

/* I-01; Fuchsia's Icd.BadManifest */
static void
icd_bad_manifest(void **state)
{
	rig_package(RIG_METADATA, NULL);
	rig_write("libvulkan_t.so", "");
	rig_open_fails(-EINVAL, "manifest_path names t.json, which isn't in contents");
	rig_write("t.json", RIG_MANIFEST);
	kr_package_destroy(rig_open());
}

#define FORMAT "\"file_format_version\": \"1.0.0\""

static void
malformed_manifests(void **state)
{
	manifest_is_refused("", "t.json: line");
	manifest_is_refused("{\"file_format_version\"", "t.json: line 1");
	manifest_is_refused("[]", "\"file_format_version\"");
	manifest_is_refused("{\"ICD\": {\"library_path\": \"a\", \"api_version\": \"1\"}}",
		"no string \"file_format_version\"");
	manifest_is_refused("{\"file_format_version\": 1, \"ICD\": {\"library_path\": \"a\", "
			    "\"api_version\": \"1\"}}",
		"no string \"file_format_version\"");
	manifest_is_refused("{" FORMAT "}", "\"ICD\" has no string \"library_path\"");
	manifest_is_refused("{" FORMAT ", \"ICD\": []}", "no string \"library_path\"");
	manifest_is_refused(
		"{" FORMAT ", \"ICD\": {\"api_version\": \"1\"}}", "no string \"library_path\"");
	manifest_is_refused("{" FORMAT ", \"ICD\": {\"library_path\": 1, \"api_version\": \"1\"}}",
		"no string \"library_path\"");
	manifest_is_refused(
		"{" FORMAT ", \"ICD\": {\"library_path\": \"a\"}}", "no string \"api_version\"");
	manifest_is_refused("{" FORMAT
			    ", \"ICD\": {\"library_path\": \"a/\", \"api_version\": \"1\"}}",
		"must name a file");
	manifest_is_refused("{" FORMAT
			    ", \"ICD\": {\"library_path\": \"a234567890123456789012345678901234567"
			    "890123456789\", \"api_version\": \"1\"}}",
		"with 1 to 48 characters");
}

/* RFC-0205: the name replaces library_path, and nothing else. */
static void
served_manifest(void **state)
{
	struct kr_package *package;
	json_t *root, *icd;
	char *text;

	rig_package(RIG_METADATA,
		"{\"file_format_version\": \"1.0.1\", \"ICD\": {\"library_path\": \"x/libq.so\", "
		"\"api_version\": \"1.3.7\", \"is_portability_driver\": true}, \"other\": [1]}");
	rig_write("libvulkan_t.so", "");
	package = rig_open();
	text = kr_package_served_manifest(package, "12-libq.so");
	root = json_loads(text, 0, NULL);
	icd = json_object_get(root, "ICD");
	assert_string_equal(json_string_value(json_object_get(icd, "library_path")), "12-libq.so");
	assert_string_equal(json_string_value(json_object_get(icd, "api_version")), "1.3.7");
	assert_true(json_is_true(json_object_get(icd, "is_portability_driver")));
	assert_string_equal(
		json_string_value(json_object_get(root, "file_format_version")), "1.0.1");
	assert_int_equal(json_array_size(json_object_get(root, "other")), 1);
	json_decref(root);
	free(text);
	kr_package_destroy(package);
}

/* --- files --- */

static void
make_good(void)
{
	rig_package(RIG_METADATA, RIG_MANIFEST);
	rig_write("libvulkan_t.so", "driver");
}

static void
what_is_missing(void **state)
{
	rig_open_fails(-ENOENT, "can't be opened");
	rig_package(RIG_METADATA, RIG_MANIFEST);
	rig_open_fails(-EINVAL, "file_path names libvulkan_t.so, which isn't in contents");
	assert_int_equal(unlink(rig_metadata_path()), 0);
	rig_open_fails(-ENOENT, "it has no metadata/metadata.json");
	rig_metadata("{\"version\": 1, " PATHS ", \"krafla\": {\"data_files\": [\"no.bin\"]}}");
	rig_write("libvulkan_t.so", "driver");
	rig_open_fails(-EINVAL, "krafla.data_files names no.bin");
	rig_metadata(
		"{\"version\": 1, " PATHS ", \"krafla\": {\"runtime_libraries\": [\"no.so\"]}}");
	rig_open_fails(-EINVAL, "krafla.runtime_libraries names no.so");
	rig_metadata(
		"{\"version\": 1, " PATHS ", \"krafla\": {\"environment\": {\"X\": \"no.txt\"}}}");
	rig_open_fails(-EINVAL, "krafla.environment sets X to no.txt, which is no file");
}

/* Links inside become files of their own path; a link to a directory is one. */
static void
links_inside(void **state)
{
	const size_t more = rig_is_all_contents(); /* meta/metadata/metadata.json */
	struct kr_package *package;

	make_good();
	rig_write("deep/er/x", "xx");
	assert_int_equal(symlink("../libvulkan_t.so", rig_path("deep/driver")), 0);
	assert_int_equal(symlink("deep/er", rig_path("short")), 0);
	package = rig_open();
	assert_int_equal(package->file_count, 5 + more);
	assert_string_equal(package->files[0].path, "deep/driver");
	assert_int_equal(package->files[0].size, 6);
	assert_string_equal(package->files[3 + more].path, "short/x");
	assert_int_equal(package->files[3 + more].size, 2);
	kr_package_destroy(package);
}

static void
link_is_refused(const char *target, const char *words)
{
	assert_int_equal(symlink(target, rig_path("link")), 0);
	rig_open_fails(-EINVAL, words);
	assert_int_equal(unlink(rig_path("link")), 0);
}

/* nothing out of the package gets into it. */
static void
links_that_escape(void **state)
{
	make_good();
	kr_test_file("outside", "secret");
	link_is_refused("/etc/passwd", "link is a link that leads out of the contents");
	link_is_refused("../../outside", "link is a link that leads out of the contents");
	if (!rig_is_all_contents())
		link_is_refused("../metadata", "link is a link that leads out of the contents");
	link_is_refused("/proc/self/exe", "link is a link that leads out of the contents");
	link_is_refused("/", "link is a link that leads out of the contents");
	link_is_refused("nothing", "link is a link to nothing");
	kr_package_destroy(rig_open());
}

static void
links_in_circles(void **state)
{
	make_good();
	assert_int_equal(symlink("link", rig_path("link")), 0);
	rig_open_fails(-ELOOP, "link can't be opened");
	assert_int_equal(unlink(rig_path("link")), 0);
	assert_int_equal(mkdir(rig_path("d"), 0755), 0);
	assert_int_equal(symlink(".", rig_path("d/a")), 0);
	rig_open_fails(-ELOOP, "a link may lead to a directory above it");
	assert_int_equal(symlink(".", rig_path("d/b")), 0);
	rig_open_fails(-ELOOP, "a link may lead to a directory above it");
}

/* Directories alone have no end either. */
static void
entries_are_bounded(void **state)
{
	char name[32];

	make_good();
	for (int i = 0; i < 4160; i++) {
		snprintf(name, sizeof(name), "%d", i / 64);
		mkdir(rig_path(name), 0755);
		snprintf(name, sizeof(name), "%d/%d", i / 64, i % 64);
		assert_int_equal(mkdir(rig_path(name), 0755), 0);
	}
	rig_open_fails(-EFBIG, "more than 4096 entries");
}

/* And are counted while they are read: nobody has the service keep a million names. */
static void
entries_of_one_directory_are_bounded(void **state)
{
	struct rusage before, after;
	char name[256];
	int fd;

	make_good();
	memset(name, 'x', sizeof(name));
	assert_int_equal(mkdir(rig_path("many"), 0755), 0);
	fd = open(rig_path("many"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (int i = 0; i < 40000; i++) {
		snprintf(name + 200, sizeof(name) - 200, "%d", i);
		assert_int_equal(mknodat(fd, name, S_IFREG | 0644, 0), 0);
	}
	close(fd);
	assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
	rig_open_fails(-EFBIG, "it has more than");
	assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
	/* In KiB: all names would be 9 MiB. */
	assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 6 << 10);
}

/* What a package says of itself is repeated on terminals and in logs, as text of one line. */
static void
reasons_are_text(void **state)
{
	metadata_is_refused(
		"{\"version\": 1, " PATHS ", \"krafla\": {\"a\\u001b[31m\\nb\": 1}}", "a?[31m b");
	metadata_is_refused("{\"version\": 1, " PATHS
			    ", \"krafla\": {\"environment\": {\"A\\u009b\\u001bB\": \"x\"}}}",
		"A???B isn't a variable");
}

/* The metadata and contents may be links in the package as well, and not out of it. */
static void
contents_that_escape(void **state)
{
	static const char *const parts[] = {"contents", "metadata", "meta"};
	char from[600], to[600];

	make_good();
	snprintf(to, sizeof(to), "%s/of-today", rig_path(NULL));
	for (size_t i = 0; i < KR_ARRAY_LEN(parts); i++) {
		snprintf(from, sizeof(from), "%s/%s", rig_path(NULL), parts[i]);
		if (rename(from, to))
			continue;
		assert_int_equal(symlink("of-today", from), 0);
		kr_package_destroy(rig_open());
		assert_int_equal(unlink(from), 0);
		assert_int_equal(symlink("/usr/share", from), 0);
		rig_open_fails(-EXDEV, "it is a link that leads out of the package");
		assert_int_equal(unlink(from), 0);
		assert_int_equal(rename(to, from), 0);
	}
}

/* They aren't opened, which could wait or do something. */
static void
strange_files(void **state)
{
	make_good();
	assert_int_equal(mkfifo(rig_path("pipe"), 0644), 0);
	rig_open_fails(-EINVAL, "pipe is neither a file nor a directory");
	assert_int_equal(unlink(rig_path("pipe")), 0);
	if (!mknod(rig_path("null"), S_IFCHR | 0644, (1 << 8) | 3)) {
		rig_open_fails(-EINVAL, "null is neither a file nor a directory");
		assert_int_equal(unlink(rig_path("null")), 0);
	}
	rig_write("sub/.krafla-index.json", "{}");
	kr_package_destroy(rig_open());
	rig_write(".krafla-index.json", "{}");
	rig_open_fails(-EINVAL, "the name .krafla-index.json is Krafla's own");
	assert_int_equal(unlink(rig_path(".krafla-index.json")), 0);
	rig_write("caf\303\251", "");
	rig_open_fails(-EINVAL, "whose name isn't printable");
}

static void
metadata_that_is_no_file(void **state)
{
	char path[600];

	make_good();
	snprintf(path, sizeof(path), "%s", rig_metadata_path());
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0644), 0);
	rig_open_fails(-ENODEV, "it is no file");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	rig_open_fails(-EXDEV, "metadata.json");
}

static void
sizes_are_bounded(void **state)
{
	static char text[70000];
	char name[32];

	make_good();
	memset(text, ' ', sizeof(text) - 1);
	rig_metadata(text);
	rig_open_fails(-EFBIG, "metadata.json: it is larger than 64 KiB");
	rig_metadata(RIG_METADATA);
	rig_write("t.json", text);
	rig_open_fails(-EFBIG, "t.json: it is larger than 64 KiB");
	rig_write("t.json", RIG_MANIFEST);
	assert_int_equal(truncate(rig_path("libvulkan_t.so"), ((off_t)1 << 31) + 1), 0);
	rig_open_fails(-EFBIG, "libvulkan_t.so is too large");
	assert_int_equal(truncate(rig_path("libvulkan_t.so"), (off_t)1 << 31), 0);
	kr_package_destroy(rig_open());
	rig_write("second", "");
	rig_write("third", "");
	assert_int_equal(truncate(rig_path("second"), (off_t)1 << 31), 0);
	assert_int_equal(truncate(rig_path("third"), 1), 0);
	rig_open_fails(-EFBIG, "is too large");
	assert_int_equal(truncate(rig_path("second"), 1), 0);
	for (int i = 0; i < KR_INDEX_MAX_FILES - 4 - rig_is_all_contents(); i++) {
		snprintf(name, sizeof(name), "f%d", i);
		rig_write(name, "");
	}
	kr_package_destroy(rig_open());
	rig_write("one-more", "");
	rig_open_fails(-EFBIG, "more than 252 files");
}

/* --- changes --- */

static void
replace_library(void)
{
	rig_write("new", "newer!");
	assert_int_equal(rename(rig_path("new"), rig_path("libvulkan_t.so")), 0);
}

/* Another file that looks the same. */
static void
replace_alike(void)
{
	rig_write("new", "DRIVER");
	rig_same_times(rig_path("new"), rig_path("libvulkan_t.so"));
	assert_int_equal(rename(rig_path("new"), rig_path("libvulkan_t.so")), 0);
}

static void
write_in_place(void)
{
	rig_write("libvulkan_t.so", "in place");
}

static void
grow_in_place(void)
{
	rig_write("like", "");
	rig_same_times(rig_path("like"), rig_path("libvulkan_t.so"));
	rig_write("libvulkan_t.so", "driver of another size");
	rig_same_times(rig_path("libvulkan_t.so"), rig_path("like"));
	assert_int_equal(unlink(rig_path("like")), 0);
}

static void
add_file(void)
{
	rig_write("zzz", "");
}

static void
remove_file(void)
{
	assert_int_equal(unlink(rig_path("zzz")), 0);
}

/* The same text in another file. */
static void
rename_metadata(void)
{
	char kept[600];

	snprintf(kept, sizeof(kept), "%s/kept", kr_test_dir());
	assert_int_equal(rename(rig_metadata_path(), kept), 0);
	rig_metadata(RIG_METADATA);
	assert_int_equal(unlink(kept), 0);
}

static void
replace_metadata(void)
{
	rename_metadata();
}

static void
replace_contents(void)
{
	char from[600], to[600];

	if (rig_is_all_contents()) {
		add_file();
		return;
	}
	snprintf(from, sizeof(from), "%s/contents", rig_path(NULL));
	snprintf(to, sizeof(to), "%s/old", rig_path(NULL));
	assert_int_equal(rename(from, to), 0);
	assert_int_equal(mkdir(from, 0755), 0);
	rig_write("libvulkan_t.so", "driver");
	rig_write("t.json", RIG_MANIFEST);
}

/* F-02: nobody gets a mixture of two versions. */
static void
changes_while_it_is_read(void **state)
{
	static void (*const changes[])(void) = {replace_library, replace_alike, write_in_place,
		grow_in_place, add_file, remove_file, replace_metadata, replace_contents};

	make_good();
	for (size_t i = 0; i < KR_ARRAY_LEN(changes); i++) {
		between = changes[i];
		rig_open_fails(-EAGAIN, "changed while it was read");
		kr_package_destroy(rig_open());
	}
}

/* What is held stays what it was, whatever happens on disk. */
static void
pinned_files_stay(void **state)
{
	struct kr_package *package, *again;
	char text[16] = {0};

	make_good();
	package = rig_open();
	again = rig_open();
	assert_true(kr_package_is_same(package, again));
	kr_package_destroy(again);
	replace_library();
	again = rig_open();
	assert_false(kr_package_is_same(package, again));
	kr_package_destroy(again);
	again = rig_open();
	replace_alike();
	kr_package_destroy(package);
	package = rig_open();
	assert_false(kr_package_is_same(package, again));
	replace_library();
	assert_int_equal(pread(package->files[0].fd, text, 15, 0), 6);
	assert_string_equal(text, "DRIVER");
	kr_package_destroy(again);
	kr_package_destroy(package);
}

static void
what_is_another_package(void **state)
{
	struct kr_package *package, *again;

	make_good();
	package = rig_open();
	rig_metadata(RIG_METADATA " ");
	again = rig_open();
	assert_false(kr_package_is_same(package, again));
	kr_package_destroy(again);
	rig_metadata(RIG_METADATA);
	again = rig_open();
	/* Where metadata.json is one of the files, this is another file. */
	assert_int_equal(kr_package_is_same(package, again), !rig_is_all_contents());
	kr_package_destroy(again);
	rig_write("zzz", "");
	again = rig_open();
	assert_false(kr_package_is_same(package, again));
	kr_package_destroy(again);
	kr_package_destroy(package);
}

static void
names_of_directories(void **state)
{
	struct kr_package *package;
	char path[600], *reason;

	make_good();
	snprintf(path, sizeof(path), "%s//", rig_path(NULL));
	assert_int_equal(kr_package_open(path, &package, &reason), 0);
	assert_string_equal(package->name, "p");
	kr_package_destroy(package);
}

/*
 * Found by fuzzing: the parser passes over a zero byte, and who copied the text as a string had
 * half of it.
 */
static void
texts_with_a_zero_byte(void **state)
{
	static const char manifest[] =
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": "
		"\"l.so\", \"is_portability_driver\": false\0 , "
		"\"api_version\": \"1.3.0\"}}";
	static const char metadata[] = "{\"version\": 1\0, \"file_path\": \"libvulkan_t.so\", "
				       "\"manifest_path\": \"t.json\"}";

	make_good();
	rig_write_bytes("t.json", manifest, sizeof(manifest) - 1);
	rig_open_fails(-EINVAL, "t.json: it is no text: byte 95 is zero");
	rig_write("t.json", RIG_MANIFEST);
	rig_metadata_bytes(metadata, sizeof(metadata) - 1);
	rig_open_fails(-EINVAL, "metadata.json: it is no text: byte 13 is zero");
}

static void
is_of_version(const char *driver)
{
	struct kr_package *package = rig_open();

	assert_string_equal(package->file_path, driver);
	kr_package_destroy(package);
}

/* I-01: of what lies beside each other the component's own metadata, then Fuchsia's, then ours. */
static void
first_layout_counts(void **state)
{
	static const char *const names[] = {"flat", "fuchsia", "component"};
	char driver[32], metadata[128];

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		rig_choose_layout(names[i]);
		snprintf(driver, sizeof(driver), "%s.so", names[i]);
		snprintf(metadata, sizeof(metadata),
			"{\"version\": 1, \"file_path\": \"%s\", \"manifest_path\": \"t.json\"}",
			driver);
		if (i)
			rig_metadata(metadata);
		else
			rig_package(metadata, RIG_MANIFEST);
		rig_write(driver, "driver");
		rig_write("t.json", RIG_MANIFEST);
		is_of_version(driver);
	}
}

/* I-01: contents is any tree, and the manifest lies where the package's maker wants it. */
static void
package_of_fuchsias(void **state)
{
	struct kr_package *package;
	char contents[600];

	rig_package("{\"version\": 1, \"file_path\": \"lib/a/b/d.so\", "
		    "\"manifest_path\": \"meta/icd.d/d.json\"}",
		NULL);
	rig_write("lib/a/b/d.so", "driver");
	rig_write("meta/icd.d/d.json", RIG_MANIFEST);
	package = rig_open();
	assert_string_equal(package->file_path, "lib/a/b/d.so");
	assert_string_equal(package->manifest_path, "meta/icd.d/d.json");
	assert_string_equal(package->metadata_file, rig_metadata_path());
	snprintf(contents, sizeof(contents), "%s%s", rig_path(NULL), rig_layout()->contents);
	assert_string_equal(package->contents, contents);
	kr_package_destroy(package);
}

static const struct kr_test tests[] = {
	KR_TEST(icd_bad_metadata),
	KR_TEST(paths_stay_in_contents),
	KR_TEST(own_keys_are_strict),
	KR_TEST(devices_are_claimed),
	KR_TEST(all_devices_are_not_claimed),
	KR_TEST(everything_is_read),
	KR_TEST(icd_bad_manifest),
	KR_TEST(malformed_manifests),
	KR_TEST(served_manifest),
	KR_TEST(what_is_missing),
	KR_TEST(links_inside),
	KR_TEST(links_that_escape),
	KR_TEST(links_in_circles),
	KR_TEST(entries_are_bounded),
	KR_TEST(reasons_are_text),
	KR_TEST_SLOW(entries_of_one_directory_are_bounded, 0, 60),
	KR_TEST(contents_that_escape),
	KR_TEST(strange_files),
	KR_TEST(metadata_that_is_no_file),
	KR_TEST(sizes_are_bounded),
	KR_TEST(changes_while_it_is_read),
	KR_TEST(pinned_files_stay),
	KR_TEST(what_is_another_package),
	KR_TEST(names_of_directories),
	KR_TEST(texts_with_a_zero_byte),
	KR_TEST(first_layout_counts),
	KR_TEST(package_of_fuchsias),
};

KR_TEST_MAIN(tests)
