"""Goldmine clause by clause: test_3_4_… is for GM-3.4, test_worked_1 for the first worked position of its sheet."""

from functools import partial

import pytest
from support.play import names, play, position, why

from motherlode import contract, engine, sentences, text
from motherlode.game import CHANCE, HIDDEN, OVER, UNSEEN, Event, Record, adopt, below, new_rng
from motherlode.games.goldmine import ending, rules, showing
from motherlode.games.goldmine.rules import ALL_GOLD, CARDS, DEAL, TRUMP
from motherlode.shuffles import Shuffles, seeded

goldmine = adopt(rules, "goldmine", showing)

# Seat 1 acts first, trick 0, everything dealt, no gold seen. Seat 0 has high hearts, seat 1 high clubs.
DEALT = (
    "goldmine turn=1 seats=2 target=0 phase=act first=1 left=look+discard trump=H2 led=- "
    "hand=H7+H6+C2+C3+D2+D3,C7+C6+H3+D4+D5+D6 held=6,6 gold=-,-,-,-,-,-"
)
# The same before the lead of seat 0, and with the last two cards of trick 5.
LEADING = DEALT.replace("turn=1", "turn=0").replace("phase=act", "phase=lead").replace("left=look+discard ", "")
LAST = (
    "goldmine turn=1 seats=2 target={target} phase=act deal={deal} trick=5 first=1 left=look+discard trump=H2 led=- "
    "hand=H7,C7 held=1,1 thrown=H3+H4+H5,C2+C3 played=C4+C5+D2+D3+D4,H6+D5+D6+D7+C6 threw=3,2 gold=2,3,4,5,6,7 "
    "won=0+1+2,3+4 looked=5,. points={points}"
)


def dealt() -> Record:
    return position(DEALT)[1]


def last(points: str, target: int = 0, deal: int = 0) -> Record:
    return position(LAST.format(points=points, target=target, deal=deal))[1]


def test_1_1_gold_is_worth_27() -> None:
    assert names(goldmine, play(goldmine, dealt(), "look 0")) == [f"gold {value}" for value in range(2, 8)]
    assert sum(range(2, 8)) == ALL_GOLD == 27


def test_1_2_eighteen_cards_are_played() -> None:
    assert names(goldmine, engine.start(goldmine)) == [f"trump {card}" for card in CARDS]
    assert len(CARDS) == 18 and {card[0] for card in CARDS} == set("HCD")


def test_2_1_the_deal_alternates_from_seat_0() -> None:
    s = engine.start(goldmine, target=30)
    assert (s.deal, s.first) == (0, 1)
    s = play(goldmine, last("9,11", target=30), "discard C7", "look 5", "play H7", "play H2")
    assert (s.turn, s.phase, s.deal, s.first) == (CHANCE, TRUMP, 1, 0)


def test_2_2_the_row_is_face_down() -> None:
    assert list(engine.start(goldmine).gold) == [UNSEEN] * 6
    s = dealt()
    assert names(goldmine, s)[:6] == [f"look {place}" for place in range(6)]


def test_2_3_trump_is_shown_then_six_cards_each_the_non_dealer_first() -> None:
    s = play(goldmine, engine.start(goldmine), "trump C5", "deal H2", "deal H3", "deal H4")
    assert s.trump == CARDS.index("C5") and s.phase == DEAL
    assert list(s.held) == [1, 2]
    assert text.write_position(goldmine, s).split("hand=")[1].split()[0] == "H3,H2+H4"
    assert "deal C5" not in names(goldmine, s)


def test_2_3_the_trump_card_is_drawn_last() -> None:
    s = play(goldmine, last("9,11"), "discard C7")
    assert s.turn == 0 and s.hand[1] == 1 << CARDS.index("H2")
    assert engine.view(goldmine, s, 0).hand[1] == s.hand[1]  # where it went is open


def test_3_1_trick_t_is_for_place_t() -> None:
    s = play(goldmine, dealt(), "look 3", "gold 5", "discard D2", "draw D7", "play H7", "play C6", "gold 2")
    assert (s.trick, list(s.won), list(s.points)) == (1, [1, 0], [2, 0])


def test_3_2_the_loser_chooses_and_the_other_takes_what_is_left() -> None:
    s = play(goldmine, dealt(), "look 3", "gold 5")
    assert s.turn == 0 and all(name.startswith("discard") for name in names(goldmine, s))
    assert why(goldmine, s, "look 3") == "GM-3.2"
    s = play(goldmine, dealt(), "discard D4", "draw D7")
    assert s.turn == 0 and names(goldmine, s) == [f"look {place}" for place in range(6)]
    assert why(goldmine, s, "discard D2") == "GM-3.2"
    assert why(goldmine, s, "play D2") == "GM-3.5"


