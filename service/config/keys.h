/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a configuration file, for those who read and show them. */
#ifndef KR_SERVICE_CONFIG_KEYS_H
#define KR_SERVICE_CONFIG_KEYS_H

#include "service/config/config.h"

enum kr_config_type {
	KR_CONFIG_PATH, /* absolute */
	KR_CONFIG_NAME, /* of a package: no slash */
	KR_CONFIG_WORD, /* one of `words` */
	KR_CONFIG_BOOL,
	KR_CONFIG_NUMBER,   /* 1 to `most` */
	KR_CONFIG_MODE,     /* of a file, "0660" */
	KR_CONFIG_DELIVERY, /* one of `words`, as its number */
	KR_CONFIG_PATHS,    /* absolute ones, or objects with path and resolver */
	KR_CONFIG_CLASSES,  /* objects with pattern and package */
	KR_CONFIG_SERVICES, /* objects with name, socket and safe */
};

struct kr_config_key {
	const char *name;
	enum kr_config_type type;
	size_t offset;
	const char *const *words;
	uint32_t most;
	bool fixed; /* a service that runs can't change it */
};

extern const struct kr_config_key kr_config_keys[];
extern const size_t kr_config_key_count;

/* Puts a copy there and frees what was. 0 or -ENOMEM. */
int kr_config_set_text(char **member, const char *text) KR_MUST_CHECK;
void kr_config_free_packages(struct kr_config *config);
void kr_config_free_classes(struct kr_config *config);
void kr_config_free_services(struct kr_config *config);

#endif
