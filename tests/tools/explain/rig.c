/* SPDX-License-Identifier: Apache-2.0 */
/* A made-up system for `krafla explain`: see rig.h. */
#include "rig.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What lets root read and search everything. */
#define ALL_RIGHTS "-dac_override,-dac_read_search"

char output[65536];
json_t *all;

/* Writes a file with the directories that it needs; @ in the text is kr_test_dir. */
void
put(const char *name, const char *text)
{
	char expanded[4096] = "";
	const char *at;

	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		char folder[300];

		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - name), name);
		mkdir(kr_test_path(folder), 0755);
	}
	while ((at = strchr(text, '@'))) {
		size_t len = strlen(expanded);

		snprintf(expanded + len, sizeof(expanded) - len, "%.*s%s", (int)(at - text), text,
			kr_test_dir());
		text = at + 1;
	}
	strncat(expanded, text, sizeof(expanded) - strlen(expanded) - 1);
	kr_test_file(name, expanded);
}

void
copy(const char *from, const char *name)
{
	char command[1024];

	snprintf(command, sizeof(command), "cp %s %s", from, kr_test_path(name));
	assert_int_equal(system(command), 0);
}

void
make_system(void)
{
	put("root/dev/null", "");
	put("root/sys/devices", "");
	assert_int_equal(chmod(kr_test_dir(), 0755), 0);
}

void
put_driver(const char *name, const char *library)
{
	char path[200], text[600];

	snprintf(path, sizeof(path), "data/vulkan/icd.d/%s", name);
	snprintf(text, sizeof(text),
		"{\"file_format_version\":\"1.0.0\",\"ICD\":{\"library_path\":\"%s\","
		"\"api_version\":\"1.1.0\"}}",
		library);
	put(path, text);
}

/* `rest` are members of the layer object beside the usual ones. */
void
put_layer(const char *folder, const char *name, const char *library, const char *rest)
{
	char path[200], text[1000];

	snprintf(path, sizeof(path), "data/vulkan/%s/%s.json", folder, name);
	snprintf(text, sizeof(text),
		"{\"file_format_version\":\"1.1.2\",\"layer\":{\"name\":\"VK_LAYER_%s\",\"type\":"
		"\"GLOBAL\",\"library_path\":\"%s\",\"api_version\":\"1.1.0\","
		"\"implementation_version\":\"1\",\"description\":\"a test\"%s}}",
		name, library, rest);
	put(path, text);
}

/*
 * Runs `krafla explain` with these variables ("A=b C=d") and options of the shell's; the exit code.
 */
int
run(const char *before, const char *variables, const char *options)
{
	char command[4096];

	snprintf(command, sizeof(command),
		"%s env -i PATH=\"$PATH\" HOME=/no/such XDG_CONFIG_DIRS=/no/such XDG_DATA_DIRS=%s "
		"%s "
		"%s explain --devices %s %s",
		before, kr_test_path("data"), variables, KRAFLA, kr_test_path("root"), options);
	return kr_test_shell(command, output, sizeof(output));
}

static void
explain_as(const char *before, const char *variables)
{
	assert_int_equal(run(before, variables, "--json 2>/dev/null"), 0);
	all = json_loads(output, 0, NULL);
	if (!all)
		fail_msg("this is no JSON:\n%s", output);
}

void
explain(const char *variables)
{
	explain_as("", variables);
}

/*
 * The same user, who may be root and reaches the program wherever it lies, but bound
 * by modes of files.
 */
void
explain_without_rights(void)
{
	explain_as(geteuid() ? "" : "setpriv --bounding-set=" ALL_RIGHTS, "");
}

/* The sentence with the directory's name as @. */
static const char *
shorten(const char *sentence)
{
	static char text[4096];
	const char *dir = kr_test_dir(), *at;

	text[0] = '\0';
	for (; (at = strstr(sentence, dir)); sentence = at + strlen(dir)) {
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, "%.*s@", (int)(at - sentence), sentence);
	}
	strncat(text, sentence, sizeof(text) - strlen(text) - 1);
	return text;
}

const json_t *
find(const char *list, const char *file)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(all, list), i, entry)
	{
		const char *path = json_string_value(json_object_get(entry, "path"));
		const char *slash = path ? strrchr(path, '/') : NULL;

		if (slash && !strcmp(slash + 1, file))
			return entry;
	}
	fail_msg("nothing is said of %s:\n%s", file, output);
	return NULL;
}

void
expect_text(const json_t *entry, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(entry, key));

	if (!value || !text)
		assert_true(!value && !text);
	else
		assert_string_equal(shorten(value), text);
}

static void
expect(const char *list, const char *file, const char *verdict, const char *reason,
	const char *advice)
{
	const json_t *entry = find(list, file);
	bool used = !strcmp(verdict, "used");

	expect_text(entry, "verdict", verdict);
	expect_text(entry, "reason", reason);
	expect_text(entry, "advice", advice);
	assert_int_equal(json_is_true(json_object_get(entry, "used")), used);
}

void
expect_driver(const char *file, const char *verdict, const char *reason, const char *advice)
{
	expect("drivers", file, verdict, reason, advice);
	json_decref(all);
}

void
expect_layer(const char *file, const char *verdict, const char *reason, const char *advice)
{
	expect("layers", file, verdict, reason, advice);
	json_decref(all);
}
