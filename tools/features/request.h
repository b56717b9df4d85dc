/* SPDX-License-Identifier: Apache-2.0 */
/* What was typed behind `krafla features`, and what each of its ways to answer gets. */
#ifndef KR_TOOLS_FEATURES_REQUEST_H
#define KR_TOOLS_FEATURES_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "features/system.h"

/* Of an option that may be given several times. */
#define KR_FLAGS_MOST_PATHS 256
struct kr_flags_paths {
	const char *paths[KR_FLAGS_MOST_PATHS];
	size_t count;
};

/* 1 by convention: grep and test say so too. */
#define KR_FLAGS_EXIT_NO 1

struct kr_flags_request {
	bool json;
	long device;                    /* KR_FEATURE_ALL_DEVICES, or a number */
	const char *has;                /* --has NAME ... */
	const char *write_dir;          /* --write-permissions DIR */
	struct kr_flags_paths deqp;     /* --deqp RESULTS.qpa ... */
	const char *case_list;          /* --caselist LIST.txt, of --deqp */
	struct kr_flags_paths profiles; /* --profile FILE ...: the first is judged */
	const char *launch;             /* not NULL: --launch */
	const char *permissions;        /* --permissions DIR, of --launch */
	const char *word; /* the one that is no option: a version, release or profile */
};

/*
 * Answers on standard output, in the process that the drivers are loaded into; returns the exit
 * code.
 */
typedef int (*kr_flags_answer_fn)(
	const struct kr_flags_request *request, struct kr_feature_system *system);

/* Before drivers are loaded, in the process that ends last; KR_EXIT_OK, or the exit code. */
typedef int (*kr_flags_prepare_fn)(const struct kr_flags_request *request);

int kr_flags_print(const struct kr_flags_request *request, struct kr_feature_system *system);
int kr_flags_has(const struct kr_flags_request *request, struct kr_feature_system *system);
/* Needs no devices: `system` may be NULL. */
int kr_flags_answer_deqp(const struct kr_flags_request *request, struct kr_feature_system *system);
/* Judges the results that were typed, if any, and has the system hold the level or not. */
int kr_flags_hold_deqp(const struct kr_flags_request *request, struct kr_feature_system *system);
int kr_flags_answer_profile(
	const struct kr_flags_request *request, struct kr_feature_system *system);
int kr_flags_prepare_launch(const struct kr_flags_request *request);
int kr_flags_answer_launch(
	const struct kr_flags_request *request, struct kr_feature_system *system);
int kr_flags_write_permissions(
	const struct kr_flags_request *request, struct kr_feature_system *system);

/*
 * The version that a word says: a number (0x401000, 3), "1.1" or "1.1.0" of Vulkan, or a day of
 * deqp.level, "2022-03-01". False: it says none.
 */
bool kr_flags_parse_version(const char *word, uint32_t *version);

#endif
