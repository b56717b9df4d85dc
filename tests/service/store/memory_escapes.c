/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks on a delivered memory object: see escapes.h. */
#include "escapes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/macros.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3 */
#endif

static int
object_of(void *data)
{
	return ((const struct target *)data)->fd;
}

/* The strongest descriptor that can be had: whether it opens depends on who asks. */
static int
strongest(void *data)
{
	char name[64];
	int fd;

	(void)!fchmod(object_of(data), 0666);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", object_of(data));
	fd = open(name, O_RDWR);
	return fd < 0 ? object_of(data) : fd;
}

static int
write_bytes(void *data)
{
	const int fd = strongest(data);

	REFUSED(write(fd, "evil", 4));
	REFUSED(pwrite(fd, "evil", 4, 0));
	REFUSED(write(object_of(data), "evil", 4));
	REFUSED(sendfile(fd, object_of(data), &(off_t){0}, 4));
	REFUSED(copy_file_range(object_of(data), &(off_t){0}, fd, &(off_t){2}, 2, 0));
	return 0;
}

static int
map_writable(void *data)
{
	const int fd = strongest(data);
	void *map;

	MUST(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, object_of(data), 0);
	MUST(map != MAP_FAILED);
	REFUSED(mprotect(map, 4096, PROT_READ | PROT_WRITE));
	return 0;
}

static int
change_size(void *data)
{
	const int fd = strongest(data);
	char name[64];

	REFUSED(ftruncate(fd, 0));
	REFUSED(ftruncate(fd, 1 << 20));
	REFUSED(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4));
	REFUSED(fallocate(fd, 0, 0, 1 << 20));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", object_of(data));
	REFUSED(truncate(name, 0));
	/* Opening so may work: nothing is cut off. */
	(void)!open(name, O_RDWR | O_TRUNC);
	return 0;
}

static int
change_seals(void *data)
{
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

	MUST((fcntl(object_of(data), F_GET_SEALS) & seals) == seals);
	REFUSED(fcntl(strongest(data), F_ADD_SEALS, F_SEAL_FUTURE_WRITE));
	REFUSED(fcntl(strongest(data), F_ADD_SEALS, 0));
	return 0;
}

/*
 * Before Linux 6.3 nothing forbids its owner to make it a program, which is his own process's
 * matter.
 */
static int
execute(void *data)
{
	char *const none[] = {NULL};

	if (memfd_create("probe", MFD_NOEXEC_SEAL) < 0)
		return 0;
	(void)!fchmod(object_of(data), 0777);
	REFUSED(fexecve(object_of(data), none, none));
	MUST(errno == EACCES);
	REFUSED(fexecve(strongest(data), none, none));
	MUST(errno == EACCES);
	return 0;
}

const struct escape memory_escapes[] = {
	{"write", write_bytes},
	{"map for writing", map_writable},
	{"change the size", change_size},
	{"change the seals", change_seals},
	{"execute", execute},
};
const size_t memory_escape_count = KR_ARRAY_LEN(memory_escapes);
