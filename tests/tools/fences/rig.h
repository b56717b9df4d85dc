/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of `krafla fences` share: processes with fences, and krafla's answer about them.
 */
#ifndef KR_TESTS_TOOLS_FENCES_RIG_H
#define KR_TESTS_TOOLS_FENCES_RIG_H

#include <jansson.h>
#include <sys/types.h>
#include "harness.h"

#define RIG_NOBODY       65534
#define RIG_NO_NAMESPACE 92 /* exit code: namespaces are denied */

#define RIG_PATH 300

/*
 * Copies a program to the test's directory, where every user can reach it (a checkout may lie where
 * only its owner can), and says where it is.
 */
void rig_copy(const char *program, char path[RIG_PATH]);

struct rig_child {
	pid_t pid;    /* as it says itself */
	pid_t waited; /* what is to be waited for; the same unless it has left an orphan */
	int input;    /* it ends when this is closed */
	int output;
};

/*
 * `tests/tools/fences_child MODE [COUNT]`, as user `uid` (0: as the test); pid 0 when
 * it ended at once.
 */
struct rig_child rig_start(const char *mode, unsigned count, uid_t uid);
/* The same with a program of the test's. */
struct rig_child rig_start_program(const char *const *arguments, uid_t uid);
void rig_end(struct rig_child *child);

enum rig_denied {
	RIG_NOTHING,
	RIG_PIDFD_GETFD,         /* seccomp: krafla may not look at descriptors */
	RIG_PIDFD_GETFD_NETLINK, /* nor ask for the detailed table of sockets */
};

/* How krafla is run. */
struct rig_look {
	enum rig_denied denied;
	uid_t uid;  /* 0: as the test */
	bool apart; /* in a pid namespace of its own, which takes root */
};

/* What it said, stdout and stderr together; valid until the next call. */
extern char rig_said[1 << 23];
void rig_assert_said(const char *text);
/* Runs `krafla fences ARGUMENTS`, with "%d" in them replaced by `pid`. The exit code. */
int rig_fences(const struct rig_look *look, const char *arguments, pid_t pid);
/* The same with --json, which must be the whole answer. */
json_t *rig_json(const struct rig_look *look, const char *arguments, pid_t pid, int expected);

/* The index-th element of an array of the answer. */
const json_t *rig_item(const json_t *all, const char *key, size_t index);
size_t rig_count(const json_t *all, const char *key);
/* "" for null. */
const char *rig_text(const json_t *object, const char *key);
/* -1 for null. */
json_int_t rig_number(const json_t *object, const char *key);

#endif
