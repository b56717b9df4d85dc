/* SPDX-License-Identifier: Apache-2.0 */
/* Words of the loader service's protocol (gen: wire/loader_service.h) that its file can't say. */
#ifndef KR_WIRE_SERVICE_H
#define KR_WIRE_SERVICE_H

/* features of `welcome` and `features`: what the service answers. The first three are Fuchsia's. */
enum kr_service_feature_bits {
	KR_SERVICE_GET = 1 << 0,
	KR_SERVICE_DEVICE_FS = 1 << 1,
	KR_SERVICE_MANIFEST_FS = 1 << 2,
	KR_SERVICE_INSPECT = 1 << 3,         /* for the service's own user and root */
	KR_SERVICE_DRIVER_SERVICES = 1 << 4, /* there are services for drivers: open_service */
};

/* options of `get` */
enum kr_service_get_bits {
	KR_SERVICE_GET_STRICT = 1 << 0, /* memory objects, whatever the service prefers */
};

/* options of `manifest_fs` */
enum kr_service_manifest_bits {
	KR_SERVICE_WAIT_FOR_IDLE = 1 << 0, /* answer when no device is being looked at */
};

/* Where a service listens when nobody says otherwise. */
#define KR_SERVICE_SYSTEM_SOCKET "/run/krafla/service"
#define KR_SERVICE_USER_SOCKET   "krafla/service" /* below XDG_RUNTIME_DIR */

#endif
