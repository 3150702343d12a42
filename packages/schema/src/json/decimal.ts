/** An exact decimal, `digits × 10^exponent`. `digits` has no trailing zeros; zero is `0 × 10^0`. */
export type Decimal = { digits: bigint; exponent: number };

/** Reads a JSON number literal exactly. Throws `RangeError` for any other text. */
export function readDecimal(literal: string): Decimal {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal);
  if (!parts) throw new RangeError(`This is not a JSON number: ${literal.slice(0, 40)}`);
  const [, sign = "", whole = "0", fraction = "", power = "0"] = parts;
  const all = (whole + fraction).replace(/^0+/, "");
  let end = all.length;
  while (end > 0 && all.charCodeAt(end - 1) === 0x30) end--;
  if (end === 0) return { digits: 0n, exponent: 0 };
  const exponent = clamp(Number(power)) - fraction.length + (all.length - end);
  return { digits: BigInt(sign + all.slice(0, end)), exponent };
}

/** Returns the canonical text of a number: literals of equal value have the same text. */
export function canonicalNumber(literal: string): string {
  const { digits, exponent } = readDecimal(literal);
  return `${digits}e${exponent}`;
}

/**
 * Returns the usual notation of a canonical number, exactly. Numbers with many zeros keep the exponent. Undefined if
 * the text is not in canonical form.
 */
export function plainNumber(canonical: string): string | undefined {
  const parts = /^(-?)(\d+)e(-?\d+)$/.exec(canonical);
  if (!parts) return undefined;
  const [, sign = "", digits = "", power = ""] = parts;
  const exponent = Number(power);
  if (exponent > 20 || -exponent > digits.length + 20) return canonical;
  if (exponent >= 0) return `${sign}${digits}${"0".repeat(exponent)}`;
  const padded = digits.padStart(1 - exponent, "0");
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

/** Returns a number below, equal to or above zero when `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const signs = sign(a) - sign(b);
  if (signs !== 0 || a.digits === 0n) return signs;
  const aText = magnitude(a);
  const bText = magnitude(b);
  const order = aText.length + a.exponent - (bText.length + b.exponent);
  if (order !== 0) return order * sign(a);
  const length = Math.max(aText.length, bText.length);
  const [left, right] = [aText.padEnd(length, "0"), bText.padEnd(length, "0")];
  return left === right ? 0 : (left < right ? -1 : 1) * sign(a);
}

/** Returns whether `value` is a whole multiple of `step`, which is above zero. */
export function isMultiple(value: Decimal, step: Decimal): boolean {
  if (value.digits === 0n) return true;
  if (step.digits === 0n) return false;
  const shift = value.exponent - step.exponent;
  if (shift >= 0) return (mod(value.digits, step.digits) * power10(shift, step.digits)) % step.digits === 0n;
  // A multiple of step.digits × 10^-shift ends in a zero; value.digits does not.
  return false;
}

// Larger exponents give the same result. This one is still exact as a double.
function clamp(power: number): number {
  return Math.max(-1e15, Math.min(1e15, power));
}

function sign({ digits }: Decimal): number {
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

function magnitude({ digits }: Decimal): string {
  return String(digits < 0n ? -digits : digits);
}

function mod(value: bigint, modulus: bigint): bigint {
  return (value < 0n ? -value : value) % modulus;
}

// 10^shift mod modulus by squaring, because a literal such as 1e999999999 must not be expanded.
function power10(shift: number, modulus: bigint): bigint {
  let result = 1n % modulus;
  let base = 10n % modulus;
  for (let rest = BigInt(shift); rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * base) % modulus;
    base = (base * base) % modulus;
  }
  return result;
}
