/* SPDX-License-Identifier: Apache-2.0 */
/* Reading results of dEQP: see log.h. */
#include "tools/features/deqp/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/text.h"

#define BLOCK ((size_t)1 << 20)
/* Longer than any frame: the longest names have some 200 characters. */
#define MOST_LINE 8192

static const char *const names[KR_FLAGS_VERDICTS] = {
	[KR_FLAGS_PASS] = "Pass",
	[KR_FLAGS_NOT_SUPPORTED] = "NotSupported",
	[KR_FLAGS_QUALITY_WARNING] = "QualityWarning",
	[KR_FLAGS_COMPATIBILITY_WARNING] = "CompatibilityWarning",
	[KR_FLAGS_WAIVER] = "Waiver",
	[KR_FLAGS_FAIL] = "Fail",
	[KR_FLAGS_PENDING] = "Pending",
	[KR_FLAGS_RESOURCE_ERROR] = "ResourceError",
	[KR_FLAGS_INTERNAL_ERROR] = "InternalError",
	[KR_FLAGS_CRASH] = "Crash",
	[KR_FLAGS_TIMEOUT] = "Timeout",
	[KR_FLAGS_UNKNOWN_CODE] = "unknown code",
	[KR_FLAGS_NO_RESULT] = "no result",
	[KR_FLAGS_TERMINATED] = "terminated",
	[KR_FLAGS_TRUNCATED] = "truncated",
	[KR_FLAGS_CONTRADICTED] = "contradicted",
	[KR_FLAGS_MISSING] = "missing",
};

struct reader {
	const struct kr_flags_log_sink *sink;
	struct kr_flags_log_facts *facts;
	bool in_session, in_case;
	bool counted;                  /* the session as unended */
	enum kr_flags_verdict verdict; /* of the case that is open */
	char name[MOST_LINE];
	char line[MOST_LINE];
	size_t length; /* of what is kept of the line */
};

const char *
kr_flags_verdict_name(enum kr_flags_verdict verdict)
{
	return names[verdict];
}

/* Of a code as the format writes it. */
static enum kr_flags_verdict
verdict_of(const char *code, size_t length)
{
	for (unsigned i = 0; i < KR_FLAGS_UNKNOWN_CODE; i++) {
		if (strlen(names[i]) == length && !strncmp(names[i], code, length))
			return i;
	}
	return KR_FLAGS_UNKNOWN_CODE;
}

static void
end_case(struct reader *reader, enum kr_flags_verdict verdict)
{
	if (!reader->in_case)
		return;
	reader->in_case = false;
	reader->facts->results++;
	reader->sink->result(reader->sink->data, reader->name, verdict);
}

static void
end_session(struct reader *reader, bool ended)
{
	end_case(reader, KR_FLAGS_TRUNCATED);
	if (reader->in_session && !ended && !reader->counted)
		reader->facts->unended++;
	reader->in_session = reader->counted = false;
}

/* What stands behind the word in the line, NULL when the line has another word. */
static const char *
frame(const char *line, const char *word)
{
	const size_t length = strlen(word);

	if (strncmp(line, word, length) != 0)
		return NULL;
	if (!line[length])
		return line + length;
	return line[length] == ' ' ? line + length + 1 : NULL;
}

static void
begin_case(struct reader *reader, const char *name)
{
	end_case(reader, KR_FLAGS_TRUNCATED);
	/* The file's beginning is lost. */
	if (!reader->in_session) {
		reader->facts->unended++;
		reader->in_session = reader->counted = true;
	}
	strcpy(reader->name, name);
	reader->in_case = true;
	reader->verdict = KR_FLAGS_NO_RESULT;
}

static void
terminate_case(struct reader *reader, const char *code)
{
	enum kr_flags_verdict verdict = verdict_of(code, strlen(code));

	if (verdict != KR_FLAGS_CRASH && verdict != KR_FLAGS_TIMEOUT)
		verdict = KR_FLAGS_TERMINATED;
	end_case(reader, verdict);
}

static void
read_session_info(struct reader *reader, const char *info)
{
	const char *name = frame(info, "releaseName");

	if (name && !*reader->facts->release)
		snprintf(reader->facts->release, sizeof(reader->facts->release), "%s", name);
	kr_text_clean(reader->facts->release, strlen(reader->facts->release), false);
}