def test_3_3_any_gold_still_in_the_row_may_be_looked_at_again() -> None:
    s = play(goldmine, dealt(), "look 3", "gold 5", "discard D2", "draw D7", "play H7", "play C6", "gold 2")
    assert why(goldmine, s, "look 0") == "GM-3.3"
    assert names(goldmine, s)[:5] == [f"look {place}" for place in range(1, 6)]
    s = play(goldmine, s, "look 3")
    assert list(s.shown) == [3, 5, 2] and s.turn == 0  # seat 1 sees it again; no chance is needed
    assert list(engine.view(goldmine, s, 0).shown) == [0, 0, 0]
    assert list(engine.view(goldmine, s, 0).gold) == [2, UNSEEN, UNSEEN, HIDDEN, UNSEEN, UNSEEN]


def test_3_4_discard_first_then_draw() -> None:
    s = play(goldmine, dealt(), "discard C7")
    assert s.turn == CHANCE and s.held[1] == 5
    assert "draw C7" not in names(goldmine, s) and "draw H2" not in names(goldmine, s)
    assert goldmine.told(dealt(), text.read_action(goldmine, dealt(), "discard C7"), 0) == HIDDEN
    s = last("9,11")
    assert names(goldmine, s) == ["look 5", "discard C7"]
    assert why(goldmine, s, "discard H7") == "GM-3.4"


def test_3_5_the_second_actor_leads_and_suit_need_not_be_followed() -> None:
    s = play(goldmine, dealt(), "look 3", "gold 5", "discard D2", "draw D7")
    assert s.turn == 0 and why(goldmine, s, "play C7") == "GM-3.5"
    s = play(goldmine, s, "play C2")
    assert s.turn == 1 and len(names(goldmine, s)) == 6


def winner(led: str, answer: str) -> int:
    """Who wins when seat 0 leads this card and seat 1 answers with that one, hearts being trump."""
    other = next(card for card in CARDS if card not in (led, answer))
    line = LEADING.replace("trump=H2", "trump=H4").split(" hand=")[0]
    s = position(f"{line} hand={led}+{other},{answer} held=2,1 gold=-,-,-,-,-,-")[1]
    s = play(goldmine, s, f"play {led}", f"play {answer}", "gold 2")
    assert sorted(s.points) == [0, 2]
    return int(s.points[1] == 2)


def test_3_6_the_higher_trump_else_the_higher_of_the_suit_led() -> None:
    assert [winner("H5", "H3"), winner("H3", "H5"), winner("H2", "D7"), winner("D7", "H2")] == [0, 1, 0, 1]
    assert [winner("C2", "C3"), winner("C3", "C2"), winner("C2", "D7")] == [1, 0, 0]


def test_worked_1_four_tricks() -> None:
    assert [winner("D7", "H2"), winner("C3", "D7"), winner("H3", "H5"), winner("D5", "D4")] == [1, 0, 1, 0]


def test_3_7_the_winner_takes_the_gold_and_the_loser_acts_next() -> None:
    s = play(goldmine, position(LEADING)[1], "play H7", "play C7", "gold 6")
    assert (s.turn, s.first, s.won[0], s.points[0]) == (1, 1, 1, 6)
    assert "play H7" not in names(goldmine, s) and list(s.held) == [5, 5]
    s = play(goldmine, position(LEADING)[1], "play C2", "play C7", "gold 6")
    assert (s.turn, s.first, s.points[1]) == (0, 0, 6)


def test_3_7_gold_that_was_looked_at_is_shown_to_all_when_taken() -> None:
    s = play(goldmine, dealt(), "look 0", "gold 6", "discard D2", "draw D7", "play H7")
    s = play(goldmine, s, "play C7")
    assert list(s.shown) == [0, 6, 127] and list(engine.view(goldmine, s, -1).shown) == [0, 6, 127]


def test_4_1_whoever_has_taken_more_gold_wins_the_deal() -> None:
    s = play(goldmine, last("9,11"), "discard C7", "look 5", "play H7", "play H2")
    assert s.turn == OVER and list(s.points) == [16, 11] and engine.winners(goldmine, s) == [0]
    assert engine.utility(goldmine, s) == [1.0, -1.0]


@pytest.mark.parametrize(
    ("points", "target", "over"),
    [("22,25", 30, False), ("23,24", 30, True), ("34,40", 30, True), ("22,25", 0, True), ("42,30", 50, False)],
)
def test_4_2_the_match_ends_at_the_target(points: str, target: int, over: bool) -> None:
    s = play(goldmine, last(points, target, deal=1), "discard C7", "look 5", "play H7", "play H2")
    assert (s.turn == OVER) == over
    assert why(goldmine, last(points, target), "play C7") == "GM-3.5"


def test_4_2_nothing_is_legal_when_it_is_over() -> None:
    s = play(goldmine, last("9,11"), "discard C7", "look 5", "play H7", "play H2")
    assert engine.legal(goldmine, s) == [] and goldmine.why(s, 0) == "GM-4.2"


