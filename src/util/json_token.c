/* SPDX-License-Identifier: Apache-2.0 */
/* JSON scalars: literals, numbers, and strings with their escapes and UTF-8. */
#include "util/json_parser.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBER 256

int
kr_json_parse_literal(
	struct kr_json_parser *p, const char *word, struct kr_json value, struct kr_json *out)
{
	size_t len = strlen(word);

	if (p->size - p->at < len || memcmp(p->text + p->at, word, len))
		return kr_json_malformed(p, "a value was expected");
	p->at += len;
	*out = value;
	return 0;
}

static size_t
skip_digits(struct kr_json_parser *p)
{
	size_t start = p->at;

	while (kr_json_peek(p) >= '0' && kr_json_peek(p) <= '9')
		p->at++;
	return p->at - start;
}

/* Steps over a number as the grammar has it. */
static int
scan_number(struct kr_json_parser *p)
{
	p->at += kr_json_peek(p) == '-';
	if (kr_json_peek(p) == '0') {
		p->at++;
		/* Behind it, a strict parser finds no comma. */
		if (p->lenient && skip_digits(p))
			(void)kr_json_pass(p, "a number begins with 0");
	} else if (!skip_digits(p))
		return kr_json_malformed(p, "a digit was expected");
	if (kr_json_peek(p) == '.') {
		p->at++;
		if (!skip_digits(p))
			return kr_json_malformed(p, "a digit was expected behind the point");
	}
	if (kr_json_peek(p) == 'e' || kr_json_peek(p) == 'E') {
		p->at++;
		p->at += kr_json_peek(p) == '+' || kr_json_peek(p) == '-';
		if (!skip_digits(p))
			return kr_json_malformed(p, "a digit was expected in the exponent");
	}
	return 0;
}

/* The application's locale may write a decimal comma, hence the C locale: it needs no allocation.
 */
static double
number_from_text(const char *text)
{
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double number = c_locale ? strtod_l(text, NULL, c_locale) : strtod(text, NULL);

	if (c_locale)
		freelocale(c_locale);
	return number;
}

int
kr_json_parse_number(struct kr_json_parser *p, struct kr_json *out)
{
	char text[MAX_NUMBER];
	size_t start = p->at, len;
	double number;
	int ret = scan_number(p);

	if (ret)
		return ret;
	len = p->at - start;
	if (len >= sizeof(text))
		return kr_json_malformed(p, "a number is too long");
	memcpy(text, p->text + start, len);
	text[len] = '\0';
	number = number_from_text(text);
	if (!isfinite(number))
		ret = kr_json_pass(p, "a number is out of range");
	if (ret)
		return ret;
	*out = (struct kr_json){.type = KR_JSON_NUMBER, .number = number};
	return 0;
}

static int
parse_hex4(struct kr_json_parser *p, uint32_t *out)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++) {
		int c = kr_json_peek(p);

		if (c >= '0' && c <= '9')
			value = value * 16 + (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f' && c > 0)
			value = value * 16 + (uint32_t)((c | 0x20) - 'a' + 10);
		else
			return kr_json_malformed(p, "four hexadecimal digits were expected");
		p->at++;
	}
	*out = value;
	return 0;
}

