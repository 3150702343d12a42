const units: Readonly<Record<string, number>> = { "": 1, m: 0.001, Mi: 2 ** 20, Gi: 2 ** 30 };

/** Returns the number of a Kubernetes quantity, such as bytes for `20Gi` or processors for `500m`. */
export function quantity(text: string | number): number {
  const [, digits = "", unit = ""] = /^([\d.]+)([A-Za-z]*)$/.exec(String(text)) ?? [];
  const factor = units[unit];
  if (digits === "" || factor === undefined) throw new Error(`${text} is not a quantity known here`);
  return Number(digits) * factor;
}
