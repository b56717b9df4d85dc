/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla package: makes a driver package of an installed driver, or checks one (docs/packages.md).
 */
#include "tools/command/command.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "service/package/component.h"
#include "tools/command/json_values.h"
#include "tools/package/print.h"
#include "tools/package/report.h"
#include "util/array.h"
#include "util/macros.h"
#include "util/text.h"

#define NAME "package"

static const char help[] =
	"usage: krafla package MANIFEST.json -o DIR [OPTION]...\n"
	"       krafla package --runner DIR [--subdir SUBDIR] -o DIR [--json]\n"
	"       krafla package --check DIR [--json]\n"
	"       krafla package --check LIBRARY.so [--imports WORD]... [--json]\n\n"
	"Makes a package of an installed driver: its library, and all that it needs except what\n"
	"every process has (glibc). libxcb, libX11, libwayland-client and what else belongs to a\n"
	"window system are for processes that have none: where there is one, it is used. The\n"
	"result is checked as a loader service checks it.\n\n"
	"  -o, --output DIR       the package, which must not be there yet\n"
	"      --library NAME     a library that the driver opens itself: a SONAME or a path\n"
	"      --data PATH        a file that the driver reads; it lies beside the driver\n"
	"      --environment NAME=PATH\n"
	"                         a file that the driver finds by that variable: as --data, and\n"
	"                         who delivers the package sets the variable to where it is\n"
	"      --node PATTERN     device nodes that it needs, below /dev: dri/renderD*\n"
	"      --imports WORD     a family of functions that it may import of the C library, as\n"
	"                         process or users, or none; without it, those that it does\n"
	"      --trace            try the driver here, and add the libraries that it opens\n"
	"      --runner DIR       a directory that stays where it is: the package names it and the\n"
	"                         runner that shows all of it as contents\n"
	"      --subdir SUBDIR    where metadata.json lies in that directory [meta/metadata]\n"
	"      --check DIR        check a package that is there\n"
	"      --check LIBRARY.so say what a driver's or layer's library imports of the system,\n"
	"                         and whether packages may\n"
	"      --json             say what it is like as JSON\n"
	"  -h, --help             this text\n\n"
	"--library, --data, --environment, --node and --imports may be given several times.\n";

enum word {
	OUTPUT = 'o',
	HELP = 'h',
	LIBRARY = 256,
	DATA,
	ENVIRONMENT,
	NODE,
	IMPORTS,
	TRACE,
	RUNNER,
	SUBDIR,
	CHECK,
	JSON
};

struct list {
	const char **items; /* NULL-terminated */
	size_t count, room;
};

struct request {
	const char *manifest, *output, *check;
	const char *runner, *subdir;
	struct list libraries, data, environment, nodes, imports;
	bool imports_are_said; /* none is a word, too */
	bool trace, json, help;
};

static bool
list_add(struct list *list, const char *item)
{
	const char **place = kr_array_add(&list->items, &list->count, &list->room, sizeof(*place));

	/* One more behind it, which stays NULL and isn't counted. */
	if (!place || !kr_array_add(&list->items, &list->count, &list->room, sizeof(*place)))
		return false;
	list->items[--list->count - 1] = item;
	return true;
}

static bool
take_option(struct request *request, int c)
{
	switch (c) {
	case OUTPUT:
		request->output = optarg;
		return true;
	case CHECK:
		request->check = optarg;
		return true;
	case RUNNER:
		request->runner = optarg;
		return true;
	case SUBDIR:
		request->subdir = optarg;
		return true;
	case LIBRARY:
		return list_add(&request->libraries, optarg);
	case DATA:
		return list_add(&request->data, optarg);
	case ENVIRONMENT:
		return list_add(&request->environment, optarg);
	case NODE:
		return list_add(&request->nodes, optarg);
	case IMPORTS:
		request->imports_are_said = true;
		return !strcmp(optarg, "none") || list_add(&request->imports, optarg);
	case TRACE:
		request->trace = true;
		return true;
	case JSON:
		request->json = true;
		return true;
	default:
		request->help = true;
		return true;
	}
}

static bool
is_file(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !S_ISDIR(status.st_mode);
}

