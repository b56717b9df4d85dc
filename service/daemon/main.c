/* SPDX-License-Identifier: Apache-2.0 */
/* kraflad and `krafla serve`: a service that runs, and the signals that tell it what to do. */
#include "service/daemon/main.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "service/daemon/daemon.h"
#include "service/server/server.h"
#include "service/server/state.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/text.h"

/* SIGPIPE: nobody reads what is said on standard error, which is no reason to end. */
static void
handle_signal(void *data, uint32_t events)
{
	struct signalfd_siginfo info;
	struct kr_daemon *daemon = data;

	if (read(daemon->signal_fd, &info, sizeof(info)) != sizeof(info) ||
		info.ssi_signo == SIGPIPE)
		return;
	if (info.ssi_signo == SIGHUP) {
		kr_daemon_reload(daemon);
		return;
	}
	kr_log(KR_LOG_INFO | KR_LOG_LOUD, "ends, because of SIG%s",
		sigabbrev_np((int)info.ssi_signo));
	daemon->stopped = true;
}

/*
 * Before there is a socket to be left behind. What comes in until they are watched is handled then.
 */
static int
hold_signals(struct kr_daemon *daemon)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGPIPE};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < KR_ARRAY_LEN(signals); i++)
		sigaddset(&set, signals[i]);
	daemon->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (daemon->signal_fd < 0) {
		const int err = -errno;

		kr_daemon_complain(daemon, "signals can't be watched: %s", strerror(-err));
		return err;
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	return 0;
}

static int
begin(struct kr_daemon *daemon)
{
	char *reason = NULL;
	int err = kr_loop_create(&daemon->loop);

	if (!err)
		err = kr_watch_add(daemon->loop, daemon->signal_fd, EPOLLIN, handle_signal, daemon,
			&daemon->signals);
	if (!err) {
		const int socket = daemon->socket;

		daemon->socket = -1;
		err = kr_server_create(
			daemon->loop, daemon->config, socket, NULL, &daemon->server, &reason);
	}
	if (err)
		kr_daemon_complain(daemon, "%s", reason ? reason : strerror(-err));
	free(reason);
	return err;
}

static void
tell_news(struct kr_daemon *daemon)
{
	struct kr_server *server = daemon->server;
	char *summary, *status;

	if (!server->has_news || !kr_server_is_idle(server))
		return;
	server->has_news = false;
	summary = kr_server_summary(server);
	if (summary)
		kr_log(KR_LOG_INFO | KR_LOG_LOUD, "%s", summary);
	status = summary ? kr_asprintf("STATUS=%s", summary) : NULL;
	if (status)
		kr_activation_notify(daemon->notify, status);
	free(status);
	free(summary);
}

static int
serve(struct kr_daemon *daemon)
{
	int err = 0;

	kr_log(KR_LOG_INFO | KR_LOG_LOUD, "listens at %s%s%s",
		daemon->socket_path ? daemon->socket_path : "the socket that was handed over",
		daemon->config->file ? ", configured by " : "",
		daemon->config->file ? daemon->config->file : "");
	kr_activation_notify(daemon->notify, "READY=1");
	while (!daemon->stopped && !err) {
		tell_news(daemon);
		err = kr_loop_step(daemon->loop, KR_FOREVER);
	}
	kr_activation_notify(daemon->notify, "STOPPING=1");
	if (err)
		kr_daemon_complain(daemon, "the service ends: %s", strerror(-err));
	return err;
}

/* From the socket to its removal. */
static int
run(struct kr_daemon *daemon)
{
	int err = kr_daemon_get_socket(daemon);

	if (err)
		return err;
	/* A package beyond RLIMIT_FSIZE is one that can't be copied, and no reason to end. */
	signal(SIGXFSZ, SIG_IGN);
	/* Before the service makes namespaces of its own. */
	daemon->notify = kr_activation_notify_open();
	err = begin(daemon);
	/*
	 * Other processes of its user could take from /proc the descriptors through which it writes
	 * what clients see. The store's child has started: it needs its own files in /proc to make
	 * its namespaces.
	 */
	prctl(PR_SET_DUMPABLE, 0);
	if (!err) {
		kr_daemon_confine(daemon);
		err = serve(daemon);
	}
	kr_server_destroy(daemon->server);
	prctl(PR_SET_DUMPABLE, 1);
	kr_watch_remove(daemon->signals);
	kr_loop_destroy(daemon->loop);
	kr_fd_close(&daemon->socket);
	kr_fd_close(&daemon->notify);
	kr_daemon_remove_socket(daemon);
	return err;
}

/* Help, or what --check has found, on a full disk. */
static int
end_answer(const struct kr_daemon *daemon, int code)
{
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	kr_daemon_complain(daemon, "the answer can't be written to standard output");
	clearerr(stdout); /* told */
	return KR_DAEMON_FAILED;
}

/* Signals stay held: one that comes now would end the process with another code. */
static int
run_with_signals(struct kr_daemon *daemon)
{
	int err = hold_signals(daemon);

	if (!err)
		err = run(daemon);
	kr_fd_close(&daemon->signal_fd);
	return err;
}

int
kr_daemon_main(int argc, char **argv, const char *command)
{
	struct kr_daemon daemon = {.command = command, .socket = -1, .signal_fd = -1, .notify = -1};
	int code = kr_daemon_read_options(&daemon, argc, argv);
	int err;

	if (code >= 0)
		return end_answer(&daemon, code);
	kr_log_set_prefix("kraflad: ", 0);
	err = kr_daemon_configure(&daemon);
	if (!err && !daemon.options.check)
		err = run_with_signals(&daemon);
	kr_config_finish(daemon.config);
	return end_answer(&daemon, err ? KR_DAEMON_FAILED : 0);
}
