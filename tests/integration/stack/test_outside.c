/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program shares by descriptors of its driver, while it shows frames on a surface of the
 * platform's: nothing of that stands between the program and its driver.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "outside.h"
#include "stack.h"

#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep for good */

static uint32_t
pixel(size_t i)
{
	return (uint32_t)i * 2654435761u;
}

static void
send_fd(int socket, int fd)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {0};
	char byte = 'f';
	struct iovec io = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	assert_int_equal(sendmsg(socket, &message, MSG_NOSIGNAL), 1);
}

/* -1 none, or nobody any more. */
static int
receive_fd(int socket)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {0};
	char byte;
	struct iovec io = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space),
	};
	int fd = -1;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

#define DEVICE_CALL(program, name) ((PFN_##name)vkGetDeviceProcAddr((program)->app.device, #name))

static VkSemaphore
create_semaphore(struct outside *program, VkExternalSemaphoreHandleTypeFlagBits exports)
{
	const VkExportSemaphoreCreateInfo out = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
		.handleTypes = exports,
	};
	const VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
		.pNext = exports ? &out : NULL,
	};
	VkSemaphore semaphore;

	assert_int_equal(
		vkCreateSemaphore(program->app.device, &info, NULL, &semaphore), VK_SUCCESS);
	return semaphore;
}

/* OPAQUE_FD or SYNC_FD, whichever the driver shares; 0 neither. */
static VkExternalSemaphoreHandleTypeFlagBits
semaphores_of(const struct outside *program)
{
	static const VkExternalSemaphoreHandleTypeFlagBits types[] = {
		VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
		VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT};
	const VkExternalSemaphoreFeatureFlags both = VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT |
		VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;

	for (size_t i = 0; i < 2; i++) {
		const VkPhysicalDeviceExternalSemaphoreInfo info = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
			.handleType = types[i],
		};
		VkExternalSemaphoreProperties out = {
			.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES,
		};

		vkGetPhysicalDeviceExternalSemaphoreProperties(program->app.physical, &info, &out);
		if ((out.externalSemaphoreFeatures & both) == both &&
			outside_offers(program->app.physical, "VK_KHR_external_semaphore_fd"))
			return types[i];
	}
	return 0;
}

/* The other program: what the image holds once the semaphore allows it is what was put there. */
static int
look(int socket, VkExternalMemoryHandleTypeFlagBits type)
{
	VkSemaphore semaphore = VK_NULL_HANDLE;
	struct outside program;
	int memory = receive_fd(socket), wait = receive_fd(socket);
	bool same = true;

	if (memory < 0)
		return 1;
	outside_open(&program, type);
	outside_create_staging(&program);
	outside_create_image(&program, memory);
	if (wait >= 0) {
		VkImportSemaphoreFdInfoKHR in = {
			.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
			.flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
			.handleType = semaphores_of(&program),
			.fd = wait,
		};

		semaphore = in.semaphore = create_semaphore(&program, 0);
		if (DEVICE_CALL(&program, vkImportSemaphoreFdKHR)(program.app.device, &in))
			return 2;
	}
	outside_copy(&program, false, semaphore);
	assert_int_equal(vkQueueWaitIdle(program.app.queue), VK_SUCCESS);
	for (size_t i = 0; i < OUTSIDE_PIXELS; i++)
		same = same && program.pixels[i] == pixel(i);
	assert_int_equal(app_frame(&program.app, OUTSIDE_LIMIT, 2), VK_SUCCESS);
	vkDestroySemaphore(program.app.device, semaphore, NULL);
	outside_close(&program);
	return same ? 0 : 3;
}

static int
export_memory(struct outside *program)
{
	const VkMemoryGetFdInfoKHR get = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
		.memory = program->memory,
		.handleType = program->type,
	};
	int fd = -1;

	assert_int_equal(
		DEVICE_CALL(program, vkGetMemoryFdKHR)(program->app.device, &get, &fd), VK_SUCCESS);
	return fd;
}

/* Draws, and sends what the other needs: memory, and a semaphore where the driver shares such. */
static void
show(struct outside *program, int socket)
{
	VkSemaphoreGetFdInfoKHR get = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
		.handleType = semaphores_of(program),
	};
	int memory = export_memory(program), fd = -1;

	if (get.handleType)
		get.semaphore = create_semaphore(program, get.handleType);
	for (size_t i = 0; i < OUTSIDE_PIXELS; i++)
		program->pixels[i] = pixel(i);
	outside_copy(program, true, get.semaphore);
	if (get.semaphore)
		assert_int_equal(
			DEVICE_CALL(program, vkGetSemaphoreFdKHR)(program->app.device, &get, &fd),
			VK_SUCCESS);
	else
		assert_int_equal(vkQueueWaitIdle(program->app.queue), VK_SUCCESS);
	send_fd(socket, memory);
	close(memory);
	if (fd >= 0) {
		send_fd(socket, fd);
		close(fd);
	}
	shutdown(socket, SHUT_WR);
	assert_int_equal(app_frame(&program->app, OUTSIDE_LIMIT, 3), VK_SUCCESS);
	assert_int_equal(vkQueueWaitIdle(program->app.queue), VK_SUCCESS);
	vkDestroySemaphore(program->app.device, get.semaphore, NULL);
}

static void
share(VkExternalMemoryHandleTypeFlagBits type, bool must)
{
	struct outside program;
	int sockets[2], status;
	bool shares;
	pid_t child;

	stack_use(STACK_LAVAPIPE);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(sockets[0]);
		_exit(look(sockets[1], type));
	}
	close(sockets[1]);
	outside_open(&program, type);
	outside_create_staging(&program);
	shares = outside_can_share(&program);
	if (shares) {
		outside_create_image(&program, -1);
		show(&program, sockets[0]);
	}
	outside_close(&program);
	close(sockets[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!shares && !must)
		kr_test_skip("no-dma-buf-export", NULL);
	assert_true(shares);
	assert_int_equal(status, 0);
}

/* W-11: memory as the driver shares it, and a semaphore of its own where it has such. */
static void
opaque_memory_goes_to_another_program(void **state)
{
	share(VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, true);
}

/* W-11 */
static void
dma_buf_goes_to_another_program(void **state)
{
	share(VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, getenv("KRAFLA_LAB") != NULL);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(opaque_memory_goes_to_another_program, LEAVES, 60),
	KR_TEST_SLOW(dma_buf_goes_to_another_program, LEAVES, 60),
};

KR_TEST_MAIN(tests)
