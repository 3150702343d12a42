/** Around the ring, so that the neighbours of a colour are those that people take it for. */
const colours = [
  "red orange yellow green blue purple pink brown black grey white",
  "rot orange gelb grün blau lila rosa braun schwarz grau weiß",
  "rouge orange jaune vert bleu violet rose marron noir gris blanc",
  "rojo naranja amarillo verde azul morado rosa marrón negro gris blanco",
  "красный оранжевый жёлтый зелёный синий фиолетовый розовый коричневый чёрный серый белый",
].map((words) => words.split(" "));
const counts = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
/** Larger counts are not looked at: nobody counts more things in a few pictures. */
const mostCounted = 20;
const maxWords = 6;
const maxOptions = 6;
const neighbours = [1, -1, 2, -2, 5];

/**
 * Returns other values that a visible one could have, the likely ones included: other options of the schema, other
 * colours, other counts. Returns an empty list for a value of which no other is known.
 */
export function decoysOf(value: unknown, options: readonly unknown[]): string[] {
  const text = String(value);
  const others = options
    .filter((option) => option !== null)
    .map(String)
    .filter((option) => option !== text);
  if (others.length > 0) {
    const at = options.map(String).indexOf(text);
    return [...others.slice(at), ...others.slice(0, at)].slice(0, maxOptions - 1);
  }
  if (typeof value === "number") return countsBeside(value).map(String);
  if (typeof value !== "string" || text.split(/\s+/).length > maxWords) return [];
  for (const word of text.match(/[\p{L}\d]+/gu) ?? []) {
    const put = (other: string) => text.replace(word, other);
    const known = word.toLowerCase() === "gray" ? "grey" : word.toLowerCase();
    const ring = colours.find((names) => names.includes(known));
    if (ring) return neighbours.map((step) => put(ring.at((ring.indexOf(known) + step) % ring.length) ?? ""));
    if (/^\d+$/.test(word)) return countsBeside(Number(word)).map((count) => put(String(count)));
    if (counts.includes(known)) return countsBeside(counts.indexOf(known)).map((count) => put(counts[count] ?? ""));
  }
  return [];
}

function countsBeside(count: number): number[] {
  if (!(Number.isInteger(count) && count >= 0 && count <= mostCounted)) return [];
  return [count - 1, count + 1, count + 2].filter((other) => other >= 0);
}