/* What belongs together. KR_EXIT_OK or KR_EXIT_USAGE. */
static int
check_request(const struct request *request, int rest)
{
	bool adds = request->libraries.count || request->data.count || request->environment.count ||
		request->nodes.count || request->trace;

	if (request->subdir && !request->runner)
		return kr_usage_error(NAME, "--subdir goes with --runner alone");
	if (request->check && (adds || request->output || request->runner))
		return kr_usage_error(NAME, "--check goes with --json alone");
	if (request->check && request->imports_are_said && !is_file(request->check))
		return kr_usage_error(NAME,
			"--imports goes with --check of a library alone: a package declares in its metadata.json");
	if (request->check)
		return rest
			? kr_usage_error(NAME, "'%s' is one argument too many", request->manifest)
			: KR_EXIT_OK;
	if (request->runner && (adds || request->imports_are_said || rest))
		return kr_usage_error(NAME, "--runner goes with --subdir, -o and --json alone");
	if (!rest && !request->runner)
		return kr_usage_error(NAME,
			"which driver? Name its manifest, as /usr/share/vulkan/icd.d has them");
	if (rest > 1)
		return kr_usage_error(NAME, "there is more than one manifest");
	if (!request->output)
		return kr_usage_error(NAME, "where to? -o DIR is missing");
	return KR_EXIT_OK;
}

static int
parse(int argc, char **argv, struct request *request)
{
	static const struct option long_options[] = {
		{"output", required_argument, NULL, OUTPUT},
		{"library", required_argument, NULL, LIBRARY},
		{"data", required_argument, NULL, DATA},
		{"environment", required_argument, NULL, ENVIRONMENT},
		{"node", required_argument, NULL, NODE},
		{"imports", required_argument, NULL, IMPORTS},
		{"trace", no_argument, NULL, TRACE},
		{"runner", required_argument, NULL, RUNNER},
		{"subdir", required_argument, NULL, SUBDIR},
		{"check", required_argument, NULL, CHECK},
		{"json", no_argument, NULL, JSON},
		{"help", no_argument, NULL, HELP},
		{0},
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		if (c == '?' || c == ':')
			return kr_option_error(NAME, c, argv);
		if (!take_option(request, c)) {
			kr_complain(NAME, "out of memory");
			return KR_EXIT_FAILURE;
		}
		if (request->help)
			return KR_EXIT_OK;
	}
	request->manifest = argv[optind];
	return check_request(request, argc - optind);
}

static int
fail(char *take_reason)
{
	kr_print_end();
	kr_complain(NAME, "%s", take_reason ? take_reason : "out of memory");
	free(take_reason);
	return KR_EXIT_FAILURE;
}

/* NULL: nothing was said. */
static const char *const *
said_imports(const struct request *request)
{
	static const char *const none[] = {NULL};

	if (!request->imports_are_said)
		return NULL;
	return request->imports.items ? request->imports.items : none;
}

static int
gather(const struct request *request, struct kr_package **package, char **reason)
{
	char *probe = request->trace ? kr_find_probe() : NULL;
	struct kr_package_source_options options = {
		.runtime_libraries = request->libraries.items,
		.data_files = request->data.items,
		.environment = request->environment.items,
		.nodes = request->nodes.items,
		.imports = said_imports(request),
		.trace = request->trace,
		.probe_program = probe,
		.progress = kr_print_reading,
	};
	int ret = kr_package_from_manifest(request->manifest, &options, package, reason);

	free(probe);
	return ret;
}

