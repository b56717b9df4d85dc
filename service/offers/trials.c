/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which candidate works: see offers.h. One trial of a generation serves all candidates that want
 * it, at most KR_OFFERS_TRIALS_AT_A_TIME run. A device that appears while a generation of its is
 * being tried may come too late to be seen by that trial: if it fails, there is another one for it.
 */
#include "service/offers/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/loop/shortage.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/text.h"

void
kr_offers_trial_free(struct kr_offers_trial *trial)
{
	kr_list_remove(&trial->link);
	kr_offers_probe_destroy(trial->process);
	kr_generation_unref(trial->generation);
	free(trial->why);
	free(trial->devices);
	free(trial->tried);
	free(trial);
}

typedef void (*visit_fn)(struct kr_offers_trial *trial, struct kr_offers_device *device,
	struct kr_offers_candidate *candidate);

static size_t
each_candidate(struct kr_offers_trial *trial, struct kr_offers_device *device, visit_fn visit)
{
	size_t count = 0;

	for (size_t i = 0; i < device->count; i++) {
		if (device->candidates[i].trial != trial)
			continue;
		count++;
		if (visit)
			visit(trial, device, &device->candidates[i]);
	}
	return count;
}

/* Calls visit() for each candidate that waits for the trial; how many. */
static size_t
each_participant(struct kr_offers *offers, struct kr_offers_trial *trial, visit_fn visit)
{
	size_t count = each_candidate(trial, &offers->software, visit);
	struct kr_offers_device *device;

	kr_list_for_each (device, &offers->devices, link)
		count += each_candidate(trial, device, visit);
	return count;
}

/* The service's own, or its user's: a process too many is -EAGAIN. */
static bool
is_shortage(int result)
{
	return kr_is_shortage(result) || result == -EAGAIN;
}

static void
log_failure(const struct kr_offers_device *device, const struct kr_offers_candidate *candidate)
{
	kr_log(KR_LOG_WARN | KR_LOG_LOUD, "%s: driver %s (package %s) doesn't work: %s",
		device->path ? device->path : "software driver",
		kr_generation_name(candidate->generation), candidate->package,
		candidate->reason ? candidate->reason : "no memory to say why");
}

/* Whether a trial that failed says nothing about the candidate. */
static bool
is_due_again(int result, struct kr_offers_candidate *candidate)
{
	if (!result || !is_shortage(result))
		return result && candidate->late;
	candidate->again_at = kr_clock_now() + KR_SHORTAGE_AGAIN;
	return ++candidate->short_trials < KR_OFFERS_TRIALS_OF_SHORTAGE;
}

static char *
describe(const struct kr_probe_device *seen)
{
	return kr_asprintf("%s (%04x:%04x)", seen->name, seen->vendor, seen->device);
}

/* None of them is the device: all of them, as a sentence. NULL without memory. */
static char *
list_others(const struct kr_offers_trial *trial)
{
	char *list = strdup("it sees other devices alone");

	for (size_t i = 0; list && i < trial->device_count; i++) {
		char *one = describe(&trial->devices[i]), *longer = NULL;

		if (one)
			longer = kr_asprintf("%s%s%s", list, i ? ", " : ": ", one);
		free(one);
		free(list);
		list = longer;
	}
	return list;
}

/* 0, or why it isn't for this device: a new sentence, NULL without memory. */
static int
judge(const struct kr_offers_trial *trial, const struct kr_offers_device *device, char **why,
	char **sees)
{
	const struct kr_probe_device *which;

	*why = *sees = NULL;
	if (trial->result) {
		*why = trial->why ? strdup(trial->why) : NULL;
		return trial->result;
	}
	if (kr_offers_match(device, trial->devices, trial->device_count, &which) ==
		KR_OFFERS_OTHER) {
		*why = list_others(trial);
		return -ENODEV;
	}
	*sees = which ? describe(which) : NULL;
	return 0;
}

static void
take_result(struct kr_offers_trial *trial, struct kr_offers_device *device,
	struct kr_offers_candidate *candidate)
{
	char *why, *sees;
	const int result = judge(trial, device, &why, &sees);
	const bool again = is_due_again(result, candidate);

	candidate->trial = NULL;
	candidate->late = false;
	candidate->state = !result ? KR_OFFERS_WORKS : again ? KR_OFFERS_WAITING : KR_OFFERS_FAILED;
	free(candidate->reason);
	free(candidate->sees);
	candidate->reason = why;
	candidate->sees = sees;
	free(candidate->tried);
	candidate->tried = trial->tried ? strdup(trial->tried) : NULL;
	if (candidate->state == KR_OFFERS_FAILED)
		log_failure(device, candidate);
}

void
kr_offers_end_trials(struct kr_offers *offers)
{
	struct kr_offers_trial *trial, *next;

	kr_list_for_each_safe (trial, next, &offers->trials, link) {
		/* What a source of the caller's has begun ends by itself. */
		const bool needless = trial->process && !each_participant(offers, trial, NULL);

		if (trial->done)
			each_participant(offers, trial, take_result);
		if (trial->done || needless)
			kr_offers_trial_free(trial);
	}
}

