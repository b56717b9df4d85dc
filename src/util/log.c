/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to stderr and to one sink. */
#include "util/log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/env.h"

#define LONGEST_PREFIX 64
#define ELLIPSIS       "..."

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic uint32_t mask, override;
static _Atomic(kr_log_sink_fn) sink;
static _Atomic(void *) sink_data;

static const char *line_prefix = "[Krafla] ";
static int text_column;

/* The innermost hold of each thread. A key, because __thread would need ld.so as a library. */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t hold_key;
static bool has_key;

static void
make_key(void)
{
	has_key = pthread_key_create(&hold_key, NULL) == 0;
}

__attribute__((destructor)) static void
delete_key(void)
{
	if (has_key)
		pthread_key_delete(hold_key);
}

/* "err" means error, and so does "errors". The first that fits counts. */
static uint32_t
bits_from_word(const char *word, size_t len)
{
	static const struct {
		const char *name;
		uint32_t bits;
	} words[] = {
		{"all", KR_LOG_ALL},
		{"warn", KR_LOG_WARN},
		{"info", KR_LOG_INFO},
		{"perf", KR_LOG_PERF},
		{"error", KR_LOG_ERROR},
		{"debug", KR_LOG_DEBUG},
		{"layer", KR_LOG_LAYER},
		{"driver", KR_LOG_DRIVER},
		{"implem", KR_LOG_DRIVER},
		{"icd", KR_LOG_DRIVER},
	};

	for (size_t i = 0; len && i < KR_ARRAY_LEN(words); i++) {
		size_t whole = strlen(words[i].name);

		if (!strncmp(word, words[i].name, KR_MIN(len, whole)))
			return words[i].bits;
	}
	return 0;
}

uint32_t
kr_log_bits_from_list(const char *list, size_t len)
{
	const char *end = list + len;
	uint32_t bits = 0;

	while (list < end) {
		const char *comma = memchr(list, ',', (size_t)(end - list));
		const char *stop = comma ? comma : end;

		bits |= bits_from_word(list, (size_t)(stop - list));
		list = comma ? comma + 1 : end;
	}
	return bits;
}

static void
read_mask(void)
{
	const char *list = kr_env_get("VK_LOADER_DEBUG");

	atomic_store(&mask, list ? kr_log_bits_from_list(list, strlen(list)) : 0);
}

static bool
is_for_stderr(uint32_t bits)
{
	uint32_t wanted = atomic_load_explicit(&override, memory_order_relaxed);

	if (!wanted)
		wanted = atomic_load_explicit(&mask, memory_order_relaxed);
	return bits & (wanted | KR_LOG_FATAL | KR_LOG_LOUD);
}

bool
kr_log_enabled(uint32_t bits)
{
	pthread_once(&once, read_mask);
	return atomic_load_explicit(&sink, memory_order_relaxed) || is_for_stderr(bits);
}

void
kr_log_set_mask(uint32_t bits)
{
	pthread_once(&once, read_mask);
	atomic_store(&mask, bits);
}

void
kr_log_set_override(uint32_t bits)
{
	atomic_store(&override, bits);
}

void
kr_log_set_sink(kr_log_sink_fn fn, void *data)
{
	atomic_store(&sink_data, data);
	atomic_store(&sink, fn);
}

void
kr_log_set_prefix(const char *prefix, int column)
{
	line_prefix = prefix;
	text_column = column;
}

static const char *
severity_name(uint32_t bits)
{
	if (bits & KR_LOG_ERROR)
		return "ERROR";
	if (bits & KR_LOG_WARN)
		return "WARNING";
	if (bits & KR_LOG_PERF)
		return "PERF";
	if (bits & KR_LOG_DEBUG)
		return "DEBUG";
	return "INFO";
}

/* A message on its way: `line` is `text` with what stands before it, and room for a newline. */
struct line {
	char small[1024];
	char *line;
	char *text;
	char *end; /* of the text */
};

static size_t
compose_prefix(char *out, uint32_t bits)
{
	char kind[LONGEST_PREFIX / 2];
	int len;

	snprintf(kind, sizeof(kind), "%s%s%s: ", severity_name(bits),
		bits & KR_LOG_LAYER ? " | LAYER" : "", bits & KR_LOG_DRIVER ? " | DRIVER" : "");
	len = snprintf(out, LONGEST_PREFIX, "%s%-*s", line_prefix,
		KR_MAX(text_column - (int)strlen(line_prefix), 0), kind);
	return (size_t)KR_MIN(len, LONGEST_PREFIX - 1);
}

