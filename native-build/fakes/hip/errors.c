/* Names and words of statuses. The names and values are those of HIP's header; the words are the fake's own. */
#include <stddef.h>

#include "../state.h"
#include "types.h"

#define STATUSES(X) \
  X(hipSuccess, 0) \
  X(hipErrorInvalidValue, 1) \
  X(hipErrorOutOfMemory, 2) \
  X(hipErrorNotInitialized, 3) \
  X(hipErrorDeinitialized, 4) \
  X(hipErrorProfilerDisabled, 5) \
  X(hipErrorProfilerNotInitialized, 6) \
  X(hipErrorProfilerAlreadyStarted, 7) \
  X(hipErrorProfilerAlreadyStopped, 8) \
  X(hipErrorInvalidConfiguration, 9) \
  X(hipErrorInvalidPitchValue, 12) \
  X(hipErrorInvalidSymbol, 13) \
  X(hipErrorInvalidDevicePointer, 17) \
  X(hipErrorInvalidMemcpyDirection, 21) \
  X(hipErrorInsufficientDriver, 35) \
  X(hipErrorMissingConfiguration, 52) \
  X(hipErrorPriorLaunchFailure, 53) \
  X(hipErrorInvalidDeviceFunction, 98) \
  X(hipErrorNoDevice, 100) \
  X(hipErrorInvalidDevice, 101) \
  X(hipErrorInvalidImage, 200) \
  X(hipErrorInvalidContext, 201) \
  X(hipErrorContextAlreadyCurrent, 202) \
  X(hipErrorMapFailed, 205) \
  X(hipErrorUnmapFailed, 206) \
  X(hipErrorArrayIsMapped, 207) \
  X(hipErrorAlreadyMapped, 208) \
  X(hipErrorNoBinaryForGpu, 209) \
  X(hipErrorAlreadyAcquired, 210) \
  X(hipErrorNotMapped, 211) \
  X(hipErrorNotMappedAsArray, 212) \
  X(hipErrorNotMappedAsPointer, 213) \
  X(hipErrorECCNotCorrectable, 214) \
  X(hipErrorUnsupportedLimit, 215) \
  X(hipErrorContextAlreadyInUse, 216) \
  X(hipErrorPeerAccessUnsupported, 217) \
  X(hipErrorInvalidKernelFile, 218) \
  X(hipErrorInvalidGraphicsContext, 219) \
  X(hipErrorInvalidSource, 300) \
  X(hipErrorFileNotFound, 301) \
  X(hipErrorSharedObjectSymbolNotFound, 302) \
  X(hipErrorSharedObjectInitFailed, 303) \
  X(hipErrorOperatingSystem, 304) \
  X(hipErrorInvalidHandle, 400) \
  X(hipErrorIllegalState, 401) \
  X(hipErrorNotFound, 500) \
  X(hipErrorNotReady, 600) \
  X(hipErrorIllegalAddress, 700) \
  X(hipErrorLaunchOutOfResources, 701) \
  X(hipErrorLaunchTimeOut, 702) \
  X(hipErrorPeerAccessAlreadyEnabled, 704) \
  X(hipErrorPeerAccessNotEnabled, 705) \
  X(hipErrorSetOnActiveProcess, 708) \
  X(hipErrorContextIsDestroyed, 709) \
  X(hipErrorAssert, 710) \
  X(hipErrorHostMemoryAlreadyRegistered, 712) \
  X(hipErrorHostMemoryNotRegistered, 713) \
  X(hipErrorLaunchFailure, 719) \
  X(hipErrorCooperativeLaunchTooLarge, 720) \
  X(hipErrorNotSupported, 801) \
  X(hipErrorStreamCaptureUnsupported, 900) \
  X(hipErrorStreamCaptureInvalidated, 901) \
  X(hipErrorStreamCaptureMerge, 902) \
  X(hipErrorStreamCaptureUnmatched, 903) \
  X(hipErrorStreamCaptureUnjoined, 904) \
  X(hipErrorStreamCaptureIsolation, 905) \
  X(hipErrorStreamCaptureImplicit, 906) \
  X(hipErrorCapturedEvent, 907) \
  X(hipErrorStreamCaptureWrongThread, 908) \
  X(hipErrorGraphExecUpdateFailure, 910) \
  X(hipErrorInvalidChannelDescriptor, 911) \
  X(hipErrorInvalidTexture, 912) \
  X(hipErrorUnknown, 999) \
  X(hipErrorRuntimeMemory, 1052) \
  X(hipErrorRuntimeOther, 1053)

#ifdef PANAMARK_WITH_HIP_H
#define COMPARE(name, value) _Static_assert((int)name == value, #name);
STATUSES(COMPARE)
#endif

#define ENTRY(name, value) {value, #name},
static const struct { int status; const char *name; } names[] = {STATUSES(ENTRY)};

static const struct { int status; const char *text; } texts[] = {
    {0, "no error"},
    {1, "an argument is not valid"},
    {2, "the memory of the device does not suffice"},
    {9, "a launch has sizes that are not valid"},
    {100, "there is no device"},
    {101, "there is no device of this ordinal"},
    {200, "the image is none that can be loaded"},
    {209, "the image has no code for this device"},
    {400, "a handle is not valid"},
    {500, "there is nothing of this name"},
    {600, "the work is not done yet"},
    {700, "a kernel accessed an address that is not its own"},
    {719, "a kernel failed"},
    {720, "a cooperative grid does not fit the device"},
    {900, "this may not be called while a stream collects work"},
    {901, "collecting work failed"},
    {999, "something failed"},
};

/* The library has a name and words for every number: those of hipErrorUnknown for what it does not know. */
const char *fake_error_name(int status) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].status == status) return names[i].name;
  return "hipErrorUnknown";
}

const char *fake_error_text(int status) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].status == status) return texts[i].text;
  return "the fake has no words for this status";
}
