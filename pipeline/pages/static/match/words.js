// Many words looked for in a text at once: what pyahocorasick is to pipeline/match/index.py.

const KEYS = [8, 4, 2, 1];

export class Words {
  /** pairs: words, each with a number; a word's numbers stay in their order. */
  constructor(pairs) {
    const numbers = new Map();
    for (const [word, number] of pairs) {
      if (!word) continue;
      if (!numbers.has(word)) numbers.set(word, new Set());
      numbers.get(word).add(number);
    }
    this.keyed = KEYS.map((length) => [length, new Map()]);
    for (const [word, its] of numbers) {
      const [length, words] = this.keyed.find(([key]) => key <= word.length);
      const key = word.slice(0, length);
      if (!words.has(key)) words.set(key, []);
      words.get(key).push({ word, numbers: [...its] });
    }
    this.keyed = this.keyed.filter(([, words]) => words.size);
  }

  /** {start, end, numbers} of every word in the text, by end; of those that end together the longest first. */
  hits(text) {
    const found = [];
    for (let start = 0; start < text.length; start++) {
      for (const [length, words] of this.keyed) {
        for (const { word, numbers } of words.get(text.slice(start, start + length)) ?? []) {
          if (text.startsWith(word, start)) found.push({ start, end: start + word.length, numbers });
        }
      }
    }
    return found.sort((a, b) => a.end - b.end || a.start - b.start);
  }
}
