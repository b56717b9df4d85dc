/* SPDX-License-Identifier: Apache-2.0 */
/* K-48: a program that has closed the loader is as it was before it opened it. */
#include <dirent.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

static int
count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* What touches the most: drivers, a messenger, a device, a surface and swapchains' extension. */
static void
use_loader(struct loader *l)
{
	static const char *const instance_extensions[] = {
		"VK_EXT_debug_utils", "VK_KHR_surface", "VK_EXT_headless_surface", NULL};
	static const char *const device_extensions[] = {"VK_KHR_swapchain", NULL};
	const VkDebugUtilsMessengerCreateInfoEXT info =
		kr_vulkan_messenger_info(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, NULL, NULL);
	VkDebugUtilsMessengerEXT messenger;

	open_loader(l);
	make_instance(l, instance_extensions);
	messenger = make_messenger(l, &info);
	end_device(l, make_device(l, l->devices[0], device_extensions));
	end_messenger(l, messenger);
	end_instance(l);
}

static void
test_nothing_stays(void **state)
{
	int threads = count_threads(), fds = kr_test_count_fds();
	struct loader l;

	use_null_hal();
	use_loader(&l);
	assert_true(is_mapped("libvulkan.so.1"));
	close_loader(&l);
	assert_false(is_mapped("libvulkan.so.1"));
	assert_false(is_mapped("vulkan.null.so"));
	assert_int_equal(count_threads(), threads);
	assert_int_equal(kr_test_count_fds(), fds);
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	assert_true(is_mapped("fake_a.so"));
	end_instance(&l);
	close_loader(&l);
	assert_false(is_mapped("fake_a.so"));
	assert_false(is_mapped("fake_b.so"));
	assert_int_equal(kr_test_count_fds(), fds);
}

/* More often than a process has keys for thread-specific data (PTHREAD_KEYS_MAX), then a fork. */
static void
test_many_times(void **state)
{
	struct loader l;
	pthread_key_t key;
	int status;
	pid_t child;

	use_null_hal();
	for (int i = 0; i < 1100; i++) {
		use_loader(&l);
		close_loader(&l);
	}
	assert_int_equal(pthread_key_create(&key, NULL), 0);
	pthread_key_delete(key);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static const struct kr_test tests[] = {
	KR_TEST(test_nothing_stays),
	KR_TEST_SLOW(test_many_times, 0, 120),
};

KR_TEST_MAIN(tests)
