#ifndef LADDER_IMAGING_ENCODE_JPEG_H_
#define LADDER_IMAGING_ENCODE_JPEG_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "imaging/image.h"

namespace ladder::imaging {

// A baseline JPEG file of the picture, its colours at half resolution (4:2:0);
// `quality` is libjpeg's, 1 to 100. InvalidArgument if it is another, or if a
// side of the picture is not in 1..65500.
absl::StatusOr<std::vector<std::byte>> EncodeJpeg(const ImageView& image,
                                                  int quality);

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_ENCODE_JPEG_H_
