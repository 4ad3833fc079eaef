"""Mining puzzles: decisions from games between strong players with one clearly best action, which weak bots miss.

Every decision of a game goes through sieves, the cheap ones first:

1. a short search finds a clear lead of one action, or the game's own solver an answer;
2. the two weakest levels mostly answer otherwise;
3. the lead is *proved*, where the solver computes the value of every action exactly; or else it is *found*: long
   searches that know nothing of each other agree, the gap is many times its standard error, and other opponents than
   random ones (those of playouts between players, and of a search that a network guides) say the same.

A position is judged only from what the seat to act knows. What is random follows from the seed and the number of the
game, so the same seed gives the same puzzles on any number of cores.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from math import sqrt
from statistics import mean, stdev
from typing import Any, NamedTuple

from motherlode import bots, engine
from motherlode.bots import exact, greedy, guided, levels, network, search
from motherlode.game import CHANCE, OVER, Game, Record, Rng, below, new_rng
from motherlode.lab.workers import in_processes
from motherlode.puzzles import EASIEST, HARDEST, Puzzle
from motherlode.table import Ask, Bot, Table

FEWEST = 3  # useful actions
SHORT, MIDDLE, LEAD = 800, 5000, 0.08  # iterations of the first two searches, and the lead that the first must see
SMALL, SMALL_WITH_CHANCE = 36, 9  # useful actions up to which a game's own solver is asked
LONG, SEARCHES = 10_000, 8  # iterations of a long search, and how many there are
GUIDED = 3000  # iterations of the search that a network guides
CLOSE = 1e-9
GAP, CERTAIN = 0.1, 5.0  # the gap in the chance to win, and in standard errors
BATCH, WORLDS, SURE = 16, 128, 2.0  # playouts of each action, and the standard errors by which the answer must lead
RIVALS = 2  # of the answer, which playouts look at
PLAYOUT = "search:40"  # who plays the playouts where no network does
WEAK, MISSED = ("greenhorn", "panner"), 0.5  # together these must answer right less often than that
TRIES, OF_STRONGEST = 10, 4  # of each level, and of the strongest, which may take its time
PER_GAME, APART = 4, 8  # puzzles from one game, and actions between them
AFTER, LINES = 8, 9  # actions told after the answer, and ways to go on that are looked at
FIRST_RATING, STEP = 600, 300  # of the weakest level, and from each level to the next
PER_KIND, PER_BAND, BAND = 0.6, 0.3, 200  # the most of all puzzles with one kind of answer, or of like difficulty

JUDGED = (
    f"proved: the exact value of every useful action; found: {SEARCHES} searches of {LONG} iterations agree, the gap "
    f"is at least {CERTAIN:g} standard errors, and up to {WORLDS} playouts by other players lead by {SURE:g}"
)

Values = dict[int, float]
Progress = Callable[[int], None]


class Judged(NamedTuple):
    """What every useful action of a decision is worth, and how that is known."""

    answer: int
    values: Values
    is_proved: bool

    @property
    def gap(self) -> float:
        return self.values[self.answer] - max(value for a, value in self.values.items() if a != self.answer)


class Mined(NamedTuple):
    """What came of looking for puzzles."""

    puzzles: list[Puzzle]
    games: int
    interrupted: bool


def mine(game: Game, *, games: int, seed: int, count: int, cores: int, progress: Progress | None = None) -> Mined:
    """Puzzles from games 0, 1, 2, … of a seed, until there are enough. Ctrl-C ends it with those found so far."""
    warm(game)
    collection, done, interrupted = Collection(game, count), 0, False
    work, tasks = partial(mine_game, game, seed), ((number,) for number in range(games))
    try:
        with closing(in_processes(work, tasks, cores) if cores > 1 else (work(*task) for task in tasks)) as results:
            for found in results:
                done += 1
                before = len(collection.taken)
                for puzzle in found:
                    collection.offer(puzzle)
                if progress:
                    progress(len(collection.taken) - before)
                if len(collection.taken) == count:
                    break
    except KeyboardInterrupt:
        interrupted = True
    return Mined(collection.all(), done, interrupted)


def warm(game: Game) -> None:
    """Compile what is asked."""
    for name in (*levels.names(game), PLAYOUT, f"search:{SHORT}"):
        bots.warm(name, game)
    exact.warm(game)
    greedy.warm(game)
    if network.brings(game):
        bots.warm("policy", game)
        guided.warm(game)


class Collection:
    """The puzzles taken so far: no two alike, and not too many of a kind as long as there are others."""

    def __init__(self, game: Game, count: int) -> None:
        self.game, self.count = game, count
        self.taken: list[Puzzle] = []
        self.spare: list[Puzzle] = []
        self.seen: set[tuple[int, str]] = set()
        self.of_kind: Counter[str | int] = Counter()
        self.kinds = len(game.ACTIONS.kinds)

    def offer(self, puzzle: Puzzle) -> None:
        number = len(self.taken) + len(self.spare) + 1
        puzzle = puzzle._replace(id=f"{self.game.NAME}-{number:03}")
        ask = puzzle.ask()
        seen = (ask.seat, self.game.show(ask.view))
        if seen in self.seen or len(self.taken) == self.count:
            return
        self.seen.add(seen)
        verb, band = self.game.ACTIONS.read(puzzle.answer)[0].verb, puzzle.difficulty // BAND
        shares = {band: PER_BAND} | ({verb: PER_KIND} if self.kinds > 1 else {})
        if any(self.of_kind[key] >= share * self.count for key, share in shares.items()):
            self.spare.append(puzzle)
            return
        self.of_kind.update(shares.keys())
        self.taken.append(puzzle)

    def all(self) -> list[Puzzle]:
        """Those taken and, where they are too few, spare ones."""
        return [*self.taken, *self.spare][: self.count]


# One game


def mine_game(game: Game, seed: int, number: int) -> list[Puzzle]:
    """Play a game between strong players, and look at every decision."""
    rng = new_rng(seed, number)  # of the players; a look has random numbers of its own
    seats, options = setting(game, number)
    table = Table(game, seats, seed=seed, stream=number, **options)
    follows_network = [network.brings(game) and below(rng, 3) == 0 for _ in range(seats)]
    found: list[Puzzle] = []
    while not table.is_over:
        ask = table.ask()
        shown = search.search(ask, rng, SHORT, rollout=game.LENGTH)
        is_apart = not found or table.at >= len(found[-1].actions) + APART
        if (
            len(found) < PER_GAME
            and is_apart
            and (puzzle := look(table, ask, shown, new_rng(seed, number << 20 | table.at)))
        ):
            found.append(puzzle)
        table.act(bots.make("policy", game)(ask, rng) if follows_network[ask.seat] else shown[0].action)
    return found


def setting(game: Game, number: int) -> tuple[int, dict[str, Any]]:
    """Seats and options of a game: all numbers of seats in turn, and every fifth game with one option changed."""
    seats = game.SEATS[number % len(game.SEATS)]
    others = [(option.name, value) for option in game.OPTIONS for value in option.values[1:3]]
    if number % 5 < 4 or not others:
        return seats, {}
    name, value = others[number // 5 % len(others)]
    return seats, {name: value}


def look(table: Table, ask: Ask, shown: list[search.Found], rng: Rng) -> Puzzle | None:
    """The puzzle that a decision is, if it is one; `shown` is what a short search found."""
    game = table.game
    if len(shown) < FEWEST or game.blind(ask.view):
        return None
    guess = first_answer(ask, shown, rng)
    if guess is None:
        return None
    solved_by = {level: share_right(level, ask, guess, rng) for level in WEAK}
    if mean(solved_by.values()) >= MISSED:
        return None
    is_open = is_small(game, len(shown)) and open_ending(game, ask.view) is not None
    judged = prove(ask, guess, [one.action for one in shown]) if is_open else find(ask, rng)
    if judged is None or judged.answer != guess:
        return None
    solved_by |= {level: share_right(level, ask, guess, rng) for level in levels.names(game) if level not in WEAK}
    return Puzzle(
        id="",
        options=table.options,
        seats=table.seats,
        actions=list(table.log),
        seat=ask.seat,
        answer=judged.answer,
        values={a: round(value, 3) for a, value in judged.values.items()},
        gap=round(judged.gap, 3),
        proof="proved" if judged.is_proved else "found",
        difficulty=difficulty(list(solved_by.values()), TRIES),
        solved_by={level: round(share, 3) for level, share in solved_by.items()},
        after=usual_line(table, judged.answer, rng),
    )


def first_answer(ask: Ask, shown: list[search.Found], rng: Rng) -> int | None:
    """What may be the answer, at little cost: what leads in a short search, or surely wins by the game's own solver.

    Where no chance is left, a win may be too deep for the search; where it is, solving takes longer, and has to wait.
    """
    if lead(shown) >= LEAD:
        longer = [search.search(ask, rng, MIDDLE, rollout=ask.game.LENGTH) for _ in range(2)]
        do_agree = longer[0][0].action == longer[1][0].action and min(map(lead, longer)) >= LEAD
        return longer[0][0].action if do_agree else None
    is_quick = is_small(ask.game, len(shown)) and not has_chance(ask.game)
    solved = open_ending(ask.game, ask.view) if is_quick else None
    if solved is None or win_share(solved.utility[ask.seat], ask.view.seats) < 1 - CLOSE:
        return None
    return exact.likeliest(solved.mix)


def is_small(game: Game, actions: int) -> bool:
    """Whether a decision with so many useful actions comes so late that the game's own solver is asked."""
    return actions <= (SMALL_WITH_CHANCE if has_chance(game) else SMALL)


