/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AHardwareBuffers in parcels, as in the NDK (android/hardware_buffer_aidl.h, API level 34). There
 * is no binder here: a parcel stands for a connected AF_UNIX socket (SOCK_SEQPACKET or
 * SOCK_STREAM), and the process at its other end has a parcel of its own, or calls the functions of
 * krafla/hardware_buffer.h for sockets, whose messages are the same.
 *
 * Thread-safety: any thread, as with the socket itself: several may write, one at a time reads.
 * Source: NDK, W-11.
 */
#ifndef KRAFLA_PARCEL_H
#define KRAFLA_PARCEL_H

#include <stdint.h>
#include <krafla/hardware_buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AParcel AParcel;

/* 0, or a negative errno. */
typedef int32_t binder_status_t;

/*
 * A parcel over a socket, which is borrowed: it stays the caller's, who closes it after the parcel
 * was freed. NULL with errno: EINVAL it is no AF_UNIX socket, EBADF, ENOMEM.
 */
AParcel *krafla_parcel_from_socket(int socket);
/* The socket stays open, with what was written and not read. NULL is nothing. */
void krafla_parcel_free(AParcel *parcel);

/*
 * Writes a buffer behind those that were written before; it stays the caller's. 0; -EINVAL NULL, or
 * no buffer; else as AHardwareBuffer_sendHandleToUnixSocket.
 */
binder_status_t AHardwareBuffer_writeToParcel(const AHardwareBuffer *buffer, AParcel *parcel);
/*
 * Reads the first buffer that wasn't read yet, over the same memory and with one reference, and
 * waits for it as a read of the socket would. It is gone from the parcel then. 0; -EINVAL NULL, or
 * what came doesn't describe its memory; else as AHardwareBuffer_recvHandleFromUnixSocket: -EAGAIN
 * nothing is there, -EPIPE nor will be.
 */
binder_status_t AHardwareBuffer_readFromParcel(const AParcel *parcel, AHardwareBuffer **outBuffer);

#ifdef __cplusplus
}
#endif

#endif
