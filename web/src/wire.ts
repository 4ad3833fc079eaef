// Written by `python -m motherlode.server.typescript`: do not edit.

/** Do one of the `legal` actions of the last TableMessage, whose `at` it repeats. */
export interface Act {
  do: "act";
  at: number;
  action: number;
}

/** Ask to adjourn the game. It stops, and its clock, when everybody who plays has asked. */
export interface Adjourn {
  do: "adjourn";
}

export interface ArgCard {
  name: string;
  words: string[];
}

export interface BotCard {
  name: string;
  meaning: string;
}

/** One outcome of chance, for checking in a browser: all possible outcomes, ascending, with their odds. */
export interface ChanceProof {
  at: number;
  outcomes: number[];
  odds: number[];
  action: number;
  deck: number | null;
  position: number | null;
  first: number | null;
}

export interface Chat {
  do: "chat";
  text: string;
}

export interface ChatLine {
  name: string;
  seat: number | null;
  who: string | null;
  text: string;
  made: string;
  reaction: string | null;
}

/** New lines of chat; the first message on a socket has the most recent lines. Others may follow late. */
export interface ChatMessage {
  is: "chat";
  lines: ChatLine[];
}

/** What `motherlode verify` says about a record. */
export interface Checked {
  commitment: boolean | null;
  chance: boolean | null;
  chain: boolean | null;
  words: string;
}

/** The turn clock: whose time runs, and how many seconds were left when this was sent. */
export interface Clock {
  seat: number;
  left: number;
  turn: number;
}

export interface CountedGame {
  ended: string;
  game: string;
  against: string;
  result: "won" | "drawn" | "lost";
}

/** What a seat's position was worth: as it knew it, and with everything open. */
export interface CurvePoint {
  at: number;
  known: number;
  open: number;
}

/** What lay in a deck before it was shuffled: things, and references [deck, position] to what lies elsewhere. */
export interface DeckProof {
  deck: number;
  things: (number | [number, number])[];
}

/** One action as this seat is told it. */
export interface Did {
  at: number;
  actor: number;
  action: number | null;
  verb: string;
  args: Record<string, string>;
  turned_up: TurnedUp | null;
  words: string;
  events: Event[];
}

/** What was lost per decision over many games. */
export interface ErrorRate {
  game: string | null;
  games: number;
  decisions: number;
  error: number;
  interval: [number, number];
  rating: "flawless" | "sharp" | "steady" | "shaky" | "wild" | null;
}

/** What came of an action, as far as this seat knows it. */
export interface Event {
  kind: string;
  args: Record<string, string>;
  words: string;
}

export interface FieldCard {
  name: string;
  low: number;
  high: number;
  length: number;
  meaning: string;
  words: string[];
  of_set: boolean;
  blank: boolean;
  by_seat: boolean;
  of_seats: boolean;
  largest_digit: number;
}

export interface GameCard {
  name: string;
  title: string;
  credit: string;
  rules: number;
  seats: number[];
  options: OptionCard[];
  length: number;
  has_memory: boolean;
  remembers: boolean;
  levels: LevelCard[];
}

export interface GameRecord {
  played: number;
  won: number;
  drawn: number;
  streak: number;
  longest: number;
  game: string;
  title: string;
  best: string | null;
  suits: string | null;
  levels: LevelRecord[];
  recent: ("won" | "drawn" | "lost")[];
}

/** Everything about a game: the fields of its views, what seats and chance decide, its rule sheet and clauses. */
export interface GameSheet {
  name: string;
  title: string;
  credit: string;
  rules: number;
  seats: number[];
  options: OptionCard[];
  length: number;
  has_memory: boolean;
  remembers: boolean;
  levels: LevelCard[];
  fields: FieldCard[];
  actions: KindCard[];
  outcomes: KindCard[];
  sheet: string;
  clauses: Record<string, string>;
}

export interface GuestCard {
  id: string;
  name: string;
}

/** Shown once: the token (also set as a cookie) and the code that restores the guest on another day or device. */
export interface GuestKeys {
  id: string;
  name: string;
  token: string;
  recovery: string;
}

/** An event, or a thing that was turned up. */
export interface Happening {
  kind: string;
  args: Record<string, string>;
  words: string;
}

/** The chain of the log as far as this seat has been told of it: after `at` actions, under the `seals`-th seal. */
export interface Head {
  seals: number;
  at: number;
  link: string;
}

export interface Health {
  status: "ok" | "unready" | "stopping";
  reason: string | null;
}

/** How others reach this server; told only to who asks on the server's own machine. */
export interface Here {
  only_here: boolean;
  command: string | null;
  address: string | null;
}

/** What would you do? Allowed on your turn, where the table gives hints; answered after a while by HintMessage. */
export interface Hint {
  do: "hint";
}

/** What a strong player would do, knowing only what this seat is shown; sent only to whoever asked. */
export interface HintMessage {
  is: "hint";
  at: number;
  suggestions: Suggestion[];
  words: string;
  plain: boolean;
}

/** A kind of action: numbered from `first`, the last argument running fastest. */
export interface KindCard {
  verb: string;
  first: number;
  args: ArgCard[];
  clause: string;
}

/** Leave the game to the substitute: the seat stays yours. Before the game begins the seat is open again. */
export interface Leave {
  do: "leave";
}

export interface Legal {
  action: number;
  words: string;
}

/** A guided first game: seat 0 is the learner's. The record is for going on from its end. */
export interface Lesson {
  game: string;
  seats: number;
  steps: LessonStep[];
  positions: LessonPosition[];
  record: string;
}

/** A position of the lesson as the learner sees it, what the learner may do in it, and the action that follows. */
export interface LessonPosition {
  at: number;
  turn: number;
  view: Record<string, number | number[]>;
  drawn: Record<string, unknown> | null;
  text: string | null;
  legal: Legal[];
  next: Did | null;
}

/** Said before action `at`: the sentence `say` of the game's lesson. `ring` is a spot of the board to look at. */
export interface LessonStep {
  at: number;
  say: string;
  ring: string | null;
}

/** A level of a game's bots, and how often it beats the level below (a tie counts half). */
export interface LevelCard {
  name: string;
  bot: string;
  against: string | null;
  score: number | null;
  interval: number[] | null;
  games: number | null;
}

export interface LevelRecord {
  played: number;
  won: number;
  drawn: number;
  streak: number;
  longest: number;
  against: string;
  last: string;
}

/** The log as it was told to a seat, or to the public (seat null). */
export interface Log {
  seat: number | null;
  did: Did[];
}

export interface Mistake {
  at: number;
  seat: number;
  kind: string;
  action: number;
  words: string;
  best: number;
  best_words: string;
  chance: number;
  best_chance: number;
  loss: number;
  interval: [number, number];
  remember: boolean;
  reasons: Reason[];
}

/** A position that you decided in, as your seat knew it. */
export interface MistakePosition {
  mistake: MyMistake;
  players: string[];
  view: Record<string, number | number[]>;
  drawn: Record<string, unknown> | null;
  text: string | null;
  legal: Legal[];
  log: Did[];
}

/** Let somebody (`who` of a player or of a line) say nothing more in your table's chat, or let them speak again. */
export interface Mute {
  do: "mute";
  who: string;
  muted?: boolean;
}

/** A table where you have a seat, as you see it from there. */
export interface MyGame {
  watch: boolean;
  delay: number;
  chat: boolean;
  open_memory: boolean;
  hints: boolean;
  clock: number | null;
  substitute: string | null;
  shared: boolean;
  drawn: "" | "decks";
  id: string;
  game: string;
  title: string;
  options: Record<string, number | string>;
  players: Player[];
  waiting: boolean;
  over: boolean;
  given: number;
  undone: boolean;
  closed: boolean;
  goes_on: string | null;
  adjourned: boolean;
  host: string;
  commitment: string;
  made: string;
  mine: number[];
  maker: boolean;
  turn: number | null;
  since: string | null;
  ended: string | null;
  points: number[] | null;
  result: "won" | "drawn" | "lost" | null;
}

