/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a vendor's that are called often, as lists. */
#ifndef KR_EGL_VENDOR_FUNCTIONS_H
#define KR_EGL_VENDOR_FUNCTIONS_H

#include <EGL/egl.h>
#include <EGL/eglext.h>

/* X(name, upper): a member `name` of type PFNEGL<upper>PROC, which is the vendor's egl<name>. */
#define KR_EGL_FUNCTIONS(X)                                                                        \
	X(BindAPI, BINDAPI)                                                                        \
	X(BindTexImage, BINDTEXIMAGE)                                                              \
	X(ChooseConfig, CHOOSECONFIG)                                                              \
	X(ClientWaitSync, CLIENTWAITSYNC)                                                          \
	X(CopyBuffers, COPYBUFFERS)                                                                \
	X(CreateContext, CREATECONTEXT)                                                            \
	X(CreateImage, CREATEIMAGE)                                                                \
	X(CreatePbufferFromClientBuffer, CREATEPBUFFERFROMCLIENTBUFFER)                            \
	X(CreatePbufferSurface, CREATEPBUFFERSURFACE)                                              \
	X(CreatePixmapSurface, CREATEPIXMAPSURFACE)                                                \
	X(CreatePlatformPixmapSurface, CREATEPLATFORMPIXMAPSURFACE)                                \
	X(CreatePlatformWindowSurface, CREATEPLATFORMWINDOWSURFACE)                                \
	X(CreateSync, CREATESYNC)                                                                  \
	X(CreateWindowSurface, CREATEWINDOWSURFACE)                                                \
	X(DestroyContext, DESTROYCONTEXT)                                                          \
	X(DestroyImage, DESTROYIMAGE)                                                              \
	X(DestroySurface, DESTROYSURFACE)                                                          \
	X(DestroySync, DESTROYSYNC)                                                                \
	X(GetConfigAttrib, GETCONFIGATTRIB)                                                        \
	X(GetConfigs, GETCONFIGS)                                                                  \
	X(GetCurrentContext, GETCURRENTCONTEXT)                                                    \
	X(GetCurrentDisplay, GETCURRENTDISPLAY)                                                    \
	X(GetCurrentSurface, GETCURRENTSURFACE)                                                    \
	X(GetError, GETERROR)                                                                      \
	X(GetSyncAttrib, GETSYNCATTRIB)                                                            \
	X(Initialize, INITIALIZE)                                                                  \
	X(MakeCurrent, MAKECURRENT)                                                                \
	X(QueryAPI, QUERYAPI)                                                                      \
	X(QueryContext, QUERYCONTEXT)                                                              \
	X(QueryString, QUERYSTRING)                                                                \
	X(QuerySurface, QUERYSURFACE)                                                              \
	X(ReleaseTexImage, RELEASETEXIMAGE)                                                        \
	X(ReleaseThread, RELEASETHREAD)                                                            \
	X(SurfaceAttrib, SURFACEATTRIB)                                                            \
	X(SwapBuffers, SWAPBUFFERS)                                                                \
	X(SwapInterval, SWAPINTERVAL)                                                              \
	X(Terminate, TERMINATE)                                                                    \
	X(WaitClient, WAITCLIENT)                                                                  \
	X(WaitGL, WAITGL)                                                                          \
	X(WaitNative, WAITNATIVE)                                                                  \
	X(WaitSync, WAITSYNC)

/* Of extensions: a vendor takes longer to find them by their names than to do them. */
#define KR_EGL_SYNC_FUNCTIONS(X)                                                                   \
	X(ClientWaitSyncKHR, CLIENTWAITSYNCKHR)                                                    \
	X(CreateSync64KHR, CREATESYNC64KHR)                                                        \
	X(CreateSyncKHR, CREATESYNCKHR)                                                            \
	X(DestroySyncKHR, DESTROYSYNCKHR)                                                          \
	X(DupNativeFenceFDANDROID, DUPNATIVEFENCEFDANDROID)                                        \
	X(GetSyncAttribKHR, GETSYNCATTRIBKHR)                                                      \
	X(SignalSyncKHR, SIGNALSYNCKHR)                                                            \
	X(WaitSyncKHR, WAITSYNCKHR)

/* What functions of EGL 1.5 were before: for vendors of 1.4. */
#define KR_EGL_OLDER_FUNCTIONS(X)                                                                  \
	X(CreateImageKHR, CREATEIMAGEKHR)                                                          \
	X(CreatePlatformPixmapSurfaceEXT, CREATEPLATFORMPIXMAPSURFACEEXT)                          \
	X(CreatePlatformWindowSurfaceEXT, CREATEPLATFORMWINDOWSURFACEEXT)                          \
	X(DestroyImageKHR, DESTROYIMAGEKHR)

/* NULL stands for a function that the vendor hasn't (those of 1.5 in a vendor of 1.4). */
struct kr_egl_functions {
#define KR_EGL_MEMBER(name, upper) PFNEGL##upper##PROC name;
	KR_EGL_FUNCTIONS(KR_EGL_MEMBER)
	KR_EGL_SYNC_FUNCTIONS(KR_EGL_MEMBER)
	KR_EGL_OLDER_FUNCTIONS(KR_EGL_MEMBER)
#undef KR_EGL_MEMBER
};

#endif
