import { isJsonObject } from "@video-to-json/contract";

/** What a hostile model writes too much of, up to the length that Gemini allows. */
export const hostileShapes = ["absent", "deep", "fence", "keys", "letters", "long", "many"] as const;
type HostileShape = (typeof hostileShapes)[number];

type Asked = { shape: HostileShape; schema: unknown; promptText: string };

/** Gemini's limit of 65,536 tokens, at four characters a token. */
const maxCharacters = 260_000;
const longText = "word ".repeat(2_000);
/** One character that is 18 letters for a program that compares texts. */
const expandingText = "\ufdfa".repeat(300);

/** Writes an answer that conforms to a schema where it can, and is as hard to work on as its length allows. */
export function hostileText({ shape, schema, promptText }: Asked): string {
  if (shape === "deep") return nested('{"k":[', "]}");
  if (shape === "fence") return `\`\`\`json${"\n".repeat(maxCharacters - 20)}{}`;
  if (shape === "keys")
    return JSON.stringify(Object.fromEntries(Array.from({ length: 18_000 }, (_, n) => [`k${n}`, n])));
  const fields = [...promptText.matchAll(/^\{"id":/gm)].length;
  let [left, named] = [maxCharacters - longText.length, 0];
  return JSON.stringify(fill(schema, ""));

  function fill(asked: unknown, key: string): unknown {
    if (!isJsonObject(asked)) return null;
    left -= 8 + key.length;
    const [option] = Array.isArray(asked.enum) ? asked.enum.toReversed() : [];
    if (option !== undefined) return option === "text" ? option : (asked.enum as unknown[])[0];
    if (asked.type === "array") return items(asked);
    if (asked.type === "object") return members(asked);
    if (asked.type === "string") return text(asked, key);
    if (key === "id") return (named++ % Math.max(1, fields)) + 1;
    return asked.type === "boolean" ? true : 1;
  }

  function items(asked: Record<string, unknown>): unknown[] {
    const list: unknown[] = [];
    // Eight spans a field are the most that are read.
    const most = asked.maxItems ?? (isJsonObject(asked.items) && asked.items.type === "object" && named > 0 ? 8 : 1e6);
    while (left > 0 && list.length < Number(most)) list.push(fill(asked.items, ""));
    return list;
  }

  function members({ properties, required }: Record<string, unknown>): object {
    const wanted = Object.entries(isJsonObject(properties) ? properties : {}).filter(
      ([key]) => (shape !== "absent" && left > 0) || (Array.isArray(required) && required.includes(key)),
    );
    return Object.fromEntries(wanted.map(([key, asked]) => [key, fill(asked, key)]));
  }

  function text({ description }: Record<string, unknown>, key: string): string {
    if (/MM:SS/.test(String(description)) || /^(?:at|from|to|time|start|end)$/.test(key)) return "00:01";
    const written = left <= 0 ? "" : shape === "long" ? longText : shape === "letters" ? expandingText : "x";
    left -= written.length;
    return written;
  }
}

function nested(open: string, close: string): string {
  const levels = Math.floor(maxCharacters / (open.length + close.length));
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}
