// Many words looked for in a text at once: what pyahocorasick is to pipeline/match/index.py.

const KEYS = [8, 4, 2, 1];

export class Words {
  constructor() {
    this.keyed = KEYS.map((length) => ({ length, words: new Map() }));
  }

  /** Adds a number to a word, which keeps its numbers in their order. */
  add(word, number) {
    const fitting = this.keyed.find(({ length }) => length <= word.length);
    if (!fitting) return; // nothing is not a word
    const key = word.slice(0, fitting.length);
    let same = fitting.words.get(key);
    if (!same) fitting.words.set(key, (same = new Map()));
    const numbers = same.get(word);
    if (!numbers) same.set(word, [number]);
    else if (numbers.at(-1) !== number) numbers.push(number);
  }

  /** {start, end, numbers} of every word in the text, by end; of those that end together the longest first. */
  hits(text) {
    const found = [];
    for (let start = 0; start < text.length; start++) {
      for (const { length, words } of this.keyed) {
        for (const [word, numbers] of words.get(text.slice(start, start + length)) ?? []) {
          if (text.startsWith(word, start)) found.push({ start, end: start + word.length, numbers });
        }
      }
    }
    return found.sort((a, b) => a.end - b.end || a.start - b.start);
  }
}
