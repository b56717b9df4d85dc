/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forks a process a case. The parent enforces the time limit and prints the verdict; the child runs
 * the case under cmocka and compares file descriptors and heap before and after.
 */
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sanitizer.h"

#define LAVAPIPE "/usr/share/vulkan/icd.d/lvp_icd*.json"

#define DEFAULT_TIMEOUT_S 20
#define SANITIZER_FACTOR  6
#define LAB_FACTOR        3 /* its processor is emulated, and programs come from a disk */
#define EXIT_SKIP         77
#define MAX_PATHS         256

static const struct kr_test *current;
static char skip_text[256];
static char temp_dir[64]; /* the case's; made when it is asked for, removed by the parent at last */
static bool has_temp_dir;
static char *paths[MAX_PATHS]; /* of the case, each once */
static size_t path_count;
static struct rlimit fd_limit; /* of before kr_test_limit_fds; zeros: nothing was limited */

int
kr_test_count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	while (dir && readdir(dir))
		count++;
	closedir(dir);
	return count - 3; /* ".", ".." and the directory itself */
}

#if ADDRESS_SANITIZER
static bool leaks_are_ignored;

/* LeakSanitizer asks this where it is. */
int __lsan_is_turned_off(void);
__attribute__((visibility("default"))) int
__lsan_is_turned_off(void)
{
	return leaks_are_ignored;
}
#endif

void
kr_test_ignore_leaks(void)
{
#if ADDRESS_SANITIZER
	leaks_are_ignored = true;
#endif
}

static void
print_fds(void)
{
	char path[64], target[256];

	for (int fd = 0; fd < 1024; fd++) {
		ssize_t len;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		len = readlink(path, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		printf("#   fd %d -> %s\n", fd, target);
	}
}

void
kr_test_expect_fds(int count)
{
	for (int i = 0; i < 3000 && kr_test_count_fds() > count; i++)
		poll(NULL, 0, 5);
	if (kr_test_count_fds() > count)
		print_fds();
	assert_in_range(kr_test_count_fds(), 0, count);
}

int
kr_test_shell(const char *line, char *output, size_t size)
{
	FILE *pipe = popen(line, "re");
	int status;

	assert_non_null(pipe);
	output[fread(output, 1, size - 1, pipe)] = '\0';
	status = pclose(pipe);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

void
kr_test_end_fd_limit(void)
{
	if (fd_limit.rlim_max)
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &fd_limit), 0);
}

