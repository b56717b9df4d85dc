/* SPDX-License-Identifier: Apache-2.0 */
/* Who is probed, and what follows: see probe.h. */
#include "discover/probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "discover/discover.h"
#include "discover/probe_memory.h"
#include "hardware/device_map.h"
#include "util/env.h"
#include "util/log.h"
#include "util/text.h"

#define PROGRAM "krafla/krafla-probe"

struct probe {
	const struct kr_probe_options *options;
	const char *library_path;
	const char *(*env_get)(const char *name);
	const char *wish; /* the value of KRAFLA_PROBE, or NULL */
};

static struct probe
make_probe(const struct kr_discover_options *options, const char *library_path)
{
	struct probe probe = {
		.options = &options->probe,
		.library_path = library_path,
		.env_get = options->search.env_get ? options->search.env_get : kr_env_get,
	};

	probe.wish = options->search.env_get ? options->search.env_get("KRAFLA_PROBE")
					     : kr_env_get("KRAFLA_PROBE");
	return probe;
}

/*
 * Whether KRAFLA_PROBE wants it; its verdict is then remembered. Krafla's own table of libraries
 * stands for those that are known.
 */
static bool
is_wanted(const struct probe *probe)
{
	return probe->wish && strcmp(probe->wish, "0") &&
		!kr_hardware_rule_get(probe->library_path);
}

/* A new string; NULL without memory or when our own path isn't known. */
static char *
find_program(const struct probe *probe)
{
	const char *slash;
	Dl_info self;

	if (probe->options->program)
		return strdup(probe->options->program);
	if (probe->wish && strchr(probe->wish, '/'))
		return strdup(probe->wish);
	if (!dladdr((const void *)kr_driver_quarantined, &self) || !self.dli_fname)
		return NULL;
	slash = strrchr(self.dli_fname, '/');
	if (!slash)
		return NULL;
	return kr_asprintf("%.*s/" PROGRAM, (int)(slash - self.dli_fname), self.dli_fname);
}

static int
run(const struct probe *probe, struct kr_probe_result *result)
{
	unsigned timeout =
		probe->options->timeout_ms ? probe->options->timeout_ms : KR_PROBE_TIMEOUT_MS;
	char *program = find_program(probe);
	int ret = -ENOENT;

	kr_log(KR_LOG_DEBUG | KR_LOG_DRIVER, "Probing driver %s with %s", probe->library_path,
		program ? program : "(unknown)");
	if (program)
		ret = kr_probe_run(
			program, probe->library_path, KR_PROBE_AS_DRIVER, timeout, result);
	if (ret)
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			"%s can't be probed (%s: %s): it is opened as it is", probe->library_path,
			program ? program : PROGRAM, strerror(-ret));
	free(program);
	return ret;
}

static char *
tell(const struct probe *probe, const struct kr_probe_memory *memory,
	const struct kr_probe_result *result)
{
	bool remembered = memory->path && is_wanted(probe);

	return kr_asprintf("%s isn't opened: its probe ended with %s%s%s%s", probe->library_path,
		result->text, remembered ? " (remembered in " : "", remembered ? memory->path : "",
		remembered ? ")" : "");
}

/* 0 with a result, or a negative errno: nothing is known. */
static int
judge(const struct probe *probe, const struct kr_probe_memory *memory,
	struct kr_probe_result *result)
{
	bool remember = is_wanted(probe);
	int ret;

	if (remember && kr_probe_memory_load(memory, probe->library_path, result))
		return 0;
	ret = run(probe, result);
	if (!ret && remember)
		kr_probe_memory_store(memory, probe->library_path, result);
	return ret;
}

bool
kr_driver_quarantined(
	const struct kr_discover_options *options, const char *library_path, char **reason)
{
	struct probe probe = make_probe(options, library_path);
	struct kr_probe_result result;
	struct kr_probe_memory memory;
	bool bad;

	if (probe.options->mode != KR_PROBE_EVERYTHING && !is_wanted(&probe))
		return false;
	if (kr_probe_memory_begin(&memory, library_path, probe.env_get)) {
		*reason = NULL;
		return true;
	}
	bad = !judge(&probe, &memory, &result) && result.outcome != KR_PROBE_WORKS;
	if (bad) {
		*reason = tell(&probe, &memory, &result);
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s", *reason ? *reason : library_path);
	}
	kr_probe_memory_finish(&memory);
	return bad;
}
