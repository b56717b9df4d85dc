/* SPDX-License-Identifier: Apache-2.0 */
/* The test hooks, over a list of the process's devices. Its lock comes before a device's. */
#include "null/null_control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "null/null.h"
#include "null/queue.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/log.h"

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static struct kr_list devices KR_GUARDED_BY(lock) = KR_LIST_INITIALIZER(devices);
static struct null_release_setting chosen KR_GUARDED_BY(lock);
static bool has_chosen KR_GUARDED_BY(lock);
static struct null_settings chosen_settings KR_GUARDED_BY(lock);
static bool was_lost KR_GUARDED_BY(lock);
static bool has_chosen_settings KR_GUARDED_BY(lock);

static int
parse_late(const char *text, struct null_release_setting *out)
{
	unsigned long long ms;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	ms = strtoull(text, &end, 10);
	if (errno || *end || ms > 1000u * 60 * 60)
		return -EINVAL;
	*out = (struct null_release_setting){NULL_RELEASE_LATE, (int64_t)ms * KR_NSEC_PER_MSEC};
	return 0;
}

static int
parse_setting(const char *text, struct null_release_setting *out)
{
	if (!strncmp(text, "late:", 5))
		return parse_late(text + 5, out);
	if (!strcmp(text, "signalled"))
		*out = (struct null_release_setting){NULL_RELEASE_SIGNALLED, 0};
	else if (!strcmp(text, "pending"))
		*out = (struct null_release_setting){NULL_RELEASE_PENDING, 0};
	else if (!strcmp(text, "error"))
		*out = (struct null_release_setting){NULL_RELEASE_ERROR, 0};
	else
		return -EINVAL;
	return 0;
}

static struct null_release_setting
setting_from_environment(void)
{
	struct null_release_setting setting = {NULL_RELEASE_SIGNALLED, 0};
	const char *text = kr_env_get("KRAFLA_NULL_RELEASE");

	if (text && parse_setting(text, &setting))
		kr_error("KRAFLA_NULL_RELEASE=%s is none of signalled, pending, late:MS, error",
			text);
	return setting;
}

/* At most ten seconds: some tests wait for it. */
static int64_t
work_from_environment(void)
{
	const char *text = kr_env_get("KRAFLA_NULL_WORK");
	unsigned long us;
	char *end;

	if (!text)
		return 0;
	us = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && us <= 10 * 1000 * 1000)
		return (int64_t)us * (KR_NSEC_PER_MSEC / 1000);
	kr_error("KRAFLA_NULL_WORK=%s is no number of microseconds up to ten seconds", text);
	return 0;
}

static struct null_settings
settings_from_environment(void)
{
	const char *text = kr_env_get("KRAFLA_NULL_DRIVER");
	struct null_settings settings;

	if (null_settings_parse(text, &settings)) {
		kr_error(
			"KRAFLA_NULL_DRIVER=%s isn't what null_control.h says, and stands for nothing",
			text);
		(void)null_settings_parse(NULL, &settings);
	}
	return settings;
}

void
null_settings_get(struct null_settings *out)
{
	kr_mutex_lock(&lock);
	*out = has_chosen_settings ? chosen_settings : settings_from_environment();
	kr_mutex_unlock(&lock);
}

/* Before anybody looks at the module: it may be what is wrong. */
__attribute__((constructor(101))) static void
read_fault(void)
{
	struct null_settings settings;

	null_settings_get(&settings);
	null_fault_set(settings.fault);
}

KR_EXPORT int
kr_null_set_driver(const char *text)
{
	struct null_settings settings;
	int ret = null_settings_parse(text, &settings);

	if (ret)
		return ret;
	kr_mutex_lock(&lock);
	has_chosen_settings = text != NULL;
	chosen_settings = settings;
	kr_mutex_unlock(&lock);
	return 0;
}

void
null_control_add(struct null_device *device)
{
	kr_mutex_lock(&lock);
	device->release = has_chosen ? chosen : setting_from_environment();
	device->work_ns = work_from_environment();
	kr_list_append(&devices, &device->link);
	kr_mutex_unlock(&lock);
}

void
null_control_remove(struct null_device *device)
{
	kr_mutex_lock(&lock);
	kr_list_remove(&device->link);
	kr_mutex_unlock(&lock);
}

static int
signal_held(struct null_device *device, int status)
{
	struct null_release *release, *next;
	int count = 0;

	kr_mutex_lock(&device->lock);
	kr_list_for_each_safe (release, next, &device->held, link) {
		kr_fence_signal(release->producer, status);
		release->producer = -1;
		null_release_destroy(release);
		count++;
	}
	kr_mutex_unlock(&device->lock);
	return count;
}

KR_EXPORT int
kr_null_signal_releases(int status)
{
	struct null_device *device;
	int count = 0;

	kr_mutex_lock(&lock);
	kr_list_for_each (device, &devices, link)
		count += signal_held(device, status);
	kr_mutex_unlock(&lock);
	return count;
}

static int
count_held(struct null_device *device)
{
	struct null_release *release;
	int count = 0;

	kr_mutex_lock(&device->lock);
	kr_list_for_each (release, &device->held, link)
		count++;
	kr_mutex_unlock(&device->lock);
	return count;
}

KR_EXPORT int
kr_null_count_releases(void)
{
	struct null_device *device;
	int count = 0;

	kr_mutex_lock(&lock);
	kr_list_for_each (device, &devices, link)
		count += count_held(device);
	kr_mutex_unlock(&lock);
	return count;
}

KR_EXPORT int
kr_null_set_release(const char *text)
{
	struct null_release_setting setting = {NULL_RELEASE_SIGNALLED, 0};
	struct null_device *device;
	int ret = text ? parse_setting(text, &setting) : 0;

	if (ret)
		return ret;
	kr_mutex_lock(&lock);
	has_chosen = text != NULL;
	chosen = setting;
	kr_list_for_each (device, &devices, link) {
		kr_mutex_lock(&device->lock);
		if (text)
			device->release = setting;
		kr_mutex_unlock(&device->lock);
	}
	kr_mutex_unlock(&lock);
	return 0;
}

bool
null_control_has_lost(void)
{
	bool lost;

	kr_mutex_lock(&lock);
	lost = was_lost;
	kr_mutex_unlock(&lock);
	return lost;
}

KR_EXPORT void
kr_null_lose_devices(void)
{
	struct null_device *device;

	kr_mutex_lock(&lock);
	was_lost = true;
	kr_list_for_each (device, &devices, link) {
		kr_mutex_lock(&device->lock);
		device->lost = true;
		for (size_t i = 0; i < NULL_QUEUE_COUNT; i++)
			null_queue_lose(&device->queues[i]);
		null_device_progress(device);
		kr_mutex_unlock(&device->lock);
		signal_held(device, -EIO);
	}
	kr_mutex_unlock(&lock);
}
