/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of a package, each with a library that breaks one. */
#include "harness.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"
#include "util/macros.h"
#include "util/text.h"

static void
make(const char *driver)
{
	rig_package(RIG_METADATA, RIG_MANIFEST);
	rig_add("libvulkan_t.so", driver);
}

static size_t
position(const struct kr_package *package, const char *path)
{
	for (size_t i = 0; i < package->file_count; i++) {
		if (!strcmp(package->files[i].path, path))
			return i;
	}
	fail_msg("no file %s", path);
	return 0;
}

static const struct kr_index_need *
need(const struct kr_package *package, const char *library)
{
	for (size_t i = 0; i < package->need_count; i++) {
		if (!strcmp(package->needs[i].library, library))
			return &package->needs[i];
	}
	return NULL;
}

static bool
wants(const struct kr_package *package, const char *library, const char *version)
{
	const struct kr_index_need *found = need(package, library);

	for (size_t i = 0; found && i < found->version_count; i++) {
		if (!strcmp(found->versions[i], version))
			return true;
	}
	return false;
}

/* I-03: good all through, in the order in which it is loaded. */
static void
good_package(void **state)
{
	const size_t last = 3 + rig_is_all_contents();
	struct kr_package *package;
	json_t *warnings = json_array();

	make("chain.so");
	rig_add("libpart_a.so.1", "part_a.so");
	rig_add("libpart_b.so.1", "part_b.so");
	package = rig_check(warnings);
	assert_int_equal(package->file_count, last + 1);
	assert_string_equal(package->files[0].path, "libpart_b.so.1");
	assert_string_equal(package->files[1].path, "libpart_a.so.1");
	assert_string_equal(package->files[2].path, "libvulkan_t.so");
	assert_string_equal(package->files[last].path, "t.json");
	assert_int_equal(package->files[0].role, KR_INDEX_LIBRARY);
	assert_int_equal(package->files[2].role, KR_INDEX_DRIVER);
	assert_int_equal(package->files[last].role, KR_INDEX_DATA);
	assert_string_equal(package->files[0].soname, "libpart_b.so.1");
	assert_true(package->files[0].is_elf);
	assert_null(package->files[last].soname);
	assert_false(package->files[last].is_elf);
	assert_true(wants(package, "libpart_b.so.1", "PART_B_1"));
	assert_null(need(package, "libpart_a.so.1"));
	assert_int_equal(json_array_size(warnings), 0);
	json_decref(warnings);
	kr_package_destroy(package);
}

/* The index says what the check found, as delivery/index.h describes it. */
static void
index_of_a_package(void **state)
{
	struct kr_package *package;
	struct kr_index index;
	char *text, *reason;

	make("chain.so");
	rig_add("libpart_a.so.1", "part_a.so");
	rig_add("libpart_b.so.1", "part_b.so");
	package = rig_check(NULL);
	text = kr_package_index(package, "3-libvulkan_t.so");
	assert_int_equal(kr_index_parse(text, strlen(text), &index, &reason), 0);
	assert_string_equal(index.name, "3-libvulkan_t.so");
	assert_string_equal(index.driver, "libvulkan_t.so");
	assert_int_equal(index.file_count, 4 + rig_is_all_contents());
	assert_string_equal(index.files[0].soname, "libpart_b.so.1");
	assert_int_equal(index.files[2].role, KR_INDEX_DRIVER);
	assert_int_equal(index.need_count, package->need_count);
	kr_index_finish(&index);
	free(text);
	kr_package_destroy(package);
}

/* I-03 */
static void
library_that_is_missing(void **state)
{
	make("chain.so");
	rig_check_fails("libvulkan_t.so needs libpart_a.so.1, which is neither in the package nor");
	rig_add("libpart_a.so.1", "part_a.so");
	rig_check_fails("libpart_a.so.1 needs libpart_b.so.1, which is neither");
	rig_write("libpart_b.so.1", "no library");
	rig_check_fails("libpart_a.so.1 needs libpart_b.so.1, and the file of that name is no");
	rig_add("libpart_b.so.1", "part_b_alias.so");
	rig_check_fails("has the SONAME libpart_other.so.1: the dynamic linker would not find it");
}

static void
library_without_soname(void **state)
{
	make("needs_nameless.so");
	rig_add("nameless.so", "nameless.so");
	rig_check_fails("needs nameless.so, and the file of that name has the SONAME (none)");
}