static size_t
put_utf8(char *out, uint32_t code)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* Behind "\u". A character above U+FFFF is two escapes: a high surrogate, then a low one. */
static int
parse_unicode_escape(struct kr_json_parser *p, char *out, size_t *len)
{
	uint32_t code, low;
	int ret = parse_hex4(p, &code);

	if (ret)
		return ret;
	if (code == 0)
		return kr_json_pass(p, "U+0000 can't be in a string here");
	if (code >= 0xdc00 && code <= 0xdfff)
		return kr_json_pass(p, "a low surrogate stands alone");
	if (code >= 0xd800 && code <= 0xdbff) {
		if (p->size - p->at < 2 || p->text[p->at] != '\\' || p->text[p->at + 1] != 'u')
			return kr_json_pass(p, "a high surrogate stands alone");
		p->at += 2;
		ret = parse_hex4(p, &low);
		if (ret)
			return ret;
		if (low < 0xdc00 || low > 0xdfff)
			return kr_json_pass(p, "a high surrogate stands alone");
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	*len += put_utf8(out + *len, code);
	return 0;
}

static int
parse_escape(struct kr_json_parser *p, char *out, size_t *len)
{
	static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *name;
	int c;

	p->at++;
	c = kr_json_peek(p);
	name = c > 0 ? strchr(names, c) : NULL;
	if (c != 'u' && !name)
		/* The character is the next to be read. */
		return c < 0 ? kr_json_malformed(p, "unknown escape")
			     : kr_json_pass(p, "unknown escape");
	p->at++;
	if (c == 'u')
		return parse_unicode_escape(p, out, len);
	out[(*len)++] = meanings[name - names];
	return 0;
}

/* Copies one UTF-8 sequence of two to four bytes after checking it (RFC 3629, table of section 4).
 */
static int
copy_utf8(struct kr_json_parser *p, char *out, size_t *len)
{
	unsigned char first = p->text[p->at];
	unsigned char min = 0x80, max = 0xbf;
	size_t extra;

	if (first >= 0xc2 && first <= 0xdf)
		extra = 1;
	else if (first >= 0xe0 && first <= 0xef)
		extra = 2;
	else if (first >= 0xf0 && first <= 0xf4)
		extra = 3;
	else
		return kr_json_malformed(p, "this is not UTF-8");
	if (first == 0xe0)
		min = 0xa0;
	if (first == 0xed)
		max = 0x9f;
	if (first == 0xf0)
		min = 0x90;
	if (first == 0xf4)
		max = 0x8f;
	out[(*len)++] = (char)first;
	p->at++;
	for (; extra; extra--) {
		int c = kr_json_peek(p);

		if (c < min || c > max)
			return kr_json_malformed(p, "this is not UTF-8");
		out[(*len)++] = (char)c;
		p->at++;
		min = 0x80;
		max = 0xbf;
	}
	return 0;
}

/* A byte above the ASCII ones: with those that make a character with it, or as it is. */
static int
copy_high(struct kr_json_parser *p, char *out, size_t *len)
{
	size_t at = p->at, had = *len;
	int ret = copy_utf8(p, out, len);

	if (!ret || !p->lenient)
		return ret;
	p->at = at;
	*len = had;
	ret = kr_json_pass(p, p->problem);
	out[(*len)++] = (char)p->text[p->at++];
	return ret;
}

/* The terminator of strings can't stand in one. */
static int
copy_control(struct kr_json_parser *p, char *out, size_t *len)
{
	const char *problem = "a control character stands in a string";
	int ret = kr_json_peek(p) ? kr_json_pass(p, problem) : kr_json_malformed(p, problem);

	if (!ret)
		out[(*len)++] = (char)p->text[p->at++];
	return ret;
}

/* How many bytes at the parser's place stand for themselves. */
static size_t
count_plain(const struct kr_json_parser *p)
{
	const unsigned char *from = p->text + p->at, *end = p->text + p->size, *to = from;

	while (to < end && *to >= 0x20 && *to < 0x80 && *to != '"' && *to != '\\')
		to++;
	return (size_t)(to - from);
}

/* How many bytes the rest of a string can need at most: up to its closing quote. */
static size_t
measure_rest(const struct kr_json_parser *p, size_t at)
{
	size_t i = at;

	while (i < p->size && p->text[i] != '"')
		i += p->text[i] == '\\' ? 2 : 1;
	return i - at + 1;
}

/* Behind the plain bytes that most strings have alone. */
static int
parse_rest(struct kr_json_parser *p, char *string, size_t *len)
{
	int ret = 0, c;

	while (!ret && (c = kr_json_peek(p)) != '"') {
		if (c < 0)
			ret = kr_json_malformed(p, "a string doesn't end");
		else if (c < 0x20)
			ret = copy_control(p, string, len);
		else if (c == '\\')
			ret = parse_escape(p, string, len);
		else if (c >= 0x80)
			ret = copy_high(p, string, len);
		else
			string[(*len)++] = (char)p->text[p->at++];
	}
	return ret;
}

int
kr_json_parse_string(struct kr_json_parser *p, char **out)
{
	size_t len;
	char *string;
	int ret;

	if (kr_json_peek(p) != '"')
		return kr_json_malformed(p, "a string was expected");
	p->at++;
	len = count_plain(p);
	/* No escape is shorter than what it stands for, so this suffices. */
	string = malloc(len + measure_rest(p, p->at + len) + 1);
	if (!string)
		return -ENOMEM;
	memcpy(string, p->text + p->at, len);
	p->at += len;
	ret = parse_rest(p, string, &len);
	if (ret) {
		free(string);
		return ret;
	}
	p->at++;
	string[len] = '\0';
	*out = string;
	return 0;
}
