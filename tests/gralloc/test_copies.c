/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers between two copies of the library in one process: this program's own and that inside
 * libkrafla.so.0, as libvulkan.so.1 and libkrafla.so.0 have one each (W-11).
 */
#include "harness.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>

#include "gralloc/buffer.h"
#include "gralloc/copies.h"
#include "gralloc/gpu_memory.h"

#define CPU (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)

static const AHardwareBuffer_Desc desc = {
	.width = 30,
	.height = 20,
	.layers = 1,
	.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
	.usage = CPU | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE,
};

/* The public functions of a copy. */
struct copy {
	__typeof__(AHardwareBuffer_allocate) *allocate;
	__typeof__(AHardwareBuffer_acquire) *acquire;
	__typeof__(AHardwareBuffer_release) *release;
	__typeof__(AHardwareBuffer_describe) *describe;
	__typeof__(AHardwareBuffer_lock) *lock;
	__typeof__(AHardwareBuffer_unlock) *unlock;
	__typeof__(AHardwareBuffer_sendHandleToUnixSocket) *send;
	__typeof__(AHardwareBuffer_recvHandleFromUnixSocket) *receive;
	__typeof__(AHardwareBuffer_getId) *get_id;
	__typeof__(AHardwareBuffer_getNativeHandle) *get_handle;
	__typeof__(krafla_buffer_export_fence) *export_fence;
	__typeof__(krafla_buffer_import_fence) *import_fence;
	__typeof__(ANativeWindowBuffer_getHardwareBuffer) *from_native;
	__typeof__(krafla_hardware_buffer_lock_layers) *lock_layers;
	__typeof__(AHardwareBuffer_getDataSpace) *get_data_space;
	__typeof__(AHardwareBuffer_setDataSpace) *set_data_space;
};

static const struct copy own = {
	AHardwareBuffer_allocate,
	AHardwareBuffer_acquire,
	AHardwareBuffer_release,
	AHardwareBuffer_describe,
	AHardwareBuffer_lock,
	AHardwareBuffer_unlock,
	AHardwareBuffer_sendHandleToUnixSocket,
	AHardwareBuffer_recvHandleFromUnixSocket,
	AHardwareBuffer_getId,
	AHardwareBuffer_getNativeHandle,
	krafla_buffer_export_fence,
	krafla_buffer_import_fence,
	ANativeWindowBuffer_getHardwareBuffer,
	krafla_hardware_buffer_lock_layers,
	AHardwareBuffer_getDataSpace,
	AHardwareBuffer_setDataSpace,
};

static const char *const names[] = {
	"AHardwareBuffer_allocate",
	"AHardwareBuffer_acquire",
	"AHardwareBuffer_release",
	"AHardwareBuffer_describe",
	"AHardwareBuffer_lock",
	"AHardwareBuffer_unlock",
	"AHardwareBuffer_sendHandleToUnixSocket",
	"AHardwareBuffer_recvHandleFromUnixSocket",
	"AHardwareBuffer_getId",
	"AHardwareBuffer_getNativeHandle",
	"krafla_buffer_export_fence",
	"krafla_buffer_import_fence",
	"ANativeWindowBuffer_getHardwareBuffer",
	"krafla_hardware_buffer_lock_layers",
	"AHardwareBuffer_getDataSpace",
	"AHardwareBuffer_setDataSpace",
};

_Static_assert(sizeof(struct copy) == sizeof(names), "a name for each function");

static void *vulkan, *library;
static bool itself_without_library;

/* What a buffer is handed out as where the program doesn't see libkrafla. */
static bool
is_handed_out_itself(void)
{
	const struct kr_buffer_desc wanted = {1, 1, 1, desc.format, desc.usage};
	ANativeWindowBuffer *native = NULL;
	struct kr_buffer *buffer;
	bool itself;

	if (kr_buffer_allocate(&wanted, &buffer) || kr_buffer_hand_out(buffer, &native))
		return false;
	itself = kr_buffer_from_native(native) == buffer;
	native->common.decRef(&native->common);
	kr_buffer_unref(buffer);
	return itself;
}