/* I-03 */
static void
symbols_that_nobody_has(void **state)
{
	make("unresolved.so");
	rig_check_fails(
		"libvulkan_t.so imports part_missing, which no library that it needs defines");
}

/* A weak one may be missing. */
static void
weak_symbols(void **state)
{
	make("weak.so");
	kr_package_destroy(rig_check(NULL));
}

/* I-03: somewhere in the package isn't enough: libraries are loaded one after the other. */
static void
symbol_of_a_library_that_is_not_needed(void **state)
{
	make("chain.so");
	rig_add("libpart_a.so.1", "part_a_unlinked.so");
	rig_add("libpart_b.so.1", "part_b.so");
	rig_check_fails("libpart_a.so.1 imports part_b, which no library that it needs defines");
}

/* I-03 */
static void
version_that_is_missing(void **state)
{
	make("wants_new.so");
	rig_add("libpart_b.so.1", "part_b.so");
	rig_check_fails(
		"libvulkan_t.so wants version PART_B_2 of libpart_b.so.1, which the one in the package doesn't define");
	rig_add("libpart_b.so.1", "part_b_new.so");
	kr_package_destroy(rig_check(NULL));
}

/* The version is there, and the symbol isn't in it. */
static void
symbol_that_is_missing_in_its_version(void **state)
{
	make("wants_new.so");
	rig_add("libpart_b.so.1", "part_b_hollow.so");
	rig_check_fails("libvulkan_t.so imports part_b_too@PART_B_2, which no library");
}

static void
writable_code(void **state)
{
	rig_driver_fails("writable_code.so", "has a segment that is writable and executable (W+X)");
}

static void
text_relocation(void **state)
{
	rig_driver_fails("text_relocation.so", "has relocations in its code (TEXTREL)");
}

static void
executable_stack(void **state)
{
	rig_driver_fails("executable_stack.so", "asks for an executable stack");
}

/* What the driver needs is looked at like the driver. */
static void
bad_library_of_a_good_driver(void **state)
{
	make("chain.so");
	rig_add("libpart_a.so.1", "part_a.so");
	rig_add("libpart_b.so.1", "part_b_stack.so");
	rig_check_fails("libpart_b.so.1 asks for an executable stack");
}

static void
run_paths(void **state)
{
	make("run_path_opt.so");
	rig_check_fails("has the RUNPATH or RPATH \"/opt/lib\": only places below $ORIGIN");
	rig_add("libvulkan_t.so", "rpath_opt.so");
	rig_check_fails("has the RUNPATH or RPATH \"/opt/lib\"");
	rig_add("libvulkan_t.so", "run_path_second.so");
	rig_check_fails("has the RUNPATH or RPATH \"$ORIGIN:lib\"");
	rig_add("libvulkan_t.so", "run_path_empty.so");
	rig_check_fails("has the RUNPATH or RPATH \"$ORIGIN:\"");
	rig_add("libvulkan_t.so", "run_path_origins.so");
	rig_check_fails("has the RUNPATH or RPATH \"$ORIGINS\"");
	rig_add("libvulkan_t.so", "run_path_origin.so");
	kr_package_destroy(rig_check(NULL));
}

static void
libraries_that_need_each_other(void **state)
{
	make("circle.so");
	rig_add("libpart_c.so.1", "part_c.so");
	rig_add("libpart_d.so.1", "part_d.so");
	rig_check_fails("libpart_d.so.1 needs libpart_c.so.1, which needs it in turn");
}

static void
two_of_one_soname(void **state)
{
	make("chain.so");
	rig_add("libpart_a.so.1", "part_a.so");
	rig_add("libpart_b.so.1", "part_b.so");
	rig_add("old/libpart_b.so.1", "part_b.so");
	rig_check_fails(
		"libpart_b.so.1 and old/libpart_b.so.1 both have the SONAME libpart_b.so.1");
}

/* Names that are links to one file are one library, found under its SONAME. */
static void
names_of_one_library(void **state)
{
	struct kr_package *package;

	make("chain.so");
	rig_add("libpart_a.so.1", "part_a.so");
	rig_add("libpart_b.so.1.0.3", "part_b.so");
	assert_int_equal(symlink("libpart_b.so.1.0.3", rig_path("libpart_b.so.1")), 0);
	assert_int_equal(symlink("libpart_b.so.1.0.3", rig_path("libpart_b.so")), 0);
	package = rig_check(NULL);
	assert_int_equal(package->file_count, 6 + rig_is_all_contents());
	assert_string_equal(package->files[0].path, "libpart_b.so.1");
	assert_int_equal(package->files[position(package, "libpart_b.so")].role, KR_INDEX_DATA);
	kr_package_destroy(package);
}

