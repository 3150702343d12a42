const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
const width = alphabet.length + 1;
const between = 0;
const symbols = Uint8Array.from({ length: 128 }, (_, code) => {
  return alphabet.indexOf(String.fromCharCode(code).toLowerCase()) + 1;
});
const backslash = 92;

/** The words of a text, in lower case: what stands between letters and digits of ASCII. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[0-9a-z]+/g) ?? [];
}

/**
 * Gives the search for phrases, each of as many words as the others: text in, phrases out, a phrase as often as it stands
 * there. Case, and what stands between words, make no difference; JSON escapes stand between words, so that keys and
 * values may be looked at as they are written. A text is read once, whatever it holds, and nothing of it is copied: it may
 * have megabytes, on an event loop (Aho and Corasick's automaton).
 */
export function findPhrases(phrases: readonly (readonly string[])[]): (text: string) => string[] {
  const written = phrases.map((words) => ` ${words.join(" ")} `);
  const most = 1 + written.reduce((sum, { length }) => sum + length, 0);
  const next = new Int32Array(most * width);
  const ends = new Map<number, string>();
  let states = 1;
  for (const phrase of written) {
    let state = 0;
    for (const letter of phrase) {
      const way = state * width + symbolAt(letter, 0);
      next[way] ||= states++;
      state = next[way];
    }
    ends.set(state, phrase.trim());
  }
  completeWays(next, states);

  return (text) => {
    const found: string[] = [];
    let state = next[between] ?? 0;
    let last = between;
    const step = (symbol: number) => {
      // However much stands between two words, it is one step.
      if (symbol === between && last === between) return;
      last = symbol;
      state = next[state * width + symbol] ?? 0;
      const phrase = symbol === between ? ends.get(state) : undefined;
      if (phrase !== undefined) found.push(phrase);
    };
    for (let at = 0; at < text.length; at++) {
      step(symbolAt(text, at));
      if (text.charCodeAt(at) === backslash) at++;
    }
    step(between);
    return found;
  };
}

/** Where no phrase goes on, the way leads to the longest beginning of a phrase that the letters read so far end with. */
function completeWays(next: Int32Array, states: number): void {
  const fallback = new Int32Array(states);
  const queue = [0];
  for (const state of queue) {
    for (let symbol = 0; symbol < width; symbol++) {
      const way = state * width + symbol;
      const shorter = state === 0 ? 0 : (next[(fallback[state] ?? 0) * width + symbol] ?? 0);
      const to = next[way] ?? 0;
      if (to === 0) next[way] = shorter;
      else {
        fallback[to] = shorter;
        queue.push(to);
      }
    }
  }
}

function symbolAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < symbols.length ? (symbols[code] ?? between) : between;
}
