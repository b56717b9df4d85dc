/* SPDX-License-Identifier: Apache-2.0 */
#include "egl/vendor/report.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "util/env.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/report.h"

typedef atomic_uint_least64_t count;
_Static_assert(sizeof(count) == 8, "krafla reads 64 bits each");

static count own[KR_EGL_COUNTS];
static count *counts = own;
/* The memory's descriptor, until krafla has it. */
static atomic_int untold = -1;

/* Whoever gets it can't make it smaller under us. */
static int
make_memory(int *fd, void **memory)
{
	const size_t size = sizeof(own);
	int err = kr_memfd_create("krafla-egl", size, fd);

	if (err)
		return err;
	*memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (*memory == MAP_FAILED)
		err = -errno;
	else
		(void)fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	if (err)
		kr_fd_close(fd);
	return err;
}

static void
share(void)
{
	void *memory;
	int fd, err;

	if (!kr_env_get("KRAFLA_REPORT"))
		return;
	err = make_memory(&fd, &memory);
	if (err) {
		kr_debug("EGL: krafla run isn't told what it costs (%s)", strerror(-err));
		return;
	}
	counts = memory;
	atomic_store(&untold, fd);
}

static count *
get(enum kr_egl_counter what)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, share);
	return &counts[what];
}

void
kr_egl_count(enum kr_egl_counter what, int64_t more)
{
	atomic_fetch_add_explicit(get(what), (uint64_t)more, memory_order_relaxed);
}

uint64_t
kr_egl_counted(enum kr_egl_counter what)
{
	return atomic_load_explicit(get(what), memory_order_relaxed);
}

void
kr_egl_count_report(void)
{
	int fd;

	if (atomic_load_explicit(&untold, memory_order_relaxed) < 0)
		return;
	fd = atomic_exchange(&untold, -1);
	if (fd >= 0 && kr_report_fd(KR_REPORT_EGL, fd) == -EAGAIN)
		atomic_store(&untold, fd);
	else
		kr_fd_close(&fd);
}
