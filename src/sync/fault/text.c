/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults as text. `driver-release:late,delay=50ms,every=3;dequeue:error,error=5`: a part for
 * each site, whose first word is the kind and whose other words are options. All of it is
 * right or nothing is set.
 */
#include "sync/fault/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/clock.h"
#include "util/env.h"
#include "util/guard.h"
#include "util/log.h"
#include "util/text.h"

static const char *const site_names[KRAFLA_FAULT_SITES] = {
	[KRAFLA_FAULT_AT_QUEUE] = "queue",
	[KRAFLA_FAULT_AT_CANCEL] = "cancel",
	[KRAFLA_FAULT_AT_DEQUEUE] = "dequeue",
	[KRAFLA_FAULT_AT_DRIVER_ACQUIRE] = "driver-acquire",
	[KRAFLA_FAULT_AT_DRIVER_RELEASE] = "driver-release",
	[KRAFLA_FAULT_AT_DISPLAY_RELEASE] = "display-release",
	[KRAFLA_FAULT_AT_READER_ACQUIRE] = "reader-acquire",
	[KRAFLA_FAULT_AT_READER_RELEASE] = "reader-release",
	[KRAFLA_FAULT_AT_COMPOSER_PRESENT] = "composer-present",
	[KRAFLA_FAULT_AT_COMPOSER_RELEASE] = "composer-release",
	[KRAFLA_FAULT_AT_TIMELINE] = "timeline",
	[KRAFLA_FAULT_AT_EGL_IMPORT] = "egl-import",
	[KRAFLA_FAULT_AT_EGL_EXPORT] = "egl-export",
};

static const char *const kind_names[KRAFLA_FAULT_KINDS] = {
	[KRAFLA_FAULT_NONE] = "none",
	[KRAFLA_FAULT_LATE] = "late",
	[KRAFLA_FAULT_NEVER] = "never",
	[KRAFLA_FAULT_ERROR] = "error",
	[KRAFLA_FAULT_ABSENT] = "absent",
	[KRAFLA_FAULT_SWAPPED] = "swapped",
	[KRAFLA_FAULT_CLOSED] = "closed",
	[KRAFLA_FAULT_FOREIGN] = "foreign",
};

KR_EXPORT const char *
krafla_fault_site_name(enum krafla_fault_site site)
{
	return (unsigned)site < KRAFLA_FAULT_SITES ? site_names[site] : NULL;
}

KR_EXPORT const char *
krafla_fault_kind_name(enum krafla_fault_kind kind)
{
	return (unsigned)kind < KRAFLA_FAULT_KINDS ? kind_names[kind] : NULL;
}

struct word {
	const char *text;
	size_t len;
};

static bool
is(struct word word, const char *name)
{
	return strlen(name) == word.len && !memcmp(name, word.text, word.len);
}

static int
find(struct word word, const char *const *names, int count)
{
	for (int i = 0; i < count; i++) {
		if (is(word, names[i]))
			return i;
	}
	return -EINVAL;
}

/* What stands before the first `mark`, which is taken off; the rest is in *word. */
static bool
split(struct word *word, char mark, struct word *head)
{
	const char *at = memchr(word->text, mark, word->len);

	if (!at)
		return false;
	*head = (struct word){word->text, (size_t)(at - word->text)};
	word->text = at + 1;
	word->len -= head->len + 1;
	return true;
}

/* Digits at its beginning, which are taken off. */
static int
take_number(struct word *word, uint64_t *number)
{
	uint64_t value = 0;
	size_t i = 0;

	for (; i < word->len && word->text[i] >= '0' && word->text[i] <= '9'; i++) {
		unsigned digit = (unsigned)(word->text[i] - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return -ERANGE;
		value = value * 10 + digit;
	}
	if (!i)
		return -EINVAL;
	word->text += i;
	word->len -= i;
	*number = value;
	return 0;
}

static int
parse_delay(struct word value, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"ns", 1},
		{"us", 1000},
		{"ms", KR_NSEC_PER_MSEC},
		{"s", KR_NSEC_PER_SEC},
	};
	uint64_t number;
	int err = take_number(&value, &number);

	for (size_t i = 0; !err && i < KR_ARRAY_LEN(units); i++) {
		if (!is(value, units[i].name))
			continue;
		if (number > INT64_MAX / units[i].ns)
			return -ERANGE;
		*ns = number * units[i].ns;
		return 0;
	}
	return err ? err : -EINVAL;
}