/* I-03 */
static void
driver_without_exports(void **state)
{
	make("no_exports.so");
	rig_check_fails("doesn't export vk_icdGetInstanceProcAddr: it is no Vulkan driver");
	rig_add("libvulkan_t.so", "interface_0_half.so");
	rig_check_fails("doesn't export vk_icdGetInstanceProcAddr");
	rig_add("libvulkan_t.so", "interface_0.so");
	kr_package_destroy(rig_check(NULL));
}

static void
driver_that_is_no_library(void **state)
{
	rig_package(RIG_METADATA, RIG_MANIFEST);
	rig_write("libvulkan_t.so", "text");
	rig_check_fails("libvulkan_t.so is no ELF file");
	rig_write("libvulkan_t.so", "\177ELF and then nothing");
	rig_check_fails("libvulkan_t.so: it is no ELF file");
	rig_write("libvulkan_t.so", "");
	rig_check_fails("libvulkan_t.so is no ELF file");
}

/* Changes a byte of the driver. */
static void
patch(long at, unsigned char value)
{
	FILE *file = fopen(rig_path("libvulkan_t.so"), "r+b");

	assert_non_null(file);
	assert_int_equal(fseek(file, at, SEEK_SET), 0);
	assert_int_equal(fputc(value, file), value);
	assert_int_equal(fclose(file), 0);
}

static void
driver_of_another_machine(void **state)
{
	make("good.so");
	patch(EI_NIDENT + 2, EM_SPARC);
	patch(EI_NIDENT + 3, 0);
	rig_check_fails("library for ELF machine 2, this system is");
	rig_add("libvulkan_t.so", "good.so");
	patch(EI_NIDENT, ET_EXEC);
	rig_check_fails("it is no shared library");
	rig_add("libvulkan_t.so", "good.so");
	patch(EI_CLASS, sizeof(void *) == 8 ? ELFCLASS32 : ELFCLASS64);
	rig_check_fails("libvulkan_t.so: it is ");
}

/* I-03: other ways to have the dynamic linker load a library than to need it. */
static void
libraries_that_come_otherwise(void **state)
{
	static const char *const parts[] = {"filter.so", "auxiliary.so", "audit.so"};

	rig_package(RIG_METADATA, RIG_MANIFEST);
	for (size_t i = 0; i < KR_ARRAY_LEN(parts); i++) {
		rig_add("libvulkan_t.so", parts[i]);
		rig_check_fails(
			"libvulkan_t.so: it names libpart_a.so.1 as what it filters or is audited by");
	}
}

/* Where the driver has these bytes. */
static long
find_bytes(const char *part, const void *bytes, size_t size)
{
	static char data[1 << 18];
	FILE *file = fopen(rig_part(part), "rb");
	size_t got;
	char *at;

	assert_non_null(file);
	got = fread(data, 1, sizeof(data), file);
	fclose(file);
	at = memmem(data, got, bytes, size);
	assert_non_null(at);
	return at - data;
}

/* Changes section headers of the driver: `change` says whether it did. */
static void
change_section(bool (*change)(FILE *file, Elf64_Shdr *section))
{
	FILE *file = fopen(rig_path("libvulkan_t.so"), "r+b");
	Elf64_Shdr section;
	Elf64_Ehdr header;

	assert_non_null(file);
	assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
	for (int i = 0; i < header.e_shnum; i++) {
		const long at = (long)header.e_shoff + i * (long)sizeof(section);

		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		assert_int_equal(fread(&section, sizeof(section), 1, file), 1);
		if (!change(file, &section))
			continue;
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		assert_int_equal(fwrite(&section, sizeof(section), 1, file), 1);
	}
	assert_int_equal(fclose(file), 0);
}

static bool
cut_dynamic(FILE *file, Elf64_Shdr *section)
{
	if (section->sh_type != SHT_DYNAMIC)
		return false;
	section->sh_size = sizeof(Elf64_Dyn);
	return true;
}

/* The dynamic linker would read on behind the section, where nobody looked. */
static void
dynamic_section_without_an_end(void **state)
{
	make("good.so");
	change_section(cut_dynamic);
	rig_check_fails("libvulkan_t.so: its dynamic section has no end");
}

