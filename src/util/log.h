/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages. A message is logged once, where the failure is first known. stderr gets what
 * VK_LOADER_DEBUG asks for (comma list of all, error, warn, info, perf, debug, layer, driver), a
 * line in one write each. A sink may be added, which is how VK_EXT_debug_utils callbacks see them.
 *
 * A message may be as long as its paths make it; behind KR_LOG_LONGEST characters it ends in "...".
 */
#ifndef KR_UTIL_LOG_H
#define KR_UTIL_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/list.h"
#include "util/macros.h"

enum kr_log_bits {
	KR_LOG_ERROR = 1 << 0,
	KR_LOG_WARN = 1 << 1,
	KR_LOG_INFO = 1 << 2,
	KR_LOG_PERF = 1 << 3,
	KR_LOG_DEBUG = 1 << 4,
	KR_LOG_LAYER = 1 << 5,  /* about layers: combined with a severity */
	KR_LOG_DRIVER = 1 << 6, /* about drivers: combined with a severity */
	KR_LOG_ALL = (1 << 7) - 1,
	/* Not asked for by name, combined with a severity: */
	KR_LOG_VALIDATION = 1 << 7, /* the application broke a rule: text names the VUID */
	KR_LOG_FATAL = 1 << 8,      /* abort() follows: on stderr whatever is asked for */
	KR_LOG_LOUD = 1 << 9,       /* on stderr whatever is asked for, and nothing follows */
};

#define KR_LOG_LONGEST 16384

/* Whether anybody listens to any of `bits`; ask before building a costly message. */
bool kr_log_enabled(uint32_t bits);
void kr_log(uint32_t bits, const char *fmt, ...) KR_PRINTF(2, 3);
void kr_vlog(uint32_t bits, const char *fmt, va_list args) KR_PRINTF(2, 0);

#define kr_error(...) kr_log(KR_LOG_ERROR, __VA_ARGS__)
#define kr_warn(...)  kr_log(KR_LOG_WARN, __VA_ARGS__)
#define kr_info(...)  kr_log(KR_LOG_INFO, __VA_ARGS__)
#define kr_debug(...) kr_log(KR_LOG_DEBUG, __VA_ARGS__)

/*
 * What stands before each line on stderr, and the column that the text begins at if there is room;
 * "[Krafla] " and none when this isn't called. Before the first message.
 */
void kr_log_set_prefix(const char *prefix, int column);

/*
 * Called for each message, whatever stderr shows; `message` has no newline and is valid during the
 * call only. Called without any lock of the log held. One sink a library copy; NULL removes it.
 */
typedef void (*kr_log_sink_fn)(void *data, uint32_t bits, const char *message);
void kr_log_set_sink(kr_log_sink_fn fn, void *data);

/*
 * Around code that logs while this thread holds a lock, or is in pthread_once: a sink is told at
 * the end of the outermost hold, which comes after the lock's release, since it calls who may come
 * back for that lock. stderr doesn't wait. The object lives on the stack.
 */
struct kr_log_hold {
	struct kr_log_hold *outer;
	struct kr_list messages; /* held.link, in log.c */
	bool mute;
};
void kr_log_hold_begin(struct kr_log_hold *hold);
/* The same around code that repeats what was told before: nobody is told, save of what is fatal. */
void kr_log_mute_begin(struct kr_log_hold *hold);
void kr_log_hold_end(struct kr_log_hold *hold);

/*
 * The bits that a list in the words of VK_LOADER_DEBUG names, of which `len` characters are looked
 * at. As in the usual loader a word may be cut short ("err"). Unknown words mean nothing.
 */
uint32_t kr_log_bits_from_list(const char *list, size_t len);
/* What goes to stderr, in place of what VK_LOADER_DEBUG says: `krafla run`, tests. */
void kr_log_set_mask(uint32_t bits);
/* What a settings file asks for instead of all that; 0: it asks for nothing. */
void kr_log_set_override(uint32_t bits);

#endif
