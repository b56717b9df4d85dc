/* SPDX-License-Identifier: Apache-2.0 */
/* Must-pass lists: see cases.h. */
#include "tools/features/deqp/cases.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/text.h"

/* Five times the size, and the number of cases, of the largest list of 2026. */
#define MOST_BYTES ((size_t)1 << 30)
#define MOST_CASES ((size_t)1 << 24)
#define MOST_FILES 4096
#define MOST_NAME  4096

static bool
read_digits(const char **text, unsigned count, unsigned *number)
{
	*number = 0;
	for (unsigned i = 0; i < count; i++, (*text)++) {
		if (**text < '0' || **text > '9')
			return false;
		*number = *number * 10 + (unsigned)(**text - '0');
	}
	return true;
}

static unsigned
days_of(unsigned year, unsigned month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap ? 1 : 0);
}

int
kr_flags_list_level(const char *path, uint32_t *level, char why[KR_FLAGS_WHY])
{
	static const char *const prefixes[] = {"vk-main-", "vk-master-"};
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path, *at = NULL;
	unsigned year, month, day;

	for (size_t i = 0; i < KR_ARRAY_LEN(prefixes); i++) {
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			at = name + strlen(prefixes[i]);
	}
	if (!at || !read_digits(&at, 4, &year) || *at++ != '-' || !read_digits(&at, 2, &month) ||
		*at++ != '-' || !read_digits(&at, 2, &day) || strcmp(at, ".txt") != 0) {
		snprintf(why, KR_FLAGS_WHY,
			"'%.256s' is no must-pass list by its name: the level is the date in vk-main-YYYY-MM-DD.txt",
			name);
		return -EINVAL;
	}
	if (!year || !month || month > 12 || !day || day > days_of(year, month)) {
		snprintf(why, KR_FLAGS_WHY, "'%.256s': %04u-%02u-%02u is no day of a calendar",
			name, year, month, day);
		return -EINVAL;
	}
	*level = year << 16 | month << 8 | day;
	return 0;
}

/* FNV-1a from a seed of this run, so that no list can be made to collide. */
static uint64_t
hash(const struct kr_flags_cases *cases, const char *name, size_t length)
{
	uint64_t value = 0xcbf29ce484222325 ^ cases->seed;

	for (size_t i = 0; i < length; i++)
		value = (value ^ (unsigned char)name[i]) * 0x100000001b3;
	return value ^ value >> 29;
}

/* The slot that has it, or the free one where it would stand. */
static size_t
find_slot(const struct kr_flags_cases *cases, const char *name, size_t length)
{
	size_t slot = hash(cases, name, length) & (cases->slot_count - 1);

	for (; cases->slots[slot]; slot = (slot + 1) & (cases->slot_count - 1)) {
		const char *other = cases->cases[cases->slots[slot] - 1].name;

		if (!strncmp(other, name, length) && !other[length])
			break;
	}
	return slot;
}

struct kr_flags_case *
kr_flags_cases_find(const struct kr_flags_cases *cases, const char *name, size_t length)
{
	uint32_t index;

	if (!cases->slot_count)
		return NULL;
	index = cases->slots[find_slot(cases, name, length)];
	return index ? &cases->cases[index - 1] : NULL;
}

static int
grow(struct kr_flags_cases *cases)
{
	const size_t room = cases->room ? cases->room * 2 : 1024;
	struct kr_flags_case *more = realloc(cases->cases, room * sizeof(*more));
	uint32_t *slots;

	if (!more)
		return -ENOMEM;
	cases->cases = more;
	slots = calloc(room * 2, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(cases->slots);
	cases->slots = slots;
	cases->slot_count = room * 2;
	cases->room = room;
	for (size_t i = 0; i < cases->count; i++) {
		const char *name = cases->cases[i].name;

		slots[find_slot(cases, name, strlen(name))] = (uint32_t)i + 1;
	}
	return 0;
}

/* A case that stands there twice counts once. */
static int
add(struct kr_flags_cases *cases, const char *name, size_t length)
{
	size_t slot;

	if (cases->count == cases->room) {
		int err = cases->count < MOST_CASES ? grow(cases) : -EFBIG;

		if (err < 0)
			return err;
	}
	slot = find_slot(cases, name, length);
	if (cases->slots[slot])
		return 0;
	cases->cases[cases->count] =
		(struct kr_flags_case){.name = name, .verdict = KR_FLAGS_MISSING};
	cases->slots[slot] = (uint32_t)++cases->count;
	return 0;
}

static int
read_open_file(struct kr_flags_cases *cases, int fd, char **bytes, size_t *size)
{
	struct stat status;
	size_t had = 0;

	if (fstat(fd, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode))
		return -ENODEV;
	if ((uint64_t)status.st_size > MOST_BYTES - cases->total)
		return -EFBIG;
	*bytes = malloc((size_t)status.st_size + 1);
	if (!*bytes)
		return -ENOMEM;
	while (had < (size_t)status.st_size) {
		ssize_t got = read(fd, *bytes + had, (size_t)status.st_size - had);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -ESTALE;
		had += (size_t)got;
	}
	(*bytes)[had] = '\0';
	*size = had;
	return 0;
}

/* The text is the cases' from here on, also when something fails later. */
static int
read_text(struct kr_flags_cases *cases, const char *path, struct kr_flags_text *out,
	char why[KR_FLAGS_WHY])
{
	struct kr_flags_text *more, text = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = fd < 0 ? -errno : 0;

	if (!err)
		err = read_open_file(cases, fd, &text.bytes, &text.size);
	kr_fd_close(&fd);
	more = err < 0 ? NULL : realloc(cases->texts, (cases->text_count + 1) * sizeof(*more));
	if (!more) {
		free(text.bytes);
		err = err < 0 ? err : -ENOMEM;
		snprintf(why, KR_FLAGS_WHY, "the list '%.256s' can't be read: %s", path,
			err == -ENODEV           ? "it is no regular file"
				: err == -EFBIG  ? "lists may have 1 GiB in all"
				: err == -ESTALE ? "it was cut while it was read"
						 : strerror(-err));
		return err;
	}
	cases->texts = more;
	cases->texts[cases->text_count++] = text;
	cases->total += text.size;
	*out = text;
	return 0;
}

static bool
is_case_name(const char *name, size_t length)
{
	if (length > MOST_NAME || length < 9 || strncmp(name, "dEQP-VK.", 8) != 0)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (name[i] <= ' ' || name[i] > '~')
			return false;
	}
	return true;
}

