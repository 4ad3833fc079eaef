"""A batch on a GPU: the loops of `stepping.py` as kernels, with a thread per row.

A block of threads steps its rows and packs what is handed out of them into shared memory; then all of them unpack it
together, because single bytes written to far-apart rows are slow. An illegal action leaves its row as it is and is
reported at the next call; with `debug` before anything is done.

`ptx` compiles without a GPU, for the tests.
"""

from functools import cache, cached_property
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import cuda, types
from numba.cuda.cudadrv import driver
from numba.extending import register_jitable

from motherlode import cuda_kernels, engine
from motherlode import game as contract
from motherlode.compiled import as_array, dtype, register
from motherlode.engine import MOST_SEATS, Refusal
from motherlode.envs import clues, encoder, observation, rotation, stepping
from motherlode.envs.batch_cpu import LARGEST, check_actions, mask_width, new_rows
from motherlode.envs.stepping import LEAVE, Rows, Scratch, Settings
from motherlode.game import Game

if TYPE_CHECKING:
    from motherlode.envs.batch import Batch

THREADS = 64  # of a block; 128 is slower
SHARED = 48 << 10  # bytes of shared memory that a block has without asking for more
numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # a small batch is allowed
NOTHING = np.iinfo(np.int64).max
Array = np.ndarray[Any, Any]


@cache
def programs(game: Game, log: int) -> SimpleNamespace:
    """The loops of one row, for kernels."""
    for module in (contract, import_module(game.__name__), encoder, rotation):
        register(module)
    return stepping.programs(game, inner=register_jitable, entry=register_jitable, packing=Plan(game, log).packing)


class Plan:
    """How a kernel is laid out: rows are packed into shared memory, observation first, then what is legal."""

    def __init__(self, game: Game, log: int) -> None:
        self.columns = observation.layout(game, log).size
        self.packing = encoder.Packing(observation.layout(game, log))
        size = dtype(game).itemsize
        self.cell = np.dtype(np.uint8 if size % 4 else np.uint32)  # what records are moved in
        self.cells = size // self.cell.itemsize
        needed = self.packing.words + 2 * engine.words_of(game) + 1
        self.words = max(needed, self.cells) | 1  # odd: threads reach different banks
        self.threads = THREADS
        while 4 * self.threads * self.words > SHARED:
            self.threads //= 2
        if self.threads < 8:  # a block writes whole words of eight columns
            raise Refusal(f"{game.TITLE}: a log of {log} entries is too long for a GPU")


# Numbers are unsigned in what follows: a signed index would be asked whether it counts from the end.

U64 = types.uint64


@register_jitable  # type: ignore[untyped-decorator]
def eight(packed: Any, at: Any) -> Any:
    """Eight bits of packed rows, which may lie in two words."""
    word = at >> U64(5)
    both = U64(packed[word]) | (U64(packed[word + U64(1)]) << U64(32))
    return (both >> (at & U64(31))) & U64(255)


@register_jitable  # type: ignore[untyped-decorator]
def spread(bits: Any) -> Any:
    """Eight bits as eight bytes, 0 or 1, the lowest first."""
    apart = (bits * U64(0x0101010101010101)) & U64(0x8040201008040201)
    return ((apart + U64(0x7F7F7F7F7F7F7F7F)) >> U64(7)) & U64(0x0101010101010101)


@register_jitable  # type: ignore[untyped-decorator]
def move(packed: Any, step: Any, rows: Any, cells: Any, flat: Any, first: Any, is_in: bool) -> None:
    """Move rows of cells into shared memory, where they begin `step` words apart, or out of it, together."""
    threads, row, cell = U64(cuda.blockDim.x), U64(0), U64(cuda.threadIdx.x)
    for k in range(U64(cuda.threadIdx.x), rows * cells, threads):
        while cell >= cells:
            cell -= cells
            row += step
        if is_in:
            packed[row + cell] = flat[first + k]
        else:
            flat[first + k] = packed[row + cell]
        cell += threads


