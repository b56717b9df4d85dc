/* SPDX-License-Identifier: Apache-2.0 */
/* Searching drivers with the client: discover/ over a fake service. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/client.h"
#include "client/connection.h"
#include "discover/discover.h"
#include "support.h"
#include "util/text.h"

#define MANIFEST(library)                                                                          \
	"{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"" library                  \
	"\",\"api_version\":\"1.1.0\"}}"

static struct kr_driver_list list;
static bool privileged;

/*
 * libc's answers NULL in a process with more rights than its user; this one plays it (test_env.c).
 */
char *
secure_getenv(const char *name)
{
	return privileged ? NULL : getenv(name);
}

static void
search(void)
{
	const struct kr_discover_options options = {.service = kr_client_service()};

	assert_int_equal(kr_discover_drivers(&options, &list), 0);
}

static size_t
search_and_count(void)
{
	const struct kr_driver *driver;
	size_t count = 0;

	search();
	kr_list_for_each (driver, &list.drivers, link)
		count++;
	kr_driver_list_finish(&list);
	return count;
}

static const struct kr_driver_candidate *
candidate(size_t index)
{
	const struct kr_driver_candidate *candidate;

	kr_list_for_each (candidate, &list.candidates, link) {
		if (!index--)
			return candidate;
	}
	fail_msg("there are fewer candidates");
	return NULL;
}

/* The one candidate of a search. */
static void
assert_candidate(enum kr_candidate_verdict verdict, const char *reason)
{
	search();
	assert_int_equal(candidate(0)->verdict, verdict);
	if (!strstr(candidate(0)->reason, reason))
		fail_msg("\"%s\" doesn't say \"%s\"", candidate(0)->reason, reason);
	assert_true(candidate(0)->served);
	kr_driver_list_finish(&list);
}

static void
end(void)
{
	kr_discover_end();
	kr_client_end();
}

/* F-03, F-04, F-08: one connection, one question for manifests, one for each library. */
static void
drivers_are_loaded_once(void **state)
{
	struct fake_service *service = begin("fuchsia");
	void *first;

	fake_offer(service, "10-b.so", TEST_FAKE_B);
	fake_offer(service, "9-a.so", TEST_ICD);
	assert_non_null(kr_client_service());
	assert_int_equal(atomic_load(&service->connections), 0);
	search();
	assert_string_equal(candidate(0)->path, "service:9-a.so.json");
	assert_string_equal(candidate(0)->library_path, "9-a.so");
	assert_int_equal(candidate(0)->verdict, KR_CANDIDATE_USED);
	assert_string_equal(candidate(1)->library_path, "10-b.so");
	first = kr_container_of(list.drivers.next, struct kr_driver, link)->dso;
	assert_non_null(first);
	kr_driver_list_finish(&list);
	search();
	assert_ptr_equal(kr_container_of(list.drivers.next, struct kr_driver, link)->dso, first);
	kr_driver_list_finish(&list);
	assert_int_equal(search_and_count(), 2);
	assert_int_equal(atomic_load(&service->connections), 1);
	assert_int_equal(atomic_load(&service->manifest_requests), 1);
	assert_int_equal(atomic_load(&service->idle_requests), 1);
	assert_int_equal(atomic_load(&service->gets), 2);
	end();
	fake_kill(service);
}

/*
 * M-03: without a question where the service gives a directory, by a question where it gives a
 * listing.
 */
static void
manifests_are_followed(void **state)
{
	for (int listing = 0; listing < 2; listing++) {
		struct fake_service *service = begin("fuchsia");

		atomic_store(&service->listing, listing);
		assert_int_equal(search_and_count(), 0);
		fake_offer(service, "0-a.so", TEST_ICD);
		assert_int_equal(search_and_count(), 1);
		fake_offer(service, "1-b.so", TEST_FAKE_B);
		assert_int_equal(search_and_count(), 2);
		fake_withdraw(service, "0-a.so");
		assert_int_equal(search_and_count(), 1);
		fake_withdraw(service, "1-b.so");
		assert_int_equal(search_and_count(), 0);
		assert_int_equal(atomic_load(&service->manifest_requests), listing ? 5 : 1);
		assert_int_equal(atomic_load(&service->idle_requests), 1);
		end();
		fake_kill(service);
	}
}

