/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: who hears what. */
#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/log.h"

static char heard[2048];
static uint32_t heard_bits;
static int heard_count;

static void
listen(void *data, uint32_t bits, const char *message)
{
	assert_ptr_equal(data, heard);
	heard_bits = bits;
	heard_count++;
	snprintf(heard, sizeof(heard), "%s", message);
}

/* What `say` writes to stderr, in a buffer that the next call reuses. */
static const char *
stderr_of(void (*say)(void))
{
	static char text[4096];
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t size;

	dup2(fileno(file), STDERR_FILENO);
	say();
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	fclose(file);
	return text;
}

static void
say_each(void)
{
	kr_error("e%d", 1);
	kr_warn("w");
	kr_info("i");
	kr_debug("d");
	kr_log(KR_LOG_DEBUG | KR_LOG_DRIVER, "driver");
	kr_log(KR_LOG_WARN | KR_LOG_LAYER, "layer");
}

static void
says_what_is_asked_for(void **state)
{
	setenv("VK_LOADER_DEBUG", "error,layer", 1);
	assert_string_equal(
		stderr_of(say_each), "[Krafla] ERROR: e1\n[Krafla] WARNING | LAYER: layer\n");
	assert_true(kr_log_enabled(KR_LOG_ERROR));
	assert_false(kr_log_enabled(KR_LOG_DEBUG));
}

static void
icd_means_driver_and_prefixes_match(void **state)
{
	setenv("VK_LOADER_DEBUG", "icd,bogus,warnings", 1);
	assert_string_equal(stderr_of(say_each),
		"[Krafla] WARNING: w\n[Krafla] DEBUG | DRIVER: driver\n"
		"[Krafla] WARNING | LAYER: layer\n");
}

static void
is_silent_by_default(void **state)
{
	unsetenv("VK_LOADER_DEBUG");
	assert_string_equal(stderr_of(say_each), "");
	assert_false(kr_log_enabled(KR_LOG_ALL));
}

static void
a_sink_hears_everything(void **state)
{
	kr_log_set_mask(0);
	kr_log_set_sink(listen, heard);
	assert_true(kr_log_enabled(KR_LOG_DEBUG));
	kr_log(KR_LOG_DEBUG | KR_LOG_DRIVER, "%s %d", "number", 7);
	assert_string_equal(heard, "number 7");
	assert_int_equal(heard_bits, KR_LOG_DEBUG | KR_LOG_DRIVER);
	kr_log_set_sink(NULL, NULL);
	kr_error("nobody listens");
	assert_int_equal(heard_count, 1);
}

static void
long_messages_are_cut(void **state)
{
	char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	kr_log_set_sink(listen, heard);
	kr_warn("%s", text);
	kr_log_set_sink(NULL, NULL);
	assert_int_equal(strlen(heard), 1023);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(says_what_is_asked_for, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(icd_means_driver_and_prefixes_match, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(is_silent_by_default, KR_TEST_KEEPS_MEMORY),
	KR_TEST(a_sink_hears_everything),
	KR_TEST(long_messages_are_cut),
};

KR_TEST_MAIN(tests)
