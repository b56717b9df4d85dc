/* SPDX-License-Identifier: Apache-2.0 */
/* Sealed memory objects: see internal.h. */
#include "service/store/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"

#define MODE            0444
#define ENLARGED_WITHIN (KR_NSEC_PER_SEC / 2)

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3 */
#endif

int
kr_memory_open(const char *name, int *out)
{
	const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create(name, flags | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, flags);
	if (fd < 0)
		return -errno;
	*out = fd;
	return 0;
}

int
kr_memory_seal(int fd)
{
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

	if (fchmod(fd, MODE))
		return -errno;
	return fcntl(fd, F_ADD_SEALS, seals) ? -errno : 0;
}

/* In bytes; 0: this kernel has none for memory objects, or doesn't say. */
static size_t
large_page(void)
{
	size_t size = 0;
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "re");

	if (!file)
		return 0;
	if (fscanf(file, "%zu", &size) != 1 || size & (size - 1))
		size = 0;
	fclose(file);
	return size;
}

/*
 * MADV_COLLAPSE (Linux 6.1) does it whatever shmem_enabled is, but for "deny", for an address and a
 * place in the file that both are whole pages. One page at a time: what fails once, for want of
 * memory in one piece, isn't insisted on.
 */
void
kr_memory_enlarge_pages(int fd, uint64_t size)
{
	const int64_t deadline = kr_deadline_in(ENLARGED_WITHIN);
	const size_t page = large_page(), whole = page ? (size_t)size / page * page : 0;
	char *room, *at;

	if (!whole)
		return;
	room = mmap(NULL, whole + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return;
	at = room + (page - (uintptr_t)room % page) % page;
	if (mmap(at, whole, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED) {
		for (size_t done = 0; done < whole && kr_clock_now() < deadline; done += page) {
			if (madvise(at + done, page, MADV_COLLAPSE))
				break;
		}
	}
	munmap(room, whole + page);
}

/*
 * All clients have the same object, and one of the service's own user may take everybody the right
 * to open it, which is how libraries are loaded: it is put back.
 */
int
kr_memory_reopen(int fd, int *out)
{
	char path[48];
	int opened;

	if (fchmod(fd, MODE))
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opened = open(path, O_RDONLY | O_CLOEXEC);
	if (opened < 0)
		return -errno;
	*out = opened;
	return 0;
}

static int
fill(int fd, const char *text, size_t size)
{
	while (size) {
		const ssize_t written = write(fd, text, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		text += written;
		size -= (size_t)written;
	}
	return kr_memory_seal(fd);
}

int
kr_memory_from_text(const char *name, const char *text, size_t size, int *out)
{
	int fd;
	int ret = kr_memory_open(name, &fd);

	if (ret)
		return ret;
	ret = fill(fd, text, size);
	if (!ret)
		ret = kr_memory_reopen(fd, out);
	close(fd);
	return ret;
}
