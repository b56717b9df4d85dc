/* SPDX-License-Identifier: Apache-2.0 */
/* What the built libraries need, export and import, read off the files themselves. */
#include <string.h>
#include <unistd.h>

#include "elf_symbols.h"
#include "gen/commands.h"
#include "harness.h"
#include "util/macros.h"

#define DEBIANS "/usr/lib/x86_64-linux-gnu/libvulkan.so.1"

/* The loader lands in every Vulkan process: it drags nothing along. */
static void
test_needs_libc_alone(void **state)
{
	static const char *const paths[] = {TEST_LIBVULKAN, TEST_LIBKRAFLA};

	for (size_t i = 0; i < KR_ARRAY_LEN(paths); i++) {
		struct library *library = library_open(paths[i]);

		assert_string_equal(library_needed(library, 0), "libc.so.6");
		assert_null(library_needed(library, 1));
		/* Of libkrafla's names some are for libkrafla-composer of its version alone. */
		assert_int_equal(library_defines_versions(library), i);
		library_close(library);
	}
}

static void
test_sonames(void **state)
{
	struct library *vulkan = library_open(TEST_LIBVULKAN);
	struct library *stub = library_open(TEST_STUB);
	struct library *krafla = library_open(TEST_LIBKRAFLA);

	assert_string_equal(library_soname(vulkan), "libvulkan.so.1");
	assert_string_equal(library_soname(stub), "libvulkan.so.1");
	assert_string_equal(library_soname(krafla), "libkrafla.so.0");
	assert_null(library_needed(stub, 0));
	library_close(vulkan);
	library_close(stub);
	library_close(krafla);
}

/*
 * libkrafla-composer exports what is public of it, and has fences and buffers of libkrafla, not of
 * its own: what it takes from there under names that aren't public is all that libkrafla exports
 * so.
 */
static void
test_composer_is_built_upon_libkrafla(void **state)
{
	static const char *const exported[] = {
		"krafla_composer_", "krafla_display_", "krafla_layer_", "krafla_picture_"};
	struct library *composer = library_open(TEST_LIBCOMPOSER);
	struct library *krafla = library_open(TEST_LIBKRAFLA);
	size_t taken = 0;

	assert_string_equal(library_soname(composer), "libkrafla-composer.so.0");
	assert_string_equal(library_needed(composer, 0), "libkrafla.so.0");
	for (size_t i = 0; i < library_symbol_count(composer); i++) {
		bool defined, is_public = false;
		const char *name = library_symbol(composer, i, &defined);

		for (size_t p = 0; name && p < KR_ARRAY_LEN(exported); p++)
			is_public |= !strncmp(name, exported[p], strlen(exported[p]));
		if (name && defined && !is_public && strncmp(name, "KRAFLA_", 7))
			fail_msg("libkrafla-composer exports %s", name);
		if (!name || defined || strncmp(name, "kr_", 3))
			continue;
		taken++;
		if (!library_exports(krafla, name))
			fail_msg("libkrafla lacks %s", name);
	}
	assert_true(library_imports(composer, "kr_fence_create"));
	assert_true(library_imports(composer, "kr_buffer_ref"));
	for (size_t i = 0; i < library_symbol_count(krafla); i++) {
		bool defined;
		const char *name = library_symbol(krafla, i, &defined);

		taken -= name && defined && !strncmp(name, "kr_", 3);
	}
	assert_int_equal(taken, 0);
	library_close(composer);
	library_close(krafla);
}

/* L-01: every command that the registry says, and no other name. */
static void
test_exports(void **state)
{
	struct library *vulkan = library_open(TEST_LIBVULKAN);

	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		if (kr_commands[i].exported && !library_exports(vulkan, kr_commands[i].name))
			fail_msg("%s isn't exported", kr_commands[i].name);
	}
	for (size_t i = 0; i < library_symbol_count(vulkan); i++) {
		bool defined;
		const char *name = library_symbol(vulkan, i, &defined);

		if (name && defined && strncmp(name, "vk", 2))
			fail_msg("%s is exported", name);
	}
	library_close(vulkan);
}

