/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packages of installed drivers: finding libraries, tracing, writing; and of Debian's own drivers.
 */
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"
#include "service/package/trace.h"
#include "util/macros.h"
#include "util/text.h"

#define MANIFEST_DIR "/usr/share/vulkan/icd.d"
#define SWIFTSHADER  "/usr/lib/chromium/vk_swiftshader_icd.json"

/*
 * --- an installed system in kr_test_dir: directories "one", "two", "icd.d", and the linker's
 * configuration ---
 */

static struct kr_package_source_options options;

/* rig_write puts things below p/contents. */
static void
install(const char *name, const char *part)
{
	char below[256];

	snprintf(below, sizeof(below), "../../%s", name);
	rig_add(below, part);
}

static void
write_file(const char *name, const char *text)
{
	char below[256];

	snprintf(below, sizeof(below), "../../%s", name);
	rig_write(below, text);
}

static void
write_manifest(const char *library)
{
	char text[1300];

	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\", "
		"\"api_version\": \"1.3.0\"}}",
		library);
	write_file("icd.d/t_icd.json", text);
}

static void
begin(const char *library)
{
	static const char *const directories[] = {"one", "two", "icd.d", "conf.d"};
	char text[2200];

	rig_package(RIG_METADATA, NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(directories); i++)
		assert_int_equal(mkdir(kr_test_path(directories[i]), 0755), 0);
	snprintf(text, sizeof(text), "# words\n\n  %s/ \t# comment\ninclude conf.d/*.conf\n",
		kr_test_path("one"));
	write_file("ld.so.conf", text);
	snprintf(text, sizeof(text), "%s\n", kr_test_path("two"));
	write_file("conf.d/two.conf", text);
	write_manifest(library);
	options.linker_configuration = kr_test_path("ld.so.conf");
}

static struct kr_package *
take(void)
{
	struct kr_package *package;
	char *reason;

	if (kr_package_from_manifest(kr_test_path("icd.d/t_icd.json"), &options, &package, &reason))
		fail_msg("refused: %s", reason);
	assert_null(reason);
	return package;
}

static void
take_fails(int code, const char *words)
{
	struct kr_package *package;
	char *reason;
	int ret = kr_package_from_manifest(
		kr_test_path("icd.d/t_icd.json"), &options, &package, &reason);

	if (!ret)
		fail_msg("not refused for: %s", words);
	if (ret != code || !reason || !strstr(reason, words))
		fail_msg("refused with %d: %s\nand not with %d for: %s", ret, reason, code, words);
	free(reason);
}

static void
check(struct kr_package *package)
{
	char *reason;

	if (kr_package_check(package, NULL, &reason))
		fail_msg("refused: %s", reason);
}

static void
install_chain(void)
{
	install("one/libvulkan_t.so", "chain.so");
	install("one/libpart_a.so.1", "part_a.so");
	install("two/libpart_b.so.1", "part_b.so");
}

/* The closed set of libraries, flat, under the names that are needed. */
static void
closure_of_a_driver(void **state)
{
	struct kr_package *package;
	struct stat status;

	begin("libvulkan_t.so");
	install_chain();
	package = take();
	assert_string_equal(package->name, "t_icd");
	assert_string_equal(package->file_path, "libvulkan_t.so");
	assert_string_equal(package->manifest_path, "t_icd.json");
	assert_string_equal(package->library_path, "libvulkan_t.so");
	assert_null(package->metadata);
	assert_int_equal(package->file_count, 3);
	check(package);
	assert_string_equal(package->files[0].path, "libpart_b.so.1");
	assert_string_equal(package->files[1].path, "libpart_a.so.1");
	assert_string_equal(package->files[2].path, "libvulkan_t.so");
	assert_int_equal(stat(kr_test_path("two/libpart_b.so.1"), &status), 0);
	assert_int_equal(package->files[0].inode, status.st_ino);
	kr_package_destroy(package);
}

