/* SPDX-License-Identifier: Apache-2.0 */
/* A command in one argument, cut into words as a shell does it. No state. */
#ifndef KR_TOOLS_RUN_SHELL_WORDS_H
#define KR_TOOLS_RUN_SHELL_WORDS_H

#include "util/macros.h"

/*
 * Words stand between blanks; '...' and "..." hold what they hold, \ takes the next character as it
 * is (in "..." before " and \ alone). Nothing is expanded. 0 and *words, ended by NULL, one block
 * of memory to free; -EINVAL for a quote that isn't closed, a \ at the end or no word at all;
 * -ENOMEM.
 */
int kr_shell_words(const char *text, char ***words) KR_MUST_CHECK;

#endif
