/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loader service of a few lines, in a process of its own, below kr_test_dir():
 *
 *   service       its socket
 *   manifests/    its manifest file system; given as a plain directory, or as a listing of it
 *   packages/X    what Get of X gives: one library, as sealed memory
 *   dev/          its device file system, and what open_device opens
 *
 * It misbehaves as it is told, at any time.
 */
#ifndef KR_TESTS_CLIENT_FAKE_SERVICE_H
#define KR_TESTS_CLIENT_FAKE_SERVICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

enum fake_fault {
	FAKE_WORKS,
	FAKE_SAYS_NOTHING,    /* accepts; no welcome */
	FAKE_CLOSES,          /* accepts, then closes */
	FAKE_WRONG_VERSION,   /* welcome with version 9 */
	FAKE_NO_REQUESTS,     /* welcome that allows none */
	FAKE_PARKS_IDLE,      /* what waits for idle is never answered */
	FAKE_PARKS_GET,       /* no Get is answered */
	FAKE_ANSWERS_NOTHING, /* but the welcome */
	FAKE_GARBAGE,         /* answers can't be read */
	FAKE_LONG,            /* answers of 4096 bytes */
	FAKE_WRONG_SERIAL,
	FAKE_WRONG_TYPE,
	FAKE_WRONG_KIND,   /* 77, with one descriptor */
	FAKE_NOT_SEALED,   /* memory that anybody can write to */
	FAKE_NO_DIRECTORY, /* a directory that is none */
	FAKE_REFUSES,      /* EBUSY, with control characters */
	FAKE_REFUSES_OK,   /* with error 0 */
	FAKE_DIES_ON_GET,  /* closes that connection */
	/* A Get of what isn't there makes the manifest ".next.json" one of "1-b.so" */
	FAKE_REPLACES,
	FAKE_DEVICE_NO_FD,  /* error 0, and no descriptor */
	FAKE_NEEDS_NEWER,   /* packages need GLIBC_9.99 */
	FAKE_NEEDS_MISSING, /* packages need a library that isn't there */
};

/* Shared with its process. */
struct fake_service {
	pid_t pid;
	atomic_int fault; /* enum fake_fault */
	atomic_bool listing;
	atomic_int connections, manifest_requests, idle_requests, gets, opened;
	char dir[96];
};

/* Started, and waited for; the process ends with the test's. */
struct fake_service *fake_start(void);
/* Ends it by SIGKILL. */
void fake_kill(struct fake_service *service);
/* Another process for the same socket. */
void fake_restart(struct fake_service *service);

/*
 * A manifest by rename, as the service does it; and its library as a package, unless that is NULL.
 */
void fake_offer(struct fake_service *service, const char *name, const char *library);
void fake_withdraw(struct fake_service *service, const char *name);
/* Writes dev/<path>. */
void fake_device(struct fake_service *service, const char *path, const char *text);

#endif
