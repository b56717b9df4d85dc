/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the table of unix sockets: see sockets.h. */
#include "tools/fences/sockets.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/array.h"
#include "util/clock.h"
#include "util/fd.h"

#define ANSWER_NS   (2 * KR_NSEC_PER_SEC)
#define ANSWER_SIZE 32768
#define SENDING     2 /* SEND_SHUTDOWN of net/sock.h: the bit for "may not send" */

static struct kr_socket *
add(struct kr_sockets *table)
{
	return kr_array_add(&table->sockets, &table->count, &table->room, sizeof(*table->sockets));
}

static void
take_name(struct kr_socket *socket, const char *name, size_t len)
{
	socket->name_len = (uint8_t)KR_MIN(len, sizeof(socket->name));
	memcpy(socket->name, name, socket->name_len);
}

static uint32_t
number_of(const struct rtattr *attribute)
{
	uint32_t value = 0;

	memcpy(&value, RTA_DATA(attribute), KR_MIN(RTA_PAYLOAD(attribute), sizeof(value)));
	return value;
}

static int
take_message(struct kr_sockets *table, const struct nlmsghdr *head)
{
	const struct unix_diag_msg *message = NLMSG_DATA(head);
	const struct rtattr *attribute = (const struct rtattr *)(const void *)(message + 1);
	size_t left = head->nlmsg_len - NLMSG_LENGTH(sizeof(*message));
	struct kr_socket *socket = add(table);

	if (!socket)
		return -ENOMEM;
	socket->inode = message->udiag_ino;
	socket->seqpacket = message->udiag_type == SOCK_SEQPACKET;
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
		const char *data = RTA_DATA(attribute);

		switch (attribute->rta_type) {
		case UNIX_DIAG_NAME:
			if (RTA_PAYLOAD(attribute) > 1 && !data[0])
				take_name(socket, data + 1, RTA_PAYLOAD(attribute) - 1);
			break;
		case UNIX_DIAG_PEER:
			socket->peer = number_of(attribute);
			break;
		case UNIX_DIAG_RQLEN: /* struct unix_diag_rqlen begins with what is to be read */
			socket->queued = number_of(attribute);
			break;
		case UNIX_DIAG_SHUTDOWN:
			socket->read_only = (unsigned char)data[0] == SENDING;
			break;
		}
	}
	return 0;
}

/* 1: the table is complete; 0: more follows; -errno. */
static int
take_answer(struct kr_sockets *table, const void *answer, size_t len)
{
	const struct nlmsghdr *head = answer;
	int err = 0;

	for (; !err && NLMSG_OK(head, len); head = NLMSG_NEXT(head, len)) {
		if (head->nlmsg_type == NLMSG_DONE)
			return 1;
		if (head->nlmsg_type == NLMSG_ERROR)
			return ((const struct nlmsgerr *)NLMSG_DATA(head))->error ?: -EPROTO;
		if (head->nlmsg_type == SOCK_DIAG_BY_FAMILY &&
			head->nlmsg_len >= NLMSG_LENGTH(sizeof(struct unix_diag_msg)))
			err = take_message(table, head);
	}
	return err;
}

static int
ask(int netlink)
{
	struct {
		struct nlmsghdr head;
		struct unix_diag_req body;
	} request = {
		.head = {.nlmsg_len = sizeof(request),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.body = {.sdiag_family = AF_UNIX,
			.udiag_states = UINT32_MAX,
			.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER | UDIAG_SHOW_RQLEN},
	};

	return send(netlink, &request, sizeof(request), 0) < 0 ? -errno : 0;
}

static int
receive_all(struct kr_sockets *table, int netlink)
{
	struct pollfd p = {.fd = netlink, .events = POLLIN};
	char *answer = malloc(ANSWER_SIZE);
	int err = answer ? 0 : -ENOMEM;

	while (!err) {
		ssize_t len;

		if (kr_fd_poll(&p, 1, kr_clock_now() + ANSWER_NS) <= 0) {
			err = -ETIME;
			break;
		}
		len = recv(netlink, answer, ANSWER_SIZE, MSG_DONTWAIT);
		err = len < 0 ? -errno : take_answer(table, answer, (size_t)len);
	}
	free(answer);
	return err == 1 ? 0 : err;
}

static int
read_diag(struct kr_sockets *table)
{
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	int err;

	if (netlink < 0)
		return -errno;
	err = ask(netlink);
	if (!err)
		err = receive_all(table, netlink);
	kr_fd_close(&netlink);
	table->detailed = true;
	return err;
}

/* "Num: RefCount Protocol Flags Type St Inode Path", an abstract name with '@' for its NUL. */
static int
read_text(struct kr_sockets *table)
{
	FILE *file = fopen("/proc/net/unix", "re");
	char line[512];
	int err = 0;

	if (!file)
		return -errno;
	table->detailed = false;
	while (!err && fgets(line, sizeof(line), file)) {
		unsigned type, inode;
		int end = 0;
		struct kr_socket *socket;

		if (sscanf(line, "%*s %*s %*s %*s %x %*s %u %n", &type, &inode, &end) != 2)
			continue;
		line[strcspn(line, "\n")] = '\0';
		socket = add(table);
		if (!socket) {
			err = -ENOMEM;
			break;
		}
		socket->inode = inode;
		socket->seqpacket = type == SOCK_SEQPACKET;
		if (end && line[end] == '@')
			take_name(socket, line + end + 1, strlen(line + end + 1));
	}
	fclose(file);
	return err;
}

static int
compare(const void *a, const void *b)
{
	uint32_t left = ((const struct kr_socket *)a)->inode;
	uint32_t right = ((const struct kr_socket *)b)->inode;

	return (left > right) - (left < right);
}

int
kr_sockets_read(struct kr_sockets *table)
{
	int err;

	*table = (struct kr_sockets){0};
	err = read_diag(table);
	if (err && err != -ENOMEM) {
		table->count = 0;
		err = read_text(table);
	}
	if (err) {
		kr_sockets_finish(table);
		return err;
	}
	if (table->count)
		qsort(table->sockets, table->count, sizeof(table->sockets[0]), compare);
	return 0;
}

void
kr_sockets_finish(struct kr_sockets *table)
{
	free(table->sockets);
	*table = (struct kr_sockets){0};
}

const struct kr_socket *
kr_sockets_find(const struct kr_sockets *table, uint64_t inode)
{
	struct kr_socket key = {.inode = (uint32_t)inode};

	if (!table->count || inode == 0 || inode > UINT32_MAX)
		return NULL;
	return bsearch(&key, table->sockets, table->count, sizeof(key), compare);
}
