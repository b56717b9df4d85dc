/* SPDX-License-Identifier: Apache-2.0 */
/* What driver and layer manifests share. */
#include "manifest/document.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/text.h"
#include "util/vulkan.h"

#define SEVERITIES (KR_LOG_ERROR | KR_LOG_WARN | KR_LOG_INFO | KR_LOG_PERF | KR_LOG_DEBUG)

int
kr_document_refuse(const char *path, uint32_t log, int code, char **reason, const char *fmt, ...)
{
	char sentence[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, args);
	va_end(args);
	kr_log(log & SEVERITIES ? log : KR_LOG_WARN | log, "%s: %s", path, sentence);
	*reason = kr_asprintf("%s: %s", path, sentence);
	return code;
}

int
kr_document_read(const char *path, uint32_t log, struct kr_json **root, char **reason)
{
	struct kr_json_error error = {0};
	struct kr_json *document;
	int ret = kr_json_read_file(path, &document, &error);

	/* The lines that people look for in what loaders say; then the cause. */
	if (ret == -EINVAL && error.line) {
		kr_error("loader_get_json: Invalid JSON file %s.", path);
		return kr_document_refuse(path, KR_LOG_ERROR | (log & ~SEVERITIES), ret, reason,
			"not JSON: %s (line %zu, column %zu)", error.text, error.line,
			error.column);
	}
	if (ret) {
		kr_error("loader_get_json: Failed to open JSON file %s", path);
		return kr_document_refuse(path, KR_LOG_INFO | (log & ~SEVERITIES), ret, reason,
			"can't be read: %s", error.text);
	}
	if (error.text[0])
		kr_log(KR_LOG_WARN | (log & ~SEVERITIES),
			"%s: not JSON: %s (line %zu, column %zu). It is read as other loaders read it; correct the file.",
			path, error.text, error.line, error.column);
	if (kr_json_type_of(document) != KR_JSON_OBJECT) {
		kr_json_free(document);
		return kr_document_refuse(path, log, -EINVAL, reason, "isn't a JSON object");
	}
	*root = document;
	return 0;
}

/* One part of a version, 0 for what is none. Behind it *text stands on the separator or the end. */
static uint32_t
version_part(const char **text, bool *exact)
{
	size_t len = strspn(*text, "0123456789");
	unsigned long value = len ? strtoul(*text, NULL, 10) : 0;

	*text += len;
	*exact &= len && (**text == '.' || !**text);
	*text += strcspn(*text, ".");
	return (uint32_t)KR_MIN(value, (unsigned long)UINT32_MAX);
}

bool
kr_version_from_text(const char *text, uint32_t *version)
{
	static const uint32_t most[] = {7, 0x7f, 0x3ff, 0xfff};
	uint32_t parts[4] = {0};
	unsigned count = 0;
	bool exact = true;

	/* What follows a fourth part is no part of the version. */
	do
		parts[count++] = version_part(&text, &exact);
	while (count < KR_ARRAY_LEN(parts) && *text++ == '.');
	if (count < 4) {
		memmove(parts + 1, parts, 3 * sizeof(*parts));
		parts[0] = 0;
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(parts); i++) {
		exact &= parts[i] <= most[i];
		parts[i] = KR_MIN(parts[i], most[i]);
	}
	*version = VK_MAKE_API_VERSION(parts[0], parts[1], parts[2], parts[3]);
	return exact;
}

/* 1.3 is a version to who wrote it; no locale has a say in it. */
static uint32_t
version_from_number(double number)
{
	uint32_t major = number >= 0 && number <= 0x7f ? (uint32_t)number : 0;
	uint32_t minor = major ? (uint32_t)((number - major) * 1000 + 0.5) : 0;

	while (minor && minor % 10 == 0)
		minor /= 10;
	return VK_MAKE_API_VERSION(0, major, minor, 0);
}

int
kr_member_version(const struct kr_json *object, const char *key, const char *path, uint32_t log,
	uint32_t *version)
{
	const struct kr_json *value = kr_json_get(object, key);
	const char *text = kr_json_string(value);
	bool exact = false;

	if (!value)
		return -EINVAL;
	if (text)
		exact = kr_version_from_text(text, version);
	else
		*version = version_from_number(kr_json_number(value));
	if (exact)
		return 0;
	if (text)
		kr_log(KR_LOG_WARN | log,
			"%s: %s \"%.40s\" is no version as \"1.3.0\" is one: taken as %u.%u.%u",
			path, key, text, VK_API_VERSION_MAJOR(*version),
			VK_API_VERSION_MINOR(*version), VK_API_VERSION_PATCH(*version));
	else
		kr_log(KR_LOG_WARN | log,
			"%s: %s isn't a string, as in \"1.3.0\": taken as %u.%u.%u", path, key,
			VK_API_VERSION_MAJOR(*version), VK_API_VERSION_MINOR(*version),
			VK_API_VERSION_PATCH(*version));
	return 0;
}

char *
kr_manifest_library_path_resolve(const char *manifest, const char *library_path)
{
	const char *slash = strrchr(manifest, '/');

	if (!strchr(library_path, '/') || library_path[0] == '/')
		return strdup(library_path);
	/*
	 * A manifest named without a directory lies in the current one, which "./" says to dlopen.
	 */
	if (!slash)
		return kr_asprintf("./%s", library_path);
	return kr_asprintf("%.*s/%s", (int)(slash - manifest), manifest, library_path);
}

int
kr_manifest_library_arch(const struct kr_json *object, uint32_t *arch)
{
	const struct kr_json *value = kr_json_get(object, "library_arch");
	const char *text = kr_json_string(value);

	if (!value)
		*arch = 0;
	else if (text && !strcmp(text, "32"))
		*arch = 32;
	else if (text && !strcmp(text, "64"))
		*arch = 64;
	else
		return -EINVAL;
	return 0;
}

const char *
kr_member_string(const struct kr_json *object, const char *key)
{
	return kr_json_string(kr_json_get(object, key));
}

uint32_t
kr_member_number(const struct kr_json *object, const char *key)
{
	const struct kr_json *value = kr_json_get(object, key);
	const char *text = kr_json_string(value);
	double number = text ? strtoul(text, NULL, 10) : kr_json_number(value);

	return number >= 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}
