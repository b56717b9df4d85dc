/* SPDX-License-Identifier: Apache-2.0 */
/* Work beside which signals are heard: see errand.h. */
#include "tools/run/errand.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"

struct worker {
	struct kr_errand errand;
	int done; /* an eventfd */
};

/* One at a time; it may outlive the call that made it. */
static struct worker worker;

static void *
worker_main(void *data)
{
	uint64_t one = 1;

	worker.errand.work(worker.errand.data);
	while (write(worker.done, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	return NULL;
}

/* True when the worker has said that it is done. */
static bool
listen_meanwhile(const struct kr_errand *errand, int done, int *signal)
{
	struct pollfd fds[] = {
		{.fd = done, .events = POLLIN},
		{.fd = errand->signal_fd, .events = POLLIN},
	};
	int64_t deadline = errand->told ? kr_clock_now() + errand->grace_ns : KR_FOREVER;
	struct signalfd_siginfo info;

	while (kr_clock_now() < deadline) {
		/* Where no poll is nothing can be heard, but waited for. */
		if (kr_fd_poll(fds, KR_ARRAY_LEN(fds), deadline) < 0)
			return true;
		if (fds[0].revents)
			return true;
		if (!fds[1].revents || read(errand->signal_fd, &info, sizeof(info)) < 0)
			continue;
		deadline = *signal || errand->told ? 0 : kr_clock_now() + errand->grace_ns;
		*signal = (int)info.ssi_signo;
	}
	return false;
}

bool
kr_errand_run(const struct kr_errand *errand, int *signal)
{
	pthread_t thread;

	worker = (struct worker){*errand, eventfd(0, EFD_CLOEXEC)};
	*signal = 0;
	if (worker.done < 0 || pthread_create(&thread, NULL, worker_main, NULL)) {
		/* Too little of everything to run a program: what is done now fails by itself. */
		errand->work(errand->data);
		kr_fd_close(&worker.done);
		return true;
	}
	if (!listen_meanwhile(errand, worker.done, signal)) {
		pthread_detach(thread);
		return false;
	}
	pthread_join(thread, NULL);
	kr_fd_close(&worker.done);
	return true;
}
