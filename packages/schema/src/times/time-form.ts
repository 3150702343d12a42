/**
 * The notation of a time. `clock`: groups of digits with colons, hours first if there are three. `number`: a JSON
 * number in a unit. `decimals` is the number of digits after the decimal point.
 */
export type TimeForm =
  | { kind: "clock"; groups: 2 | 3; firstDigits: number; decimals: number; point: "." | "," }
  | { kind: "number"; unitMs: number; decimals: number };

/** A time as it is written, and the moments that it may mean, in milliseconds. */
export type ReadTime = { form: TimeForm; fromMs: number; toMs: number };

/** Reads a text such as `01:23`, `1:02:03` or `01:23.4`. Returns undefined for any other text. */
export function readClock(text: string): ReadTime | undefined {
  const parts = /^(?:(\d{1,2}):)?(\d{1,2}):(\d{2})(?:([.,])(\d{1,3}))?$/.exec(text);
  if (!parts) return undefined;
  const [, hours, minutes = "", seconds = "", point = ".", fraction = ""] = parts;
  if (Number(seconds) > 59 || (hours !== undefined && Number(minutes) > 59)) return undefined;
  const decimals = fraction.length;
  const wholeMs = (Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  const fromMs = wholeMs + Number(fraction.padEnd(3, "0"));
  const form: TimeForm = {
    kind: "clock",
    groups: hours === undefined ? 2 : 3,
    firstDigits: (hours ?? minutes).length,
    decimals,
    point: point === "," ? "," : ".",
  };
  return { form, fromMs, toMs: fromMs + 1000 / 10 ** decimals };
}

/** Reads a JSON number in a unit. Returns undefined for one that is negative or has an exponent. */
export function readNumber(raw: string, unitMs: number): ReadTime | undefined {
  const parts = /^\d+(?:\.(\d+))?$/.exec(raw);
  if (!parts) return undefined;
  const decimals = parts[1]?.length ?? 0;
  const fromMs = Number(raw) * unitMs;
  return { form: { kind: "number", unitMs, decimals }, fromMs, toMs: fromMs + unitMs / 10 ** decimals };
}

/** Returns the JSON literal of a moment in a notation. It rounds down to the last whole step before the moment. */
export function writeTime(ms: number, form: TimeForm): string {
  if (form.kind === "number") {
    const step = 10 ** form.decimals;
    return (Math.floor((ms / form.unitMs) * step + 1e-6) / step).toFixed(form.decimals);
  }
  const stepMs = 1000 / 10 ** form.decimals;
  const floored = Math.floor(ms / stepMs + 1e-6) * stepMs;
  const seconds = Math.floor(floored / 1000);
  const two = (value: number, digits = 2) => String(value).padStart(digits, "0");
  const groups =
    form.groups === 3
      ? [two(Math.floor(seconds / 3600), form.firstDigits), two(Math.floor(seconds / 60) % 60), two(seconds % 60)]
      : [two(Math.floor(seconds / 60), form.firstDigits), two(seconds % 60)];
  const fraction = String(Math.round(floored % 1000))
    .padStart(3, "0")
    .slice(0, form.decimals);
  return JSON.stringify(groups.join(":") + (form.decimals > 0 ? form.point + fraction : ""));
}
