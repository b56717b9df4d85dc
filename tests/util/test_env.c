/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment and properties. A privileged process is one in which secure_getenv answers NULL;
 * the definition here takes libc's place in the rooms that are linked in, and plays one when told
 * to.
 */
#include "harness.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/env.h"
#include "util/log.h"
#include "util/properties.h"
#include "util/text.h"

static bool privileged;

char *
secure_getenv(const char *name)
{
	return privileged ? NULL : getenv(name);
}

static void
empty_is_unset(void **state)
{
	unsetenv("KRAFLA_TEST");
	assert_null(kr_env_get("KRAFLA_TEST"));
	setenv("KRAFLA_TEST", "", 1);
	assert_null(kr_env_get("KRAFLA_TEST"));
	setenv("KRAFLA_TEST", "x", 1);
	assert_string_equal(kr_env_get("KRAFLA_TEST"), "x");
}

/* */
static void
nothing_in_a_privileged_process(void **state)
{
	char value[64];

	setenv("KRAFLA_TEST", "1", 1);
	setenv("KRAFLA_PROP_ro_test_x", "from environment", 1);
	setenv("KRAFLA_PROPERTIES", kr_test_file("p", "ro.test.x=from file\n"), 1);
	assert_true(kr_property_get("ro.test.x", value, sizeof(value)));
	privileged = true;
	assert_null(kr_env_get("KRAFLA_TEST"));
	assert_false(kr_property_get("ro.test.x", value, sizeof(value)));
}

static void
properties_by_order(void **state)
{
	const char *first = kr_test_file("first", "ro.a=1\nro.b=\n");
	const char *second = kr_test_file("second", "ro.a=2\nro.c=3\n");
	char *list = kr_asprintf("/no/such/file::%s:%s", first, second), value[64];

	setenv("KRAFLA_PROPERTIES", list, 1);
	assert_true(kr_property_get("ro.a", value, sizeof(value)));
	assert_string_equal(value, "1");
	assert_true(kr_property_get("ro.b", value, sizeof(value)));
	assert_string_equal(value, "");
	assert_true(kr_property_get("ro.c", value, sizeof(value)));
	assert_string_equal(value, "3");
	assert_false(kr_property_get("ro.d", value, sizeof(value)));
	setenv("KRAFLA_PROP_ro_a", "env", 1);
	assert_true(kr_property_get("ro.a", value, sizeof(value)));
	assert_string_equal(value, "env");
	assert_true(kr_property_get("ro.a", value, 3));
	assert_string_equal(value, "en");
	unsetenv("KRAFLA_PROPERTIES");
	free(list);
}

static void
garbage_hides_nothing(void **state)
{
	char long_line[3000], value[64], *text;

	memset(long_line, 'x', sizeof(long_line) - 1);
	long_line[sizeof(long_line) - 1] = '\0';
	text = kr_asprintf("# comment\n\n  \nno equals sign\n=no name\n%s\n%s=1\n\xff\xfe\x01\n"
			   " ro.spaced = a value \r\nro.last=no newline",
		long_line, long_line);
	setenv("KRAFLA_PROPERTIES", kr_test_file("garbage", text), 1);
	free(text);
	assert_true(kr_property_get("ro.spaced", value, sizeof(value)));
	assert_string_equal(value, "a value");
	assert_true(kr_property_get("ro.last", value, sizeof(value)));
	assert_string_equal(value, "no newline");
	assert_false(kr_property_get("", value, sizeof(value)));
	setenv("KRAFLA_PROPERTIES", kr_test_dir(), 1);
	assert_false(kr_property_get("ro.last", value, sizeof(value)));
}

static void
keep_message(void *data, uint32_t bits, const char *message)
{
	assert_int_equal(bits, KR_LOG_WARN);
	snprintf(data, 256, "%s", message);
}

static void
files_that_were_asked_for_are_missed(void **state)
{
	char said[256] = "", value[64];

	kr_log_set_sink(keep_message, said);
	assert_false(kr_property_get("ro.a", value, sizeof(value)));
	assert_string_equal(said, ""); /* the system's file is not there */
	setenv("KRAFLA_PROPERTIES", "/no/such/file", 1);
	assert_false(kr_property_get("ro.a", value, sizeof(value)));
	assert_non_null(strstr(said, "/no/such/file can't be read: No such file"));
	setenv("KRAFLA_PROPERTIES", kr_test_dir(), 1);
	assert_false(kr_property_get("ro.a", value, sizeof(value)));
	assert_non_null(strstr(said, "can't be read: Is a directory"));
	kr_log_set_sink(NULL, NULL);
}

/* Each of these would be read for ever, or waited for. */
static void
files_without_an_end_are_left(void **state)
{
	char *fifo = kr_asprintf("%s/fifo", kr_test_dir()), *list;
	const char *good = kr_test_file("good", "ro.a=1\n");
	const char *sparse = kr_test_file("sparse", "no line\n");
	char said[256] = "", value[64];

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(truncate(sparse, (off_t)1 << 40), 0);
	list = kr_asprintf("/dev/zero:%s:%s:%s", fifo, sparse, good);
	setenv("KRAFLA_PROPERTIES", list, 1);
	kr_log_set_sink(keep_message, said);
	assert_true(kr_property_get("ro.a", value, sizeof(value)));
	assert_string_equal(value, "1");
	assert_non_null(strstr(said, "sparse is longer than"));
	setenv("KRAFLA_PROPERTIES", fifo, 1);
	assert_false(kr_property_get("ro.a", value, sizeof(value)));
	assert_non_null(strstr(said, "fifo is a device, FIFO or socket"));
	kr_log_set_sink(NULL, NULL);
	free(list);
	free(fifo);
}

/* setenv keeps what it was given. */
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(empty_is_unset, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(nothing_in_a_privileged_process, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(properties_by_order, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(garbage_hides_nothing, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(files_that_were_asked_for_are_missed, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(files_without_an_end_are_left, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