/** Some of your games, the latest first. */
export interface MyGames {
  tables: MyGame[];
  total: number;
  next: string | null;
}

/** A mistake of yours. What would have been better is told when you have tried again. */
export interface MyMistake {
  table: string;
  seat: number;
  at: number;
  game: string;
  title: string;
  kind: string;
  loss: number;
  made: string;
  tries: number;
  step: number;
  due: string | null;
  due_now: boolean;
}

/** Your mistakes, those that are due first, and how often you err. */
export interface MyMistakes {
  mistakes: MyMistake[];
  total: number;
  due: number;
  rates: ErrorRate[];
}

/** What your games can be filtered by. */
export interface MyOpponents {
  games: string[];
  bots: string[];
  people: string[];
}

/** Your record, with every game there is. */
export interface MyRecord {
  played: number;
  won: number;
  drawn: number;
  streak: number;
  longest: number;
  games: GameRecord[];
}

export interface NewGuest {
  name: string;
}

export interface NewRecord {
  record: string;
}

/** `player` is me, link (a friend, by the link in the response), anyone, or the name of a bot. */
export interface NewSeat {
  player: string;
  program?: boolean;
  commitment?: string | null;
}

export interface NewTable {
  watch?: boolean;
  delay?: number;
  chat?: boolean;
  open_memory?: boolean;
  hints?: boolean;
  clock?: number | null;
  substitute?: string | null;
  shared?: boolean;
  game: string;
  seats: NewSeat[];
  options?: Record<string, number | string>;
  seating?: "given" | "random";
  record?: string | null;
  at?: number | null;
}

export interface NewTableCard {
  watch: boolean;
  delay: number;
  chat: boolean;
  open_memory: boolean;
  hints: boolean;
  clock: number | null;
  substitute: string | null;
  shared: boolean;
  drawn: "" | "decks";
  id: string;
  game: string;
  title: string;
  options: Record<string, number | string>;
  players: Player[];
  waiting: boolean;
  over: boolean;
  given: number;
  undone: boolean;
  closed: boolean;
  goes_on: string | null;
  adjourned: boolean;
  host: string;
  commitment: string;
  made: string;
  mine: number[];
  maker: boolean;
  links: SeatLink[];
}

/** A refusal, sent only to whoever asked; nothing has changed. */
export interface NoMessage {
  is: "no";
  no: string;
  clause: string | null;
  at: number;
  do: string | null;
}

/** Open the bytes that your seat has committed to. */
export interface OpenShare {
  share: string;
}

export interface OptionCard {
  name: string;
  values: (number | string)[];
  clause: string;
  meaning: string;
}

/** Answered by PongMessage. */
export interface Ping {
  do: "ping";
}

/** Who has a seat. */
export interface Player {
  seat: number;
  kind: "person" | "bot" | "open";
  name: string;
  who: string | null;
  shared: boolean;
  bot: string | null;
  program: boolean;
  takes: "link" | "anyone" | null;
  left: boolean;
  resigned: boolean;
  adjourns: boolean;
  warming: boolean;
}

export interface PointParts {
  start: number;
  deal: number;
  chance: number;
  own: number;
  others: number;
  result: number;
  scored: number;
}

export interface PongMessage {
  is: "pong";
}

/** Who is there: which seats have an open page, and how many spectators there are. */
export interface PresenceMessage {
  is: "presence";
  present: boolean[];
  watchers: number;
}

/** An action, and the chance to win with it. */
export interface PuzzleChance {
  action: number;
  words: string;
  chance: number;
}

/** How many puzzles a game has, and how you do at them. */
export interface PuzzleGame {
  game: string;
  title: string;
  puzzles: number;
  tried: number;
  mine: PuzzleRating | null;
}

export interface PuzzleGames {
  games: PuzzleGame[];
}

/** How often a level of the game's bots finds the answer. */
export interface PuzzleLevel {
  level: string;
  share: number;
}

export interface PuzzleOfTheDay {
  date: string;
  puzzle: PuzzleSheet;
}

/** A rating on Elo's scale: 200 points more than a puzzle's mean three right answers in four. */
export interface PuzzleRating {
  rating: number;
  margin: number;
  tries: number;
  solved: number;
}

/** A decision as its seat knows it: one of the `legal` actions is clearly best. */
export interface PuzzleSheet {
  id: string;
  game: string;
  title: string;
  seats: number;
  options: Record<string, number | string>;
  seat: number;
  at: number;
  view: Record<string, number | number[]>;
  drawn: Record<string, unknown> | null;
  text: string | null;
  legal: Legal[];
  did: Did[];
  solved: boolean | null;
}

/** What the seat is told and sees of the answer, and of what followed it. */
export interface PuzzleStep {
  at: number;
  turn: number;
  view: Record<string, number | number[]>;
  drawn: Record<string, unknown> | null;
  text: string | null;
  did: Did;
}

export interface PuzzleTry {
  action: number;
}

/** What is said to a try. */
export interface PuzzleVerdict {
  right: boolean;
  action: number;
  answer: Legal;
  proof: "proved" | "found";
  chances: PuzzleChance[];
  steps: PuzzleStep[];
  levels: PuzzleLevel[];
  puzzle: PuzzleRating;
  counts: boolean;
  before: PuzzleRating | null;
  mine: PuzzleRating | null;
}

/** A quick reaction, as a line of chat: every page says it in its own language. */
export interface React {
  do: "react";
  what: "hello" | "well_played" | "thank_you" | "oops" | "hurry_up" | "good_game";
}

/** Why another action is better: an event follows it more or less often, or it turns something up more often. */
export interface Reason {
  kind: "event" | "found";
  best: number;
  chosen: number;
  event: Happening | null;
  thing: Happening | null;
  seen_at: number | null;
}

/** Every game that counts, the first one first. */
export interface RecordExport {
  games: CountedGame[];
}

export interface Recover {
  code: string;
}

/** Every refusal over HTTP. */
export interface Refused {
  no: string;
  clause: string | null;
}

/** The same game and players again, everybody one seat further; answered to all by RematchMessage. */
export interface Rematch {
  do: "rematch";
}

/** The table of the rematch; `seat` is this socket's seat there. */
export interface RematchMessage {
  is: "rematch";
  table: string;
  seat: number | null;
}

/** Send somebody away from your table: before the game their seat opens again, later the substitute plays there. */
export interface Remove {
  do: "remove";
  who: string;
}

/** A whole game: every position as `seat` saw it (null: with everything open). */
export interface Replay {
  game: string;
  seat: number | null;
  options: Record<string, number | string>;
  players: string[];
  positions: ReplayPosition[];
  result: Result | null;
  seals: ReplaySeal[];
  facts: string;
  chain: string;
  given: number;
  drawn: "" | "decks";
  proofs: ChanceProof[];
  decks: DeckProof[];
  checked: Checked;
}

/** A position, and the action that follows it. */
export interface ReplayPosition {
  at: number;
  turn: number;
  view: Record<string, number | number[]>;
  drawn: Record<string, unknown> | null;
  text: string | null;
  described: Event[] | null;
  next: Did | null;
}

/** A seal of a record: its outcomes from `place` on follow from the secret and the shares. */
export interface ReplaySeal {
  place: number;
  commitment: string;
  secret: string;
  shares: string[];
}

/** Give the game up: it is lost for you, and over where nobody else is left to play it. */
export interface Resign {
  do: "resign";
  at: number;
}

export interface Result {
  points: number[];
  winners: number[];
  resigned: number[];
  words: string;
}

/** Go on with an adjourned game, once everybody is here; or say no to somebody who asks to adjourn. */
export interface Resume {
  do: "resume";
}

/** Sit down again and take your seat back from a bot. */
export interface Return {
  do: "return";
}

/** What a finished game was. */
export interface Review {
  version: number;
  game: string;
  players: string[];
  length: number;
  judge: Record<string, unknown>;
  seats: SeatReview[];
}

/** A review, or how far it has come: not asked for, waiting or being made, or it could not be made. */
export interface ReviewState {
  state: "none" | "working" | "done" | "failed";
  place: number | null;
  no: string | null;
  review: Review | null;
  shared: boolean;
  mine: number[];
}

