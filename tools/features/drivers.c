/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output and alarms around drivers: see drivers.h. */
#include "tools/features/drivers.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static pid_t entered;

/* Both ends flush: a driver may share our stdio. */
int
kr_flags_begin_drivers(void)
{
	int kept;

	entered = getpid();
	(void)fflush(stdout);
	alarm(KR_FLAGS_ANSWER_S);
	kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (kept >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	return kept;
}

void
kr_flags_end_drivers(int kept)
{
	/* A process that a driver made, and which came back here, has no answer to give. */
	if (getpid() != entered)
		_exit(1);
	(void)fflush(stdout);
	/* A driver that closes what isn't its own has taken the place where the answer goes. */
	if (kept < 0 || dup2(kept, STDOUT_FILENO) < 0)
		_exit(1);
	close(kept);
	alarm(0);
}

void
kr_flags_let_alarms_end_us(void)
{
	sigset_t alarms;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	signal(SIGALRM, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
}
