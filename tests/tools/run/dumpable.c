/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that says whether it is dumpable: when its constructors ran, and now.
 *
 * dumpable leaf           ... and ends with code 5
 * dumpable                ... and so of what it starts in each way
 * dumpable wait FILE      ... once FILE is there its pid stands in it, and it waits a minute
 * dumpable crash          a child crashes: whether it left a core
 * dumpable deny           its child, which may not call prctl, executes a leaf
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deny.h"

static int at_first = -1;
static char *self;

__attribute__((constructor)) static void
look(void)
{
	at_first = prctl(PR_GET_DUMPABLE);
}

static void
say(const char *who)
{
	printf("%s %d %d\n", who, at_first, prctl(PR_GET_DUMPABLE));
	fflush(stdout);
}

static int
end_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

static void *
execute(void *data)
{
	execl(self, self, "leaf", NULL);
	return data;
}

static void
start_by_fork(bool by_thread)
{
	pthread_t thread;
	pid_t pid = fork();

	if (pid == 0) {
		say("fork");
		if (by_thread && pthread_create(&thread, NULL, execute, NULL) == 0)
			pause();
		execute(NULL);
		_exit(1);
	}
	printf("ended %d\n", WEXITSTATUS(end_of(pid)));
}

static void
start_all(void)
{
	char line[4096];
	pid_t pid;

	start_by_fork(false);
	start_by_fork(true);
	pid = vfork();
	if (pid == 0) {
		execl(self, self, "leaf", NULL);
		_exit(1);
	}
	printf("ended %d\n", WEXITSTATUS(end_of(pid)));
	fflush(stdout);
	snprintf(line, sizeof(line), "'%s' leaf", self);
	printf("ended %d\n", WEXITSTATUS(system(line)));
}

static void
crash(void)
{
	const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
	pid_t pid = fork();

	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &all);
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
		_exit(1);
	}
	printf("core %d\n", !!WCOREDUMP(end_of(pid)));
}

static void
deny(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		kr_test_deny(SYS_prctl, EPERM);
		execute(NULL);
		_exit(1);
	}
	status = end_of(pid);
	printf("denied %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static int
wait_in(const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return 1;
	fprintf(file, "%d\n", getpid());
	fclose(file);
	for (int i = 0; i < 6000; i++)
		usleep(10000);
	return 0;
}

int
main(int argc, char **argv)
{
	self = argv[0];
	if (argc > 2 && !strcmp(argv[1], "wait"))
		return wait_in(argv[2]);
	say("main");
	if (argc < 2)
		start_all();
	else if (!strcmp(argv[1], "crash"))
		crash();
	else if (!strcmp(argv[1], "deny"))
		deny();
	return argc < 2 ? 7 : 5;
}
