"""Commands that say how strong bots are: against each other, level by level, and against a best response."""

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table as Grid

from motherlode import bots as bot_makers
from motherlode.bots import levels
from motherlode.command_line import (
    INTERRUPTED,
    AsJson,
    Cores,
    DataFile,
    GameName,
    OptionList,
    Seats,
    Seed,
    console,
    find_game,
    print_changes,
    progress_bar,
    read_options,
    title_of,
)
from motherlode.engine import Refusal
from motherlode.game import Game

app = typer.Typer()


@app.command()
def match(
    game: GameName,
    bots: Annotated[
        str, typer.Option(help="one per seat, comma-separated: baron,search:400 or py:mine:choose,cmd:./mine")
    ],
    data: DataFile = None,
    games: Annotated[int, typer.Option(help="number of games, rounded up to play every deal from every seat")] = 100,
    seed: Seed = 0,
    option: OptionList = None,
    cores: Cores = None,
    save: Annotated[Path | None, typer.Option(metavar="FOLDER", help="save the record of every game here")] = None,
    stop: Annotated[bool, typer.Option("--stop", help="stop as soon as it is clear who is best")] = False,
    limit: Annotated[float, typer.Option(help="seconds that a program may take for an answer")] = bot_makers.LIMIT,
    adjusted: Annotated[
        bool, typer.Option("--adjusted", help="also what was won without luck, which needs fewer games")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Play bots against each other: win shares, points and Elo.

    Every deal is played from every seat.
    """
    from motherlode.lab.match import match as run

    found, players = find_game(game, data), bots.split(",")
    with progress_bar(found.TITLE, games) as advance:
        answer = run(
            found, players, games=games, seed=seed, options=read_options(found, option), cores=cores, save=save,
            stop=stop, limit=limit, progress=advance, adjusted=adjusted,
        )  # fmt: skip
    if as_json:
        print(json.dumps(answer))
    else:
        print_match(answer)
    if answer["interrupted"]:
        raise typer.Exit(INTERRUPTED)


def print_match(answer: dict[str, Any]) -> None:
    grid = Grid("bot", "wins (95 %)", "points", "Elo (95 %)", "decisions", "ms each", title=title_of(answer))
    for row in answer["players"]:
        low, high = row["win_interval"]
        worse, better = row["elo_interval"]
        grid.add_row(
            row["bot"], f"{row['win_share']:.1%} ({100 * low:.0f} … {100 * high:.0f})", f"{row['mean_points']:.2f}",
            f"{row['elo']:+.0f} ({worse:+.0f} … {better:+.0f})", f"{row['decisions']:,}",
            f"{1000 * row['seconds_per_decision']:.2f}",
        )  # fmt: skip
    out = console()
    out.print(grid)
    if "adjusted" in answer["players"][0]:
        print_adjusted(out, answer["players"])
    print_changes(out, answer)
    for name in dict.fromkeys(lost["player"] for lost in answer["lost"]):
        seats = [lost for lost in answer["lost"] if lost["player"] == name]
        first = f"deal {seats[0]['deal']}, seat {seats[0]['seat']}: it {seats[0]['why']}"
        out.print(
            f"{name} lost its seat, which played on at random, {len(seats)} times; first in {first}", markup=False
        )
    out.print(f"{answer['seconds']:.1f} s")


def print_adjusted(out: Console, players: list[dict[str, Any]]) -> None:
    """What was won without luck, and how many games that saves."""
    grid = Grid("bot", "wins (95 %)", "as many games", "points (95 %)", "as many games", title="without luck")
    for row in players:
        cells = [row["bot"]]
        for name, what, digits in (("win_share", "wins", ".1%"), ("mean_points", "points", ".2f")):
            found = row["adjusted"]
            low, high = found[f"{name}_interval"]
            times = found["as_many_games"][what]
            cells += [f"{found[name]:{digits}} ({low:{digits}} … {high:{digits}})", f"{times:.1f}" if times else ""]
        grid.add_row(*cells)
    out.print(grid)


@app.command()
def ladder(
    game: GameName,
    data: DataFile = None,
    games: Annotated[int, typer.Option(help="number of games per pair of levels")] = 1000,
    seats: Seats = None,
    seed: Seed = 0,
    cores: Cores = None,
    only: Annotated[str, typer.Option(metavar="LEVEL,…", help="only these levels, and `policy` for the network")] = "",
    docs: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="save the results in the game's levels.json; rewrite ladder.md and plot"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure each level of a game against the level below, and the game's network against the baron."""
    from motherlode.lab import ladder as measuring

    found = find_game(game, data)
    if docs and not docs.is_dir():
        raise Refusal(f"there is no folder {docs}")
    if docs and found.VARIANT:
        raise Refusal(f"{found.TITLE} is a variant: its results are printed, and not saved with those of the game")
    rows: list[levels.Row] = []
    interrupted = False
    some = only.split(",") if only else []
    how: dict[str, Any] = {"games": games, "seats": seats, "seed": seed, "cores": cores, "only": some}
    with progress_bar(found.TITLE, games * len(measuring.pairs(found, some))) as advance:
        try:
            rows.extend(measuring.measure(found, **how, progress=advance))
        except KeyboardInterrupt:
            interrupted = True
    if docs and not interrupted:
        measuring.write(docs, found, rows)
    if as_json:
        print(json.dumps(rows))
    else:
        print_ladder(found, rows)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def print_ladder(found: Game, rows: list[levels.Row]) -> None:
    grid = Grid("level", "bot", "against", "score (95 %)", "games", "ms each", title=found.TITLE)
    for row in rows:
        low, high = row["interval"]
        cells = [row["level"], row["bot"], row["against"], f"{row['score']:.1%} ({100 * low:.0f} … {100 * high:.0f})"]
        grid.add_row(*cells, str(row["games"]), f"{row['milliseconds']:g}")
    console().print(grid)


@app.command()
def exploit(
    game: GameName,
    bot: Annotated[str, typer.Option(help="whom to exploit: baron, search:400, py:mine:choose, …")],
    data: DataFile = None,
    seats: Seats = None,
    option: OptionList = None,
    samples: Annotated[
        int, typer.Option(help="exactly: how often a bot that does not know its probabilities is asked at a decision")
    ] = 100,
    nodes: Annotated[
        int, typer.Option(help="exactly, if the whole game has at most this many nodes; 0: always a lower bound")
    ] = 1_000_000,
    games: Annotated[int, typer.Option(help="lower bound: games, rounded up to play every deal from every seat")] = 100,
    seed: Seed = 0,
    model: Annotated[
        str | None,
        typer.Option(help="lower bound: what the adversary takes the bot for; by default the bot, or a shorter search"),
    ] = None,
    worlds: Annotated[int, typer.Option(help="lower bound: worlds that the adversary keeps in mind")] = 32,
    leak: Annotated[
        int, typer.Option(help="lower bound: the planted weakness is at every so-many-th decision of the bot")
    ] = 2,
    learn: Annotated[
        int | None, typer.Option(help="lower bound: by a network that learns against the bot for so many decisions")
    ] = None,
    device: Annotated[str, typer.Option(help="where a network learns: cpu or cuda")] = "cpu",
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="a setting of its training; repeatable")
    ] = None,
    cores: Cores = None,
    docs: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="save the result in strength.json; rewrite strength.md")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say how much a best response wins against a bot: exactly in small games, else a lower bound.

    The lower bound is what an adversary gains that knows the bot's probabilities and searches or, with --learn, that
    has learned to play against the bot. It counts only if it has first found a weakness planted in the same bot.
    """
    from motherlode.lab import exploit as exploiting
    from motherlode.lab import strength

    found = find_game(game, data)
    if docs and not docs.is_dir():
        raise Refusal(f"there is no folder {docs}")
    if learn is not None:
        answer = learn_to_exploit(found, bot, learn, games, leak, seed, device, seats, option or [], setting or [])
    else:
        with progress_bar(found.TITLE, 2 * games) as advance:
            answer = exploiting.exploit(
                found, bot, seats=seats, options=read_options(found, option), samples=samples, nodes=nodes, model=model,
                worlds=worlds, leak=leak, games=games, seed=seed, cores=cores, progress=advance,
            )  # fmt: skip
    if docs:
        given: dict[str, Any] = {"--data": data, "--seats": seats, "--model": model, "--learn": learn}
        if answer["kind"] == "lower bound":
            usual = {"--games": (games, 100), "--seed": (seed, 0), "--worlds": (worlds, 32), "--leak": (leak, 2)}
        else:
            usual = {"--samples": (samples, 100 if answer["sampled"] else samples)}
        usual["--nodes"] = (nodes, 1_000_000)
        given |= {name: value for name, (value, default) in usual.items() if value != default}
        words = [word for name, value in given.items() if value is not None for word in (name, str(value))]
        words += ["--device", device] if learn and device != "cpu" else []
        words += [word for pair in option or [] for word in ("-o", pair)]
        words += [word for pair in setting or [] for word in ("--set", pair)]
        strength.add(docs, answer, shlex.join(["motherlode", "exploit", game, "--bot", bot, *words]))
    if as_json:
        print(json.dumps(answer))
    elif answer["kind"] == "lower bound":
        print_bound(found, answer)
    else:
        print_exploitability(found, answer)


def learn_to_exploit(
    found: Game, bot: str, decisions: int, games: int, leak: int, seed: int, device: str, seats: int | None,
    option: list[str], setting: list[str],
) -> dict[str, Any]:  # fmt: skip
    """The lower bound that a learned adversary finds."""
    from motherlode.train.settings import read_settings

    try:
        from motherlode.train import adversary
    except ImportError as missing:
        raise Refusal(f"learning needs JAX: pip install motherlode[train] ({missing})") from None
    settings = read_settings(found, setting, **adversary.SETTINGS)
    how = adversary.Adversary(found, settings, decisions, None, seed, device, seats, read_options(found, option))
    return adversary.lower_bound(
        how, bot, games=games, every=leak, tell=lambda line: print(line, file=sys.stderr, flush=True)
    )


def print_exploitability(found: Game, answer: dict[str, Any]) -> None:
    grid = Grid("seat", f"{answer['bot']} against itself", "a best response", title=found.TITLE)
    for seat, (value, best) in enumerate(zip(answer["values"], answer["best"], strict=True)):
        grid.add_row(str(seat), *(f"{round(x, 4) + 0.0:+.4f}" for x in (value, best)))  # without -0.0000
    out, seats = console(), answer["seats"]
    out.print(grid)
    out.print(f"NashConv: {answer['nash_conv']:.4f}, in the whole game of {answer['nodes']:,} nodes")
    out.print(f"exploitability: {answer['exploitability']:.4f}, {answer['share']:.2%} of the range of the utility")
    if answer["sampled"]:
        out.print(
            f"its mix was estimated by asking it {answer['samples']} times and more at each of {answer['sampled']:,} "
            "decisions: "
            f"with 95 % confidence the exploitability is off by at most {answer['error'] / seats:.2g}, and responses "
            f"found with one half of the answers gain {answer['least'] / seats:.4f} against the other half"
        )


def print_bound(found: Game, answer: dict[str, Any]) -> None:
    (low, high), planted = answer["interval"], answer["leak"]
    out = console()
    if answer["adversary"] == "learned":
        out.print(f"{found.TITLE}: {answer['model']} on {answer['device']}, against {answer['bot']}", markup=False)
    else:
        out.print(f"{found.TITLE}: a local best response by search against {answer['bot']}", markup=False)
        asked = f", asked {answer['asked']} times for its probabilities" if answer["asked"] else ""
        out.print(f"it takes the bot for {answer['model']}{asked}, in {answer['worlds']} worlds", markup=False)
    out.print(
        f"planted weakness: found, {planted['gain']:+.3f} "
        f"(95 %: {planted['interval'][0]:+.3f} … {planted['interval'][1]:+.3f}) in {planted['games']} games"
    )
    out.print(
        f"lower bound of the exploitability: {answer['exploitability']:+.3f} (95 %: {low:+.3f} … {high:+.3f}), "
        f"{answer['share']:.1%} of the range of the utility, in {answer['games']} games"
    )
    out.print(f"it wins {answer['win_share']:.1%}; the bot in its place {1 / answer['seats']:.1%}")
    if low <= 0:
        out.print("so nothing is certain to be gained: the bound is 0")
