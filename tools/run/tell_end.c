/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/tell_end.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tools/command/command.h"
#include "tools/run/say.h"
#include "util/env.h"

/* The cause as far as it is known; also of a program that had to be told to end, for want of anything to see. */
static void
tell_nothing_shown(const struct kr_session *session)
{
	const char *program = session->options->program[0];
	bool window = session->stats.producers > 0;
	char *why = kr_witness_why(&session->witness, window);

	kr_complain("run", "%s %s%s%s", program,
		window ? "opened a window and presented nothing"
		       : "ended without opening a window on the display",
		why ? ": " : "", why ? why : "");
	free(why);
	if (!window && !session->witness.instance && !kr_env_get("DISPLAY") &&
		!kr_env_get("WAYLAND_DISPLAY"))
		kr_complain("run",
			"neither DISPLAY nor WAYLAND_DISPLAY is set: if %s opens a window of X or "
			"Wayland it needs a running server of that, as Xvfb or Weston's headless "
			"backend is",
			program);
}

void
kr_tell_end(const struct kr_session *session, const struct kr_child *child, enum kr_run_end end)
{
	const struct kr_run_options *options = session->options;
	const struct kr_display_stats *stats = &session->stats;
	const char *program = options->program[0];
	int status = child->status;

	if (options->verbose && WIFEXITED(status))
		kr_say("%s has ended with code %d", program, WEXITSTATUS(status));
	if (end == KR_RUN_END_PROGRAM && WIFSIGNALED(status))
		kr_complain("run", "%s was killed by signal %d (%s)", program, WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else if (options->verbose && WIFSIGNALED(status))
		kr_say("%s was ended by signal %d (%s)", program, WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	if (!session->display || (end != KR_RUN_END_PROGRAM && end != KR_RUN_END_SIGNAL))
		return;
	if (!stats->producers)
		tell_nothing_shown(session);
	else if (end != KR_RUN_END_PROGRAM || WIFSIGNALED(status))
		return;
	else if (!stats->composed)
		tell_nothing_shown(session);
	else if (stats->composed < options->frames)
		kr_complain("run", "%s ended after %llu of %llu frames", program,
			(unsigned long long)stats->composed, (unsigned long long)options->frames);
}
