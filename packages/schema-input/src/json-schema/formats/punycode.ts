const base = 36;
const tMin = 1;
const tMax = 26;
const digits = "abcdefghijklmnopqrstuvwxyz0123456789";

/** RFC 3492: the Unicode text that a Punycode text (without `xn--`) stands for, or undefined when it is none. */
export function decodePunycode(text: string): string | undefined {
  const delimiter = text.lastIndexOf("-");
  const points = [...text.slice(0, Math.max(0, delimiter))].map((mark) => mark.charCodeAt(0));
  let at = delimiter < 0 ? 0 : delimiter + 1;
  let point = 128;
  let index = 0;
  let bias = 72;
  while (at < text.length) {
    const before = index;
    let weight = 1;
    for (let k = base; ; k += base) {
      const digit = digits.indexOf(text.charAt(at++).toLowerCase() || "?");
      if (digit < 0) return undefined;
      index += digit * weight;
      const t = threshold(k, bias);
      if (digit < t) break;
      weight *= base - t;
    }
    const count = points.length + 1;
    bias = adapt(index - before, count, before === 0);
    point += Math.floor(index / count);
    index %= count;
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
    points.splice(index++, 0, point);
  }
  return String.fromCodePoint(...points);
}

/** RFC 3492: a Unicode text in Punycode, without `xn--`. */
export function encodePunycode(text: string): string {
  const points = [...text].map((mark) => mark.codePointAt(0) ?? 0);
  const basic = points.filter((value) => value < 128);
  let output = String.fromCharCode(...basic) + (basic.length > 0 ? "-" : "");
  let point = 128;
  let delta = 0;
  let bias = 72;
  let done = basic.length;
  while (done < points.length) {
    const next = Math.min(...points.filter((value) => value >= point));
    delta += (next - point) * (done + 1);
    point = next;
    for (const value of points) {
      if (value < point) delta++;
      if (value !== point) continue;
      let rest = delta;
      for (let k = base; ; k += base) {
        const t = threshold(k, bias);
        if (rest < t) break;
        output += digits.charAt(t + ((rest - t) % (base - t)));
        rest = Math.floor((rest - t) / (base - t));
      }
      output += digits.charAt(rest);
      bias = adapt(delta, done + 1, done === basic.length);
      delta = 0;
      done++;
    }
    delta++;
    point++;
  }
  return output;
}

function threshold(k: number, bias: number): number {
  return Math.min(tMax, Math.max(tMin, k - bias));
}

function adapt(change: number, count: number, isFirst: boolean): number {
  let delta = Math.floor(change / (isFirst ? 700 : 2));
  delta += Math.floor(delta / count);
  let k = 0;
  for (; delta > ((base - tMin) * tMax) / 2; k += base) delta = Math.floor(delta / (base - tMin));
  return k + Math.floor(((base - tMin + 1) * delta) / (delta + 38));
}
