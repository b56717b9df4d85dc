/* SPDX-License-Identifier: Apache-2.0 */
/* The loader service as a program: `krafla serve` is the same. */
#include "service/server/server.h"

int
main(int argc, char **argv)
{
	return kr_server_main(argc, argv, "kraflad");
}
