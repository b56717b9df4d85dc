/* SPDX-License-Identifier: Apache-2.0 */
/* Programs under `krafla run`, and what it wrote of them. */
#ifndef KR_TESTS_CAPTURE_H
#define KR_TESTS_CAPTURE_H

#include <jansson.h>
#include <stdbool.h>

#include "images.h"
#include "spawn.h"

/* `krafla run OPTION... -- PROGRAM...` as a list for the functions of spawn.h. */
#define KRAFLA_RUN(...) ARGV(prefix_path("bin/krafla"), "run", __VA_ARGS__)

/*
 * Runs a program on a virtual clock and writes its frames below kr_test_dir under `name`,
 * and a summary; fails the case unless krafla ends with 0. `size` is --display's,
 * `frames` --frames's argument.
 */
void capture(const char *name, const char *size, const char *frames, const char *const *program,
	const char *const *env);
/* The pattern of its frames, which count from 1. */
const char *capture_pattern(const char *name);
void capture_load(struct image *image, const char *name, unsigned number);
bool capture_exists(const char *name, unsigned number);
/* The summary; owned by the caller. */
json_t *capture_summary(const char *name);
/* An integer of the summary, by two keys; fails the case when there is none. */
json_int_t summary_number(const json_t *summary, const char *object, const char *key);

#endif