def has_chance(game: Game) -> bool:
    """Whether chance has a part in the endings that the game's own solver answers: they are solved by expectimax."""
    return hasattr(exact.ending_of(game), "merge")


def lead(found: list[search.Found]) -> float:
    """By how much the best action wins more often than any other."""
    best, *others = found
    return best.win - max(other.win for other in others)


def share_right(level: str, ask: Ask, answer: int, rng: Rng) -> float:
    """How often a level gives this answer."""
    player = bots.make(level, ask.game)
    tries = OF_STRONGEST if level == levels.NAMES[-1] else TRIES
    return sum(player(ask, rng) == answer for _ in range(tries)) / tries


def rated_by_all(puzzle: Puzzle, number: int) -> Puzzle:
    """The puzzle with the answers of all levels that its game has now; those that it was tried by keep theirs."""
    game, ask = puzzle.game, puzzle.ask()
    rng, known = new_rng(number, int(puzzle.id.rpartition("-")[2])), puzzle.solved_by
    shares = {
        level: known[level] if level in known else round(share_right(level, ask, puzzle.answer, rng), 3)
        for level in levels.names(game)
    }
    return puzzle._replace(solved_by=shares, difficulty=difficulty(list(shares.values()), TRIES))


# Judging


def prove(ask: Ask, answer: int, useful: list[int]) -> Judged | None:
    """The exact values of all useful actions; None if the solver does not say, or this action is not best by far."""
    values: Values = {}
    for a in [answer, *(a for a in useful if a != answer)]:
        utility = exact_utility(ask.game, engine.after(ask.game, ask.view, a), ask.seat)
        if utility is None:
            return None
        values[a] = win_share(utility, ask.view.seats)
        if a != answer and values[a] > values[answer] - GAP:
            return None
    return Judged(answer, values, is_proved=True)


