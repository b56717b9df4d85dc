/* SPDX-License-Identifier: Apache-2.0 */
/* Formats by hand: a fence is made for each frame, and printf costs as much as a system call. */
#include "sync/fence/name.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/clock.h"

#define BIND_TRIES   4
#define NAME_MAX_LEN 107 /* sun_path less the leading NUL of an abstract name */

static const char *const prefixes[] = {
	[KR_SYNC_NAME_FENCE] = "syncf/",
	[KR_SYNC_NAME_RENAME] = "syncn/",
};
#define PREFIX_LEN 6

struct text {
	char *at;
	char *end;
};

static void
put_char(struct text *out, char c)
{
	if (out->at < out->end)
		*out->at++ = c;
}

/* Letters and signs, not what steers a terminal (C1) or turns or hides text for who reads it. */
static bool
is_shown(uint32_t c)
{
	return c >= 0xa0 && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) && c != 0xfeff &&
		(c < 0x200b || c > 0x200f) && (c < 0x2028 || c > 0x202e) &&
		(c < 0x2060 || c > 0x206f) && (c < 0xe0000 || c > 0xe0fff);
}

/* How many of the `most` bytes at `s` are one such character in UTF-8; 0 when it is none. */
static size_t
character(const char *s, size_t most)
{
	const unsigned char *at = (const unsigned char *)s;
	size_t len = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : 2;
	uint32_t c = *at & (0xffu >> (len + 1));

	if (*at < 0xc2 || *at > 0xf4 || len > most)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (at[i] & 0x3f);
	}
	/* As short as it can be, or it would be another way to write something forbidden. */
	if ((len == 3 && c < 0x800) || (len == 4 && c < 0x10000))
		return 0;
	return is_shown(c) ? len : 0;
}

/* Bytes that aren't to be shown become '_', one for one. */
static void
put_string(struct text *out, const char *s, char forbidden)
{
	size_t whole = 0; /* bytes that are left of a character beyond ASCII */

	for (size_t i = 0; s[i] && i < KR_SYNC_TEXT - 1; i++) {
		bool shown = (unsigned char)s[i] >= ' ' && s[i] < 0x7f && s[i] != forbidden;

		if ((unsigned char)s[i] >= 0x80) {
			if (!whole)
				whole = character(s + i, KR_SYNC_TEXT - 1 - i);
			shown = whole > 0;
			whole -= shown;
		}
		put_char(out, shown ? s[i] : '_');
	}
}

static void
put_number(struct text *out, uint64_t value, unsigned base)
{
	char digits[20];
	unsigned count = 0;

	do {
		digits[count++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	while (count)
		put_char(out, digits[--count]);
}

static socklen_t
format(struct sockaddr_un *addr, enum kr_sync_name_kind kind, uint64_t counter, uint64_t suffix,
	const struct kr_fence_label *label)
{
	struct text out = {addr->sun_path + 1, addr->sun_path + 1 + NAME_MAX_LEN};

	addr->sun_family = AF_UNIX;
	addr->sun_path[0] = '\0';
	put_string(&out, prefixes[kind], '\0');
	put_number(&out, (uint64_t)getpid(), 10);
	put_char(&out, '/');
	put_number(&out, counter, 16);
	put_char(&out, '.');
	put_number(&out, (uint64_t)(kr_clock_now() / KR_NSEC_PER_MSEC), 16);
	if (suffix) {
		put_char(&out, '~');
		put_number(&out, suffix & 0xffff, 16);
	}
	put_char(&out, '/');
	put_string(&out, label->timeline ? label->timeline : "", '/');
	put_char(&out, '/');
	put_number(&out, label->seqno, 10);
	put_char(&out, '/');
	put_string(&out, label->name ? label->name : "", '\0');
	return (socklen_t)(out.at - (char *)addr);
}

int
kr_sync_name_bind(
	int fd, enum kr_sync_name_kind kind, uint64_t counter, const struct kr_fence_label *label)
{
	struct sockaddr_un addr;
	uint64_t suffix = 0;

	for (int i = 0; i < BIND_TRIES; i++) {
		socklen_t len = format(&addr, kind, counter, suffix, label);

		if (!bind(fd, (struct sockaddr *)&addr, len))
			return 0;
		if (errno != EADDRINUSE)
			return -errno;
		/*
		 * Unpredictable enough to get past whoever squats names: it costs only the label.
		 */
		suffix = ((uint64_t)kr_clock_now() * 0x9e3779b97f4a7c15u >> 40) | 1;
	}
	return -EADDRINUSE;
}

/* Takes the part up to the next '/', which it skips; false when there is none. */
static bool
take_part(const char **at, const char *end, const char **part, size_t *len)
{
	const char *slash = memchr(*at, '/', (size_t)(end - *at));

	if (!slash)
		return false;
	*part = *at;
	*len = (size_t)(slash - *at);
	*at = slash + 1;
	return true;
}

static uint64_t
number(const char *text, size_t len, unsigned base)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned digit = (unsigned)(text[i] >= 'a' ? text[i] - 'a' + 10 : text[i] - '0');

		if (digit >= base)
			break;
		value = value * base + digit;
	}
	return value;
}

