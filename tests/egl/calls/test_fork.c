/* SPDX-License-Identifier: Apache-2.0 */
/* Children of programs with threads: no lock of EGL's is one that a thread of the parent has. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "egl/vendor/device.h"
#include "rig.h"
#include "sanitizer.h"

#define FLAGS KR_TEST_KEEPS_MEMORY

static int
status_of(pid_t child)
{
	int status = -1;

	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

/* --- each lock that is taken for a moment --- */

#define FORKS 300

static atomic_bool ends;

static void
ask_for_names(void)
{
	krafla.getProcAddress("glHandNumber");
	krafla.getDispatchAddress("eglHandNewEXT");
}

static void *
keep_asking(void *data)
{
	while (!ends)
		ask_for_names();
	return NULL;
}

static void *
keep_adding(void *data)
{
	for (uintptr_t handle = 0x100000; !ends && handle < 0x200000; handle += 8)
		kr_egl_device_add((EGLDeviceEXT)handle, kr_egl_vendor_at(0));
	return NULL;
}

static void
use_egl(void)
{
	EGLDisplay display;

	alarm(10);
	ask_for_names();
	display = rig_display(2);
	kr_egl_device_add((EGLDeviceEXT)0x98, kr_egl_vendor_at(0));
	_exit(!EGL(MakeCurrent, MAKECURRENT)(display, NULL, NULL, rig_context(display)));
}

static void
a_child_waits_for_no_thread_of_its_parents(void **state)
{
	pthread_t threads[3];

	/* AddressSanitizer's allocator is locked in the child if a thread was in it. */
	if (SANITIZED)
		kr_test_skip("sanitizer-forks", NULL);
	rig_start();
	pthread_create(&threads[0], NULL, keep_asking, NULL);
	pthread_create(&threads[1], NULL, keep_asking, NULL);
	pthread_create(&threads[2], NULL, keep_adding, NULL);
	for (int i = 0; i < FORKS; i++) {
		pid_t child = fork();

		if (!child)
			use_egl();
		assert_int_equal(status_of(child), 0);
	}
	ends = true;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

/* --- a display that is being initialised --- */

static sem_t begun, goes_on;

static void
wait_there(void)
{
	sem_post(&begun);
	sem_wait(&goes_on);
}

static void *
initialize(void *display)
{
	PFNEGLINITIALIZEPROC init = (PFNEGLINITIALIZEPROC)krafla.getProcAddress("eglInitialize");

	return (void *)(uintptr_t)!init(display, NULL, NULL);
}

static void
a_fork_waits_for_no_vendor(void **state)
{
	EGLDisplay display;
	pthread_t thread;
	void *wrong;
	pid_t child;

	sem_init(&begun, 0, 0);
	sem_init(&goes_on, 0, 0);
	rig_start();
	display = krafla.getPlatformDisplay(HAND_PLATFORM(1), NULL, NULL);
	hand_of(1)->in_initialize = wait_there;
	assert_int_equal(pthread_create(&thread, NULL, initialize, display), 0);
	sem_wait(&begun);
	child = fork();
	if (!child) {
		hand_of(1)->in_initialize = NULL;
		alarm(10);
		_exit(initialize(display) != NULL);
	}
	assert_int_equal(status_of(child), 0);
	sem_post(&goes_on);
	pthread_join(thread, &wrong);
	assert_null(wrong);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(a_child_waits_for_no_thread_of_its_parents, FLAGS, 60),
	KR_TEST_FLAGS(a_fork_waits_for_no_vendor, FLAGS),
};

KR_TEST_MAIN(tests)
