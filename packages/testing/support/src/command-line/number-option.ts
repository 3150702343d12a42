type Bounds = { least: number; most: number; fractions?: boolean };

/** The number that an option was given. Throws, saying what it takes, unless it is within the bounds. */
export function numberOption(option: string, text: string, { least, most, fractions = false }: Bounds): number {
  const number = Number(text);
  const isRight = text.trim() !== "" && number >= least && number <= most && (fractions || Number.isInteger(number));
  if (isRight) return number;
  throw new Error(`${option} takes a ${fractions ? "" : "whole "}number from ${least} to ${most}, not ${text}.`);
}