/* Told once a trial, and what it was confined by, which is the same for every driver, once. */
static void
take_confinement(struct kr_offers_trial *trial)
{
	const char *tried = kr_offers_probe_tried(trial->process);
	const char *lacks = kr_offers_probe_lacks(trial->process);
	char **known = &trial->offers->lacks;

	trial->tried = tried ? strdup(tried) : NULL;
	if (tried)
		kr_log(KR_LOG_WARN | KR_LOG_LOUD,
			"Driver %s (package %s) tried more than it may, and was kept from it: %s",
			kr_generation_name(trial->generation),
			kr_generation_package(trial->generation)->name, tried);
	if (lacks && (!*known || strcmp(*known, lacks) != 0))
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
			"Drivers are tried without being wholly confined, as there isn't %s",
			lacks);
	free(*known);
	*known = lacks ? strdup(lacks) : NULL;
}

static void
handle_done(void *data, const struct kr_offers_found *found)
{
	struct kr_offers_trial *trial = data;

	trial->done = true;
	trial->result = found->result;
	if (found->device_count) {
		trial->devices = calloc(found->device_count, sizeof(*trial->devices));
		if (!trial->devices)
			trial->result = -ENOMEM;
	}
	if (trial->devices) {
		memcpy(trial->devices, found->devices,
			found->device_count * sizeof(*trial->devices));
		trial->device_count = found->device_count;
	}
	if (trial->result)
		trial->why = strdup(found->why ? found->why : strerror(-trial->result));
	if (trial->process)
		take_confinement(trial);
	kr_offers_touch(trial->offers);
}

static struct kr_offers_trial *
find_trial(const struct kr_offers *offers, const struct kr_generation *generation)
{
	struct kr_offers_trial *trial;

	kr_list_for_each (trial, &offers->trials, link) {
		if (trial->generation == generation && !trial->done)
			return trial;
	}
	return NULL;
}

static size_t
count_trials(const struct kr_offers *offers)
{
	const struct kr_offers_trial *trial;
	size_t count = 0;

	kr_list_for_each (trial, &offers->trials, link)
		count += trial->done ? 0 : 1;
	return count;
}

static struct kr_offers_trial *
add_trial(struct kr_offers *offers, struct kr_generation *generation)
{
	struct kr_offers_trial *trial = calloc(1, sizeof(*trial));

	if (!trial)
		return NULL;
	trial->offers = offers;
	trial->generation = kr_generation_ref(generation);
	trial->pass = offers->pass;
	kr_list_append(&offers->trials, &trial->link);
	return trial;
}

static void
begin(struct kr_offers *offers, struct kr_offers_trial *trial)
{
	char *reason = NULL;
	int ret;

	if (offers->sources.probe) {
		offers->sources.probe(offers->sources.data, trial->generation, handle_done, trial);
		return;
	}
	ret = kr_offers_probe_start(offers->loop, trial->generation, KR_OFFERS_PROBE_MS,
		handle_done, trial, &trial->process, &reason);
	if (ret)
		handle_done(trial, &(struct kr_offers_found){.result = ret, .why = reason});
	free(reason);
}

/* From waiting to something else, unless too many are being tried now. */
static void
try_candidate(struct kr_offers *offers, struct kr_offers_device *device,
	struct kr_offers_candidate *candidate)
{
	struct kr_offers_trial *trial;

	if (candidate->again_at > kr_clock_now()) {
		kr_offers_settle_at(offers, candidate->again_at);
		return;
	}
	if (!offers->config->probe) {
		candidate->state = KR_OFFERS_WORKS;
		return;
	}
	trial = find_trial(offers, candidate->generation);
	if (trial) {
		candidate->late = trial->pass != offers->pass;
		candidate->trial = trial;
		candidate->state = KR_OFFERS_PROBING;
		return;
	}
	if (count_trials(offers) >= KR_OFFERS_TRIALS_AT_A_TIME)
		return;
	trial = add_trial(offers, candidate->generation);
	if (!trial) {
		kr_offers_settle_again(offers);
		return;
	}
	candidate->trial = trial;
	candidate->state = KR_OFFERS_PROBING;
	begin(offers, trial);
	if (trial->done)
		take_result(trial, device, candidate);
}

/* The earlier generation of a package whose new one works. */
static void
drop_previous(struct kr_offers_device *device)
{
	size_t kept = 0;

	for (size_t i = 0; i < device->count; i++) {
		struct kr_offers_candidate *candidate = &device->candidates[i];

		if (candidate->previous && candidate->generation != device->active)
			kr_offers_candidate_finish(candidate);
		else
			device->candidates[kept++] = *candidate;
	}
	device->count = kept;
}

void
kr_offers_device_set_active(struct kr_offers_device *device, struct kr_generation *generation)
{
	struct kr_generation *old = device->active;

	device->active = generation ? kr_generation_ref(generation) : NULL;
	kr_generation_unref(old);
	device->decided = true;
	drop_previous(device);
}

static void
step_candidates(struct kr_offers *offers, struct kr_offers_device *device)
{
	for (size_t i = 0; i < device->count; i++) {
		struct kr_offers_candidate *candidate = &device->candidates[i];

		if (candidate->state == KR_OFFERS_WAITING)
			try_candidate(offers, device, candidate);
		if (candidate->state == KR_OFFERS_WAITING ||
			candidate->state == KR_OFFERS_PROBING) {
			device->decided = false;
			return;
		}
		if (candidate->state == KR_OFFERS_WORKS) {
			kr_offers_device_set_active(device, candidate->generation);
			return;
		}
	}
	kr_offers_device_set_active(device, NULL);
}

void
kr_offers_device_step(struct kr_offers *offers, struct kr_offers_device *device)
{
	if (device->error) {
		kr_offers_device_set_active(device, NULL);
		device->decided = !device->young;
	} else if (device->built) {
		step_candidates(offers, device);
	} else {
		device->decided = false;
	}
}