/*
 * A directory that hasn't changed for a while isn't read: a file that only changed its content
 * stays as it was.
 */
static void
what_has_not_changed_is_not_read(void **state)
{
	struct fake_service *service = begin("fuchsia");
	struct timespec long_ago[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
	char directory[PATH_MAX], path[PATH_MAX + 32];

	fake_offer(service, "0-a.so", TEST_ICD);
	snprintf(directory, sizeof(directory), "%s/manifests", service->dir);
	assert_int_equal(utimensat(AT_FDCWD, directory, long_ago, 0), 0);
	assert_int_equal(search_and_count(), 1);
	assert_int_equal(search_and_count(), 1);
	snprintf(path, sizeof(path), "%s/0-a.so.json", directory);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(search_and_count(), 1);
	fake_offer(service, "1-b.so", TEST_FAKE_B);
	search();
	assert_int_equal(candidate(0)->verdict, KR_CANDIDATE_BAD_MANIFEST);
	assert_int_equal(candidate(1)->verdict, KR_CANDIDATE_USED);
	kr_driver_list_finish(&list);
	end();
	fake_kill(service);
}

/* Two changes within a grain of the clock: the second one leaves no other time behind. */
static void
a_change_that_does_not_show_is_seen(void **state)
{
	struct fake_service *service = begin("fuchsia");
	char directory[PATH_MAX];
	struct timespec times[2];
	struct stat status;

	fake_offer(service, "0-a.so", TEST_ICD);
	snprintf(directory, sizeof(directory), "%s/manifests", service->dir);
	assert_int_equal(search_and_count(), 1);
	assert_int_equal(stat(directory, &status), 0);
	fake_offer(service, "1-b.so", TEST_FAKE_B);
	times[0] = times[1] = status.st_mtim;
	assert_int_equal(utimensat(AT_FDCWD, directory, times, 0), 0);
	assert_int_equal(search_and_count(), 2);
	end();
	fake_kill(service);
}

/*
 * A package that was replaced after its manifest was read: the new one is found in the same search.
 */
static void
replaced_while_searching(void **state)
{
	struct fake_service *service = begin("fuchsia");
	char path[PATH_MAX], next[PATH_MAX];

	fake_offer(service, "0-a.so", NULL);
	fake_offer(service, "1-b.so", TEST_FAKE_B);
	snprintf(path, sizeof(path), "%s/manifests/1-b.so.json", service->dir);
	snprintf(next, sizeof(next), "%s/manifests/.next.json", service->dir);
	assert_int_equal(rename(path, next), 0);
	atomic_store(&service->fault, FAKE_REPLACES);
	search();
	assert_int_equal(candidate(0)->verdict, KR_CANDIDATE_MISSING);
	assert_non_null(strstr(candidate(0)->reason, "no 0-a.so any more"));
	assert_int_equal(candidate(1)->verdict, KR_CANDIDATE_USED);
	assert_string_equal(candidate(1)->library_path, "1-b.so");
	kr_driver_list_finish(&list);
	end();
	fake_kill(service);
}

/* F-02: nothing crashes or hangs, what is loaded stays, and nobody connects again. */
static void
service_dies(void **state)
{
	for (int listing = 0; listing < 2; listing++) {
		struct fake_service *service = begin("fuchsia");
		struct kr_client_report report;

		atomic_store(&service->listing, listing);
		fake_offer(service, "0-a.so", TEST_ICD);
		assert_int_equal(search_and_count(), 1);
		fake_restart(service);
		if (!listing)
			fake_offer(service, "1-b.so", TEST_FAKE_B);
		search();
		assert_int_equal(candidate(0)->verdict, KR_CANDIDATE_USED);
		if (!listing)
			assert_non_null(strstr(candidate(1)->reason, "closed the connection"));
		kr_driver_list_finish(&list);
		assert_true(kr_client_describe(&report));
		assert_int_equal(report.state, KR_CLIENT_LOST);
		assert_non_null(strstr(report.reason, "closed the connection"));
		kr_client_report_finish(&report);
		assert_int_equal(search_and_count(), 1);
		assert_int_equal(atomic_load(&service->connections), 1);
		end();
		fake_withdraw(service, "0-a.so");
		if (!listing)
			fake_withdraw(service, "1-b.so");
		fake_kill(service);
	}
}

static void
service_is_not_there(void **state)
{
	struct fake_service *service = begin("fuchsia");
	struct kr_client_report report;

	fake_kill(service);
	assert_candidate(KR_CANDIDATE_UNREADABLE, "start kraflad");
	assert_true(kr_client_describe(&report));
	assert_int_equal(report.state, KR_CLIENT_UNREACHABLE);
	assert_non_null(strstr(report.socket, "/service"));
	kr_client_report_finish(&report);
	/* It comes too late for this process. */
	service = begin("fuchsia");
	fake_offer(service, "0-a.so", TEST_ICD);
	assert_candidate(KR_CANDIDATE_UNREADABLE, "can't be reached");
	assert_int_equal(atomic_load(&service->connections), 0);
	end();
	fake_kill(service);
}

/* each is a reason, and neither search nor process come to harm. */
static void
packages_that_are_wrong(void **state)
{
	static const struct {
		enum fake_fault fault;
		enum kr_candidate_verdict verdict;
		const char *reason;
		bool stays;
	} cases[] = {
		{FAKE_NEEDS_NEWER, KR_CANDIDATE_UNLOADABLE, "9.99", true},
		{FAKE_NEEDS_MISSING, KR_CANDIDATE_MISSING, "libnowhere.so.9", false},
		{FAKE_NOT_SEALED, KR_CANDIDATE_UNLOADABLE, "seal", true},
		{FAKE_REFUSES, KR_CANDIDATE_UNLOADABLE, "no?[2J room", false},
		{FAKE_WRONG_KIND, KR_CANDIDATE_UNLOADABLE, "isn't known here", false},
		{FAKE_DIES_ON_GET, KR_CANDIDATE_UNLOADABLE, "closed the connection", false},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		struct fake_service *service = begin("fuchsia");
		int gets, fds;

		assert_int_equal(search_and_count(), 0);
		fake_offer(service, "0-a.so", TEST_ICD);
		fds = kr_test_count_fds();
		atomic_store(&service->fault, cases[i].fault);
		assert_candidate(cases[i].verdict, cases[i].reason);
		if (cases[i].fault != FAKE_DIES_ON_GET)
			assert_int_equal(kr_test_count_fds(), fds);
		gets = atomic_load(&service->gets);
		assert_candidate(cases[i].verdict, cases[i].reason);
		if (cases[i].stays)
			assert_int_equal(atomic_load(&service->gets), gets);
		end();
		fake_withdraw(service, "0-a.so");
		fake_kill(service);
	}
}

static void
manifests_in_a_form_that_is_not_known(void **state)
{
	static const enum fake_fault faults[] = {FAKE_WRONG_KIND, FAKE_NO_DIRECTORY};

	for (size_t i = 0; i < KR_ARRAY_LEN(faults); i++) {
		struct fake_service *service = begin("fuchsia");
		int fds = kr_test_count_fds();

		atomic_store(&service->fault, faults[i]);
		assert_candidate(KR_CANDIDATE_UNREADABLE, "form that isn't known");
		assert_int_equal(kr_test_count_fds(), fds + 1);
		end();
		fake_kill(service);
	}
}

/* A service that isn't idle for long: what it has by then counts, and it is told. */
static void
late_idleness_is_not_waited_for(void **state)
{
	struct fake_service *service = begin("fuchsia");

	kr_client_limits.parked_ns = 300 * KR_NSEC_PER_MSEC;
	fake_offer(service, "0-a.so", TEST_ICD);
	atomic_store(&service->fault, FAKE_PARKS_IDLE);
	assert_int_equal(search_and_count(), 1);
	assert_int_equal(atomic_load(&service->idle_requests), 1);
	assert_int_equal(atomic_load(&service->manifest_requests), 2);
	end();
	fake_kill(service);
}

/* What a directory of installed drivers has. */
static void
install(const char *name, const char *library)
{
	char file[64], *text = kr_asprintf(MANIFEST("%s"), library);

	make_dir("vulkan");
	make_dir("vulkan/icd.d");
	snprintf(file, sizeof(file), "vulkan/icd.d/%s", name);
	kr_test_file(file, text);
	free(text);
}

/*
 * Profile linux: the third source, where a driver that is served and works goes before an installed
 * one.
 */
static void
service_beside_manifests(void **state)
{
	struct fake_service *service = begin("linux");

	install("a.json", TEST_ICD);
	install("b.json", TEST_FAKE_B);
	fake_offer(service, "0-fake_a.so", TEST_ICD);
	search();
	/* In the order of trial: the installed ones first. */
	for (size_t i = 0; i < 2; i++) {
		bool is_a = strstr(candidate(i)->path, "/a.json");

		assert_int_equal(
			candidate(i)->verdict, is_a ? KR_CANDIDATE_DUPLICATE : KR_CANDIDATE_USED);
		if (is_a)
			assert_non_null(strstr(candidate(i)->reason, "0-fake_a.so"));
	}
	assert_int_equal(candidate(2)->verdict, KR_CANDIDATE_USED);
	assert_string_equal(candidate(2)->library_path, "0-fake_a.so");
	assert_string_equal(
		kr_container_of(list.drivers.prev, struct kr_driver, link)->library_path,
		"0-fake_a.so");
	kr_driver_list_finish(&list);
	/* What a variable names is used. */
	set_variable("VK_ADD_DRIVER_FILES", kr_test_file("own.json", MANIFEST(TEST_ICD)));
	assert_int_equal(search_and_count(), 3);
	set_variable("VK_ADD_DRIVER_FILES", "");
	/* What replaces the search replaces the service. */
	set_variable("VK_DRIVER_FILES", kr_test_file("own.json", MANIFEST(TEST_ICD)));
	search();
	assert_int_equal(candidate(0)->verdict, KR_CANDIDATE_USED);
	assert_ptr_equal(list.drivers.next->next, &list.drivers);
	kr_driver_list_finish(&list);
	end();
	fake_kill(service);
}

/* One that this process can't load takes nothing away. */
static void
installed_driver_stays_when_the_served_one_fails(void **state)
{
	struct fake_service *service = begin("linux");

	install("a.json", TEST_ICD);
	fake_offer(service, "0-fake_a.so", TEST_ICD);
	atomic_store(&service->fault, FAKE_NEEDS_NEWER);
	search();
	assert_int_equal(candidate(0)->verdict, KR_CANDIDATE_USED);
	assert_false(candidate(0)->served);
	assert_int_equal(candidate(1)->verdict, KR_CANDIDATE_UNLOADABLE);
	kr_driver_list_finish(&list);
	fake_kill(service);
	assert_int_equal(search_and_count(), 1);
	end();
}

/* KRAFLA_SERVICE in each profile: docs/environment.md. */
static void
who_asks_a_service(void **state)
{
	static const struct {
		const char *profile, *service;
		bool asks;
	} cases[] = {
		{"linux", "", false},
		{"linux", "none", false},
		{"linux", "/nowhere", true},
		{"fuchsia", "", false},
		{"fuchsia", "none", false},
		{"fuchsia", "/nowhere", true},
		{"fuchsia", NULL, true},
		{"linux", NULL, false},
		{"android", "/nowhere", false},
	};

	(void)kr_test_dir(); /* the children's too */
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		pid_t child = fork();
		int status;

		if (!child) {
			hide_system();
			set_variable("KRAFLA_PROFILE", cases[i].profile);
			if (cases[i].service)
				set_variable("KRAFLA_SERVICE", cases[i].service);
			else
				unsetenv("KRAFLA_SERVICE");
			_exit((kr_client_service() != NULL) != cases[i].asks);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status)
			fail_msg("case %zu", i);
	}
}

