/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semaphores of the application: which of them others may wait for (promises.h), and their end.
 */
#include "adapter/queue.h"

#include "adapter/promised_waits.h"
#include "chain/chain.h"

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkSemaphore *pSemaphore)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	VkResult result = state->vk.CreateSemaphore(device, pCreateInfo, pAllocator, pSemaphore);

	/* Its payload may be in other hands before an acquire: an export would be too late. */
	if (result == VK_SUCCESS &&
		kr_chain_find(pCreateInfo->pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO))
		kr_promises_share(&state->promises, *pSemaphore);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_ImportSemaphoreFdKHR(
	VkDevice device, const VkImportSemaphoreFdInfoKHR *pImportSemaphoreFdInfo)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	VkSemaphore semaphore = pImportSemaphoreFdInfo->semaphore;
	VkResult result = VK_SUCCESS;

	/* What is signalled may come back after what is imported. */
	if (state->helper)
		result = kr_promised_waits_signal(state->helper, 1, &semaphore);
	if (result != VK_SUCCESS)
		return result;
	result = state->vk.ImportSemaphoreFdKHR(device, pImportSemaphoreFdInfo);
	if (result == VK_SUCCESS)
		kr_promises_share(&state->promises, semaphore);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_GetSemaphoreFdKHR(VkDevice device, const VkSemaphoreGetFdInfoKHR *pGetFdInfo, int *pFd)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	VkResult result = VK_SUCCESS;

	/* Somebody else will wait for it. */
	if (state->helper)
		result = kr_promised_waits_signal(state->helper, 1, &pGetFdInfo->semaphore);
	if (result != VK_SUCCESS)
		return result;
	return state->vk.GetSemaphoreFdKHR(device, pGetFdInfo, pFd);
}

VKAPI_ATTR void VKAPI_CALL
kr_adapter_DestroySemaphore(
	VkDevice device, VkSemaphore semaphore, const VkAllocationCallbacks *pAllocator)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);

	/* Nobody has waited for it, and the next one may have its handle. */
	kr_promises_forget(&state->promises, semaphore);
	state->vk.DestroySemaphore(device, semaphore, pAllocator);
}
