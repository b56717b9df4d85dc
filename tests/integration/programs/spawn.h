/* SPDX-License-Identifier: Apache-2.0 */
/* Runs programs for the end-to-end tests: environment, time limit, output. */
#ifndef KR_TESTS_SPAWN_H
#define KR_TESTS_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#define SPAWN_OUTPUT (256 * 1024)

struct spawn {
	pid_t pid;
	int out;  /* the child's stdout and stderr */
	int code; /* exit code, 128 + signal, or -1 when it had to be killed for taking too long */
	char *output; /* what it printed, cut at SPAWN_OUTPUT */
};

/*
 * `env`: NAME=value, put over this process's environment less what could reach Krafla from outside
 * (KRAFLA_*, VK_*, DISPLAY and so on). NULL-terminated, or NULL.
 */
void spawn_start(struct spawn *child, const char *const *argv, const char *const *env);
/* Waits up to the limit, then kills. Fills in code and output. */
void spawn_wait(struct spawn *child, unsigned limit_s);
void spawn_run(
	struct spawn *child, unsigned limit_s, const char *const *argv, const char *const *env);
void spawn_finish(struct spawn *child);
/* Reads output until `text` has come (true) or the limit is over. */
bool spawn_wait_for(struct spawn *child, const char *text, unsigned limit_s);

/* Reads output until all who write it have ended (true) or the limit is over. */
bool spawn_wait_for_end_of_output(struct spawn *child, unsigned limit_s);

/* Lists of words for the functions above. */
#define ARGV(...) ((const char *const[]){__VA_ARGS__, NULL})
#define ENV(...)  ((const char *const[]){__VA_ARGS__, NULL})

/* Fail the case, showing all output, unless the child ended so, or said so. */
void expect_code(const struct spawn *child, int code);
void expect_text(const struct spawn *child, const char *text);
void expect_no_text(const struct spawn *child, const char *text);

/* "NAME=value", valid until the case ends. */
const char *env_text(const char *name, const char *value);
/* A file of the installed prefix (KRAFLA_PREFIX), valid until the case ends. */
const char *prefix_path(const char *name);
/*
 * The system's own libvulkan.so.1, of this program's architecture; fails the case when there is
 * none. Programs that bring one of their own (Debian's chromium does) have it in folders of theirs.
 */
const char *system_loader(void);
/* Ends the case as skipped when Mesa's software driver isn't there. */
void skip_without_lavapipe(void);
/* Its manifest; NULL when there is none. */
const char *lavapipe_manifest(void);
/* lavapipe as the only driver, and the library path that puts Krafla in a program. */
const char *lavapipe_env(void);
const char *library_env(void);

#endif
