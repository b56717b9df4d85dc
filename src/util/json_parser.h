/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the JSON reader share: json.c (documents), json_token.c (scalars), json_value.c
 * (questions).
 */
#ifndef KR_UTIL_JSON_PARSER_H
#define KR_UTIL_JSON_PARSER_H

#include <errno.h>
#include "util/json.h"

struct kr_json {
	enum kr_json_type type;
	char *key; /* of a member of an object */
	union {
		bool boolean;
		double number;
		char *string;
		struct {
			struct kr_json *items;
			size_t count;
		};
	};
};

struct kr_json_parser {
	const unsigned char *text;
	size_t size;
	size_t at;
	unsigned depth;
	bool lenient;
	size_t values;
	const char *problem; /* what is wrong at `at` */
	const char *passed;  /* what was passed over first, at `passed_at` */
	size_t passed_at;
};

static inline int
kr_json_malformed(struct kr_json_parser *p, const char *problem)
{
	p->problem = problem;
	return -EINVAL;
}

/* Something that JSON doesn't have at `at`: a lenient parser goes on with 0. */
static inline int
kr_json_pass(struct kr_json_parser *p, const char *problem)
{
	if (!p->lenient)
		return kr_json_malformed(p, problem);
	if (!p->passed) {
		p->passed = problem;
		p->passed_at = p->at;
	}
	return 0;
}

/* The byte at the parser's place, or -1 at the end. */
static inline int
kr_json_peek(const struct kr_json_parser *p)
{
	return p->at < p->size ? p->text[p->at] : -1;
}

static inline bool
kr_json_is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline void
kr_json_skip_space(struct kr_json_parser *p)
{
	size_t at = p->at;

	/* Half of a manifest is indentation. */
	while (at < p->size && p->text[at] <= ' ' &&
		(p->lenient || kr_json_is_space(p->text[at]))) {
		p->at = at;
		if (!kr_json_is_space(p->text[at]))
			(void)kr_json_pass(p, "a control character stands between values");
		at++;
	}
	p->at = at;
}

/* Each steps over one scalar. 0, -EINVAL, -ENOMEM; *out is set on success alone. */
int kr_json_parse_literal(struct kr_json_parser *p, const char *word, struct kr_json value,
	struct kr_json *out) KR_MUST_CHECK;
int kr_json_parse_number(struct kr_json_parser *p, struct kr_json *out) KR_MUST_CHECK;
int kr_json_parse_string(struct kr_json_parser *p, char **out) KR_MUST_CHECK;

#endif
