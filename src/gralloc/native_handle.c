/* SPDX-License-Identifier: Apache-2.0 */
/* The public names of the handle functions. */
#include <krafla/native_handle.h>

#include <errno.h>

#include "gralloc/handle.h"
#include "util/macros.h"

KR_EXPORT native_handle_t *
native_handle_init(char *storage, int numFds, int numInts)
{
	native_handle_t *handle = NULL;
	int err = kr_handle_init(storage, numFds, numInts, &handle);

	if (err)
		errno = -err;
	return handle;
}

KR_EXPORT native_handle_t *
native_handle_create(int numFds, int numInts)
{
	native_handle_t *handle = NULL;
	int err = kr_handle_create(numFds, numInts, &handle);

	if (err)
		errno = -err;
	return handle;
}

KR_EXPORT int
native_handle_close(const native_handle_t *handle)
{
	return kr_handle_close(handle);
}

KR_EXPORT int
native_handle_delete(native_handle_t *handle)
{
	return kr_handle_delete(handle);
}

KR_EXPORT native_handle_t *
native_handle_clone(const native_handle_t *handle)
{
	native_handle_t *clone = NULL;
	int err = kr_handle_clone(handle, &clone);

	if (err)
		errno = -err;
	return clone;
}

KR_EXPORT void
native_handle_set_fdsan_tag(const native_handle_t *handle)
{
}

KR_EXPORT void
native_handle_unset_fdsan_tag(const native_handle_t *handle)
{
}

KR_EXPORT int
native_handle_close_with_tag(const native_handle_t *handle)
{
	return kr_handle_close(handle);
}