/* Its manifest names a place of this system: another text stands for it. */
static void
manifest_of_an_installed_driver(void **state)
{
	struct kr_package *package;
	json_t *root;

	begin("");
	write_manifest(kr_test_path("one/libvulkan_t.so"));
	install_chain();
	package = take();
	root = json_loads(package->manifest, 0, NULL);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(root, "ICD"), "library_path")),
		"./libvulkan_t.so");
	json_decref(root);
	assert_int_equal(package->file_count, 3);
	kr_package_destroy(package);
}

/* As dlopen: absolute, relative to the manifest, or by name. */
static void
ways_to_name_a_library(void **state)
{
	begin("../one/libvulkan_t.so");
	install_chain();
	kr_package_destroy(take());
	write_manifest(kr_test_path("one/libvulkan_t.so"));
	kr_package_destroy(take());
	write_manifest("libvulkan_t.so");
	kr_package_destroy(take());
	write_manifest("libvulkan_nowhere.so");
	take_fails(-ENOENT, "names libvulkan_nowhere.so, which isn't installed in any directory");
	write_manifest("/nonexistent/libvulkan_t.so");
	take_fails(-ENOENT, "/nonexistent/libvulkan_t.so can't be opened: No such file");
	write_manifest("../one");
	take_fails(-EINVAL, "one is no file");
	write_file("one/text.so", "text");
	write_manifest("../one/text.so");
	take_fails(-EINVAL, "text.so: it is no ELF file");
}

/* A library of another machine is passed over, as the dynamic linker does. */
static void
library_of_another_machine(void **state)
{
	struct kr_package *package;
	struct stat status;
	FILE *file;

	begin("libvulkan_t.so");
	install_chain();
	install("one/libpart_b.so.1", "part_b.so");
	file = fopen(kr_test_path("one/libpart_b.so.1"), "r+b");
	assert_int_equal(fseek(file, 18, SEEK_SET), 0);
	assert_int_equal(fputc(2, file), 2);
	fclose(file);
	package = take();
	assert_int_equal(stat(kr_test_path("two/libpart_b.so.1"), &status), 0);
	check(package);
	assert_int_equal(package->files[0].inode, status.st_ino);
	kr_package_destroy(package);
}

static void
library_that_is_missing(void **state)
{
	begin("libvulkan_t.so");
	install("one/libvulkan_t.so", "chain.so");
	install("one/libpart_a.so.1", "part_a.so");
	take_fails(-ENOENT, "one/libpart_a.so.1 needs libpart_b.so.1, which isn't installed");
}

static void
run_path_of_a_driver(void **state)
{
	begin("libvulkan_t.so");
	install("one/libvulkan_t.so", "chain_origin.so");
	install("one/sub/libpart_a.so.1", "part_a.so");
	install("two/libpart_b.so.1", "part_b.so");
	kr_package_destroy(take());
	install("one/libvulkan_t.so", "chain.so");
	take_fails(-ENOENT, "needs libpart_a.so.1, which isn't installed");
}

/* The platform's stay outside, and of the application's own what isn't installed here. */
static void
sets_that_stay_outside(void **state)
{
	struct kr_package *package;

	begin("libvulkan_t.so");
	install("one/libvulkan_t.so", "uses_xcb_nowhere.so");
	package = take();
	assert_int_equal(package->file_count, 1);
	check(package);
	assert_string_equal(package->needs[0].library, "libxcb-nowhere.so.9");
	kr_package_destroy(package);
	install("one/libvulkan_t.so", "uses_xcb.so");
	install("one/libxcb.so.1", "xcb.so");
	package = take();
	assert_int_equal(package->file_count, 2);
	check(package);
	assert_int_equal(package->need_count, 0);
	kr_package_destroy(package);
	install("one/libvulkan_t.so", "uses_libc.so");
	package = take();
	assert_int_equal(package->file_count, 1);
	kr_package_destroy(package);
}