def test_4_3_a_tie_at_the_target_goes_on() -> None:
    s = play(goldmine, last("47,54", 50, deal=3), "discard C7", "look 5", "play H7", "play H2")
    assert s.turn == CHANCE and list(s.points) == [54, 54] and s.deal == 4


def end_of_deal(row: str, won: str, points: str, options: str) -> Record:
    """A deal with this row of gold is over, seat 0 having won its last trick."""
    line = LAST.format(target=50, deal=2, points=points).replace("gold=2,3,4,5,6,7", f"gold={row}")
    s = position(line.replace("won=0+1+2,3+4", f"won={won}") + f" {options}")[1]
    return play(goldmine, s, "discard C7", "look 5", "play H7", "play H2")


@pytest.mark.parametrize(
    ("won", "gold", "kept"),
    [("0+1+2,3+4", (16, 11), (16, 0)), ("0,1+2+3+4", (9, 18), (0, 18)), (".,0+1+2+3+4", (7, 20), (0, 20))],
)
def test_4_4_both_add_their_gold_or_the_winner_of_the_deal_alone(
    won: str, gold: tuple[int, int], kept: tuple[int, int]
) -> None:
    points = f"{10 + gold[0] - 7},{20 + gold[1]}"  # 10-20 before this deal; 7 gold is still to be taken
    both = end_of_deal("2,3,4,5,6,7", won, points, "scoring=both")
    assert list(both.points) == [10 + gold[0], 20 + gold[1]]
    alone = end_of_deal("2,3,4,5,6,7", won, points, "scoring=winner")
    assert list(alone.points) == [10 + kept[0], 20 + kept[1]]


def test_4_4_gold_counts_when_it_is_taken() -> None:
    s = position(LEADING.replace("target=0", "target=0 scoring=winner"))[1]
    s = play(goldmine, s, "play H7", "play C7", "gold 6")
    assert engine.points(goldmine, s) == [6, 0]


def test_4_4_a_single_deal_ends_with_the_gold_of_its_winner() -> None:
    line = LAST.format(target=0, deal=0, points="9,11") + " scoring=winner"
    s = play(goldmine, position(line)[1], "discard C7", "look 5", "play H7", "play H2")
    assert s.turn == OVER and engine.points(goldmine, s) == [16, 0] and engine.winners(goldmine, s) == [0]
    assert goldmine.drawn(s)["before"] == [0, 0] and goldmine.drawn(s)["lost"] == [False, True]


def test_4_4_each_can_win_three_deals_before_the_last_one_of_a_long_match() -> None:
    """Three deals won with 14 gold are 42 points; the seventh deal ends the match (its number is 6)."""
    line = LAST.format(target=50, deal=5, points="37,53") + " scoring=winner"
    s = play(goldmine, position(line)[1], "discard C7", "look 5", "play H7", "play H2")
    assert (s.turn, s.deal, list(s.points)) == (CHANCE, 6, [44, 42])
    contract.check_bounds(goldmine, s)
    line = LAST.format(target=50, deal=6, points="51,53") + " scoring=winner"
    s = play(goldmine, position(line)[1], "discard C7", "look 5", "play H7", "play H2")
    assert (s.turn, list(s.points)) == (OVER, [58, 42]) and goldmine.LENGTH == 7 * 24


def test_worked_6_thirteen_gold_are_lost() -> None:
    for scoring, points in [("winner", [34, 16]), ("both", [34, 29])]:
        s = end_of_deal("2,3,4,6,7,5", "0+1+2,3+4", "29,29", f"scoring={scoring}")
        assert list(s.points) == points


def test_worked_2_the_winner_may_only_investigate_and_leads() -> None:
    s = play(goldmine, dealt(), "discard D4", "draw D7", "look 1", "gold 3")
    assert s.turn == 0 and all(name.startswith("play") for name in names(goldmine, s))


def test_worked_3_fourteen_to_thirteen() -> None:
    s = play(goldmine, last("7,13"), "discard C7", "look 5", "play H7", "play H2")
    assert list(s.points) == [14, 13] and engine.winners(goldmine, s) == [0]


@pytest.mark.parametrize(("points", "over", "winner"), [("22,25", False, None), ("23,24", True, 0), ("34,40", True, 0)])
def test_worked_4_short_matches(points: str, over: bool, winner: int | None) -> None:
    s = play(goldmine, last(points, 30, deal=2), "discard C7", "look 5", "play H7", "play H2")
    assert (s.turn == OVER) == over and engine.winners(goldmine, s) == ([] if winner is None else [winner])


def test_worked_5_six_minus_t_cards_before_the_lead_of_trick_t() -> None:
    for s, _, _ in contract.random_game(goldmine, engine.start(goldmine), new_rng(5)):
        if s.phase == goldmine.LEAD:
            assert list(s.held) == [6 - s.trick] * 2


