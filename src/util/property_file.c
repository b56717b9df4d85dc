/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line is `name=value`; blank lines and lines that begin with # are skipped. Of anything else the
 * first line is reported whenever the file is read, and all are skipped: garbage must not hide the
 * lines around it.
 */
#include "util/property_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/file.h"
#include "util/log.h"

#define SYSTEM_FILE "/etc/krafla/properties"
#define LINE_SIZE   (KR_PROPERTY_VALUE_MAX + 256)
#define FILE_SIZE   (4 << 20) /* of a file no more is read */

static char *
trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

/*
 * Reads one line; what doesn't fit is consumed, and *whole false. *left is what may still be read.
 */
static bool
read_line(FILE *file, size_t *left, char *line, size_t size, bool *whole)
{
	size_t len = 0;
	int c = EOF;

	*whole = true;
	while (c != '\n' && *left && (c = fgetc(file)) != EOF) {
		--*left;
		if (c == '\n')
			continue;
		if (c == '\0' || len + 1 >= size)
			*whole = false;
		else
			line[len++] = (char)c;
	}
	line[len] = '\0';
	if (!*left && c != '\n')
		*whole = false;
	return c != EOF || len > 0;
}

static FILE *
open_file(const char *path, bool asked_for)
{
	FILE *file = NULL;
	int err = kr_file_open(path, &file);

	if (err == -ENODEV)
		kr_warn("property file %s is a device, FIFO or socket: it isn't read", path);
	else if (err && (asked_for || err != -ENOENT))
		kr_warn("property file %s can't be read: %s", path, strerror(-err));
	return file;
}

bool
kr_property_file_get(const char *path, bool asked_for, const char *name, char *value, size_t size)
{
	char line[LINE_SIZE];
	bool whole, warned = false, found = false;
	size_t number = 0, left = FILE_SIZE;
	FILE *file = open_file(path, asked_for);

	if (!file)
		return false;
	while (!found && read_line(file, &left, line, sizeof(line), &whole)) {
		char *text = trim(line), *equals = strchr(text, '=');

		number++;
		if (text[0] == '\0' || text[0] == '#')
			continue;
		if (!whole || !equals || equals == text) {
			if (!warned)
				kr_warn("%s:%zu: not a line `name=value`; skipped", path, number);
			warned = true;
			continue;
		}
		*equals = '\0';
		if (strcmp(trim(text), name))
			continue;
		snprintf(value, size, "%s", trim(equals + 1));
		found = true;
	}
	if (!left)
		kr_warn("property file %s is longer than %d bytes: the rest isn't read", path,
			FILE_SIZE);
	if (ferror(file)) /* a directory opens, but can't be read */
		kr_warn("property file %s can't be read: %s", path, strerror(errno));
	fclose(file);
	return found;
}

bool
kr_property_get_system(const char *name, char *value, size_t size)
{
	return kr_property_file_get(SYSTEM_FILE, false, name, value, size);
}
