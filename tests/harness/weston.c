/* SPDX-License-Identifier: Apache-2.0 */
/* Starting and ending Weston with its headless backend. */
#include "weston.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define SOCKET         "krafla-test"
#define START_LIMIT_MS 15000
#define STEP_MS        10

/* Windows and the desk come and go at once, and nothing else is on it. */
#define PLAIN                                                                                      \
	"[shell]\nstartup-animation=none\nanimation=none\nclose-animation=none\n"                  \
	"panel-position=none\nbackground-color=0xff202020\n"

/*
 * `config` and `renderer` are options; one that draws (not NULL) lets anybody take pictures of its
 * screen. `env`: NAME=value, or NULL.
 */
static void
run_compositor(const char *runtime_dir, const char *config, const char *renderer, const char *env)
{
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	setenv("XDG_RUNTIME_DIR", runtime_dir, 1);
	if (env)
		putenv((char *)env);
	/*
	 * The desktop shell: the one for kiosks tells no client of frames. Its helpers end with it.
	 */
	execlp("weston", "weston", "--backend=headless-backend.so", "--shell=desktop-shell.so",
		"--socket=" SOCKET, "--idle-time=0", config, renderer, "--debug", (char *)NULL);
	_exit(127);
}

/* The socket is there a little earlier than anybody listens on it. */
static bool
listens(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool answers;

	assert_true(fd >= 0);
	assert_true(strlen(path) < sizeof(address.sun_path));
	strcpy(address.sun_path, path);
	answers = !connect(fd, (const struct sockaddr *)&address, sizeof(address));
	close(fd);
	return answers;
}

/* It may have ended instead. */
static bool
wait_for_socket(struct kr_weston *w, const char *path)
{
	const struct timespec step = {.tv_nsec = STEP_MS * 1000000};

	for (int waited = 0; waited < START_LIMIT_MS; waited += STEP_MS) {
		if (listens(path))
			return true;
		if (waitpid(w->pid, NULL, WNOHANG) == w->pid) {
			w->pid = 0;
			return false;
		}
		nanosleep(&step, NULL);
	}
	return false;
}

static void
start(struct kr_weston *w, const char *renderer, const char *env)
{
	char dir[96], path[128], config[160] = "--no-config";

	/* A new one each time: the socket of one that was killed is still there. */
	snprintf(dir, sizeof(dir), "%s/weston-XXXXXX", kr_test_dir());
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/" SOCKET, dir);
	snprintf(w->runtime_dir, sizeof(w->runtime_dir), "XDG_RUNTIME_DIR=%s", dir);
	snprintf(w->display, sizeof(w->display), "WAYLAND_DISPLAY=%s", path);
	if (renderer)
		snprintf(config, sizeof(config), "--config=%s", kr_test_file("weston.ini", PLAIN));
	w->pid = fork();
	assert_true(w->pid >= 0);
	if (w->pid == 0)
		run_compositor(dir, config, renderer, env);
	if (!wait_for_socket(w, path)) {
		kr_weston_stop(w);
		kr_test_skip("no-weston", "Weston doesn't start");
	}
}

void
kr_weston_start(struct kr_weston *w)
{
	start(w, NULL, NULL);
}

void
kr_weston_start_drawing(struct kr_weston *w)
{
	start(w, "--use-pixman", NULL);
}

void
kr_weston_start_gl(struct kr_weston *w, const char *env)
{
	start(w, "--use-gl", env);
}

void
kr_weston_stop(struct kr_weston *w)
{
	if (w->pid <= 0)
		return;
	kill(w->pid, SIGKILL);
	waitpid(w->pid, NULL, 0);
	w->pid = 0;
}
