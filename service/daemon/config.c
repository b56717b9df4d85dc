/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of kraflad: which file it is, and reading it anew while the service runs. */
#include "service/daemon/daemon.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/server/server.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/log.h"
#include "util/text.h"

#define SYSTEM_CONFIG "/etc/krafla/kraflad.json"

/* The file that counts when none was named: a new string. */
static char *
default_config(const struct kr_daemon *daemon)
{
	const char *directory = kr_env_get("XDG_CONFIG_HOME"), *home = kr_env_get("HOME");

	if (!daemon->options.user)
		return strdup(SYSTEM_CONFIG);
	if (directory && *directory == '/')
		return kr_asprintf("%s/krafla/kraflad.json", directory);
	return home ? kr_asprintf("%s/.config/krafla/kraflad.json", home) : strdup("");
}

/* 0 or -errno, perhaps with a sentence: then *config is empty. */
static int
read_config(const struct kr_daemon *daemon, struct kr_config *config, char **reason)
{
	char *path =
		daemon->options.config ? strdup(daemon->options.config) : default_config(daemon);
	int err = path ? kr_config_init(config) : -ENOMEM;

	*reason = NULL;
	if (!err)
		config->serves_users = !daemon->options.user;
	if (!err && (daemon->options.config || (*path && !access(path, F_OK))))
		err = kr_config_read(path, config, reason);
	if (err)
		kr_config_finish(config);
	free(path);
	return err;
}

int
kr_daemon_configure(struct kr_daemon *daemon)
{
	struct kr_config *config = &daemon->configs[0];
	char *reason;
	int err = read_config(daemon, config, &reason);

	if (err)
		kr_daemon_complain(daemon, "%s", reason ? reason : strerror(-err));
	else if (daemon->options.check && !config->file)
		printf("there is no configuration file; the defaults are good\n");
	else if (daemon->options.check)
		printf("%s is good\n", config->file);
	daemon->config = config;
	free(reason);
	return err;
}

static const char *
name_of(const struct kr_config *config)
{
	return config->file ? config->file : "the default configuration";
}

static void
tell_changes(const struct kr_config *config, const char *changed, const char *fixed)
{
	if (*changed)
		kr_log(KR_LOG_INFO | KR_LOG_LOUD, "takes over from %s: %s", name_of(config),
			changed);
	else
		kr_log(KR_LOG_INFO | KR_LOG_LOUD, "nothing to be taken over has changed in %s",
			name_of(config));
	if (*fixed)
		kr_log(KR_LOG_WARN | KR_LOG_LOUD,
			"what %s says of %s counts only when the service is started anew",
			name_of(config), fixed);
}

/* The server looks at everything again, also when no key has changed. */
static int
take_over(struct kr_daemon *daemon, struct kr_config *other)
{
	char *changed = kr_config_changes(daemon->config, other, false);
	char *fixed = kr_config_changes(daemon->config, other, true);
	int err = changed && fixed ? 0 : -ENOMEM;

	if (!err) {
		kr_config_swap_fixed(daemon->config, other);
		err = kr_server_configure(daemon->server, other);
		if (err)
			kr_config_swap_fixed(daemon->config, other);
	}
	if (!err) {
		kr_config_finish(daemon->config);
		daemon->config = other;
		tell_changes(other, changed, fixed);
	}
	free(changed);
	free(fixed);
	return err;
}

void
kr_daemon_reload(struct kr_daemon *daemon)
{
	struct kr_config *other = &daemon->configs[daemon->config == daemon->configs];
	char *reason, *notice;
	int err;

	notice =
		kr_asprintf("RELOADING=1\nMONOTONIC_USEC=%lld", (long long)(kr_clock_now() / 1000));
	kr_activation_notify(daemon->notify, notice ? notice : "RELOADING=1");
	err = read_config(daemon, other, &reason);
	if (!err)
		err = take_over(daemon, other);
	if (err) {
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD, "the configuration stays as it was: %s",
			reason ? reason : strerror(-err));
		kr_config_finish(other);
	}
	kr_activation_notify(daemon->notify, "READY=1");
	free(reason);
	free(notice);
}