static void
copy_part(char out[KR_SYNC_TEXT], const char *text, size_t len)
{
	char part[KR_SYNC_TEXT] = {0};

	memcpy(part, text, KR_MIN(len, sizeof(part) - 1));
	kr_sync_text_copy(out, part);
}

/* COUNTER.TIME[~SUFFIX] */
static void
parse_counter(const char *text, size_t len, struct kr_sync_name *name)
{
	const char *dot = memchr(text, '.', len);
	uint64_t ms = dot ? number(dot + 1, len - (size_t)(dot + 1 - text), 16) : 0;

	name->counter = number(text, len, 16);
	name->created_ns = ms > INT64_MAX / KR_NSEC_PER_MSEC ? 0 : (int64_t)ms * KR_NSEC_PER_MSEC;
}

bool
kr_sync_name_parse(
	const char *text, size_t text_len, enum kr_sync_name_kind kind, struct kr_sync_name *name)
{
	const char *at = text + PREFIX_LEN, *end = text + text_len, *part[4];
	size_t len[4];
	uint64_t pid;

	if (text_len <= PREFIX_LEN || memcmp(text, prefixes[kind], PREFIX_LEN) != 0)
		return false;
	for (int i = 0; i < 4; i++) {
		if (!take_part(&at, end, &part[i], &len[i]))
			return false;
	}
	pid = number(part[0], len[0], 10);
	name->pid = pid > INT32_MAX ? 0 : (pid_t)pid;
	parse_counter(part[1], len[1], name);
	copy_part(name->timeline, part[2], len[2]);
	name->seqno = number(part[3], len[3], 10);
	copy_part(name->name, at, (size_t)(end - at));
	return true;
}

static bool
parse_address(const struct sockaddr_un *addr, socklen_t len, enum kr_sync_name_kind kind,
	struct kr_sync_name *name)
{
	const size_t head = offsetof(struct sockaddr_un, sun_path) + 1;

	return len > head && len <= sizeof(*addr) && addr->sun_family == AF_UNIX &&
		!addr->sun_path[0] &&
		kr_sync_name_parse(addr->sun_path + 1, len - head, kind, name);
}

bool
kr_sync_name_own(int fd, enum kr_sync_name_kind kind, struct kr_sync_name *name)
{
	struct sockaddr_un addr = {0};
	socklen_t len = sizeof(addr);

	return !getsockname(fd, (struct sockaddr *)&addr, &len) &&
		parse_address(&addr, len, kind, name);
}

bool
kr_sync_name_peer(int fd, enum kr_sync_name_kind kind, struct kr_sync_name *name)
{
	struct sockaddr_un addr = {0};
	socklen_t len = sizeof(addr);

	return !getpeername(fd, (struct sockaddr *)&addr, &len) &&
		parse_address(&addr, len, kind, name);
}

void
kr_sync_text_copy(char out[KR_SYNC_TEXT], const char *text)
{
	struct text to = {out, out + KR_SYNC_TEXT - 1};

	memset(out, 0, KR_SYNC_TEXT);
	put_string(&to, text ? text : "", '\0');
}
