/* SPDX-License-Identifier: Apache-2.0 */
/* The loader service as a program: `krafla serve` is the same. */
#include "service/daemon/main.h"

int
main(int argc, char **argv)
{
	return kr_daemon_main(argc, argv, "kraflad");
}
