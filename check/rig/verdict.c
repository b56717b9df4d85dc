/* SPDX-License-Identifier: Apache-2.0 */
/* A case's life: its start, verdicts, remarks, calls and chance. */
#include "check/rig/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"

/* The first verdict counts. Whoever comes later waits for the end that the first one brings. */
static _Noreturn void
end(struct check *c, enum check_verdict verdict, const char *format, va_list args)
{
	if (atomic_exchange(&c->shared->claimed, 1)) {
		for (;;)
			pause();
	}
	if (format)
		vsnprintf(c->shared->seen, sizeof(c->shared->seen), format, args);
	atomic_store(&c->shared->verdict, verdict);
	_exit(0);
}

void
check_fail(struct check *c, const char *seen, ...)
{
	va_list args;

	va_start(args, seen);
	end(c, CHECK_FAILED, seen, args);
}

void
check_not_applicable(struct check *c, const char *why, ...)
{
	va_list args;

	va_start(args, why);
	end(c, CHECK_NOT_APPLICABLE, why, args);
}

void
check_skip(struct check *c, const char *why, ...)
{
	va_list args;

	va_start(args, why);
	end(c, CHECK_SKIPPED, why, args);
}

static _Noreturn void
hold(struct check *c, ...)
{
	va_list args;

	va_start(args, c);
	end(c, CHECK_HELD, NULL, args);
}

void
check_say(struct check *c, const char *format, ...)
{
	uint32_t index = atomic_fetch_add(&c->shared->remark_count, 1);
	va_list args;

	if (index >= CHECK_REMARKS)
		return;
	va_start(args, format);
	vsnprintf(c->shared->remarks[index], sizeof(c->shared->remarks[index]), format, args);
	va_end(args);
}

/* splitmix64: a counter, and what each of its values is mixed to. */
uint64_t
check_random(struct check *c)
{
	uint64_t x = atomic_fetch_add(&c->random, UINT64_C(0x9e3779b97f4a7c15));

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* FNV-1a of the case's name, so that leaving out another case changes nothing. */
static uint64_t
seed_of(const struct check_job *job)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ job->seed;

	for (const char *p = job->row->name; *p; p++)
		hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
	return hash;
}

void
check_step(struct check *c, const char *what)
{
	uint32_t index = atomic_fetch_add(&c->shared->call_count, 1) % CHECK_CALLS;
	struct check_called *call = &c->shared->calls[index];

	call->thread = gettid();
	call->at_ns = kr_clock_now();
	strncpy(call->name, what, sizeof(call->name) - 1);
	call->name[sizeof(call->name) - 1] = '\0';
}

void
check_trace(struct check *c, const char *what, PFN_vkVoidFunction function)
{
	check_step(c, what);
	CHECK(c, function, "the driver has no %s", what);
}

void
check_success(struct check *c, const char *what, VkResult result)
{
	CHECK(c, result == VK_SUCCESS, "%s gave %s", what, check_result_name(result));
}

const char *
check_result_name(VkResult result)
{
	static const struct {
		VkResult result;
		const char *name;
	} names[] = {
#define NAME(result) {result, #result}
		NAME(VK_SUCCESS),
		NAME(VK_NOT_READY),
		NAME(VK_TIMEOUT),
		NAME(VK_EVENT_SET),
		NAME(VK_EVENT_RESET),
		NAME(VK_INCOMPLETE),
		NAME(VK_SUBOPTIMAL_KHR),
		NAME(VK_ERROR_OUT_OF_HOST_MEMORY),
		NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY),
		NAME(VK_ERROR_INITIALIZATION_FAILED),
		NAME(VK_ERROR_DEVICE_LOST),
		NAME(VK_ERROR_MEMORY_MAP_FAILED),
		NAME(VK_ERROR_LAYER_NOT_PRESENT),
		NAME(VK_ERROR_EXTENSION_NOT_PRESENT),
		NAME(VK_ERROR_FEATURE_NOT_PRESENT),
		NAME(VK_ERROR_INCOMPATIBLE_DRIVER),
		NAME(VK_ERROR_TOO_MANY_OBJECTS),
		NAME(VK_ERROR_FORMAT_NOT_SUPPORTED),
		NAME(VK_ERROR_FRAGMENTED_POOL),
		NAME(VK_ERROR_UNKNOWN),
		NAME(VK_ERROR_OUT_OF_POOL_MEMORY),
		NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE),
		NAME(VK_ERROR_FRAGMENTATION),
		NAME(VK_ERROR_OUT_OF_DATE_KHR),
		NAME(VK_ERROR_SURFACE_LOST_KHR),
#undef NAME
	};
	static _Thread_local char number[32];

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		if (names[i].result == result)
			return names[i].name;
	}
	snprintf(number, sizeof(number), "VkResult %d", result);
	return number;
}

const struct check_vk *
check_functions(struct check *c)
{
	return &c->vk;
}

const struct check_facts *
check_facts(struct check *c)
{
	return c->job->facts;
}

bool
check_is_adapted(struct check *c)
{
	return c->job->driver->icd;
}

const char *
check_module_path(struct check *c)
{
	return c->job->driver->module;
}

void
check_run(const struct check_job *job)
{
	static struct check c;

	c.job = job;
	c.shared = job->shared;
	atomic_store(&c.random, seed_of(job));
	check_watch_crashes(job->trace_fd);
	job->row->run(&c);
	hold(&c);
}
