/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that are killed while a display composes their windows on a GPU: what the process that
 * draws has of memory afterwards, and both it and the display of descriptors. The rounds are made
 * by a program of the display's, beside one that stays.
 */
#include "bench/shared/rows.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/shared/memory.h"

#define KILLS      100
#define WARM_UP    12
#define AT_A_TIME  4
#define SETTLE_MS  1500
#define FIRST_MS   3000 /* until the one that stays is drawn by the GPU */
#define SIZE       "160x120"
#define PAINTER    "krafla-painter"
#define ROW_MEMORY "memory of " PAINTER

/* When after their start: before they have a window, and with frames on their way. */
static const int lives_ms[AT_A_TIME] = {60, 180, 350, 600};

static pid_t
start(const char *cube)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		execl(cube, cube, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static void
kill_some(const char *cube)
{
	pid_t pids[AT_A_TIME];
	int slept = 0;

	for (int i = 0; i < AT_A_TIME; i++)
		pids[i] = start(cube);
	for (int i = 0; i < AT_A_TIME; i++) {
		poll(NULL, 0, lives_ms[i] - slept);
		slept = lives_ms[i];
		if (pids[i] > 0) {
			kill(pids[i], SIGKILL);
			waitpid(pids[i], NULL, 0);
		}
	}
}

/* The child of `parent` with that name; 0 none. */
static pid_t
find_child(pid_t parent, const char *name)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while (dir && !found && (entry = readdir(dir))) {
		char path[300], comm[64] = "";
		int pid = atoi(entry->d_name), ppid = 0;
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		file = pid > 0 ? fopen(path, "re") : NULL;
		if (file && fscanf(file, "%*d (%63[^)]) %*c %d", comm, &ppid) == 2 &&
			ppid == parent && !strncmp(comm, name, strlen(name)))
			found = pid;
		if (file)
			fclose(file);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void
print_state(void)
{
	pid_t painter = find_child(getppid(), PAINTER);

	poll(NULL, 0, SETTLE_MS);
	printf("%d %.0f %u %u %.0f ", painter > 0, shared_memory_kb(painter),
		shared_memory_descriptors(painter), shared_memory_descriptors(getppid()),
		shared_memory_gpu_kb());
	fflush(stdout); /* before the next fork, which would have it twice */
}

/* shared-crowd CUBE KILLS: prints, twice, whether there is a painter, kB, descriptors, kB of all */
int
kr_bench_child_shared_crowd(int argc, char **argv)
{
	pid_t stays;
	int kills;

	if (argc < 2)
		return 2;
	kills = atoi(argv[1]);
	stays = start(argv[0]);
	poll(NULL, 0, FIRST_MS);
	for (int i = 0; i < WARM_UP; i += AT_A_TIME)
		kill_some(argv[0]);
	print_state();
	for (int i = 0; i < kills; i += AT_A_TIME)
		kill_some(argv[0]);
	print_state();
	if (stays > 0) {
		kill(stays, SIGKILL);
		waitpid(stays, NULL, 0);
	}
	return 0;
}

/* `krafla run --compose gpu` with that child in it; what the child has printed. */
static int
run_display(struct kr_bench *bench, int kills, char *out, size_t size)
{
	char krafla[PATH_MAX], cube[PATH_MAX], drivers[4096], number[16];
	const char *environment[] = {drivers, NULL};
	int ends[2], status = 1;
	size_t len = 0;
	ssize_t got;
	pid_t pid;

	snprintf(krafla, sizeof(krafla), "%s/bin/krafla", bench->prefix);
	snprintf(cube, sizeof(cube), "%s/bin/krafla-cube", bench->prefix);
	snprintf(number, sizeof(number), "%d", kills);
	kr_bench_drivers(bench, drivers, sizeof(drivers));
	if (pipe2(ends, O_CLOEXEC))
		return 1;
	pid = fork();
	if (pid == 0) {
		kr_bench_isolate(environment);
		dup2(ends[1], STDOUT_FILENO);
		if (!freopen("/dev/null", "w", stderr))
			_exit(127);
		execl(krafla, krafla, "run", "--display", SIZE "@60", "--compose", "gpu",
			"--layout", "grid", "--capture", "/dev/null", "--capture-format", "raw",
			"--", bench->self, "--child", "shared-crowd", cube, number, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	while (len + 1 < size && (got = read(ends[0], out + len, size - 1 - len)) > 0)
		len += (size_t)got;
	out[len] = '\0';
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return pid < 0 || !WIFEXITED(status);
}

void
kr_bench_shared_crowd(struct kr_bench *bench)
{
	const int kills = bench->quick ? KILLS / 10 : KILLS;
	double before[5], after[5];
	char out[512], name[96];

	if (run_display(bench, kills, out, sizeof(out)) ||
		sscanf(out, "%lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", &before[0], &before[1],
			&before[2], &before[3], &before[4], &after[0], &after[1], &after[2],
			&after[3], &after[4]) != 10 ||
		!before[0] || !after[0]) {
		kr_bench_skip(bench, ROW_MEMORY " after kills", "no GPU composes here");
		return;
	}
	snprintf(name, sizeof(name), ROW_MEMORY " after %d kills", kills);
	kr_bench_row(bench, name, "kB", after[1], "before them", before[1], 1);
	snprintf(name, sizeof(name), "descriptors of " PAINTER " after %d kills", kills);
	kr_bench_row(bench, name, "fds", after[2], "before them", before[2], 1);
	snprintf(name, sizeof(name), "descriptors of a display after %d kills", kills);
	kr_bench_row(bench, name, "fds", after[3], "before them", before[3], 1);
	snprintf(name, sizeof(name), "GPU memory of all after %d kills of windows", kills);
	if (before[4] > 0)
		kr_bench_row(bench, name, "kB", after[4], "before them", before[4], 1);
	else
		kr_bench_skip(bench, name, "nvidia-smi doesn't tell");
}
