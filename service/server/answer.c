/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers. The descriptors of one are made when it is sent, and closed if it doesn't fit into the
 * socket. What fails for want of something that may come back (descriptors, memory, the kernel's
 * patience with descriptors on their way) is tried again for KR_PEER_PATIENCE_NS and then refused.
 */
#include "service/server/peer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/server/state.h"
#include "service/loop/shortage.h"
#include "wire/named_socket.h"
#include "wire/packet.h"
#include "wire/service.h"

/* For the copies of a package: they are made as fast as the disk reads. */
#define COPY_PATIENCE_NS (60 * KR_NSEC_PER_SEC)

static bool
brings_descriptors(const struct kr_request *request)
{
	return request->type != KR_LS_HELLO && request->type != KR_LS_GET_FEATURES &&
		request->type != KR_LS_REFUSED;
}

/* --- making one --- */

/* -EINPROGRESS: it is being copied. */
static int
give_package(struct kr_generation *generation, bool strict, struct kr_given *given)
{
	struct pollfd copied = {.fd = -1, .events = POLLIN};
	int err = kr_generation_prepare(generation, strict, &copied.fd);

	if (err)
		return err;
	if (copied.fd >= 0 && poll(&copied, 1, 0) != 1)
		return -EINPROGRESS;
	return kr_generation_give(generation, strict, given);
}

static int
make_package(struct kr_peer *peer, const struct kr_request *request, struct kr_ls_message *message,
	struct kr_given *given)
{
	const struct kr_server *server = peer->server;
	const struct kr_offer *offer = kr_offers_find(server->offers, request->name);
	struct kr_generation *generation = offer
		? offer->generation
		: kr_retired_find(&server->retired, request->name, peer->number);
	int err = 0;

	if (generation)
		err = give_package(generation, request->options & KR_SERVICE_GET_STRICT, given);
	message->type = KR_LS_PACKAGE;
	message->package.serial = request->serial;
	message->package.kind = given->kind;
	return err;
}

static int
make_node(struct kr_peer *peer, const struct kr_request *request, struct kr_ls_message *message,
	struct kr_given *given)
{
	int err = kr_offers_open_node(peer->server->offers, request->name, &given->fds[0]);

	if (kr_is_shortage(err))
		return err;
	given->count = !err;
	message->type = KR_LS_DEVICE;
	message->device.serial = request->serial;
	message->device.error = -err;
	return 0;
}

/* F-09: what is listed, and safe for all clients. */
static int
open_driver_service(const struct kr_config *config, const char *name, int *fd)
{
	for (size_t i = 0; i < config->service_count; i++) {
		if (strcmp(config->services[i].name, name))
			continue;
		return config->services[i].safe
			? kr_named_socket_connect(config->services[i].socket, fd)
			: -EACCES;
	}
	return -ENOENT;
}

static int
make_service(struct kr_peer *peer, const struct kr_request *request, struct kr_ls_message *message,
	struct kr_given *given)
{
	int err = open_driver_service(peer->server->config, request->name, &given->fds[0]);

	if (kr_is_shortage(err))
		return err;
	given->count = !err;
	message->type = KR_LS_SERVICE;
	message->service.serial = request->serial;
	message->service.error = -err;
	return 0;
}

static int
make_tree(struct kr_tree *tree, enum kr_ls_type type, uint32_t serial,
	struct kr_ls_message *message, struct kr_given *given)
{
	int err = kr_tree_give(tree, given);

	message->type = type;
	if (type == KR_LS_MANIFESTS)
		message->manifests = (struct kr_ls_manifests){serial, given->kind};
	else
		message->devices = (struct kr_ls_devices){serial, given->kind};
	return err;
}

static int
make_state(struct kr_peer *peer, uint32_t serial, struct kr_ls_message *message,
	struct kr_given *given)
{
	int err = kr_server_state(peer->server, &given->fds[0]);

	given->count = !err;
	message->type = KR_LS_STATE;
	message->state.serial = serial;
	return err;
}

static void
make_refusal(uint32_t serial, int error, struct kr_ls_message *message)
{
	message->type = KR_LS_REFUSED;
	message->refused.serial = serial;
	message->refused.error = error;
	snprintf(message->refused.text, sizeof(message->refused.text), "%s",
		error == EBUSY            ? "too many requests are unanswered"
			: error == ENOSYS ? "this service doesn't know such a request"
			: error == EPERM  ? "only root and the service's own user may inspect"
			: error == EINVAL ? "this service doesn't know such options"
					  : strerror(error));
}

static uint32_t
features_of(const struct kr_peer *peer)
{
	uint32_t features = KR_SERVICE_GET | KR_SERVICE_DEVICE_FS | KR_SERVICE_MANIFEST_FS;

	if (peer->server->config->service_count)
		features |= KR_SERVICE_DRIVER_SERVICES;
	return features | (kr_peer_may_inspect(peer) ? KR_SERVICE_INSPECT : 0);
}