/** What chance draws from, from a place of the log on: a secret of the server, and bytes of the seats. */
export interface Seal {
  place: number;
  stage: "commit" | "open" | "closed";
  commitment: string;
  commitments: (string | null)[];
  awaited: number[];
  left: number | null;
  shares: string[] | null;
  secret: string | null;
}

/** Act without a socket. */
export interface SeatAct {
  seat: number;
  at: number;
  action: number;
}

/** Takes a seat, once. The path is for a browser, the code for a program, the QR code is an SVG image. */
export interface SeatLink {
  seat: number;
  path: string;
  address: string;
  code: string;
  qr: string;
}

export interface SeatReview {
  start: number;
  deal: number;
  chance: number;
  own: number;
  others: number;
  result: number;
  seat: number;
  won: number;
  points: PointParts | null;
  curve: CurvePoint[];
  decisions: number;
  error: number | null;
  error_interval: [number, number] | null;
  rating: "flawless" | "sharp" | "steady" | "shaky" | "wild" | null;
  mistakes: Mistake[];
}

/** The last head that this client saw. If the server has lost what followed it, chance is sealed anew. */
export interface Seen {
  do: "seen";
  seals: number;
  at: number;
  link: string;
}

/** Let the table's substitute play for a seat whose player is gone. Any other player of the table may ask. */
export interface Substitute {
  do: "substitute";
  seat: number;
}

export interface Suggestion {
  action: number;
  words: string;
  win: number | null;
}

/** A table as anybody may see it. */
export interface TableCard {
  watch: boolean;
  delay: number;
  chat: boolean;
  open_memory: boolean;
  hints: boolean;
  clock: number | null;
  substitute: string | null;
  shared: boolean;
  drawn: "" | "decks";
  id: string;
  game: string;
  title: string;
  options: Record<string, number | string>;
  players: Player[];
  waiting: boolean;
  over: boolean;
  given: number;
  undone: boolean;
  closed: boolean;
  goes_on: string | null;
  adjourned: boolean;
  host: string;
  commitment: string;
  made: string;
  mine: number[];
  maker: boolean;
}

/** Everything that a seat (or, with seat null, a spectator) may know about a table now. */
export interface TableMessage {
  is: "table";
  table: string;
  game: string;
  at: number;
  seat: number | null;
  did: Did[];
  view: Record<string, number | number[]>;
  drawn: Record<string, unknown> | null;
  text: string | null;
  described: Event[] | null;
  turn: number;
  legal: Legal[];
  waiting: boolean;
  players: Player[];
  muted: string[];
  clock: Clock | null;
  result: Result | null;
  adjourned: string | null;
  given: number;
  undone: boolean;
  seal: Seal;
  head: Head | null;
  rematch: string | null;
  closed: boolean;
  goes_on: string | null;
}

export interface Tables {
  tables: TableCard[];
}

/** Take an open seat: with the code of its link, or without one if it is open to anyone. */
export interface Take {
  code?: string | null;
  program?: boolean;
  commitment?: string | null;
}

export interface Taken {
  table: string;
  seat: number;
}

export interface Tried {
  right: boolean;
  mistake: MyMistake;
  answer: Mistake;
}

/** What you would do now. */
export interface Try {
  action: number;
}

/** What an action showed this seat beyond the action itself. */
export interface TurnedUp {
  kind: string;
  args: Record<string, string>;
}

/** Take my last decision back, against bots: `at` repeats that of the last TableMessage. */
export interface Undo {
  seat: number;
  at: number;
  commitment?: string | null;
}

/** Ask which clause forbids an action; answered by WhyMessage. */
export interface Why {
  do: "why";
  action: number;
}

export interface WhyMessage {
  is: "why";
  action: number;
  clause: string | null;
  words: string;
}

export type Request = Act | Why | Chat | React | Substitute | Leave | Return | Resign | Adjourn | Resume | Rematch | Hint | Seen | Mute | Remove | Ping;

export type Reply = TableMessage | NoMessage | WhyMessage | ChatMessage | PresenceMessage | RematchMessage | HintMessage | PongMessage;

