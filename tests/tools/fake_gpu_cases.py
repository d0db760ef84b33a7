"""What test_gpu_rehearsal.py looks at, run in a process of its own: torch comes after the device.

    python -m tests.tools.fake_gpu_cases      # prints {case: result} as JSON

No test module imports it.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any
from unittest.mock import patch

from tools.gpu_rehearsal.fake_device import load_fake_device

load_fake_device()

import torch  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode, mm_flop  # noqa: E402
from transformers import BertConfig, BertModel  # noqa: E402

from tools.gpu_rehearsal.allocations import Allocations  # noqa: E402
from tools.gpu_rehearsal.cards import CARDS  # noqa: E402
from tools.gpu_rehearsal.counting import OperatorCounts  # noqa: E402
from tools.gpu_rehearsal.fake_cuda import fake_cuda  # noqa: E402
from tools.gpu_rehearsal.rehearse import rehearse  # noqa: E402
from tools.gpu_rehearsal.scenarios import Embedding, Scenario  # noqa: E402
from workflow_scripts.errors import UserError  # noqa: E402
from workflow_scripts.tuning import losses  # noqa: E402
from workflow_scripts.tuning.device_memory import fixed_bytes  # noqa: E402
from workflow_scripts.tuning.string_objective import StringObjective  # noqa: E402

WORDS = Scenario("mirror-word", "tiny", changes={"batch_size": 8})
PADDED = Scenario("mirror-sentence", "tiny", "ragged", changes={"batch_size": 64})
CMLM = Scenario("cmlm", "tiny", changes={"batch_size": 4})
CLIPPED = {"max_gradient_norm": 1.0, "batch_size": 8}
HALF = Scenario("mirror-word", "tiny", precision="float16", changes=CLIPPED)
LAMB = {"optimiser": "lamb", "batch_size": 8}


def flops() -> dict[str, Any]:
    """Counts of a step, and torch's own count of all steps."""
    counters: list[FlopCounterMode] = []

    def around() -> FlopCounterMode:
        # which does not know it in place
        own = {torch.ops.aten.addmm_: lambda _, left, right, **options: mm_flop(left, right)}
        counters.append(FlopCounterMode(display=False, custom_mapping=own))
        return counters[0]

    counts = rehearse(WORDS, around=around)
    return {**asdict(counts), "torch": counters[0].get_total_flops()}


def memory_by_hand() -> dict[str, Any]:
    """Tensors of 1,000,000 float32: two of three are alive at a time, then a third one."""
    allocations = Allocations()
    with fake_cuda(allocations), OperatorCounts(allocations):
        first = torch.empty(1000, 1000, device="cuda")
        second = first.exp()
        del first
        third = second.exp()
        two = allocations.peak
        view = third[:10].t()
        fourth = third + 1
        three, alive = allocations.peak, allocations.total
        del second, third, fourth
        of_view = allocations.total
        del view
    return {"two": two, "three": three, "alive": alive, "view": of_view, "end": allocations.total}


def training_by_hand() -> dict[str, Any]:
    """Categories of a linear layer of a million weights, trained by AdamW."""
    allocations = Allocations()
    with fake_cuda(allocations), OperatorCounts(allocations) as counts:
        layer = torch.nn.Linear(1000, 1000, bias=False, device="cuda")
        counts.adopt(layer)
        optimiser = torch.optim.AdamW(layer.parameters(), fused=True)
        layer(torch.empty(10, 1000, device="cuda")).sum().backward()
        optimiser.step()
        counts.adopt_state(optimiser)
        return {"formula": fixed_bytes(layer), **allocations.by_category}


def _small_model(device: str) -> dict[str, int]:
    """Return the operators of a step of a BERT of two layers, with AdamW."""
    allocations = Allocations(device)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(vocab_size=50, intermediate_size=64, **sizes)
    config._attn_implementation = "eager"
    with torch.device(device):
        model = BertModel(config).train()
    optimiser = torch.optim.AdamW(model.parameters(), foreach=False)
    ids = torch.ones(3, 7, dtype=torch.long, device=device)
    for _ in range(2):
        with OperatorCounts(allocations, device) as counts:
            model(input_ids=ids).pooler_output.square().sum().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            optimiser.zero_grad()
    return counts.operators


def small_model() -> dict[str, Any]:
    with fake_cuda(Allocations()):
        fake = _small_model("cuda")
    return {"fake": fake, "real": _small_model("cpu")}


def waiting() -> dict[str, Any]:
    """Line after line makes the host wait, then those that do not."""
    allocations = Allocations()
    with fake_cuda(allocations), OperatorCounts(allocations) as counts:
        device = torch.ones(4, device="cuda")
        host = torch.ones(4)
        first = sys._getframe().f_lineno + 1
        device.sum().item()
        bool(device.sum() == 0)
        device.tolist()
        device.nonzero()
        device[device > 0]
        device[[0, 1]]
        device[host.long()]
        device.cpu()
        host.to("cuda")
        device.copy_(host)
        last = sys._getframe().f_lineno - 1
        host.to("cuda", non_blocking=True)
        device.copy_(host, non_blocking=True)
        device.index_select(0, torch.zeros(2, dtype=torch.long, device="cuda"))
        device[1:] * 2
    places = [place for place, _ in counts.synchronisations]
    return {"places": places, "first": first, "last": last, "copied": counts.copied}


