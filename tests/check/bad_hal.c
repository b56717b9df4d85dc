/* SPDX-License-Identifier: Apache-2.0 */
/* A HAL module whose open() does what BAD_HAL says: what a runner of cases has to live with. */
#include "hal_face.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOISE 40000 /* lines */

static void
crash(void)
{
	static int *volatile nowhere = (int *)8;

	*nowhere = 1;
}

static void *
crash_in_thread(void *data)
{
	crash();
	return NULL;
}

static void
crash_elsewhere(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, crash_in_thread, NULL);
	pthread_join(thread, NULL);
}

static void
overflow(void)
{
	volatile char room[4096];

	room[0] = room[4095] = 1;
	if (room[0])
		overflow();
	room[1] = 1;
}

static void
call_nothing(void)
{
	void (*volatile nothing)(void) = NULL;

	nothing();
}

static void
hang(void)
{
	for (;;)
		pause();
}

static void
spin(void)
{
	for (;;)
		__asm__ volatile("");
}

static void
hear_nothing(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	hang();
}

static void
stop(void)
{
	raise(SIGSTOP);
	hang();
}

static void
leave(void)
{
	exit(7);
}

static void
make_noise(void)
{
	for (int i = 0; i < NOISE; i++) {
		printf("standard output %d\n", i);
		fprintf(stderr, "standard error %d\n", i);
	}
	crash();
}

static void
write_bytes(void)
{
	static const char bytes[] = "\x1b[2Jbell\a\xff\xfe<&>\"]]>\xc3\xa4\n";

	(void)!write(STDOUT_FILENO, bytes, sizeof(bytes) - 1);
	crash();
}

/* Who stays when the case ends: its number goes to BAD_HAL_PID. */
static void
leave_somebody(void)
{
	const char *path = getenv("BAD_HAL_PID");
	FILE *file = path ? fopen(path, "a") : NULL;
	pid_t pid = fork();

	if (!pid)
		hang();
	if (file) {
		fprintf(file, "%d\n", (int)pid);
		fclose(file);
	}
}

/* In a session of his own, and of no living parent. */
static void
leave_daemon(void)
{
	if (!fork()) {
		setsid();
		leave_somebody();
		_exit(0);
	}
	wait(NULL);
}

static void
end_group(void)
{
	kill(0, SIGKILL);
}

/* All memory that it shares with others. */
static void
scribble(int byte)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from[16], to[16];
	unsigned count = 0;
	char line[512];

	while (maps && count < 16 && fgets(line, sizeof(line), maps)) {
		if (strstr(line, " rw-s ") && strstr(line, "/dev/zero") &&
			sscanf(line, "%lx-%lx", &from[count], &to[count]) == 2)
			count++;
	}
	for (unsigned i = 0; i < count; i++)
		memset((void *)from[i], byte, to[i] - from[i]);
	_exit(0);
}

static void
scribble_ones(void)
{
	scribble(1);
}

static void
scribble_escapes(void)
{
	scribble(0x1b);
}

static void
scribble_high(void)
{
	scribble(0xfe);
}

/* All but the three that every program has. */
static void
unplug(void)
{
	for (int fd = 3; fd < 256; fd++)
		close(fd);
}

static void
come_back_twice(void)
{
	(void)!fork();
}

static void
tell_place(void)
{
	char score[16] = "";
	FILE *file = fopen("/proc/self/oom_score_adj", "r");

	if (!file || !fgets(score, sizeof(score), file))
		strcpy(score, "unknown");
	printf("terminal %s, oom_score_adj %s\n", open("/dev/tty", O_RDWR) < 0 ? "unseen" : "seen",
		score);
	fflush(stdout);
	abort();
}

static void
hang_with_somebody(void)
{
	leave_somebody();
	hang();
}

static void
close_everything(void)
{
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	crash();
}

static void
tell_environment(void)
{
	printf("DISPLAY is %s, KRAFLA_DISPLAY is %s, reads %zd bytes\n",
		getenv("DISPLAY") ? "set" : "unset", getenv("KRAFLA_DISPLAY") ? "set" : "unset",
		read(STDIN_FILENO, &(char){0}, 1));
	fflush(stdout);
	abort();
}

static void
fail(void)
{
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{"crash", crash},
	{"thread", crash_elsewhere},
	{"overflow", overflow},
	{"nothing", call_nothing},
	{"abort", abort},
	{"hang", hang},
	{"spin", spin},
	{"deaf", hear_nothing},
	{"stop", stop},
	{"exit", leave},
	{"noise", make_noise},
	{"bytes", write_bytes},
	{"somebody", leave_somebody},
	{"daemon", leave_daemon},
	{"group", end_group},
	{"ones", scribble_ones},
	{"escapes", scribble_escapes},
	{"high", scribble_high},
	{"unplug", unplug},
	{"twice", come_back_twice},
	{"place", tell_place},
	{"hang_somebody", hang_with_somebody},
	{"close", close_everything},
	{"environment", tell_environment},
	{"fail", fail},
};

static void
go(const char *way)
{
	for (size_t i = 0; way && i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!strcmp(way, ways[i].name))
			ways[i].run();
	}
}

static void
print(void)
{
	char byte;

	printf("read %zd bytes\n", read(STDIN_FILENO, &byte, 1));
	fflush(stdout);
	fprintf(stderr, "loaded\n");
}

/* Whoever waits for the end of a pipe has it, and still waits. */
static void
close_and_hang(void)
{
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	hang();
}

/* BAD_HAL_LOAD says what is done when the library is loaded. */
__attribute__((constructor)) static void
load(void)
{
	const char *way = getenv("BAD_HAL_LOAD");

	if (way && !strcmp(way, "one"))
		exit(1);
	if (way && !strcmp(way, "print"))
		print();
	if (way && !strcmp(way, "close_and_hang"))
		close_and_hang();
	go(way);
}

int
hal_face_open(struct hwvulkan_device_t *device)
{
	go(getenv("BAD_HAL"));
	return -ENODEV;
}
