#include "imaging/jpeg_error.h"

#include "jerror.h"

namespace ladder::imaging {
namespace {

[[noreturn]] void Escape(j_common_ptr codec) {
  auto* error = static_cast<JpegError*>(codec->client_data);
  error->code = codec->err->msg_code;
  codec->err->format_message(codec, error->message);
  std::longjmp(error->escape, 1);
}

bool IsHarmless(int warning) {
  return warning == JWRN_EXTRANEOUS_DATA || warning == JWRN_JFIF_MAJOR ||
         warning == JWRN_ADOBE_XFORM;
}

void OnMessage(j_common_ptr codec, int level) {
  const bool is_warning = level < 0;  // The others are traces.
  if (is_warning && !IsHarmless(codec->err->msg_code)) Escape(codec);
}

}  // namespace

jpeg_error_mgr* JpegError::InitManager() {
  jpeg_std_error(&manager);
  manager.error_exit = Escape;
  manager.emit_message = OnMessage;
  return &manager;
}

}  // namespace ladder::imaging