/** A view of Gold Rush at Blue Creek; blanks are -1 (unseen) and -2 (hidden). */
export interface BlueCreek {
  /** who is to act */
  turn: number;
  /** number of players */
  seats: number;
  /** what the tools of a won card do */
  tools: number;
  /** how a turned card without gold looks */
  empties: number;
  /** who decides on which side a tool lies first */
  placing: number;
  /** in which order the gold of a wrong doubt is dealt */
  dealing: number;
  /** card revealed, received or turned again: slot (8 and more: river place), card, to which seats; at the end the cards robbed, +1 */
  shown: number[];
  /** what is to be decided */
  phase: number;
  /** whose turn of play it is */
  mover: number;
  /** how many are still to be asked in the swapping round, or still to be dealt equipment */
  rest: number;
  /** the river place searched for; at a robbery the seat robbed, of gold dealt the seat that gets the next card */
  sought: number;
  /** turns in a row in which nothing new was turned, nothing won and nobody doubted */
  stale: number;
  /** cards in the pile */
  pile: number;
  /** cards out of the game, all of them empty */
  gone: number;
  /** the card on each place */
  river: number[];
  /** which card of the pile lies on each place */
  order: number[];
  /** places with a card that nobody has seen */
  concealed: number;
  /** places with open gold */
  open: number;
  /** gold cards that nobody has seen */
  unseen: number;
  /** the card in each slot */
  card: number[];
  /** the slot where that card lay first; hidden when the swaps are forgotten */
  came: number[];
  /** slots with an open tool */
  up: number;
  /** slots with an open whiskey */
  poured: number;
  /** slots whose card everybody has seen */
  revealed: number;
  /** slots whose card a seat has seen by itself */
  seen: number[];
  /** slots whose card was revealed in the last search, still in everybody's sight */
  recent: number;
  /** slots whose first card is still in its player's sight */
  first: number;
  /** slots whose card, just received in a swap, is still in its player's sight */
  got: number;
  /** gold cards a seat won or was dealt, robberies left aside */
  won: number[];
  /** how many gold cards a seat owns */
  held: number[];
  /** robberies so far */
  robberies: number;
  /** who robbed */
  robber: number[];
  /** who was robbed */
  victim: number[];
  /** of which card */
  robbed: number[];
  /** what `won` of the victim was then */
  then: number[];
}
export const BLUE_CREEK = {"words": {"tools": ["down", "stay"], "empties": ["alike", "marked"], "placing": ["chosen", "chance"], "dealing": ["place", "chosen"], "phase": ["deal", "choose", "river", "search", "swapping", "uncover", "robbing", "loot", "end", "placing", "giving"], "mover": ["0", "1", "2", "3"], "river": ["sieve", "pickaxe", "shovel", "knife", "sieve-pickaxe", "pickaxe-shovel", "shovel-knife", "sieve-knife", "sieve-pickaxe-shovel", "pickaxe-shovel-knife", "sieve-shovel-knife", "sieve-pickaxe-knife", "tooth", "teeth-2a", "teeth-2b", "teeth-3", "empty", "none"], "concealed": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"], "open": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"], "unseen": ["sieve", "pickaxe", "shovel", "knife", "sieve-pickaxe", "pickaxe-shovel", "shovel-knife", "sieve-knife", "sieve-pickaxe-shovel", "pickaxe-shovel-knife", "sieve-shovel-knife", "sieve-pickaxe-knife", "tooth", "teeth-2a", "teeth-2b", "teeth-3"], "card": ["sieve", "pickaxe", "shovel", "knife", "whiskey"], "came": ["0", "1", "2", "3", "4", "5", "6", "7"], "up": ["0", "1", "2", "3", "4", "5", "6", "7"], "poured": ["0", "1", "2", "3", "4", "5", "6", "7"], "revealed": ["0", "1", "2", "3", "4", "5", "6", "7"], "seen": ["0", "1", "2", "3", "4", "5", "6", "7"], "recent": ["0", "1", "2", "3", "4", "5", "6", "7"], "first": ["0", "1", "2", "3", "4", "5", "6", "7"], "got": ["0", "1", "2", "3", "4", "5", "6", "7"], "won": ["sieve", "pickaxe", "shovel", "knife", "sieve-pickaxe", "pickaxe-shovel", "shovel-knife", "sieve-knife", "sieve-pickaxe-shovel", "pickaxe-shovel-knife", "sieve-shovel-knife", "sieve-pickaxe-knife", "tooth", "teeth-2a", "teeth-2b", "teeth-3"], "robber": ["0", "1", "2", "3"], "victim": ["0", "1", "2", "3"], "robbed": ["sieve", "pickaxe", "shovel", "knife", "sieve-pickaxe", "pickaxe-shovel", "shovel-knife", "sieve-knife", "sieve-pickaxe-shovel", "pickaxe-shovel-knife", "sieve-shovel-knife", "sieve-pickaxe-knife", "tooth", "teeth-2a", "teeth-2b", "teeth-3"], "then": ["sieve", "pickaxe", "shovel", "knife", "sieve-pickaxe", "pickaxe-shovel", "shovel-knife", "sieve-knife", "sieve-pickaxe-shovel", "pickaxe-shovel-knife", "sieve-shovel-knife", "sieve-pickaxe-knife", "tooth", "teeth-2a", "teeth-2b", "teeth-3"]}, "actions": [{"verb": "turn", "first": 0, "clause": "BC-3.1", "args": [{"name": "place", "words": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]}]}, {"verb": "try", "first": 10, "clause": "BC-3.2", "args": [{"name": "place", "words": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]}]}, {"verb": "doubt", "first": 20, "clause": "BC-3.3", "args": []}, {"verb": "reveal", "first": 21, "clause": "BC-4.1", "args": [{"name": "slot", "words": ["0", "1", "2", "3", "4", "5", "6", "7"]}]}, {"verb": "swap", "first": 29, "clause": "BC-5.3", "args": [{"name": "own side", "words": ["left", "right"]}, {"name": "slot", "words": ["0", "1", "2", "3", "4", "5", "6", "7"]}]}, {"verb": "stop", "first": 45, "clause": "BC-5.3", "args": []}, {"verb": "rob", "first": 46, "clause": "BC-6.1", "args": [{"name": "seat", "words": ["0", "1", "2", "3"]}]}, {"verb": "place", "first": 50, "clause": "BC-2.1", "args": [{"name": "side", "words": ["left", "right"]}]}, {"verb": "give", "first": 52, "clause": "BC-6.1", "args": [{"name": "place", "words": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]}]}], "outcomes": [{"verb": "deal", "first": 0, "clause": "BC-2.1", "args": [{"name": "tool", "words": ["sieve", "pickaxe", "shovel", "knife"]}, {"name": "side", "words": ["left", "right"]}]}, {"verb": "river", "first": 8, "clause": "BC-3.1", "args": [{"name": "card", "words": ["sieve", "pickaxe", "shovel", "knife", "sieve-pickaxe", "pickaxe-shovel", "shovel-knife", "sieve-knife", "sieve-pickaxe-shovel", "pickaxe-shovel-knife", "sieve-shovel-knife", "sieve-pickaxe-knife", "tooth", "teeth-2a", "teeth-2b", "teeth-3", "empty"]}]}, {"verb": "robbed", "first": 25, "clause": "BC-6.1", "args": [{"name": "card", "words": ["sieve", "pickaxe", "shovel", "knife", "sieve-pickaxe", "pickaxe-shovel", "shovel-knife", "sieve-knife", "sieve-pickaxe-shovel", "pickaxe-shovel-knife", "sieve-shovel-knife", "sieve-pickaxe-knife", "tooth", "teeth-2a", "teeth-2b", "teeth-3"]}]}, {"verb": "tool", "first": 41, "clause": "BC-2.1", "args": [{"name": "tool", "words": ["sieve", "pickaxe", "shovel", "knife"]}]}], "memory": true, "facts": {"tools": ["sieve", "pickaxe", "shovel", "knife"], "gold": [{"what": "nugget", "worth": 1, "needs": [0]}, {"what": "nugget", "worth": 1, "needs": [1]}, {"what": "nugget", "worth": 1, "needs": [2]}, {"what": "nugget", "worth": 1, "needs": [3]}, {"what": "nugget", "worth": 2, "needs": [0, 1]}, {"what": "nugget", "worth": 2, "needs": [1, 2]}, {"what": "nugget", "worth": 2, "needs": [2, 3]}, {"what": "nugget", "worth": 2, "needs": [0, 3]}, {"what": "nugget", "worth": 3, "needs": [0, 1, 2]}, {"what": "nugget", "worth": 3, "needs": [1, 2, 3]}, {"what": "nugget", "worth": 3, "needs": [0, 2, 3]}, {"what": "nugget", "worth": 3, "needs": [0, 1, 3]}, {"what": "tooth", "worth": 1, "needs": [4]}, {"what": "tooth", "worth": 2, "needs": [4, 4]}, {"what": "tooth", "worth": 2, "needs": [4, 4]}, {"what": "tooth", "worth": 3, "needs": [4, 4, 4]}], "empty": 16, "none": 17, "slots": [[0, 1], [2, 3], [4, 5], [6, 7]], "guard": 100}} as const;

