/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-delivered.so: the driver that a loader sees in a command of `krafla deliver`. It stands
 * for the one that the process has inherited as descriptors, checks that against the libraries of
 * the process, loads it, and hands every question on to it. If that can't be, it says why and is a
 * driver that supports nothing.
 *
 * Why not name the driver itself: its libraries would have to be found by LD_LIBRARY_PATH,
 * which puts the driver's libstdc++ before the application's perhaps newer one, and a libc that
 * is too old would go unnamed.
 */
#include <errno.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/vulkan.h"
#include <vulkan/vk_icd.h>

#include "delivery/delivery.h"
#include "util/env.h"
#include "util/log.h"

#define VARIABLE "KRAFLA_DELIVERED"

/* Of the driver; NULL: it has none, or couldn't be loaded. */
static PFN_vkNegotiateLoaderICDInterfaceVersion negotiate;
static PFN_vkGetInstanceProcAddr get_instance_proc_addr;
static PFN_vkGetInstanceProcAddr get_physical_device_proc_addr;

KR_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(
	uint32_t *version);
KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(
	VkInstance instance, const char *name);
KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(
	VkInstance instance, const char *name);

static void KR_PRINTF(1, 2) complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	kr_vlog(KR_LOG_ERROR | KR_LOG_DRIVER | KR_LOG_LOUD, fmt, args);
	va_end(args);
}

/*
 * The number at *at, which is behind it then and what separates it from the next; -1:
 * there is none.
 */
static int
read_number(const char **at)
{
	char *end;
	long number = strtol(*at, &end, 10);

	if (end == *at || **at < '0' || **at > '9' || (*end && *end != ',') || number > INT32_MAX)
		return -1;
	*at = *end ? end + 1 : end;
	return (int)number;
}

/* Copies of the descriptors in a list: the numbers themselves stay for children of this process. */
static bool
copy_descriptors(const char *list, int *fds, size_t *count)
{
	do {
		int number = read_number(&list);

		if (number < 0 || *count > KR_INDEX_MAX_FILES) {
			complain(VARIABLE
				" is no list of descriptors: it is for krafla deliver to set");
			return false;
		}
		fds[*count] = fcntl(number, F_DUPFD_CLOEXEC, 3);
		if (fds[*count] < 0) {
			complain(
				"descriptor %d, which " VARIABLE
				" names, can't be used in this process: %s. What started it since krafla deliver has closed what it inherited; docs/deliver.md says what does",
				number, strerror(errno));
			return false;
		}
		++*count;
	} while (*list);
	return true;
}

/* "mount:700" or "memory:700,701,702". */
static bool
copy_delivered(enum kr_delivery_kind *kind, int *fds, size_t *count)
{
	static const char mount[] = "mount:", memory[] = "memory:";
	const char *text = kr_env_get(VARIABLE);

	if (!text) {
		complain(VARIABLE " isn't set: this library is for commands of krafla deliver");
		return false;
	}
	if (!strncmp(text, mount, strlen(mount))) {
		*kind = KR_DELIVERY_MOUNT;
		return copy_descriptors(text + strlen(mount), fds, count);
	}
	if (!strncmp(text, memory, strlen(memory))) {
		*kind = KR_DELIVERY_MEMORY;
		return copy_descriptors(text + strlen(memory), fds, count);
	}
	complain(VARIABLE " is '%s', which no krafla deliver of this version writes", text);
	return false;
}

/* The driver's handle, NULL when it can't be had, which was told. */
static void *
load(void)
{
	enum kr_delivery_kind kind = KR_DELIVERY_NONE;
	int fds[KR_INDEX_MAX_FILES + 1], err;
	struct kr_delivery *delivery = NULL;
	char *reason = NULL;
	void *driver = NULL;
	size_t count = 0;

	if (!copy_delivered(&kind, fds, &count)) {
		while (count)
			close(fds[--count]);
		return NULL;
	}
	err = kr_delivery_take(kind, fds, count, &delivery, &reason);
	if (!err)
		err = kr_delivery_load(delivery, &driver, &reason);
	kr_delivery_destroy(delivery);
	if (err)
		complain(
			"the delivered driver can't be used: %s", reason ? reason : strerror(-err));
	free(reason);
	return err ? NULL : driver;
}

/* dlsym gives an object pointer; POSIX says that it may be a function's. */
static PFN_vkVoidFunction
find(void *driver, const char *name)
{
	PFN_vkVoidFunction function;
	void *symbol = dlsym(driver, name);

	memcpy(&function, &symbol, sizeof(function));
	return function;
}

static void
load_driver(void)
{
	void *driver = load();

	if (!driver)
		return;
	negotiate = (PFN_vkNegotiateLoaderICDInterfaceVersion)find(
		driver, "vk_icdNegotiateLoaderICDInterfaceVersion");
	get_instance_proc_addr =
		(PFN_vkGetInstanceProcAddr)find(driver, "vk_icdGetInstanceProcAddr");
	get_physical_device_proc_addr =
		(PFN_vkGetInstanceProcAddr)find(driver, "vk_icdGetPhysicalDeviceProcAddr");
	if (!get_instance_proc_addr)
		complain("the delivered driver has no vk_icdGetInstanceProcAddr: it can't be used");
}

static bool
have_driver(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_driver);
	return get_instance_proc_addr;
}

KR_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	if (!have_driver())
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	if (negotiate)
		return negotiate(version);
	/* Drivers from before there was this question. */
	*version = 1;
	return VK_SUCCESS;
}

KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
	return have_driver() ? get_instance_proc_addr(instance, name) : NULL;
}

/* NULL says: not a function of a physical device, as far as the driver knows. */
KR_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
	if (!have_driver() || !get_physical_device_proc_addr)
		return NULL;
	return get_physical_device_proc_addr(instance, name);
}
