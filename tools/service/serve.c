/* SPDX-License-Identifier: Apache-2.0 */
/* krafla serve: kraflad by another name. */
#include "service/daemon/main.h"
#include "service/daemon/options.h"
#include "tools/command/command.h"

static const char help[] =
	"usage: krafla serve [--config FILE] [--socket PATH] [--system|--user] [--check]\n\n" KR_DAEMON_OPTIONS_HELP;

static int
serve(int argc, char **argv)
{
	return kr_daemon_main(argc, argv, "krafla serve");
}

const struct kr_subcommand kr_subcommand_serve = {
	.name = "serve",
	.summary = "offer drivers to processes that have none",
	.help = help,
	.run = serve,
};
