/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences, as file descriptors: the functions of Android's libsync, over kernel sync_files and over
 * Krafla's user-space fences alike, decided for each descriptor by what it is.
 *
 * Ownership: every fd argument is borrowed; every fd that comes back belongs to the caller.
 * A negative fd is no fence: these functions refuse it (EINVAL), though elsewhere in the platform
 * -1 stands for "signalled already". Thread-safety: all functions may be called from any thread.
 */
#ifndef KRAFLA_SYNC_H
#define KRAFLA_SYNC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One point of a fence. Same layout as the kernel's struct sync_fence_info (80 bytes). */
struct sync_fence_info {
	char obj_name[32];     /* timeline */
	char driver_name[32];  /* who makes it: a kernel driver, or "krafla" */
	int32_t status;        /* 0 active, 1 signalled, negative errno */
	uint32_t flags;        /* 0 */
	uint64_t timestamp_ns; /* CLOCK_MONOTONIC of the signal; 0 while active */
};

/* A fence. Same layout as the kernel's struct sync_file_info (56 bytes). */
struct sync_file_info {
	char name[32];
	int32_t status; /* 0 active, 1 signalled, negative errno */
	uint32_t flags;
	uint32_t num_fences;
	uint32_t pad;
	uint64_t sync_fence_info; /* address of num_fences struct sync_fence_info */
};

/*
 * Waits until the fence has signalled or failed. timeout_ms < 0 waits without limit.
 * Returns 0 when it is done (a fence in error is done too: its status says so). Returns -1 with
 * errno ETIME when the time is up, EINVAL when fd is no fence. A wait of more than 3 s names
 * the fence in the log. A signal handler may call this with a timeout of up to 3 s, and is
 * itself the cancellation point that poll() is; the other functions are neither
 * (docs/fences.md). Source: S-08.
 */
int sync_wait(int fd, int timeout_ms);

/*
 * A new fence that is signalled when both are, and in error as soon as one is (S-03).
 * `name` (cut to 31 bytes) is its name. Returns the fd, or -1 with errno. The two stay as they
 * are. Two kernel fences give a kernel fence, which kernel interfaces take; when one of them has
 * failed already, a duplicate of that one, with its old name. When one fails later, sync_file_info
 * says so at once; it wakes who waits only when the other has ended too. With a user-space fence
 * among them it does at once.
 */
int sync_merge(const char *name, int fd1, int fd2);

/* What a fence consists of, or NULL with errno. Freed with sync_file_info_free. */
struct sync_file_info *sync_file_info(int32_t fd);
void sync_file_info_free(struct sync_file_info *info);

/* The points of an info: an array of info->num_fences, which lives as long as the info. */
static inline struct sync_fence_info *
sync_get_fence_info(const struct sync_file_info *info)
{
	return (struct sync_fence_info *)(uintptr_t)info->sync_fence_info;
}

#ifdef __cplusplus
}
#endif

#endif
