import type { RawAnswer } from "./send-bytes.ts";

/**
 * Classifies the response to a request. Returns the name under which it is counted and its failure, if any: a status of
 * 500 or more, an internal error under any status, an error without an Error body, or no response in time. A 503 with
 * `provider_unavailable` and `Retry-After`, and a 501 with `invalid_request`, are not failures.
 */
export function checkAnswer(answer: RawAnswer, sent: Buffer, whole: boolean): { name: string; fault?: string } {
  if (answer.status === null) {
    if (answer.ended === "late") return { name: "late", fault: "no answer in time" };
    return { name: "closed", ...(whole && { fault: "the connection was closed without an answer" }) };
  }
  const { status, text } = answer;
  // A connection that stays open may have several responses.
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map((found) => Number(found[1]));
  const worst = Math.max(status, ...statuses);
  if (worst >= 500)
    return isDocumented(text)
      ? { name: documented[worst] ?? String(worst) }
      : { name: String(worst), fault: quote(worst, text) };
  // Also finds the errors of MCP tools, which have the status 200.
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

const documented: Readonly<Record<number, string>> = { 501: "501 invalid_request", 503: "503 provider_unavailable" };

function isDocumented(text: string): boolean {
  const failed = text.split(/^(?=HTTP\/1\.1 \d{3} )/m).filter((one) => /^HTTP\/1\.1 5/.test(one));
  return failed.every(
    (one) =>
      (one.startsWith("HTTP/1.1 501 ") && /"code":"invalid_request"/.test(one)) ||
      (one.startsWith("HTTP/1.1 503 ") &&
        /^retry-after: \d+\r$/im.test(one) &&
        /"code":"provider_unavailable"/.test(one)),
  );
}

function quote(status: number, text: string): string {
  return `${status}: ${text.slice(-300)}`;
}
