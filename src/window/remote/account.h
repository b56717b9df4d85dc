/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many frames this process has queued to a display, on all of its windows: what the hello of
 * its next window there says. Counted for as long as the process lives, also past a window's end:
 * its frames may still wait to be shown. A child begins with none.
 *
 * A display is known by the file of its socket. So many displays are counted at a time; windows of
 * more than that say that there was nothing before them.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_WINDOW_REMOTE_ACCOUNT_H
#define KR_WINDOW_REMOTE_ACCOUNT_H

#include <stdint.h>

#define KR_ACCOUNT_DISPLAYS 8

struct kr_account;

/* The account of a socket's display, for one window; NULL: there is none. */
struct kr_account *kr_account_open(const char *socket_path);
/* Of another window that goes; NULL is nothing. */
void kr_account_close(struct kr_account *account);
/* One frame more; NULL is nothing. */
void kr_account_add(struct kr_account *account);
/* All of them; 0 for NULL. */
uint64_t kr_account_frames(const struct kr_account *account);

#endif