static void
what_is_declared(void **state)
{
	static const char *libraries[] = {"libpart_a.so.1", NULL, NULL};
	static const char *data[] = {NULL, NULL}, *nodes[] = {"dri/renderD*", "x", NULL};
	struct kr_package *package;

	begin("libvulkan_t.so");
	install_chain();
	install("one/libvulkan_t.so", "good.so");
	install("other/libLLVM-15.so.1", "fake_llvm.so");
	write_file("share/t.bin", "data");
	libraries[1] = kr_test_path("other/libLLVM-15.so.1");
	data[0] = kr_test_path("share/t.bin");
	options.runtime_libraries = libraries;
	options.data_files = data;
	options.nodes = nodes;
	package = take();
	check(package);
	assert_int_equal(package->file_count, 5);
	assert_string_equal(package->files[0].path, "libvulkan_t.so");
	assert_string_equal(package->files[1].path, "libpart_b.so.1");
	assert_string_equal(package->files[2].path, "libpart_a.so.1");
	assert_int_equal(package->files[2].role, KR_INDEX_RUNTIME);
	assert_string_equal(package->files[3].path, "libLLVM-15.so.1");
	assert_string_equal(package->files[4].path, "t.bin");
	assert_int_equal(package->files[4].role, KR_INDEX_DATA);
	assert_string_equal(package->nodes[1], "x");
	kr_package_destroy(package);
	libraries[1] = "libpart_nowhere.so.1";
	take_fails(-ENOENT, "libpart_nowhere.so.1, which was said to be opened by the driver");
	options.runtime_libraries = NULL;
	data[0] = "/nonexistent/x";
	take_fails(-ENOENT, "/nonexistent/x can't be opened");
	data[0] = "/tmp";
	take_fails(-EINVAL, "/tmp is no file");
	data[0] = "/dev/null";
	take_fails(-EINVAL, "/dev/null is no file");
	data[0] = NULL;
	nodes[0] = "/dev/dri/card0";
	take_fails(-EINVAL, "/dev/dri/card0 is no pattern of device nodes");
}

/* Two different files can't lie under one name. */
static void
names_that_collide(void **state)
{
	static const char *data[] = {NULL, NULL};

	begin("libvulkan_t.so");
	install_chain();
	write_file("share/libpart_a.so.1", "data");
	data[0] = kr_test_path("share/libpart_a.so.1");
	options.data_files = data;
	take_fails(-EINVAL, "and another file of the driver are both called libpart_a.so.1");
}

/* M-02: which nodes, by the device map's rule of the library. */
static void
nodes_by_the_device_map(void **state)
{
	struct kr_package *package;

	begin("libvulkan_intel.so");
	install("one/libvulkan_intel.so", "good.so");
	package = take();
	assert_string_equal(package->nodes[0], "dri/renderD*");
	assert_string_equal(package->system_paths[0], "/sys/dev/char");
	/* M-01 */
	assert_int_equal(package->claim_count, 3);
	assert_string_equal(package->claims[0].kernel_driver, "i915");
	assert_int_equal(package->claims[0].order, 0);
	assert_string_equal(package->claims[2].kernel_driver, "virtio_gpu");
	assert_int_equal(package->claims[2].order, 3);
	kr_package_destroy(package);
	write_manifest("libvulkan_intel_hasvk.so");
	install("one/libvulkan_intel_hasvk.so", "good.so");
	package = take();
	assert_string_equal(package->claims[0].kernel_driver, "i915");
	assert_int_equal(package->claims[0].order, 1);
	kr_package_destroy(package);
	write_manifest("libvulkan_lvp.so");
	install("one/libvulkan_lvp.so", "good.so");
	package = take();
	assert_null(package->nodes);
	assert_null(package->system_paths);
	assert_true(package->claims_said);
	assert_int_equal(package->claim_count, 0);
	kr_package_destroy(package);
}

static void
bad_manifests(void **state)
{
	begin("libvulkan_t.so");
	install_chain();
	write_file("icd.d/t_icd.json", "{}");
	take_fails(-EINVAL, "no string \"file_format_version\"");
	assert_int_equal(unlink(kr_test_path("icd.d/t_icd.json")), 0);
	take_fails(-ENOENT, "t_icd.json can't be opened");
	assert_int_equal(mkfifo(kr_test_path("icd.d/t_icd.json"), 0644), 0);
	take_fails(-EINVAL, "t_icd.json is no file");
}

static void
replace_driver(void *data, const char *what, size_t done, size_t total)
{
	if (done != 1)
		return;
	install("one/new", "chain.so");
	rig_same_times(kr_test_path("one/new"), kr_test_path("one/libvulkan_t.so"));
	assert_int_equal(rename(kr_test_path("one/new"), kr_test_path("one/libvulkan_t.so")), 0);
}

