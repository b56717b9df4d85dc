/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines of bubblewrap: see bwrap.h. */
#include "tools/deliver/bwrap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/text.h"

#define NO_PLACE 0

/*
 * bwrap(1), of bubblewrap 0.8 to 0.11. `place`: which of its arguments is a place in the sandbox.
 */
static const struct bwrap_option {
	const char *name;
	unsigned arguments;
	unsigned place;
} bwrap_options[] = {
	{"--add-seccomp-fd", 1, NO_PLACE},
	{"--args", 1, NO_PLACE},
	{"--argv0", 1, NO_PLACE},
	{"--as-pid-1", 0, NO_PLACE},
	{"--assert-userns-disabled", 0, NO_PLACE},
	{"--bind", 2, 2},
	{"--bind-data", 2, 2},
	{"--bind-fd", 2, 2},
	{"--bind-try", 2, 2},
	{"--block-fd", 1, NO_PLACE},
	{"--cap-add", 1, NO_PLACE},
	{"--cap-drop", 1, NO_PLACE},
	{"--chdir", 1, NO_PLACE},
	{"--chmod", 2, NO_PLACE},
	{"--clearenv", 0, NO_PLACE},
	{"--dev", 1, 1},
	{"--dev-bind", 2, 2},
	{"--dev-bind-try", 2, 2},
	{"--die-with-parent", 0, NO_PLACE},
	{"--dir", 1, NO_PLACE},
	{"--disable-userns", 0, NO_PLACE},
	{"--exec-label", 1, NO_PLACE},
	{"--file", 2, NO_PLACE},
	{"--file-label", 1, NO_PLACE},
	{"--gid", 1, NO_PLACE},
	{"--hostname", 1, NO_PLACE},
	{"--info-fd", 1, NO_PLACE},
	{"--json-status-fd", 1, NO_PLACE},
	{"--level-prefix", 0, NO_PLACE},
	{"--lock-file", 1, NO_PLACE},
	{"--mqueue", 1, 1},
	{"--new-session", 0, NO_PLACE},
	{"--overlay", 3, 3},
	{"--overlay-src", 1, NO_PLACE},
	{"--perms", 1, NO_PLACE},
	{"--pidns", 1, NO_PLACE},
	{"--proc", 1, 1},
	{"--remount-ro", 1, NO_PLACE},
	{"--ro-bind", 2, 2},
	{"--ro-bind-data", 2, 2},
	{"--ro-bind-fd", 2, 2},
	{"--ro-bind-try", 2, 2},
	{"--ro-overlay", 1, 1},
	{"--seccomp", 1, NO_PLACE},
	{"--setenv", 2, NO_PLACE},
	{"--share-net", 0, NO_PLACE},
	{"--size", 1, NO_PLACE},
	{"--symlink", 2, NO_PLACE},
	{"--sync-fd", 1, NO_PLACE},
	{"--tmp-overlay", 1, 1},
	{"--tmpfs", 1, 1},
	{"--uid", 1, NO_PLACE},
	{"--unsetenv", 1, NO_PLACE},
	{"--unshare-all", 0, NO_PLACE},
	{"--unshare-cgroup", 0, NO_PLACE},
	{"--unshare-cgroup-try", 0, NO_PLACE},
	{"--unshare-ipc", 0, NO_PLACE},
	{"--unshare-net", 0, NO_PLACE},
	{"--unshare-pid", 0, NO_PLACE},
	{"--unshare-user", 0, NO_PLACE},
	{"--unshare-user-try", 0, NO_PLACE},
	{"--unshare-uts", 0, NO_PLACE},
	{"--userns", 1, NO_PLACE},
	{"--userns-block-fd", 1, NO_PLACE},
	{"--userns2", 1, NO_PLACE},
};

static const struct bwrap_option *
find_option(const char *name)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(bwrap_options); i++) {
		if (!strcmp(bwrap_options[i].name, name))
			return &bwrap_options[i];
	}
	return NULL;
}

static bool
is_bwrap(const char *program)
{
	const char *slash = strrchr(program, '/');

	return kr_has_suffix(slash ? slash + 1 : program, "bwrap");
}

/* The first "--" from there on, or none. */
static bool
find_dashes(const char *const *argv, size_t *at)
{
	for (size_t i = *at; argv[i]; i++) {
		if (!strcmp(argv[i], "--")) {
			*at = i;
			return true;
		}
	}
	return false;
}

/*
 * Whether something is at `what` once the option has been heeded too; the last that mounts there
 * counts. A root that is bound whole has whatever lies below it there; what is mounted at / else
 * has no /proc and no /sys.
 */
