/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader of just as much XML as permission files have: see permission_file.h. Tags must nest;
 * text between them means nothing.
 */
#include "features/permission_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"

struct name {
	const char *at;
	size_t length;
};

struct reader {
	const char *at, *end, *begin;
	struct name open[KR_FEATURE_FILE_DEEP]; /* tags that have begun */
	unsigned depth;
	bool root_seen;
	kr_feature_permission_fn tell;
	void *data;
	char *why;
};

static int
refuse(const struct reader *reader, const char *what)
{
	unsigned line = 1;

	for (const char *at = reader->begin; at < reader->at; at++)
		line += *at == '\n';
	snprintf(reader->why, KR_FEATURE_FILE_WHY, "line %u: %s", line, what);
	return -EINVAL;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '_' || c == '-' || c == '.' || c == ':' || (c & 0x80);
}

static bool
is(const struct name *name, const char *text)
{
	return name->length == strlen(text) && !memcmp(name->at, text, name->length);
}

static void
skip_spaces(struct reader *reader)
{
	while (reader->at < reader->end && is_space(*reader->at))
		reader->at++;
}

static bool
begins(const struct reader *reader, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(reader->end - reader->at) >= length && !memcmp(reader->at, text, length);
}

/* Goes behind the next `text`. */
static int
skip_past(struct reader *reader, const char *text)
{
	const char *found =
		memmem(reader->at, (size_t)(reader->end - reader->at), text, strlen(text));

	if (!found)
		return refuse(reader, "it ends too early");
	reader->at = found + strlen(text);
	return 0;
}

static int
read_name(struct reader *reader, struct name *name)
{
	name->at = reader->at;
	while (reader->at < reader->end && is_name(*reader->at))
		reader->at++;
	name->length = (size_t)(reader->at - name->at);
	return name->length ? 0 : refuse(reader, "a name should stand here");
}

static int
read_attribute(struct reader *reader, struct name *name, struct name *value)
{
	char quote;

	if (read_name(reader, name) < 0)
		return -EINVAL;
	skip_spaces(reader);
	if (reader->at == reader->end || *reader->at != '=')
		return refuse(reader, "an attribute has no value");
	reader->at++;
	skip_spaces(reader);
	if (reader->at == reader->end || (*reader->at != '"' && *reader->at != '\''))
		return refuse(reader, "the value of an attribute has no quotes");
	quote = *reader->at++;
	value->at = reader->at;
	while (reader->at < reader->end && *reader->at != quote && *reader->at != '<')
		reader->at++;
	if (reader->at == reader->end || *reader->at != quote)
		return refuse(reader, "the value of an attribute has no end");
	value->length = (size_t)(reader->at++ - value->at);
	return 0;
}

/* Names with entities are none of those that are known here. */
static bool
copy_name(const struct name *value, char name[KR_FEATURE_NAME_MAX])
{
	if (!value->length || value->length >= KR_FEATURE_NAME_MAX ||
		memchr(value->at, '&', value->length) || memchr(value->at, '\0', value->length))
		return false;
	memcpy(name, value->at, value->length);
	name[value->length] = '\0';
	return true;
}

/* Decimal, as Android reads it; a number that isn't counts as none there, too: 0. */
static uint32_t
read_version(const struct name *value)
{
	uint64_t number = 0;

	for (size_t i = 0; i < value->length; i++) {
		if (value->at[i] < '0' || value->at[i] > '9')
			return 0;
		number = number * 10 + (uint64_t)(value->at[i] - '0');
		if (number > INT32_MAX)
			return 0;
	}
	return (uint32_t)number;
}

static int
read_attributes(struct reader *reader, struct kr_feature_permission *permission)
{
	bool spaced = true;

	permission->name[0] = '\0';
	for (;;) {
		const char *before = reader->at;
		struct name name, value;

		skip_spaces(reader);
		spaced = reader->at != before;
		if (reader->at == reader->end)
			return refuse(reader, "it ends inside of a tag");
		if (*reader->at == '>' || *reader->at == '/')
			return 0;
		if (!spaced)
			return refuse(reader, "attributes have no space between them");
		if (read_attribute(reader, &name, &value) < 0)
			return -EINVAL;
		if (is(&name, "name") && !copy_name(&value, permission->name))
			permission->name[0] = '\0';
		else if (is(&name, "version"))
			permission->version = read_version(&value);
	}
}