/* Both libraries, as a program has them, before a case's allocations are counted. */
__attribute__((constructor)) static void
load(void)
{
	vulkan = dlopen(LIBVULKAN, RTLD_NOW | RTLD_LOCAL);
	itself_without_library = is_handed_out_itself();
	library = dlopen(LIBKRAFLA, RTLD_NOW | RTLD_GLOBAL);
}

/* That of libkrafla. */
static struct copy
other_copy(void)
{
	struct copy copy;

	assert_non_null(vulkan);
	assert_non_null(library);
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		void *function = dlsym(library, names[i]);

		assert_non_null(function);
		memcpy((char *)&copy + i * sizeof(function), &function, sizeof(function));
	}
	assert_ptr_not_equal(copy.allocate, own.allocate);
	return copy;
}

static void
uses(const struct copy *user, const struct copy *maker)
{
	AHardwareBuffer *buffer, *received;
	AHardwareBuffer_Desc told = {0};
	int ends[2], fence;
	uint64_t id, same;
	void *data, *again;

	assert_int_equal(maker->allocate(&desc, &buffer), 0);
	user->describe(buffer, &told);
	assert_true(told.width == 30 && told.height == 20 && told.layers == 1 && told.stride == 32);
	assert_true(told.format == desc.format && told.usage == desc.usage);
	assert_int_equal(maker->get_id(buffer, &id), 0);
	assert_int_equal(user->get_id(buffer, &same), 0);
	assert_true(id == same);
	assert_ptr_equal(user->get_handle(buffer), maker->get_handle(buffer));
	assert_ptr_equal(user->from_native((ANativeWindowBuffer *)(void *)buffer), buffer);
	user->acquire(buffer);
	maker->release(buffer);
	assert_int_equal(user->lock(buffer, CPU, -1, NULL, &data), 0);
	memset(data, 0x5a, 64);
	assert_int_equal(maker->lock(buffer, CPU, -1, NULL, &again), 0);
	assert_ptr_equal(data, again);
	assert_int_equal(maker->unlock(buffer, NULL), 0);
	assert_int_equal(user->unlock(buffer, NULL), 0);
	assert_int_equal(user->unlock(buffer, NULL), -EINVAL);
	assert_int_equal(user->export_fence(buffer, KRAFLA_BUFFER_READ, &fence), -EOPNOTSUPP);
	assert_int_equal(user->import_fence(buffer, KRAFLA_BUFFER_READ, -1), -EOPNOTSUPP);
	assert_int_equal(user->set_data_space(buffer, 4711), 0);
	assert_int_equal(maker->get_data_space(buffer), 4711);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(user->send(buffer, ends[0]), 0);
	assert_int_equal(maker->receive(ends[1], &received), 0);
	assert_int_equal(user->get_data_space(received), 4711);
	assert_int_equal(user->lock(received, CPU, -1, NULL, &data), 0);
	assert_int_equal(*(unsigned char *)data, 0x5a);
	assert_int_equal(user->unlock(received, NULL), 0);
	user->release(received);
	user->release(buffer);
	close(ends[0]);
	close(ends[1]);
}

/* W-11 */
static void
each_copy_works_on_the_others_buffers(void **state)
{
	struct copy other = other_copy();

	uses(&own, &other);
	uses(&other, &own);
}

