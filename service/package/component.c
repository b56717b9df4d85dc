/* SPDX-License-Identifier: Apache-2.0 */
/* component.json: see component.h. */
#include "service/package/component.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "util/file.h"
#include "util/text.h"

#define LONGEST ((size_t)65536)

static int
refuse(char **why, const char *fmt, const char *what)
{
	*why = kr_asprintf(fmt, what);
	return *why ? -EINVAL : -ENOMEM;
}

static int
check_keys(const json_t *program, char **why)
{
	static const char *const known[] = {"runner", "directory", "subdir"};
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)program, key, value)
	{
		size_t i = 0;

		while (i < KR_ARRAY_LEN(known) && strcmp(key, known[i]) != 0)
			i++;
		if (i == KR_ARRAY_LEN(known))
			return refuse(why,
				"\"program.%s\" isn't known: there are runner, directory, subdir",
				key);
		if (!json_is_string(value))
			return refuse(why, "\"program.%s\" must be a string", key);
	}
	return 0;
}

static int
take(const json_t *root, struct kr_component *component, char **why)
{
	const json_t *program = json_object_get(root, "program");
	const char *runner = json_string_value(json_object_get(program, "runner"));
	const char *directory = json_string_value(json_object_get(program, "directory"));
	const char *subdir = json_string_value(json_object_get(program, "subdir"));
	int ret;

	if (!json_is_object(program))
		return refuse(why, "\"%s\" must be an object", "program");
	ret = check_keys(program, why);
	if (ret)
		return ret;
	if (!runner || !directory)
		return refuse(why, "\"program.%s\" is missing", runner ? "directory" : "runner");
	if (strcmp(runner, KR_COMPONENT_RUNNER) != 0)
		return refuse(why,
			"\"program.runner\" is %s: there is no other runner than icd_runner",
			runner);
	if (*directory != '/')
		return refuse(
			why, "\"program.directory\", %s, must be an absolute path", directory);
	component->directory = strdup(directory);
	component->subdir = strdup(subdir ? subdir : KR_COMPONENT_SUBDIR);
	return component->directory && component->subdir ? 0 : -ENOMEM;
}

int
kr_component_parse(const char *text, size_t size, struct kr_component *component, char **why)
{
	json_error_t error;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	int ret;

	*component = (struct kr_component){0};
	*why = NULL;
	if (!root) {
		*why = kr_asprintf("line %d, column %d: %s", error.line, error.column, error.text);
		return *why ? -EINVAL : -ENOMEM;
	}
	ret = take(root, component, why);
	json_decref(root);
	if (ret)
		kr_component_finish(component);
	return ret;
}

char *
kr_component_text(const struct kr_component *component)
{
	json_t *root = json_pack("{s:{s:s, s:s, s:s}}", "program", "runner", KR_COMPONENT_RUNNER,
		"directory", component->directory, "subdir", component->subdir);
	char *text = root ? json_dumps(root, JSON_INDENT(2)) : NULL,
	     *line = text ? kr_asprintf("%s\n", text) : NULL;

	json_decref(root);
	free(text);
	return line;
}

static char *
directory_of(FILE *file)
{
	char *text = malloc(LONGEST), *why = NULL, *directory = NULL;
	const size_t size = text ? fread(text, 1, LONGEST, file) : 0;
	struct kr_component component;

	if (size && size < LONGEST && !kr_component_parse(text, size, &component, &why)) {
		directory = component.directory;
		component.directory = NULL;
		kr_component_finish(&component);
	}
	free(why);
	free(text);
	return directory;
}

char *
kr_component_directory(const char *package)
{
	char *path = kr_asprintf("%s/" KR_COMPONENT_FILE, package), *directory = NULL;
	FILE *file;

	/* Only a regular file is opened (kr_file_open). */
	if (path && !kr_file_open(path, &file)) {
		directory = directory_of(file);
		fclose(file);
	}
	free(path);
	return directory;
}

void
kr_component_finish(struct kr_component *component)
{
	free(component->directory);
	free(component->subdir);
	*component = (struct kr_component){0};
}
