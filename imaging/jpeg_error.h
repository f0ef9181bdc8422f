#ifndef LADDER_IMAGING_JPEG_ERROR_H_
#define LADDER_IMAGING_JPEG_ERROR_H_

#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it and does not say so.

#include "jpeglib.h"

namespace ladder::imaging {

// How libjpeg's errors get out of libjpeg: it calls back, and the callback must
// not return. So every function that calls libjpeg begins with
//   if (setjmp(error.escape) != 0) return false;
// and holds nothing that has a destructor, which the jump would skip.
struct JpegError {
  jmp_buf escape;
  char message[JMSG_LENGTH_MAX] = "";
  int code = 0;  // One of libjpeg's J_MESSAGE_CODEs.
  jpeg_error_mgr manager = {};

  // Makes errors of `codec`, a jpeg_compress_struct or jpeg_decompress_struct
  // that is about to be created, end here. Must outlive it.
  template <typename Codec>
  void Catch(Codec& codec) {
    codec.err = InitManager();
    codec.client_data = this;
  }

 private:
  jpeg_error_mgr* InitManager();
};

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_JPEG_ERROR_H_
