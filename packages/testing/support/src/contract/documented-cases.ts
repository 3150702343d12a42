import { codeOf, type InterfaceDocument } from "./interface-document.ts";

/** Returns the name of each documented answer: `<operation> <status>`, or `<operation> <status> <code>` for an error. */
export function documentedCases({ paths }: InterfaceDocument): string[] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) => {
      const examples = Object.values(content).flatMap((media) => Object.values(media.examples ?? {}));
      const codes = Number(status) < 400 ? [] : examples.map(({ value }) => codeOf(value));
      const names = codes.map((code) => [operationId, status, code].filter(Boolean).join(" "));
      return names.length > 0 ? [...new Set(names)] : [`${operationId} ${status}`];
    }),
  );
}
