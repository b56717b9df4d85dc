/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the loader does to the process that it is in: descriptors are closed by exec, threads take
 * none of the program's signals, a fork is survived, and a lost device is told, not waited for.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "harness.h"
#include "rig.h"
#include "stack.h"
#include "x_app.h"
#include "xvfb.h"

#define FRAMES 10
#define SIZE   ((VkExtent2D){RIG_WIDTH, RIG_HEIGHT})
#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep for good */

static void
open_and_show(struct app *app)
{
	assert_int_equal(app_open_instance(app, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	assert_int_equal(app_create_headless_surface(app), VK_SUCCESS);
	assert_int_equal(app_open_device(app, 0), VK_SUCCESS);
	assert_int_equal(app_create_swapchain(app, VK_PRESENT_MODE_FIFO_KHR, 4, SIZE), VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(app), VK_SUCCESS);
	for (unsigned i = 0; i < FRAMES; i++)
		assert_int_equal(app_frame(app, UINT64_MAX, i), VK_SUCCESS);
}

static void
start_display(struct rig *rig)
{
	rig_start(rig, KR_CLOCK_REAL);
	setenv("KRAFLA_DISPLAY", rig->socket, 1);
}

/* --- exec --- */

/* Calls back for each number that names an entry of a directory of /proc. */
static void
for_each_number(const char *path, void (*call)(int number, void *data), void *data)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(dir))
			call(atoi(entry->d_name), data);
	}
	closedir(dir);
}

struct fds {
	bool known[1024];
	unsigned checked;
};

static void
remember_fd(int fd, void *data)
{
	((struct fds *)data)->known[fd] = true;
}

static void
check_fd(int fd, void *data)
{
	struct fds *fds = data;
	char path[64], target[256] = "";

	if (fds->known[fd])
		return;
	fds->checked++;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fcntl(fd, F_GETFD) == 0 && readlink(path, target, sizeof(target) - 1) > 0)
		fail_msg("%s would be inherited by what the program starts", target);
}

static void
descriptors_close_on_exec(void **state)
{
	struct fds fds = {0};
	struct app app = {0};
	struct rig rig = {0};

	stack_use(STACK_NULL);
	setenv("KRAFLA_NULL_RELEASE", "late:20", 1);
	start_display(&rig);
	for_each_number("/proc/self/fd", remember_fd, &fds);
	open_and_show(&app);
	for_each_number("/proc/self/fd", check_fd, &fds);
	assert_true(fds.checked > 0);
	app_close(&app);
	rig_stop(&rig, NULL);
}

/* --- signals --- */

#define NEVER_BLOCKED ((1ull << (SIGKILL - 1)) | (1ull << (SIGSTOP - 1)))
/* Those that a fault raises in the thread itself. */
#define FAULTS                                                                                     \
	((1ull << (SIGSEGV - 1)) | (1ull << (SIGBUS - 1)) | (1ull << (SIGILL - 1)) |               \
		(1ull << (SIGFPE - 1)) | (1ull << (SIGTRAP - 1)) | (1ull << (SIGSYS - 1)) |        \
		(1ull << (SIGABRT - 1)))

struct threads {
	pid_t known[16];
	unsigned count;
	unsigned checked;
};

static void
remember_thread(int tid, void *data)
{
	struct threads *threads = data;

	assert_true(threads->count < 16);
	threads->known[threads->count++] = tid;
}

static void
check_thread(int tid, void *data)
{
	struct threads *threads = data;
	unsigned long long blocked = 0;
	char path[64], line[256];
	FILE *file;

	for (unsigned i = 0; i < threads->count; i++) {
		if (threads->known[i] == tid)
			return;
	}
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "SigBlk: %llx", &blocked);
	if (!file)
		return;
	fclose(file);
	threads->checked++;
	/* 32 and 33 are the C library's. */
	if ((blocked | NEVER_BLOCKED | FAULTS | 3ull << 31) != ~0ull)
		fail_msg("thread %d blocks %llx only", tid, blocked);
}

