/* SPDX-License-Identifier: Apache-2.0 */
/* The two halves of the lab's first process: the machine (init.c) and its programs (init_run.c). */
#ifndef KR_LAB_INIT_H
#define KR_LAB_INIT_H

#include <stddef.h>

/* Runs the programs of the list, which scripts/lab.d/entries.py writes, and says how each ended. */
void lab_run_list(const char *path);

/* Writes a line of the results, or bytes of one. */
void lab_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void lab_write(const char *data, size_t size);
/* Hands on what the kernel logged since the last call. */
void lab_copy_kernel_log(void);

#endif