/** A view of ChinaGold; blanks are -1 (unseen) and -2 (hidden). */
export interface ChinaGold {
  /** who is to act */
  turn: number;
  /** number of players */
  seats: number;
  /** the board: how the rivers lie on the mountains */
  overlay: number;
  /** nothing: all that happens lies open */
  shown: number[];
  /** the seat whose turn it is, while the tablets are thrown too */
  active: number;
  /** the tablets thrown: 1 all, 2 all but 0/1, 3 all but 0/2, 4 none */
  stage: number;
  /** what was thrown; 0 before the throw and in stage 4 */
  throw: number;
  /** how often the tablets have been thrown */
  throws: number;
  /** sites a1-f6 with a marker face down */
  north_down: number;
  /** sites f7-k6 with a marker face down */
  south_down: number;
  /** sites a1-f6 with open gold */
  north_open: number;
  /** sites f7-k6 with open gold */
  south_open: number;
  /** gold carried off */
  gold: number[];
  /** how often a seat has reburied */
  reburied: number[];
}
export const CHINA_GOLD = {"words": {"overlay": ["valley", "gorge", "delta", "rapids", "cascade", "m0", "m1", "m2", "m3", "m4", "m5", "r1", "r2", "r4", "r5"], "active": ["0", "1"], "north_down": ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9", "e10", "f1", "f2", "f3", "f4", "f5", "f6"], "south_down": ["f7", "f8", "f9", "f10", "f11", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "g10", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "j1", "j2", "j3", "j4", "j5", "j6", "j7", "k1", "k2", "k3", "k4", "k5", "k6"], "north_open": ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9", "e10", "f1", "f2", "f3", "f4", "f5", "f6"], "south_open": ["f7", "f8", "f9", "f10", "f11", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "g10", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "j1", "j2", "j3", "j4", "j5", "j6", "j7", "k1", "k2", "k3", "k4", "k5", "k6"]}, "actions": [{"verb": "dig", "first": 0, "clause": "CG-2.2", "args": [{"name": "site", "words": ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9", "e10", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "g10", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "j1", "j2", "j3", "j4", "j5", "j6", "j7", "k1", "k2", "k3", "k4", "k5", "k6"]}]}, {"verb": "dig", "first": 91, "clause": "CG-2.2", "args": [{"name": "site", "words": ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9", "e10", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "g10", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "j1", "j2", "j3", "j4", "j5", "j6", "j7", "k1", "k2", "k3", "k4", "k5", "k6"]}, {"name": "right", "words": ["right"]}]}, {"verb": "dig", "first": 182, "clause": "CG-2.2", "args": [{"name": "site", "words": ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9", "e10", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "g10", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "j1", "j2", "j3", "j4", "j5", "j6", "j7", "k1", "k2", "k3", "k4", "k5", "k6"]}, {"name": "down-right", "words": ["down-right"]}]}, {"verb": "dig", "first": 273, "clause": "CG-2.2", "args": [{"name": "site", "words": ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9", "e10", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "g10", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "j1", "j2", "j3", "j4", "j5", "j6", "j7", "k1", "k2", "k3", "k4", "k5", "k6"]}, {"name": "down-left", "words": ["down-left"]}]}, {"verb": "rebury", "first": 364, "clause": "CG-2.3", "args": [{"name": "site", "words": ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9", "e10", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "g10", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "j1", "j2", "j3", "j4", "j5", "j6", "j7", "k1", "k2", "k3", "k4", "k5", "k6"]}]}], "outcomes": [{"verb": "throw", "first": 0, "clause": "CG-2.1", "args": [{"name": "sum", "words": ["1", "2", "3", "4", "5"]}]}], "memory": false, "facts": {"half": 46, "places": [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5], [1, 0], [1, 1], [1, 2], [1, 3], [1, 4], [1, 5], [1, 6], [2, 0], [2, 1], [2, 2], [2, 3], [2, 4], [2, 5], [2, 6], [2, 7], [3, 0], [3, 1], [3, 2], [3, 3], [3, 4], [3, 5], [3, 6], [3, 7], [3, 8], [4, 0], [4, 1], [4, 2], [4, 3], [4, 4], [4, 5], [4, 6], [4, 7], [4, 8], [4, 9], [5, 0], [5, 1], [5, 2], [5, 3], [5, 4], [5, 5], [5, 6], [5, 7], [5, 8], [5, 9], [5, 10], [6, 1], [6, 2], [6, 3], [6, 4], [6, 5], [6, 6], [6, 7], [6, 8], [6, 9], [6, 10], [7, 2], [7, 3], [7, 4], [7, 5], [7, 6], [7, 7], [7, 8], [7, 9], [7, 10], [8, 3], [8, 4], [8, 5], [8, 6], [8, 7], [8, 8], [8, 9], [8, 10], [9, 4], [9, 5], [9, 6], [9, 7], [9, 8], [9, 9], [9, 10], [10, 5], [10, 6], [10, 7], [10, 8], [10, 9], [10, 10]], "areas": ["mountain", "river"], "called": [["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q"], ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17"]], "mountains": "AAABCCDEABFCCDEBBFGGCDEEHIFIGGDDEHHIIIGJDEEKKHIIJJLEMKKKHHJLLMMKNKHJJLOMMNPPJLOONPQJLOOPQQQ", "rivers": ["CCBAAACCFBAEDCGGFBBEDGGIFIHEEDJGIIIHHEDDLJJIIHKKEEDLLJHHKKKMELJJHKNKMMLJPPNMMOLJQPNOOQQQPOO", "LJGCCCLJGGGCCLLJIIGFBLJJIIFFBALJJHIIIBAAQJPHHHHHBEAQQPKKKHEEDQPNNKKEEDPNMKKEDDOOMMMEDOOOMED", "QLLLLLQJJJLJJQQPJJJGGPPPHHIIGCONNKHIIIGCOOMNKHIFGCCOMKKKHIFFCOMKKHHBBBMMEEEBAAEEDEEEADDDDDA", "DDDDDAEEDEEEAMMEEEBAAOMKKHHBBBOMKKKHIFFCOOMNKHIFGCCONNKHIIIGCPPPHHIIGCQQPJJJGGQJJJLJJQLLLLL", "OOOMEDOOMMMEDPNMKKEDDQPNNKKEEDQQPKKKHEEDQJPHHHHHBEALJJHIIIBAALJJIIFFBALLJIIGFBLJGGGCCLJGCCC", "CCBAAACCFBAEDCGGFBBEDGGIFIHEEDJGIIIHHEDDLJJIIHKKEEDLLJHHKKKMELJJHKNKMMLJPPNMMOLJQPNOOQQQPOO", "LJGCCCLJGGGCCLLJIIGFBLJJIIFFBALJJHIIIBAAQJPHHHHHBEAQQPKKKHEEDQPNNKKEEDPNMKKEDDOOMMMEDOOOMED", "QLLLLLQJJJLJJQQPJJJGGPPPHHIIGCONNKHIIIGCOOMNKHIFGCCOMKKKHIFFCOMKKHHBBBMMEEEBAAEEDEEEADDDDDA", "OOPQQQOONPQJLOMMNPPJLMMKNKHJJLEMKKKHHJLLDEEKKHIIJJLDDEHHIIIGJDEEHIFIGGDEBBFGGCDEABFCCAAABCC", "DEMOOODEMMMOODDEKKMNPDEEKKNNPQDEEHKKKPQQAEBHHHHHPJQAABIIIHJJLABFFIIJJLBFGIIJLLCCGGGJLCCCGJL", "ADDDDDAEEEDEEAABEEEMMBBBHHKKMOCFFIHKKKMOCCGFIHKNMOOCGIIIHKNNOCGIIHHPPPGGJJJPQQJJLJJJQLLLLLQ", "DDDDDAEEDEEEAMMEEEBAAOMKKHHBBBOMKKKHIFFCOOMNKHIFGCCONNKHIIIGCPPPHHIIGCQQPJJJGGQJJJLJJQLLLLL", "OOOMEDOOMMMEDPNMKKEDDQPNNKKEEDQQPKKKHEEDQJPHHHHHBEALJJHIIIBAALJJIIFFBALLJIIGFBLJGGGCCLJGCCC", "LLLLLQJJLJJJQGGJJJPQQCGIIHHPPPCGIIIHKNNOCCGFIHKNMOOCFFIHKKKMOBBBHHKKMOAABEEEMMAEEEDEEADDDDD", "CCCGJLCCGGGJLBFGIIJLLABFFIIJJLAABIIIHJJLAEBHHHHHPJQDEEHKKKPQQDEEKKNNPQDDEKKMNPDEMMMOODEMOOO"], "ways": ["right", "down-right", "down-left"], "next": [[1, 2, 3, 4, 5, -1, 7, 8, 9, 10, 11, 12, -1, 14, 15, 16, 17, 18, 19, 20, -1, 22, 23, 24, 25, 26, 27, 28, 29, -1, 31, 32, 33, 34, 35, 36, 37, 38, 39, -1, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, -1, 52, 53, 54, 55, 56, 57, 58, 59, 60, -1, 62, 63, 64, 65, 66, 67, 68, 69, -1, 71, 72, 73, 74, 75, 76, 77, -1, 79, 80, 81, 82, 83, 84, -1, 86, 87, 88, 89, 90, -1], [7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20, 22, 23, 24, 25, 26, 27, 28, 29, 31, 32, 33, 34, 35, 36, 37, 38, 39, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, -1, 61, 62, 63, 64, 65, 66, 67, 68, 69, -1, 70, 71, 72, 73, 74, 75, 76, 77, -1, 78, 79, 80, 81, 82, 83, 84, -1, 85, 86, 87, 88, 89, 90, -1, -1, -1, -1, -1, -1, -1], [6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26, 27, 28, 30, 31, 32, 33, 34, 35, 36, 37, 38, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, -1, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, -1, 61, 62, 63, 64, 65, 66, 67, 68, 69, -1, 70, 71, 72, 73, 74, 75, 76, 77, -1, 78, 79, 80, 81, 82, 83, 84, -1, 85, 86, 87, 88, 89, 90, -1, -1, -1, -1, -1, -1]], "tablets": ["0/1", "0/2", "1/2"], "in_use": [[0, 1, 2], [1, 2], [0, 2], []]}} as const;