def waiting_loss() -> dict[str, Any]:
    """A loss that reads its value."""
    loss_of = losses.nt_xent_loss

    def slow(*arguments: Any) -> Any:
        loss = loss_of(*arguments)
        assert loss.item() == 0
        return loss

    with patch.object(losses, "nt_xent_loss", slow):
        return rehearse(WORDS).synchronisations


def limits() -> dict[str, Any]:
    """A step with as much memory as it takes, and with less."""
    whole = rehearse(PADDED)
    results = {"whole": whole, "enough": rehearse(PADDED, whole.peak)}
    results["less"] = rehearse(PADDED, 0.6 * whole.peak)
    return {name: asdict(counts) for name, counts in results.items()}


def refusal() -> list[Any]:
    """A step with less memory than weights, gradients and the optimiser take."""
    with patch.object(StringObjective, "step") as step:
        try:
            rehearse(WORDS, 9_000_000)
        except UserError as error:
            return [str(error), step.call_count]
    return []


def embedding_limits() -> dict[str, Any]:
    names = Embedding("tiny", 300)
    whole = rehearse(names)
    return {"whole": asdict(whole), "less": asdict(rehearse(names, 0.5 * whole.peak))}


def steps() -> dict[str, Any]:
    """Each precision, optimiser and kind of strings, small."""
    scenarios = {"words": WORDS, "padded": PADDED, "cmlm": CMLM, "half": HALF}
    scenarios["lamb"] = Scenario("mirror-word", "tiny", changes=LAMB)
    scenarios["half_lamb"] = Scenario("mirror-word", "tiny", precision="float16", changes=LAMB)
    scenarios["s1"] = Scenario("cmlm-s1", "tiny", changes={"batch_size": 4})
    scenarios["retrieval"] = Scenario("cmlm-s2-br", "tiny", changes={"batch_size": 4})
    scenarios["nli"] = Scenario("cmlm-s3-nli", "tiny", "ragged", changes={"batch_size": 4})
    scenarios["quickthought"] = Scenario("quickthought", "tiny", changes={"batch_size": 4})
    scenarios["mlm"] = Scenario("mlm", "tiny", changes={"batch_size": 4})
    return {name: asdict(rehearse(scenario)) for name, scenario in scenarios.items()}


def bounds() -> dict[str, Any]:
    """A product and a sum of matrices that are bound by arithmetic and by traffic."""
    allocations = Allocations()
    bound: dict[str, Any] = {}
    with fake_cuda(allocations):
        one = torch.empty(4096, 4096, device="cuda", dtype=torch.bfloat16)
        for name, function in (("product", torch.mm), ("sum", torch.add)):
            with OperatorCounts(allocations) as counts:
                function(one, one)
            bound[name] = [counts.bounds[card.name] for card in CARDS]
            bound[f"{name}_counts"] = [counts.flops, counts.moved, counts.launches]
    return bound


def lists() -> dict[str, list[int]]:
    """Kernels and bytes of operators over lists of three tensors of 1,000 numbers."""
    allocations = Allocations()
    counted: dict[str, list[int]] = {}
    with fake_cuda(allocations):
        full, others, half = (
            [torch.empty(1000, device="cuda", dtype=dtype) for _ in range(3)]
            for dtype in (torch.float32, torch.float32, torch.bfloat16)
        )
        zero, scale = torch.zeros((), device="cuda"), torch.ones((), device="cuda")
        steps = [torch.zeros((), device="cuda") for _ in range(3)]
        adamw = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.0, "eps": 1e-8}
        adamw |= {"amsgrad": False, "maximize": False}
        step = partial(torch._fused_adamw_, full, others, full, full, [], steps, **adamw)
        unscale = torch._amp_foreach_non_finite_check_and_unscale_
        for name, function in {
            "add": lambda: torch._foreach_add_(full, others),
            "add of several types": lambda: torch._foreach_add_(full, half),
            "copy of several types": lambda: torch._foreach_copy_(half, full),
            "step": step,
            "step that unscales": partial(step, grad_scale=scale, found_inf=zero),
            "unscale": lambda: unscale(full, zero, scale),
        }.items():
            with OperatorCounts(allocations) as counts:
                function()
            counted[name] = [counts.launches, counts.moved]
    return counted


CASES: dict[str, Callable[[], Any]] = {
    case.__name__: case
    for case in (
        *(flops, memory_by_hand, training_by_hand, small_model, waiting, waiting_loss),
        *(limits, refusal, embedding_limits, steps, bounds, lists),
    )
}

if __name__ == "__main__":
    chosen = sys.argv[1:] or CASES.keys()
    print(json.dumps({name: case() for name, case in CASES.items() if name in chosen}))
