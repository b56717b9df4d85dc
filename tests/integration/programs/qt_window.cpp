/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of Qt's: a QVulkanWindow whose n-th frame, from 0, has the colour (n, 255 - n, 128). The next
 * one is drawn when Qt says so, which on Wayland is when the compositor does.
 */
#include <QGuiApplication>
#include <QVulkanFunctions>
#include <QVulkanInstance>
#include <QVulkanWindow>

class Renderer : public QVulkanWindowRenderer
{
public:
	explicit Renderer(QVulkanWindow *of) : window(of) {}

	void startNextFrame() override
	{
		QVulkanDeviceFunctions *vk =
			window->vulkanInstance()->deviceFunctions(window->device());
		VkCommandBuffer commands = window->currentCommandBuffer();
		const float value = static_cast<float>(frame++ % 256) / 255;
		const QSize size = window->swapChainImageSize();
		VkRenderPassBeginInfo info = {};
		VkClearValue clear[3] = {};

		clear[0].color = {{value, 1 - value, 0.5f, 1}};
		clear[1].depthStencil = {1, 0};
		info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
		info.renderPass = window->defaultRenderPass();
		info.framebuffer = window->currentFramebuffer();
		info.renderArea.extent.width = static_cast<uint32_t>(size.width());
		info.renderArea.extent.height = static_cast<uint32_t>(size.height());
		info.clearValueCount = 3;
		info.pClearValues = clear;
		vk->vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
		vk->vkCmdEndRenderPass(commands);
		window->frameReady();
		window->requestUpdate();
	}

private:
	QVulkanWindow *window;
	unsigned frame = 0;
};

class Window : public QVulkanWindow
{
public:
	QVulkanWindowRenderer *createRenderer() override { return new Renderer(this); }
};

int main(int argc, char **argv)
{
	QGuiApplication app(argc, argv);
	QVulkanInstance instance;
	Window window;

	if (!instance.create())
		qFatal("no instance: %d", instance.errorCode());
	window.setVulkanInstance(&instance);
	window.resize(320, 200);
	window.show();
	return app.exec();
}
