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

/* Loaders only mention a format version that they don't know: what it adds may not matter. */
static void
note_format_version(const char *path, const struct kr_json *root)
{
	const char *version = kr_member_string(root, "file_format_version");

	if (!version || (strcmp(version, "1.0.0") && strcmp(version, "1.0.1")))
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"%s: file_format_version %s is not one that is known here (1.0.0, 1.0.1)",
			path, version ? version : "(none)");
}

static int
read_arch(const char *path, const struct kr_json *icd, uint32_t *arch, char **reason)
{
	if (kr_library_arch(icd, arch)) {
		/* As other loaders: a value that means nothing forbids nothing. */
		kr_log(KR_LOG_WARN | KR_LOG_DRIVER,
			"%s: library_arch is neither \"32\" nor \"64\"; ignored", path);
		*arch = 0;
	}
	if (*arch && *arch != sizeof(void *) * 8)
		return refuse(path, -ELIBBAD, reason,
			"its library is %u-bit (library_arch) and this process is %zu-bit", *arch,
			sizeof(void *) * 8);
	return 0;
}

static int
read_version(const char *path, const struct kr_json *icd, uint32_t *version, char **reason)
{
	const char *text = kr_member_string(icd, "api_version");

	if (!text)
		return refuse(path, -EINVAL, reason, "the ICD object has no string api_version");
	if (kr_version_from_text(text, version))
		return refuse(path, -EINVAL, reason, "api_version \"%.40s\" is no version", text);
	if (VK_API_VERSION_VARIANT(*version))
		return refuse(path, -EINVAL, reason,
			"api_version \"%.40s\" is of another variant of Vulkan", text);
	return 0;
}

static int
read_object(
	const char *path, const struct kr_json *icd, struct kr_driver_manifest *out, char **reason)
{
	const char *library = kr_member_string(icd, "library_path");
	struct kr_driver_manifest manifest = {0};
	int ret;

	if (kr_json_type(icd) != KR_JSON_OBJECT)
		return refuse(path, -EINVAL, reason, "it has no object ICD");
	if (!library || !library[0])
		return refuse(path, -EINVAL, reason, "the ICD object has no string library_path");
	ret = read_version(path, icd, &manifest.api_version, reason);
	if (!ret)
		ret = read_arch(path, icd, &manifest.library_arch, reason);
	if (ret)
		return ret;
	manifest.portability = kr_json_bool(kr_json_get(icd, "is_portability_driver"));
	manifest.path = strdup(path);
	manifest.library_path = kr_library_path_resolve(path, library);
	if (!manifest.path || !manifest.library_path) {
		kr_driver_manifest_finish(&manifest);
		return refuse(path, -ENOMEM, reason, "out of memory");
	}
	*out = manifest;
	return 0;
}

int
kr_driver_manifest_read(const char *path, struct kr_driver_manifest *manifest, char **reason)
{
	struct kr_json *root;
	int ret = kr_document_read(path, KR_LOG_DRIVER, &root, reason);

	if (ret)
		return ret;
	note_format_version(path, root);
	ret = read_object(path, kr_json_get(root, "ICD"), manifest, reason);
	kr_json_free(root);
	return ret;
}

void
kr_driver_manifest_finish(struct kr_driver_manifest *manifest)
{
	free(manifest->path);
	free(manifest->library_path);
	*manifest = (struct kr_driver_manifest){0};
}
