/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla features: what the devices here may declare. Drivers are loaded into a child, so that one
 * that crashes or hangs is told of, whatever was asked.
 */
#include "tools/command/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/features/drivers.h"
#include "tools/features/options.h"
#include "tools/features/request.h"
#include "util/strays.h"
#include "util/text.h"

/* The one whose word was typed answers; without any the table is shown. */
static const struct mode {
	const char *option;
	size_t typed; /* of a const char * in the request */
	bool takes_word;
	bool yields; /* answers only where no other does; needs no devices */
	kr_flags_answer_fn answer;
	kr_flags_prepare_fn prepare; /* may be NULL */
} modes[] = {
	{"--has", offsetof(struct kr_flags_request, has), true, false, kr_flags_has, NULL},
	{"--write-permissions", offsetof(struct kr_flags_request, write_dir), false, false,
		kr_flags_write_permissions, NULL},
	{"--launch", offsetof(struct kr_flags_request, launch), true, false, kr_flags_answer_launch,
		kr_flags_prepare_launch},
	{"--profile", offsetof(struct kr_flags_request, profiles.paths[0]), true, false,
		kr_flags_answer_profile, NULL},
	{"--deqp", offsetof(struct kr_flags_request, deqp.paths[0]), false, true,
		kr_flags_answer_deqp, NULL},
};
static const struct mode no_mode = {.option = "krafla features", .answer = kr_flags_print};

static bool
is_typed(const struct kr_flags_request *request, const struct mode *mode)
{
	return *(const char *const *)((const char *)request + mode->typed) != NULL;
}

static int
choose_mode(const struct kr_flags_request *request, const struct mode **out)
{
	const struct mode *chosen = NULL;

	for (size_t i = 0; i < KR_ARRAY_LEN(modes); i++) {
		if (!is_typed(request, &modes[i]) || (chosen && modes[i].yields))
			continue;
		if (chosen)
			return kr_usage_error("features", "%s and %s are two questions",
				chosen->option, modes[i].option);
		chosen = &modes[i];
	}
	*out = chosen ? chosen : &no_mode;
	if (!request->deqp.count != !request->case_list)
		return kr_usage_error("features", "--deqp and --caselist are given together");
	if (request->permissions && !request->launch)
		return kr_usage_error("features", "--permissions belongs to --launch");
	if (request->word && !(*out)->takes_word)
		return kr_usage_error("features", "'%s' is one argument too many", request->word);
	return KR_EXIT_OK;
}

static int
ask_and_answer(const struct kr_flags_request *request, const struct mode *mode)
{
	char *prefix = kr_find_prefix();
	char *path = prefix ? kr_asprintf("%s/lib/libvulkan.so.1", prefix) : NULL;
	struct kr_feature_system system;
	char why[KR_FEATURE_WHY] = "it isn't known where this krafla is installed";
	int code, kept, err = -ENOENT;

	if (path) {
		kept = kr_flags_begin_drivers();
		err = kr_feature_system_ask(path, request->device, &system, why);
		kr_flags_end_drivers(kept);
	}
	free(path);
	free(prefix);
	if (err < 0) {
		kr_complain("features", "%s", why);
		return err == -ENODEV || err == -ERANGE ? KR_EXIT_NO_DEVICE : KR_EXIT_FAILURE;
	}
	code = kr_flags_hold_deqp(request, &system);
	if (code == KR_EXIT_OK)
		code = mode->answer(request, &system);
	kept = kr_flags_begin_drivers();
	kr_feature_system_finish(&system);
	kr_flags_end_drivers(kept);
	return code;
}

/* A driver may call exit: that is no answer, whatever the code. */
static int
told_end(int status, bool answered)
{
	if (WIFEXITED(status) && answered)
		return WEXITSTATUS(status);
	if (WIFEXITED(status)) {
		kr_complain("features",
			"a driver ended the process while it was asked; 'krafla explain' lists the drivers");
		return KR_EXIT_FAILURE;
	}
	if (WTERMSIG(status) == SIGALRM)
		kr_complain("features",
			"a driver took more than %d s; 'krafla explain' lists the drivers",
			KR_FLAGS_ANSWER_S);
	else
		kr_complain("features",
			"a driver crashed while it was asked (%s); 'krafla explain' lists the drivers",
			strsignal(WTERMSIG(status)));
	return KR_EXIT_FAILURE;
}

/* In the child the answer is left in stdout's buffer, for main to write and to look after. */
static int
run_in_child(const struct kr_flags_request *request, const struct mode *mode)
{
	const pid_t parent = getpid();
	/* Shared with the child, which sets it once it knows its exit code. */
	bool *answered = mmap(
		NULL, sizeof(*answered), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child, ended;
	int status, code;

	if (answered == MAP_FAILED) {
		kr_complain("features", "out of memory");
		return KR_EXIT_FAILURE;
	}
	(void)fflush(stdout);
	kr_strays_adopt();
	child = fork();
	if (child < 0) {
		kr_complain("features", "no process can be started: %s", strerror(errno));
		return KR_EXIT_FAILURE;
	}
	if (child == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			return KR_EXIT_FAILURE;
		kr_flags_let_alarms_end_us();
		code = ask_and_answer(request, mode);
		*answered = true;
		/* Drivers have work at exit, too. */
		alarm(KR_FLAGS_ANSWER_S);
		return code;
	}
	do
		ended = waitpid(child, &status, 0);
	while (ended < 0 && errno == EINTR);
	/* Who stays behind holds standard output, whose reader waits for its end. */
	kr_strays_kill(NULL, 0);
	kr_strays_leave();
	if (ended < 0) {
		kr_complain("features", "the answer was lost: %s", strerror(errno));
		return KR_EXIT_FAILURE;
	}
	code = told_end(status, *answered);
	munmap(answered, sizeof(*answered));
	return code;
}

static int
run_command(int argc, char **argv)
{
	struct kr_flags_request request = {.device = KR_FEATURE_ALL_DEVICES};
	const struct mode *mode = &no_mode;
	uint32_t version;
	bool helped = false;
	int code = kr_flags_read_options(argc, argv, &request, &helped);

	if (code != KR_EXIT_OK || helped)
		return code;
	code = choose_mode(&request, &mode);
	if (code != KR_EXIT_OK)
		return code;
	if (request.has && request.word && !kr_flags_parse_version(request.word, &version))
		return kr_usage_error("features", "--has: '%s' is no version", request.word);
	code = mode->prepare ? mode->prepare(&request) : KR_EXIT_OK;
	if (code != KR_EXIT_OK)
		return code;
	return mode->yields ? mode->answer(&request, NULL) : run_in_child(&request, mode);
}

const struct kr_subcommand kr_subcommand_features = {
	.name = "features",
	.summary = "what the devices here may declare, and by which rule",
	.help = kr_flags_help,
	.run = run_command,
};