static void
threads_take_no_signals(void **state)
{
	struct threads threads = {0};
	struct app app = {0};
	struct rig rig = {0};

	stack_use(STACK_NULL);
	setenv("KRAFLA_NULL_RELEASE", "late:20", 1);
	start_display(&rig);
	for_each_number("/proc/self/task", remember_thread, &threads);
	open_and_show(&app);
	for_each_number("/proc/self/task", check_thread, &threads);
	assert_true(threads.checked > 0);
	app_close(&app);
	rig_stop(&rig, NULL);
}

static void
threads_of_x_windows_take_no_signals(void **state)
{
	struct threads threads = {0};
	struct kr_xvfb server;
	struct app app = {0};
	struct x_app x;

	stack_use(STACK_NULL);
	setenv("KRAFLA_NULL_RELEASE", "late:20", 1);
	setenv("KRAFLA_WSI", "platform", 1);
	kr_xvfb_start(&server, "320x240x24", NULL, NULL);
	for_each_number("/proc/self/task", remember_thread, &threads);
	assert_true(x_app_open(&x, server.display, SIZE.width, SIZE.height));
	assert_int_equal(app_open_instance(&app, "VK_KHR_xcb_surface", NULL), VK_SUCCESS);
	assert_int_equal(x_app_create_surface(&x, &app), VK_SUCCESS);
	assert_int_equal(app_open_device(&app, 0), VK_SUCCESS);
	assert_int_equal(app_create_swapchain(&app, VK_PRESENT_MODE_FIFO_KHR, 3, SIZE), VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(&app), VK_SUCCESS);
	for (unsigned i = 0; i < FRAMES; i++)
		assert_int_equal(app_frame(&app, UINT64_MAX, i), VK_SUCCESS);
	for_each_number("/proc/self/task", check_thread, &threads);
	assert_true(threads.checked > 0);
	app_close(&app);
	x_app_close(&x);
	kr_xvfb_stop(&server);
}

/* --- fork --- */

/*
 * A child that only ends (posix_spawn, system, a crash handler) disturbs nobody: frames go on, and
 * when the parent closes its window the display hears of it although the child is still there.
 */
static void
forks_are_survived(void **state)
{
	struct app app = {0};
	struct rig rig = {0};
	int ends[2];
	pid_t child;

	stack_use(STACK_LAVAPIPE);
	start_display(&rig);
	open_and_show(&app);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		char byte;

		close(ends[1]);
		_exit(read(ends[0], &byte, 1) != 0);
	}
	for (unsigned i = 0; i < FRAMES; i++)
		assert_int_equal(app_frame(&app, UINT64_MAX, i), VK_SUCCESS);
	app_close(&app);
	rig_wait_gone(&rig, 1);
	close(ends[1]);
	close(ends[0]);
	waitpid(child, NULL, 0);
	rig_stop(&rig, NULL);
}

/* --- a lost device --- */

/* W-12: the frame that finds it out says so, and everything ends in time. */
static void
lost_devices_are_told(void **state)
{
	PFN_kr_null_lose_devices lose;
	struct app app = {0};
	struct rig rig = {0};
	long long before;

	stack_use(STACK_NULL);
	start_display(&rig);
	open_and_show(&app);
	lose = (PFN_kr_null_lose_devices)stack_null_function("kr_null_lose_devices");
	lose();
	before = stack_now_ms();
	assert_int_equal(app_frame(&app, UINT64_MAX, 0), VK_ERROR_DEVICE_LOST);
	app_close(&app);
	assert_in_range(stack_now_ms() - before, 0, 5000);
	rig_wait_gone(&rig, 1);
	rig_stop(&rig, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(descriptors_close_on_exec, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(threads_take_no_signals, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(threads_of_x_windows_take_no_signals, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(forks_are_survived, LEAVES),
	KR_TEST_FLAGS(lost_devices_are_told, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