def exact_utility(game: Game, s: Record, seat: int) -> float | None:
    """What a position is worth to a seat; None if the solver does not say."""
    if s.turn == OVER:
        return engine.utility(game, s)[seat]
    if s.turn == CHANCE:
        whole = worth = 0.0
        for a in engine.legal(game, s):
            value = exact_utility(game, engine.after(game, s, a), seat)
            if value is None:
                return None
            whole, worth = whole + game.odds(s, a), worth + game.odds(s, a) * value
        return worth / whole
    solved = open_ending(game, s)
    return solved.utility[seat] if solved else None


def open_ending(game: Game, s: Record) -> Any:
    """What the game's own solver says of an ending in which nothing is hidden, with its `utility`.

    A solver that lists the worlds that may be is for hidden information: what is best there depends on the others.
    """
    ending = exact.ending_of(game)
    solved = ending.solve(s) if ending and not hasattr(ending, "worlds") else None
    return solved if getattr(solved, "utility", None) else None


def win_share(utility: float, seats: int) -> float:
    """The chance to win of a utility (ALL-6)."""
    return (utility * (seats - 1) + 1) / seats


def find(ask: Ask, rng: Rng) -> Judged | None:
    """The values that long searches find, if they agree, are certain, and other opponents make no difference."""
    useful = engine.useful(ask.game, ask.view)
    wins: dict[int, list[float]] = {a: [] for a in useful}
    answer = None
    for _ in range(SEARCHES):
        found = search.search(ask, rng, LONG, rollout=ask.game.LENGTH)
        for one in found:
            wins[one.action].append(one.win)
        values = {a: mean(shares) for a, shares in wins.items()}
        judged = Judged(found[0].action, values, is_proved=False)
        if judged.gap < GAP or answer not in (None, judged.answer):
            return None
        answer = judged.answer
    rivals = sorted((a for a in useful if a != answer), key=lambda a: -values[a])
    errors = {a: stdev(shares) / sqrt(SEARCHES) for a, shares in wins.items()}
    for a in rivals:
        if values[judged.answer] - values[a] < CERTAIN * sqrt(errors[judged.answer] ** 2 + errors[a] ** 2):
            return None
    return judged if others_agree(ask, judged.answer, rivals[:RIVALS], rng) else None


