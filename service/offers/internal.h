/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The offers from inside: offers.c and devices.c lie below the others, and settle.c, which calls
 * them all, above.
 */
#ifndef KR_SERVICE_OFFERS_INTERNAL_H
#define KR_SERVICE_OFFERS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "service/devices/devices.h"
#include "service/offers/offers.h"
#include "service/offers/probe.h"
#include "util/code_memory.h"

#define KR_OFFERS_TRIALS_AT_A_TIME 4
/*
 * Of a candidate that couldn't be tried because something was short (shortage.h), a moment apart.
 */
#define KR_OFFERS_TRIALS_OF_SHORTAGE 5

enum kr_offers_state {
	KR_OFFERS_WAITING,
	KR_OFFERS_PROBING,
	KR_OFFERS_WORKS,
	KR_OFFERS_FAILED,
	KR_OFFERS_ABSENT,  /* there is no such package, or no good one */
	KR_OFFERS_REFUSED, /* M-04 */
};

/* A generation that is being tried, for all candidates that wait for it. */
struct kr_offers_trial {
	struct kr_list link; /* kr_offers.trials */
	struct kr_offers *offers;
	struct kr_generation *generation; /* a reference */
	struct kr_offers_probe *process;  /* NULL: the probe of the sources */
	unsigned pass;                    /* of settling in which it began */
	bool done;
	int result; /* 0 or -errno */
	char *why;
	struct kr_probe_device
		*devices; /* that the driver sees, as far as they say what they are */
	size_t device_count;
	char *tried; /* beyond what it may, and in vain; NULL: nothing */
};

struct kr_offers_candidate {
	const char *rule;                 /* of the device map; NULL: the configuration's */
	char *package;                    /* its name; NULL: none of the rule is there */
	struct kr_generation *generation; /* a reference; NULL: absent */
	enum kr_offers_state state;
	char *reason;
	char *sees;  /* works: which of the driver's devices it is; NULL: untold */
	char *tried; /* kr_offers_trial.tried */
	struct kr_offers_trial *trial; /* while probing */
	unsigned short_trials;         /* that failed because something was short */
	int64_t again_at;              /* waiting: not to be tried before */
	bool late; /* it joined a trial that had begun before its device was there */
	/* It worked, and its package has another generation now, which comes before it */
	bool previous;
};

/* A device, or what stands for one: the software driver, which has no node. */
struct kr_offers_device {
	struct kr_list link; /* kr_offers.devices */
	char *path;          /* NULL: the software driver */
	char *kernel_driver;
	struct kr_node_ids ids;
	unsigned serial;
	int error;
	bool young;
	bool seen;
	const struct kr_config_class *class; /* NULL: none */
	bool built;                          /* candidates are what packages and rules say */
	struct kr_offers_candidate *candidates;
	size_t count;
	bool decided;
	/* A reference: the driver that is offered; stays while others are tried */
	struct kr_generation *active;
};

struct kr_offers_node {
	struct kr_list link; /* kr_offers.nodes */
	char *path;
	bool wanted;
};

struct kr_offers_offer {
	struct kr_offer public; /* first member */
	bool wanted;
};

struct kr_offers {
	struct kr_loop *loop;
	struct kr_catalog *catalog;
	const struct kr_config *config;
	struct kr_offers_sources sources;
	const struct kr_offers_events *events;
	void *data;
	struct kr_devices *nodes;
	struct kr_watch *work;
	struct kr_list devices;   /* kr_offers_device.link */
	struct kr_list trials;    /* kr_offers_trial.link */
	struct kr_list announced; /* kr_offers_node.link */
	struct kr_list offers;    /* kr_offers_offer.public.link */
	struct kr_offers_device software;
	bool software_on;
	bool started;
	bool dirty;   /* settling is due */
	bool rebuild; /* packages have changed */
	bool pending; /* after settling: something is being tried, or on its way */
	char *lacks;  /* what the last trial couldn't be confined by; NULL: nothing */
	unsigned pass;
	int64_t again_at; /* when to settle again without an event; KR_FOREVER: not needed */
	/* By what writing code and running it is forbidden to this process (M-04); "": it isn't */
	char code_forbidden[KR_CODE_MEMORY_WHY_SIZE];
};

/* Settle in the next round of the loop. */
void kr_offers_touch(struct kr_offers *offers);
/* Settle again then, at the latest: something couldn't be done now. */
void kr_offers_settle_at(struct kr_offers *offers, int64_t when);
/* The same, a moment from now. */
void kr_offers_settle_again(struct kr_offers *offers);

/* --- devices.c: which devices there are --- */
/* Brings the devices in step with the nodes. -ENOMEM leaves some out. */
void kr_offers_sync_devices(struct kr_offers *offers);
/* The classes of the configuration have changed, and what was found out under it. */
void kr_offers_classify(struct kr_offers *offers);
void kr_offers_candidate_finish(struct kr_offers_candidate *candidate);
void kr_offers_candidates_finish(struct kr_offers_candidate *take_list, size_t count);
void kr_offers_device_finish(struct kr_offers_device *device);
void kr_offers_device_free(struct kr_offers_device *device);

/* --- candidates.c: what may work for them --- */
/* Finds the candidates of each device that has none yet, or of all. */
void kr_offers_build(struct kr_offers *offers);

/* --- trials.c: which candidate works --- */
/* Goes on as far as it can be told now. */
void kr_offers_device_step(struct kr_offers *offers, struct kr_offers_device *device);
/* NULL: none works. */
void kr_offers_device_set_active(struct kr_offers_device *device, struct kr_generation *generation);
/*
 * Hands results of trials to the candidates that waited for them; ends those that nobody waits for.
 */
void kr_offers_end_trials(struct kr_offers *offers);
void kr_offers_trial_free(struct kr_offers_trial *trial);

/* --- match.c: which of a driver's devices it is --- */
enum kr_offers_likeness {
	KR_OFFERS_OTHER,  /* another one */
	KR_OFFERS_UNTOLD, /* nothing says that it is another one */
	KR_OFFERS_SAME,
};
/*
 * Whether the driver sees this device among `seen`; *which is the one (NULL unless the same). A
 * driver that says nothing of its devices is untold, as is everything for the software driver.
 */
enum kr_offers_likeness kr_offers_match(const struct kr_offers_device *device,
	const struct kr_probe_device *seen, size_t count, const struct kr_probe_device **which);

/* --- apply.c: telling what has become of it --- */
void kr_offers_apply(struct kr_offers *offers);

#endif
