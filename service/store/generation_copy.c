/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A generation as sealed copies in memory, made once and given to everybody. A child process copies
 * (a driver may be 200 MB, and its disk slow), since memory objects are the same in every process;
 * sealing them is what can be done here only when it has ended.
 */
#include "service/store/generation.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"

#define COPIED_WITHIN (10 * KR_NSEC_PER_SEC)
#define STEP          ((size_t)8 << 20)

static void
forget_copies(struct kr_generation *generation)
{
	for (size_t i = 0; i < generation->copy_count; i++)
		kr_fd_close(&generation->copies[i]);
	free(generation->copies);
	generation->copies = NULL;
	generation->copy_count = 0;
}

static const char *
short_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int
make_objects(struct kr_generation *generation)
{
	const struct kr_package *package = generation->package;
	const size_t count = package->file_count + 1;
	int ret;

	generation->copies = malloc(count * sizeof(*generation->copies));
	if (!generation->copies)
		return -ENOMEM;
	generation->copy_count = count;
	for (size_t i = 0; i < count; i++)
		generation->copies[i] = -1;
	ret = kr_memory_from_text(KR_INDEX_FILE, generation->index, strlen(generation->index),
		&generation->copies[0]);
	for (size_t i = 0; i < package->file_count && !ret; i++)
		ret = kr_memory_open(
			short_name(package->files[i].path), &generation->copies[i + 1]);
	return ret;
}

static int
compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * In the child: a client whose connection the service closes must see that at once, not when the
 * copy is made.
 */
static void
close_others(const struct kr_generation *generation)
{
	const struct kr_package *package = generation->package;
	int keep[2 * KR_INDEX_MAX_FILES];
	size_t count = 0;
	unsigned from = STDERR_FILENO + 1;

	for (size_t i = 0; i < package->file_count; i++) {
		keep[count++] = package->files[i].fd;
		keep[count++] = generation->copies[i + 1];
	}
	qsort(keep, count, sizeof(keep[0]), compare_fds);
	for (size_t i = 0; i < count; i++) {
		if ((unsigned)keep[i] > from)
			close_range(from, (unsigned)keep[i] - 1, 0);
		from = KR_MAX(from, (unsigned)keep[i] + 1);
	}
	close_range(from, ~0u, 0);
}

static int
copy_file(const struct kr_package_file *file, int copy)
{
	off_t offset = 0;

	while ((uint64_t)offset < file->size) {
		const size_t step = KR_MIN(STEP, (size_t)(file->size - (uint64_t)offset));
		const ssize_t done = sendfile(copy, file->fd, &offset, step);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return errno;
		if (done == 0)
			return ESTALE; /* it has become shorter */
	}
	return 0;
}

static void __attribute__((noreturn)) run_copier(const struct kr_generation *generation)
{
	const struct kr_package *package = generation->package;
	int err = 0;

	close_others(generation);
	for (size_t i = 0; i < package->file_count && !err; i++)
		err = copy_file(&package->files[i], generation->copies[i + 1]);
	for (size_t i = 0; i < package->file_count && !err; i++)
		kr_memory_enlarge_pages(generation->copies[i + 1], package->files[i].size);
	_exit(err);
}

static int
start_copier(struct kr_generation *generation)
{
	const pid_t pid = fork();
	int err;

	if (pid < 0)
		return -errno;
	if (pid == 0)
		run_copier(generation);
	generation->copier = pidfd_open(pid, 0);
	if (generation->copier >= 0) {
		generation->copier_pid = pid;
		return 0;
	}
	err = -errno;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return err;
}

static int
begin(struct kr_generation *generation)
{
	int ret;

	if (generation->copied || generation->copier >= 0)
		return 0;
	ret = make_objects(generation);
	if (!ret)
		ret = start_copier(generation);
	if (ret)
		forget_copies(generation);
	return ret;
}

void
kr_generation_copy_begin(struct kr_generation *generation)
{
	(void)!begin(generation);
}

static int
wait_for(int pidfd)
{
	const int64_t deadline = kr_deadline_in(COPIED_WITHIN);
	struct pollfd poller = {.fd = pidfd, .events = POLLIN};
	const int ready = kr_fd_poll(&poller, 1, deadline);

	return ready > 0 ? 0 : ready ? ready : -ETIMEDOUT;
}

/* The child is gone afterwards. */
static int
reap(struct kr_generation *generation, bool kill_it)
{
	int status = 0;

	if (kill_it)
		kill(generation->copier_pid, SIGKILL);
	while (waitpid(generation->copier_pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	kr_fd_close(&generation->copier);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

/* A file that was written to meanwhile may be half old and half new. */
static int
seal(struct kr_generation *generation)
{
	const struct kr_package *package = generation->package;
	int ret;

	if (!kr_generation_is_unchanged(generation))
		return -ESTALE;
	for (size_t i = 0; i < package->file_count; i++) {
		ret = kr_memory_seal(generation->copies[i + 1]);
		if (ret)
			return ret;
	}
	return 0;
}

static int
complete(struct kr_generation *generation)
{
	int ret = begin(generation);

	if (ret || generation->copied)
		return ret;
	ret = wait_for(generation->copier);
	if (ret)
		(void)!reap(generation, true);
	else
		ret = reap(generation, false);
	if (!ret)
		ret = seal(generation);
	if (ret)
		forget_copies(generation);
	generation->copied = !ret;
	return ret;
}

int
kr_generation_copy_give(struct kr_generation *generation, struct kr_given *given)
{
	int ret = complete(generation);

	if (ret)
		return ret;
	given->kind = KR_DELIVERY_MEMORY;
	given->count = 0;
	for (size_t i = 0; i < generation->copy_count && !ret; i++) {
		ret = kr_memory_reopen(generation->copies[i], &given->fds[i]);
		if (!ret)
			given->count++;
	}
	if (ret)
		kr_given_finish(given);
	return ret;
}

void
kr_generation_copy_finish(struct kr_generation *generation)
{
	if (generation->copier >= 0)
		(void)!reap(generation, true);
	forget_copies(generation);
}