/* The section's names are others, at the end of the file: the import has none there. */
static bool
move_names(FILE *file, Elf64_Shdr *section)
{
	char names[4096];
	char *name;

	if (section->sh_type != SHT_STRTAB || !(section->sh_flags & SHF_ALLOC))
		return false;
	assert_in_range(section->sh_size, 1, sizeof(names));
	assert_int_equal(fseek(file, (long)section->sh_offset, SEEK_SET), 0);
	assert_int_equal(fread(names, 1, section->sh_size, file), section->sh_size);
	name = memmem(names, section->sh_size, "part_missing", 12);
	assert_non_null(name);
	*name = '\0';
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	section->sh_offset = (Elf64_Off)ftell(file);
	assert_int_equal(fwrite(names, 1, section->sh_size, file), section->sh_size);
	return true;
}

/* What is looked at is what the dynamic linker maps. */
static void
sections_that_lie_elsewhere_than_their_addresses(void **state)
{
	make("unresolved.so");
	change_section(move_names);
	rig_check_fails("libvulkan_t.so: its section headers don't agree with its program headers");
}

/* Neither a terminal nor JSON gets what isn't text. */
static void
symbols_whose_names_are_no_text(void **state)
{
	const long at = find_bytes("unresolved.so", "part_missing", 12);
	const long weak = find_bytes("weak.so", "part_missing", 12);

	make("unresolved.so");
	patch(at, 0x1b);
	patch(at + 1, 0xff);
	rig_check_fails("libvulkan_t.so: the name of a symbol can't be read");
	rig_add("libvulkan_t.so", "weak.so");
	patch(weak, 0x1b);
	patch(weak + 1, 0xff);
	rig_check_fails("libvulkan_t.so: the name of a symbol can't be read");
}

/* Without section headers the dynamic linker loads it, and nobody can check it. */
static void
driver_without_sections(void **state)
{
	make("good.so");
	for (long i = 0; i < 8; i++)
		patch(offsetof(Elf64_Ehdr, e_shoff) + i, 0);
	patch(offsetof(Elf64_Ehdr, e_shnum), 0);
	patch(offsetof(Elf64_Ehdr, e_shnum) + 1, 0);
	rig_check_fails("its sections were stripped off");
}

/* libxcb and its like are the application's, by their SONAME, and what they define by its name. */
static void
application_libraries(void **state)
{
	struct kr_package *package;

	make("uses_xcb.so");
	package = rig_check(NULL);
	assert_non_null(need(package, "libxcb.so.1"));
	assert_int_equal(need(package, "libxcb.so.1")->version_count, 0);
	kr_package_destroy(package);
	rig_add("libvulkan_t.so", "uses_xcb_wrongly.so");
	rig_check_fails("libvulkan_t.so imports part_missing");
}

/* For processes that have none, which the index says; and then it has to be one that does. */
static void
application_library_in_the_package(void **state)
{
	json_t *warnings = json_array();
	struct kr_package *package;
	char *index;

	make("uses_xcb.so");
	rig_add("libxcb.so.1", "xcb.so");
	package = rig_check(warnings);
	assert_int_equal(json_array_size(warnings), 0);
	index = kr_package_index(package, "0-t");
	assert_non_null(strstr(index, "\"soname\":\"libxcb.so.1\",\"own\":true}"));
	assert_null(strstr(strstr(index, "\"own\"") + 1, "\"own\""));
	free(index);
	kr_package_destroy(package);
	json_decref(warnings);
	rig_add("libxcb.so.1", "xcb_hollow.so");
	rig_check_fails("libvulkan_t.so imports xcb_part");
}

static void
glibc_in_the_package(void **state)
{
	make("uses_libc.so");
	rig_add("sub/libc.so.6", "fake_libc.so");
	rig_check_fails(
		"sub/libc.so.6 is a library of glibc, of which a process can have only its own");
}

