"""What a player saw of a table while it was played, and whether the finished record agrees with it.

A record alone shows that its outcomes follow from its secret. What one saw shows that it is the record of *this* game:
that the hashes are those shown before the first action, that one's own bytes were mixed in, and that nothing was
changed since. The page of a table keeps it, and lets one download it:

    {"table": "…", "seat": 0, "given": 0, "seen": [
        {"place": 0, "commitment": "…", "commitments": ["…", null], "mine": "…", "opened": true, "shares": ["…", …]},
        {"seals": 1, "at": 12, "link": "…"}, …]}

in the order in which it was seen: seals (`place` is where they begin) and heads (the link after `at` actions, as
`TableMessage.head` shows it). If the server was restored from a backup, actions that were seen may be missing from the
record; then it has another seal from there on (`proof.py`), and what was seen after that place counts as lost.
"""

import json
from typing import Any, NamedTuple

from motherlode import proof, text
from motherlode.engine import Refusal

LINK_DIGITS = 64  # of a head; what follows is the server's mark


class Finding(NamedTuple):
    is_good: bool
    words: str


class Seen(NamedTuple):
    seat: int | None
    given: int
    entries: list[dict[str, Any]]


def read(written: str) -> Seen:
    """Read a file of what was seen."""
    try:
        whole = json.loads(written)
        seat, given, entries = whole["seat"], whole["given"], whole["seen"]
        is_right = seat is None or (type(seat) is int and seat >= 0)
        is_right = is_right and isinstance(entries, list)
        is_right = is_right and all(is_head(entry) if "link" in entry else is_seal(entry) for entry in entries)
    except (ValueError, KeyError, TypeError, RecursionError):
        is_right = False
    if not is_right:
        raise Refusal("this is not what a page saw: download it on the page of the table, under Shuffle")
    return Seen(seat, given, entries)


def is_head(entry: dict[str, Any]) -> bool:
    numbers = isinstance(entry["at"], int) and isinstance(entry["seals"], int)
    return numbers and isinstance(entry["link"], str) and len(entry["link"]) >= LINK_DIGITS


def is_seal(entry: dict[str, Any]) -> bool:
    lists = isinstance(entry["commitments"], list) and isinstance(entry["shares"], list | None)
    return lists and isinstance(entry["place"], int) and isinstance(entry["commitment"], str)


def check(played: text.Played, seen: Seen) -> list[Finding]:
    """What the record has in common with what was seen, and what not."""
    proof.verify(played)  # refuses secrets that cannot be read
    if seen.seat is not None and seen.seat >= played.seats:
        raise Refusal(f"seat {seen.seat} saw this, and the record has {played.seats} seats: it is another game's")
    findings: list[Finding] = []
    numbers = {seal.commitment: n for n, seal in enumerate(played.seals)}
    links = proof.links(played)
    heads = lost = 0
    latest = -1  # the last seal of the record that was seen so far
    for n, entry in enumerate(seen.entries):
        later = [numbers.get(other["commitment"]) for other in seen.entries[n + 1 :] if "link" not in other]
        begun_anew = [played.seals[number].place for number in later if number]  # what was seen after these is lost
        if "link" not in entry:
            number = numbers.get(entry["commitment"])
            latest = max(latest, -1 if number is None else number)
            if entry["shares"] and not any("link" in other for other in seen.entries[n + 1 :]):
                findings.append(Finding(False, "no head of the log was shown when all bytes were open, or later"))
            if any(place <= entry["place"] for place in begun_anew):
                continue
            if number is None:
                findings.append(Finding(False, f"the hash seen at action {entry['place']} is not in the record"))
            else:
                findings += check_seal(played.seals[number], entry, seen.seat)
            continue
        under = played.seals[entry["seals"] - 1].place if 0 < entry["seals"] <= len(played.seals) else entry["at"]
        if any(place < entry["at"] or place <= under for place in begun_anew):
            lost += 1
            continue
        link = links.get((entry["seals"], entry["at"]))
        if link is None or link.hex() != entry["link"][:LINK_DIGITS]:
            findings.append(Finding(False, f"the log is not as it was seen after {entry['at']} actions"))
            break
        if latest < entry["seals"] - 1:
            place = played.seals[entry["seals"] - 1].place
            findings.append(Finding(False, f"from action {place} on, chance was sealed anew, and that was not shown"))
            break
        heads += 1
    if seen.given != played.given:
        words = f"{seen.given} actions were said to come from a record, and the record says {played.given}"
        findings.append(Finding(False, words))
    if all("link" in entry for entry in seen.entries):
        findings.append(Finding(False, "nothing was seen before the game began, so there is nothing to compare"))
    if heads:
        findings.append(Finding(True, f"the log agrees with all {heads} heads that were seen"))
    if lost:
        place = min(seal.place for seal in played.seals[1:])
        words = f"{lost} heads were seen of actions that a restored server lost, from action {place} on"
        findings.append(Finding(True, words))
    return findings


def check_seal(seal: text.Seal, entry: dict[str, Any], seat: int | None) -> list[Finding]:
    """A seal of the record, and what was seen of it before and after it was opened."""
    if seal.place != entry["place"]:
        return [Finding(False, f"the seal seen at action {entry['place']} is at action {seal.place} in the record")]
    findings = []
    for n, (share, commitment) in enumerate(zip(seal.shares, entry["commitments"], strict=False)):
        is_bytes = share not in (text.BOT, text.LEFT_OUT)
        if is_bytes and proof.commit(bytes.fromhex(share)) != commitment:
            findings.append(Finding(False, f"the bytes of seat {n} are not those that seat committed to"))
    if entry["shares"] is not None and tuple(entry["shares"]) != seal.shares:
        findings.append(Finding(False, "the bytes that were mixed in are not those that were shown when all were open"))
    own = seal.shares[seat] if seal.shares and seat is not None else None
    if entry.get("opened") and own != entry.get("mine"):
        was = "replaced" if own and own != text.LEFT_OUT else "left out"
        findings.append(Finding(False, f"your own bytes were opened in time, and were {was}"))
    if not seal.shares and any(entry["commitments"]):
        findings.append(Finding(False, "players took part in the shuffle, and the record has none of their bytes"))
    if findings:
        return findings
    if not seal.shares:
        return [Finding(True, "the hash is the one seen at the start; tables of version 0.1 mix in no player's bytes")]
    among = ", your own bytes among them" if own and own == entry.get("mine") else ""
    return [Finding(True, f"hashes and bytes from action {seal.place} on are those that were seen{among}")]
