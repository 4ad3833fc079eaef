"""What all CUDA kernels share: set bits are counted by one instruction, and kernels compile to PTX without a GPU."""

from types import SimpleNamespace
from typing import Any

from numba import cuda, types
from numba.cuda import dispatcher
from numba.cuda.extending import overload

from motherlode import game as contract


@overload(contract.count, target="cuda")  # type: ignore[untyped-decorator]
def count(x: Any) -> Any:
    """LLVM recognises a population count in `game.count`, NVVM does not."""

    def one_instruction(x: Any) -> Any:  # Numba requires the same signature
        return cuda.popc(types.int64(x))

    return one_instruction


def ptx(kernel: Any, signature: tuple[Any, ...], capability: tuple[int, int] = (9, 0)) -> str:
    """A kernel as PTX, compiled without a GPU or its driver."""
    asked = dispatcher.get_current_device
    # numba-cuda asks the present device although `cc` says it
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        text, _ = cuda.compile(
            kernel, signature, device=False, abi="numba", output="ptx", cc=capability, fastmath=False
        )
    finally:
        dispatcher.get_current_device = asked
    return str(text)
