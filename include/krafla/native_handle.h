/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_handle_t: file descriptors and integers that name a buffer, in the layout of Android's
 * libcutils: three ints, then the descriptors, then the integers. Thread-safety: a handle is plain
 * data; the functions touch nothing else.
 */
#ifndef KRAFLA_NATIVE_HANDLE_H
#define KRAFLA_NATIVE_HANDLE_H

#ifdef __cplusplus
extern "C" {
#endif

#define NATIVE_HANDLE_MAX_FDS  1024
#define NATIVE_HANDLE_MAX_INTS 1024

typedef struct native_handle {
	int version; /* sizeof(native_handle_t), 12 */
	int numFds;
	int numInts;
	int data[0]; /* numFds descriptors, then numInts integers */
} native_handle_t;

/* What gralloc, windows and VK_ANDROID_native_buffer pass around; borrowed. */
typedef const native_handle_t *buffer_handle_t;

/*
 * A new handle whose data is not initialised, or NULL with errno EINVAL (a count out of range) or
 * ENOMEM. The caller fills it and frees it with native_handle_delete.
 */
native_handle_t *native_handle_create(int numFds, int numInts);
/*
 * Closes the descriptors, not the handle; errno stays. 0; -EINVAL when version is wrong. NULL is 0.
 */
int native_handle_close(const native_handle_t *handle);
/* Frees the handle, not its descriptors. 0; -EINVAL when version is wrong. NULL is 0. */
int native_handle_delete(native_handle_t *handle);
/* A handle with duplicated descriptors (CLOEXEC), or NULL with errno. */
native_handle_t *native_handle_clone(const native_handle_t *handle);

#ifdef __cplusplus
}
#endif

#endif
