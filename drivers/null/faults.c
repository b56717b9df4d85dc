/* SPDX-License-Identifier: Apache-2.0 */
/* See faults.h. */
#include "null/faults.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "null/mutants.h"

#define LIMIT_2D   4096u
#define A_WHILE_US 100

static atomic_uint inside;
static _Atomic(VkSemaphore) last;
static atomic_bool forked;
static pid_t owner;

bool
null_is_beside_another(void)
{
	bool beside = atomic_fetch_add(&inside, 1) > 0;

	usleep(A_WHILE_US);
	atomic_fetch_sub(&inside, 1);
	return beside;
}

VkSemaphore
null_race(VkSemaphore semaphore)
{
	atomic_store(&last, semaphore);
	usleep(A_WHILE_US);
	return atomic_load(&last);
}

VkResult
null_image_fault(const VkImageCreateInfo *info)
{
	void *left;

	if (null_has_fault(image_races) && null_is_beside_another())
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	if (null_has_fault(narrow_is_refused) && info->extent.width == 1)
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	if (null_has_fault(too_wide_ends_all) && info->extent.width > LIMIT_2D)
		abort();
	if (null_has_fault(images_leak_memory)) {
		left = malloc(1024);
		/* Not to be found superfluous. */
		__asm__ volatile("" : : "r"(left) : "memory");
	}
	return VK_SUCCESS;
}

void
null_release_fault(int fence)
{
	static atomic_uint count;

	if (null_has_fault(hundredth_frame_leaks) && atomic_fetch_add(&count, 1) % 100 == 99)
		(void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null_has_fault(release_survives_exec) && fence >= 0)
		(void)fcntl(fence, F_SETFD, 0);
}

unsigned
null_count_acquired(const struct null_device *device)
{
	const struct null_image *image;
	unsigned count = 0;

	kr_list_for_each (image, &device->natives, link)
		count += image->acquired;
	return count;
}

bool
null_has_forked(void)
{
	return atomic_load(&forked);
}

static void
note_fork(void)
{
	atomic_store(&forked, true);
}

__attribute__((constructor)) static void
begin(void)
{
	owner = getpid();
	(void)pthread_atfork(NULL, note_fork, NULL);
}

/* Fences are such, and a child has its parent's. */
static void
shut_down_sockets(void)
{
	for (int fd = 3; fd < 256; fd++)
		(void)shutdown(fd, SHUT_RDWR);
}

__attribute__((destructor)) static void
end(void)
{
	if (null_has_fault(child_ends_the_fences) && getpid() != owner)
		shut_down_sockets();
}