# Sight: what `forget` leaves


def sight(s: Record, seat: int) -> Record:
    return engine.view(goldmine, s, seat, sight=True)


def cards(bits: int) -> set[str]:
    return {card for at, card in enumerate(CARDS) if bits >> at & 1}


def test_3_8_a_look_is_in_sight_until_the_next_decision() -> None:
    s = play(goldmine, dealt(), "look 3", "gold 5")
    assert [list(sight(s, seat).gold)[3] for seat in (-1, 0, 1)] == [HIDDEN, HIDDEN, 5]
    assert [list(sight(s, seat).looked) for seat in (-1, 0, 1)] == [[0, 8]] * 3
    s = play(goldmine, s, "discard D2")
    for seat in (-1, 0, 1):
        assert list(sight(s, seat).gold) == [UNSEEN] * 6 and list(sight(s, seat).looked) == [0, 0]
    assert engine.view(goldmine, s, 1).gold[3] == 5
    s = play(goldmine, dealt(), "discard D4", "draw D7", "look 1", "gold 3")
    assert (sight(s, 0).gold[1], sight(s, 1).gold[1]) == (3, HIDDEN)  # seat 0 may think of it before leading
    s = play(goldmine, s, "play C2")
    assert (sight(s, 0).gold[1], sight(s, 1).gold[1]) == (UNSEEN, UNSEEN)


def test_3_8_gold_that_another_looks_at_does_not_remind() -> None:
    s = play(goldmine, dealt(), "discard D4", "draw D7", "look 1", "gold 3", "play C2", "play C7", "gold 2")
    s = play(goldmine, s, "discard C3", "draw C4", "look 1")  # seat 1, after seat 0
    assert list(sight(s, 0).looked) == [0, 2] and sight(s, 0).gold[1] == HIDDEN and sight(s, 1).gold[1] == 3
    assert list(engine.view(goldmine, s, 0).looked) == [2, 2] and engine.view(goldmine, s, 0).gold[1] == 3


def test_3_8_a_trick_is_in_sight_until_the_next_lead() -> None:
    s = play(goldmine, position(LEADING)[1], "play H7", "play C7", "gold 6")
    for words in ("discard D4", "draw D7", "look 1", "gold 3"):
        for seat in (-1, 0, 1):
            assert [cards(played) for played in sight(s, seat).played] == [{"H7"}, {"C7"}]
        s = play(goldmine, s, words)
    s = play(goldmine, s, "play D2")
    assert [cards(played) for played in sight(s, 1).played] == [{"D2"}, set()]
    assert [cards(played) for played in engine.view(goldmine, s, 1).played] == [{"H7", "D2"}, {"C7"}]


def test_3_8_discards_lie_face_down_for_everybody() -> None:
    s = play(goldmine, dealt(), "discard D4", "draw D7")
    assert cards(engine.view(goldmine, s, 1).thrown[1]) == {"D4"}
    assert list(sight(s, 1).thrown) == [0, 0] and list(sight(s, 1).threw) == [0, 1]


def test_3_8_what_is_taken_and_the_trump_card_stay_in_sight_and_the_end_is_open() -> None:
    s = play(goldmine, last("9,11"), "discard C7")
    for seat in (-1, 0, 1):
        assert list(sight(s, seat).gold)[:5] == [2, 3, 4, 5, 6] and sight(s, seat).trump == CARDS.index("H2")
        assert cards(sight(s, seat).hand[1]) == {"H2"}
    s = play(goldmine, s, "look 5", "play H7", "play H2")
    assert s.turn == OVER and bytes(sight(s, 0)) == bytes(engine.view(goldmine, s, 0))


def test_3_8_tables_open_memory_by_default() -> None:
    assert not goldmine.REMEMBERS


def test_what_is_kept_is_remembered() -> None:
    """Each kind of thing by a bit of its own: gold seen, others' looks, cards."""
    s = play(goldmine, dealt(), "look 3", "gold 5", "discard D2", "draw D7", "play H7", "play C6", "gold 2")
    s = play(goldmine, s, "look 3", "discard C2", "draw H4", "play H6")
    for kept, gold, looked in [(0, UNSEEN, 0), (1 << 3, 5, 8), (1 << 9, UNSEEN, 0)]:
        v = engine.view(goldmine, s, 1)
        goldmine.forget(v, 1, kept)
        assert (v.gold[3], v.looked[1]) == (gold, looked)
    v = engine.view(goldmine, s, 0)
    goldmine.forget(v, 0, 1 << 9 | 1 << 12 + CARDS.index("C6") | 1 << 12 + CARDS.index("D2"))
    assert (v.gold[3], v.looked[1]) == (HIDDEN, 8)
    assert [cards(played) for played in v.played] == [{"H6"}, {"C6"}] and cards(v.thrown[0]) == {"D2"}


