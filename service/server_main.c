/* SPDX-License-Identifier: Apache-2.0 */
/* kraflad and `krafla serve`: from the command line to a service that runs, and its end by a signal. */
#include "service/server_main.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/server_state.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/text.h"
#include "wire/service.h"

/* As the krafla command's (tools/command.h). */
#define EXIT_WRONG_USAGE 2
#define EXIT_FAILED      125

#define SYSTEM_CONFIG "/etc/krafla/kraflad.json"

struct daemon {
	const char *command;
	struct kr_server_options options;
	struct kr_config config;
	struct kr_loop *loop;
	struct kr_server *server;
	struct kr_watch *signals;
	sigset_t old_signals;
	int signal_fd;
	int notify;
	int socket;        /* until the server has it */
	char *socket_path; /* that was made here; NULL: handed over */
	struct stat made;  /* what was made, so that no other's is removed */
	bool stopped;
};

static void complain(const struct daemon *daemon, const char *fmt, ...) KR_PRINTF(2, 3);

static void
complain(const struct daemon *daemon, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", daemon->command);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

/* --- options --- */

static int
refuse_usage(const struct daemon *daemon, int c, char **argv)
{
	const char *word = argv[optind - 1];

	if (c == ':')
		complain(daemon, "option '%s' needs a value", word);
	else if (optopt && strncmp(word, "--", 2) != 0)
		complain(daemon, "unknown option '-%c'", optopt);
	else if (optopt)
		complain(daemon, "option '%s' takes no value", word);
	else
		complain(daemon, "unknown or ambiguous option '%s'", word);
	return EXIT_WRONG_USAGE;
}

/* -1: go on; else the exit code. */
static int
read_options(struct daemon *daemon, int argc, char **argv)
{
	static const struct option table[] = {
		{"config", required_argument, NULL, 'c'},
		{"socket", required_argument, NULL, 's'},
		{"system", no_argument, NULL, 'y'},
		{"user", no_argument, NULL, 'u'},
		{"check", no_argument, NULL, 'k'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
		switch (c) {
		case 'c':
			daemon->options.config = optarg;
			break;
		case 's':
			daemon->options.socket = optarg;
			break;
		case 'y':
			daemon->options.system = true;
			break;
		case 'u':
			daemon->options.user = true;
			break;
		case 'k':
			daemon->options.check = true;
			break;
		case 'h':
			printf("usage: %s [--config FILE] [--socket PATH] [--system|--user] "
			       "[--check]\n\n%s",
				daemon->command, KR_SERVER_OPTIONS_HELP);
			return 0;
		default:
			c = refuse_usage(daemon, c, argv);
			fprintf(stderr, "'%s --help' explains how to call it.\n", daemon->command);
			return c;
		}
	}
	if (optind < argc) {
		complain(daemon, "'%s' is one argument too many", argv[optind]);
		fprintf(stderr, "'%s --help' explains how to call it.\n", daemon->command);
		return EXIT_WRONG_USAGE;
	}
	if (daemon->options.system && daemon->options.user) {
		complain(daemon, "--system and --user exclude each other");
		return EXIT_WRONG_USAGE;
	}
	daemon->options.user |= geteuid() != 0 && !daemon->options.system;
	return -1;
}

/* --- configuration --- */

/* The file that counts when none was named: a new string. */
static char *
default_config(const struct daemon *daemon)
{
	const char *directory = kr_env_get("XDG_CONFIG_HOME"), *home = kr_env_get("HOME");

	if (!daemon->options.user)
		return strdup(SYSTEM_CONFIG);
	if (directory && *directory == '/')
		return kr_asprintf("%s/krafla/kraflad.json", directory);
	return home ? kr_asprintf("%s/.config/krafla/kraflad.json", home) : strdup("");
}

static int
configure(struct daemon *daemon)
{
	char *path =
		daemon->options.config ? strdup(daemon->options.config) : default_config(daemon);
	char *reason = NULL;
	int err = path ? kr_config_init(&daemon->config) : -ENOMEM;

	if (!err && (daemon->options.config || (*path && !access(path, F_OK))))
		err = kr_config_read(path, &daemon->config, &reason);
	if (err)
		complain(daemon, "%s", reason ? reason : strerror(-err));
	else if (daemon->options.check && !daemon->config.file)
		printf("there is no configuration file; the defaults are good\n");
	else if (daemon->options.check)
		printf("%s is good\n", path);
	free(reason);
	free(path);
	return err;
}

/* --- the socket --- */

/* A new string, the directory made if it is one of ours. */
static char *
choose_path(struct daemon *daemon)
{
	const char *directory = kr_env_get("XDG_RUNTIME_DIR");
	char *path, *slash;

	if (daemon->options.socket || daemon->config.socket)
		return strdup(
			daemon->options.socket ? daemon->options.socket : daemon->config.socket);
	if (daemon->options.user && !directory) {
		complain(daemon, "XDG_RUNTIME_DIR isn't set: name a socket with --socket PATH");
		return NULL;
	}
	path = daemon->options.user ? kr_asprintf("%s/" KR_SERVICE_USER_SOCKET, directory)
				    : strdup(KR_SERVICE_SYSTEM_SOCKET);
	slash = path ? strrchr(path, '/') : NULL;
	if (slash) {
		*slash = '\0';
		(void)!mkdir(path, 0755); /* the next step says what is wrong */
		*slash = '/';
	}
	return path;
}

static int
make_socket(struct daemon *daemon)
{
	char *reason = NULL;
	int err;

	daemon->socket_path = choose_path(daemon);
	if (!daemon->socket_path)
		return -EINVAL;
	err = kr_server_listen(daemon->socket_path, &daemon->socket, &reason);
	if (!err &&
		(chmod(daemon->socket_path, daemon->config.socket_mode) ||
			stat(daemon->socket_path, &daemon->made)))
		err = -errno;
	if (err) {
		complain(daemon, "%s", reason ? reason : strerror(-err));
		free(daemon->socket_path);
		daemon->socket_path = NULL;
	}
	free(reason);
	return err;
}

static int
get_socket(struct daemon *daemon)
{
	char *reason;
	int got = kr_activation_take(&daemon->socket, &reason);

	if (got < 0)
		complain(daemon, "%s", reason ? reason : strerror(-got));
	free(reason);
	return got < 0 ? got : got ? 0 : make_socket(daemon);
}

static void
remove_socket(struct daemon *daemon)
{
	struct stat now;

	if (daemon->socket_path && !stat(daemon->socket_path, &now) &&
		now.st_ino == daemon->made.st_ino && now.st_dev == daemon->made.st_dev)
		unlink(daemon->socket_path);
	free(daemon->socket_path);
}

/* --- running --- */

static void
handle_signal(void *data, uint32_t events)
{
	struct signalfd_siginfo info;
	struct daemon *daemon = data;

	if (read(daemon->signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	kr_log(KR_LOG_INFO | KR_LOG_LOUD, "ends, because of %s",
		info.ssi_signo == SIGINT ? "SIGINT" : "SIGTERM");
	daemon->stopped = true;
}

static int
watch_signals(struct daemon *daemon)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, &daemon->old_signals);
	daemon->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (daemon->signal_fd < 0)
		return -errno;
	return kr_watch_add(
		daemon->loop, daemon->signal_fd, EPOLLIN, handle_signal, daemon, &daemon->signals);
}

static int
begin(struct daemon *daemon)
{
	char *reason = NULL;
	int err = kr_loop_create(&daemon->loop);

	if (!err)
		err = watch_signals(daemon);
	if (!err) {
		const int socket = daemon->socket;

		daemon->socket = -1;
		err = kr_server_create(
			daemon->loop, &daemon->config, socket, NULL, &daemon->server, &reason);
	}
	if (err)
		complain(daemon, "%s", reason ? reason : strerror(-err));
	free(reason);
	return err;
}

static void
tell_news(struct daemon *daemon)
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
serve(struct daemon *daemon)
{
	int err = 0;

	kr_log(KR_LOG_INFO | KR_LOG_LOUD, "listens at %s%s%s",
		daemon->socket_path ? daemon->socket_path : "the socket that was handed over",
		daemon->config.file ? ", configured by " : "",
		daemon->config.file ? daemon->config.file : "");
	kr_activation_notify(daemon->notify, "READY=1");
	while (!daemon->stopped && !err) {
		tell_news(daemon);
		err = kr_loop_step(daemon->loop, KR_FOREVER);
	}
	kr_activation_notify(daemon->notify, "STOPPING=1");
	if (err)
		complain(daemon, "the service ends: %s", strerror(-err));
	return err;
}

static int
run(struct daemon *daemon)
{
	int err = get_socket(daemon);

	if (err)
		return err;
	/* Before the service makes namespaces of its own. */
	daemon->notify = kr_activation_notify_open();
	err = begin(daemon);
	/*
	 * Other processes of its user could take from /proc the descriptors through which it writes what clients
	 * see. The store's child has started: it needs its own files in /proc to make its namespaces.
	 */
	prctl(PR_SET_DUMPABLE, 0);
	if (!err)
		err = serve(daemon);
	kr_server_destroy(daemon->server);
	prctl(PR_SET_DUMPABLE, 1);
	kr_watch_remove(daemon->signals);
	kr_loop_destroy(daemon->loop);
	kr_fd_close(&daemon->socket);
	kr_fd_close(&daemon->notify);
	if (daemon->signal_fd >= 0)
		sigprocmask(SIG_SETMASK, &daemon->old_signals, NULL);
	kr_fd_close(&daemon->signal_fd);
	remove_socket(daemon);
	return err;
}

int
kr_server_main(int argc, char **argv, const char *command)
{
	struct daemon daemon = {.command = command, .socket = -1, .signal_fd = -1, .notify = -1};
	int code = read_options(&daemon, argc, argv);
	int err;

	if (code >= 0)
		return code;
	kr_log_set_prefix("kraflad: ", 0);
	err = configure(&daemon);
	if (!err && !daemon.options.check)
		err = run(&daemon);
	kr_config_finish(&daemon.config);
	return err ? EXIT_FAILED : 0;
}
