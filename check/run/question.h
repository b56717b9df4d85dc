/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A question that only a process of its own may ask, since drivers are loaded for it: it hears
 * nothing, prints nothing, and answers by a pipe. For this room alone.
 */
#ifndef KR_CHECK_RUN_QUESTION_H
#define KR_CHECK_RUN_QUESTION_H

#include <stddef.h>
#include "util/macros.h"

struct check_question {
	/* In the child: what it writes to `out` is the answer. */
	void (*ask)(int out, const void *data);
	const void *data;
	unsigned timeout_s;
};

/*
 * The answer goes to `text`, cut at its end. 0; -errno with a sentence in *why (NULL without
 * memory) when there is no answer: "it crashed (signal 6)".
 */
int check_question_answer(
	const struct check_question *question, char *text, size_t size, char **why) KR_MUST_CHECK;

#endif