def test_what_brings_something_to_mind() -> None:
    recalled = goldmine.recalled_places
    assert recalled is not None

    def places(actor: int, words: str, seat: int) -> int:
        s = dealt() if actor >= 0 else engine.start(goldmine)
        return recalled(actor, text.read_action(goldmine, s, words), bytes(3), seat)

    assert places(1, "look 3", 1) == 1 << 3 and places(1, "look 3", 0) == places(1, "look 3", -1) == 1 << 9
    for words in ("play D7", "discard D7"):
        assert places(0, words, 0) == 1 << 12 + CARDS.index("D7")
    assert recalled(0, HIDDEN, bytes(3), 1) == recalled(CHANCE, 3, bytes(3), 1) == 0


@pytest.mark.parametrize("number", range(4))
def test_any_memory_can_be_guessed_from(number: int) -> None:
    """Whatever is forgotten, a guess has all cards, agrees with what is left and goes on to the end."""
    rng, steps = new_rng(number), contract.random_game(goldmine, engine.start(goldmine, target=0), new_rng(number, 1))
    for s, _, _ in steps:
        for seat in (-1, 0, 1):
            v = engine.view(goldmine, s, seat)
            goldmine.forget(v, seat, below(rng, 1 << 30))
            w = engine.copy(v)
            goldmine.guess(w, seat, rng)
            contract.check_bounds(goldmine, w)
            contract.check_sums(goldmine, w)
            for x in range(2):
                assert v.played[x] & ~w.played[x] == v.hand[x] & ~w.hand[x] == v.thrown[x] & ~w.thrown[x] == 0
                assert w.hand[x].bit_count() == s.held[x] and w.played[x].bit_count() == s.played[x].bit_count()
            engine.playout(goldmine, w, rng)
            assert sum(w.points) == ALL_GOLD


# The same deal


def dealt_by(number: int, stream: int) -> dict[tuple[int, str, int], str]:
    """What lies where in a random match of these decks: the n-th card dealt or drawn, the gold of each place."""
    shuffles, rng = Shuffles(goldmine, partial(seeded, number, 0)), new_rng(number, stream)
    s, found, drawn = engine.start(goldmine, target=50), dict[tuple[int, str, int], str](), dict[tuple[int, str], int]()
    while s.turn != OVER:
        legal = engine.legal(goldmine, s)
        a = shuffles.outcome(s) if s.turn == CHANCE else legal[below(rng, len(legal))]
        if s.turn == CHANCE:
            verb, what = text.name(goldmine, s, a).split()
            at = drawn.setdefault((s.deal, verb), 0)
            drawn[s.deal, verb] += 1
            if verb == "gold":
                at = s.trick if goldmine.PHASES[s.phase] == "prize" else s.sought
            found[s.deal, verb, at] = what
        s = engine.after(goldmine, s, a)
    return found


@pytest.mark.parametrize("number", range(3))
def test_the_same_decks_deal_the_same_however_they_are_played(number: int) -> None:
    """Trump, hands, deck and row do not depend on who looks, exchanges or wins; another seed deals otherwise."""
    one, two = dealt_by(number, 1), dealt_by(number, 2)
    both = one.keys() & two.keys()
    assert [one[place] for place in both] == [two[place] for place in both]
    assert {verb for _, verb, _ in both} == {"trump", "deal", "draw", "gold"}
    for deal in {deal for deal, _, _ in both}:
        assert sum(place[0] == deal for place in both) == 1 + 12 + 5 + 6
        assert len({one[place] for place in both if place[0] == deal and place[1] != "gold"}) == 18
    assert [one[0, verb, at] for deal, verb, at in both if not deal] != [
        one[1, v, at] for deal, v, at in both if not deal
    ]
    other = dealt_by(number + 100, 1)
    assert [one[place] for place in both] != [other.get(place) for place in both]


# Events: what came of an action, in sentences


def told(s: Record, words: str, seat: int | None = None, language: str = "en") -> list[str]:
    """What an observer is told to have come of an action."""
    events = text.tell(goldmine, s, text.read_action(goldmine, s, words), seat).events
    return [sentences.event(goldmine, event, ["Ada", "Bob"], language) for event in events]


def test_events_say_who_wins_a_trick_and_why() -> None:
    s = position(LEADING)[1]
    assert told(play(goldmine, s, "play H7"), "play C7") == [
        "Ada wins the trick: the 7 of hearts is a trump and beats the 7 of clubs"
    ]
    assert told(play(goldmine, s, "play C2"), "play C7") == [
        "Bob wins the trick: the 7 of clubs is higher than the 2 of clubs"
    ]
    assert told(play(goldmine, s, "play C2"), "play D6") == [
        "Ada wins the trick: the 6 of diamonds is of another suit than the 2 of clubs"
    ]
    assert told(play(goldmine, s, "play C2"), "play H3", language="fr") == [
        "Bob gagne le pli\u00a0: le 3 de cœur est un atout et bat le 2 de trèfle"
    ]
    assert told(play(goldmine, s, "play C2", "play D6"), "gold 6") == ["Ada takes the 6 gold of trick 1"]
    assert told(play(goldmine, s, "play C2", "play D6"), "gold 6", -1, "fr") == ["Ada prend l'or du pli 1\u00a0: 6"]