static bool
has_still(bool has, const struct bwrap_option *option, const char *const *argv, const char *what)
{
	const char *place = option->place ? argv[option->place] : "";

	if (!strcmp(place, "/"))
		return strstr(option->name, "bind") && !strcmp(argv[1], "/");
	return has || !strcmp(place, what);
}

/* One option at argv[*at], or an answer why not. */
static int
read_option(struct kr_bwrap_line *line, size_t *at, char **reason)
{
	const char *const *argv = line->argv + *at;
	const struct bwrap_option *option = find_option(argv[0]);

	if (!option) {
		*reason = kr_asprintf(
			"bwrap's option '%s' isn't known here, nor how many arguments it takes: put a '--' before the command that bwrap runs",
			argv[0]);
		return -EINVAL;
	}
	for (unsigned i = 1; i <= option->arguments; i++) {
		if (argv[i])
			continue;
		*reason = kr_asprintf(
			"bwrap's option '%s' takes %u arguments", argv[0], option->arguments);
		return -EINVAL;
	}
	/* An empty one is none; for /sys it is all that is needed. */
	if (!strcmp(option->name, "--tmpfs") && !strcmp(argv[1], "/proc"))
		line->has_proc = false;
	else
		line->has_proc = has_still(line->has_proc, option, argv, "/proc");
	line->has_sys = has_still(line->has_sys, option, argv, "/sys");
	*at += 1 + option->arguments;
	return 0;
}

int
kr_bwrap_read(const char *const *argv, struct kr_bwrap_line *line, char **reason)
{
	struct kr_bwrap_line read = {.argv = argv};
	size_t at = 1;

	if (!argv[0] || !is_bwrap(argv[0])) {
		*reason = kr_asprintf("--bwrap wants a command line of bwrap, and '%s' isn't bwrap",
			argv[0] ? argv[0] : "");
		return -EINVAL;
	}
	while (argv[at] && argv[at][0] == '-' && strcmp(argv[at], "--")) {
		/* With a "--" further on the options' end is known whatever they are. */
		if (!find_option(argv[at]) && find_dashes(argv, &at))
			break;
		if (read_option(&read, &at, reason))
			return -EINVAL;
	}
	read.options = at;
	read.command = argv[at] && !strcmp(argv[at], "--") ? at + 1 : at;
	if (!argv[read.command]) {
		*reason = kr_asprintf("the command line of bwrap ends without a command to run");
		return -EINVAL;
	}
	*line = read;
	return 0;
}

/* Whether the path is that place or below it; *rest is then what comes behind the place. */
static bool
is_below(const char *path, const char *place, const char **rest)
{
	size_t length = strlen(place);

	while (length && place[length - 1] == '/')
		length--;
	*rest = path + length;
	return !strncmp(path, place, length) && (**rest == '/' || !**rest);
}

/*
 * Options whose number of arguments isn't known end the search: what they mount isn't known either.
 */
bool
kr_bwrap_has_room(const struct kr_bwrap_line *line, const char *path)
{
	const char *source = NULL, *rest = NULL;
	const struct bwrap_option *option;
	bool there;
	char *full;

	for (size_t i = 1; i < line->options; i += 1 + option->arguments) {
		const char *const *argv = line->argv + i;
		const char *behind;

		option = find_option(argv[0]);
		if (!option)
			return true;
		if (!option->place || !is_below(path, argv[option->place], &behind))
			continue;
		/* The last that covers it counts. */
		source =
			!strcmp(option->name, "--ro-bind") || !strcmp(option->name, "--ro-bind-try")
			? argv[1]
			: NULL;
		rest = behind;
	}
	if (!source)
		return true;
	full = kr_asprintf("%s%s", source, rest);
	there = full && !access(full, F_OK);
	free(full);
	return there;
}

static bool
has_sysfs(const struct kr_words *words)
{
	for (size_t i = 0; i < words->count; i++) {
		if (!strncmp(words->items[i], "/sys/", 5))
			return true;
	}
	return false;
}

void
kr_bwrap_extend(const struct kr_bwrap_line *line, const struct kr_words *more, struct kr_words *out)
{
	for (size_t i = 0; i < line->options; i++)
		kr_words_add(out, line->argv[i]);
	if (!line->has_proc) {
		kr_words_add(out, "--proc");
		kr_words_add(out, "/proc");
	}
	if (!line->has_sys && has_sysfs(more)) {
		kr_words_add(out, "--tmpfs");
		kr_words_add(out, "/sys");
	}
	for (size_t i = 0; i < more->count; i++)
		kr_words_add(out, more->items[i]);
	kr_words_add(out, "--");
	for (size_t i = line->command; line->argv[i]; i++)
		kr_words_add(out, line->argv[i]);
}
