/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that nobody gets: standard output is a full disk, or closed. */
#include "harness.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* DIR is the case's directory. */
static const char *const commands[] = {
	"info",
	"info --json",
	"explain",
	"explain --json",
	"fences $$",
	"fences --json $$",
	"fences --watch --samples 1 --json $$",
	"fences --watch --samples 1 $$",
	"help",
	"help run",
	"run --help",
	"--version",
	"serve --help",
	"serve --check --system --config $DIR/good.json",
	"deliver --help",
	"package --help",
};

static void
expect_told(const char *redirection)
{
	char line[512], said[4096];

	setenv("DIR", kr_test_dir(), 1);
	kr_test_file("good.json", "{}");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		FILE *pipe;
		int status;

		snprintf(line, sizeof(line), KRAFLA " %s 2>&1 %s", commands[i], redirection);
		pipe = popen(line, "re");
		assert_non_null(pipe);
		said[fread(said, 1, sizeof(said) - 1, pipe)] = '\0';
		status = pclose(pipe);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 125 ||
			!strstr(said, "can't be written to standard output"))
			fail_msg("krafla %s: status %x, said: %s", commands[i], (unsigned)status,
				said);
	}
}

static void
a_full_disk_is_told(void **state)
{
	expect_told(">/dev/full");
}

static void
a_closed_output_is_told(void **state)
{
	expect_told(">&-");
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(a_full_disk_is_told, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(a_closed_output_is_told, KR_TEST_KEEPS_MEMORY, 60),
};
KR_TEST_MAIN(tests)
