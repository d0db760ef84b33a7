"""LAMB for a GPU, in operations over all parameters at once.

`pytorch_optimizer` looks at the norms of each parameter on the host, or cannot leave it to the
device whether float16 gradients are finite: either way the host waits in each step.
"""

from typing import Any

import torch


class DeviceLamb(torch.optim.Optimizer):
    """LAMB (You et al. 2020, Algorithm 2) without a wait for the device.

    Takes the groups of `pytorch_optimizer.Lamb`, `adam` for those without a trust ratio, and moves
    weights as it does: decay is part of the update, and 1e-6 is added to roots and norms.
    """

    # so that `GradScaler` sets `grad_scale` and `found_inf` instead of waiting for the latter
    _step_supports_amp_scaling = True

    def __init__(self, groups: Any, lr: float, betas: tuple[float, float]) -> None:
        defaults = {"lr": lr, "betas": betas, "weight_decay": 0.0, "adam": False, "eps": 1e-6}
        super().__init__(groups, defaults)

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:
        """Move the parameters that have gradients; none of them if a gradient is not finite."""
        assert closure is None
        for group in self.param_groups:
            parameters = [own for own in group["params"] if own.grad is not None]
            if parameters:
                self._move(group, parameters)

    def _move(self, group: dict[str, Any], parameters: list[torch.Tensor]) -> None:
        for parameter in parameters:
            if not self.state[parameter]:
                for name in ("exp_avg", "exp_avg_sq"):
                    self.state[parameter][name] = torch.zeros_like(parameter)
        gradients: list[torch.Tensor] = [parameter.grad for parameter in parameters]
        means, squares = (
            [self.state[parameter][name] for parameter in parameters]
            for name in ("exp_avg", "exp_avg_sq")
        )
        scale, infinite = (getattr(self, name, None) for name in ("grad_scale", "found_inf"))
        if scale is not None:
            torch._foreach_div_(gradients, scale)
        # 0 for a step that is not taken, whose gradients count as 0
        taken: torch.Tensor | float = 1.0
        if infinite is not None:
            taken = 1.0 - infinite.reshape(()).to(parameters[0].dtype)
            for gradient in gradients:
                gradient.nan_to_num_(0.0, 0.0, 0.0)
            torch._foreach_mul_(gradients, taken)
        (first, second), epsilon = group["betas"], group["eps"]
        torch._foreach_mul_(means, 1.0 - (1.0 - first) * taken)
        torch._foreach_add_(means, gradients, alpha=1.0 - first)
        torch._foreach_mul_(squares, 1.0 - (1.0 - second) * taken)
        torch._foreach_addcmul_(squares, gradients, gradients, value=1.0 - second)

        updates = torch._foreach_sqrt(squares)
        torch._foreach_add_(updates, epsilon)
        torch._foreach_reciprocal_(updates)
        torch._foreach_mul_(updates, means)
        if group["weight_decay"]:
            torch._foreach_add_(updates, parameters, alpha=group["weight_decay"])
        if not group["adam"]:
            weights, moves = (
                torch.stack(torch._foreach_norm(side)) for side in (parameters, updates)
            )
            ratios = weights / (moves + epsilon)
            ratios = ratios.where((weights > 0) & (moves > 0), 1.0)
            torch._foreach_mul_(updates, ratios.unbind())
        if infinite is not None:
            torch._foreach_mul_(updates, taken)
        torch._foreach_add_(parameters, updates, alpha=-group["lr"])
