#ifndef LADDER_MODEL_STORE_FORMAT_SHA256_H_
#define LADDER_MODEL_STORE_FORMAT_SHA256_H_

#include <cstddef>
#include <span>
#include <string>

namespace ladder::model_store {

// The SHA-256 digest of `bytes` as 64 lower-case hexadecimal digits.
std::string Sha256(std::span<const std::byte> bytes);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_SHA256_H_
