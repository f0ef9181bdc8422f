#include "trainer/network/gradient_reversal.h"

#include <torch/csrc/autograd/custom_function.h>

namespace ladder::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Reversal : torch::autograd::Function<Reversal> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               double scale) {
    context->saved_data["scale"] = scale;
    return x.view_as(x);  // Not `x` itself, whose history would be replaced.
  }

  static variable_list backward(AutogradContext* context,
                                const variable_list& gradients) {
    const double scale = context->saved_data["scale"].toDouble();
    return {-scale * gradients[0], torch::Tensor()};  // None for the scale.
  }
};

}  // namespace

torch::Tensor ReverseGradient(const torch::Tensor& x, double scale) {
  return Reversal::apply(x, scale);
}

}  // namespace ladder::trainer
