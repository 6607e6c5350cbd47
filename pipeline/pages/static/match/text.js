// Text as Python sees it: lengths and limits count code points, and white space is Python's.

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;

/** How many code points a text has. */
export function size(text) {
  if (!PAIR.test(text)) return text.length;
  let count = 0;
  for (let at = 0; at < text.length; at = forward(text, at, 1)) count++;
  return count;
}

/** The offset so many code points after another one, at most the text's end. */
export function forward(text, at, count) {
  if (count >= text.length - at) return text.length;
  for (; count > 0 && at < text.length; count--) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return Math.min(at, text.length);
}

/** The offset so many code points before another one, at least 0. */
export function back(text, at, count) {
  for (; count > 0 && at > 0; count--) at -= at > 1 && text.codePointAt(at - 2) > 0xffff ? 2 : 1;
  return at;
}

/** The first code points of a text. */
export const first = (text, count) => (text.length <= count ? text : text.slice(0, forward(text, 0, count)));

/** What Python's `re` finds with an expression that was translated for the `u` flag. */
export class Pattern {
  constructor(source) {
    this.start = new RegExp(source, "uy");
    this.anywhere = new RegExp(source, "u");
    this.every = new RegExp(source, "gu");
  }

  /** The match at the beginning of a text, or null. */
  match(text) {
    this.start.lastIndex = 0;
    return this.start.exec(text);
  }

  search(text) {
    return this.anywhere.exec(text);
  }

  replace(text, by) {
    return text.replace(this.every, by);
  }
}

/** Python's white space: what it strips, splits at and squeezes out. */
export class Space {
  constructor(pattern) {
    const space = pattern.anywhere.source;
    this.leading = new RegExp(`^${space}+`, "u");
    this.all = new RegExp(`${space}+`, "gu");
    this.one = pattern.anywhere;
  }

  trimStart(text) {
    return text.replace(this.leading, "");
  }

  trimEnd(text) {
    let end = text.length;
    while (end > 0 && this.one.test(text[end - 1])) end--;
    return text.slice(0, end);
  }

  trim(text) {
    return this.trimEnd(this.trimStart(text));
  }

  words(text) {
    return text.split(this.all).filter(Boolean);
  }

  /** The text without any white space. */
  squeezed(text) {
    return text.replace(this.all, "");
  }
}

/** The text without any of these characters at its ends. */
export function strip(text, characters) {
  let [start, end] = [0, text.length];
  while (start < end && characters.includes(text[start])) start++;
  while (end > start && characters.includes(text[end - 1])) end--;
  return text.slice(start, end);
}

export const removeSuffix = (text, suffix) => (text.endsWith(suffix) ? text.slice(0, -suffix.length) : text);

/** The last part of a dotted name or of a path. */
export const last = (name, separator) => name.slice(name.lastIndexOf(separator) + 1);

/** The whole number that decimal digits of any script say. */
export function int(digits) {
  let value = 0;
  for (const digit of digits) value = value * 10 + (digit <= "9" ? Number(digit) : valueOf(digit));
  return value;
}

function valueOf(digit) {
  // Digits stand in tens, in order: where the tens of two scripts touch, the walk back passes whole tens.
  const code = digit.codePointAt(0);
  let zero = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--;
  return (code - zero) % 10;
}

/** Python's `round`: exact, and halves go to the even neighbour. */
export function round(value, digits) {
  const rounded = Number(value.toFixed(digits));
  const scaled = value * 2 ** (digits + 1);
  const half = Number.isInteger(scaled) && scaled % 2 !== 0; // only such a value lies exactly between two neighbours
  if (!half) return rounded;
  const units = Math.round(rounded * 10 ** digits);
  return units % 2 === 0 ? rounded : Number(((units - 1) / 10 ** digits).toFixed(digits));
}