/* An upgrade meanwhile: no mixture. */
static void
change_meanwhile(void **state)
{
	begin("libvulkan_t.so");
	install_chain();
	options.progress = replace_driver;
	take_fails(-EAGAIN, "libvulkan_t.so changed while it was read");
}

/* --- tracing --- */

static char traced[512];

static int
note(void *data, const char *name, const char *by)
{
	strncat(traced, name, sizeof(traced) - strlen(traced) - 1);
	strncat(traced, ";", sizeof(traced) - strlen(traced) - 1);
	return 0;
}

static void
reading_a_trace(void **state)
{
	char text[] =
		"   1:\t\n"
		"   1:\tfile=libc.so.6 [0];  needed by /x/krafla-probe [0]\n"
		"   1:\tfile=/y/libvulkan_t.so [0];  dynamically loaded by /x/krafla-probe [0]\n"
		"   1:\tfile=liba.so.1 [0];  dynamically loaded by /y/libvulkan_t.so [0]\n"
		"   1:\tfile=liba.so.1 [0];  generating link map\n"
		"   1:\tfile=libb.so.1 [0];  needed by /y/liba.so.1 [0]\n"
		"   1:\tfile=/z/c d.so [0];  dynamically loaded by /y/liba.so.1 [0]\n"
		"   1:\tfile=libnss_x.so.2 [0];  dynamically loaded by /lib/libc.so.6 [0]\n"
		"   1:\tfile= [0];  dynamically loaded by /y/liba.so.1 [0]\n"
		"dynamically loaded by file=";

	traced[0] = '\0';
	assert_int_equal(kr_package_trace_read(text, "/x/krafla-probe", note, NULL), 0);
	assert_string_equal(traced, "liba.so.1;/z/c d.so;");
}

/* Libraries that the driver opens, found by trying it. */
static void
tracing_a_driver(void **state)
{
	struct kr_package *package;

	begin("libvulkan_t.so");
	install("one/libvulkan_t.so", "package_opener.so");
	install("one/sub/libpart_b.so.1", "part_b.so");
	package = take();
	assert_int_equal(package->file_count, 1);
	kr_package_destroy(package);
	options.trace = true;
	take_fails(-EINVAL, "no krafla-probe was named");
	options.probe_program = PROBE;
	package = take();
	assert_int_equal(package->file_count, 2);
	assert_string_equal(package->files[1].path, "libpart_b.so.1");
	assert_string_equal(package->runtime_libraries[0], "libpart_b.so.1");
	assert_null(package->runtime_libraries[1]);
	kr_package_destroy(package);
}

/* A driver that fails opens nothing that could be known. */
static void
tracing_a_bad_driver(void **state)
{
	begin("libvulkan_t.so");
	install("one/libvulkan_t.so", "package_opener.so");
	options.trace = true;
	options.probe_program = PROBE;
	take_fails(-EINVAL, "what it opens isn't known");
	options.probe_program = "/nonexistent/probe";
	take_fails(-ENOENT, "couldn't be tried with /nonexistent/probe");
}

static void
write_vendor_file(const char *name, const char *library)
{
	char text[512];

	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\"}}",
		library);
	write_file(name, text);
}

/*
 * libEGL finds its vendor's library by a file of the system. The first of those whose library is in
 * the package comes along, with the variable that leads there.
 */