/* L-04. */
static void
test_stub_has_the_same_symbols(void **state)
{
	struct library *vulkan = library_open(TEST_LIBVULKAN);
	struct library *stub = library_open(TEST_STUB);
	size_t count = 0;

	for (size_t i = 0; i < library_symbol_count(vulkan); i++) {
		bool defined;
		const char *name = library_symbol(vulkan, i, &defined);

		if (name && defined) {
			count++;
			if (!library_exports(stub, name))
				fail_msg("the stub lacks %s", name);
		}
	}
	assert_true(count > 200);
	for (size_t i = 0; i < library_symbol_count(stub); i++) {
		bool defined;
		const char *name = library_symbol(stub, i, &defined);

		count -= name && defined;
	}
	assert_int_equal(count, 0);
	library_close(stub);
	library_close(vulkan);
}

/*
 * L-05: what vkEnumerateInstanceVersion says, programs find by name, whatever
 * registry this was built with.
 */
static void
test_all_of_1_4(void **state)
{
	static const char *const names[] = {"vkMapMemory2", "vkUnmapMemory2",
		"vkCmdBindIndexBuffer2", "vkCmdSetLineStipple", "vkCmdPushConstants2",
		"vkCmdPushDescriptorSet", "vkCmdPushDescriptorSet2",
		"vkCmdPushDescriptorSetWithTemplate", "vkCmdPushDescriptorSetWithTemplate2",
		"vkCmdBindDescriptorSets2", "vkCmdSetRenderingAttachmentLocations",
		"vkCmdSetRenderingInputAttachmentIndices", "vkGetRenderingAreaGranularity",
		"vkGetDeviceImageSubresourceLayout", "vkGetImageSubresourceLayout2",
		"vkCopyMemoryToImage", "vkCopyImageToMemory", "vkCopyImageToImage",
		"vkTransitionImageLayout"};
	struct library *vulkan = library_open(TEST_LIBVULKAN);
	struct library *stub = library_open(TEST_STUB);

	assert_int_equal(KR_ARRAY_LEN(names), 19);
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		if (!library_exports(vulkan, names[i]) || !library_exports(stub, names[i]))
			fail_msg("%s is missing", names[i]);
	}
	library_close(stub);
	library_close(vulkan);
}

/* L-01: a drop-in replacement has every name that programs were linked with. */
static void
test_superset_of_debians(void **state)
{
	struct library *vulkan, *debians;

	if (access(DEBIANS, R_OK))
		return;
	vulkan = library_open(TEST_LIBVULKAN);
	debians = library_open(DEBIANS);
	for (size_t i = 0; i < library_symbol_count(debians); i++) {
		bool defined;
		const char *name = library_symbol(debians, i, &defined);

		if (name && defined && !library_exports(vulkan, name))
			fail_msg("%s is missing", name);
	}
	library_close(debians);
	library_close(vulkan);
}

/*
 * K-48, T-01, Q-02: whoever tests a loader interposes these calls, as the Khronos loader's tests
 * do; one that finds files in another way can't be tested, and sees what it should not. readlink
 * is for /proc/self/exe; the environment as a whole is what a probe hands to its child. statx is
 * asked of descriptors that others send: the one call that doesn't wait for the server of a file
 * system (FUSE), who may be the sender. Of a path it only tells what nobody may open, a FIFO or
 * device (util/file.h); a path that it doesn't find is opened all the same. fstatat stands in for
 * it where it is denied. __cxa_atexit is atexit, of the adapter's thread alone: frames in flight
 * land before the drivers, which were opened earlier, end what they have.
 */