/* W-11. Where the layers lie is known to the maker. */
static void
layers_of_the_others_buffers_are_locked(void **state)
{
	const struct copy other = other_copy(), *const makers[] = {&other, &own};
	AHardwareBuffer_Desc layered = desc;

	layered.layers = 4;
	for (int i = 0; i < 2; i++) {
		const struct copy *maker = makers[i], *user = makers[1 - i];
		AHardwareBuffer *buffer;
		uint64_t layer = 0;
		void *data;

		assert_int_equal(maker->allocate(&layered, &buffer), 0);
		assert_int_equal(user->lock(buffer, CPU, -1, NULL, &data), -ENOSYS);
		assert_int_equal(user->lock_layers(buffer, CPU, -1, NULL, &data, &layer), 0);
		assert_true(layer == 128 * 20);
		memset(data, 1, 4 * layer);
		assert_int_equal(user->unlock(buffer, NULL), 0);
		user->release(buffer);
	}
}

/* W-11. What the adapter has of an application's AHardwareBuffer. */
static void
a_buffer_of_whatever_copy_is_taken_in(void **state)
{
	struct copy other = other_copy();
	AHardwareBuffer *theirs, *ours;
	struct kr_buffer *buffer;
	uint64_t id;
	void *data, *mapped;

	assert_int_equal(other.allocate(&desc, &theirs), 0);
	assert_int_equal(own.allocate(&desc, &ours), 0);
	assert_int_equal(kr_buffer_from_any(theirs, &buffer), 0);
	assert_ptr_not_equal(buffer, theirs);
	assert_int_equal(other.get_id(theirs, &id), 0);
	assert_true(kr_buffer_get_info(buffer)->id == id);
	assert_int_equal(other.lock(theirs, CPU, -1, NULL, &data), 0);
	assert_int_equal(kr_buffer_map(buffer, &mapped), 0);
	*(uint32_t *)data = 0x12345678;
	assert_int_equal(*(uint32_t *)mapped, 0x12345678);
	assert_int_equal(other.unlock(theirs, NULL), 0);
	/* It lives on its own. */
	other.release(theirs);
	assert_int_equal(*(uint32_t *)mapped, 0x12345678);
	kr_buffer_unref(buffer);
	assert_int_equal(kr_buffer_from_any(ours, &buffer), 0);
	assert_ptr_equal(buffer, ours);
	kr_buffer_unref(buffer);
	own.release(ours);
}

static void
what_is_no_buffer_is_refused(void **state)
{
	struct {
		ANativeWindowBuffer native;
		const struct kr_buffer_functions *functions;
	} foreign = {.native.common = {.magic = ANDROID_NATIVE_BUFFER_MAGIC,
			     .version = sizeof(foreign.native)}};
	struct kr_buffer_functions short_table = kr_buffer_own_functions;
	struct kr_buffer *buffer = NULL;
	AHardwareBuffer *public = (AHardwareBuffer *)(void *)&foreign;
	AHardwareBuffer_Desc told = {0};
	uint64_t id;
	int zero = 0;

	assert_int_equal(kr_buffer_from_any(NULL, &buffer), -EINVAL);
	assert_int_equal(kr_buffer_from_any(&zero, &buffer), -EINVAL);
	/* Of another platform: right behind it there is nothing. */
	assert_int_equal(kr_buffer_from_any(&foreign.native, &buffer), -EINVAL);
	own.acquire(public);
	own.describe(public, &told);
	assert_int_equal(told.width, 0);
	assert_int_equal(own.get_id(public, &id), -EINVAL);
	assert_int_equal(own.unlock(public, NULL), -EINVAL);
	assert_null(own.get_handle(public));
	own.release(public);
	/* A copy of a version with fewer functions. */
	foreign.native.common.reserved[0] = kr_buffer_mark(&foreign.native);
	short_table.size -= sizeof(void *);
	foreign.functions = &short_table;
	assert_null(kr_buffer_functions_of(&foreign.native));
	assert_int_equal(kr_buffer_from_any(&foreign.native, &buffer), -EINVAL);
	short_table.size = sizeof(short_table);
	assert_ptr_equal(kr_buffer_functions_of(&foreign.native), &short_table);
	short_table.magic++;
	assert_int_equal(kr_buffer_from_any(&foreign.native, &buffer), -EINVAL);
	assert_null(buffer);
}

