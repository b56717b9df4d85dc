/* SPDX-License-Identifier: Apache-2.0 */
/* Driver manifests: {"file_format_version", "ICD": {"library_path", "api_version", ...}}. */
#include "manifest/driver_manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/document.h"
#include "util/json.h"
#include "util/log.h"
#include "util/vulkan.h"

#define refuse(path, code, reason, ...)                                                            \
	kr_document_refuse(path, KR_LOG_DRIVER, code, reason, __VA_ARGS__)

/* Parts that are missing or no numbers are 0, as in a version that nobody knows. */
static void
parse_format(const char *text, unsigned parts[3])
{
	const char *rest = text;

	for (int i = 0; i < 3; i++) {
		char *end;

		parts[i] = (unsigned)strtoul(rest, &end, 10);
		rest = *end == '.' ? end + 1 : end;
	}
}

/* Loaders only mention a format version that they don't know: what it adds may not matter. */
static int
check_format_version(const char *path, const struct kr_json *root, char **reason)
{
	const struct kr_json *value = kr_json_get(root, "file_format_version");
	const char *version = value && !kr_json_string(value) ? "none" : kr_json_string(value);
	unsigned parts[3];

	if (!version)
		return refuse(path, -EINVAL, reason,
			"ICD JSON does not have a 'file_format_version' field. Skipping ICD JSON.");
	kr_log(KR_LOG_DEBUG | KR_LOG_DRIVER, "Found ICD manifest file %s, version %s", path,
		version);
	parse_format(version, parts);
	if (parts[0] != 1 || parts[1] != 0 || parts[2] > 1)
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"loader_parse_icd_manifest: %s has unknown icd manifest file version %u.%u.%u. May cause errors.",
			path, parts[0], parts[1], parts[2]);
	return 0;
}

static int
read_arch(const char *path, const struct kr_json *icd, uint32_t *arch, char **reason)
{
	if (kr_manifest_library_arch(icd, arch)) {
		/* As other loaders: a value that means nothing forbids nothing. */
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			"%s: library_arch is neither \"32\" nor \"64\"; ignored", path);
		*arch = 0;
	}
	/* Usual where libraries of both sizes are installed: no warning. */
	if (*arch && *arch != sizeof(void *) * 8)
		return kr_document_refuse(path, KR_LOG_INFO | KR_LOG_DRIVER, -ELIBBAD, reason,
			"loader_parse_icd_manifest: Driver library architecture doesn't match the current running architecture, skipping this driver: library_arch is %u-bit and this process is %zu-bit",
			*arch, sizeof(void *) * 8);
	return 0;
}

static int
read_version(const char *path, const struct kr_json *icd, uint32_t *version, char **reason)
{
	if (kr_member_version(icd, "api_version", path, KR_LOG_DRIVER, version))
		return refuse(path, -EINVAL, reason, "the ICD object has no api_version");
	if (VK_API_VERSION_VARIANT(*version))
		return refuse(path, -EINVAL, reason,
			"loader_parse_icd_manifest: Driver's ICD JSON %s 'api_version' field contains a non-zero variant value of %u.  Skipping ICD JSON.",
			path, VK_API_VERSION_VARIANT(*version));
	return 0;
}

/* A layer's manifest among those of drivers is passed over without a warning. */
static int
refuse_without_icd(const char *path, const struct kr_json *root, char **reason)
{
	bool layer = kr_json_get(root, "layer") || kr_json_get(root, "layers");

	return kr_document_refuse(path, (layer ? KR_LOG_INFO : KR_LOG_WARN) | KR_LOG_DRIVER,
		-EINVAL, reason,
		layer ? "it has no object ICD: it is the manifest of a layer"
		      : "it has no object ICD");
}

static int
read_object(
	const char *path, const struct kr_json *icd, struct kr_manifest_driver *out, char **reason)
{
	const char *library = kr_member_string(icd, "library_path");
	struct kr_manifest_driver manifest = {0};
	int ret;

	if (!library || !library[0])
		return refuse(path, -EINVAL, reason, "the ICD object has no string library_path");
	ret = read_version(path, icd, &manifest.api_version, reason);
	if (!ret)
		ret = read_arch(path, icd, &manifest.library_arch, reason);
	if (ret)
		return ret;
	manifest.portability = kr_json_bool(kr_json_get(icd, "is_portability_driver"));
	manifest.path = strdup(path);
	manifest.library_path = kr_manifest_library_path_resolve(path, library);
	if (!manifest.path || !manifest.library_path) {
		kr_manifest_driver_finish(&manifest);
		return refuse(path, -ENOMEM, reason, "out of memory");
	}
	*out = manifest;
	return 0;
}

static int
read_root(const char *path, struct kr_json *take_root, struct kr_manifest_driver *manifest,
	char **reason)
{
	const struct kr_json *icd = kr_json_get(take_root, "ICD");
	int ret = check_format_version(path, take_root, reason);

	if (!ret && kr_json_type_of(icd) != KR_JSON_OBJECT)
		ret = refuse_without_icd(path, take_root, reason);
	if (!ret)
		ret = read_object(path, icd, manifest, reason);
	kr_json_free(take_root);
	return ret;
}

int
kr_manifest_driver_read(const char *path, struct kr_manifest_driver *manifest, char **reason)
{
	struct kr_json *root;
	int ret = kr_document_read(path, KR_LOG_DRIVER, &root, reason);

	return ret ? ret : read_root(path, root, manifest, reason);
}

int
kr_manifest_driver_parse(const char *path, const char *text, size_t size,
	struct kr_manifest_driver *manifest, char **reason)
{
	struct kr_json_error error = {0};
	struct kr_json *root;
	int ret = kr_json_parse(text, size, &root, &error);

	if (ret)
		return refuse(path, ret, reason, "not JSON: %s (line %zu, column %zu)", error.text,
			error.line, error.column);
	return read_root(path, root, manifest, reason);
}

void
kr_manifest_driver_finish(struct kr_manifest_driver *manifest)
{
	free(manifest->path);
	free(manifest->library_path);
	*manifest = (struct kr_manifest_driver){0};
}
