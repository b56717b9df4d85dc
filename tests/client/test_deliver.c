/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla deliver` with drivers of a service: which service, which of its drivers, its devices, and
 * what is said of one that misbehaves. tests/tools/deliver/test_deliver.c has the installed ones.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

#define DELIVER(...) ((const char *const[]){KRAFLA, "deliver", __VA_ARGS__, NULL})
#define NODES        "--print", "--bwrap", "bwrap", "--dev", "/dev", "true"
/* The index of what was given, which is memory: it names the driver as the service does. */
#define LIST "sh", "-c", "fd=${KRAFLA_DELIVERED#memory:}; cat /proc/self/fd/${fd%%,*}"

static struct fake_service *service;
static char socket_path[128], output[16 * 1024];

static int
run(const char *const *argv)
{
	int ends[2], status = 0;
	size_t length = 0;
	ssize_t got;
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(99);
	}
	close(ends[1]);
	while ((got = read(ends[0], output + length, sizeof(output) - 1 - length)) > 0)
		length += (size_t)got;
	output[length] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void
expect(const char *const *argv, int code, const char *part)
{
	const int ended = run(argv);

	if (ended != code || !strstr(output, part))
		fail_msg("%d and '%s' were due, not %d: %s", code, part, ended, output);
}

/* A service with two drivers, named in the environment; nothing is installed. */
static void
start(void)
{
	service = begin("linux");
	setenv("VK_DRIVER_FILES", kr_test_dir(), 1);
	snprintf(socket_path, sizeof(socket_path), "%s/service", kr_test_dir());
	fake_offer(service, "0-libvulkan_a.so", TEST_ICD);
	fake_offer(service, "1-libvulkan_b.so", TEST_FAKE_B);
}

/*
 * Of the driver's version where a mount can hold it; where none can be had it is the installed one.
 */
static const char manifest_of_a[] =
	"case $VK_DRIVER_FILES in /proc/self/fd/*) version=1.1.0 ;; *) version=1.3.0 ;; esac;"
	"grep -qF $version $VK_DRIVER_FILES && grep -q library_path $VK_DRIVER_FILES && exit 7";

static void
drivers_of_a_service(void **state)
{
	start();
	for (int listing = 0; listing < 2; listing++) {
		atomic_store(&service->listing, listing);
		expect(DELIVER(LIST), 0, "\"0-libvulkan_a.so\"");
		expect(DELIVER("--service", socket_path, "--strict", LIST), 0,
			"\"0-libvulkan_a.so\"");
		expect(DELIVER("--driver", "b", LIST), 0, "\"1-libvulkan_b.so\"");
		expect(DELIVER("--driver", "libvulkan_b.so", LIST), 0, "\"1-libvulkan_b.so\"");
		expect(DELIVER("--driver", "c", "true"), 125,
			"offers no driver 'c'; it offers:\n  libvulkan_a.so\n  libvulkan_b.so\n");
	}
	expect(DELIVER("sh", "-c", manifest_of_a), 7, "");
	fake_kill(service);
}

/* Without one there is nothing; what isn't a manifest is none. */
static void
service_without_drivers(void **state)
{
	char path[256];
	FILE *file;

	start();
	fake_withdraw(service, "0-libvulkan_a.so");
	fake_withdraw(service, "1-libvulkan_b.so");
	expect(DELIVER("true"), 125, "service offers no driver\n");
	expect(DELIVER("--driver", "a", "true"), 125, "offers no driver 'a', nor any other");
	snprintf(path, sizeof(path), "%s/manifests/2-odd.so.json", service->dir);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs("[]", file);
	fclose(file);
	expect(DELIVER("true"), 125, "service offers no driver\n");
	fake_kill(service);
}

/* A package that goes between the manifest and the request for it. */
static void
driver_that_is_gone(void **state)
{
	start();
	fake_withdraw(service, "0-libvulkan_a.so");
	fake_withdraw(service, "1-libvulkan_b.so");
	fake_offer(service, "2-libvulkan_gone.so", NULL);
	expect(DELIVER("true"), 125, "no longer has '2-libvulkan_gone.so': try again");
	fake_kill(service);
}

static void
service_that_misbehaves(void **state)
{
	static const struct {
		enum fake_fault fault;
		const char *said;
	} faults[] = {
		{FAKE_CLOSES, "krafla deliver: "},
		{FAKE_WRONG_VERSION, "krafla deliver: "},
		{FAKE_REFUSES, "krafla deliver: "},
		{FAKE_GARBAGE, "krafla deliver: "},
		{FAKE_NO_DIRECTORY, "krafla deliver: "},
		{FAKE_DIES_ON_GET, "krafla deliver: "},
		{FAKE_WRONG_TYPE, "krafla deliver: "},
		{FAKE_NOT_SEALED, "krafla deliver: "},
	};

	start();
	for (size_t i = 0; i < KR_ARRAY_LEN(faults); i++) {
		atomic_store(&service->fault, faults[i].fault);
		expect(DELIVER("echo", "it ran"), 125, faults[i].said);
		assert_null(strstr(output, "it ran"));
	}
	atomic_store(&service->fault, FAKE_WORKS);
	fake_kill(service);
}

/* Its devices beside those of the driver, in folders of their own too. */
static void
devices_of_a_service(void **state)
{
	char folder[256];

	start();
	snprintf(folder, sizeof(folder), "%s/dev/pts", service->dir);
	assert_int_equal(mkdir(folder, 0755), 0);
	fake_device(service, "null", "");
	fake_device(service, "pts/ptmx", "");
	fake_device(service, ".hidden", "");
	for (int listing = 0; listing < 2; listing++) {
		atomic_store(&service->listing, listing);
		expect(DELIVER(NODES), 0, "--dev-bind /dev/null /dev/null");
		if (!access("/dev/pts/ptmx", F_OK))
			assert_non_null(strstr(output, "--dev-bind /dev/pts/ptmx /dev/pts/ptmx"));
		assert_null(strstr(output, "hidden"));
	}
	fake_kill(service);
}

/* --- which service --- */

static void
services_that_are_not_there(void **state)
{
	char path[256];

	start();
	expect(DELIVER("--service", "/nonexistent/service", "true"), 125, "/nonexistent/service");
	setenv("KRAFLA_SERVICE", "/nonexistent/service", 1);
	expect(DELIVER("true"), 125, "/nonexistent/service");
	expect(DELIVER("--service", socket_path, LIST), 0, "\"0-libvulkan_a.so\"");
	/* With none, what is installed is what there is: nothing. */
	setenv("KRAFLA_SERVICE", "none", 1);
	expect(DELIVER("true"), 125, "no driver is installed here");
	setenv("KRAFLA_SERVICE", socket_path, 1);
	expect(DELIVER("--no-service", "true"), 125, "no driver is installed here");
	/* The places where nobody is named: no service is no error, one that doesn't work is. */
	if (access("/run/krafla/service", F_OK)) {
		unsetenv("KRAFLA_SERVICE");
		setenv("XDG_RUNTIME_DIR", kr_test_dir(), 1);
		expect(DELIVER("true"), 125, "no driver is installed here");
		snprintf(path, sizeof(path), "%s/krafla", kr_test_dir());
		assert_int_equal(mkdir(path, 0755), 0);
		snprintf(path, sizeof(path), "%s/krafla/service", kr_test_dir());
		assert_int_equal(symlink(socket_path, path), 0);
		expect(DELIVER(LIST), 0, "\"0-libvulkan_a.so\"");
		atomic_store(&service->fault, FAKE_CLOSES);
		expect(DELIVER("true"), 125, "krafla/service");
		fake_kill(service);
		/* Its socket is left: nobody listens. */
		expect(DELIVER("true"), 125, "no driver is installed here");
		unsetenv("XDG_RUNTIME_DIR");
		expect(DELIVER("true"), 125, "no driver is installed here");
	} else {
		fake_kill(service);
	}
}

/* The environment of programs is set here. */
static const struct kr_test tests[] = {
	KR_TEST_SLOW(drivers_of_a_service, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(service_without_drivers, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(driver_that_is_gone, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(service_that_misbehaves, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(devices_of_a_service, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(services_that_are_not_there, KR_TEST_KEEPS_MEMORY, 60),
};

KR_TEST_MAIN(tests)
