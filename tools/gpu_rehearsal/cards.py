"""Cards and the least time that they could need for an operator."""

from dataclasses import dataclass

# Of a card's memory, what tensors of torch may take: the rest is for CUDA's context, workspaces of
# its libraries and what fragmentation wastes, which a rehearsal does not see.
USABLE_SHARE = 0.9


@dataclass(frozen=True)
class Card:
    """Peaks of a data sheet: FLOP/s without sparsity, bytes/s, bytes."""

    name: str
    # products of 16-bit numbers on tensor cores, summed in float32
    half: float
    single: float
    bandwidth: float
    memory: float
    # whether it multiplies in bfloat16; precision auto is float16 otherwise
    bfloat16: bool = True

    @property
    def usable(self) -> float:
        """The bytes that tensors may take."""
        return USABLE_SHARE * self.memory

    def least_seconds(self, flops: float, moved: float, is_half: bool) -> float:
        """Return the roofline bound of an operator: its arithmetic or its traffic, the longer."""
        return max(flops / (self.half if is_half else self.single), moved / self.bandwidth)


# NVIDIA's architecture papers of Turing (2018), Ampere (2020), Ada (2022) and Hopper (2022)
CARDS = (
    Card("RTX 2080 Ti", 53.8e12, 13.4e12, 616e9, 11 * 2**30, bfloat16=False),
    Card("RTX 4090", 165.2e12, 82.6e12, 1008e9, 24 * 2**30),
    Card("A100 80GB", 312e12, 19.5e12, 2039e9, 80 * 2**30),
    Card("H100 80GB", 989e12, 67e12, 3350e9, 80 * 2**30),
)