void
kr_test_limit_fds(int more)
{
	struct rlimit limit;
	int lowest;

	kr_test_end_fd_limit();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	fd_limit = limit;
	lowest = dup(STDERR_FILENO);
	assert_true(lowest >= 0);
	close(lowest);
	limit.rlim_cur = (rlim_t)(lowest + more);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

void
kr_test_skip(const char *reason, const char *detail)
{
	printf("#skip %s %s\n", reason, detail ? detail : "");
	fflush(stdout);
	_exit(EXIT_SKIP);
}

const char *
kr_test_dir(void)
{
	if (!has_temp_dir && mkdir(temp_dir, 0700))
		fail_msg("%s: %s", temp_dir, strerror(errno));
	has_temp_dir = true;
	return temp_dir;
}

const char *
kr_test_path(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", kr_test_dir(), name) > 0);
	for (size_t i = 0; i < path_count; i++) {
		if (!strcmp(paths[i], path)) {
			free(path);
			return paths[i];
		}
	}
	assert_true(path_count < MAX_PATHS);
	return paths[path_count++] = path;
}

const char *
kr_test_file(const char *name, const char *text)
{
	const char *path = kr_test_path(name);
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	return path;
}

const char *
kr_test_program_for_others(const char *program)
{
	const char *copy = kr_test_file("program", "");
	int from = open(program, O_RDONLY | O_CLOEXEC), to = open(copy, O_WRONLY | O_CLOEXEC);
	ssize_t done = 1;

	if (from < 0 || to < 0)
		fail_msg("%s can't be copied: %s", program, strerror(errno));
	while (done > 0)
		done = sendfile(to, from, NULL, 1 << 24);
	assert_int_equal(done, 0);
	assert_int_equal(fchmod(to, 0755), 0);
	assert_int_equal(chmod(kr_test_dir(), 0755), 0);
	close(from);
	close(to);
	return copy;
}

static int
remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void
clean_up(void)
{
	while (path_count)
		free(paths[--path_count]);
	if (has_temp_dir)
		nftw(temp_dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	has_temp_dir = false;
}

static size_t
heap_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void
run_checked(void **state)
{
	int fds = kr_test_count_fds();
	size_t heap = heap_in_use();

	current->run(state);
	clean_up();
	if (!SANITIZED && !(current->flags & KR_TEST_KEEPS_MEMORY) && heap_in_use() > heap)
		fail_msg("%zu bytes of heap were left behind", heap_in_use() - heap);
	/* A reactor's thread may close its last descriptors a moment after it woke us. */
	for (int i = 0;
		i < 200 && !(current->flags & KR_TEST_KEEPS_FDS) && kr_test_count_fds() != fds; i++)
		poll(NULL, 0, 5);
	if (!(current->flags & KR_TEST_KEEPS_FDS) && kr_test_count_fds() != fds) {
		print_fds();
		fail_msg("%d file descriptors before, %d after", fds, kr_test_count_fds());
	}
}

static int
child_main(const struct kr_test *test)
{
	struct CMUnitTest unit = {test->name, run_checked, NULL, NULL, NULL};
	DIR *warm;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("#\n");
	/* The first opendir of a process may allocate for good. */
	warm = opendir("/");
	closedir(warm);
	current = test;
	return _cmocka_run_group_tests(test->name, &unit, 1, NULL, NULL) ? 1 : 0;
}

/* Waits for the child until the deadline; kills it and its group past that. */
static bool
wait_child(pid_t pid, unsigned seconds, int *status)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	bool in_time = pidfd < 0 || poll(&p, 1, (int)seconds * 1000) == 1;

	if (!in_time)
		kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	kill(-pid, SIGKILL);
	if (pidfd >= 0)
		close(pidfd);
	return in_time;
}

/* Copies the child's output as TAP comments and keeps what it said of a skip. */
static void
show_output(FILE *out)
{
	char line[2048];

	rewind(out);
	skip_text[0] = '\0';
	while (fgets(line, sizeof(line), out)) {
		if (!strncmp(line, "#skip ", 6)) {
			line[strcspn(line, "\n")] = '\0';
			snprintf(skip_text, sizeof(skip_text), "%.255s", line + 6);
		} else if (strcmp(line, "#\n") && strncmp(line, "1..", 3) &&
			strncmp(line, "ok ", 3)) {
			printf("# %s%s", line, strchr(line, '\n') ? "" : "\n");
		}
	}
}

/*
 * A shell that starts us in the background has SIGINT and SIGQUIT ignored in us, and whatever we
 * start inherits that: a program that is to be ended by them would stay.
 */
static void
expect_signals(void)
{
	static const int told[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		signal(told[i], SIG_DFL);
}

/*
 * Whether a case that skips is none of this run: one about what the run takes away on purpose, as
 * sync's cases about names where names are denied. It is named but not counted.
 */
static bool
is_left_out(void)
{
	const char *reason = getenv("KRAFLA_TEST_LEAVE_OUT");

	return reason && *reason && !strncmp(skip_text, reason, strlen(reason));
}

/* A process of the same number, which was killed, may have left a directory behind. */
static void
name_temp_dir(size_t number)
{
	uint16_t chance = 0;

	(void)!getrandom(&chance, sizeof(chance), GRND_NONBLOCK);
	snprintf(
		temp_dir, sizeof(temp_dir), "/tmp/krafla-test-%d-%zu-%x", getpid(), number, chance);
}

static unsigned
time_limit(const struct kr_test *test)
{
	unsigned seconds = test->timeout_s ? test->timeout_s : DEFAULT_TIMEOUT_S;

	return seconds * (SANITIZED ? SANITIZER_FACTOR : 1) *
		(getenv("KRAFLA_LAB") ? LAB_FACTOR : 1);
}

static bool
run_case(const struct kr_test *test, size_t *number)
{
	unsigned limit = time_limit(test);
	bool in_time, ok;
	FILE *out = tmpfile();
	int status = 0;
	pid_t pid;

	name_temp_dir(++*number);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		dup2(fileno(out), STDOUT_FILENO);
		dup2(fileno(out), STDERR_FILENO);
		fclose(out);
		expect_signals();
		exit(child_main(test));
	}
	in_time = wait_child(pid, limit, &status);
	/* What a case left that was killed, or ended by itself. */
	nftw(temp_dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	show_output(out);
	fclose(out);
	if (in_time && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIP) {
		if (is_left_out()) {
			printf("# left out of this run: %s\n", test->name);
			--*number;
			return true;
		}
		printf("ok %zu - %s # SKIP %s\n", *number, test->name, skip_text);
		return true;
	}
	ok = in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	if (test->flags & KR_TEST_EXPECT_ABORT)
		ok = in_time && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
	if (!in_time)
		printf("# %s: no end within its time limit, %u s\n", test->name, limit);
	else if (!ok && WIFSIGNALED(status))
		printf("# %s: killed by signal %d\n", test->name, WTERMSIG(status));
	printf("%s %zu - %s\n", ok ? "ok" : "not ok", *number, test->name);
	return ok;
}

static bool
wanted(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], name))
			return true;
	}
	return argc < 2;
}

/*
 * mallinfo2 counts what glibc keeps in its per-thread cache as in use, and so it does with the
 * arenas and stacks of threads that have ended; so these are turned off, which is possible only
 * before the process starts.
 */
static void
restart_without_malloc_cache(char **argv)
{
	static const char tunable[] =
		"glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1:glibc.pthread.stack_cache_size=0";
	const char *tunables = getenv("GLIBC_TUNABLES");

	mallopt(M_MXFAST, 0);
	if (SANITIZED || (tunables && strstr(tunables, tunable)))
		return;
	setenv("GLIBC_TUNABLES", tunable, 1);
	execv("/proc/self/exe", argv);
}

int
kr_test_main(int argc, char **argv, const struct kr_test *tests, size_t count)
{
	size_t number = 0;
	bool ok = true;

	restart_without_malloc_cache(argv);

	if (argc == 2 && !strcmp(argv[1], "-l")) {
		for (size_t i = 0; i < count; i++)
			puts(tests[i].name);
		return 0;
	}
	signal(SIGPIPE, SIG_DFL);
	for (size_t i = 0; i < count; i++) {
		if (wanted(argc, argv, tests[i].name))
			ok &= run_case(&tests[i], &number);
	}
	printf("1..%zu\n", number);
	return ok && number ? 0 : 1;
}

const char *
kr_test_lavapipe(void)
{
	static char path[PATH_MAX];
	glob_t found = {0};

	if (glob(LAVAPIPE, 0, NULL, &found))
		kr_test_skip("no-lavapipe", "there is no " LAVAPIPE);
	snprintf(path, sizeof(path), "%s", found.gl_pathv[0]);
	globfree(&found);
	return path;
}
