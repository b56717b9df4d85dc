/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes fences, for messages and tools. Nothing is received from a socket and nothing waited
 * for, so that a watchdog may ask about a fence of whoever: what is told comes from the sockets'
 * names, the kernel's own knowledge of them, and, for merges of this process, from the reactor.
 */
#include "sync/wait/describe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/fence/kernel_fence.h"
#include "sync/fence/user_fence.h"
#include "sync/merge/pending.h"
#include "util/clock.h"
#include "util/log.h"

/*
 * The driver's name and its timeline's, then the context and the point: what unnamed
 * sync_files say.
 */
static uint64_t
point_of_kernel_name(const char *name, const struct sync_fence_info *point)
{
	char head[2 * KR_SYNC_TEXT + 2];
	int len = snprintf(head, sizeof(head), "%.31s-%.31s", point->driver_name, point->obj_name);
	char *end;
	uint64_t value;

	/* A name that fills its field may have lost digits. */
	if (strlen(name) >= KR_SYNC_TEXT - 1 || strncmp(name, head, (size_t)len) != 0)
		return 0;
	name += len + strspn(name + len, "0123456789");
	if (*name != '-')
		return 0;
	value = strtoull(name + 1, &end, 10);
	return *end || end == name + 1 ? 0 : value;
}

static void
copy_text(char out[KR_SYNC_TEXT], const char in[KR_SYNC_TEXT])
{
	char text[KR_SYNC_TEXT];

	memcpy(text, in, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	kr_sync_text_copy(out, text);
}

static int
describe_kernel(int fd, struct kr_fence_description *out)
{
	struct sync_file_info *info;
	const struct sync_fence_info *point = NULL;
	int err = kr_sync_kernel_info(fd, &info);

	if (err)
		return err;
	*out = (struct kr_fence_description){.kind = KR_FENCE_KIND_KERNEL, .status = info->status};
	copy_text(out->name, info->name);
	out->points = KR_MAX(info->num_fences, 1u);
	for (uint32_t i = 0; i < info->num_fences; i++) {
		const struct sync_fence_info *candidate = &sync_get_fence_info(info)[i];

		if (!point || (point->status == 1 && candidate->status != 1))
			point = candidate;
	}
	if (point) {
		copy_text(out->timeline, point->obj_name);
		copy_text(out->driver, point->driver_name);
		if (info->num_fences == 1)
			out->point = point_of_kernel_name(out->name, point);
	}
	free(info);
	return 0;
}

/* Which point a user-space fence is, and whose. */
static void
describe_point(int fd, struct kr_fence_description *out)
{
	struct kr_sync_name name = {0};

	kr_sync_text_copy(out->driver, "krafla");
	out->owner = kr_sync_user_owner(fd);
	if (!kr_sync_name_peer(fd, KR_SYNC_NAME_FENCE, &name))
		return;
	kr_sync_text_copy(out->timeline, name.timeline);
	out->point = name.seqno;
	out->created_ns = name.created_ns <= kr_clock_now() ? name.created_ns : 0;
}

/* A merge of this process is described by what it waits for: its own timeline says nothing. */
static void
describe_blamed(int fd, struct kr_fence_description *out)
{
	struct kr_fence_description kernel;
	int64_t created_ns = out->created_ns;
	uint32_t count;
	int32_t status;
	int input;

	if (kr_sync_pending_blame(fd, &input, &count))
		return;
	out->points = KR_MAX(count, 1u);
	out->owner = 0;
	out->created_ns = 0;
	out->point = 0;
	memset(out->timeline, 0, sizeof(out->timeline));
	if (!kr_sync_user_status(input, &status)) {
		describe_point(input, out);
	} else if (!describe_kernel(input, &kernel)) {
		memcpy(out->timeline, kernel.timeline, sizeof(out->timeline));
		memcpy(out->driver, kernel.driver, sizeof(out->driver));
		out->point = kernel.point;
	}
	if (!out->created_ns)
		out->created_ns = created_ns;
	close(input);
}

int
kr_fence_describe(int fence, struct kr_fence_description *description)
{
	struct kr_fence_description out = {.kind = KR_FENCE_KIND_USER, .points = 1};
	struct kr_sync_name name = {0};
	int err = fence < 0 ? -EINVAL : kr_sync_user_status(fence, &out.status);

	if (err == -ENOTSOCK)
		err = describe_kernel(fence, &out);
	if (err)
		return -EINVAL;
	if (out.kind == KR_FENCE_KIND_USER) {
		describe_point(fence, &out);
		if (kr_sync_name_own(fence, KR_SYNC_NAME_RENAME, &name) ||
			kr_sync_name_peer(fence, KR_SYNC_NAME_FENCE, &name))
			kr_sync_text_copy(out.name, name.name);
		if (out.status == KR_FENCE_ACTIVE)
			describe_blamed(fence, &out);
	}
	*description = out;
	return 0;
}

/* What stands in parentheses behind the name. */
struct parts {
	char *out;
	size_t room;
	size_t len;
	unsigned count;
};

static void KR_PRINTF(2, 3) add(struct parts *parts, const char *fmt, ...)
{
	char text[KR_FENCE_SENTENCE];
	va_list args;
	int len;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	len = snprintf(parts->out + parts->len, parts->room - parts->len, "%s%s",
		parts->count ? ", " : " (", text);
	parts->len = KR_MIN(parts->len + (size_t)KR_MAX(len, 0), parts->room - 1);
	parts->count++;
}

static void
add_point(struct parts *parts, const struct kr_fence_description *d)
{
	if (d->point)
		add(parts, "point %llu of %s", (unsigned long long)d->point,
			d->timeline[0] ? d->timeline : "its timeline");
	else if (d->timeline[0])
		add(parts, "on %s", d->timeline);
	if (d->points > 1)
		add(parts, "one of %u points", d->points);
	if (d->kind == KR_FENCE_KIND_KERNEL)
		add(parts, "of the kernel driver %s", d->driver[0] ? d->driver : "?");
}

static void
add_origin(struct parts *parts, const struct kr_fence_description *d)
{
	int64_t tenths = (kr_clock_now() - d->created_ns) / (KR_NSEC_PER_SEC / 10);
	char age[32] = "";

	if (d->created_ns > 0 && tenths >= 0)
		snprintf(age, sizeof(age), " %lld.%lld s ago", (long long)(tenths / 10),
			(long long)(tenths % 10));
	if (d->owner)
		add(parts, "made by process %d%s", (int)d->owner, age);
	else if (age[0])
		add(parts, "made%s", age);
}

void
kr_fence_sentence(const struct kr_fence_description *d, char out[KR_FENCE_SENTENCE])
{
	struct parts parts = {.out = out, .room = KR_FENCE_SENTENCE - 1}; /* one byte for ")" */

	if (d->name[0])
		snprintf(out, parts.room, "'%s'", d->name);
	else
		snprintf(out, parts.room, "without a name");
	parts.len = strlen(out);
	add_point(&parts, d);
	add_origin(&parts, d);
	if (parts.count)
		memcpy(out + parts.len, ")", 2);
}

void
kr_fence_sentence_of(int fence, char out[KR_FENCE_SENTENCE])
{
	struct kr_fence_description description;

	if (fence >= 0 && !kr_fence_describe(fence, &description))
		kr_fence_sentence(&description, out);
	else
		snprintf(out, KR_FENCE_SENTENCE, "without a description");
}

void
kr_fence_log_late(int fence, const char *what, int64_t waited_ns)
{
	struct kr_fence_description description;
	char sentence[KR_FENCE_SENTENCE], whose[24] = "";
	int64_t tenths = waited_ns / (KR_NSEC_PER_SEC / 10);

	if (kr_fence_describe(fence, &description) || description.status != KR_FENCE_ACTIVE)
		return;
	kr_fence_sentence(&description, sentence);
	if (description.owner)
		snprintf(whose, sizeof(whose), " %d", (int)description.owner);
	kr_warn("%s has waited %lld.%lld s for the fence %s, which has not signalled: see with 'krafla fences%s' who holds it up",
		what, (long long)(tenths / 10), (long long)(tenths % 10), sentence, whose);
}
