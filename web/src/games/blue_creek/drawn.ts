// What the rules say of a view (`drawn` of motherlode/games/blue_creek/showing.py).
export interface Drawn {
  search: number | null; // the place whose gold is searched for
  found: boolean[][]; // by place: which of the things that its gold needs are found
  owned: (number[] | null)[]; // by seat: its gold cards; null where one does not know them all
  gold: (number | null)[]; // by seat: what they are worth
}