static void
read_frame(struct reader *reader, const char *line)
{
	const char *rest;

	if ((rest = frame(line, "#beginTestCaseResult")) && *rest) {
		begin_case(reader, rest);
	} else if (!strcmp(line, "#endTestCaseResult")) {
		end_case(reader, reader->verdict);
	} else if ((rest = frame(line, "#terminateTestCaseResult"))) {
		terminate_case(reader, rest);
	} else if (!strcmp(line, "#beginSession")) {
		end_session(reader, false);
		reader->facts->sessions++;
		reader->in_session = true;
	} else if (!strcmp(line, "#endSession")) {
		end_session(reader, true);
	} else if ((rest = frame(line, "#sessionInfo")) && !reader->in_case) {
		read_session_info(reader, rest);
	}
}

/* Logs are escaped: where "<Result" stands it is the element. */
static void
read_log(struct reader *reader, const char *line)
{
	static const char element[] = "<Result StatusCode=\"";
	const char *code = strstr(line, element), *end;
	enum kr_flags_verdict verdict;

	if (!code)
		return;
	code += sizeof(element) - 1;
	end = strchr(code, '"');
	verdict = end ? verdict_of(code, (size_t)(end - code)) : KR_FLAGS_UNKNOWN_CODE;
	if (reader->verdict == KR_FLAGS_NO_RESULT || reader->verdict == verdict)
		reader->verdict = verdict;
	else
		reader->verdict = KR_FLAGS_CONTRADICTED;
}

static void
end_line(struct reader *reader)
{
	if (reader->length && reader->line[reader->length - 1] == '\r')
		reader->length--;
	reader->line[reader->length] = '\0';
	if (reader->line[0] == '#')
		read_frame(reader, reader->line);
	else if (reader->in_case)
		read_log(reader, reader->line);
	reader->length = 0;
}

static void
read_block(struct reader *reader, const char *block, size_t size)
{
	while (size) {
		const char *end = memchr(block, '\n', size);
		const size_t length = end ? (size_t)(end - block) : size;
		const size_t room = MOST_LINE - 1 - reader->length;
		const size_t kept = length < room ? length : room;

		memcpy(reader->line + reader->length, block, kept);
		reader->length += kept;
		if (!end)
			return;
		end_line(reader);
		block = end + 1;
		size -= length + 1;
	}
}

static int
read_blocks(struct reader *reader, int fd, char *block, uint64_t size)
{
	uint64_t done = 0;
	ssize_t got;

	for (;;) {
		got = read(fd, block, BLOCK);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		read_block(reader, block, (size_t)got);
		done += (uint64_t)got;
		if (reader->sink->progress)
			reader->sink->progress(reader->sink->data, done, size);
	}
	if (got < 0)
		return -errno;
	if (reader->length)
		end_line(reader);
	end_session(reader, false);
	return reader->facts->sessions ? 0 : -EINVAL;
}

static int
open_regular(const char *path, uint64_t *size)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode)) {
		*size = (uint64_t)status.st_size;
		return fd;
	}
	err = S_ISDIR(status.st_mode) ? -EISDIR : -ENODEV;
	kr_fd_close(&fd);
	return err;
}

int
kr_flags_log_read(const char *path, const struct kr_flags_log_sink *sink,
	struct kr_flags_log_facts *facts, char why[KR_FLAGS_WHY])
{
	struct reader *reader = calloc(1, sizeof(*reader));
	char *block = malloc(BLOCK);
	uint64_t size = 0;
	int fd = -1, err = reader && block ? 0 : -ENOMEM;

	*facts = (struct kr_flags_log_facts){0};
	if (!err) {
		*reader = (struct reader){.sink = sink, .facts = facts};
		fd = open_regular(path, &size);
		err = fd < 0 ? fd : read_blocks(reader, fd, block, size);
		kr_fd_close(&fd);
	}
	if (err < 0)
		snprintf(why, KR_FLAGS_WHY, "the results '%.256s' can't be read: %s", path,
			err == -ENODEV ? "it is no regular file"
				: err == -EINVAL
				? "no line '#beginSession' stands in it, so it is no .qpa file of dEQP"
				: strerror(-err));
	free(block);
	free(reader);
	return err;
}
