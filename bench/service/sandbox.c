/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bubblewrap sandbox that has nothing but what a program must bring itself. Which files these are
 * is told by a child that opens the libraries: all that it has loaded then, at the same paths.
 */
#include "bench/service/sandbox.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "delivery/index.h"

#define BWRAP "/usr/bin/bwrap"
#define CACHE "/etc/ld.so.cache"

static int
print_path(struct dl_phdr_info *info, size_t size, void *data)
{
	if (info->dlpi_name[0] == '/')
		puts(info->dlpi_name);
	return 0;
}

/* `libraries NAME...` prints the files of all libraries that it has when these are open. */
int
kr_bench_child_libraries(int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (!dlopen(argv[i], RTLD_LAZY | RTLD_LOCAL)) {
			fprintf(stderr, "krafla-bench: %s\n", dlerror());
			return 1;
		}
	}
	dl_iterate_phdr(print_path, NULL);
	return 0;
}

static void
add(struct service_sandbox *sandbox, const char *word)
{
	if (sandbox->count + 1 >= sandbox->room) {
		sandbox->room = sandbox->room * 2 + 64;
		sandbox->words = realloc(sandbox->words, sandbox->room * sizeof(*sandbox->words));
		if (!sandbox->words)
			abort();
	}
	sandbox->words[sandbox->count++] = strdup(word);
	sandbox->words[sandbox->count] = NULL;
}

void
service_sandbox_bind(struct service_sandbox *sandbox, const char *path)
{
	add(sandbox, "--ro-bind");
	add(sandbox, path);
	add(sandbox, path);
}

static void
add_prefix(struct kr_bench *bench, struct service_sandbox *sandbox)
{
	static const char *const first[] = {
		BWRAP, "--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev"};

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		add(sandbox, first[i]);
	service_sandbox_bind(sandbox, bench->self);
	service_sandbox_bind(sandbox, bench->loaders[KR_BENCH_KRAFLA]);
	if (!access(CACHE, R_OK))
		service_sandbox_bind(sandbox, CACHE);
}

static int
add_libraries(struct kr_bench *bench, struct service_rig *rig, const char *const *libraries,
	struct service_sandbox *sandbox)
{
	static char out[1 << 16];
	const char *arguments[KR_INDEX_MAX_FILES + 2] = {"libraries"};

	for (size_t i = 0; libraries[i] && i < KR_INDEX_MAX_FILES; i++)
		arguments[i + 1] = libraries[i];
	if (kr_bench_child(bench, arguments, NULL, out, sizeof(out)))
		return service_rig_fail(rig, "the sandbox's libraries", "one can't be opened");
	for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
		service_sandbox_bind(sandbox, line);
	return 0;
}

/* Whether a sandbox can be made here at all. */
static int
try_it(struct kr_bench *bench, struct service_rig *rig, const struct service_sandbox *sandbox)
{
	const char *arguments[] = {"cold", "empty", NULL};
	struct kr_bench_process process;
	char out[64];

	(void)kr_bench_spawn(bench, (const char *const *)sandbox->words, arguments, NULL, &process);
	if (!kr_bench_collect(&process, out, sizeof(out)))
		return 0;
	return service_rig_fail(rig, BWRAP, "it makes no sandbox here; see above");
}

int
service_sandbox_make(struct kr_bench *bench, struct service_rig *rig, const char *const *libraries,
	const char *manifest, struct service_sandbox *sandbox)
{
	*sandbox = (struct service_sandbox){0};
	if (access(BWRAP, X_OK))
		return service_rig_fail(rig, BWRAP, "bubblewrap isn't installed");
	add_prefix(bench, sandbox);
	if (add_libraries(bench, rig, libraries, sandbox))
		return 1;
	service_sandbox_bind(sandbox, rig->socket);
	if (manifest)
		service_sandbox_bind(sandbox, manifest);
	return try_it(bench, rig, sandbox);
}

void
service_sandbox_free(struct service_sandbox *sandbox)
{
	for (size_t i = 0; i < sandbox->count; i++)
		free(sandbox->words[i]);
	free(sandbox->words);
	*sandbox = (struct service_sandbox){0};
}
