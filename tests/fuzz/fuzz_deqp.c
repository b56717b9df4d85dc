/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the readers of must-pass lists and of dEQP's results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/features/deqp/cases.h"
#include "tools/features/deqp/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	uint64_t results;
	struct kr_flags_cases *cases;
};

static void
look(void *data, const char *name, enum kr_flags_verdict verdict)
{
	struct seen *seen = data;
	struct kr_flags_case *found = kr_flags_cases_find(seen->cases, name, strlen(name));

	/* That a case is missing is no result. */
	if (!*name || verdict >= KR_FLAGS_MISSING || (found && strcmp(found->name, name) != 0))
		abort();
	seen->results++;
}

static void
check_cases(const struct kr_flags_cases *cases)
{
	for (size_t i = 0; i < cases->count; i++) {
		const struct kr_flags_case *one = &cases->cases[i];

		if (one->verdict != KR_FLAGS_MISSING ||
			kr_flags_cases_find(cases, one->name, strlen(one->name)) != one)
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("deqp", MFD_CLOEXEC);
	char path[64], why[KR_FLAGS_WHY] = "";
	struct kr_flags_cases cases;
	struct seen seen = {.cases = &cases};
	const struct kr_flags_log_sink sink = {.result = look, .data = &seen};
	struct kr_flags_log_facts facts;
	int err;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = kr_flags_cases_read(&cases, path, why);
	if ((err != 0) != (*why != '\0') || (!err && !cases.count))
		abort();
	check_cases(&cases);
	*why = '\0';
	err = kr_flags_log_read(path, &sink, &facts, why);
	if ((err != 0) != (*why != '\0') || facts.results != seen.results)
		abort();
	kr_flags_cases_finish(&cases);
	close(fd);
	return 0;
}
