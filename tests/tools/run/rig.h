/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `krafla` as a user does, and looks at what it said and left behind. */
#ifndef KR_TESTS_TOOLS_RUN_RIG_H
#define KR_TESTS_TOOLS_RUN_RIG_H

#include "harness.h"

#include <sys/types.h>

#include <jansson.h>

#define MAX_ARGUMENTS 24

struct outcome {
	int code;        /* 128 + signal when one killed krafla itself */
	char text[8192]; /* both outputs */
};

/* Called in the process that becomes krafla; NULL: nothing is done there. */
extern void (*before_exec)(void);

/* Standard input is /dev/null, both outputs go to a file. */
pid_t start(const char *const arguments[], const char *output);
void finish(pid_t pid, const char *output, struct outcome *outcome);

#define krafla(outcome, ...)                                                                       \
	do {                                                                                       \
		const char *const arguments[MAX_ARGUMENTS] = {"krafla", __VA_ARGS__, NULL};        \
		const char *output = kr_test_file("output", "");                                   \
		finish(start(arguments, output), output, outcome);                                 \
	} while (0)

void assert_said(const struct outcome *outcome, const char *words);
/* Entries of a directory whose names have that word. */
unsigned count_files(const char *path, const char *word);
void assert_nothing_left(void);
json_int_t number(const json_t *summary, const char *object, const char *key);
json_t *read_summary(const char *path);

#endif
