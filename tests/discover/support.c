/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of discovery share. */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/log.h"
#include "util/text.h"

struct pair {
	const char *name;
	const char *value;
};

static struct pair properties[8];
/* Without these the machine's own drivers would be found. */
static struct pair variables[8] = {{"XDG_CONFIG_DIRS", "/no/such"}, {"XDG_DATA_DIRS", "/no/such"}};
static size_t property_count, variable_count = 2;
static char *texts[64];
static size_t text_count;
char heard[16384];

void
set_property(const char *name, const char *value)
{
	properties[property_count++] = (struct pair){name, value};
}

void
set_variable(const char *name, const char *value)
{
	variables[variable_count++] = (struct pair){name, value};
}

static bool
get_property(const char *name, char *value, size_t size)
{
	for (size_t i = 0; i < property_count; i++) {
		if (!strcmp(properties[i].name, name)) {
			snprintf(value, size, "%s", properties[i].value);
			return true;
		}
	}
	return false;
}

static const char *
get_variable(const char *name)
{
	for (size_t i = 0; i < variable_count; i++) {
		if (!strcmp(variables[i].name, name))
			return variables[i].value;
	}
	return NULL;
}

static const char *const no_dirs[] = {NULL};

struct kr_discover_options options = {
	.sources = KR_DISCOVER_ALL,
	.hal_dirs = no_dirs,
	.property_get = get_property,
	.search = {.env_get = get_variable, .sysconfdir = "/no/such"},
};

static const char *
keep(char *take_text)
{
	assert_non_null(take_text);
	assert_true(text_count < KR_ARRAY_LEN(texts));
	return texts[text_count++] = take_text;
}

void
free_support(void)
{
	while (text_count)
		free(texts[--text_count]);
}

const char *
built(const char *name)
{
	return keep(kr_asprintf("%s/%s", TEST_BUILD_DIR, name));
}

void
put_link(const char *dir, const char *name, const char *target)
{
	const char *path = kr_test_path(dir);

	mkdir(path, 0700);
	assert_int_equal(symlink(target, keep(kr_asprintf("%s/%s", path, name))), 0);
}

void
put_text(const char *dir, const char *name, const char *text)
{
	const char *path = kr_test_path(dir);

	mkdir(path, 0700);
	kr_test_file(keep(kr_asprintf("%s/%s", dir, name)), text);
}

const char *
put_manifest(const char *name, const char *library_path, const char *api_version)
{
	return kr_test_file(name,
		keep(kr_asprintf("{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":"
				 "\"%s\",\"api_version\":\"%s\"}}",
			library_path, api_version)));
}

static void
listen(void *data, uint32_t bits, const char *message)
{
	size_t len = strlen(heard);

	snprintf(heard + len, sizeof(heard) - len, "%s%s\n", bits & KR_LOG_ERROR ? "ERROR " : "",
		message);
}

void
discover(struct kr_driver_list *list)
{
	heard[0] = '\0';
	kr_log_set_sink(listen, NULL);
	assert_int_equal(kr_discover_drivers(&options, list), 0);
	kr_log_set_sink(NULL, NULL);
}

void
end_discovery(struct kr_driver_list *list)
{
	kr_driver_list_finish(list);
	kr_discover_end();
}

size_t
count_drivers(const struct kr_driver_list *list)
{
	const struct kr_driver *driver;
	size_t count = 0;

	kr_list_for_each (driver, &list->drivers, link)
		count++;
	return count;
}

struct kr_driver *
driver_at(const struct kr_driver_list *list, size_t index)
{
	struct kr_driver *driver;

	kr_list_for_each (driver, &list->drivers, link) {
		if (index-- == 0)
			return driver;
	}
	fail_msg("there are fewer drivers");
	return NULL;
}

struct kr_driver_candidate *
candidate_at(const struct kr_driver_list *list, size_t index)
{
	struct kr_driver_candidate *candidate;

	kr_list_for_each (candidate, &list->candidates, link) {
		if (index-- == 0)
			return candidate;
	}
	fail_msg("there are fewer candidates");
	return NULL;
}
