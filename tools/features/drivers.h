/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds calls that drivers work in, in the process that they are loaded into. */
#ifndef KR_TOOLS_FEATURES_DRIVERS_H
#define KR_TOOLS_FEATURES_DRIVERS_H

/* How long drivers may take to say what they have. */
#define KR_FLAGS_ANSWER_S 60

/*
 * While drivers work, what they print goes to standard error: standard output is the answer's. An
 * alarm ends the process when they take too long. What begin returns is given to end.
 */
int kr_flags_begin_drivers(void);
void kr_flags_end_drivers(int kept);

/* Whatever krafla was started with. */
void kr_flags_let_alarms_end_us(void);

#endif
