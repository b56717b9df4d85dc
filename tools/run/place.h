/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a path of the user leads, and a file that appears there whole or not at all.
 *
 * A regular file is replaced: what is written has a random name of krafla's own in the same folder,
 * opened with O_EXCL (whatever stands at that name isn't followed, opened or waited for), and takes
 * the file's place by a rename. Anything else, a device, FIFO, socket or descriptor in /proc, is no
 * file to be replaced, but something to write to.
 *
 * Any of these calls may wait as long as the path's file system does. Thread-safety: a
 * place belongs to one thread.
 */
#ifndef KR_TOOLS_RUN_PLACE_H
#define KR_TOOLS_RUN_PLACE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include "util/macros.h"

enum kr_place_links {
	KR_PLACE_FOLLOW,       /* a link leads to another place */
	KR_PLACE_REPLACE_LINK, /* a link is itself what is replaced */
};

struct kr_place {
	int folder;        /* O_PATH */
	char *name;        /* in it */
	struct stat found; /* what stands there; st_mode 0: nothing */
	bool to_write_to;  /* never to be replaced */
	/* between kr_place_create_file and kr_place_put_file */
	char part[32];
	int fd;
};

/* No place yet, or no more. */
#define KR_PLACE_NONE ((struct kr_place){.folder = AT_FDCWD, .fd = -1})

/*
 * 0 or -errno: -ENOTDIR, -EISDIR, -ELOOP and what the kernel says of its folder or its links; a
 * link that may not be followed (fs.protected_symlinks) isn't. Finish the place in any case.
 */
int kr_place_find(struct kr_place *place, const char *path, enum kr_place_links links)
	KR_MUST_CHECK;
void kr_place_finish(struct kr_place *place);

/*
 * A new file that will stand there: place->fd, open for writing, which the caller may take (leaving
 * -1). What it replaces gives it its mode and, if that can be, its owner. 0 or -errno.
 */
int kr_place_create_file(struct kr_place *place) KR_MUST_CHECK;
/* Puts it there when err is 0, else removes it. 0 or the first -errno. */
int kr_place_put_file(struct kr_place *place, int err) KR_MUST_CHECK;

/*
 * Opens what is to be written to, without waiting for anybody: -ENXIO for a FIFO that nobody reads.
 * A descriptor of this process (/dev/stdout, /dev/fd/3) is duplicated, so that what others write to
 * it stands before or behind.
 */
int kr_place_open(const struct kr_place *place, int *fd) KR_MUST_CHECK;

/*
 * For the command line, before anything is started: whether the path can be written to. 0 or an
 * exit code, the reason told on stderr.
 */
int kr_place_check(const char *option, const char *path, enum kr_place_links links) KR_MUST_CHECK;

/* Writes all of it, also to what doesn't wait. 0 or -errno. */
int kr_write_all(int fd, const void *data, size_t len) KR_MUST_CHECK;

#endif
