# SPDX-License-Identifier: Apache-2.0
"""
The commands of Vulkan 1.4, for registries that end with 1.3: libvulkan.so.1 says 1.4 and
exports what belongs to it, whatever it was built with (L-05). Where a registry has a block
of 1.4, that alone counts.

The loader only hands these on, so their structures need no members; but by one of them a swapchain
comes to the driver, which has to be known (handle_reach.txt).
"""

import re
import xml.etree.ElementTree as ElementTree

from model import Command, Param, Struct

VERSION = (1, 4)

DECLARATIONS = """
VkResult vkMapMemory2(VkDevice device, const VkMemoryMapInfo *pMemoryMapInfo, void **ppData);
VkResult vkUnmapMemory2(VkDevice device, const VkMemoryUnmapInfo *pMemoryUnmapInfo);
VkResult vkCopyMemoryToImage(VkDevice device,
	const VkCopyMemoryToImageInfo *pCopyMemoryToImageInfo);
VkResult vkCopyImageToMemory(VkDevice device,
	const VkCopyImageToMemoryInfo *pCopyImageToMemoryInfo);
VkResult vkCopyImageToImage(VkDevice device, const VkCopyImageToImageInfo *pCopyImageToImageInfo);
VkResult vkTransitionImageLayout(VkDevice device, uint32_t transitionCount,
	const VkHostImageLayoutTransitionInfo *pTransitions);
void vkGetRenderingAreaGranularity(VkDevice device, const VkRenderingAreaInfo *pRenderingAreaInfo,
	VkExtent2D *pGranularity);
void vkGetDeviceImageSubresourceLayout(VkDevice device, const VkDeviceImageSubresourceInfo *pInfo,
	VkSubresourceLayout2 *pLayout);
void vkGetImageSubresourceLayout2(VkDevice device, VkImage image,
	const VkImageSubresource2 *pSubresource, VkSubresourceLayout2 *pLayout);
void vkCmdBindIndexBuffer2(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset,
	VkDeviceSize size, VkIndexType indexType);
void vkCmdSetLineStipple(VkCommandBuffer commandBuffer, uint32_t lineStippleFactor,
	uint16_t lineStipplePattern);
void vkCmdBindDescriptorSets2(VkCommandBuffer commandBuffer,
	const VkBindDescriptorSetsInfo *pBindDescriptorSetsInfo);
void vkCmdPushConstants2(VkCommandBuffer commandBuffer,
	const VkPushConstantsInfo *pPushConstantsInfo);
void vkCmdPushDescriptorSet(VkCommandBuffer commandBuffer, VkPipelineBindPoint pipelineBindPoint,
	VkPipelineLayout layout, uint32_t set, uint32_t descriptorWriteCount,
	const VkWriteDescriptorSet *pDescriptorWrites);
void vkCmdPushDescriptorSet2(VkCommandBuffer commandBuffer,
	const VkPushDescriptorSetInfo *pPushDescriptorSetInfo);
void vkCmdPushDescriptorSetWithTemplate(VkCommandBuffer commandBuffer,
	VkDescriptorUpdateTemplate descriptorUpdateTemplate, VkPipelineLayout layout, uint32_t set,
	const void *pData);
void vkCmdPushDescriptorSetWithTemplate2(VkCommandBuffer commandBuffer,
	const VkPushDescriptorSetWithTemplateInfo *pPushDescriptorSetWithTemplateInfo);
void vkCmdSetRenderingAttachmentLocations(VkCommandBuffer commandBuffer,
	const VkRenderingAttachmentLocationInfo *pLocationInfo);
void vkCmdSetRenderingInputAttachmentIndices(VkCommandBuffer commandBuffer,
	const VkRenderingInputAttachmentIndexInfo *pInputAttachmentIndexInfo);
"""

CARRIERS = {
    "VkDeviceImageSubresourceInfo": (
        "VkStructureType sType",
        "const void *pNext",
        "const VkImageCreateInfo *pCreateInfo",
        "const VkImageSubresource2 *pSubresource",
    ),
}


def _param(text):
    """The element that a registry has for `const VkX *pX`."""
    before, type_name, stars, name = re.fullmatch(r"(const )?(\w+) (\**)(\w+)", text).groups()
    element = ElementTree.Element("param")
    element.text = before
    of_type = ElementTree.SubElement(element, "type")
    of_type.text = type_name
    of_type.tail = f" {stars}"
    ElementTree.SubElement(element, "name").text = name
    return Param(element)


def commands():
    for declaration in filter(None, re.sub(r"\s+", " ", DECLARATIONS).strip().split(";")):
        returns, name, params = re.fullmatch(r" ?(\w+) (\w+)\((.*)\)", declaration).groups()
        command = Command(name, returns, [_param(param) for param in params.split(", ")], None)
        command.core_version = VERSION
        yield command


def wanted(registry):
    """Whether a registry ends right before this version."""
    versions = set(registry.features.values())
    return (1, 3) in versions and VERSION not in versions


def new_structs(registry, added):
    """Structures that no header of 1.3 has."""
    names = sorted(
        {
            param.type
            for command in added
            for param in command.params
            if param.pointer and param.type.startswith("Vk") and param.type not in registry.structs
        }
    )
    return [Struct(name, [_param(text) for text in CARRIERS.get(name, ())], set(), None)
            for name in names]