static int
parse_whole(struct word value, uint64_t most, uint64_t *number)
{
	int err = take_number(&value, number);

	if (!err && (value.len || *number > most))
		err = -EINVAL;
	return err;
}

static int
parse_option(struct word name, struct word value, struct krafla_fault *fault)
{
	uint64_t number = 0;
	int err;

	if (is(name, "delay"))
		return parse_delay(value, &fault->delay_ns);
	err = parse_whole(value,
		is(name, "error")              ? 4095
			: is(name, "permille") ? 1000
					       : UINT64_MAX,
		&number);
	if (err)
		return err;
	if (is(name, "error"))
		fault->error = -(int)number;
	else if (is(name, "permille"))
		fault->permille = (uint32_t)number;
	else if (is(name, "later"))
		fault->later = number;
	else if (is(name, "from"))
		fault->from = number;
	else if (is(name, "every"))
		fault->every = number;
	else if (is(name, "count"))
		fault->count = number;
	else if (is(name, "seed"))
		fault->seed = number;
	else
		return -EINVAL;
	return 0;
}

static int
complain(struct word word, const char *what)
{
	kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
		"fault: '%.*s' is no %s: nothing is set; what may be said is in krafla/fault.h",
		(int)word.len, word.text, what);
	return -EINVAL;
}

static int
parse_words(struct word rest, struct krafla_fault *fault)
{
	struct word word, name, value;
	bool first = true, more;

	do {
		int kind;

		more = split(&rest, ',', &word);
		if (!more)
			word = rest;
		if (first) {
			kind = find(word, kind_names, KRAFLA_FAULT_KINDS);
			if (kind < 0)
				return complain(word, "kind of fault");
			fault->kind = (enum krafla_fault_kind)kind;
			first = false;
			continue;
		}
		value = word;
		if (!split(&value, '=', &name) || parse_option(name, value, fault))
			return complain(word, "option of a fault with a value that it can have");
	} while (more);
	return 0;
}

int
kr_fault_parse(const char *text, struct krafla_fault faults[KRAFLA_FAULT_SITES])
{
	const char *item;
	size_t len;

	memset(faults, 0, KRAFLA_FAULT_SITES * sizeof(faults[0]));
	while (kr_list_next(&text, ';', &item, &len)) {
		struct word rest = {item, len}, name;
		int site, err;

		if (!split(&rest, ':', &name))
			return complain(rest, "fault: a site, a colon and a kind");
		site = find(name, site_names, KRAFLA_FAULT_SITES);
		if (site < 0)
			return complain(name, "place for a fault");
		faults[site] = (struct krafla_fault){.size = sizeof(faults[site])};
		err = parse_words(rest, &faults[site]);
		if (err)
			return err;
	}
	return 0;
}

bool
kr_fault_read_environment(struct krafla_fault faults[KRAFLA_FAULT_SITES])
{
	const char *text = kr_env_get("KRAFLA_FAULTS"), *testing = kr_env_get("KRAFLA_TESTING");

	if (!text)
		return false;
	if (!testing || strcmp(testing, "1") || !kr_guard_trusts_environment()) {
		kr_log(KR_LOG_WARN | KR_LOG_LOUD,
			"KRAFLA_FAULTS is ignored: it is for tests, which set KRAFLA_TESTING=1 too%s",
			kr_guard_trusts_environment() ? "" : ", in processes that are debuggable");
		return false;
	}
	return !kr_fault_parse(text, faults);
}
