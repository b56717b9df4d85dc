/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a library says of itself: the same of its file and of the loaded library; of what is no
 * library nothing.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "delivery/image.h"
#include "delivery/mapping.h"
#include "delivery/process.h"
#include "harness.h"
#include "rig.h"
#include "util/text.h"

static int
add(void *data, const char *name)
{
	strcat(data, name);
	strcat(data, " ");
	return 0;
}

static int
add_wanted(void *data, const char *library, const char *version)
{
	add(data, library);
	return add(data, version);
}

static void
describe(const struct kr_image *image, char *text)
{
	const char *soname = kr_image_soname(image);

	text[0] = '\0';
	add(text, soname ? soname : "-");
	add(text, kr_image_has_versions(image) ? "defines" : "defines?");
	kr_image_for_each_defined(image, add, text);
	add(text, "needs");
	kr_image_for_each_needed(image, add, text);
	add(text, "wants");
	kr_image_for_each_wanted(image, add_wanted, text);
}

static void
says(const char *source, const char *expected)
{
	void *handle = dlopen(rig_source(source), RTLD_NOW | RTLD_LOCAL);
	struct kr_mapping mapping;
	struct kr_process_library own;
	struct kr_image image;
	char text[512], of_loaded[512];

	assert_int_equal(kr_mapping_open(rig_source(source), &mapping), 0);
	assert_int_equal(kr_image_from_bytes(mapping.bytes, mapping.size, &image), 0);
	describe(&image, text);
	/* What it needs besides is the compiler's choice. */
	assert_int_equal(strncmp(text, expected, strlen(expected)), 0);
	assert_non_null(handle);
	assert_true(kr_process_library_loaded(kr_image_soname(&image), &own));
	assert_true(own.readable);
	describe(&own.image, of_loaded);
	assert_string_equal(of_loaded, text);
	kr_process_library_close(&own);
	kr_mapping_close(&mapping);
	dlclose(handle);
}

static void
test_reads_versions(void **state)
{
	says("krd_base_v1.so", "libkrdbase.so.1 defines KRD_1.0 needs ");
	says("krd_base_v2.so", "libkrdbase.so.1 defines KRD_1.0 KRD_2.0 needs ");
	says("krd_base_plain.so", "libkrdbase.so.1 defines? needs ");
}

static void
test_reads_wants(void **state)
{
	void *base = dlopen(rig_source("krd_base_v1.so"), RTLD_NOW | RTLD_LOCAL);
	struct kr_mapping mapping;
	struct kr_image image;
	char text[512];

	assert_int_equal(kr_mapping_open(rig_source("krd_mid.so"), &mapping), 0);
	assert_int_equal(kr_image_from_bytes(mapping.bytes, mapping.size, &image), 0);
	describe(&image, text);
	assert_non_null(strstr(text, "libkrdmid.so.1 defines? needs libkrdbase.so.1 "));
	assert_non_null(strstr(text, "libkrdbase.so.1 KRD_1.0 "));
	kr_mapping_close(&mapping);
	dlclose(base);
}

/* A real one, with sixty versions. */
static void
test_reads_libc(void **state)
{
	struct kr_process_library loaded, file;
	static char of_loaded[8192], of_file[8192];

	assert_true(kr_process_library_loaded("libc.so.6", &loaded));
	assert_int_equal(rig_find("libc.so.6", &file), 0);
	describe(&loaded.image, of_loaded);
	describe(&file.image, of_file);
	assert_string_equal(of_loaded, of_file);
	assert_true(kr_image_defines(&loaded.image, "GLIBC_2.2.5") ||
		kr_image_defines(&loaded.image, "GLIBC_2.17"));
	assert_false(kr_image_defines(&loaded.image, "GLIBC_99"));
	assert_false(kr_image_defines(&loaded.image, "libc.so.6"));
	kr_process_library_close(&file);
	kr_process_library_close(&loaded);
}

/* Every length up to the whole: nothing is read behind the end (the sanitizer's redzone). */
static void
test_cut_short(void **state)
{
	struct kr_mapping mapping;
	char text[512];

	assert_int_equal(kr_mapping_open(rig_source("krd_mid.so"), &mapping), 0);
	for (size_t size = 0; size < mapping.size; size += size < 256 ? 1 : 61) {
		struct kr_image image;
		char *bytes = malloc(size ? size : 1);

		assert_non_null(bytes);
		memcpy(bytes, mapping.bytes, size);
		if (!kr_image_from_bytes(bytes, size, &image))
			describe(&image, text);
		free(bytes);
	}
	kr_mapping_close(&mapping);
}

static void
test_no_libraries(void **state)
{
	struct kr_mapping mapping;
	struct kr_image image;
	ElfW(Ehdr) header;

	assert_int_equal(kr_image_from_bytes("", 0, &image), -ENOEXEC);
	assert_int_equal(kr_mapping_open(rig_source("krd_mid.so"), &mapping), 0);
	memcpy(&header, mapping.bytes, sizeof(header));
	assert_int_equal(kr_image_from_bytes(&header, sizeof(header), &image), -ELIBBAD);
	header.e_phnum = 0;
	assert_int_equal(kr_image_from_bytes(&header, sizeof(header), &image), -ELIBBAD);
	header.e_machine++;
	assert_int_equal(kr_image_from_bytes(&header, sizeof(header), &image), -ELIBBAD);
	header.e_ident[0] = 0;
	assert_int_equal(kr_image_from_bytes(&header, sizeof(header), &image), -ENOEXEC);
	kr_mapping_close(&mapping);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(test_reads_versions, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_reads_wants, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_reads_libc, KR_TEST_KEEPS_MEMORY),
	KR_TEST(test_cut_short),
	KR_TEST(test_no_libraries),
};

KR_TEST_MAIN(tests)
