import { childPointer, type JsonNode } from "../json/json-node.ts";
import { parseJson } from "../json/parse-json.ts";
import { printJson } from "../json/print-json.ts";

/** What a reviewer says about a value: it is right, or what is right instead, as JSON. */
export type Decision = { readonly right: true } | { readonly right: false; readonly json: string };

/** The decisions about an answer, by the pointers of its values. */
export type Review = Readonly<Record<string, Decision>>;

/** Returns how much was reviewed: `Of 12 values you looked at 7; 1 was wrong.` */
export function countText(review: Review, values: number): string {
  const decisions = Object.values(review);
  const wrong = decisions.filter(({ right }) => !right).length;
  return `Of ${values} values you looked at ${decisions.length}; ${wrong} ${wrong === 1 ? "was" : "were"} wrong.`;
}

/** Returns a reviewer's text as JSON of the type of the value that it replaces, or undefined if it is not of that type. */
export function literalOf(text: string, was: JsonNode): string | undefined {
  if (was.kind === "string") return JSON.stringify(text);
  try {
    const node = parseJson(text.trim());
    return was.kind === "null" || node.kind === "null" || node.kind === was.kind ? printJson(node, 0) : undefined;
  } catch {
    // A value that is null may become a text.
    return was.kind === "null" ? JSON.stringify(text) : undefined;
  }
}

/** Returns an answer with the corrections of its review. */
function correctedAnswer(node: JsonNode, review: Review, pointer = ""): JsonNode {
  const decision = review[pointer];
  if (decision && !decision.right) return parseJson(decision.json);
  const corrected = (value: JsonNode, step: string | number) =>
    correctedAnswer(value, review, childPointer(pointer, step));
  switch (node.kind) {
    case "object":
      return {
        ...node,
        members: node.members.map((member) => ({ ...member, value: corrected(member.value, member.key) })),
      };
    case "array":
      return { ...node, items: node.items.map(corrected) };
    default:
      return node;
  }
}

/** Returns the file of a review: the answer as it was given, the corrected one beside it, and what was looked at. */
export function reviewFile(jobId: string, answer: JsonNode, review: Review, values: number): string {
  const looked = Object.entries(review).map(([pointer, decision]) => ({ pointer, right: decision.right }));
  const counts = { values, looked_at: looked.length, wrong: looked.filter(({ right }) => !right).length };
  const [data, corrected] = [answer, correctedAnswer(answer, review)].map((node) => printJson(node, 0));
  const text = `{"job_id":${JSON.stringify(jobId)},"data":${data},"corrected":${corrected},"review":${JSON.stringify({ ...counts, looked })}}`;
  return `${printJson(parseJson(text), 2)}\n`;
}
