/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recursive descent JSON reader. The depth limit bounds the recursion, here and in kr_json_free.
 * The values of an array or object are one growing block, so a value may move until its parent is
 * complete and never after; the parser hands out nothing before the whole document is read.
 */
#include "util/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/json_parser.h"
#include "util/macros.h"

#define FIRST_BLOCK ((size_t)4096)

static void
finish_value(struct kr_json *value)
{
	if (value->type == KR_JSON_STRING) {
		free(value->string);
	} else if (value->type == KR_JSON_ARRAY || value->type == KR_JSON_OBJECT) {
		for (size_t i = 0; i < value->count; i++) {
			free(value->items[i].key);
			finish_value(&value->items[i]);
		}
		free(value->items);
	}
}

static int parse_value(struct kr_json_parser *p, struct kr_json *out);

/* Room for one more value in an array or object that holds `count`: capacities are powers of two.
 */
static int
reserve(struct kr_json *parent)
{
	struct kr_json *items;

	if (parent->count & (parent->count - 1))
		return 0;
	items = realloc(parent->items, (parent->count ? parent->count * 2 : 1) * sizeof(*items));
	if (!items)
		return -ENOMEM;
	parent->items = items;
	return 0;
}

static int
parse_member(struct kr_json_parser *p, struct kr_json *parent)
{
	struct kr_json value = {0};
	char *key = NULL;
	int ret = reserve(parent);

	if (ret)
		return ret;
	if (++p->values > KR_JSON_MAX_VALUES)
		return kr_json_malformed(p, "there are too many values");
	if (parent->type == KR_JSON_OBJECT) {
		ret = kr_json_parse_string(p, &key);
		if (ret)
			return ret;
		kr_json_skip_space(p);
		if (kr_json_peek(p) != ':')
			ret = kr_json_malformed(p, "a colon was expected");
		else
			p->at++;
	}
	if (!ret)
		ret = parse_value(p, &value);
	if (ret) {
		free(key);
		return ret;
	}
	value.key = key;
	parent->items[parent->count++] = value;
	return 0;
}

static int
parse_container(struct kr_json_parser *p, enum kr_json_type type, int close, struct kr_json *out)
{
	struct kr_json value = {.type = type};
	int ret = 0;

	if (++p->depth > KR_JSON_MAX_DEPTH)
		return kr_json_malformed(p, "nested too deeply");
	p->at++;
	kr_json_skip_space(p);
	if (kr_json_peek(p) != close) {
		ret = parse_member(p, &value);
		kr_json_skip_space(p);
		while (!ret && kr_json_peek(p) == ',') {
			p->at++;
			kr_json_skip_space(p);
			ret = parse_member(p, &value);
			kr_json_skip_space(p);
		}
	}
	if (!ret && kr_json_peek(p) != close)
		ret = kr_json_malformed(p, "a comma or the closing bracket was expected");
	if (ret) {
		finish_value(&value);
		return ret;
	}
	p->at++;
	p->depth--;
	*out = value;
	return 0;
}

static int
parse_value(struct kr_json_parser *p, struct kr_json *out)
{
	struct kr_json value = {.type = KR_JSON_STRING};
	int ret;

	kr_json_skip_space(p);
	switch (kr_json_peek(p)) {
	case '{':
		return parse_container(p, KR_JSON_OBJECT, '}', out);
	case '[':
		return parse_container(p, KR_JSON_ARRAY, ']', out);
	case '"':
		ret = kr_json_parse_string(p, &value.string);
		if (!ret)
			*out = value;
		return ret;
	case 't':
		value = (struct kr_json){.type = KR_JSON_BOOL, .boolean = true};
		return kr_json_parse_literal(p, "true", value, out);
	case 'f':
		value = (struct kr_json){.type = KR_JSON_BOOL, .boolean = false};
		return kr_json_parse_literal(p, "false", value, out);
	case 'n':
		value = (struct kr_json){.type = KR_JSON_NULL};
		return kr_json_parse_literal(p, "null", value, out);
	case -1:
		return kr_json_malformed(p, "the text ends where a value was expected");
	default:
		if (kr_json_peek(p) != '-' && (kr_json_peek(p) < '0' || kr_json_peek(p) > '9'))
			return kr_json_malformed(p, "a value was expected");
		return kr_json_parse_number(p, out);
	}
}