/* Which glibc is needed is computed, and a declaration may not be less. */
static void
glibc_that_is_needed(void **state)
{
	struct kr_package *package;
	char metadata[300], words[100], *glibc;

	make("uses_libc.so");
	package = rig_check(NULL);
	assert_non_null(package->glibc);
	assert_null(package->libstdcxx);
	assert_non_null(need(package, "libc.so.6"));
	glibc = strdup(package->glibc);
	snprintf(words, sizeof(words), "GLIBC_%s", glibc);
	assert_true(wants(package, "libc.so.6", words));
	kr_package_destroy(package);
	rig_metadata("{\"version\": 1, \"file_path\": \"libvulkan_t.so\", \"manifest_path\": "
		     "\"t.json\", \"krafla\": {\"glibc\": \"2.0\"}}");
	snprintf(words, sizeof(words), "krafla.glibc says 2.0, needs %s", glibc);
	rig_check_fails(words);
	snprintf(metadata, sizeof(metadata),
		"{\"version\": 1, \"file_path\": \"libvulkan_t.so\", \"manifest_path\": "
		"\"t.json\", \"krafla\": {\"glibc\": \"%s.1\"}}",
		glibc);
	rig_metadata(metadata);
	package = rig_check(NULL);
	assert_int_equal(strncmp(package->glibc, glibc, strlen(glibc)), 0);
	assert_string_equal(package->glibc + strlen(glibc), ".1");
	kr_package_destroy(package);
	free(glibc);
}

static void
libstdcxx_that_is_needed(void **state)
{
	struct kr_package *package;

	make("uses_stdcxx.so");
	rig_add("libstdc++.so.6", "fake_stdcxx.so");
	package = rig_check(NULL);
	assert_string_equal(package->libstdcxx, "3.4.29");
	assert_true(wants(package, "libstdc++.so.6", "GLIBCXX_3.4.29"));
	kr_package_destroy(package);
	rig_metadata("{\"version\": 1, \"file_path\": \"libvulkan_t.so\", \"manifest_path\": "
		     "\"t.json\", \"krafla\": {\"libstdcxx\": \"3.4.9\"}}");
	rig_check_fails("krafla.libstdcxx says 3.4.9, needs 3.4.29");
}

#define RUNTIME                                                                                    \
	"{\"version\": 1, \"file_path\": \"libvulkan_t.so\", \"manifest_path\": \"t.json\", "      \
	"\"krafla\": {\"runtime_libraries\": [\"libpart_a.so.1\"]}}"

/* Behind the driver, each after what it needs. */
static void
runtime_libraries(void **state)
{
	struct kr_package *package;
	json_t *warnings = json_array();

	make("good.so");
	rig_add("libpart_a.so.1", "part_a.so");
	rig_add("libpart_b.so.1", "part_b.so");
	kr_package_destroy(rig_check(warnings));
	assert_true(rig_warned(warnings, "libpart_a.so.1: nothing needs this library"));
	json_array_clear(warnings);
	rig_metadata(RUNTIME);
	package = rig_check(warnings);
	assert_int_equal(json_array_size(warnings), 0);
	assert_string_equal(package->files[0].path, "libvulkan_t.so");
	assert_string_equal(package->files[1].path, "libpart_b.so.1");
	assert_string_equal(package->files[2].path, "libpart_a.so.1");
	assert_int_equal(package->files[1].role, KR_INDEX_RUNTIME);
	assert_int_equal(package->files[2].role, KR_INDEX_RUNTIME);
	kr_package_destroy(package);
	json_decref(warnings);
}

static void
runtime_library_that_is_bad(void **state)
{
	make("good.so");
	rig_metadata(RUNTIME);
	rig_add("libpart_a.so.1", "part_a.so");
	rig_check_fails("libpart_a.so.1 needs libpart_b.so.1, which is neither");
	rig_add("libpart_b.so.1", "part_b_stack.so");
	rig_check_fails("libpart_b.so.1 asks for an executable stack");
}

/*
 * M-04: of a driver that nobody described, told by the closure's libLLVM, unless the metadata says
 * it.
 */
static void
compiling_at_run_time(void **state)
{
	struct kr_package *package;

	make("uses_llvm.so");
	rig_add("libLLVM-15.so.1", "fake_llvm.so");
	package = rig_check(NULL);
	assert_true(package->compiles_at_run_time);
	kr_package_destroy(package);
	rig_metadata("{\"version\": 1, \"file_path\": \"libvulkan_t.so\", \"manifest_path\": "
		     "\"t.json\", \"krafla\": {\"compiles_at_run_time\": false}}");
	package = rig_check(NULL);
	assert_false(package->compiles_at_run_time);
	kr_package_destroy(package);
	rig_add("libvulkan_t.so", "good.so");
	rig_metadata(RIG_METADATA);
	package = rig_check(NULL);
	assert_false(package->compiles_at_run_time);
	kr_package_destroy(package);
}

/*
 * M-04: what matters is memory of the process that is written and then executed. RADV's LLVM writes
 * for the GPU; a lavapipe with LLVM inside itself needs it all the same.
 */
