/* SPDX-License-Identifier: Apache-2.0 */
/* The program's environment, and what is said when it can't be started and when it has ended. */
#include "tools/run/program.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/command/command.h"
#include "tools/run/say.h"
#include "util/env.h"
#include "util/text.h"

enum { VARIABLE_COUNT = 5 };

/* What points the program at the libraries of this krafla and at the display. */
static bool
make_variables(
	const struct kr_session *session, const char *prefix, char *variables[VARIABLE_COUNT + 1])
{
	const char *path = kr_env_get("LD_LIBRARY_PATH");
	const char *output = kr_env_get("KRAFLA_OUTPUT_PATH");
	bool driver = session->options->driver_wsi;

	variables[0] = kr_asprintf(
		"LD_LIBRARY_PATH=%s/lib%s%s", prefix, path ? ":" : "", path ? path : "");
	variables[1] = kr_asprintf("KRAFLA_WSI=%s", driver ? "driver" : "platform");
	variables[2] = driver ? strdup("KRAFLA_DISPLAY")
			      : kr_asprintf("KRAFLA_DISPLAY=%s", session->socket);
	variables[3] = output ? kr_asprintf("KRAFLA_OUTPUT_PATH=%s", output)
			      : kr_asprintf("KRAFLA_OUTPUT_PATH=%s/lib/krafla", prefix);
	variables[4] = session->witness.path
		? kr_asprintf("KRAFLA_REPORT=%s", session->witness.path)
		: strdup("KRAFLA_REPORT");
	variables[5] = NULL;
	return variables[0] && variables[1] && variables[2] && variables[3] && variables[4];
}

static void
warn_without_library(const char *prefix)
{
	char *path = kr_asprintf("%s/lib/libvulkan.so.1", prefix);

	if (path && access(path, R_OK) < 0)
		kr_complain("run",
			"%s can't be read (%s): the program will use another Vulkan loader and show nothing here",
			path, strerror(errno));
	free(path);
}

static int
exec_failure(const char *program, int err, bool exec_failed)
{
	kr_complain("run", exec_failed ? "can't run '%s': %s" : "can't start '%s': %s", program,
		strerror(-err));
	if (!exec_failed)
		return KR_EXIT_FAILURE;
	return err == -ENOENT ? KR_EXIT_NOT_FOUND : KR_EXIT_NOT_EXECUTABLE;
}

int
kr_program_start(const struct kr_session *session, char **program, const sigset_t *mask,
	struct kr_child *child)
{
	char *variables[VARIABLE_COUNT + 1] = {0};
	char *prefix = kr_find_prefix();
	const struct kr_child_setup how = {
		.variables = variables,
		.mask = mask,
		.output_to_error = kr_capture_request_has_output(&session->options->capture),
	};
	bool exec_failed = false;
	int err = -ENOMEM, code = 0;

	if (!prefix) {
		kr_complain("run", "can't find where krafla is installed, for its libraries: %s",
			access("/proc/self", F_OK) ? "/proc isn't mounted" : strerror(errno));
		return KR_EXIT_FAILURE;
	}
	if (make_variables(session, prefix, variables)) {
		warn_without_library(prefix);
		err = kr_child_start(child, program, &how, &exec_failed);
		if (err == 0 && session->options->verbose)
			kr_say("%s is process %d, with %s %s", program[0], child->pid, variables[0],
				variables[1]);
	}
	if (err < 0)
		code = exec_failure(program[0], err, exec_failed);
	for (int i = 0; i < VARIABLE_COUNT; i++)
		free(variables[i]);
	free(prefix);
	return code;
}

/* --- its end --- */

/*
 * The cause as far as it is known; also of a program that had to be told to end, for want of
 * anything to see. What was learned is of all programs: of several it can't be told whose it is.
 */
static void
tell_nothing_shown(const struct kr_session *session, unsigned number)
{
	const char *program = session->options->programs[number].argv[0];
	bool window = session->groups[number].windows > 0;
	bool alone = session->options->program_count == 1;
	char *why = alone ? kr_witness_why(&session->witness, window) : NULL;

	kr_complain("run", "%s %s%s%s", program,
		window ? "opened a window and presented nothing"
		       : "ended without opening a window on the display",
		why ? ": " : "", why ? why : "");
	free(why);
	if (alone && !window && !session->witness.instance && !kr_env_get("DISPLAY") &&
		!kr_env_get("WAYLAND_DISPLAY"))
		kr_complain("run",
			"neither DISPLAY nor WAYLAND_DISPLAY is set: if %s opens a window of X or Wayland it needs a running server of that, as Xvfb or Weston's headless backend is",
			program);
}

static void
tell_status(const struct kr_session *session, unsigned number, enum kr_run_end end)
{
	const char *program = session->options->programs[number].argv[0];
	int status = session->programs->children[number].status;

	if (session->options->verbose && WIFEXITED(status))
		kr_say("%s has ended with code %d", program, WEXITSTATUS(status));
	if (end == KR_RUN_END_PROGRAM && WIFSIGNALED(status))
		kr_complain("run", "%s was killed by signal %d (%s)", program, WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else if (session->options->verbose && WIFSIGNALED(status))
		kr_say("%s was ended by signal %d (%s)", program, WTERMSIG(status),
			strsignal(WTERMSIG(status)));
}

void
kr_program_tell_ends(const struct kr_session *session, enum kr_run_end end)
{
	const struct kr_run_options *options = session->options;
	uint64_t composed = session->stats.composed;
	bool told = false;

	for (unsigned i = 0; i < session->programs->count; i++)
		tell_status(session, i, end);
	if (!session->display || (end != KR_RUN_END_PROGRAM && end != KR_RUN_END_SIGNAL))
		return;
	for (unsigned i = 0; i < session->programs->count; i++) {
		const struct kr_display_group_stats *group = &session->groups[i];
		bool killed = WIFSIGNALED(session->programs->children[i].status);

		/* One that opened a window and was ended by a signal isn't blamed. */
		if (group->windows &&
			(end != KR_RUN_END_PROGRAM || killed || group->shown || group->hidden))
			continue;
		tell_nothing_shown(session, i);
		told = true;
	}
	if (!told && end == KR_RUN_END_PROGRAM && composed && composed < options->frames)
		kr_complain("run", "%s ended after %llu of %llu frames",
			options->program_count == 1 ? options->programs[0].argv[0] : "all programs",
			(unsigned long long)composed, (unsigned long long)options->frames);
}
