/* SPDX-License-Identifier: Apache-2.0 */
/* Parcels: sockets under the name that Android's interface has for what buffers are written to. */
#include <krafla/parcel.h>

#include <errno.h>
#include <stdlib.h>

#include "gralloc/transfer.h"

struct AParcel {
	int socket; /* borrowed */
};

KR_EXPORT AParcel *
krafla_parcel_from_socket(int socket)
{
	int err = kr_transfer_check_socket(socket);
	AParcel *parcel = err ? NULL : malloc(sizeof(*parcel));

	if (parcel)
		parcel->socket = socket;
	else
		errno = err ? -err : ENOMEM;
	return parcel;
}

KR_EXPORT void
krafla_parcel_free(AParcel *parcel)
{
	free(parcel);
}

KR_EXPORT binder_status_t
AHardwareBuffer_writeToParcel(const AHardwareBuffer *buffer, AParcel *parcel)
{
	return parcel ? AHardwareBuffer_sendHandleToUnixSocket(buffer, parcel->socket) : -EINVAL;
}

KR_EXPORT binder_status_t
AHardwareBuffer_readFromParcel(const AParcel *parcel, AHardwareBuffer **outBuffer)
{
	return parcel ? AHardwareBuffer_recvHandleFromUnixSocket(parcel->socket, outBuffer)
		      : -EINVAL;
}
