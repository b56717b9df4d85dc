/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to stderr and to one sink. */
#include "util/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "util/env.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic uint32_t mask;
static _Atomic(kr_log_sink_fn) sink;
static _Atomic(void *) sink_data;

static uint32_t
bits_from_word(const char *word, size_t len)
{
	static const struct {
		const char *name;
		uint32_t bits;
	} words[] = {
		{"all", KR_LOG_ALL},
		{"error", KR_LOG_ERROR},
		{"warn", KR_LOG_WARN},
		{"info", KR_LOG_INFO},
		{"perf", KR_LOG_PERF},
		{"debug", KR_LOG_DEBUG},
		{"layer", KR_LOG_LAYER},
		{"driver", KR_LOG_DRIVER},
		{"implem", KR_LOG_DRIVER},
		{"icd", KR_LOG_DRIVER},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(words); i++) {
		if (len >= strlen(words[i].name) &&
			!strncmp(word, words[i].name, strlen(words[i].name)))
			return words[i].bits;
	}
	return 0;
}

static void
read_mask(void)
{
	const char *list = kr_env_get("VK_LOADER_DEBUG");
	uint32_t bits = 0;

	while (list && *list) {
		size_t len = strcspn(list, ",");

		bits |= bits_from_word(list, len);
		list += len;
		list += *list == ',';
	}
	atomic_store(&mask, bits);
}

bool
kr_log_enabled(uint32_t bits)
{
	pthread_once(&once, read_mask);
	return atomic_load_explicit(&sink, memory_order_relaxed) ||
		(atomic_load_explicit(&mask, memory_order_relaxed) & bits);
}

void
kr_log_set_mask(uint32_t bits)
{
	pthread_once(&once, read_mask);
	atomic_store(&mask, bits);
}

void
kr_log_set_sink(kr_log_sink_fn fn, void *data)
{
	atomic_store(&sink_data, data);
	atomic_store(&sink, fn);
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

static void
write_stderr(uint32_t bits, const char *message)
{
	char line[1200];

	/* One write, so that lines of several processes stay whole. */
	snprintf(line, sizeof(line), "[Krafla] %s%s%s: %s\n", severity_name(bits),
		bits & KR_LOG_LAYER ? " | LAYER" : "", bits & KR_LOG_DRIVER ? " | DRIVER" : "",
		message);
	fputs(line, stderr);
}

void
kr_log(uint32_t bits, const char *fmt, ...)
{
	char message[1024];
	kr_log_sink_fn fn;
	va_list args;

	if (!kr_log_enabled(bits))
		return;
	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	if (atomic_load(&mask) & bits)
		write_stderr(bits, message);
	fn = atomic_load(&sink);
	if (fn)
		fn(atomic_load(&sink_data), bits, message);
}
