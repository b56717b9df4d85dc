/* SPDX-License-Identifier: Apache-2.0 */
/* AHardwareBuffer: the public face of buffers, of every copy of the library in the process. */
#include <krafla/hardware_buffer.h>

#include <errno.h>
#include <stddef.h>

#include "gralloc/buffer.h"
#include "gralloc/copies.h"
#include "gralloc/handle.h"
#include "gralloc/transfer.h"
#include "sync/kernel/dma_buf.h"
#include "util/log.h"

_Static_assert(sizeof(AHardwareBuffer_Desc) == 40, "AHardwareBuffer_Desc");
_Static_assert(offsetof(AHardwareBuffer_Desc, usage) == 16, "usage");
_Static_assert(offsetof(AHardwareBuffer_Desc, stride) == 24, "stride");
_Static_assert(offsetof(AHardwareBuffer_Desc, rfu1) == 32, "rfu1");
_Static_assert(sizeof(AHardwareBufferLongOptions) == 16, "AHardwareBufferLongOptions");
_Static_assert(offsetof(AHardwareBufferLongOptions, value) == 8, "value");
_Static_assert(sizeof(AHardwareBufferStatus) == 4 && sizeof(ADataSpace) == 4, "32 bits");

/* Of whatever copy of the library it is (copies.h): what all of them show. */
static ANativeWindowBuffer *
native_of(const AHardwareBuffer *buffer)
{
	return (ANativeWindowBuffer *)(uintptr_t)buffer;
}

static AHardwareBuffer *
to_public(struct kr_buffer *buffer)
{
	return (AHardwareBuffer *)(void *)buffer;
}

/* The platform's own codes become those of the public API. */
static int
public_error(int err)
{
	return err == -EOPNOTSUPP ? -ENOSYS : err;
}

static int
read_desc(const AHardwareBuffer_Desc *desc, struct kr_buffer_desc *out)
{
	if (!desc || desc->rfu0 || desc->rfu1)
		return -EINVAL;
	*out = (struct kr_buffer_desc){
		.width = desc->width,
		.height = desc->height,
		.layers = desc->layers,
		.format = desc->format,
		.usage = desc->usage,
	};
	return 0;
}

KR_EXPORT int
AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc, AHardwareBuffer **outBuffer)
{
	struct kr_buffer_desc wanted;
	struct kr_buffer *buffer;
	int err;

	if (!outBuffer)
		return -EINVAL;
	err = read_desc(desc, &wanted);
	if (err)
		return err;
	err = kr_buffer_allocate_shared(&wanted, &buffer);
	if (err == -EOPNOTSUPP)
		kr_info("AHardwareBuffer_allocate: format 0x%x, %u x %u x %u, usage 0x%llx: %s",
			wanted.format, wanted.width, wanted.height, wanted.layers,
			(unsigned long long)wanted.usage, kr_buffer_why_not(&wanted));
	if (err)
		return public_error(err);
	*outBuffer = to_public(buffer);
	return 0;
}

KR_EXPORT int
AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc)
{
	struct kr_buffer_desc wanted;

	return !read_desc(desc, &wanted) && !kr_buffer_allocate_shared(&wanted, NULL);
}

KR_EXPORT AHardwareBufferStatus
AHardwareBuffer_allocateWithOptions(const AHardwareBuffer_Desc *desc,
	const AHardwareBufferLongOptions *additionalOptions, size_t additionalOptionsSize,
	AHardwareBuffer **outBuffer)
{
	struct kr_buffer_desc wanted;

	if (!outBuffer || (additionalOptionsSize && !additionalOptions) ||
		read_desc(desc, &wanted) || kr_buffer_check_form(&wanted))
		return AHARDWAREBUFFER_STATUS_BAD_VALUE;
	for (size_t i = 0; i < additionalOptionsSize; i++) {
		if (!additionalOptions[i].name)
			return AHARDWAREBUFFER_STATUS_BAD_VALUE;
	}
	if (additionalOptionsSize) {
		kr_info("AHardwareBuffer_allocateWithOptions: there is no option %s here",
			additionalOptions[0].name);
		return AHARDWAREBUFFER_STATUS_UNSUPPORTED;
	}
	return AHardwareBuffer_allocate(desc, outBuffer);
}

KR_EXPORT void
AHardwareBuffer_acquire(AHardwareBuffer *buffer)
{
	kr_buffer_any_ref(buffer);
}

KR_EXPORT void
AHardwareBuffer_release(AHardwareBuffer *buffer)
{
	kr_buffer_any_unref(buffer);
}

KR_EXPORT void
AHardwareBuffer_describe(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *outDesc)
{
	const ANativeWindowBuffer *native = native_of(buffer);

	if (!kr_buffer_functions_of(buffer) || !outDesc)
		return;
	*outDesc = (AHardwareBuffer_Desc){
		.width = (uint32_t)native->width,
		.height = (uint32_t)native->height,
		.layers = (uint32_t)native->layerCount,
		.format = (uint32_t)native->format,
		.usage = native->usage,
		.stride = (uint32_t)native->stride,
	};
}