/* To where a user's service is by default, below XDG_RUNTIME_DIR. */
static void
move_socket(const struct fake_service *service, const char *name)
{
	char path[PATH_MAX], old[PATH_MAX];

	snprintf(old, sizeof(old), "%s/service", service->dir);
	snprintf(path, sizeof(path), "%s/%s", service->dir, name);
	assert_int_equal(rename(old, path), 0);
}

/* neither the variable nor the user's directory says where code comes from. */
static void
privileged_processes_ask_the_systems_service(void **state)
{
	struct fake_service *service = begin("fuchsia");
	struct kr_client_report report;

	if (!access("/run/krafla/service", F_OK))
		kr_test_skip("system-service", "/run/krafla/service is there");
	assert_non_null(kr_client_service());
	set_variable("XDG_RUNTIME_DIR", kr_test_dir());
	make_dir("krafla");
	move_socket(service, "krafla/service");
	privileged = true;
	assert_int_equal(search_and_count(), 0);
	assert_true(kr_client_describe(&report));
	assert_string_equal(report.socket, "/run/krafla/service");
	kr_client_report_finish(&report);
	assert_int_equal(atomic_load(&service->connections), 0);
	end();
	privileged = false;
	fake_kill(service);
}

/*
 * The second of the usual sockets; the first isn't on machines that run tests, or fails for another
 * reason.
 */
