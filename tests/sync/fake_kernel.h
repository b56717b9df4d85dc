/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the fake kernel share: points, sets of them, files that stand for a set.
 * Callers of fake_*_locked hold fake_lock.
 */
#ifndef KR_TESTS_SYNC_FAKE_KERNEL_H
#define KR_TESTS_SYNC_FAKE_KERNEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FAKE_MAX_POINTS 64
#define FAKE_DMA_BUF    0x444d4142

struct fake_set {
	int count;
	int point[FAKE_MAX_POINTS];
};

extern pthread_mutex_t fake_lock;

/* What a descriptor and its duplicates are known by; 0: none that the fake made. */
ino_t fake_inode(int fd);
/* Whether the kernel is one before 6.6. */
bool fake_is_old(void);
bool fake_is_done_locked(const struct fake_set *set);
void fake_add_locked(struct fake_set *into, const struct fake_set *from);
/* The points of a sync_file, or NULL. */
const struct fake_set *fake_file_set_locked(int fd);
/* A new point, or -EMFILE; its end, for all files of it. */
int fake_new_point_locked(const char *timeline);
void fake_end_point_locked(int point, int status);
/* A sync_file of those of `set` that haven't ended, as the kernel makes them. The fd or -errno. */
int fake_new_file_locked(const char *name, const struct fake_set *set);

/* Their parts of ioctl: -ENOTTY when fd is not theirs. */
int fake_dma_buf_ioctl_locked(int fd, unsigned long request, void *data);
int fake_syncobj_ioctl_locked(int fd, unsigned long request, void *data);
int fake_device_ioctl_locked(int fd, unsigned long request, void *data);
bool fake_is_dma_buf_locked(int fd);
/* A point has ended. */
void fake_syncobj_update_locked(void);
void fake_dma_buf_reset_locked(void);
void fake_syncobj_reset_locked(void);
void fake_device_reset_locked(void);

#endif
