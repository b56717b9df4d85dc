/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of fences share: short ways to make and pass them, and a kernel that is none. */
#ifndef KR_TESTS_SYNC_SUPPORT_H
#define KR_TESTS_SYNC_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "harness.h"
#include "sanitizer.h"
#include "sync/fence/fence.h"
#include "sync/merge/merge.h"
#include "sync/wait/wait.h"
#include "util/clock.h"

#define SOON kr_deadline_in(2 * KR_NSEC_PER_SEC)

struct pair {
	int producer;
	int fence;
};

struct pair make_pair(const char *name);
void signal_pair(struct pair *pair, int status);
void close_pair(struct pair *pair);
struct krafla_timeline *make_timeline(const char *name);
/* The fence of a timeline's value. */
int point_at(struct krafla_timeline *timeline, uint64_t value);
/* What poll says of fd within `timeout_ms`. */
short poll_events(int fd, int timeout_ms);
/* Waits, two seconds at most, until `count` fds are open. */
bool fds_settle(int count);
/* Threads of the reactor: a sanitizer has some of its own. */
int count_reactors(void);
/*
 * Waits until the reactor's thread has ended, and with it all that it held; the case
 * fails otherwise.
 */
void settle(void);
void send_fd(int socket, int fd);
int receive_fd(int socket);
/* The bound name of a socket or of its peer, without its leading NUL; "" when it has none. */
void bound_name(int fd, bool peer, char out[128]);
/* Skips the case where abstract names are denied (unnamed.c): it is about them. */
void need_names(void);
/* Makes a system call fail with `error` in this process from now on. */
void deny(long number, int error);
/* The same for those calls whose third argument is `argument`. */
void deny_with(long number, unsigned argument, int error);
/* The exit status of a child; 128 + signal when it was killed. */
int wait_for(pid_t pid);

/*
 * A fake of the kernel's sync_files: a fence is a pipe that becomes ready when all its points are
 * done, as the kernel's do: errors included, signalled points dropped by a merge, failed ones too.
 */
void fake_kernel_install(void);
/* Closes what the fake holds and restores the real ops. */
void fake_kernel_remove(void);
/* A fence with a new point, whose number goes to *point. */
int fake_fence(const char *timeline, int *point);
void fake_signal(int point, int status);
/* Merges that the fake was asked for. */
int fake_merges(void);
/* From now on the fake's merge fails with this. */
void fake_merge_fails(int err);
/* That point ends in the middle of the next merges. */
void fake_ends_while_merging(int point, int status);
/* The sync_file says "signalled" of itself however its points end. */
void fake_forgets(int fd);
/* So many calls are interrupted by a signal. */
void fake_interrupts(int count);
/* Deadlines of fences and events of syncobjs are unknown, as before Linux 6.6. */
void fake_old_kernel(void);
int64_t fake_deadline(int point);

/* A dma-buf, and the flags of its last DMA_BUF_IOCTL_SYNC. */
int fake_dma_buf(void);
uint64_t fake_synced(int fd);
/*
 * Devices whose descriptors are timelines, /dev/krafla_sync and sw_sync: what a test has
 * fopen do for their paths.
 */
bool fake_is_device(const char *path);
FILE *fake_device_open(const char *path, const char *mode);
/* From now on they can't be opened, for this errno; 0: they can. */
void fake_device_is_missing(int error);
/* From now on that request fails with this -errno; 0: no more. */
void fake_device_fails(unsigned long request, int err);
/* Name and value of the timeline that was opened last. */
const char *fake_device_name(void);
uint64_t fake_device_value(void);
/* A DRM device, one at a time, and how many syncobjs it has. */
int fake_drm(bool syncobjs, bool timelines);
int fake_syncobjs(void);

#endif