static void
the_users_own_service(void **state)
{
	struct fake_service *service = begin("fuchsia");

	if (!access("/run/krafla/service", F_OK))
		kr_test_skip("system-service", "/run/krafla/service is there");
	unsetenv("KRAFLA_SERVICE");
	set_variable("XDG_RUNTIME_DIR", kr_test_dir());
	make_dir("krafla");
	move_socket(service, "krafla/service");
	fake_offer(service, "0-a.so", TEST_ICD);
	assert_int_equal(search_and_count(), 1);
	end();
	fake_kill(service);
}

/* The driver where every user can reach it, wherever this was built. */
static const char *
copy_of_driver(const char *directory)
{
	static char path[PATH_MAX];
	int in = open(TEST_ICD, O_RDONLY | O_CLOEXEC), out;
	struct stat st;

	snprintf(path, sizeof(path), "%s/driver.so", directory);
	out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	assert_true(in >= 0 && out >= 0);
	assert_int_equal(fstat(in, &st), 0);
	assert_int_equal(sendfile(out, in, NULL, (size_t)st.st_size), st.st_size);
	close(in);
	close(out);
	return path;
}

/*
 * as after `su` with the environment of the user before. The user of a socket is who listens.
 */
static void
another_users_own_service(void **state)
{
	struct fake_service *service = begin("fuchsia");
	struct kr_client_report report;
	pid_t child;
	int status;

	if (geteuid())
		kr_test_skip("no-root", "another user is needed");
	if (!access("/run/krafla/service", F_OK))
		kr_test_skip("system-service", "/run/krafla/service is there");
	fake_offer(service, "0-a.so", copy_of_driver(service->dir));
	make_dir("krafla");
	fake_kill(service);
	assert_int_equal(chmod(service->dir, 0777), 0);
	assert_int_equal(seteuid(65534), 0);
	service = fake_start();
	assert_int_equal(seteuid(0), 0);
	unsetenv("KRAFLA_SERVICE");
	set_variable("XDG_RUNTIME_DIR", kr_test_dir());
	move_socket(service, "krafla/service");
	assert_int_equal(search_and_count(), 0);
	assert_true(kr_client_describe(&report));
	assert_int_equal(report.state, KR_CLIENT_UNREACHABLE);
	assert_non_null(strstr(report.reason, "it is that of user 65534"));
	kr_client_report_finish(&report);
	child = fork();
	if (!child) {
		if (setgid(65534) || setuid(65534))
			_exit(2);
		_exit(search_and_count() != 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	end();
	fake_kill(service);
}

/* A child has a connection of its own, and its parent's goes on. */
static void
children_connect_themselves(void **state)
{
	struct fake_service *service = begin("fuchsia");
	pid_t child;
	int status;

	fake_offer(service, "0-a.so", TEST_ICD);
	assert_int_equal(search_and_count(), 1);
	child = fork();
	if (!child) {
		size_t before = search_and_count();

		fake_offer(service, "1-b.so", TEST_FAKE_B);
		_exit(before != 1 || search_and_count() != 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(atomic_load(&service->connections), 2);
	assert_int_equal(search_and_count(), 2);
	assert_int_equal(atomic_load(&service->connections), 2);
	end();
	fake_kill(service);
}

static const void *
find_dso(void)
{
	const void *dso;

	search();
	assert_false(kr_list_empty(&list.drivers));
	dso = kr_container_of(list.drivers.next, struct kr_driver, link)->dso;
	kr_driver_list_finish(&list);
	return dso;
}

/*
 * A name means another library at another service; the child of a process that talked to the last
 * one asks again.
 */
static void
children_ask_the_next_service(void **state)
{
	struct fake_service *service = begin("fuchsia");
	const void *dso;
	pid_t child;
	int status;

	fake_offer(service, "0-a.so", TEST_ICD);
	dso = find_dso();
	fake_withdraw(service, "0-a.so");
	fake_restart(service);
	fake_offer(service, "0-a.so", TEST_FAKE_B);
	child = fork();
	if (!child)
		_exit(find_dso() == dso);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_ptr_equal(find_dso(), dso);
	end();
	fake_kill(service);
}

#define NUMBERS 64

/* Which of the first numbers are descriptors. */
static void
look_at_descriptors(bool open[NUMBERS])
{
	for (int fd = 0; fd < NUMBERS; fd++)
		open[fd] = fcntl(fd, F_GETFD) >= 0;
}

/*
 * F-02: a program closes all descriptors that it doesn't know, and has files of its own under the
 * numbers: nothing is sent there, nothing closed.
 */
static void
the_program_closes_descriptors(void **state)
{
	struct fake_service *service = begin("fuchsia");
	bool before[NUMBERS], after[NUMBERS];
	struct kr_client_report report;
	int ends[2], taken = 0;
	char byte;

	fake_offer(service, "0-a.so", TEST_ICD);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	look_at_descriptors(before);
	assert_int_equal(search_and_count(), 1);
	look_at_descriptors(after);
	for (int fd = 3; fd < NUMBERS; fd++) {
		if (!before[fd] && after[fd]) {
			assert_int_equal(dup2(ends[0], fd), fd);
			taken++;
		}
	}
	assert_true(taken >= 2); /* the connection, the manifests */
	assert_int_equal(search_and_count(), 1);
	fake_offer(service, "1-b.so", TEST_FAKE_B);
	assert_int_equal(search_and_count(), 1);
	assert_true(kr_client_describe(&report));
	assert_int_equal(report.state, KR_CLIENT_LOST);
	assert_non_null(strstr(report.reason, "this process has closed its connection"));
	kr_client_report_finish(&report);
	end();
	assert_int_equal(recv(ends[1], &byte, 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	look_at_descriptors(before);
	assert_memory_equal(before, after, sizeof(before));
	fake_kill(service);
}

/* A program without standard descriptors: what it writes there doesn't go to the service. */
static void
standard_descriptors_are_left(void **state)
{
	struct fake_service *service = begin("fuchsia");
	pid_t child;
	int status;

	fake_offer(service, "0-a.so", TEST_ICD);
	child = fork();
	if (!child) {
		for (int fd = 0; fd < 3; fd++)
			close(fd);
		if (search_and_count() != 1)
			_exit(1);
		for (int fd = 0; fd < 3; fd++) {
			if (fcntl(fd, F_GETFD) >= 0)
				_exit(2);
		}
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	end();
	fake_kill(service);
}

/* The manifests alone: the service is asked for them again. */
static void
the_program_closes_the_manifests(void **state)
{
	struct fake_service *service = begin("fuchsia");
	char link[64], target[PATH_MAX];
	ssize_t length;

	fake_offer(service, "0-a.so", TEST_ICD);
	assert_int_equal(search_and_count(), 1);
	for (int fd = 3; fd < NUMBERS; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, target, sizeof(target) - 1);
		target[KR_MAX(length, 0)] = '\0';
		if (kr_has_suffix(target, "/manifests"))
			assert_int_equal(close(fd), 0);
	}
	fake_offer(service, "1-b.so", TEST_FAKE_B);
	assert_int_equal(search_and_count(), 2);
	assert_int_equal(search_and_count(), 2);
	assert_int_equal(atomic_load(&service->manifest_requests), 2);
	end();
	fake_kill(service);
}

#define THREADS 8

static struct fake_service *shared;
static atomic_int found;

static void *
search_often(void *data)
{
	const struct kr_discover_options options = {.service = kr_client_service()};

	for (int i = 0; i < 20; i++) {
		struct kr_driver_list mine;

		if (kr_discover_drivers(&options, &mine))
			break;
		if (!kr_list_empty(&mine.drivers))
			atomic_fetch_add(&found, 1);
		kr_driver_list_finish(&mine);
	}
	return NULL;
}

static void
run_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, search_often, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* F-08: several threads at once, one connection; each library is asked for once. */
static void
many_threads(void **state)
{
	shared = begin("fuchsia");
	fake_offer(shared, "0-a.so", TEST_ICD);
	fake_offer(shared, "1-b.so", TEST_FAKE_B);
	run_threads();
	assert_int_equal(atomic_load(&found), THREADS * 20);
	assert_int_equal(atomic_load(&shared->connections), 1);
	assert_int_equal(atomic_load(&shared->gets), 2);
	end();
	fake_kill(shared);
}

/* A service that is stopped while threads search: all end, having waited for it once together. */
static void
many_threads_and_a_service_that_stops(void **state)
{
	struct kr_client_report report;

	shared = begin("fuchsia");
	atomic_store(&shared->listing, true);
	kr_client_limits.answer_ns = 300 * KR_NSEC_PER_MSEC;
	kr_client_limits.parked_ns = 300 * KR_NSEC_PER_MSEC;
	fake_offer(shared, "0-a.so", TEST_ICD);
	assert_int_equal(search_and_count(), 1);
	assert_int_equal(kill(shared->pid, SIGSTOP), 0);
	run_threads();
	assert_int_equal(atomic_load(&found), THREADS * 20);
	assert_true(kr_client_describe(&report));
	assert_int_equal(report.state, KR_CLIENT_LOST);
	kr_client_report_finish(&report);
	end();
	fake_kill(shared);
}

/* As when a process ends: what other threads are at work with isn't taken from them. */
static void
the_end_comes_while_threads_search(void **state)
{
	pthread_t threads[THREADS];

	shared = begin("fuchsia");
	atomic_store(&shared->listing, true);
	fake_offer(shared, "0-a.so", TEST_ICD);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, search_often, NULL), 0);
	while (atomic_load(&found) < THREADS * 10) {
		kr_client_end();
		poll(NULL, 0, 1);
	}
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(atomic_load(&found), THREADS * 20);
	end();
	fake_kill(shared);
}

/* Libraries stay, with their descriptors and what the dynamic linker knows of them. */
#define TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

static const struct kr_test tests[] = {
	TEST(drivers_are_loaded_once),
	TEST(manifests_are_followed),
	TEST(what_has_not_changed_is_not_read),
	TEST(a_change_that_does_not_show_is_seen),
	TEST(replaced_while_searching),
	TEST(service_dies),
	TEST(service_is_not_there),
	TEST(packages_that_are_wrong),
	TEST(manifests_in_a_form_that_is_not_known),
	TEST(late_idleness_is_not_waited_for),
	TEST(service_beside_manifests),
	TEST(installed_driver_stays_when_the_served_one_fails),
	TEST(who_asks_a_service),
	TEST(privileged_processes_ask_the_systems_service),
	TEST(the_users_own_service),
	TEST(another_users_own_service),
	TEST(children_connect_themselves),
	TEST(children_ask_the_next_service),
	TEST(the_program_closes_descriptors),
	TEST(the_program_closes_the_manifests),
	TEST(standard_descriptors_are_left),
	TEST(many_threads),
	TEST(many_threads_and_a_service_that_stops),
	TEST(the_end_comes_while_threads_search),
};
KR_TEST_MAIN(tests)