/** A view of Claimpoker; blanks are -1 (unseen) and -2 (hidden). */
export interface Claimpoker {
  /** who is to act */
  turn: number;
  /** number of players */
  seats: number;
  /** points as the printed example or as the prose counts them */
  scoring: number;
  /** tops turned up at the set-up */
  open: number;
  /** two cards from two piles, or also two from one */
  piles: number;
  /** doubles on fixed piles, or by chance on either of their two */
  doubles: number;
  /** whether a +1 and a -1 that cancel are back in the next round or gone from the game */
  cancelled: number;
  /** always 0: every card is turned up by a chance outcome that everybody sees */
  shown: number[];
  /** what is to be decided, once what is due is turned up */
  phase: number;
  /** rounds finished before this one */
  round: number;
  /** the seat whose turn it is */
  mover: number;
  /** what chance turns up now, in this order: tops, the card beneath a taken top */
  due: number;
  /** cards in each pile, without taken ones */
  left: number[];
  /** how many of the ten lie unseen in each pile */
  dealt: number[];
  /** the open card on each pile, or the one just taken from it */
  top: number[];
  /** the piles taken from, from left to right; the gift's alone in phase answer */
  taken: number[];
  /** cards nobody has seen */
  unseen: number;
  /** cards before each player */
  held: number[];
  /** the card that was rejected */
  gone: number;
  /** points of finished rounds */
  points: number[];
  /** the card taken from beneath the top of the same pile */
  beneath: number;
  /** doubles that chance is still to place, the last ones */
  unplaced: number;
  /** doubles that lie unseen in the pile of their second kind */
  moved: number;
  /** pairs of +1 and -1 that have left the game */
  pairs: number;
}
export const CLAIMPOKER = {"words": {"scoring": ["example", "text"], "open": ["first", "all"], "piles": ["two", "any"], "doubles": ["fixed", "either"], "cancelled": ["back", "gone"], "phase": ["take", "give", "answer", "end"], "due": ["sieve", "whiskey", "pickaxe", "shovel", "knife", "rifle", "beneath"], "top": ["sieve1", "sieve2", "sieve3", "whiskey1", "whiskey2", "whiskey3", "pickaxe1", "pickaxe2", "pickaxe3", "shovel1", "shovel2", "shovel3", "knife1", "knife2", "knife3", "rifle1", "rifle2", "rifle3", "sieve-rifle", "whiskey-pickaxe", "pickaxe-sieve", "shovel-knife", "knife-whiskey", "rifle-shovel", "plus", "minus", "knife-whiskey-sieve", "pickaxe-shovel-rifle", "nugget1", "nugget3", "tooth1", "tooth3"], "taken": ["sieve", "whiskey", "pickaxe", "shovel", "knife", "rifle"], "unseen": ["sieve1", "sieve1b", "sieve2", "sieve2b", "sieve3", "sieve3b", "whiskey1", "whiskey1b", "whiskey2", "whiskey2b", "whiskey3", "whiskey3b", "pickaxe1", "pickaxe1b", "pickaxe2", "pickaxe2b", "pickaxe3", "pickaxe3b", "shovel1", "shovel1b", "shovel2", "shovel2b", "shovel3", "shovel3b", "knife1", "knife1b", "knife2", "knife2b", "knife3", "knife3b", "rifle1", "rifle1b", "rifle2", "rifle2b", "rifle3", "rifle3b", "sieve-rifle", "whiskey-pickaxe", "pickaxe-sieve", "shovel-knife", "knife-whiskey", "rifle-shovel", "plus", "plusb", "minus", "minusb", "knife-whiskey-sieve", "pickaxe-shovel-rifle", "nugget1", "nugget3", "tooth1", "tooth3"], "held": ["sieve1", "sieve1b", "sieve2", "sieve2b", "sieve3", "sieve3b", "whiskey1", "whiskey1b", "whiskey2", "whiskey2b", "whiskey3", "whiskey3b", "pickaxe1", "pickaxe1b", "pickaxe2", "pickaxe2b", "pickaxe3", "pickaxe3b", "shovel1", "shovel1b", "shovel2", "shovel2b", "shovel3", "shovel3b", "knife1", "knife1b", "knife2", "knife2b", "knife3", "knife3b", "rifle1", "rifle1b", "rifle2", "rifle2b", "rifle3", "rifle3b", "sieve-rifle", "whiskey-pickaxe", "pickaxe-sieve", "shovel-knife", "knife-whiskey", "rifle-shovel", "plus", "plusb", "minus", "minusb", "knife-whiskey-sieve", "pickaxe-shovel-rifle", "nugget1", "nugget3", "tooth1", "tooth3"], "gone": ["sieve1", "sieve2", "sieve3", "whiskey1", "whiskey2", "whiskey3", "pickaxe1", "pickaxe2", "pickaxe3", "shovel1", "shovel2", "shovel3", "knife1", "knife2", "knife3", "rifle1", "rifle2", "rifle3", "sieve-rifle", "whiskey-pickaxe", "pickaxe-sieve", "shovel-knife", "knife-whiskey", "rifle-shovel", "plus", "minus", "knife-whiskey-sieve", "pickaxe-shovel-rifle", "nugget1", "nugget3", "tooth1", "tooth3"], "beneath": ["none", "sieve1", "sieve2", "sieve3", "whiskey1", "whiskey2", "whiskey3", "pickaxe1", "pickaxe2", "pickaxe3", "shovel1", "shovel2", "shovel3", "knife1", "knife2", "knife3", "rifle1", "rifle2", "rifle3", "sieve-rifle", "whiskey-pickaxe", "pickaxe-sieve", "shovel-knife", "knife-whiskey", "rifle-shovel", "plus", "minus", "knife-whiskey-sieve", "pickaxe-shovel-rifle", "nugget1", "nugget3", "tooth1", "tooth3"], "moved": ["sieve-rifle", "whiskey-pickaxe", "pickaxe-sieve", "shovel-knife", "knife-whiskey", "rifle-shovel"]}, "actions": [{"verb": "take", "first": 0, "clause": "CP-3.1", "args": [{"name": "piles", "words": ["sieve whiskey", "sieve pickaxe", "sieve shovel", "sieve knife", "sieve rifle", "whiskey pickaxe", "whiskey shovel", "whiskey knife", "whiskey rifle", "pickaxe shovel", "pickaxe knife", "pickaxe rifle", "shovel knife", "shovel rifle", "knife rifle"]}]}, {"verb": "give", "first": 15, "clause": "CP-3.2", "args": [{"name": "which", "words": ["first", "second"]}, {"name": "seat", "words": ["0", "1", "2", "3", "4"]}]}, {"verb": "accept", "first": 25, "clause": "CP-3.4", "args": []}, {"verb": "reject", "first": 26, "clause": "CP-3.4", "args": []}, {"verb": "take", "first": 27, "clause": "CP-3.1", "args": [{"name": "pile", "words": ["sieve", "whiskey", "pickaxe", "shovel", "knife", "rifle"]}, {"name": "twice", "words": ["twice"]}]}], "outcomes": [{"verb": "turn", "first": 0, "clause": "CP-2.3", "args": [{"name": "card", "words": ["sieve1", "sieve2", "sieve3", "whiskey1", "whiskey2", "whiskey3", "pickaxe1", "pickaxe2", "pickaxe3", "shovel1", "shovel2", "shovel3", "knife1", "knife2", "knife3", "rifle1", "rifle2", "rifle3", "sieve-rifle", "whiskey-pickaxe", "pickaxe-sieve", "shovel-knife", "knife-whiskey", "rifle-shovel", "plus", "minus", "knife-whiskey-sieve", "pickaxe-shovel-rifle", "nugget1", "nugget3", "tooth1", "tooth3"]}]}, {"verb": "place", "first": 32, "clause": "CP-2.1", "args": [{"name": "where", "words": ["sieve-rifle sieve", "sieve-rifle rifle", "whiskey-pickaxe whiskey", "whiskey-pickaxe pickaxe", "pickaxe-sieve pickaxe", "pickaxe-sieve sieve", "shovel-knife shovel", "shovel-knife knife", "knife-whiskey knife", "knife-whiskey whiskey", "rifle-shovel rifle", "rifle-shovel shovel"]}]}], "memory": false, "facts": {"kinds": ["sieve", "whiskey", "pickaxe", "shovel", "knife", "rifle", "nugget", "tooth"], "piles": ["sieve", "whiskey", "pickaxe", "shovel", "knife", "rifle"], "looks": [{"name": "sieve1", "figure": 1, "kinds": [0], "adds": 0}, {"name": "sieve2", "figure": 2, "kinds": [0], "adds": 0}, {"name": "sieve3", "figure": 3, "kinds": [0], "adds": 0}, {"name": "whiskey1", "figure": 1, "kinds": [1], "adds": 0}, {"name": "whiskey2", "figure": 2, "kinds": [1], "adds": 0}, {"name": "whiskey3", "figure": 3, "kinds": [1], "adds": 0}, {"name": "pickaxe1", "figure": 1, "kinds": [2], "adds": 0}, {"name": "pickaxe2", "figure": 2, "kinds": [2], "adds": 0}, {"name": "pickaxe3", "figure": 3, "kinds": [2], "adds": 0}, {"name": "shovel1", "figure": 1, "kinds": [3], "adds": 0}, {"name": "shovel2", "figure": 2, "kinds": [3], "adds": 0}, {"name": "shovel3", "figure": 3, "kinds": [3], "adds": 0}, {"name": "knife1", "figure": 1, "kinds": [4], "adds": 0}, {"name": "knife2", "figure": 2, "kinds": [4], "adds": 0}, {"name": "knife3", "figure": 3, "kinds": [4], "adds": 0}, {"name": "rifle1", "figure": 1, "kinds": [5], "adds": 0}, {"name": "rifle2", "figure": 2, "kinds": [5], "adds": 0}, {"name": "rifle3", "figure": 3, "kinds": [5], "adds": 0}, {"name": "sieve-rifle", "figure": 0, "kinds": [0, 5], "adds": 0}, {"name": "whiskey-pickaxe", "figure": 0, "kinds": [1, 2], "adds": 0}, {"name": "pickaxe-sieve", "figure": 0, "kinds": [2, 0], "adds": 0}, {"name": "shovel-knife", "figure": 0, "kinds": [3, 4], "adds": 0}, {"name": "knife-whiskey", "figure": 0, "kinds": [4, 1], "adds": 0}, {"name": "rifle-shovel", "figure": 0, "kinds": [5, 3], "adds": 0}, {"name": "plus", "figure": 0, "kinds": [], "adds": 1}, {"name": "minus", "figure": 0, "kinds": [], "adds": -1}, {"name": "knife-whiskey-sieve", "figure": 0, "kinds": [4, 1, 0], "adds": 0}, {"name": "pickaxe-shovel-rifle", "figure": 0, "kinds": [2, 3, 5], "adds": 0}, {"name": "nugget1", "figure": 1, "kinds": [6], "adds": 0}, {"name": "nugget3", "figure": 3, "kinds": [6], "adds": 0}, {"name": "tooth1", "figure": 1, "kinds": [7], "adds": 0}, {"name": "tooth3", "figure": 3, "kinds": [7], "adds": 0}]}} as const;