static void
make_welcome(const struct kr_peer *peer, struct kr_ls_message *message)
{
	message->type = KR_LS_WELCOME;
	message->welcome = (struct kr_ls_welcome){.version = KR_LS_VERSION,
		.features = features_of(peer),
		.max_requests = peer->max_requests};
}

/* 0 or -errno: then *message is undefined, and *given empty. */
static int
make_answer(struct kr_peer *peer, const struct kr_request *request, struct kr_ls_message *message,
	struct kr_given *given)
{
	struct kr_server *server = peer->server;

	switch (request->type) {
	case KR_LS_HELLO:
		make_welcome(peer, message);
		return 0;
	case KR_LS_GET_FEATURES:
		message->type = KR_LS_FEATURES;
		message->features.serial = request->serial;
		message->features.features = features_of(peer);
		return 0;
	case KR_LS_GET:
		return make_package(peer, request, message, given);
	case KR_LS_MANIFEST_FS:
		return make_tree(
			server->manifests, KR_LS_MANIFESTS, request->serial, message, given);
	case KR_LS_DEVICE_FS:
		return make_tree(server->devices, KR_LS_DEVICES, request->serial, message, given);
	case KR_LS_OPEN_DEVICE:
		return make_node(peer, request, message, given);
	case KR_LS_OPEN_SERVICE:
		return make_service(peer, request, message, given);
	case KR_LS_INSPECT:
		return make_state(peer, request->serial, message, given);
	default:
		make_refusal(request->serial, request->error, message);
		return 0;
	}
}

/* --- sending it --- */

static void
count_in(struct kr_peer_counts *counts, const struct kr_ls_message *message)
{
	switch (message->type) {
	case KR_LS_PACKAGE:
		counts->mounts += message->package.kind == KR_DELIVERY_MOUNT;
		counts->memory += message->package.kind == KR_DELIVERY_MEMORY;
		counts->unknown += message->package.kind == KR_DELIVERY_NONE;
		break;
	case KR_LS_MANIFESTS:
		counts->manifests++;
		break;
	case KR_LS_DEVICES:
		counts->devices++;
		break;
	case KR_LS_DEVICE:
		counts->nodes += !message->device.error;
		break;
	case KR_LS_REFUSED:
		counts->refused++;
		break;
	default:
		break;
	}
}

static int
send_answer(struct kr_peer *peer, const struct kr_ls_message *message, const struct kr_given *given)
{
	uint8_t bytes[KR_LS_MAX_SIZE];
	int err = kr_packet_send(
		peer->fd, bytes, kr_ls_encode(message, bytes), given->fds, given->count);

	peer->is_full = err == -EAGAIN;
	if (err)
		return err;
	kr_peer_count_sent(peer, given->count);
	count_in(&peer->counts, message);
	count_in(&peer->server->counts.given, message);
	return 0;
}

static bool
may_pass(int err)
{
	return kr_is_shortage(err) || err == -EAGAIN || err == -EINPROGRESS;
}

/* 0: it was sent. -EAGAIN: later. -EPIPE: the client is gone. */
static int
answer_request(struct kr_peer *peer, struct kr_request *request)
{
	struct kr_ls_message message = {0};
	struct kr_given given = {0};
	int err;

	if (brings_descriptors(request) &&
		kr_peer_holds_too_much(peer, KR_MAX(request->brings, (size_t)1))) {
		err = -ETOOMANYREFS;
	} else {
		err = make_answer(peer, request, &message, &given);
		request->brings = given.count;
		if (!err)
			err = kr_peer_holds_too_much(peer, given.count)
				? -ETOOMANYREFS
				: send_answer(peer, &message, &given);
		kr_given_finish(&given);
	}
	if (!err || err == -EPIPE || peer->is_full)
		return err;
	if (!request->give_up)
		request->give_up = kr_deadline_in(
			err == -EINPROGRESS ? COPY_PATIENCE_NS : KR_PEER_PATIENCE_NS);
	if (!may_pass(err) || kr_clock_now() >= request->give_up) {
		request->give_up = 0;
		request->error = -err;
		request->type = KR_LS_REFUSED;
	}
	return -EAGAIN;
}

bool
kr_peer_answer(struct kr_peer *peer)
{
	struct kr_request *request, *next;

	kr_list_for_each_safe (request, next, &peer->ready, link) {
		int err = peer->is_full ? -EAGAIN : answer_request(peer, request);

		if (err == -EPIPE) {
			kr_peer_leave(peer);
			return false;
		}
		if (err)
			return true;
		kr_list_remove(&request->link);
		free(request);
		peer->waiting--;
	}
	return true;
}