static void
egl_vendor_file(void **state)
{
	const char *directories[] = {
		kr_test_path("v1"), kr_test_path("nowhere"), kr_test_path("v2"), NULL};
	const char *libraries[] = {
		kr_test_path("one/libEGL.so.1"), kr_test_path("one/libEGL_t.so.0"), NULL};
	struct kr_package *package;
	char *index;

	begin("libvulkan_t.so");
	install("one/libvulkan_t.so", "good.so");
	install("one/libEGL.so.1", "part_b.so");
	install("one/libEGL_t.so.0", "fake_llvm.so");
	write_vendor_file("v1/10_other.json", "libEGL_other.so.0");
	write_vendor_file("v1/20_path.json", kr_test_path("one/libEGL_t.so.0"));
	write_file("v1/30_bad.json", "{");
	write_vendor_file("v1/40_t.conf", "libEGL_t.so.0");
	write_vendor_file("v2/60_later.json", "libEGL_t.so.0");
	write_vendor_file("v2/50_t.json", "libEGL_t.so.0");
	options.egl_vendor_directories = directories;
	package = take();
	assert_null(package->environment);
	kr_package_destroy(package);
	options.runtime_libraries = libraries;
	package = take();
	assert_string_equal(package->environment[0], "__EGL_VENDOR_LIBRARY_FILENAMES=50_t.json");
	assert_null(package->environment[1]);
	assert_string_equal(package->data_files[0], "50_t.json");
	assert_null(package->data_files[1]);
	index = kr_package_index(package, "0-t.so");
	assert_non_null(strstr(index,
		"\"environment\":[{\"name\":\"__EGL_VENDOR_LIBRARY_FILENAMES\",\"path\":\"50_t."
		"json\"}]"));
	free(index);
	kr_package_destroy(package);
}

static void
variables_that_name_files(void **state)
{
	const char *environment[] = {NULL, NULL, NULL};
	struct kr_package *package;
	char text[600];

	begin("libvulkan_t.so");
	install("one/libvulkan_t.so", "good.so");
	write_file("one/data.bin", "data");
	snprintf(text, sizeof(text), "X_FILE=%s", kr_test_path("one/data.bin"));
	environment[0] = text;
	options.environment = environment;
	package = take();
	assert_string_equal(package->environment[0], "X_FILE=data.bin");
	assert_string_equal(package->data_files[0], "data.bin");
	kr_package_destroy(package);
	environment[1] = text;
	take_fails(-EINVAL, "the variable X_FILE is set twice");
	environment[1] = "LD_PRELOAD=/etc/hostname";
	take_fails(-EINVAL, "'LD_PRELOAD=/etc/hostname' is no NAME=PATH");
	environment[1] = "Y_FILE=";
	take_fails(-EINVAL, "'Y_FILE=' is no NAME=PATH");
	environment[1] = "Y_FILE=/nonexistent/y";
	take_fails(-ENOENT, "/nonexistent/y can't be opened");
}

/* --- writing --- */

static int
count_entries(const char *path)
{
	DIR *directory = opendir(path);
	int count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 2;
}

/* What is written is a package, of the same files, whose manifest other loaders understand. */
static void
writing_a_package(void **state)
{
	struct kr_package *package, *written;
	char *reason;

	begin("libvulkan_t.so");
	install_chain();
	package = take();
	check(package);
	assert_int_equal(mkdir(kr_test_path("out"), 0755), 0);
	assert_int_equal(kr_package_write(package, kr_test_path("out/t/"), NULL, NULL, &reason), 0);
	assert_int_equal(count_entries(kr_test_path("out")), 1);
	assert_int_equal(kr_package_open(kr_test_path("out/t"), &written, &reason), 0);
	check(written);
	assert_int_equal(written->file_count, 4);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(written->files[i].path, package->files[i].path);
		assert_int_equal(written->files[i].size, package->files[i].size);
	}
	assert_string_equal(written->manifest, package->manifest);
	assert_non_null(strstr(written->manifest, "./libvulkan_t.so"));
	kr_package_destroy(written);
	assert_int_equal(
		kr_package_write(package, kr_test_path("out/t"), NULL, NULL, &reason), -EEXIST);
	assert_non_null(strstr(reason, "out/t is there already"));
	free(reason);
	assert_int_equal(
		kr_package_write(package, kr_test_path("nowhere/t"), NULL, NULL, &reason), -ENOENT);
	assert_non_null(strstr(reason, "can't be made"));
	free(reason);
	kr_package_destroy(package);
}