/** A view of Gold Hunting; blanks are -1 (unseen) and -2 (hidden). */
export interface GoldHunting {
  /** who is to act */
  turn: number;
  /** number of players */
  seats: number;
  /** whether the heights of piles are open */
  heights: number;
  /** the least stack, in gold, that can break down */
  breakdown: number;
  /** a range falls after one lift in this many; 0 is never */
  accident: number;
  /** whether to take the piece of a break-down is asked under breakdown=3 */
  taking: number;
  /** what the last decision showed to all: the piece lifted; the marker of a Gold Rush; 1 if that pile is gone or, of two ranges to be built, one is done, 2 if the screen has gone; then the heights that this laid open */
  shown: number[];
  /** what is to be decided */
  phase: number;
  /** the pieces of a pile as digits, from the bottom up; 0 does not stand */
  pile: number[];
  /** gold in a pile */
  height: number[];
  /** pieces of a range not built in yet, or knocked over */
  unbuilt: number[];
  /** pieces of a range not lifted yet, standing or unbuilt */
  left: number[];
  /** pieces in the stack of a seat */
  stack: number[];
  /** pieces a seat has kept */
  kept: number[];
  /** pieces in the box */
  box: number[];
  /** the piece of a break-down while it is asked whether to take it, else 0 */
  lifted: number;
  /** the Gold Rush marker a seat has drawn */
  marker: number[];
  /** what became of a seat's marker */
  used: number[];
}
export const GOLD_HUNTING = {"words": {"heights": ["open", "hidden"], "taking": ["asked", "always"], "phase": ["markers", "building", "mining", "taking", "accident", "rebuilding", "end"], "used": ["unused", "up", "failed", "kept"]}, "actions": [{"verb": "place", "first": 0, "clause": "GH-2.1", "args": [{"name": "size", "words": ["1", "2", "3"]}, {"name": "pile", "words": ["0", "1", "2", "3"]}]}, {"verb": "mine", "first": 12, "clause": "GH-3.2", "args": [{"name": "size", "words": ["1", "2", "3"]}, {"name": "pile", "words": ["0", "1", "2", "3"]}]}, {"verb": "rush", "first": 24, "clause": "GH-3.5", "args": [{"name": "pile", "words": ["0", "1", "2", "3"]}]}, {"verb": "keep", "first": 28, "clause": "GH-3.6", "args": []}, {"verb": "take", "first": 29, "clause": "GH-3.4", "args": []}, {"verb": "leave", "first": 30, "clause": "GH-3.4", "args": []}], "outcomes": [{"verb": "marker", "first": 0, "clause": "GH-1.2", "args": [{"name": "number", "words": ["1", "2", "3"]}]}, {"verb": "stand", "first": 3, "clause": "GH-4.1", "args": []}, {"verb": "fall", "first": 4, "clause": "GH-4.1", "args": []}], "memory": false, "facts": {"sizes": [1, 2, 3], "piles": [0, 1, 2, 3]}} as const;

