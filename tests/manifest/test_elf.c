/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files by their first bytes: real ones, and heads made for the purpose. */
#include "harness.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "manifest/elf_file.h"
#include "util/text.h"

/* A file with the first 20 bytes of an ELF header, or less. */
static char *
write_head(uint8_t word_class, uint8_t order, uint16_t type, uint16_t machine, size_t size)
{
	unsigned char head[20] = {0x7f, 'E', 'L', 'F', word_class, order, EV_CURRENT};
	char *path = kr_asprintf("%s/head.so", kr_test_dir());
	bool big = order == ELFDATA2MSB;
	FILE *file = fopen(path, "we");

	head[16 + big] = (uint8_t)type;
	head[17 - big] = (uint8_t)(type >> 8);
	head[18 + big] = (uint8_t)machine;
	head[19 - big] = (uint8_t)(machine >> 8);
	assert_int_equal(fwrite(head, 1, size, file), size);
	fclose(file);
	return path;
}

static void
expect(char *take_path, int code, const char *cause)
{
	char *reason = NULL;

	assert_int_equal(kr_elf_check(take_path, &reason), code);
	if (cause)
		assert_non_null(strstr(reason, cause));
	else
		assert_null(reason);
	free(reason);
	free(take_path);
}

static void
reads_heads(void **state)
{
	char *path = write_head(ELFCLASS32, ELFDATA2MSB, ET_DYN, EM_PPC, 20);
	struct kr_elf elf;

	assert_int_equal(kr_elf_read(path, &elf), 0);
	assert_int_equal(elf.word_size, 32);
	assert_int_equal(elf.big_endian, 1);
	assert_int_equal(elf.type, ET_DYN);
	assert_int_equal(elf.machine, EM_PPC);
	free(path);
}

static void
takes_a_real_library(void **state)
{
	char *reason = NULL;

	assert_int_equal(kr_elf_check(TEST_LIBRARY, &reason), 0);
	assert_null(reason);
}

/*
 * The process's own machine is not asked of the test's compiler but of a library that is known
 * good.
 */
static void
refuses_others(void **state)
{
	struct kr_elf own;
	uint8_t order, word_class, other_class;
	uint16_t other;

	assert_int_equal(kr_elf_read(TEST_LIBRARY, &own), 0);
	order = own.big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	word_class = own.word_size == 64 ? ELFCLASS64 : ELFCLASS32;
	other_class = own.word_size == 64 ? ELFCLASS32 : ELFCLASS64;
	other = own.machine == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
	expect(write_head(word_class, order, ET_DYN, own.machine, 20), 0, NULL);
	expect(write_head(other_class, order, ET_DYN, EM_386, 20), -ELIBBAD,
		"-bit library and this");
	expect(write_head(word_class, order, ET_DYN, other, 20), -ELIBBAD, "it is made for ");
	expect(write_head(word_class, order, ET_EXEC, own.machine, 20), -ELIBBAD,
		"no shared library");
	expect(write_head(word_class, order, ET_DYN, own.machine, 19), -ENOEXEC, "not an ELF file");
	expect(write_head(3, order, ET_DYN, own.machine, 20), -ENOEXEC, "not an ELF file");
	expect(write_head(word_class, 0, ET_DYN, own.machine, 20), -ENOEXEC, "not an ELF file");
}

static void
refuses_what_is_no_library(void **state)
{
	expect(strdup(kr_test_file("empty.so", "")), -ENOEXEC, "not an ELF file");
	expect(strdup(kr_test_file("text.so", "INPUT(libx.so) /* a linker script */\n")), -ENOEXEC,
		"not an ELF file");
	expect(strdup("/no/such.so"), -ENOENT, "No such file");
	expect(strdup(kr_test_dir()), -EISDIR, "directory");
}

static const struct kr_test tests[] = {
	KR_TEST(reads_heads),
	KR_TEST(takes_a_real_library),
	KR_TEST(refuses_others),
	KR_TEST(refuses_what_is_no_library),
};

KR_TEST_MAIN(tests)