static int
show(const struct request *request, const struct kr_package *package, json_t *warnings,
	const char *directory)
{
	json_t *all, *imports;
	char *reason = NULL;
	int failed = 0;

	kr_print_end();
	if (!request->json) {
		char *headline = kr_asprintf(
			"%s: %s", directory, request->check ? "a good package" : "made");

		kr_print_package(package, warnings, headline ? headline : directory);
		free(headline);
	} else if (kr_print_gather_imports(package, &imports, &reason)) {
		return fail(reason);
	} else {
		all = json_pack("{s:o, s:O, s:o, s:o}", "directory", kr_tool_json_text(directory),
			"warnings", warnings, "package", kr_package_inspect(package), "imports",
			imports);
		failed = !all || json_dumpf(all, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(all);
	}
	return failed ? KR_EXIT_FAILURE : KR_EXIT_OK;
}

/*
 * Signals that end it are blocked, and looked for between two pieces, so that what was
 * written is removed first.
 */
static bool
show_and_go_on(void *data, const char *what, size_t done, size_t total)
{
	const sigset_t *ends = data;
	sigset_t pending;

	kr_print_writing(NULL, what, done, total);
	sigemptyset(&pending);
	sigpending(&pending);
	for (int signal = 1; signal < SIGRTMIN; signal++) {
		if (sigismember(ends, signal) == 1 && sigismember(&pending, signal) == 1)
			return false;
	}
	return true;
}

/* One that is ignored doesn't end anything. */
static void
find_ends(sigset_t *ends)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action;

	sigemptyset(ends);
	for (size_t i = 0; i < KR_ARRAY_LEN(signals); i++) {
		if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(ends, signals[i]);
	}
}

/* A signal that came meanwhile ends the process here, as it would have anywhere else. */
static int
write_package(const struct kr_package *package, const char *directory, char **reason)
{
	sigset_t ends, blocked, before;
	int ret;

	find_ends(&ends);
	blocked = ends;
	sigaddset(&blocked, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	ret = kr_package_write(package, directory, show_and_go_on, &ends, reason);
	if (ret == -ECANCELED)
		kr_print_end();
	/* A file that was too large has been told of as every other error. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGXFSZ);
	(void)sigtimedwait(&blocked, NULL, &(struct timespec){0});
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}

static int
make_package(const struct request *request, char **reason)
{
	struct kr_package *package;
	int ret = gather(request, &package, reason);

	if (ret)
		return ret;
	ret = kr_package_check(package, NULL, reason);
	if (!ret)
		ret = write_package(package, request->output, reason);
	kr_package_destroy(package);
	return ret;
}

/* The directory is read where it is, and only named. */
static int
make_component(const struct request *request, char **reason)
{
	char *directory = realpath(request->runner, NULL);
	const struct kr_component component = {
		directory, (char *)(request->subdir ? request->subdir : KR_COMPONENT_SUBDIR)};
	struct kr_package *package;
	int ret;

	if (!directory) {
		ret = -errno;
		*reason = kr_asprintf("%s can't be opened: %s", request->runner, strerror(-ret));
		return ret;
	}
	ret = kr_package_open_component(request->output, &component, &package, reason);
	if (!ret) {
		ret = kr_package_check(package, NULL, reason);
		if (!ret)
			ret = kr_package_write_component(&component, request->output, reason);
		kr_package_destroy(package);
	}
	free(directory);
	return ret;
}

/* Reads, checks, writes; what was written is read and checked as anybody else would. */
static int
make_or_check(const struct request *request, json_t *warnings)
{
	const char *directory = request->check ? request->check : request->output;
	struct kr_package *package;
	char *reason = NULL;
	int ret;

	if (!request->check) {
		ret = request->runner ? make_component(request, &reason)
				      : make_package(request, &reason);
		if (ret)
			return fail(reason);
	}
	ret = kr_package_open(directory, &package, &reason);
	if (ret)
		return fail(reason);
	ret = kr_package_check(package, warnings, &reason);
	ret = ret ? fail(reason) : show(request, package, warnings, directory);
	kr_package_destroy(package);
	return ret;
}

static int
run_command(int argc, char **argv)
{
	struct request request = {0};
	int ret = parse(argc, argv, &request);

	if (request.help) {
		ret = fputs(help, stdout) < 0 ? KR_EXIT_FAILURE : KR_EXIT_OK;
	} else if (!ret && request.check && is_file(request.check)) {
		ret = kr_print_library(
			request.check, (char *const *)request.imports.items, request.json);
	} else if (!ret) {
		json_t *warnings = json_array();

		ret = make_or_check(&request, warnings);
		json_decref(warnings);
	}
	free(request.libraries.items);
	free(request.data.items);
	free(request.environment.items);
	free(request.nodes.items);
	free(request.imports.items);
	return ret;
}

const struct kr_subcommand kr_subcommand_package = {
	.name = NAME,
	.summary = "make a package of an installed driver, for a loader service",
	.help = help,
	.run = run_command,
};
