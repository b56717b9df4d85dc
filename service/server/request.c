/* SPDX-License-Identifier: Apache-2.0 */
/* What clients ask for: checked, and put where it belongs. See peer.h. */
#include "service/server/peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/server/state.h"
#include "wire/packet.h"
#include "wire/service.h"

static bool
is_known(const struct kr_peer *peer, const char *name)
{
	const struct kr_server *server = peer->server;

	return kr_offers_find(server->offers, name) ||
		kr_retired_find(&server->retired, name, peer->number);
}

bool
kr_request_is_due(const struct kr_peer *peer, const struct kr_request *request)
{
	switch (request->type) {
	case KR_LS_GET:
		return is_known(peer, request->name) || kr_server_is_idle(peer->server);
	case KR_LS_MANIFEST_FS:
		return !(request->options & KR_SERVICE_WAIT_FOR_IDLE) ||
			kr_server_is_idle(peer->server);
	default:
		return true;
	}
}

/* As `options` of both requests. */
static bool
knows_options(const struct kr_request *request)
{
	const uint32_t known = request->type == KR_LS_GET ? KR_SERVICE_GET_STRICT
		: request->type == KR_LS_MANIFEST_FS      ? KR_SERVICE_WAIT_FOR_IDLE
							  : 0;

	return !(request->options & ~known);
}

/* False: it is no request. */
static bool
read_request(const struct kr_ls_message *message, struct kr_request *request)
{
	request->type = message->type;
	switch (message->type) {
	case KR_LS_HELLO:
		return true;
	case KR_LS_GET_FEATURES:
		request->serial = message->get_features.serial;
		return true;
	case KR_LS_GET:
		request->serial = message->get.serial;
		request->options = message->get.options;
		snprintf(request->name, sizeof(request->name), "%s", message->get.name);
		return true;
	case KR_LS_MANIFEST_FS:
		request->serial = message->manifest_fs.serial;
		request->options = message->manifest_fs.options;
		return true;
	case KR_LS_DEVICE_FS:
		request->serial = message->device_fs.serial;
		return true;
	case KR_LS_OPEN_DEVICE:
		request->serial = message->open_device.serial;
		snprintf(request->name, sizeof(request->name), "%s", message->open_device.path);
		return true;
	case KR_LS_OPEN_SERVICE:
		request->serial = message->open_service.serial;
		snprintf(request->name, sizeof(request->name), "%s", message->open_service.name);
		return true;
	case KR_LS_INSPECT:
		request->serial = message->inspect.serial;
		return true;
	default:
		return false;
	}
}

static void
refuse(struct kr_request *request, int error)
{
	request->type = KR_LS_REFUSED;
	request->error = error;
}

static int
add_request(struct kr_peer *peer, const struct kr_request *request)
{
	struct kr_request *added = malloc(sizeof(*added));

	if (!added)
		return -ENOMEM;
	*added = *request;
	kr_list_append(kr_request_is_due(peer, added) ? &peer->ready : &peer->parked, &added->link);
	peer->waiting++;
	return 0;
}

static uint32_t
get32(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* A request of a later version: a whole message with a number that this one doesn't know. */
static bool
is_unknown(const uint8_t *data, size_t size, struct kr_request *request)
{
	const uint32_t number = size >= 8 ? get32(data) : 0;
	const bool is_request = number > KR_LS_OPEN_SERVICE && number < KR_LS_WELCOME;

	if (size < 8 || get32(data + 4) != size || (!is_request && number <= KR_LS_SERVICE))
		return false;
	request->serial = size >= 12 ? get32(data + 8) : 0;
	refuse(request, ENOSYS);
	return true;
}

/* Nothing of this version's can be said to such a client but this. */
static int
greet(struct kr_peer *peer, uint32_t version, const char **why)
{
	const struct kr_ls_message refused = {.type = KR_LS_REFUSED,
		.refused = {.error = EPROTONOSUPPORT, .text = "there is no version 0"}};
	uint8_t bytes[KR_LS_MAX_SIZE];

	if (peer->greeted) {
		*why = "it said hello twice";
		return -EPROTO;
	}
	if (!version) {
		*why = "it speaks version 0, which doesn't exist";
		if (kr_packet_send(peer->fd, bytes, kr_ls_encode(&refused, bytes), NULL, 0))
			*why = "it speaks version 0 and doesn't read";
		return -EPROTO;
	}
	peer->greeted = true;
	return 0;
}

int
kr_peer_take(struct kr_peer *peer, const uint8_t *data, size_t size, const char **why)
{
	struct kr_request request = {0};
	struct kr_ls_message message;
	const bool is_known =
		!kr_ls_decode(data, size, 0, &message) && read_request(&message, &request);

	*why = "it sent what is no message";
	if (!is_known && !is_unknown(data, size, &request))
		return -EPROTO;
	if (request.type == KR_LS_HELLO) {
		if (greet(peer, message.hello.version, why))
			return -EPROTO;
	} else if (!peer->greeted) {
		*why = "it didn't begin with hello";
		return -EPROTO;
	} else {
		peer->counts.requests++;
		peer->server->counts.given.requests++;
	}
	if (peer->waiting >= peer->max_requests)
		refuse(&request, EBUSY);
	else if (!knows_options(&request))
		refuse(&request, EINVAL);
	else if (request.type == KR_LS_INSPECT && !kr_peer_may_inspect(peer))
		refuse(&request, EPERM);
	*why = "there is no memory for its request";
	return add_request(peer, &request);
}