static void
test_plain_calls(void **state)
{
	static const char *const plain[] = {
		"fopen", "opendir", "readdir", "closedir", "access", "dlopen", "secure_getenv"};
	static const char *const others[] = {"fopen64", "freopen", "freopen64", "readdir64",
		"readdir_r", "readdir64_r", "fdopendir", "open", "open64", "openat", "openat64",
		"creat", "__open_2", "__open64_2", "__openat_2", "stat", "stat64", "lstat",
		"lstat64", "fstatat64", "__xstat", "__xstat64", "__lxstat", "faccessat",
		"euidaccess", "eaccess", "readlinkat", "realpath", "__realpath_chk",
		"canonicalize_file_name", "scandir", "scandir64", "glob", "glob64", "ftw", "nftw",
		"getenv", "__secure_getenv", "setenv", "putenv", "unsetenv", "getauxval", "dlmopen",
		"syscall", "fork", "vfork", "popen", "system", "puts", "putchar", "printf",
		"__printf_chk", "vprintf", "fwrite", "write", "dprintf", "perror", "exit", "_exit",
		"signal", "sigaction", "setlocale", "chdir", "umask", "__tls_get_addr"};
	struct library *vulkan = library_open(TEST_LIBVULKAN);

	for (size_t i = 0; i < KR_ARRAY_LEN(plain); i++) {
		if (!library_imports(vulkan, plain[i]))
			fail_msg("%s isn't used", plain[i]);
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(others); i++) {
		if (library_imports(vulkan, others[i]))
			fail_msg("%s is used", others[i]);
	}
	library_close(vulkan);
}

/* What programs of the platform's own C interface find. */
static void
test_exports_of_libkrafla(void **state)
{
	static const char *const names[] = {"sync_wait", "sync_merge", "sync_file_info",
		"sync_file_info_free", "native_handle_create", "native_handle_init",
		"AHardwareBuffer_allocate", "AHardwareBuffer_lock",
		"AHardwareBuffer_allocateWithOptions", "AHardwareBuffer_setDataSpace",
		"AHardwareBuffer_writeToParcel", "krafla_parcel_from_socket",
		"krafla_hardware_buffer_lock_layers", "ANativeWindow_acquire",
		"ANativeWindowBuffer_getHardwareBuffer", "krafla_window_open",
		"krafla_timeline_create", "krafla_timeline_signal", "sw_sync_timeline_create",
		"sw_sync_timeline_inc", "sw_sync_fence_create"};
	struct library *krafla = library_open(TEST_LIBKRAFLA);

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		if (!library_exports(krafla, names[i]))
			fail_msg("%s isn't exported", names[i]);
	}
	for (size_t i = 0; i < library_symbol_count(krafla); i++) {
		bool defined;
		const char *name = library_symbol(krafla, i, &defined);

		/* kr_: see above. */
		if (name && defined && !strncmp(name, "vk", 2))
			fail_msg("%s is exported", name);
	}
	library_close(krafla);
}

/* A HAL module is found by HMI; what its rooms export, as krafla_*, is for programs alone. */
static void
test_exports_of_modules(void **state)
{
	static const char *const modules[] = {TEST_NULL_MODULE, TEST_ADAPTER_MODULE};

	for (size_t i = 0; i < KR_ARRAY_LEN(modules); i++) {
		struct library *module = library_open(modules[i]);

		assert_true(library_exports(module, "HMI"));
		for (size_t j = 0; j < library_symbol_count(module); j++) {
			bool defined;
			const char *name = library_symbol(module, j, &defined);

			if (name && defined &&
				(!strncmp(name, "krafla_", 7) ||
					(!strncmp(name, "kr_", 3) && strncmp(name, "kr_null_", 8))))
				fail_msg("%s: %s is exported", modules[i], name);
		}
		library_close(module);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(test_needs_libc_alone),
	KR_TEST(test_sonames),
	KR_TEST(test_composer_is_built_upon_libkrafla),
	KR_TEST(test_exports),
	KR_TEST(test_stub_has_the_same_symbols),
	KR_TEST(test_all_of_1_4),
	KR_TEST(test_superset_of_debians),
	KR_TEST(test_plain_calls),
	KR_TEST(test_exports_of_libkrafla),
	KR_TEST(test_exports_of_modules),
};

KR_TEST_MAIN(tests)
