import { shorten } from "./texts.ts";

/** Why a text is not JSON: line and column of the fault, from 1, and what to write there. */
export type SyntaxFault = { line: number; column: number; advice: string };

type Fault = { at: number; advice: string };

const space = /[ \t\n\r]*/y;
const escaped = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /[\p{L}\p{N}_$][\p{L}\p{N}_$.?|<>-]*(?:\[\])?/uy;
const literals: ReadonlySet<string> = new Set(["true", "false", "null"]);
const pythonWords: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };

/** Languages in which programs write shapes, and what gives the same as JSON. The bounds keep the search linear. */
const languages: readonly [code: RegExp, advice: string][] = [
  [/\bz\s{0,9}\.\s{0,9}\w{0,9}object\s{0,9}\(/i, "send what `JSON.stringify(z.toJSONSchema(…))` gives; this is Zod"],
  [
    /\bclass\s{1,9}\w{1,99}\s{0,9}\([^)\n]{0,99}BaseModel/,
    "send what `json.dumps(….model_json_schema())` gives; this is pydantic",
  ],
];

/**
 * Returns the first fault of a text that is not JSON, or undefined when it finds none. It reads the text once and does
 * not recurse.
 */
export function findSyntaxFault(text: string): SyntaxFault | undefined {
  const fault = createScanner(text).firstFault();
  if (!fault) return undefined;
  const before = text.slice(0, fault.at).split(/\r\n?|\n/);
  const isAtStart = before.every((line) => line.trim() === "");
  const language = isAtStart ? languages.find(([code]) => code.test(text)) : undefined;
  const advice = language?.[1] ?? fault.advice;
  return { line: before.length, column: [...(before.at(-1) ?? "")].length + 1, advice };
}

function createScanner(text: string) {
  let at = 0;
  /** The open brackets and their places, innermost last. */
  const open: { bracket: "{" | "["; at: number }[] = [];

  return {
    firstFault(): Fault | undefined {
      for (let wanted: "value" | "key or end" | "key" | "value or end" | "after" = "value"; ; ) {
        skip(space);
        const mark = text.charAt(at);
        const isEnd = at >= text.length;
        if (wanted === "after") {
          const container = open.at(-1);
          if (!container) return isEnd ? undefined : { at, advice: textAfterEnd() };
          if (isEnd) return unclosed(container);
          if (mark === ",") {
            at++;
            wanted = container.bracket === "{" ? "key" : "value";
          } else if (mark === (container.bracket === "{" ? "}" : "]")) {
            at++;
            open.pop();
          } else return { at, advice: notASeparator(container.bracket, mark) };
        } else if (wanted === "key" || wanted === "key or end") {
          if (isEnd) return unclosed(open.at(-1));
          if (mark === "}") {
            if (wanted === "key") return { at, advice: "remove the comma before `}`" };
            at++;
            open.pop();
            wanted = "after";
            continue;
          }
          if (mark !== '"') return { at, advice: notAKey(mark) };
          const fault = readString();
          if (fault) return fault;
          skip(space);
          if (text.charAt(at) !== ":") return { at, advice: "write `:` between the key and its value" };
          at++;
          wanted = "value";
        } else {
          if (isEnd)
            return open.length > 0 ? unclosed(open.at(-1)) : { at, advice: "write a JSON object; the text is empty" };
          if (mark === "]" && open.at(-1)?.bracket === "[") {
            if (wanted === "value") return { at, advice: "remove the comma before `]`" };
            at++;
            open.pop();
            wanted = "after";
          } else if (mark === "{" || mark === "[") {
            open.push({ bracket: mark, at });
            at++;
            wanted = mark === "{" ? "key or end" : "value or end";
          } else {
            const fault = readScalar(mark);
            if (fault) return fault;
            wanted = "after";
          }
        }
      }
    },
  };

  function skip(pattern: RegExp): string {
    pattern.lastIndex = at;
    const [found = ""] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  }

  function wordHere(): string {
    word.lastIndex = at;
    return word.exec(text)?.[0] ?? "";
  }

  function readScalar(mark: string): Fault | undefined {
    if (mark === '"') return readString();
    const from = at;
    if (/[-\d]/.test(mark) && skip(number) !== "" && wordHere() === "" && text.charAt(at) !== ".") return undefined;
    at = from;
    const name = wordHere();
    if (literals.has(name)) {
      at += name.length;
      return undefined;
    }
    return { at, advice: notAValue(mark, name) };
  }

  function readString(): Fault | undefined {
    const from = at;
    for (at++; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        at++;
        return undefined;
      }
      if (code === 0x5c) {
        at++;
        if (skip(escaped) === "") return { at: at - 1, advice: unknownEscape(text.slice(at - 1, at + 1)) };
        at--;
      } else if (code === 0x0a || code === 0x0d) {
        return { at: from, advice: 'close the string with `"` on its line, or write a line break as `\\n`' };
      } else if (code < 0x20) {
        return { at, advice: "write the control character as an escape, such as `\\t`" };
      }
    }
    return { at: from, advice: 'close the string with `"`' };
  }

  function unknownEscape(mark: string): string {
    return `write a valid escape: \`${mark}\` is not in JSON; a backslash itself is \`\\\\\``;
  }

  function notAValue(mark: string, name: string): string {
    if (pythonWords[name] !== undefined) return `write \`${pythonWords[name]}\` instead of \`${name}\``;
    if (/^[-+.\d]/.test(name || mark) && !/^\d+[\p{L}|]/u.test(name))
      return "write the number as JSON does, such as `0.5` or `-1`, or put it in quotes";
    if (name !== "") return `put quotes around ${JSON.stringify(shorten(name, 40))}`;
    return (
      quotesOrComment(mark) ??
      (mark === "," || mark === "}" || mark === ":" ? `write a value before \`${mark}\`` : "write a JSON value")
    );
  }

  function notAKey(mark: string): string {
    const name = wordHere();
    if (name !== "") return `put quotes around the key ${JSON.stringify(shorten(name, 40))}`;
    return quotesOrComment(mark) ?? "write a key in quotes";
  }

  function notASeparator(bracket: "{" | "[", mark: string): string {
    const comment = quotesOrComment(mark);
    const end = bracket === "{" ? "}" : "]";
    if (comment?.includes("comment")) return comment;
    return mark === "}" || mark === "]" ? `close with \`${end}\` before \`${mark}\`` : `write \`,\` or \`${end}\` here`;
  }

  function quotesOrComment(mark: string): string | undefined {
    if (mark === "'" || mark === "`") return 'use double quotes, `"`';
    if (/[\u201c-\u201f\u2018-\u201b\u00ab\u00bb]/.test(mark)) return 'use straight double quotes, `"`';
    if (mark === "/" || mark === "#") return "remove the comment; JSON has none";
    return undefined;
  }

  function textAfterEnd(): string {
    return "remove what follows the end of the JSON";
  }

  function unclosed(container: { bracket: "{" | "["; at: number } | undefined): Fault {
    const end = container?.bracket === "[" ? "]" : "}";
    return { at: text.length, advice: `close what is open with \`${end}\`; the text ends too early` };
  }
}