/* A path below the list's folder: nothing absolute, nothing upwards. */
static bool
is_part_name(const char *name, size_t length)
{
	if (length < 5 || length > MOST_NAME || strncmp(name + length - 4, ".txt", 4) != 0 ||
		*name == '/')
		return false;
	for (size_t i = 0; i < length; i++) {
		if ((i == 0 || name[i - 1] == '/') && name[i] == '.')
			return false;
		if (name[i] <= ' ' || name[i] > '~')
			return false;
	}
	return true;
}

static int read_list(struct kr_flags_cases *cases, const char *path, bool is_part, size_t *files,
	char why[KR_FLAGS_WHY]);

static int
read_part(struct kr_flags_cases *cases, const char *list, const char *part, size_t *files,
	char why[KR_FLAGS_WHY])
{
	const char *slash = strrchr(list, '/');
	char *path =
		kr_asprintf("%.*s%s", slash ? (int)(slash + 1 - list) : 0, slash ? list : "", part);
	int err = path ? 0 : -ENOMEM;

	if (err < 0)
		snprintf(why, KR_FLAGS_WHY, "there is no memory for the list");
	else if (++*files > MOST_FILES) {
		snprintf(why, KR_FLAGS_WHY, "the list '%.256s' names more than %d files", list,
			MOST_FILES);
		err = -EFBIG;
	} else {
		err = read_list(cases, path, true, files, why);
	}
	free(path);
	return err;
}

static int
read_line(struct kr_flags_cases *cases, const char *path, bool is_part, char *line, size_t length,
	size_t number, size_t *files, char why[KR_FLAGS_WHY])
{
	int err;

	if (is_case_name(line, length)) {
		err = add(cases, line, length);
		if (err < 0)
			snprintf(why, KR_FLAGS_WHY, "the list '%.256s' can't be held: %s", path,
				err == -EFBIG ? "it has too many cases" : strerror(-err));
		return err;
	}
	if (!is_part && is_part_name(line, length))
		return read_part(cases, path, line, files, why);
	snprintf(why, KR_FLAGS_WHY, "the list '%.256s', line %zu: '%.80s' is no case of dEQP-VK%s",
		path, number, line, is_part ? "" : ", nor a file beside the list");
	return -EINVAL;
}

static int
read_list(struct kr_flags_cases *cases, const char *path, bool is_part, size_t *files,
	char why[KR_FLAGS_WHY])
{
	struct kr_flags_text text;
	size_t number = 0;
	int err = read_text(cases, path, &text, why);

	if (err < 0)
		return err;
	if (!text.size || text.bytes[text.size - 1] != '\n') {
		snprintf(why, KR_FLAGS_WHY, "the list '%.256s' %s", path,
			text.size ? "was cut: its last line has no end" : "is empty");
		return -EINVAL;
	}
	for (char *line = text.bytes, *end = text.bytes + text.size; !err && line < end;) {
		char *next = memchr(line, '\n', (size_t)(end - line)) ?: end;
		size_t length = (size_t)(next - line);

		number++;
		if (length && line[length - 1] == '\r')
			length--;
		line[length] = '\0';
		if (length && *line != '#')
			err = read_line(cases, path, is_part, line, length, number, files, why);
		line = next + 1;
	}
	return err;
}

int
kr_flags_cases_read(struct kr_flags_cases *cases, const char *path, char why[KR_FLAGS_WHY])
{
	size_t files = 0;
	int err;

	*cases = (struct kr_flags_cases){0};
	if (getrandom(&cases->seed, sizeof(cases->seed), GRND_NONBLOCK) < 0)
		cases->seed = (uint64_t)(uintptr_t)cases;
	err = read_list(cases, path, false, &files, why);
	if (!err && !cases->count) {
		snprintf(why, KR_FLAGS_WHY, "the list '%.256s' holds no case", path);
		err = -EINVAL;
	}
	return err;
}

void
kr_flags_cases_finish(struct kr_flags_cases *cases)
{
	for (size_t i = 0; i < cases->text_count; i++)
		free(cases->texts[i].bytes);
	free(cases->texts);
	free(cases->cases);
	free(cases->slots);
	*cases = (struct kr_flags_cases){0};
}