/* The memory of a window's buffer, whose window is the other copy's. */
static void
memory_of_a_gpu_is_attached_to_the_others_buffer(void **state)
{
	static const struct kr_gpu_memory memory = {
		.kind = KR_GPU_OPAQUE_FD,
		.device_uuid = {1},
		.driver_uuid = {1},
		.allocation_size = 4096,
		.format = 37,
		.width = 30,
		.height = 20,
		.usage = 4,
		.mip_levels = 1,
		.array_layers = 1,
		.samples = 1,
		.layout = 1,
	};
	struct copy other = other_copy();
	AHardwareBuffer *theirs;
	ANativeWindowBuffer *native;
	struct kr_buffer *buffer;
	int fd;

	assert_int_equal(other.allocate(&desc, &theirs), 0);
	native = (ANativeWindowBuffer *)(void *)theirs;
	fd = memfd_create("gpu", MFD_CLOEXEC);
	assert_int_equal(kr_buffer_any_attach_gpu(native, &memory, fd), 0);
	assert_int_equal(other.get_handle(theirs)->numFds, 2);
	assert_int_equal(kr_buffer_from_any(theirs, &buffer), 0);
	assert_non_null(kr_buffer_get_info(buffer)->gpu);
	assert_true(kr_buffer_get_info(buffer)->fd >= 0);
	kr_buffer_unref(buffer);
	fd = memfd_create("gpu", MFD_CLOEXEC);
	assert_int_equal(kr_buffer_any_attach_gpu(native, &memory, fd), -EEXIST);
	fd = memfd_create("gpu", MFD_CLOEXEC);
	assert_int_equal(kr_buffer_any_attach_gpu(NULL, &memory, fd), -EINVAL);
	other.release(theirs);
}

/*
 * W-11. What Vulkan exports outlives libvulkan.so.1, which applications unload: it is libkrafla's
 * own.
 */
static void
what_is_handed_out_is_libkraflas(void **state)
{
	struct copy other = other_copy();
	AHardwareBuffer *ours;
	struct kr_buffer *buffer;
	ANativeWindowBuffer *native;
	uint64_t id, same;
	void *data, *mapped;

	assert_int_equal(own.allocate(&desc, &ours), 0);
	assert_int_equal(kr_buffer_from_any(ours, &buffer), 0);
	assert_true(itself_without_library);
	assert_int_equal(kr_buffer_hand_out(buffer, &native), 0);
	assert_ptr_not_equal(native, ours);
	assert_null(kr_buffer_from_native(native));
	assert_int_equal(own.get_id(ours, &id), 0);
	assert_int_equal(other.get_id((AHardwareBuffer *)(void *)native, &same), 0);
	assert_true(id == same);
	assert_int_equal(kr_buffer_map(buffer, &mapped), 0);
	assert_int_equal(other.lock((AHardwareBuffer *)(void *)native, CPU, -1, NULL, &data), 0);
	*(uint32_t *)data = 0xabcd;
	assert_int_equal(*(uint32_t *)mapped, 0xabcd);
	assert_int_equal(other.unlock((AHardwareBuffer *)(void *)native, NULL), 0);
	other.release((AHardwareBuffer *)(void *)native);
	kr_buffer_unref(buffer);
	own.release(ours);
}

static const struct kr_test tests[] = {
	KR_TEST(each_copy_works_on_the_others_buffers),
	KR_TEST(layers_of_the_others_buffers_are_locked),
	KR_TEST(a_buffer_of_whatever_copy_is_taken_in),
	KR_TEST(what_is_no_buffer_is_refused),
	KR_TEST(memory_of_a_gpu_is_attached_to_the_others_buffer),
	KR_TEST(what_is_handed_out_is_libkraflas),
};

KR_TEST_MAIN(tests)
