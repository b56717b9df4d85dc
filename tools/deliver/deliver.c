/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla deliver: finds a driver, leaves it open for a command, and becomes that command.
 *
 *   service, or installed driver -> parcel (descriptors) -> inheritance (variables) -> exec
 */
#include "tools/command/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/connection.h"
#include "service/package/package.h"
#include "tools/deliver/inherit.h"
#include "tools/deliver/nodes.h"
#include "tools/deliver/parcel.h"
#include "util/fd.h"

static void
finish_parcel(struct kr_parcel *parcel)
{
	for (size_t i = 0; i < parcel->count; i++)
		kr_fd_close(&parcel->fds[i]);
	kr_delivery_destroy(parcel->delivery);
	kr_package_destroy(parcel->package);
	kr_words_finish(&parcel->nodes);
	free(parcel->api_version);
	free(parcel->name);
	*parcel = (struct kr_parcel){0};
}

/* Reads what came, from whomever. */
static int
open_parcel(struct kr_parcel *parcel)
{
	int copies[KR_INDEX_MAX_FILES + 1], err = 0;
	char *reason = NULL;

	for (size_t i = 0; i < parcel->count; i++) {
		copies[i] = -1;
		if (!err)
			err = kr_fd_dup(parcel->fds[i], &copies[i]);
	}
	for (size_t i = 0; err && i < parcel->count; i++)
		kr_fd_close(&copies[i]);
	if (!err)
		err = kr_delivery_take(
			parcel->kind, copies, parcel->count, &parcel->delivery, &reason);
	if (err)
		kr_complain("deliver", "the driver '%s' can't be used: %s%s", parcel->name,
			reason ? reason : strerror(-err),
			err == -EMFILE ? KR_DELIVER_RAISE_LIMIT : "");
	free(reason);
	return err ? KR_EXIT_FAILURE : 0;
}

/* The driver's descriptors, from a service or from what is installed. */
static int
get_parcel(const struct kr_deliver_options *options, struct kr_parcel *parcel)
{
	struct kr_connection *connection;
	int code = kr_deliver_find_service(options, &connection);

	if (code)
		return code;
	/* A path means this very driver, which no service is asked for. */
	if (connection && !(options->driver && strchr(options->driver, '/'))) {
		code = kr_deliver_ask(connection, options, parcel);
	} else {
		code = kr_deliver_choose(options, parcel);
		if (!code)
			code = kr_deliver_give(parcel, options->strict);
	}
	if (!code)
		code = open_parcel(parcel);
	kr_connection_close(connection);
	return code;
}

/* Whether it could be loaded here, where the command will be. */
static int
check_needs(const struct kr_parcel *parcel)
{
	char *reason = NULL;
	int err = kr_delivery_check(parcel->delivery, &reason);

	if (err)
		kr_complain("deliver",
			"the driver '%s' can't be used on this system: %s. With --sandbox this isn't looked at here",
			parcel->name, reason ? reason : strerror(-err));
	free(reason);
	return err ? KR_EXIT_FAILURE : 0;
}

/* --- the command --- */

static void
add_variables(const struct kr_words *variables, struct kr_words *arguments)
{
	for (size_t i = 0; kr_inherit_removed[i]; i++) {
		kr_words_add(arguments, "--unsetenv");
		kr_words_add(arguments, kr_inherit_removed[i]);
	}
	for (size_t i = 0; i < variables->count; i++) {
		const char *variable = variables->items[i];
		const char *value = strchr(variable, '=');

		kr_words_add(arguments, "--setenv");
		kr_words_addf(arguments, "%.*s", (int)(value - variable), variable);
		kr_words_add(arguments, value + 1);
	}
}

/* The command line of bwrap with all that the driver needs in the sandbox. */
static void
extend_bwrap(const struct kr_bwrap_line *line, const struct kr_parcel *parcel,
	struct kr_inheritance *inheritance, struct kr_words *command)
{
	static const struct kr_deliver_roots roots;
	const struct kr_index *index = kr_delivery_index(parcel->delivery);
	struct kr_words more = {0};