static int
begin_tag(struct reader *reader)
{
	struct kr_feature_permission permission = {0};
	struct name tag;
	bool closed;

	if (read_name(reader, &tag) < 0)
		return -EINVAL;
	if (!reader->depth && reader->root_seen)
		return refuse(reader, "there is a second root");
	if (!reader->depth && !is(&tag, "permissions") && !is(&tag, "config"))
		return refuse(reader, "the root is neither permissions nor config");
	reader->root_seen = true;
	if (read_attributes(reader, &permission) < 0)
		return -EINVAL;
	closed = *reader->at == '/';
	reader->at += closed;
	if (reader->at == reader->end || *reader->at++ != '>')
		return refuse(reader, "a tag has no end");
	permission.unavailable = is(&tag, "unavailable-feature");
	if (reader->depth == 1 && permission.name[0] &&
		(is(&tag, "feature") || permission.unavailable))
		reader->tell(reader->data, &permission);
	if (closed)
		return 0;
	if (reader->depth == KR_FEATURE_FILE_DEEP)
		return refuse(reader, "tags stand in one another too deep");
	reader->open[reader->depth++] = tag;
	return 0;
}

static int
end_tag(struct reader *reader)
{
	const struct name *open;
	struct name tag;

	if (read_name(reader, &tag) < 0)
		return -EINVAL;
	skip_spaces(reader);
	if (reader->at == reader->end || *reader->at++ != '>')
		return refuse(reader, "a tag has no end");
	if (!reader->depth)
		return refuse(reader, "a tag ends that hasn't begun");
	open = &reader->open[--reader->depth];
	if (open->length != tag.length || memcmp(open->at, tag.at, tag.length) != 0)
		return refuse(reader, "a tag ends inside of another");
	return 0;
}

static int
read_markup(struct reader *reader)
{
	if (begins(reader, "<!--"))
		return skip_past(reader, "-->");
	if (begins(reader, "<![CDATA["))
		return skip_past(reader, "]]>");
	if (begins(reader, "<!"))
		return refuse(reader, "a document type isn't read here");
	if (begins(reader, "<?"))
		return skip_past(reader, "?>");
	if (begins(reader, "</")) {
		reader->at += 2;
		return end_tag(reader);
	}
	reader->at++;
	return begin_tag(reader);
}

int
kr_feature_parse_permissions(const char *text, size_t size, kr_feature_permission_fn tell,
	void *data, char why[KR_FEATURE_FILE_WHY])
{
	struct reader reader = {
		.at = text,
		.begin = text,
		.end = text + size,
		.tell = tell,
		.data = data,
		.why = why,
	};

	for (;;) {
		const char *next = memchr(reader.at, '<', (size_t)(reader.end - reader.at));
		int err;

		if (!next)
			break;
		reader.at = next;
		err = read_markup(&reader);
		if (err < 0)
			return err;
	}
	reader.at = reader.end;
	if (reader.depth || !reader.root_seen)
		return refuse(&reader, "it ends too early");
	return 0;
}

int
kr_feature_read_permissions(
	const char *path, kr_feature_permission_fn tell, void *data, char why[KR_FEATURE_FILE_WHY])
{
	FILE *file = NULL;
	char *text = NULL;
	size_t size = 0;
	int err = kr_file_open(path, &file);

	if (err < 0) {
		snprintf(why, KR_FEATURE_FILE_WHY, "%s",
			err == -ENODEV ? "it is no file" : strerror(-err));
		return err;
	}
	text = malloc(KR_FEATURE_FILE_MAX + 1);
	if (!text) {
		err = -ENOMEM;
		goto done;
	}
	errno = 0;
	size = fread(text, 1, KR_FEATURE_FILE_MAX + 1, file);
	if (ferror(file))
		err = errno ? -errno : -EIO;
	else if (size > KR_FEATURE_FILE_MAX)
		err = -EFBIG;
done:
	fclose(file);
	if (err < 0)
		snprintf(why, KR_FEATURE_FILE_WHY, "%s", strerror(-err));
	else
		err = kr_feature_parse_permissions(text, size, tell, data, why);
	free(text);
	return err;
}
