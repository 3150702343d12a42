import { segmenter } from "./tokens.ts";

/** Around the ring, so that the neighbours of a colour are those that people take it for. */
const colours = [
  "red orange yellow green blue purple pink brown black grey white",
  "rot orange gelb grün blau lila rosa braun schwarz grau weiß",
  "rouge orange jaune vert bleu violet rose marron noir gris blanc",
  "rojo naranja amarillo verde azul morado rosa marrón negro gris blanco",
  "rosso arancione giallo verde blu viola rosa marrone nero grigio bianco",
  "vermelho laranja amarelo verde azul roxo rosa marrom preto cinza branco",
  "rood oranje geel groen blauw paars roze bruin zwart grijs wit",
  "czerwony pomarańczowy żółty zielony niebieski fioletowy różowy brązowy czarny szary biały",
  "kırmızı turuncu sarı yeşil mavi mor pembe kahverengi siyah gri beyaz",
  "красный оранжевый жёлтый зелёный синий фиолетовый розовый коричневый чёрный серый белый",
  "أحمر برتقالي أصفر أخضر أزرق بنفسجي وردي بني أسود رمادي أبيض",
  "लाल नारंगी पीला हरा नीला बैंगनी गुलाबी भूरा काला स्लेटी सफेद",
  "红色 橙色 黄色 绿色 蓝色 紫色 粉色 棕色 黑色 灰色 白色",
  "赤 オレンジ 黄色 緑 青 紫 ピンク 茶色 黒 灰色 白",
  "빨간색 주황색 노란색 초록색 파란색 보라색 분홍색 갈색 검은색 회색 흰색",
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
  for (const { segment: word } of segmenter.segment(text)) {
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
