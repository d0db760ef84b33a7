"""Products of half precision that the device gives in float32."""

import pytest
import torch

from workflow_scripts.tuning.half_linear import product_in_float32

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_gradient_by_a_weight_is_not_rounded_to_half_precision(dtype, device, figure):
    torch.manual_seed(1)
    gradient, states = (torch.randn(10_000, 96, dtype=torch.float64).to(dtype) for _ in range(2))
    product = product_in_float32(gradient.to(device).t(), states.to(device))
    assert product.dtype == torch.float32
    expected = gradient.double().t() @ states.double()
    apart = (product.cpu().double() - expected).abs().max() / expected.abs().max()
    # rounded to bfloat16 it would be 0.002, to float16 0.0002
    figure("largest difference as a share of the largest value", apart.item(), at_most=3e-5)
