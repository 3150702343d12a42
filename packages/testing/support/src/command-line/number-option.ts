type Bounds = { min: number; max: number; fractions?: boolean };

/** Returns the value of an option as a number. If it is out of range, throws an error that names the range. */
export function numberOption(option: string, text: string, { min, max, fractions = false }: Bounds): number {
  const number = Number(text);
  const isValid = text.trim() !== "" && number >= min && number <= max && (fractions || Number.isInteger(number));
  if (isValid) return number;
  throw new Error(`${option} takes a ${fractions ? "" : "whole "}number from ${min} to ${max}, not ${text}.`);
}
