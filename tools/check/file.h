/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is there complete or not at all: it is written beside its place and put there when it
 * is done, all at the end. What isn't a regular file (a FIFO, /dev/stdout) is written as it is.
 */
#ifndef KR_TOOLS_CHECK_FILE_H
#define KR_TOOLS_CHECK_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include "util/macros.h"

struct kr_check_file {
	FILE *out; /* into memory: what is wrong with the file is known when all is written */
	char *text;
	size_t size;
	int fd;          /* -1: not open now */
	char *path;      /* where it belongs */
	char *temporary; /* NULL: there is none now */
	bool special;    /* no regular file: open all the time, and written as it is */
};

/* 0 or -errno; -EEXIST: a driver is there, or a manifest. */
int kr_check_file_open(struct kr_check_file *file, const char *path) KR_MUST_CHECK;
/* Puts it in its place. 0 or -errno, and it isn't there then. */
int kr_check_file_commit(struct kr_check_file *file) KR_MUST_CHECK;
/* Leaves no trace of it. Also of KR_CHECK_NO_FILE, and of one that is in its place. */
#define KR_CHECK_NO_FILE ((struct kr_check_file){.fd = -1})
void kr_check_file_drop(struct kr_check_file *file);

#endif