def test_events_of_looks_are_for_who_looks() -> None:
    s = play(goldmine, dealt(), "look 3")
    assert told(s, "gold 5", 1) == told(s, "gold 5") == ["Bob sees in secret: 5 gold"]
    assert told(s, "gold 5", 0) == told(s, "gold 5", -1) == []
    s = play(goldmine, s, "gold 5", "discard D2", "draw D7", "play H7", "play C6", "gold 2")
    assert told(s, "look 3", 1) == ["Bob sees in secret: 5 gold"] and told(s, "look 3", 0) == []


def test_events_of_the_last_card_and_the_end_of_a_deal() -> None:
    s = last("9,11", target=30, deal=0)
    for seat in (None, -1, 0, 1):
        assert told(s, "discard C7", seat) == ["Bob draws the trump card, the 2 of hearts"]
    s = play(goldmine, s, "discard C7", "look 5", "play H7")
    beats = "Ada wins the trick: the 7 of hearts is higher than the 2 of hearts"
    ending = [beats, "Ada takes the 7 gold of trick 6", "Ada wins the deal, 16 gold to 11"]
    stand = "Ada has 16 points so far and Bob 11: the match goes to 30"
    assert told(s, "play H2", 1) == [*ending, stand, "Deal 2: Bob deals"]
    s.scoring = goldmine.WINNER
    lost = "Only the winner of the deal keeps the gold: Bob loses 11 again"
    assert told(s, "play H2", 1) == [*ending, lost, stand.replace("11", "0"), "Deal 2: Bob deals"]
    s.scoring = goldmine.BOTH
    s.target = 0
    assert told(s, "play H2", 1) == [*ending, "Ada wins the game, 16 to 11"]
    s.scoring = goldmine.WINNER
    assert told(s, "play H2", 1) == [*ending, lost, "Ada wins the game, 16 to 0"]
    s = play(goldmine, last("47,54", 50, deal=3), "discard C7", "look 5", "play H7")
    assert told(s, "play H2", -1) == [*ending, "Both have 54: one more deal decides", "Deal 5: Ada deals"]
    assert told(s, "play H2", -1, "fr")[1:] == [
        "Ada prend l'or du pli 6\u00a0: 7",
        "Ada gagne la donne, 16 or contre 11",
        "Égalité à 54\u00a0: une donne de plus décidera",
        "Donne 5\u00a0: Ada donne",
    ]


# The sheet followed by hand