static void
known_drivers_that_compile(void **state)
{
	static const struct {
		const char *driver, *part;
		bool compiles;
	} drivers[] = {{"libvulkan_lvp.so", "good.so", true},
		{"libvk_swiftshader.so", "good.so", true},
		{"libvulkan_radeon.so", "uses_llvm.so", false},
		{"libvulkan_intel.so", "uses_llvm.so", false}};

	make("good.so");
	rig_add("libLLVM-15.so.1", "fake_llvm.so");
	for (size_t i = 0; i < KR_ARRAY_LEN(drivers); i++) {
		struct kr_package *package;
		char *metadata = kr_asprintf("{\"version\": 1, \"file_path\": \"%s\", "
					     "\"manifest_path\": \"t.json\"}",
			drivers[i].driver);

		rig_add(drivers[i].driver, drivers[i].part);
		rig_metadata(metadata);
		free(metadata);
		if (drivers[i].compiles)
			unlink(rig_path("libLLVM-15.so.1"));
		else
			rig_add("libLLVM-15.so.1", "fake_llvm.so");
		package = rig_check(NULL);
		assert_int_equal(package->compiles_at_run_time, drivers[i].compiles);
		kr_package_destroy(package);
		unlink(rig_path(drivers[i].driver));
	}
}

static void
name_that_is_not_the_soname(void **state)
{
	json_t *warnings = json_array();

	make("chain.so");
	rig_add("libpart_a.so.1", "part_a.so");
	rig_add("libpart_b.so", "part_b.so");
	kr_package_destroy(rig_check(warnings));
	assert_true(rig_warned(warnings, "libpart_b.so has another name as SONAME"));
	json_decref(warnings);
}

/* A check may be done again, and a failed one leaves the package as it was. */
static void
checking_again(void **state)
{
	struct kr_package *package;
	char *reason;

	make("uses_libc.so");
	package = rig_check(NULL);
	assert_int_equal(kr_package_check(package, NULL, &reason), 0);
	assert_true(package->need_count > 0);
	kr_package_destroy(package);
}

static void
inspection(void **state)
{
	struct kr_package *package;
	json_t *root;

	make("chain.so");
	rig_add("libpart_a.so.1", "part_a.so");
	rig_add("libpart_b.so.1", "part_b.so");
	package = rig_check(NULL);
	root = kr_package_inspect(package);
	assert_string_equal(json_string_value(json_object_get(root, "name")), "p");
	assert_true(json_is_true(json_object_get(root, "checked")));
	assert_int_equal(
		json_array_size(json_object_get(root, "files")), 4 + rig_is_all_contents());
	json_decref(root);
	kr_package_destroy(package);
}

static const struct kr_test tests[] = {
	KR_TEST(good_package),
	KR_TEST(index_of_a_package),
	KR_TEST(library_that_is_missing),
	KR_TEST(library_without_soname),
	KR_TEST(symbols_that_nobody_has),
	KR_TEST(weak_symbols),
	KR_TEST(symbol_of_a_library_that_is_not_needed),
	KR_TEST(version_that_is_missing),
	KR_TEST(symbol_that_is_missing_in_its_version),
	KR_TEST(writable_code),
	KR_TEST(text_relocation),
	KR_TEST(executable_stack),
	KR_TEST(bad_library_of_a_good_driver),
	KR_TEST(run_paths),
	KR_TEST(libraries_that_need_each_other),
	KR_TEST(two_of_one_soname),
	KR_TEST(names_of_one_library),
	KR_TEST(driver_without_exports),
	KR_TEST(driver_that_is_no_library),
	KR_TEST(driver_of_another_machine),
	KR_TEST(driver_without_sections),
	KR_TEST(libraries_that_come_otherwise),
	KR_TEST(dynamic_section_without_an_end),
	KR_TEST(sections_that_lie_elsewhere_than_their_addresses),
	KR_TEST(symbols_whose_names_are_no_text),
	KR_TEST(application_libraries),
	KR_TEST(application_library_in_the_package),
	KR_TEST(glibc_in_the_package),
	KR_TEST(glibc_that_is_needed),
	KR_TEST(libstdcxx_that_is_needed),
	KR_TEST(runtime_libraries),
	KR_TEST(runtime_library_that_is_bad),
	KR_TEST(compiling_at_run_time),
	KR_TEST(known_drivers_that_compile),
	KR_TEST(name_that_is_not_the_soname),
	KR_TEST(checking_again),
	KR_TEST(inspection),
};

KR_TEST_MAIN(tests)
