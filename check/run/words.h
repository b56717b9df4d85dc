/* SPDX-License-Identifier: Apache-2.0 */
/* Text that a driver had its hands on, made fit for terminals and files. */
#ifndef KR_CHECK_RUN_WORDS_H
#define KR_CHECK_RUN_WORDS_H

#include <stddef.h>

/* Ends the text within `size`; what isn't UTF-8 or is a control character becomes '?'. */
void check_clean(char *text, size_t size);
/* A new text of these bytes, cleaned, newlines and tabs kept; NULL for none, and without memory. */
char *check_words(const char *bytes, size_t size);
/* A new text of one line, cleaned; NULL for none, and without memory. */
char *check_word(const char *text);

#endif