/** A view of Goldmine; blanks are -1 (unseen) and -2 (hidden). */
export interface Goldmine {
  /** who is to act */
  turn: number;
  /** number of players */
  seats: number;
  /** points that end the match; 0 is a single deal */
  target: number;
  /** who adds the gold of a deal: both, or only its winner */
  scoring: number;
  /** what the last action turned up besides its own words: place, value, to which seats */
  shown: number[];
  /** what is to be decided */
  phase: number;
  /** deals finished; the dealer is this mod 2 */
  deal: number;
  /** tricks finished, and the row place of the current gold */
  trick: number;
  /** the seat that acts first in this trick; the other one leads */
  first: number;
  /** actions still to be taken in this trick */
  left: number;
  /** the row place just looked at, until the next decision */
  sought: number;
  /** the deck's last card, open */
  trump: number;
  /** the card led, until the next lead */
  led: number;
  /** the card that answered it */
  answered: number;
  /** cards in hand */
  hand: number[];
  /** cards discarded */
  thrown: number[];
  /** cards played */
  played: number[];
  /** how many cards are in hand */
  held: number[];
  /** how many cards were discarded */
  threw: number[];
  /** the gold card of each row place */
  gold: number[];
  /** row places a seat has looked at */
  looked: number[];
  /** row places whose gold a seat has taken */
  won: number[];
  /** points of the deals before, and the gold taken in this one */
  points: number[];
}
export const GOLDMINE = {"words": {"scoring": ["both", "winner"], "phase": ["trump", "deal", "act", "draw", "sight", "lead", "answer", "prize", "end"], "first": ["0", "1"], "left": ["look", "discard"], "sought": ["0", "1", "2", "3", "4", "5"], "trump": ["H2", "H3", "H4", "H5", "H6", "H7", "C2", "C3", "C4", "C5", "C6", "C7", "D2", "D3", "D4", "D5", "D6", "D7"], "led": ["H2", "H3", "H4", "H5", "H6", "H7", "C2", "C3", "C4", "C5", "C6", "C7", "D2", "D3", "D4", "D5", "D6", "D7"], "answered": ["H2", "H3", "H4", "H5", "H6", "H7", "C2", "C3", "C4", "C5", "C6", "C7", "D2", "D3", "D4", "D5", "D6", "D7"], "hand": ["H2", "H3", "H4", "H5", "H6", "H7", "C2", "C3", "C4", "C5", "C6", "C7", "D2", "D3", "D4", "D5", "D6", "D7"], "thrown": ["H2", "H3", "H4", "H5", "H6", "H7", "C2", "C3", "C4", "C5", "C6", "C7", "D2", "D3", "D4", "D5", "D6", "D7"], "played": ["H2", "H3", "H4", "H5", "H6", "H7", "C2", "C3", "C4", "C5", "C6", "C7", "D2", "D3", "D4", "D5", "D6", "D7"], "looked": ["0", "1", "2", "3", "4", "5"], "won": ["0", "1", "2", "3", "4", "5"]}, "actions": [{"verb": "look", "first": 0, "clause": "GM-3.3", "args": [{"name": "place", "words": ["0", "1", "2", "3", "4", "5"]}]}, {"verb": "discard", "first": 6, "clause": "GM-3.4", "args": [{"name": "card", "words": ["H2", "H3", "H4", "H5", "H6", "H7", "C2", "C3", "C4", "C5", "C6", "C7", "D2", "D3", "D4", "D5", "D6", "D7"]}]}, {"verb": "play", "first": 24, "clause": "GM-3.5", "args": [{"name": "card", "words": ["H2", "H3", "H4", "H5", "H6", "H7", "C2", "C3", "C4", "C5", "C6", "C7", "D2", "D3", "D4", "D5", "D6", "D7"]}]}], "outcomes": [{"verb": "trump", "first": 0, "clause": "GM-2.3", "args": [{"name": "card", "words": ["H2", "H3", "H4", "H5", "H6", "H7", "C2", "C3", "C4", "C5", "C6", "C7", "D2", "D3", "D4", "D5", "D6", "D7"]}]}, {"verb": "deal", "first": 18, "clause": "GM-2.3", "args": [{"name": "card", "words": ["H2", "H3", "H4", "H5", "H6", "H7", "C2", "C3", "C4", "C5", "C6", "C7", "D2", "D3", "D4", "D5", "D6", "D7"]}]}, {"verb": "draw", "first": 36, "clause": "GM-3.4", "args": [{"name": "card", "words": ["H2", "H3", "H4", "H5", "H6", "H7", "C2", "C3", "C4", "C5", "C6", "C7", "D2", "D3", "D4", "D5", "D6", "D7"]}]}, {"verb": "gold", "first": 54, "clause": "GM-2.2", "args": [{"name": "value", "words": ["2", "3", "4", "5", "6", "7"]}]}], "memory": true, "facts": {"gold": [2, 3, 4, 5, 6, 7], "suits": ["H", "C", "D"], "cards": [{"suit": "H", "rank": 2}, {"suit": "H", "rank": 3}, {"suit": "H", "rank": 4}, {"suit": "H", "rank": 5}, {"suit": "H", "rank": 6}, {"suit": "H", "rank": 7}, {"suit": "C", "rank": 2}, {"suit": "C", "rank": 3}, {"suit": "C", "rank": 4}, {"suit": "C", "rank": 5}, {"suit": "C", "rank": 6}, {"suit": "C", "rank": 7}, {"suit": "D", "rank": 2}, {"suit": "D", "rank": 3}, {"suit": "D", "rank": 4}, {"suit": "D", "rank": 5}, {"suit": "D", "rank": 6}, {"suit": "D", "rank": 7}]}} as const;

/** A view of Mount Goldrush; blanks are -1 (unseen) and -2 (hidden). */
export interface MountGoldrush {
  /** who is to act */
  turn: number;
  /** number of players */
  seats: number;
  /** how the cards lie; only a person's memory minds */
  layout: number;
  /** as many games as players, the points added up */
  series: number;
  /** a card turned that had been seen before: place, kind, to which seats */
  shown: number[];
  /** which card of a turn is to be turned */
  phase: number;
  /** whose turn it is, while chance acts too */
  mover: number;
  /** games of the series finished */
  game: number;
  /** turns in a row that have removed no card */
  quiet: number;
  /** places of the upper half where a card lies */
  upper: number;
  /** places of the lower half where a card lies */
  lower: number;
  /** the card that lies at each place */
  card: number[];
  /** where cards were turned in this turn, between turns in the last */
  spot: number[];
  /** what they are */
  face: number[];
  /** who got their gold */
  taker: number;
  /** cards of each kind that nobody has seen */
  unseen: number[];
  /** cards of each kind that left and nobody got */
  gone: number[];
  /** gold cards a seat has got in this game, by seat and value */
  won: number[];
  /** how many they are */
  golds: number[];
  /** points written down after earlier games of the series */
  before: number[];
}
export const MOUNT_GOLDRUSH = {"words": {"layout": ["scattered", "grid"], "series": ["off", "on"], "phase": ["first", "second", "rush", "end"], "upper": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31"], "lower": ["32", "33", "34", "35", "36", "37", "38", "39", "40", "41", "42", "43", "44", "45", "46", "47", "48", "49", "50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63"], "card": ["$1", "$2", "$3", "$4", "B2", "B3", "B4", "B5", "G2", "G3", "G4", "G5", "R2", "R3", "R4", "R5", "P2", "P3", "P4", "P5", "W2", "W3", "W4", "W5", "**"], "spot": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32", "33", "34", "35", "36", "37", "38", "39", "40", "41", "42", "43", "44", "45", "46", "47", "48", "49", "50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63"], "face": ["$1", "$2", "$3", "$4", "B2", "B3", "B4", "B5", "G2", "G3", "G4", "G5", "R2", "R3", "R4", "R5", "P2", "P3", "P4", "P5", "W2", "W3", "W4", "W5", "**"]}, "actions": [{"verb": "turn", "first": 0, "clause": "MG-3.1", "args": [{"name": "place", "words": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32", "33", "34", "35", "36", "37", "38", "39", "40", "41", "42", "43", "44", "45", "46", "47", "48", "49", "50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63"]}]}], "outcomes": [{"verb": "card", "first": 0, "clause": "MG-3.1", "args": [{"name": "kind", "words": ["$1", "$2", "$3", "$4", "B2", "B3", "B4", "B5", "G2", "G3", "G4", "G5", "R2", "R3", "R4", "R5", "P2", "P3", "P4", "P5", "W2", "W3", "W4", "W5", "**"]}]}], "memory": true, "facts": {"half": 32, "colours": ["blue", "green", "red", "purple", "white"], "kinds": [{"what": "gold", "value": 1, "colour": -1}, {"what": "gold", "value": 2, "colour": -1}, {"what": "gold", "value": 3, "colour": -1}, {"what": "gold", "value": 4, "colour": -1}, {"what": "miner", "value": 2, "colour": 0}, {"what": "miner", "value": 3, "colour": 0}, {"what": "miner", "value": 4, "colour": 0}, {"what": "miner", "value": 5, "colour": 0}, {"what": "miner", "value": 2, "colour": 1}, {"what": "miner", "value": 3, "colour": 1}, {"what": "miner", "value": 4, "colour": 1}, {"what": "miner", "value": 5, "colour": 1}, {"what": "miner", "value": 2, "colour": 2}, {"what": "miner", "value": 3, "colour": 2}, {"what": "miner", "value": 4, "colour": 2}, {"what": "miner", "value": 5, "colour": 2}, {"what": "miner", "value": 2, "colour": 3}, {"what": "miner", "value": 3, "colour": 3}, {"what": "miner", "value": 4, "colour": 3}, {"what": "miner", "value": 5, "colour": 3}, {"what": "miner", "value": 2, "colour": 4}, {"what": "miner", "value": 3, "colour": 4}, {"what": "miner", "value": 4, "colour": 4}, {"what": "miner", "value": 5, "colour": 4}, {"what": "dynamite", "value": 0, "colour": -1}], "owners": {"2": [0, 0, 1, 1, -1], "3": [0, 1, 2, -1, -1], "4": [0, 1, 2, 3, -1], "5": [0, 1, 2, 3, 4]}}} as const;

export interface Views { blue_creek: BlueCreek; china_gold: ChinaGold; claimpoker: Claimpoker; gold_hunting: GoldHunting; goldmine: Goldmine; mount_goldrush: MountGoldrush }
