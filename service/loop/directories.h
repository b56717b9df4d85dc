/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories that are watched with inotify. Whoever watches lists anew what he wants after each
 * event, so nothing depends on any single event: begin, add each directory that counts now, end.
 * Add before reading a directory: what changes meanwhile is then told.
 *
 * Thread-safety: one thread, the loop's.
 */
#ifndef KR_SERVICE_LOOP_DIRECTORIES_H
#define KR_SERVICE_LOOP_DIRECTORIES_H

#include "service/loop/loop.h"
#include "util/macros.h"

struct kr_directories;

/*
 * Something has happened in a directory that was added with `tag`; to `name`, or to itself, or it
 * has come (NULL). tag NULL: events were lost, anything may have happened. The callback may not
 * begin a new round, only note it.
 */
typedef void (*kr_directories_fn)(void *data, const char *tag, const char *name);

/* 0 or -errno. */
int kr_directories_create(struct kr_loop *loop, kr_directories_fn fn, void *data,
	struct kr_directories **directories) KR_MUST_CHECK;
void kr_directories_begin(struct kr_directories *directories);
/*
 * 0; -ENOENT: it isn't there, and its coming is watched for, by the closest directory above it that
 * is there (path must be absolute); -EACCES and others of the directory; -ENOSPC: the limit of
 * watches is reached; -ENOMEM.
 */
int kr_directories_add(struct kr_directories *directories, const char *path, const char *tag)
	KR_MUST_CHECK;
/* What wasn't added since begin is watched no more. */
void kr_directories_end(struct kr_directories *directories);
/* NULL is none. */
void kr_directories_destroy(struct kr_directories *directories);

#endif
