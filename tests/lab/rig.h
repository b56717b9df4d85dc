/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the lab's tests share: real fences by /dev/krafla_sync, and what the kernel says of a fence.
 */
#ifndef KR_LAB_RIG_H
#define KR_LAB_RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "harness.h"
#include "kernel/uapi/krafla_sync.h"

/* Of <linux/sync_file.h> or <krafla/sync.h>: the same, and only one of them can be included. */
struct sync_fence_info;

#define RIG_LONG_MS 60000 /* a time limit that no case reaches */
#define RIG_SOON_MS 5000

/* An ioctl's result, or -errno. */
int rig_ioctl(int fd, unsigned long request, void *arg);
#ifdef __x86_64__
/* The ioctl of a 32-bit program: number 54 by the old gate, arguments below 4 GiB. */
int rig_compat_ioctl(int fd, unsigned request, void *arg);
#endif
/* A device that the lab has; the case fails without. */
int rig_open(const char *path);

/* The descriptor that the next one made will be: it moves when one is kept, though never seen. */
int rig_next_fd(void);

/* A timeline of the kernel's, closed by close(). */
int rig_timeline(void);
/* A fence at `value`; -errno. */
int rig_try_fence(int timeline, uint64_t value, uint32_t timeout_ms);
int rig_fence(int timeline, uint64_t value);
/* Moves the timeline; 0 or -errno. */
int rig_move(int timeline, uint64_t value, int error);
struct krafla_sync_info rig_info(int timeline);

/* 1: signalled, 0: open, negative: failed. */
int rig_status(int fence);
/* What the kernel says of the fence's first point; the number of points. */
unsigned rig_point(int fence, struct sync_fence_info *point);
bool rig_ends(int fence, int timeout_ms);
/* The status in the end, which must come soon. */
int rig_ended(int fence);
int rig_merge(int a, int b);

/* A process that runs `body` with its end of a socket pair; parent's end goes to *socket. */
pid_t rig_child(void (*body)(int socket), int *socket);
/* Passing descriptors over it. */
void rig_send(int socket, int fd);
int rig_receive(int socket);
/* Ends it and waits for it. */
void rig_kill(pid_t pid);

/*
 * Takes a module out, waiting for what is on its way to let it go; 0 or -errno
 * (-EAGAIN: it is held).
 */
int rig_unload(const char *module, int timeout_ms);
/* Loads a module again, from where the lab keeps it. */
void rig_load(const char *module);
/* A whole file as text, freed by the caller. */
char *rig_read_file(const char *path);
void rig_write_file(const char *path, const char *text);

#endif
