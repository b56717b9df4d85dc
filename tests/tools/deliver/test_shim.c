/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-delivered.so: what a loader sees of an inherited driver, and what is said
 * when there is none.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "util/vulkan.h"
#include <vulkan/vk_icd.h>

#define INDEX                                                                                      \
	"{\"version\": 1, \"name\": \"0-fake.so\", \"driver\": \"fake.so\", "                      \
	"\"files\": [{\"path\": \"fake.so\", \"role\": \"driver\", \"soname\": \"fake.so\"}], "    \
	"\"needs\": [{\"library\": \"libc.so.6\", \"versions\": [\"%s\"]}]}"

#define FIRST 500

struct shim {
	PFN_vkNegotiateLoaderICDInterfaceVersion negotiate;
	PFN_vkGetInstanceProcAddr instance;
	PFN_vkGetInstanceProcAddr physical;
	const char *messages; /* a file: what went to stderr until that is given back */
	int stderr_fd;
};

/* A sealed object at that number. */
static void
put_memory(int number, const void *bytes, size_t size)
{
	int fd = memfd_create("test", MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(
		fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE),
		0);
	assert_int_equal(dup2(fd, number), number);
	close(fd);
}

static void
put_file(int number, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat status;
	void *bytes;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(bytes, MAP_FAILED);
	put_memory(number, bytes, (size_t)status.st_size);
	munmap(bytes, (size_t)status.st_size);
	close(fd);
}

/* A package of that driver from FIRST on. */
static void
put_driver(const char *path, const char *version)
{
	char index[512];

	snprintf(index, sizeof(index), INDEX, version);
	put_memory(FIRST, index, strlen(index));
	put_file(FIRST + 1, path);
}

static void
open_shim(struct shim *shim, const char *delivered)
{
	void *library;
	int file;

	if (delivered)
		setenv("KRAFLA_DELIVERED", delivered, 1);
	else
		unsetenv("KRAFLA_DELIVERED");
	unsetenv("VK_LOADER_DEBUG");
	shim->messages = kr_test_file("messages", "");
	file = open(shim->messages, O_WRONLY | O_CLOEXEC);
	assert_true(file >= 0);
	library = dlopen(TEST_SHIM, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	*(void **)&shim->negotiate = dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
	*(void **)&shim->instance = dlsym(library, "vk_icdGetInstanceProcAddr");
	*(void **)&shim->physical = dlsym(library, "vk_icdGetPhysicalDeviceProcAddr");
	shim->stderr_fd = dup(STDERR_FILENO);
	assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);
	close(file);
}

/* Failures of the test belong to whoever runs it. */
static void
give_stderr_back(const struct shim *shim)
{
	assert_int_equal(dup2(shim->stderr_fd, STDERR_FILENO), STDERR_FILENO);
}

static void
expect_message(const struct shim *shim, const char *part)
{
	char text[4096] = "";
	FILE *file = fopen(shim->messages, "re");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	if (!*part)
		assert_string_equal(text, "");
	else if (!strstr(text, part) || strchr(text, '\n') != strrchr(text, '\n'))
		fail_msg("'%s' isn't what is said, once: %s", part, text);
}

struct answers {
	VkResult result;
	uint32_t version;
	PFN_vkVoidFunction instance, physical;
};

static const char name[] = "vkCreateInstance";

/* Everything that a loader asks, twice. */
static void
ask(const struct shim *shim, struct answers *answers)
{
	for (int i = 0; i < 2; i++) {
		answers->version = 5;
		answers->instance = shim->instance(NULL, name);
		answers->physical = shim->physical(NULL, name);
		answers->result = shim->negotiate(&answers->version);
	}
	give_stderr_back(shim);
}

/* No driver, said once, however often it is asked for. */
static void
expect_none(const char *delivered, const char *part)
{
	struct answers answers;
	struct shim shim;

	open_shim(&shim, delivered);
	ask(&shim, &answers);
	assert_int_equal(answers.result, VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_null(answers.instance);
	assert_null(answers.physical);
	expect_message(&shim, part);
}

static void
inherited_driver_answers(void **state)
{
	struct answers answers;
	struct shim shim;

	put_driver(TEST_DRIVER, "GLIBC_2.2.5");
	open_shim(&shim, "memory:500,501");
	ask(&shim, &answers);
	expect_message(&shim, "");
	assert_int_equal(answers.result, VK_SUCCESS);
	assert_int_equal(answers.version, 4);
	assert_ptr_equal(answers.instance, name);
	assert_ptr_equal(answers.physical, name + 1);
}

static void
old_driver_answers(void **state)
{
	struct answers answers;
	struct shim shim;

	put_driver(TEST_OLD_DRIVER, "GLIBC_2.2.5");
	open_shim(&shim, "memory:500,501");
	ask(&shim, &answers);
	expect_message(&shim, "");
	assert_int_equal(answers.result, VK_SUCCESS);
	assert_int_equal(answers.version, 1);
	assert_ptr_equal(answers.instance, name);
	assert_null(answers.physical);
}

/* The process's own children shall be able to use them too. */
static void
numbers_stay_open(void **state)
{
	struct answers answers;
	struct shim shim;

	put_driver(TEST_DRIVER, "GLIBC_2.2.5");
	open_shim(&shim, "memory:500,501");
	ask(&shim, &answers);
	assert_int_equal(answers.result, VK_SUCCESS);
	assert_int_equal(fcntl(FIRST, F_GETFD), 0);
	assert_int_equal(fcntl(FIRST + 1, F_GETFD), 0);
}

/* What the driver needs of libc and this process doesn't have is named, and nothing is loaded. */
static void
skew_is_named(void **state)
{
	put_driver(TEST_DRIVER, "GLIBC_9.99");
	expect_none("memory:500,501", "GLIBC_9.99");
}

static void
without_variable(void **state)
{
	expect_none(NULL, "KRAFLA_DELIVERED isn't set");
}

static void
closed_descriptor(void **state)
{
	put_driver(TEST_DRIVER, "GLIBC_2.2.5");
	close(FIRST + 1);
	expect_none("memory:500,501", "descriptor 501");
}

/* A directory that can be written to, or that isn't a mount of its own, is no delivered driver. */
static void
plain_directory(void **state)
{
	int fd = open(kr_test_dir(), O_RDONLY | O_DIRECTORY);

	assert_int_equal(dup2(fd, FIRST), FIRST);
	close(fd);
	expect_none("mount:500", "can't be used");
}

static void
odd_words(void **state)
{
	expect_none("500", "'500'");
}

static void
odd_list(void **state)
{
	put_driver(TEST_DRIVER, "GLIBC_2.2.5");
	expect_none("memory:500, 501", "no list of descriptors");
}

#define BITS (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(inherited_driver_answers, BITS),
	KR_TEST_FLAGS(old_driver_answers, BITS),
	KR_TEST_FLAGS(numbers_stay_open, BITS),
	KR_TEST_FLAGS(skew_is_named, BITS),
	KR_TEST_FLAGS(without_variable, BITS),
	KR_TEST_FLAGS(closed_descriptor, BITS),
	KR_TEST_FLAGS(plain_directory, BITS),
	KR_TEST_FLAGS(odd_words, BITS),
	KR_TEST_FLAGS(odd_list, BITS),
};

KR_TEST_MAIN(tests)