class ByHand:
    """Goldmine as its sheet tells it, in words and sets of words; it shares nothing with the rules it checks."""

    def __init__(self, target: int, scoring: str) -> None:
        self.target, self.scoring = target, scoring
        self.points, self.deals, self.trumps = [0, 0], 0, list[str]()
        self.news: list[tuple[Event, bool]] = []  # what came of the last action, and whether only its seat knows
        self.open_deal()

    def open_deal(self) -> None:
        self.first = 1 - self.deals % 2  # GM-2.1, GM-3.2: the non-dealer
        self.step, self.actor, self.tricks, self.discards = "trump", -1, 0, 0
        self.unseen = {suit + rank for suit in "HCD" for rank in "234567"}
        self.hands: list[set[str]] = [set(), set()]
        self.thrown: list[set[str]] = [set(), set()]
        self.played: list[set[str]] = [set(), set()]
        self.looked: list[set[int]] = [set(), set()]
        self.took: list[list[int]] = [[], []]
        self.taken_by: dict[int, int] = {}
        self.row: dict[int, int] = {}  # gold that somebody has seen, by place
        self.acts = ["look", "discard"]
        self.on_table: list[tuple[int, str]] = []  # the trick in sight
        self.seen_now: tuple[int, int] | None = None  # who looks where

    def legal(self) -> tuple[int, list[str]]:
        """Who is to act, and what is allowed."""
        if self.step in ("trump", "deal", "draw"):
            return CHANCE, sorted(f"{self.step} {card}" for card in self.unseen)
        if self.step in ("sight", "prize"):
            return CHANCE, sorted(f"gold {value}" for value in range(2, 8) if value not in self.row.values())
        if self.step == "over":
            return OVER, []
        if self.step == "act":
            who = self.first if len(self.acts) == 2 else 1 - self.first
            options = [f"look {place}" for place in range(self.tricks, 6)] if "look" in self.acts else []
            return who, sorted(options + [f"discard {card}" for card in self.hands[who] if "discard" in self.acts])
        who = 1 - self.first if self.step == "lead" else self.first
        return who, sorted(f"play {card}" for card in self.hands[who])

    def do(self, words: str) -> None:
        verb, what = words.split()
        self.news = []
        if self.legal()[0] >= 0:
            self.actor, self.seen_now = self.legal()[0], None
        if verb in ("trump", "deal", "draw"):
            self.unseen.remove(what)
        if verb == "trump":
            self.trump, self.step = what, "deal"
            self.trumps.append(what)
        elif verb == "deal":
            self.hands[self.first if len(self.hands[0]) == len(self.hands[1]) else 1 - self.first].add(what)
            self.step = "deal" if len(self.hands[0] | self.hands[1]) < 12 else "act"
        elif verb == "look":
            self.acts.remove("look")
            self.looked[self.actor].add(int(what))
            self.seen_now = self.actor, int(what)
            self.tell_look()
            self.step = "sight" if int(what) not in self.row else self.after_action()
        elif verb == "discard":
            self.acts.remove("discard")
            self.hands[self.actor].remove(what)
            self.thrown[self.actor].add(what)
            self.discards += 1
            if self.discards == 6:
                self.hands[self.actor].add(self.trump)
                self.tell("last", seat=self.actor, card=self.trump)
            self.step = "draw" if self.discards < 6 else self.after_action()
        elif verb == "draw":
            self.hands[self.actor].add(what)
            self.step = self.after_action()
        elif verb == "play":
            self.play(what)
        elif self.step == "sight":
            assert self.seen_now
            self.row[self.seen_now[1]] = int(what)
            self.tell_look()
            self.step = self.after_action()
        else:
            self.row[self.tricks] = int(what)
            self.end_trick()

    def tell(self, kind: str, *, secret: int = False, **args: int | str) -> None:
        self.news.append((Event(kind, {name: str(value) for name, value in args.items()}), bool(secret)))

    def tell_look(self) -> None:
        assert self.seen_now
        place = self.seen_now[1]
        if place in self.row:
            self.tell("seen", secret=True, seat=self.actor, place=place, value=self.row[place])

    def events(self, observer: int | None) -> list[Event]:
        return [event for event, secret in self.news if not secret or observer in (None, self.actor)]

    def who_is_told(self, words: str) -> set[int]:
        """The seats that are told all of an action, asked before it is done: -1 is the public."""
        verb, _ = words.split()
        if verb == "deal":
            return {self.first if len(self.hands[0]) == len(self.hands[1]) else 1 - self.first}
        if verb == "discard":
            return {self.legal()[0]}
        return {self.actor} if self.step in ("draw", "sight") else {-1, 0, 1}

    def after_action(self) -> str:
        return "act" if self.acts else "lead"

    def play(self, card: str) -> None:
        self.hands[self.actor].remove(card)
        self.played[self.actor].add(card)
        if self.step == "lead":
            self.on_table, self.step = [(self.actor, card)], "answer"
            return
        self.on_table.append((self.actor, card))
        trumps = [one for one in self.on_table if one[1][0] == self.trump[0]]
        followed = [one for one in self.on_table if one[1][0] == self.on_table[0][1][0]]
        self.winner = max(trumps or followed, key=lambda one: int(one[1][1:]))[0]  # GM-3.6
        self.taken_by[self.tricks] = self.winner
        best, worst = sorted(
            (card for _, card in self.on_table), key=lambda card: (self.winner, card) not in self.on_table
        )
        kind = "higher" if best[0] == worst[0] else "trumped" if best[0] == self.trump[0] else "unfollowed"
        self.tell(kind, seat=self.winner, card=best, beaten=worst)
        self.step = "prize"
        if self.tricks in self.row:
            self.end_trick()

    def end_trick(self) -> None:
        self.took[self.winner].append(self.row[self.tricks])
        self.points[self.winner] += self.row[self.tricks]
        self.tell("gold", seat=self.winner, place=self.tricks, points=self.row[self.tricks])
        self.first, self.tricks, self.acts, self.step = 1 - self.winner, self.tricks + 1, ["look", "discard"], "act"
        if self.tricks < 6:
            return
        loser = min((0, 1), key=lambda x: sum(self.took[x]))
        won, less = (sum(self.took[x]) for x in (1 - loser, loser))
        self.tell("deal", seat=1 - loser, n=won, less=less, deal=self.deals + 1)
        if self.scoring == "winner":
            self.points[loser] -= sum(self.took[loser])
            if self.took[loser]:
                self.tell("lost", seat=loser, points=-sum(self.took[loser]))
        self.deals += 1
        if self.target == 0 or (max(self.points) >= self.target and self.points[0] != self.points[1]):
            self.step = "over"
            self.tell("end", **self.score())
        else:
            if self.points[0] == self.points[1] >= self.target:
                self.tell("tie", n=self.points[0])
            else:
                behind = 1 - self.points.index(max(self.points))
                self.tell("stand", **self.score(), other=behind, target=self.target)
            self.tell("next", seat=self.deals % 2, n=self.deals + 1)
            self.open_deal()

    def score(self) -> dict[str, int]:
        return {"seat": self.points.index(max(self.points)), "n": max(self.points), "less": min(self.points)}

    def check(self, s: Record) -> None:
        assert (s.turn, sorted(names(goldmine, s))) == self.legal()
        assert list(s.points) == engine.points(goldmine, s) == self.points
        assert [CARDS[card] for card in (s.led, s.answered) if card >= 0] == [card for _, card in self.on_table]
        assert [cards(hand) for hand in s.hand] == self.hands and list(s.held) == [len(hand) for hand in self.hands]
        for seat in (-1, 0, 1):
            self.check_view(engine.view(goldmine, s, seat), seat, self.played, self.thrown, self.looked)
            if self.step != "over":
                in_sight = [{card for who, card in self.on_table if who == x} for x in (0, 1)]
                looks = [{self.seen_now[1]} if self.seen_now and self.seen_now[0] == x else set[int]() for x in (0, 1)]
                self.check_view(sight(s, seat), seat, in_sight, [set(), set()], looks)

    def check_view(
        self, v: Record, seat: int, played: list[set[str]], thrown: list[set[str]], looked: list[set[int]]
    ) -> None:
        """A view of a seat that is shown these cards, its own discards among these, and who looked where."""
        for x in (0, 1):
            drawn = self.hands[x] & {self.trump} if self.discards == 6 else set()
            assert cards(v.hand[x]) == (self.hands[x] if x == seat else drawn)
            assert cards(v.thrown[x]) == (thrown[x] if x == seat else set())
            assert cards(v.played[x]) == played[x]
            assert {place for place in range(6) if v.looked[x] >> place & 1} == looked[x]
        for place in range(6):
            known = place in self.taken_by or (seat >= 0 and place in looked[seat])
            hidden = HIDDEN if place in looked[0] | looked[1] and place in self.row else UNSEEN
            assert v.gold[place] == (self.row.get(place, UNSEEN) if known else hidden)


