/* SPDX-License-Identifier: Apache-2.0 */
/* What every command says and asks: see command.h. */
#include "tools/command/command.h"

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "util/env.h"
#include "util/text.h"

static void
complain(const char *command, const char *fmt, va_list args)
{
	char *text = NULL;
	int length = vasprintf(&text, fmt, args);

	/* Names and lines of files are in it. */
	if (length >= 0)
		kr_text_clean(text, (size_t)length, true);
	fprintf(stderr, "krafla%s%s: %s\n", *command ? " " : "", command,
		length < 0 ? "out of memory" : text);
	if (length >= 0)
		free(text);
}

void
kr_complain(const char *command, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(command, fmt, args);
	va_end(args);
}

int
kr_usage_error(const char *command, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(command, fmt, args);
	va_end(args);
	fprintf(stderr, "'krafla help%s%s' explains how to call it.\n", *command ? " " : "",
		command);
	return KR_EXIT_USAGE;
}

int
kr_option_error(const char *command, int c, char **argv)
{
	const char *word = argv[optind - 1];

	if (c == ':')
		return kr_usage_error(command, "option '%s' needs a value", word);
	if (optopt && strncmp(word, "--", 2) != 0)
		return kr_usage_error(command, "unknown option '-%c'", optopt);
	if (optopt)
		return kr_usage_error(command, "option '%s' takes no value", word);
	return kr_usage_error(command, "unknown or ambiguous option '%s'", word);
}

char *
kr_find_prefix(void)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	/*
	 * Without /proc: the path that exec was given, which counts from where krafla was started.
	 */
	if (len <= 0 && !realpath((const char *)getauxval(AT_EXECFN), path))
		return NULL;
	if (len > 0)
		path[len] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(path, '/');

		if (!slash)
			return NULL;
		*slash = '\0';
	}
	return strdup(path);
}

char *
kr_find_installed_probe(void)
{
	static const char *const places[] = {"lib/krafla", "tools"};
	char *prefix = kr_find_prefix(), *program = NULL;

	for (size_t i = 0; prefix && i < KR_ARRAY_LEN(places); i++) {
		program = kr_asprintf("%s/%s/krafla-probe", prefix, places[i]);
		if (program && !access(program, X_OK))
			break;
		free(program);
		program = NULL;
	}
	free(prefix);
	return program;
}

char *
kr_find_probe(void)
{
	const char *variable = kr_env_get("KRAFLA_PROBE");

	return variable && strchr(variable, '/') ? strdup(variable) : kr_find_installed_probe();
}
