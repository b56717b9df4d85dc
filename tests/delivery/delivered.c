/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that gets a package: `delivered check|load|wait KIND FIRST COUNT`, with descriptors
 * from number FIRST on. Prints "ok" and the base library that the driver uses, or the reason;
 * `wait` prints that and waits for input to end, so that a debugger can look. `own` loads the
 * process's libstdc++.so.6 behind the driver and says whose it is.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "delivery/delivery.h"

static int
call(void *dso, const char *name)
{
	int (*function)(void) = dso ? (int (*)(void))dlsym(dso, name) : NULL;

	return function ? function() : -1;
}

static int
deliver(const char *what, struct kr_delivery *delivery, char **reason)
{
	void *dso;
	int ret;

	if (!strcmp(what, "check"))
		return kr_delivery_check(delivery, reason);
	ret = kr_delivery_load(delivery, &dso, reason);
	if (ret)
		return ret;
	printf("base %d\n", call(dso, "krd_driver_base"));
	if (!strcmp(what, "own"))
		printf("own %d\n",
			call(dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL), "krd_base"));
	return 0;
}

int
main(int argc, char **argv)
{
	int fds[KR_INDEX_MAX_FILES + 1], first, ret;
	struct kr_delivery *delivery;
	char *reason = NULL;
	size_t count;

	if (argc != 5)
		return 2;
	first = atoi(argv[3]);
	count = (size_t)atoi(argv[4]);
	for (size_t i = 0; i < count && i < KR_ARRAY_LEN(fds); i++)
		fds[i] = first + (int)i;
	ret = kr_delivery_take(
		(enum kr_delivery_kind)atoi(argv[2]), fds, count, &delivery, &reason);
	if (!ret) {
		ret = deliver(argv[1], delivery, &reason);
		kr_delivery_destroy(delivery);
	}
	printf("%s %d\n", ret ? reason : "ok", ret);
	fflush(stdout);
	free(reason);
	if (!strcmp(argv[1], "wait") && getchar() != EOF)
		return 3;
	return 0;
}
