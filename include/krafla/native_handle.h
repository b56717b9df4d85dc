/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_handle_t: file descriptors and integers that name a buffer, in the layout of Android's
 * libcutils: three ints, then the descriptors, then the integers. Thread-safety: a handle is plain
 * data; the functions touch nothing else. Source: libcutils.
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
 * Room for a handle of at most so many descriptors and integers, on the stack or in a struct, for
 * native_handle_init.
 */
#define NATIVE_HANDLE_DECLARE_STORAGE(name, maxFds, maxInts)                                       \
	char name[sizeof(native_handle_t) + sizeof(int) * ((maxFds) + (maxInts))]                  \
		__attribute__((aligned(__alignof__(native_handle_t))))

/*
 * A handle in the caller's memory, which has room for it; its data isn't initialised. It is never
 * given to native_handle_delete. NULL with errno EINVAL: a count out of range, or memory that is
 * NULL or isn't aligned as a handle is.
 */
native_handle_t *native_handle_init(char *storage, int numFds, int numInts);
/*
 * A new handle whose data is not initialised, or NULL with errno EINVAL (a count out of range) or
 * ENOMEM. The caller fills it and frees it with native_handle_delete.
 */
native_handle_t *native_handle_create(int numFds, int numInts);
/*
 * Closes the descriptors, not the handle, which still names them: who closes it again closes
 * whatever has their numbers by then. errno stays. 0; -EINVAL when version is wrong or a count out
 * of range. NULL is 0.
 */
int native_handle_close(const native_handle_t *handle);
/* Frees the handle, not its descriptors. 0; -EINVAL when version is wrong. NULL is 0. */
int native_handle_delete(native_handle_t *handle);
/*
 * A handle with duplicated descriptors (CLOEXEC), or NULL with errno: EINVAL for NULL, a wrong
 * version or a count out of range; EBADF a descriptor isn't open; ENOMEM, EMFILE.
 */
native_handle_t *native_handle_clone(const native_handle_t *handle);
/*
 * Whose descriptors these are is nothing that libc keeps here (fdsan is bionic's): the first two do
 * nothing, and the third is native_handle_close.
 */
void native_handle_set_fdsan_tag(const native_handle_t *handle);
void native_handle_unset_fdsan_tag(const native_handle_t *handle);
int native_handle_close_with_tag(const native_handle_t *handle);

#ifdef __cplusplus
}
#endif

#endif