/* `text` NULL: nothing is wrong. `p` NULL: it has no place, which is `at` otherwise. */
static void
set_error(struct kr_json_error *error, const struct kr_json_parser *p, size_t at, const char *text)
{
	if (!error)
		return;
	*error = (struct kr_json_error){0};
	if (!text)
		return;
	snprintf(error->text, sizeof(error->text), "%s", text);
	if (!p)
		return;
	error->line = error->column = 1;
	for (size_t i = 0; i < at && i < p->size; i++) {
		error->line += p->text[i] == '\n';
		error->column = p->text[i] == '\n' ? 1 : error->column + 1;
	}
}

static int
parse_document(struct kr_json_parser *p, struct kr_json *value)
{
	int ret;

	/* RFC 8259 section 8.1 lets a reader pass over a byte order mark; editors write them. */
	if (p->size >= 3 && !memcmp(p->text, "\xef\xbb\xbf", 3))
		p->at = 3;
	ret = parse_value(p, value);
	if (ret)
		return ret;
	kr_json_skip_space(p);
	if (p->at < p->size)
		ret = kr_json_pass(p, "something follows behind the document");
	if (ret)
		finish_value(value);
	return ret;
}

static int
parse(struct kr_json_parser *p, struct kr_json **root, struct kr_json_error *error)
{
	struct kr_json *value = calloc(1, sizeof(*value));
	int ret = value ? parse_document(p, value) : -ENOMEM;

	if (ret) {
		free(value);
		if (ret == -ENOMEM)
			set_error(error, NULL, 0, "out of memory");
		else
			set_error(error, p, p->at, p->problem);
		return ret;
	}
	set_error(error, p, p->passed_at, p->passed);
	*root = value;
	return 0;
}

int
kr_json_parse(const char *text, size_t size, struct kr_json **root, struct kr_json_error *error)
{
	struct kr_json_parser p = {.text = (const unsigned char *)text, .size = size};

	if (size > KR_JSON_MAX_SIZE) {
		set_error(error, NULL, 0, "larger than a megabyte");
		return -EFBIG;
	}
	return parse(&p, root, error);
}

int
kr_json_parse_lenient(
	const char *text, size_t size, struct kr_json **root, struct kr_json_error *error)
{
	struct kr_json_parser p = {
		.text = (const unsigned char *)text, .size = size, .lenient = true};

	if (size > KR_JSON_MAX_FILE) {
		set_error(error, NULL, 0, "larger than 16 megabytes");
		return -EFBIG;
	}
	return parse(&p, root, error);
}

/* To the end, or to a byte more than is read. Most files end in the first block. */
static int
read_blocks(FILE *file, char **text, size_t *size)
{
	size_t capacity = 0;

	do {
		size_t grown =
			KR_MIN(capacity ? capacity * 8 : FIRST_BLOCK, (size_t)KR_JSON_MAX_FILE + 1);
		char *more = realloc(*text, grown);

		if (!more)
			return -ENOMEM;
		*text = more;
		capacity = grown;
		errno = 0;
		*size += fread(*text + *size, 1, capacity - *size, file);
		if (ferror(file))
			return errno ? -errno : -EIO;
	} while (*size == capacity && capacity <= KR_JSON_MAX_FILE);
	return 0;
}

/* *text is the caller's to free, also when this fails. */
static int
read_whole(const char *path, char **text, size_t *size)
{
	FILE *file;
	int ret = kr_file_open(path, &file);

	if (ret)
		return ret;
	ret = read_blocks(file, text, size);
	fclose(file);
	return ret;
}

int
kr_json_read_file(const char *path, struct kr_json **root, struct kr_json_error *error)
{
	size_t size = 0;
	char *text = NULL;
	int ret;

	ret = read_whole(path, &text, &size);
	if (ret == -ENODEV) {
		set_error(error, NULL, 0, "it is no regular file");
		ret = -EINVAL;
	} else if (ret)
		set_error(error, NULL, 0, ret == -ENOMEM ? "out of memory" : strerror(-ret));
	else
		ret = kr_json_parse_lenient(text, size, root, error);
	free(text);
	return ret;
}

void
kr_json_free(struct kr_json *root)
{
	if (!root)
		return;
	finish_value(root);
	free(root);
}