	kr_deliver_node_arguments(
		&roots, (const char *const *)parcel->nodes.items, parcel->nodes.count, &more);
	for (char **node = index->nodes; node && *node; node++)
		kr_deliver_node_arguments(&roots, (const char *const *)node, 1, &more);
	for (char **path = index->system_paths; path && *path; path++) {
		/* All of /sys is put where there is none. */
		if (strncmp(*path, "/sys", 4) != 0 && !kr_bwrap_has_room(line, *path))
			continue;
		kr_words_add(&more, "--ro-bind-try");
		kr_words_add(&more, *path);
		kr_words_add(&more, *path);
	}
	for (size_t i = 0; i < inheritance->arguments.count; i++)
		kr_words_add(&more, inheritance->arguments.items[i]);
	add_variables(&inheritance->variables, &more);
	kr_bwrap_extend(line, &more, command);
	command->failed = command->failed || more.failed || parcel->nodes.failed ||
		inheritance->arguments.failed || inheritance->variables.failed;
	kr_words_finish(&more);
	/* They are in the line now. */
	kr_words_finish(&inheritance->variables);
}

/* As a shell reads it back. */
static void
print_word(const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,+=@%";

	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*word);
	}
	putchar('\'');
}

static void
print_words(char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		print_word(words[i]);
		putchar(' ');
	}
}

static void
print_command(const struct kr_words *variables, const struct kr_words *command)
{
	/* bwrap's line has all of it already. */
	if (variables->count)
		fputs("env ", stdout);
	for (size_t i = 0; variables->count && kr_inherit_removed[i]; i++)
		printf("-u %s ", kr_inherit_removed[i]);
	print_words(variables->items, variables->count);
	print_words(command->items, command->count - 1);
	print_word(command->items[command->count - 1]);
	putchar('\n');
}

/* Comes back only when it failed. */
static int
become(const struct kr_words *variables, const struct kr_words *command)
{
	int err = 0;

	for (size_t i = 0; variables->count && kr_inherit_removed[i]; i++)
		unsetenv(kr_inherit_removed[i]);
	for (size_t i = 0; !err && i < variables->count; i++)
		err = putenv(variables->items[i]) ? -errno : 0;
	if (!err) {
		execvp(command->items[0], command->items);
		err = -errno;
	}
	kr_complain("deliver", "can't run '%s': %s", command->items[0], strerror(-err));
	return err == -ENOENT ? KR_EXIT_NOT_FOUND : KR_EXIT_NOT_EXECUTABLE;
}

static int
run(const struct kr_deliver_options *options, const struct kr_parcel *parcel,
	struct kr_inheritance *inheritance)
{
	struct kr_words command = {0};
	int code = KR_EXIT_OK;

	if (options->bwrap)
		extend_bwrap(&options->line, parcel, inheritance, &command);
	for (char **word = options->command; !options->bwrap && *word; word++)
		kr_words_add(&command, *word);
	if (command.failed || inheritance->variables.failed) {
		kr_complain("deliver", "out of memory");
		code = KR_EXIT_FAILURE;
	} else if (options->print) {
		print_command(&inheritance->variables, &command);
	} else {
		code = become(&inheritance->variables, &command);
	}
	kr_words_finish(&command);
	return code;
}

static int
run_command(int argc, char **argv)
{
	struct kr_deliver_options options;
	struct kr_parcel parcel = {0};
	struct kr_inheritance inheritance = {0};
	int code = kr_deliver_options_parse(argc, argv, &options);

	if (code)
		return code == 1 ? KR_EXIT_OK : code;
	code = get_parcel(&options, &parcel);
	if (!code && !options.sandbox)
		code = check_needs(&parcel);
	if (!code)
		code = kr_inherit(&parcel, &options, &inheritance);
	if (!code)
		code = run(&options, &parcel, &inheritance);
	kr_inheritance_finish(&inheritance);
	finish_parcel(&parcel);
	return code;
}

const struct kr_subcommand kr_subcommand_deliver = {
	.name = "deliver",
	.summary = "run a program with a driver that it inherits: for sandboxes",
	.help = kr_deliver_help,
	.run = run_command,
};
