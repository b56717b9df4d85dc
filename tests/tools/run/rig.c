/* SPDX-License-Identifier: Apache-2.0 */
/* Running `krafla`: see rig.h. */
#include "rig.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void (*before_exec)(void);

pid_t
start(const char *const arguments[], const char *output)
{
	pid_t pid = fork();

	if (pid == 0) {
		int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

		dup2(null, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
		/* Sockets live in the test's own directory: what is left there is seen. */
		setenv("XDG_RUNTIME_DIR", kr_test_dir(), 1);
		unsetenv("VK_LOADER_DEBUG");
		setrlimit(RLIMIT_CORE, &(struct rlimit){0});
		if (before_exec)
			before_exec();
		execv(KRAFLA, (char *const *)(uintptr_t)arguments);
		_exit(95);
	}
	assert_true(pid > 0);
	return pid;
}

void
finish(pid_t pid, const char *output, struct outcome *outcome)
{
	FILE *file;
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	outcome->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	file = fopen(output, "re");
	assert_non_null(file);
	outcome->text[fread(outcome->text, 1, sizeof(outcome->text) - 1, file)] = '\0';
	fclose(file);
}

void
assert_said(const struct outcome *outcome, const char *words)
{
	if (!strstr(outcome->text, words))
		fail_msg("'%s' isn't in what krafla said:\n%s", words, outcome->text);
}

unsigned
count_files(const char *path, const char *word)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	unsigned count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		count += strstr(entry->d_name, word) != NULL;
	closedir(dir);
	return count;
}

void
assert_nothing_left(void)
{
	assert_int_equal(count_files(kr_test_dir(), "krafla-"), 0);
}

json_int_t
number(const json_t *summary, const char *object, const char *key)
{
	const json_t *value = json_object_get(json_object_get(summary, object), key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

json_t *
read_summary(const char *path)
{
	json_t *summary = json_load_file(path, 0, NULL);

	assert_non_null(summary);
	return summary;
}