/* Everything that the metadata can say survives. */
static void
writing_all_metadata(void **state)
{
	struct kr_package *package, *written;
	char *reason;

	rig_package(
		"{\"version\": 1, \"file_path\": \"lib/libvulkan_t.so\", \"manifest_path\": "
		"\"t.json\", \"krafla\": {\"nodes\": [\"n\"], \"devices\": [{\"kernel_driver\": "
		"\"xe\", \"pci\": \"8086:9a49\", \"order\": 3}, {\"pci\": \"10de:*\"}, "
		"{\"node\": \"mali*\"}], \"data_files\": [\"d/x\"], "
		"\"runtime_libraries\": [\"libpart_b.so.1\"], \"system_paths\": [\"/sys/x\"], "
		"\"imports\": [\"process\"], \"glibc\": \"2.90\", \"libstdcxx\": \"3.9\", \"compiles_at_run_time\": true}}",
		RIG_MANIFEST);
	rig_add("lib/libvulkan_t.so", "good.so");
	rig_add("libpart_b.so.1", "part_b.so");
	rig_write("d/x", "data");
	package = rig_check(NULL);
	assert_int_equal(kr_package_write(package, kr_test_path("again"), NULL, NULL, &reason), 0);
	assert_int_equal(kr_package_open(kr_test_path("again"), &written, &reason), 0);
	check(written);
	assert_string_equal(written->file_path, "lib/libvulkan_t.so");
	assert_string_equal(written->nodes[0], "n");
	assert_int_equal(written->claim_count, 3);
	assert_string_equal(written->claims[0].kernel_driver, "xe");
	assert_int_equal(written->claims[0].pci_device, 0x9a49);
	assert_int_equal(written->claims[0].order, 3);
	assert_true(written->claims[1].any_device);
	assert_int_equal(written->claims[1].pci_vendor, 0x10de);
	assert_string_equal(written->claims[2].node, "mali*");
	assert_string_equal(written->data_files[0], "d/x");
	assert_string_equal(written->runtime_libraries[0], "libpart_b.so.1");
	assert_string_equal(written->system_paths[0], "/sys/x");
	assert_string_equal(written->imports[0], "process");
	assert_int_equal(written->platform, 1);
	assert_string_equal(written->glibc, "2.90");
	assert_string_equal(written->libstdcxx, "3.9");
	assert_true(written->compiles_at_run_time);
	kr_package_destroy(written);
	kr_package_destroy(package);
}

static bool
cut_library(void *data, const char *what, size_t done, size_t total)
{
	assert_true(done <= total);
	assert_int_equal(truncate(kr_test_path("one/libvulkan_t.so"), 100), 0);
	return true;
}

/* Nothing is left of a package that couldn't be written. */
static void
writing_that_fails(void **state)
{
	struct kr_package *package;
	char *reason;

	begin("libvulkan_t.so");
	install_chain();
	package = take();
	check(package);
	assert_int_equal(mkdir(kr_test_path("out"), 0755), 0);
	assert_int_equal(
		kr_package_write(package, kr_test_path("out/t"), cut_library, NULL, &reason),
		-EAGAIN);
	assert_non_null(strstr(reason, "libvulkan_t.so can't be written"));
	free(reason);
	assert_int_equal(count_entries(kr_test_path("out")), 0);
	kr_package_destroy(package);
}

/* --- Debian's drivers --- */

static void
check_needs(const struct kr_package *package)
{
	for (size_t i = 0; i < package->need_count; i++) {
		const char *library = package->needs[i].library;
		bool inside = false;

		for (size_t k = 0; k < package->file_count; k++)
			inside |= package->files[k].soname &&
				!strcmp(package->files[k].soname, library);
		if (!inside && !kr_package_is_platform(library) &&
			!kr_package_is_applications(library))
			fail_msg("%s wants %s, which is nowhere", package->name, library);
		if (inside)
			assert_true(package->needs[i].version_count > 0);
	}
}

static void
try_driver(const char *manifest)
{
	struct kr_package *package, *written = NULL;
	char *reason;
	int ret;

	ret = kr_package_from_manifest(manifest, NULL, &package, &reason);
	if (!ret)
		ret = kr_package_check(package, NULL, &reason);
	if (ret)
		fail_msg("refused: %s", reason);
	assert_non_null(package->glibc);
	check_needs(package);
	if (kr_package_write(package, kr_test_path(package->name), NULL, NULL, &reason) ||
		kr_package_open(kr_test_path(package->name), &written, &reason))
		fail_msg("%s", reason);
	check(written);
	assert_int_equal(written->file_count, package->file_count + 1);
	assert_int_equal(written->need_count, package->need_count);
	kr_package_destroy(written);
	kr_package_destroy(package);
}