@pytest.mark.parametrize(("target", "scoring"), [(30, "both"), (50, "both"), (30, "winner"), (50, "winner")])
def test_random_matches_are_as_the_sheet_has_them(target: int, scoring: str) -> None:
    """All trump cards, long matches, and every view and sight of them."""
    trumps: set[str] = set()
    deals = 0
    for number in range(40):
        by_hand = ByHand(target, scoring)
        opening = engine.start(goldmine, target=target, scoring=scoring)
        for s, a, end in contract.random_game(goldmine, opening, new_rng(number, target)):  # noqa: B007
            by_hand.check(s)
            told = {seat for seat in (-1, 0, 1) if goldmine.told(s, a, seat) == a}
            assert told == by_hand.who_is_told(text.name(goldmine, s, a))
            by_hand.do(text.name(goldmine, s, a))
            for observer in (None, -1, 0, 1):
                assert text.tell(goldmine, s, a, observer).events == by_hand.events(observer)
        by_hand.check(end)
        assert engine.winners(goldmine, end) == [by_hand.points.index(max(by_hand.points))]
        trumps.update(by_hand.trumps)
        deals = max(deals, by_hand.deals)
    assert len(trumps) == 18 and deals >= (3 if target == 30 else 4)


@pytest.mark.parametrize("seat", [-1, 0, 1])
@pytest.mark.parametrize(("seed", "actions"), [(0, 16), (2, 20)])
def test_guess_is_exact(seat: int, seed: int, actions: int) -> None:
    opening = engine.start(goldmine, target=0)
    log = [a for _, a, _ in contract.random_game(goldmine, opening, new_rng(seed))][:actions]
    if seat == -1:  # the public sees neither hand: follow it only as far as there are few worlds
        log = log[:4]
    assert contract.check_guess(goldmine, opening, log, seat) > 1


def test_an_ending_is_solved_only_by_who_remembers_the_cards_played() -> None:
    steps = contract.random_game(goldmine, engine.start(goldmine, target=0), new_rng(5))
    last = [s for s, _, _ in steps if s.turn >= 0 and s.trick == rules.TRICKS - 1]
    s = last[-1]
    assert ending.solve(engine.view(goldmine, s, s.turn)) is not None
    assert ending.solve(engine.view(goldmine, s, s.turn, sight=True)) is None


def test_at_the_start_of_a_deal_nothing_has_been_looked_at() -> None:
    opened = 0
    for s, _, _ in contract.random_game(goldmine, engine.start(goldmine), new_rng(1)):
        if s.phase == TRUMP:
            opened += 1
            assert (s.sought, s.led, s.answered) == (UNSEEN, UNSEEN, UNSEEN)
    assert opened > 1