@register_jitable  # type: ignore[untyped-decorator]
def columns_of(packed: Any, row: Any, group: Any, numbers: Any) -> Any:
    """Eight columns of the packed row that begins at this word: bits, or the bytes of numbers."""
    word = U64(packed[row + (group >> U64(2))])
    cells = spread((word >> (U64(8) * (group & U64(3)))) & U64(255))
    at = numbers[group]
    if at >= 0:
        cells |= U64(packed[row + U64(at)]) | (U64(packed[row + U64(at) + U64(1)]) << U64(32))
    return cells


@register_jitable  # type: ignore[untyped-decorator]
def unpack(packed: Any, step: Any, rows: Any, groups: Any, numbers: Any, flat: Any, first: Any) -> None:
    """Write the columns of rows that begin `step` words apart, all threads of a block together."""
    threads, row, group = U64(cuda.blockDim.x), U64(0), U64(cuda.threadIdx.x)
    for k in range(U64(cuda.threadIdx.x), rows * groups, threads):
        while group >= groups:
            group -= groups
            row += step
        flat[first + k] = columns_of(packed, row, group, numbers)
        group += threads


@register_jitable  # type: ignore[untyped-decorator]
def unpack_mask(packed: Any, row: Any, step: Any, rows: Any, actions: Any, flat: Any, first: Any) -> None:
    """The same for bits alone, of which a row has any number: eight of them may be in several rows."""
    threads, column = U64(cuda.blockDim.x), U64(8) * U64(cuda.threadIdx.x)
    for k in range(U64(cuda.threadIdx.x), rows * actions // U64(8), threads):
        rest = column // actions
        row += rest * step
        column -= rest * actions
        bits, have, this_row = eight(packed, (row << U64(5)) + column), actions - column, row
        while have < U64(8):
            this_row += step
            bits = (bits & ((U64(1) << have) - U64(1))) | (eight(packed, this_row << U64(5)) << have)
            have += actions
        flat[first + k] = spread(bits & U64(255))
        column += U64(8) * threads


@cache
def step_kernel(game: Game, log: int, actions: int) -> Any:
    """Steps every row and writes what is handed out of it."""
    loops, record, legal_words = programs(game, log), dtype(game), engine.words_of(game)
    plan = Plan(game, log)
    columns, threads, words, mask_at = plan.columns, plan.threads, plan.words, plan.packing.words
    size, cell, cells_of_record = threads * words, plan.cell, plan.cells
    advance, is_legal, find_legal = loops.advance, loops.is_legal, loops.find_legal
    write_odds, write_observation = loops.write_odds, loops.write_observation

    def step(
        chosen: Any, is_reset: bool, fresh: bool, rows: Rows, settings: Settings, opening: Any, flat_records: Any,
        numbers: Any, flat: Any, flat_mask: Any, wrong: Any,
    ) -> None:  # fmt: skip
        position = cuda.local.array(1, record)
        seen = cuda.local.array(1, record)
        rng = cuda.local.array(1, types.uint64)
        others = cuda.local.array(1, types.uint64)
        bits = cuda.local.array(legal_words, types.int64)
        points = cuda.local.array(MOST_SEATS, types.int64)
        packed = cuda.shared.array(size, types.uint32)
        to = Scratch(position, seen, rng, others, bits, points)
        i = cuda.grid(1)
        t = cuda.threadIdx.x
        cells = position.view(cell)
        block, step_words = U64(cuda.blockIdx.x), U64(words)
        first = block * U64(threads * cells_of_record)
        move(packed, step_words, U64(threads), U64(cells_of_record), flat_records, first, True)
        cuda.syncthreads()
        for w in range(cells_of_record):
            cells[w] = packed[t * words + w]
        if i < len(chosen):
            a = chosen[i]
            if not is_reset and not is_legal(i, a, rows):
                cuda.atomic.min(wrong, 0, i)
                a = LEAVE
            advance(i, a, fresh, rows, settings, opening, to)
        for w in range(cells_of_record):
            packed[t * words + w] = cells[w]
        cuda.syncthreads()
        move(packed, step_words, U64(threads), U64(cells_of_record), flat_records, first, False)
        cuda.syncthreads()
        if i < len(chosen):
            find_legal(i, rows, to)
            write_odds(i, rows, to)
            mine = packed[t * words : (t + 1) * words]
            for w in range(words):
                mine[w] = 0
            write_observation(i, rows.observer[i], rows, to, mine)
            for w in range(legal_words):
                mine[mask_at + 2 * w] = bits[w] & 0xFFFFFFFF
                mine[mask_at + 2 * w + 1] = (bits[w] >> 32) & 0xFFFFFFFF
        cuda.syncthreads()
        first = block * U64(threads * columns // 8)
        unpack(packed, step_words, U64(threads), U64(columns // 8), numbers, flat, first)
        first = block * U64(threads * actions // 8)
        unpack_mask(packed, U64(mask_at), step_words, U64(threads), U64(actions), flat_mask, first)

    return step


def rows_type(game: Game) -> Any:
    records = numba.from_dtype(dtype(game))
    a, u8, i64 = types.Array, types.uint8, types.int64
    of = {"records": a(records, 1, "C"), "rngs": a(types.uint64, 2, "C"), "stream": a(i64, 1, "C"),
          "legal": a(i64, 2, "C"), "told": a(types.int16, 4, "C"), "told_count": a(types.int32, 1, "C"),
          "observation": a(u8, 2, "C"), "mask": a(u8, 2, "C"), "seat": a(types.int8, 1, "C"),
          "observer": a(types.int8, 1, "C"), "reward": a(types.float32, 2, "C"), "done": a(types.boolean, 1, "C"),
          "points": a(types.int32, 2, "C"), "odds": a(i64, 2, "C"), "last": a(types.int8, 1, "C")}  # fmt: skip
    return types.NamedTuple([of[name] for name in Rows._fields], Rows)


def step_signature(game: Game) -> tuple[Any, ...]:
    i64, rows = types.int64, rows_type(game)
    settings = types.NamedTuple((i64, i64, i64, i64, i64, types.boolean), Settings)
    chosen, cells, numbers = (types.Array(kind, 1, "C") for kind in (i64, types.uint64, types.int32))
    flat_records = types.Array(numba.from_dtype(Plan(game, 0).cell), 1, "C")
    which = (chosen, types.boolean, types.boolean)
    return (*which, rows, settings, rows.types[0], flat_records, numbers, cells, cells, chosen)


def ptx(game: Game) -> str:
    """The kernel that steps, as PTX, compiled without a GPU."""
    return cuda_kernels.ptx(step_kernel(game, 0, len(game.ACTIONS)), step_signature(game))


@cache
def kernels(game: Game, log: int) -> SimpleNamespace:
    """The other loops, compiled at their first call: check, sample, observe, reveal, tell_clues and guess."""
    loops, record, words = programs(game, log), dtype(game), engine.words_of(game)
    is_legal, sample_rows, observe_rows, guess_rows = loops.is_legal, loops.sample, loops.observe, loops.guess
    reveal_rows, clues_rows = loops.reveal, loops.tell_clues

    def check(chosen: Any, rows: Rows, wrong: Any) -> None:
        i = cuda.grid(1)
        if i < len(chosen) and not is_legal(i, chosen[i], rows):
            cuda.atomic.min(wrong, 0, i)

    def sample(legal: Any, rngs: Any, out: Any) -> None:
        rng = cuda.local.array(1, types.uint64)
        i = cuda.grid(1)
        sample_rows(i, min(i + 1, len(out)), legal, rngs, rng, out)

    def observe(seat: int, rows: Rows, out: Any) -> None:
        position = cuda.local.array(1, record)
        seen = cuda.local.array(1, record)
        rng = cuda.local.array(1, types.uint64)
        bits = cuda.local.array(words, types.int64)
        points = cuda.local.array(MOST_SEATS, types.int64)
        i = cuda.grid(1)
        observe_rows(i, min(i + 1, len(out)), seat, rows, Scratch(position, seen, rng, rng, bits, points), out)

    def reveal(rows: Rows, out: Any) -> None:
        position = cuda.local.array(1, record)
        rng = cuda.local.array(1, types.uint64)
        bits = cuda.local.array(words, types.int64)
        points = cuda.local.array(MOST_SEATS, types.int64)
        i = cuda.grid(1)
        reveal_rows(i, min(i + 1, len(out)), rows, Scratch(position, position, rng, rng, bits, points), out)

    def tell_clues(rows: Rows, out: Any) -> None:
        seen = cuda.local.array(1, record)
        rng = cuda.local.array(1, types.uint64)
        bits = cuda.local.array(words, types.int64)
        points = cuda.local.array(MOST_SEATS, types.int64)
        i = cuda.grid(1)
        clues_rows(i, min(i + 1, len(out)), rows, Scratch(seen, seen, rng, rng, bits, points), out)

    def guess(seats: Any, number: int, rows: Rows) -> None:
        position = cuda.local.array(1, record)
        rng = cuda.local.array(1, types.uint64)
        bits = cuda.local.array(words, types.int64)
        points = cuda.local.array(MOST_SEATS, types.int64)
        i = cuda.grid(1)
        guess_rows(i, min(i + 1, len(seats)), seats, number, rows, Scratch(position, position, rng, rng, bits, points))

    every = (check, sample, observe, reveal, tell_clues, guess)
    return SimpleNamespace(**{kernel.__name__: cuda.jit(kernel) for kernel in every})


@cache
def on_device(game: Game, log: int, actions: int) -> Any:
    return cuda.jit(step_signature(game))(step_kernel(game, log, actions))


@cache
def general_kernels() -> SimpleNamespace:
    """Kernels that know no game."""

    def gather(source: Any, chosen: Any, out: Any) -> None:
        """Rows of bytes by number."""
        k = cuda.grid(1)
        if k < out.size:
            row, cell = k // out.shape[1], k % out.shape[1]
            out[row, cell] = source[chosen[row], cell]

    def scale(cells: Any, scale: Any, out: Any) -> None:
        """Bytes as floats."""
        k = cuda.grid(1)
        if k < out.size:
            row, cell = k // out.shape[1], k % out.shape[1]
            out[row, cell] = np.float32(cells[row, cell]) / scale[cell]

    def unpack_rows(packed: Any, words: int, numbers: Any, out: Any) -> None:
        k = U64(cuda.grid(1))
        if k < U64(out.size):
            row = k // U64(len(numbers))
            out[k] = columns_of(packed, row * U64(words), k - row * U64(len(numbers)), numbers)

    def blank_others(cells: Any, turns: Any, seat: int, blank: int, out: Any) -> None:
        """The rows in which it is a seat's turn."""
        k = cuda.grid(1)
        if k < out.size:
            row, cell = k // out.shape[1], k % out.shape[1]
            out[row, cell] = cells[row, cell] if turns[row] == seat else blank

    def widen(numbers: Any, most: Any, out: Any) -> None:
        k = cuda.grid(1)
        if k < out.size:
            out[k] = min(numbers[k], most)

    every = (gather, scale, unpack_rows, blank_others, widen)
    return SimpleNamespace(**{kernel.__name__: cuda.jit(kernel) for kernel in every})


def launch(kernel: Any, number: int, *arguments: Any, threads: int = 128) -> None:
    if number:
        kernel[-(-number // threads), threads](*arguments)


class DeviceArray:
    """An array on the GPU, for any library: by DLPack or the CUDA array interface, without a copy."""

    def __init__(self, array: Any) -> None:
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        interface: dict[str, Any] = self.array.__cuda_array_interface__
        return interface

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, int(cuda.get_current_device().id)  # kDLCUDA

    def __dlpack__(self, **wanted: Any) -> Any:
        from cuda.core.utils import StridedMemoryView

        cuda.synchronize()  # so that nobody has to wait in a stream of theirs
        wanted["stream"] = None
        return StridedMemoryView.from_cuda_array_interface(self, stream_ptr=-1).__dlpack__(**wanted)

    def copy_to_host(self) -> Array:
        host: Array = self.array.copy_to_host()
        return host

    def __len__(self) -> int:
        return int(self.shape[0])

    def __repr__(self) -> str:
        return f"DeviceArray({self.dtype}, shape={self.shape})"


def device_zeros(shape: Any, kind: Any) -> Any:
    array = cuda.device_array(shape, kind)
    if array.size:
        driver.device_memset(array, 0, array.nbytes)
    return array


def first_rows(array: Any, n: int) -> Any:
    """The first n rows; Numba does not slice an empty array."""
    return array[:n] if array.size else device_zeros((n, *array.shape[1:]), array.dtype)


class OnGpu:
    """A batch's rows in the memory of a GPU."""

    def __init__(self, batch: "Batch") -> None:
        if not cuda.is_available():
            raise Refusal("there is no GPU here that Numba can use: take device='cpu'")
        self.batch, game, n = batch, batch.game, batch.rows
        actions = mask_width(batch)
        plan = Plan(game, batch.layout.log)
        self.threads, self.packing = plan.threads, plan.packing
        self.numbers = cuda.to_device(plan.packing.numbers)
        whole = new_rows(batch, -(-n // self.threads) * self.threads, device_zeros)  # blocks write all of their rows
        self.flat, self.flat_mask = (array.reshape(-1).view(np.uint64) for array in (whole.observation, whole.mask))
        self.flat_records = whole.records.view(plan.cell)
        self.device_rows = Rows(*(first_rows(array, n) for array in whole))
        self.floats = device_zeros((n, batch.layout.size), np.float32) if batch.dtype == np.float32 else None
        self.scale = cuda.to_device(batch.layout.scale)
        self.opening = cuda.to_device(as_array(game, batch.opening).copy())
        self.wrong = cuda.mapped_array(1, np.int64)
        self.wrong[0] = NOTHING
        self.step_rows = on_device(game, batch.layout.log, actions)
        self.kernels, self.general = kernels(game, batch.layout.log), general_kernels()
        self.rows = Rows(*map(DeviceArray, self.device_rows))

    @cached_property
    def observation(self) -> DeviceArray:
        return self.rows.observation if self.floats is None else DeviceArray(self.floats)

    def to_host(self, array: Any) -> Array:
        if isinstance(array, np.ndarray):
            return array
        self.report()
        found = as_device_array(array)
        host: Array = found.copy_to_host() if found.size else np.zeros(found.shape, found.dtype)
        return host

    def read_actions(self, actions: Any) -> Any:
        """Actions for all rows as whole numbers on the GPU: from there by any library, or from the host."""
        rows = self.batch.rows
        chosen = as_device_array(actions)
        check_actions(self.batch, chosen)
        if chosen.dtype == np.int64 and chosen.is_c_contiguous():
            return chosen
        wide = cuda.device_array(rows, np.int64)
        most = chosen.dtype.type(min(LARGEST, np.iinfo(chosen.dtype).max))  # more must not become negative
        launch(self.general.widen, rows, chosen, most, wide)
        return wide

    def number_games(self, streams: Array) -> None:
        self.device_rows.stream.copy_to_device(streams)

    def report(self) -> None:
        """Refuse what a step has found illegal. Its row has been left as it was."""
        if self.wrong[0] != NOTHING:
            row, self.wrong[0] = int(self.wrong[0]), NOTHING
            self.batch.refuse_action(row, int(self.chosen[row : row + 1].copy_to_host()[0]))

    def check(self, chosen: Any) -> None:
        self.report()
        if self.batch.debug:
            launch(self.kernels.check, self.batch.rows, chosen, self.device_rows, self.wrong)
            cuda.synchronize()
            self.chosen = chosen
            self.report()

    def step(self, chosen: Any, fresh: bool, settings: Settings, *, is_reset: bool = False) -> None:
        self.chosen = chosen
        launch(
            self.step_rows, self.batch.rows, chosen, is_reset, fresh, self.device_rows, settings, self.opening,
            self.flat_records, self.numbers, self.flat, self.flat_mask, self.wrong, threads=self.threads,
        )  # fmt: skip
        self.write_floats()

    def write_floats(self) -> None:
        if self.floats is not None:
            launch(self.general.scale, self.floats.size, self.device_rows.observation, self.scale, self.floats)

    def sample(self) -> DeviceArray:
        chosen = cuda.device_array(self.batch.rows, np.int64)
        launch(self.kernels.sample, self.batch.rows, self.device_rows.legal, self.device_rows.rngs, chosen)
        return DeviceArray(chosen)

    def observe(self, seat: int) -> DeviceArray:
        return self.written(self.kernels.observe, seat)

    def reveal(self) -> DeviceArray:
        return self.written(self.kernels.reveal)

    def clues(self) -> DeviceArray:
        out = cuda.device_array((self.batch.rows, clues.size(self.batch.game)), np.uint8)
        launch(self.kernels.tell_clues, self.batch.rows, self.device_rows, out)
        return DeviceArray(out)

    def written(self, kernel: Any, *arguments: Any) -> DeviceArray:
        """Rows of columns that a kernel packs."""
        words = self.packing.words
        packed = device_zeros((self.batch.rows, words), np.uint32)
        launch(kernel, self.batch.rows, *arguments, self.device_rows, packed)
        out = cuda.device_array(self.device_rows.observation.shape, np.uint8)
        cells = out.reshape(-1).view(np.uint64)
        launch(self.general.unpack_rows, cells.size, packed.reshape(-1), words, self.numbers, cells)
        if self.floats is None:
            return DeviceArray(out)
        floats = cuda.device_array(out.shape, np.float32)
        launch(self.general.scale, floats.size, out, self.scale, floats)
        return DeviceArray(floats)

    def of_seat(self, seat: int) -> tuple[DeviceArray, DeviceArray]:
        """Observation and mask where it is this seat's turn: what others know in their turns is blank."""
        rows, seen = self.device_rows, self.device_rows.observation if self.floats is None else self.floats
        outs = [cuda.device_array(cells.shape, cells.dtype) for cells in (seen, rows.mask)]
        for cells, blank, out in zip((seen, rows.mask), (0, 1), outs, strict=True):
            launch(self.general.blank_others, out.size, cells, rows.seat, seat, blank, out)
        return DeviceArray(outs[0]), DeviceArray(outs[1])

    def guess(self, seats: Array, settings: Settings) -> None:
        launch(self.kernels.guess, self.batch.rows, cuda.to_device(seats), settings.number, self.device_rows)
        leave = cuda.to_device(np.full(self.batch.rows, LEAVE))
        self.step(leave, False, settings)  # changes nothing, and writes all that is handed out

    def take(self, other: "OnGpu", chosen: Array) -> None:
        """Copy these rows of another batch."""
        numbers = cuda.to_device(chosen)
        for mine, theirs in zip(self.device_rows, other.device_rows, strict=True):
            if mine.size:
                mine, theirs = (array.reshape(len(array), -1).view(np.uint8) for array in (mine, theirs))
                launch(self.general.gather, mine.size, theirs, numbers, mine)
        self.write_floats()

    def put(self, arrays: dict[str, Array]) -> None:
        """Take over saved arrays."""
        for name, mine in self.device_rows._asdict().items():
            if mine.size:
                saved = arrays[name]
                mine.copy_to_device(saved.view(mine.dtype).reshape(mine.shape) if name == "records" else saved)
        self.write_floats()


def as_device_array(array: Any) -> Any:
    """An array of any library as Numba's, on the GPU; one of the host is copied there."""
    if isinstance(array, DeviceArray):
        return array.array
    if hasattr(array, "__cuda_array_interface__"):
        return cuda.as_cuda_array(array)
    if hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] == 2:
        from cuda.core.utils import StridedMemoryView

        view = StridedMemoryView.from_dlpack(array, stream_ptr=-1)
        interface = {"shape": view.shape, "typestr": view.dtype.str, "data": (view.ptr, False), "version": 3}
        return cuda.as_cuda_array(SimpleNamespace(__cuda_array_interface__=interface, owner=view))
    return cuda.to_device(np.ascontiguousarray(array))