/* I-03; Fuchsia's IcdConformance.SharedLibraries, over the drivers that are installed here. */
static void
icd_conformance_shared_libraries(void **state)
{
	DIR *directory = opendir(MANIFEST_DIR);
	struct dirent *entry;
	char path[600];
	int count = 0;

	while (directory && (entry = readdir(directory))) {
		if (!kr_has_suffix(entry->d_name, ".json"))
			continue;
		snprintf(path, sizeof(path), MANIFEST_DIR "/%s", entry->d_name);
		try_driver(path);
		count++;
	}
	if (directory)
		closedir(directory);
	if (!count)
		kr_test_skip("no-lavapipe", "no driver has a manifest in " MANIFEST_DIR);
}

/* I-03: SwiftShader, whose maker isn't Mesa's; it imports nothing that had to be declared. */
static void
swiftshader_is_within_the_allow_list(void **state)
{
	static const char *const nothing[] = {NULL};
	const struct kr_package_source_options strict = {.imports = nothing};
	struct kr_package *package;
	json_t *warnings = json_array();
	char *reason;

	if (access(SWIFTSHADER, R_OK))
		kr_test_skip("no-swiftshader", SWIFTSHADER " isn't there");
	if (kr_package_from_manifest(SWIFTSHADER, &strict, &package, &reason) ||
		kr_package_check(package, warnings, &reason))
		fail_msg("refused: %s", reason);
	assert_null(package->imports);
	assert_true(rig_warned(warnings, "imports of loading ("));
	assert_int_equal(package->platform, 1);
	json_decref(warnings);
	kr_package_destroy(package);
}

/* I-03: Mesa's drivers import of the list alone, and what they import is declared for them. */
static void
imports_of_installed_drivers(void **state)
{
	static const char *const network[] = {"network", NULL};
	const struct kr_package_source_options strict = {.imports = network};
	const char *manifest = kr_test_lavapipe();
	struct kr_package *package;
	char *reason;

	assert_int_equal(kr_package_from_manifest(manifest, NULL, &package, &reason), 0);
	assert_null(package->imports);
	check(package);
	assert_true(package->imports && package->imports[0]);
	kr_package_destroy(package);
	assert_int_equal(kr_package_from_manifest(manifest, &strict, &package, &reason), 0);
	assert_int_equal(kr_package_check(package, NULL, &reason), -EINVAL);
	assert_non_null(strstr(reason, ", which the package must declare (it "));
	free(reason);
	kr_package_destroy(package);
}

static const struct kr_test tests[] = {
	KR_TEST(closure_of_a_driver),
	KR_TEST(manifest_of_an_installed_driver),
	KR_TEST(ways_to_name_a_library),
	KR_TEST(library_of_another_machine),
	KR_TEST(library_that_is_missing),
	KR_TEST(run_path_of_a_driver),
	KR_TEST(sets_that_stay_outside),
	KR_TEST(what_is_declared),
	KR_TEST(names_that_collide),
	KR_TEST(nodes_by_the_device_map),
	KR_TEST(bad_manifests),
	KR_TEST(change_meanwhile),
	KR_TEST(reading_a_trace),
	KR_TEST(egl_vendor_file),
	KR_TEST(variables_that_name_files),
	KR_TEST_SLOW(tracing_a_driver, 0, 60),
	KR_TEST_SLOW(tracing_a_bad_driver, 0, 60),
	KR_TEST(writing_a_package),
	KR_TEST(writing_all_metadata),
	KR_TEST(writing_that_fails),
	KR_TEST_SLOW(icd_conformance_shared_libraries, 0, 120),
	KR_TEST_SLOW(swiftshader_is_within_the_allow_list, 0, 60),
	KR_TEST_SLOW(imports_of_installed_drivers, 0, 60),
};

KR_TEST_MAIN(tests)
