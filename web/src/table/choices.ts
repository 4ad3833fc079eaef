// Choices by the words that were typed: the same as in a terminal (motherlode/text_table.py).

/** What is compared of a line: its words and numbers, and the signs before these. */
const wordsOf = (line: string): string[] => line.toLowerCase().match(/[+−-]?[\p{L}\p{N}_]+/gu) ?? [];

/** Whether these words stand side by side among the others. */
const sideBySide = (words: string[], others: string[]): boolean =>
  others.some((_, at) => words.every((word, k) => others[at + k] === word));

/** Whether these words are among the others, in the same order. */
function inOrder(words: string[], others: string[]): boolean {
  const rest = [...others];
  return words.every((word) => {
    const at = rest.indexOf(word);
    if (at < 0) return false;
    rest.splice(0, at + 1);
    return true;
  });
}

/** The choices that have these words: side by side or, if none has, at least in this order. */
export function matching<Choice extends { said: string }>(choices: Choice[], typed: string): Choice[] {
  const words = wordsOf(typed);
  if (!words.length) return choices;
  const close = choices.filter(({ said }) => sideBySide(words, wordsOf(said)));
  return close.length ? close : choices.filter(({ said }) => inOrder(words, wordsOf(said)));
}
