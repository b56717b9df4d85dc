/* SPDX-License-Identifier: Apache-2.0 */
/* Reading files of profiles: see document.h. */
#include "tools/features/profile/document.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"

/* 19 digits and more: 2^63 has 19. */
#define LONG_NUMBER 19

/* The whole file and a NUL. */
static int
read_all(const char *path, char **text, size_t *size)
{
	FILE *file = NULL;
	int err = kr_file_open(path, &file);

	if (err < 0)
		return err;
	*text = malloc(KR_FLAGS_PROFILE_MAX + 2);
	errno = 0;
	*size = *text ? fread(*text, 1, KR_FLAGS_PROFILE_MAX + 1, file) : 0;
	if (!*text)
		err = -ENOMEM;
	else if (ferror(file))
		err = errno ? -errno : -EIO;
	else if (*size > KR_FLAGS_PROFILE_MAX)
		err = -EFBIG;
	(void)fclose(file);
	if (err < 0)
		free(*text);
	else
		(*text)[*size] = '\0';
	return err;
}

/* The length of a number that begins here and is whole, else of what is to be copied as it is. */
static size_t
token(const char *at, bool *whole)
{
	size_t length = 0;

	*whole = false;
	if (*at == '"') {
		for (length = 1; at[length] && at[length] != '"'; length++)
			length += at[length] == '\\' && at[length + 1] ? 1 : 0;
		return at[length] ? length + 1 : length;
	}
	if (!isdigit((unsigned char)*at))
		return 1;
	while (isdigit((unsigned char)at[length]))
		length++;
	*whole = !strchr(".eE", at[length]) || !at[length];
	while (at[length] && (isalnum((unsigned char)at[length]) || strchr(".+-", at[length])))
		length++;
	return length;
}

/* The same text with quotes about long whole numbers. */
static char *
quote_long_numbers(const char *text, size_t size, size_t *quoted_size)
{
	/* Two quotes for 19 digits at least. */
	char *out = malloc(size + size / LONG_NUMBER * 2 + 3);
	size_t used = 0;

	for (size_t at = 0; out && at < size;) {
		bool whole;
		size_t length = token(text + at, &whole);

		if (length > size - at)
			length = size - at;
		whole = whole && length >= LONG_NUMBER && (at == 0 || text[at - 1] != '-');
		if (whole)
			out[used++] = '"';
		memcpy(out + used, text + at, length);
		used += length;
		if (whole)
			out[used++] = '"';
		at += length;
	}
	*quoted_size = used;
	return out;
}

static int
parse(const char *path, const char *text, size_t size, json_t **root,
	char why[KR_FLAGS_PROFILE_WHY])
{
	size_t quoted_size;
	char *quoted = quote_long_numbers(text, size, &quoted_size);
	json_error_t error;

	if (!quoted) {
		snprintf(why, KR_FLAGS_PROFILE_WHY, "there is no memory for '%.256s'", path);
		return -ENOMEM;
	}
	*root = json_loadb(quoted, quoted_size, JSON_REJECT_DUPLICATES, &error);
	free(quoted);
	if (!*root) {
		snprintf(why, KR_FLAGS_PROFILE_WHY, "'%.256s' is no JSON, line %d: %s", path,
			error.line, error.text);
		return -EINVAL;
	}
	return 0;
}

int
kr_flags_document_read(
	const char *path, struct kr_flags_document *document, char why[KR_FLAGS_PROFILE_WHY])
{
	char *text;
	size_t size;
	int err = read_all(path, &text, &size);

	*document = (struct kr_flags_document){.path = path};
	if (err < 0) {
		snprintf(why, KR_FLAGS_PROFILE_WHY, "'%.256s' can't be read: %s", path,
			err == -ENODEV          ? "it is no regular file"
				: err == -EFBIG ? "a file of profiles has 8 MiB at most"
						: strerror(-err));
		return err;
	}
	err = parse(path, text, size, &document->root, why);
	free(text);
	if (err < 0)
		return err;
	document->profiles = json_object_get(document->root, "profiles");
	document->capabilities = json_object_get(document->root, "capabilities");
	if (!json_is_object(document->profiles) || !json_is_object(document->capabilities)) {
		snprintf(why, KR_FLAGS_PROFILE_WHY,
			"'%.256s' is no file of profiles: it has no object \"%s\"", path,
			json_is_object(document->profiles) ? "capabilities" : "profiles");
		return -EINVAL;
	}
	return 0;
}
