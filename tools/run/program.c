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
#include "util/macros.h"
#include "util/text.h"

#define VARIABLE_MAX 12

#define EGL_MANIFEST "10_krafla.json"

/* Each one as kr_child_setup has it. */
struct variables {
	char *all[VARIABLE_MAX + 1];
	unsigned count;
	bool failed;
};

static void
add(struct variables *variables, char *text)
{
	if (text)
		variables->all[variables->count++] = text;
	else
		variables->failed = true;
}

/* Whether glvnd could load what it would be told of: it is told of nothing else. */
static bool
has_egl(const char *manifest, const char *library)
{
	const char *missing = access(manifest, R_OK) < 0 ? manifest
		: access(library, R_OK) < 0              ? library
							 : NULL;

	if (missing)
		kr_complain("run",
			"%s can't be read (%s): EGL goes to the system's vendors as if krafla weren't there",
			missing, strerror(errno));
	else if (strchr(manifest, ':'))
		kr_complain("run",
			"there is a ':' in %s, which no list can name: EGL goes to the system's vendors as if krafla weren't there",
			manifest);
	return !missing && !strchr(manifest, ':');
}

/*
 * glvnd is told of Krafla's vendor of EGL alone, and that of those that glvnd was told of, unless
 * another `krafla run` has done that.
 */
static void
add_egl(const char *prefix, struct variables *variables)
{
	/* Set to nothing it names no vendor, and so does what it becomes. */
	const char *told = kr_env_get_raw("__EGL_VENDOR_LIBRARY_FILENAMES");
	char *manifest = kr_asprintf("%s/share/krafla/egl/%s", prefix, EGL_MANIFEST);
	char *library = kr_asprintf("%s/lib/libEGL_krafla.so.0", prefix);

	if (!manifest || !library) {
		variables->failed = true;
	} else if (has_egl(manifest, library)) {
		add(variables, kr_asprintf("__EGL_VENDOR_LIBRARY_FILENAMES=%s", manifest));
		if (told && !kr_has_suffix(told, "/" EGL_MANIFEST))
			add(variables, kr_asprintf("KRAFLA_EGL_VENDORS=%s", told));
	}
	free(library);
	free(manifest);
}

/* Into a program that isn't debuggable none of these brings code. */
static void
close_variables(struct variables *variables)
{
	static const char *const names[] = {"LD_PRELOAD", "LD_AUDIT", "KRAFLA_EGL_VENDORS",
		"__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS"};

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++)
		add(variables, strdup(names[i]));
}

/*
 * What points the program at the libraries of this krafla and at the display. Into one that isn't
 * debuggable the environment brings no other library.
 */
static bool
make_variables(const struct kr_session *session, const char *prefix, struct variables *variables)
{
	const struct kr_run_options *options = session->options;
	bool closed = options->not_debuggable;
	const char *path = closed ? NULL : kr_env_get("LD_LIBRARY_PATH");
	const char *output = closed ? NULL : kr_env_get("KRAFLA_OUTPUT_PATH");
	const char *report = session->witness.path;
	bool driver = options->driver_wsi;

	add(variables,
		kr_asprintf(
			"LD_LIBRARY_PATH=%s/lib%s%s", prefix, path ? ":" : "", path ? path : ""));
	add(variables, kr_asprintf("KRAFLA_WSI=%s", driver ? "driver" : "platform"));
	add(variables,
		driver ? strdup("KRAFLA_DISPLAY")
		       : kr_asprintf("KRAFLA_DISPLAY=%s", session->socket));
	add(variables,
		output ? kr_asprintf("KRAFLA_OUTPUT_PATH=%s", output)
		       : kr_asprintf("KRAFLA_OUTPUT_PATH=%s/lib/krafla", prefix));
	add(variables, report ? kr_asprintf("KRAFLA_REPORT=%s", report) : strdup("KRAFLA_REPORT"));
	if (options->profile)
		add(variables, kr_asprintf("KRAFLA_PROFILE=%s", options->profile));
	if (closed)
		close_variables(variables);
	else
		add_egl(prefix, variables);
	return !variables->failed;
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
start_failure(const char *program, int err, enum kr_child_failure failure)
{
	switch (failure) {
	case KR_CHILD_FAILURE_EXEC:
		kr_complain("run", "can't run '%s': %s", program, strerror(-err));
		return err == -ENOENT ? KR_EXIT_NOT_FOUND : KR_EXIT_NOT_EXECUTABLE;
	case KR_CHILD_FAILURE_TRACE:
		kr_complain("run",
			"'%s' isn't run: --not-debuggable has to trace it, and that failed: %s%s",
			program, strerror(-err),
			err == -EPERM
				? " (denied by /proc/sys/kernel/yama/ptrace_scope, a seccomp filter or a container?)"
				: "");
		break;
	case KR_CHILD_FAILURE_DUMPING:
		kr_complain("run",
			"'%s' was killed before its first instruction: it couldn't be made not debuggable: %s%s",
			program, strerror(-err),
			err == -ENOTSUP           ? " (a program of another machine?)"
				: err == -ENOEXEC ? " (it has no vDSO to make system calls by)"
						  : "");
		break;
	case KR_CHILD_FAILURE_START:
		kr_complain("run", "can't start '%s': %s", program, strerror(-err));
		break;
	}
	return KR_EXIT_FAILURE;
}

int
kr_program_start(const struct kr_session *session, char **program, const sigset_t *mask,
	struct kr_undumpable *undumpable, struct kr_child *child)
{
	struct variables variables = {0};
	char *prefix = kr_find_prefix();
	const struct kr_child_setup how = {
		.variables = variables.all,
		.mask = mask,
		.output_to_error = kr_capture_request_has_output(&session->options->capture),
		.undumpable = undumpable,
	};
	enum kr_child_failure failure = KR_CHILD_FAILURE_START;
	int err = -ENOMEM, code = 0;

	if (!prefix) {
		kr_complain("run", "can't find where krafla is installed, for its libraries: %s",
			access("/proc/self", F_OK) ? "/proc isn't mounted" : strerror(errno));
		return KR_EXIT_FAILURE;
	}
	if (make_variables(session, prefix, &variables)) {
		warn_without_library(prefix);
		err = kr_child_start(child, program, &how, &failure);
		if (err == 0 && session->options->verbose)
			kr_say("%s is process %d, with %s %s", program[0], child->pid,
				variables.all[0], variables.all[1]);
	}
	if (err < 0)
		code = start_failure(program[0], err, failure);
	for (unsigned i = 0; i < variables.count; i++)
		free(variables.all[i]);
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