/* The whole text when there is memory for it, else what fits. */
static void
compose(struct line *out, uint32_t bits, const char *fmt, va_list args)
{
	size_t prefix, room = sizeof(out->small), size;
	va_list again;
	int len;

	out->line = out->small;
	prefix = compose_prefix(out->small, bits);
	va_copy(again, args);
	len = vsnprintf(out->small + prefix, room - prefix - 1, fmt, args);
	size = len < 0 ? 0 : KR_MIN((size_t)len, (size_t)KR_LOG_LONGEST);
	if (prefix + size + 2 > room) {
		char *big = malloc(prefix + size + 2);

		if (big) {
			memcpy(big, out->small, prefix);
			(void)vsnprintf(big + prefix, size + 1, fmt, again);
			out->line = big;
		} else {
			size = room - prefix - 2;
		}
	}
	va_end(again);
	out->text = out->line + prefix;
	out->end = out->text + size;
	*out->end = '\0';
	if (len > 0 && size < (size_t)len)
		memcpy(out->end - strlen(ELLIPSIS), ELLIPSIS, strlen(ELLIPSIS));
}

struct held {
	struct kr_list link;
	uint32_t bits;
	char text[];
};

static void
tell_sink(uint32_t bits, const char *text)
{
	kr_log_sink_fn fn = atomic_load(&sink);

	if (fn)
		fn(atomic_load(&sink_data), bits, text);
}

/* The innermost of this thread, or NULL. */
static struct kr_log_hold *
current_hold(void)
{
	pthread_once(&key_once, make_key);
	return has_key ? pthread_getspecific(hold_key) : NULL;
}

/* Tells the sink, now or at the end of a hold; a message that there is no memory for isn't told. */
static void
pass_on(uint32_t bits, const char *text)
{
	size_t size = strlen(text) + 1;
	struct kr_log_hold *hold = current_hold();
	struct held *held;

	if (!hold) {
		tell_sink(bits, text);
		return;
	}
	held = malloc(sizeof(*held) + size);
	if (!held)
		return;
	held->bits = bits;
	memcpy(held->text, text, size);
	kr_list_append(&hold->messages, &held->link);
}

void
kr_log_hold_begin(struct kr_log_hold *hold)
{
	pthread_once(&key_once, make_key);
	kr_list_init(&hold->messages);
	hold->mute = false;
	if (!has_key)
		return;
	hold->outer = pthread_getspecific(hold_key);
	pthread_setspecific(hold_key, hold);
}

void
kr_log_mute_begin(struct kr_log_hold *hold)
{
	kr_log_hold_begin(hold);
	hold->mute = true;
}

static bool
is_mute(void)
{
	const struct kr_log_hold *hold = current_hold();

	while (hold && !hold->mute)
		hold = hold->outer;
	return hold;
}

void
kr_log_hold_end(struct kr_log_hold *hold)
{
	if (!has_key)
		return;
	pthread_setspecific(hold_key, hold->outer);
	while (!kr_list_empty(&hold->messages)) {
		struct held *held = kr_container_of(hold->messages.next, struct held, link);

		kr_list_remove(&held->link);
		if (hold->outer) {
			kr_list_append(&hold->outer->messages, &held->link);
			continue;
		}
		tell_sink(held->bits, held->text);
		free(held);
	}
}

void
kr_log(uint32_t bits, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	kr_vlog(bits, fmt, args);
	va_end(args);
}

void
kr_vlog(uint32_t bits, const char *fmt, va_list args)
{
	struct line line;

	if (!kr_log_enabled(bits) || (is_mute() && !(bits & KR_LOG_FATAL)))
		return;
	compose(&line, bits, fmt, args);
	if (atomic_load(&sink))
		pass_on(bits, line.text);
	if (is_for_stderr(bits)) {
		/* One call, so that lines of several threads and processes stay whole. */
		memcpy(line.end, "\n", 2);
		fputs(line.line, stderr);
	}
	if (line.line != line.small)
		free(line.line);
}
