/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard output of a command that has blocked its signals, and hears them although
 * nobody reads what it says.
 */
#ifndef KR_TOOLS_FENCES_HEARD_OUTPUT_H
#define KR_TOOLS_FENCES_HEARD_OUTPUT_H

/*
 * From now on `stdout` waits for its reader no longer than 1 s once the signalfd can be read; what
 * it can't write then is an error (EINTR). Without memory it stays as it is.
 */
void kr_heard_output_begin(int signal_fd);

#endif