def others_agree(ask: Ask, answer: int, rivals: list[int], rng: Rng) -> bool:
    """Whether the answer is best against players who do not play at random, too."""
    game = ask.game
    if network.brings(game):
        guided_answer = guided.search(ask, rng, network.of(game), GUIDED)[0].action
        if guided_answer != answer:
            return False
    player = bots.make("policy" if network.brings(game) else PLAYOUT, game)
    leads: dict[int, list[float]] = {a: [] for a in rivals}
    for _ in range(WORLDS // BATCH):
        won = play_out(ask, [answer, *rivals], player, BATCH, rng)
        for a in rivals:
            leads[a] += [x - y for x, y in zip(won[answer], won[a], strict=True)]
        errors = {a: stdev([*leads[a], -1.0, 1.0]) / sqrt(len(leads[a])) for a in rivals}
        if any(mean(leads[a]) < -errors[a] for a in rivals):
            return False
        if all(mean(leads[a]) > SURE * errors[a] and mean(leads[a]) >= GAP / 2 for a in rivals):
            return True
    return False


def play_out(ask: Ask, actions: list[int], player: Bot, worlds: int, rng: Rng) -> dict[int, list[float]]:
    """What each action wins in each of the same guessed worlds, if this player sits in all seats."""
    game, won = ask.game, dict[int, list[float]]()
    guessed = [guess(ask, rng) for _ in range(worlds)]
    for a in actions:
        won[a] = []
        for world in guessed:
            s = engine.after(game, world, a)
            while s.turn != OVER:
                game.apply(s, engine.draw(game, s, rng) if s.turn == CHANCE else player(ask_at(game, s), rng))
            winners = engine.winners(game, s)
            won[a].append((ask.seat in winners) / len(winners))
    return won


def guess(ask: Ask, rng: Rng) -> Record:
    """A world that agrees with what the seat knows."""
    world = engine.copy(ask.view)
    ask.game.guess(world, ask.seat, rng)
    return world


def ask_at(game: Game, s: Record) -> Ask:
    """What the seat to act is given in a world, without a log."""
    return Ask(game, s.turn, engine.view(game, s, s.turn), engine.legal(game, s), [])


# Difficulty, and what follows


def difficulty(shares: list[float], tries: int) -> int:
    """The rating at which players of the levels' ratings would be right as often as the levels were, by Elo's formula.

    Levels are rated 600, 900, 1200 and so on. One more right answer at the easiest and one more wrong one at the
    hardest keep it finite.
    """
    ratings = [FIRST_RATING + STEP * k for k in range(len(shares))]
    games = [(rating, tries) for rating in ratings] + [(EASIEST, 1), (HARDEST, 1)]
    right = sum(shares) * tries + 1
    low, high = float(EASIEST), float(HARDEST)
    for _ in range(30):
        middle = (low + high) / 2
        expected = sum(n / (1 + 10 ** ((middle - rating) / 400)) for rating, n in games)
        low, high = (middle, high) if expected > right else (low, middle)
    return round(low)


def usual_line(table: Table, answer: int, rng: Rng) -> list[int]:
    """How strong players mostly go on after the answer, up to the last action of which something comes."""
    lines = list(continuations(table, answer, rng))
    line: list[int] = []
    while lines := [other for other in lines if len(other) > len(line)]:
        line.append(Counter(other[len(line)] for other in lines).most_common(1)[0][0])
        lines = [other for other in lines if other[: len(line)] == line]
    s, last = engine.after(table.game, table.position, answer), 0
    for k, a in enumerate(line, 1):
        t = engine.after(table.game, s, a)
        last = k if table.game.events(s, a, t) else last
        s = t
    return line[:last]


def continuations(table: Table, answer: int, rng: Rng) -> Iterator[list[int]]:
    game, player = table.game, search.bot(SHORT)
    for _ in range(LINES):
        s, line = engine.after(game, table.position, answer), list[int]()
        while s.turn != OVER and len(line) < AFTER:
            line.append(engine.draw(game, s, rng) if s.turn == CHANCE else player(ask_at(game, s), rng))
            game.apply(s, line[-1])
        yield line
