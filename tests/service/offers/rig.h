/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offers over a made-up device directory, a made-up sysfs, and fakes of packages, their catalog and
 * probes. What they tell is written into a log: "node+ dri/renderD128 offer+ 0-libvulkan_intel.so
 * idle ".
 */
#ifndef KR_TESTS_SERVICE_OFFERS_RIG_H
#define KR_TESTS_SERVICE_OFFERS_RIG_H

#include <stdbool.h>
#include "harness.h"
#include "service/config/config.h"
#include "service/devices/devices.h"
#include "service/loop/loop.h"
#include "service/offers/offers.h"

struct rig {
	struct kr_loop *loop;
	struct kr_config config;
	struct kr_config_class classes[4];
	char dev[256], sys[256];
	struct kr_offers *offers;
	int uevents; /* the test's end; -1: none */
	char log[4096];
	unsigned probes; /* how many were begun */
	/* Answers of libraries, "libvulkan_intel.so=broken"; others work. */
	const char *broken[8];
	/* Which devices drivers of libraries see, that work; others say nothing of theirs. */
	struct {
		const char *library;
		const struct kr_probe_device *devices;
		size_t count;
	} seen[4];
	bool hold; /* probes aren't answered until rig_answer */
};
extern struct rig rig;

/* Directories, loop and configuration, which the case may change; then rig_start. */
void rig_init(void);
void rig_start(void);
/* With a socket for uevents. */
void rig_start_with_uevents(void);
void rig_finish(void);

/* `driver` NULL: sysfs says nothing. */
void rig_add_node(const char *path, const char *driver);
void rig_remove_node(const char *path);
void rig_set_driver(const char *path, const char *driver);
/* What sysfs says of a node: its number, "226:128", and PCI ids, "0x8086"; NULL: nothing. */
void rig_set_ids(const char *path, const char *number, const char *vendor, const char *device);

/*
 * The catalog. A package that is there already gets another generation. `library` NULL: a bad one.
 */
struct kr_package *rig_add_package(const char *name, const char *library);
void rig_remove_package(const char *name);
/* Not idle: packages are being looked at. */
void rig_set_catalog_idle(bool idle);
int rig_generations(void); /* that are alive */

/* Answers the held probe of a library that was begun first. */
void rig_answer(const char *library, int result);
bool rig_is_probing(const char *library);

/* Goes on until nothing is being tried, or the log has a word. Fails the case after 10 s. */
void rig_run_until_idle(void);
void rig_run_until(const char *word);
/* Until there is a probe to answer. */
void rig_run_until_probing(const char *library);
/* Some rounds of the loop for what must not happen. */
void rig_run_a_while(void);
/* The log since the last time, without "idle". */
void rig_assert_log(const char *expected);
size_t rig_count_offers(void);
/* What inspection says: the state of a device's candidate, by rule or package. */
const char *rig_candidate_state(const char *node, const char *name);
const char *rig_candidate_reason(const char *node, const char *name);
const char *rig_candidate_sees(const char *node, const char *name);
const char *rig_device_text(const char *node, const char *key);

#endif
