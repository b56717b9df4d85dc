/* SPDX-License-Identifier: Apache-2.0 */
/* The scenarios of test_kill.c. */
#ifndef KR_TESTS_KILL_SCENARIOS_H
#define KR_TESTS_KILL_SCENARIOS_H

#include "kill.h"

extern const struct kill_scenario kill_fences, kill_timelines, kill_display, kill_composer;

#endif
