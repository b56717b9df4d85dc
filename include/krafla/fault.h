/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fault injection: makes fences misbehave where they pass from one part of the platform to another,
 * so that tests, and a check of a driver, can see what the receiver does. Nothing of it happens
 * unless asked for; then the log says so, whatever it shows otherwise.
 *
 * A fault is set for a site, a boundary that fences pass. It picks some of the fences that
 * pass from then on, and puts what its kind says in the place of each. A boundary that carries
 * "no fence" (-1, signalled) is one that a fence passes too: a late fence in place of -1 is a
 * fence that signals late.
 *
 * What is put in place is a user-space fence (docs/fences.md), also for a kernel fence: it
 * enters no kernel interface. Each copy of the library has faults of its own: libkrafla.so.0
 * those set here, libvulkan.so.1 and the programs of Krafla those of the environment
 * (KRAFLA_FAULTS in docs/environment.md).
 *
 * Thread-safety: every function may be called from any thread. Errors come back as
 * negative errno. A forked child has no faults but those it sets; fences that its parent
 * holds back stay its parent's.
 */
#ifndef KRAFLA_FAULT_H
#define KRAFLA_FAULT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum krafla_fault_site {
	KRAFLA_FAULT_AT_QUEUE,   /* "queue": the acquire fence given to queueBuffer */
	KRAFLA_FAULT_AT_CANCEL,  /* "cancel": the fence given to cancelBuffer */
	KRAFLA_FAULT_AT_DEQUEUE, /* "dequeue": the release fence that dequeueBuffer gives */
	/* "driver-acquire": given to vkAcquireImageANDROID (W-07) */
	KRAFLA_FAULT_AT_DRIVER_ACQUIRE,
	/* "driver-release": what vkQueueSignalReleaseImageANDROID gave (W-08) */
	KRAFLA_FAULT_AT_DRIVER_RELEASE,
	/* "display-release": with which a display gives a buffer back (H-02) */
	KRAFLA_FAULT_AT_DISPLAY_RELEASE,
	/* "reader-acquire": the acquire fence of an image that a reader gives (window.h) */
	KRAFLA_FAULT_AT_READER_ACQUIRE,
	KRAFLA_FAULT_AT_READER_RELEASE, /* "reader-release": given back with an image */
	/* "composer-present": that krafla_display_present gives (H-03) */
	KRAFLA_FAULT_AT_COMPOSER_PRESENT,
	/*
	 * "composer-release": that krafla_display_get_release_fences gives (H-02), of all layers
	 * whose buffer was replaced
	 */
	KRAFLA_FAULT_AT_COMPOSER_RELEASE,
	KRAFLA_FAULT_AT_TIMELINE, /* "timeline": fences of a krafla_timeline's points */
	/* "egl-import": the descriptor of a native fence that eglCreateSync is given (E-01) */
	KRAFLA_FAULT_AT_EGL_IMPORT,
	KRAFLA_FAULT_AT_EGL_EXPORT, /* "egl-export": what eglDupNativeFenceFDANDROID gives (E-02) */
	KRAFLA_FAULT_SITES,         /* how many there are */
};

enum krafla_fault_kind {
	KRAFLA_FAULT_NONE,
	/*
	 * "late": it signals, as it would have, but delay_ns later, and not before `later` more
	 * fences have passed the site.
	 */
	KRAFLA_FAULT_LATE,
	/* "never": it doesn't signal until the fault is cleared, which makes it what it was. */
	KRAFLA_FAULT_NEVER,
	KRAFLA_FAULT_ERROR, /* "error": it has failed with `error` */
	/* "absent": -1, though what it stands for may not be done */
	KRAFLA_FAULT_ABSENT,
	/*
	 * "swapped": out of order. It signals after the next one that passes the site has, or
	 * delay_ns (0: one second) after its own time when that takes too long.
	 */
	KRAFLA_FAULT_SWAPPED,
	/*
	 * "closed": a descriptor that isn't open. Its number is one that the system never gives, so
	 * that who closes it closes nothing of another's.
	 */
	KRAFLA_FAULT_CLOSED,
	KRAFLA_FAULT_FOREIGN, /* "foreign": a descriptor that is open but no fence (an eventfd) */
	KRAFLA_FAULT_KINDS,   /* how many there are */
};

/* What happens to which fences. Zeroes mean: every one. */
struct krafla_fault {
	size_t size; /* sizeof(struct krafla_fault): says which of these exist */
	enum krafla_fault_kind kind;
	int error;         /* ERROR: negative errno, -1 to -4095; 0 stands for -EIO */
	uint64_t delay_ns; /* LATE, SWAPPED */
	uint64_t later;    /* LATE */
	uint64_t from;     /* the first that is meant, counted from 1 (0: 1) */
	uint64_t every;    /* that one and every so many after it (0: 1) */
	uint64_t count;    /* so many at most; 0 any number */
	uint32_t permille; /* of those: so many of a thousand, drawn at random; 0 all */
	uint64_t seed;     /* for the drawing, which it makes repeatable */
};

/*
 * Sets the one fault of a site, in place of the one before, which is cleared. 0; -EINVAL: no such
 * site, kind, error or size, or more than 1000 of a thousand.
 */
int krafla_fault_set(enum krafla_fault_site site, const struct krafla_fault *fault);

/*
 * The same from text: `SITE:KIND[,OPTION=VALUE]...`, several separated by semicolons. Options are
 * error (a number, 5 for EIO), delay (a number and ns, us, ms or s), later, from, every, count,
 * permille, seed. Example: "driver-release:late,delay=50ms,every=3;dequeue:error,error=5". 0;
 * -EINVAL: it says something else, the log tells what, and nothing of it is set.
 */
int krafla_fault_set_text(const char *text);

/*
 * No fault at that site (KRAFLA_FAULT_SITES: at any) any more. Fences that it holds back become
 * what they would have been without it, before the call returns for those that are done by then.
 */
void krafla_fault_clear(enum krafla_fault_site site);

/* How many fences the fault of a site, the last that was set, was applied to. Also once cleared. */
uint64_t krafla_fault_count(enum krafla_fault_site site);

/* Their words in the text: "queue", "late"; NULL for no such. */
const char *krafla_fault_site_name(enum krafla_fault_site site);
const char *krafla_fault_kind_name(enum krafla_fault_kind kind);

#ifdef __cplusplus
}
#endif

#endif
