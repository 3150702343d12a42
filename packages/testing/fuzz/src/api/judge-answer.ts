import type { RawAnswer } from "./send-bytes.ts";

/**
 * What came back, as it is counted, and what is wrong with it. Wrong is a status of 500 or more, an answer that tells of
 * a fault of ours under any status, an error without an Error body, and no answer in time. The one exception is
 * `provider_unavailable` with `Retry-After`, which says that something is away for a while: it is counted by its name.
 */
export function judgeAnswer(answer: RawAnswer, sent: Buffer, whole: boolean): { name: string; fault?: string } {
  if (answer.status === null) {
    if (answer.ended === "late") return { name: "late", fault: "no answer in time" };
    return { name: "closed", ...(whole && { fault: "the connection was closed without an answer" }) };
  }
  const { status, text } = answer;
  // Connections are kept for some, which have several answers.
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map((found) => Number(found[1]));
  const worst = Math.max(status, ...statuses);
  if (worst >= 500)
    return isDocumented(text) ? { name: documented } : { name: String(worst), fault: quote(worst, text) };
  // Of tools, whose errors come with a status of 200, too.
  const [, code] = /"error":\{"code":"(\w+)"/.exec(text.replaceAll("\\", "")) ?? [];
  const name = code === undefined ? String(status) : `${status} ${code}`;
  if (/"code":\s*("internal_error"|-32603\b)/.test(text.replaceAll("\\", "")))
    return { name, fault: quote(status, text) };
  const hasBody = !/^\s*HEAD\s/.test(sent.toString("latin1", 0, 100));
  if (hasBody && status >= 400 && !/"error":\{"(code|message)":/.test(text)) {
    return { name, fault: `without an Error body: ${quote(status, text)}` };
  }
  return { name };
}

const documented = "503 provider_unavailable";

function isDocumented(text: string): boolean {
  const failed = text.split(/^(?=HTTP\/1\.1 \d{3} )/m).filter((one) => /^HTTP\/1\.1 5/.test(one));
  return failed.every(
    (one) =>
      one.startsWith("HTTP/1.1 503 ") &&
      /^retry-after: \d+\r$/im.test(one) &&
      /"code":"provider_unavailable"/.test(one),
  );
}

function quote(status: number, text: string): string {
  return `${status}: ${text.slice(-300)}`;
}