KR_EXPORT ADataSpace
AHardwareBuffer_getDataSpace(const AHardwareBuffer *buffer)
{
	const struct kr_buffer_functions *functions = kr_buffer_functions_of(buffer);

	return functions ? functions->get_data_space(native_of(buffer)) : ADATASPACE_UNKNOWN;
}

KR_EXPORT AHardwareBufferStatus
AHardwareBuffer_setDataSpace(AHardwareBuffer *buffer, ADataSpace dataSpace)
{
	const struct kr_buffer_functions *functions = kr_buffer_functions_of(buffer);

	if (!functions)
		return AHARDWAREBUFFER_STATUS_BAD_VALUE;
	functions->set_data_space(native_of(buffer), dataSpace);
	return AHARDWAREBUFFER_STATUS_OK;
}

KR_EXPORT int
AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer *buffer, int socketFd)
{
	const struct kr_buffer_functions *functions = kr_buffer_functions_of(buffer);

	return functions ? kr_transfer_send(socketFd, kr_buffer_any_handle(buffer),
				   functions->get_data_space(native_of(buffer)))
			 : -EINVAL;
}

KR_EXPORT int
AHardwareBuffer_recvHandleFromUnixSocket(int socketFd, AHardwareBuffer **outBuffer)
{
	struct kr_buffer *buffer;
	int err = outBuffer ? kr_transfer_receive(socketFd, &buffer) : -EINVAL;

	if (!err)
		*outBuffer = to_public(buffer);
	return err;
}

static bool
is_access(int access)
{
	return access > 0 && access <= KR_DMA_BUF_READ_WRITE;
}

KR_EXPORT int
krafla_buffer_export_fence(const AHardwareBuffer *buffer, int access, int *fence)
{
	const struct kr_buffer_functions *functions = kr_buffer_functions_of(buffer);

	if (!functions || !fence || !is_access(access))
		return -EINVAL;
	return functions->export_fence(native_of(buffer), access, fence);
}

KR_EXPORT int
krafla_buffer_import_fence(const AHardwareBuffer *buffer, int access, int fence)
{
	const struct kr_buffer_functions *functions = kr_buffer_functions_of(buffer);

	if (!functions || !is_access(access))
		return -EINVAL;
	return functions->import_fence(native_of(buffer), access, fence);
}

KR_EXPORT int
AHardwareBuffer_getId(const AHardwareBuffer *buffer, uint64_t *outId)
{
	const struct kr_buffer_functions *functions = kr_buffer_functions_of(buffer);

	return functions && outId ? functions->get_id(native_of(buffer), outId) : -EINVAL;
}

KR_EXPORT const native_handle_t *
AHardwareBuffer_getNativeHandle(const AHardwareBuffer *buffer)
{
	return kr_buffer_any_handle(buffer);
}

/* Whether a buffer is what somebody says of it. */
static bool
is_described(const struct kr_buffer *buffer, const struct kr_buffer_desc *said, uint32_t stride)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	const struct kr_buffer_desc *is = &info->desc;

	return is->width == said->width && is->height == said->height &&
		is->layers == said->layers && is->format == said->format &&
		is->usage == said->usage && info->stride == stride;
}

KR_EXPORT int
AHardwareBuffer_createFromHandle(const AHardwareBuffer_Desc *desc, const native_handle_t *handle,
	int32_t method, AHardwareBuffer **outBuffer)
{
	struct kr_buffer_desc said;
	struct kr_buffer *buffer;
	int err = outBuffer && handle ? read_desc(desc, &said) : -EINVAL;

	if (err ||
		(method != AHARDWAREBUFFER_CREATE_FROM_HANDLE_METHOD_REGISTER &&
			method != AHARDWAREBUFFER_CREATE_FROM_HANDLE_METHOD_CLONE))
		return -EINVAL;
	err = kr_buffer_import_shared(handle, &buffer);
	if (err)
		return err;
	if (!is_described(buffer, &said, desc->stride)) {
		kr_buffer_unref(buffer);
		return -EINVAL;
	}
	/* The buffer has duplicates. */
	if (method == AHARDWAREBUFFER_CREATE_FROM_HANDLE_METHOD_REGISTER) {
		kr_handle_close(handle);
		kr_handle_delete((native_handle_t *)(uintptr_t)handle);
	}
	*outBuffer = to_public(buffer);
	return 0;
}

KR_EXPORT AHardwareBuffer *
ANativeWindowBuffer_getHardwareBuffer(ANativeWindowBuffer *buffer)
{
	return kr_buffer_functions_of(buffer) ? (AHardwareBuffer *)(void *)buffer : NULL;
}
