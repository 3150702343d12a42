/** The parts of an OpenAPI 3.1 document that the contract uses. */
export type InterfaceDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: { headers: Record<string, Header> };
};

/** One method of one path. */
type Operation = { operationId: string; requestBody?: { content: Content }; responses: Record<string, Answer> };

/** The documented response of an operation for one status. */
export type Answer = { headers?: Record<string, { $ref: string }>; content?: Content };

/** A response header. */
export type Header = { required?: boolean; schema: { type: string } };

type Content = Record<string, { examples?: Record<string, { value: unknown }>; schema?: { $defs?: object } }>;

/** Returns the documented path template that matches the path of a request. */
export function templateOf({ paths }: InterfaceDocument, path: string): string | undefined {
  return Object.keys(paths).find((template) => new RegExp(`^${template.replace(/\{[^}]+\}/g, "[^/]+")}$`).test(path));
}

/** Returns the header that a response refers to. Throws when the document does not define it. */
export function headerOf({ components }: InterfaceDocument, { $ref }: { $ref: string }): Header {
  const header = components.headers[$ref.slice("#/components/headers/".length)];
  if (!header) throw new Error(`${$ref} is not in the document`);
  return header;
}

/** Returns the error codes for which a response documents an example. */
export function codesOf(answer: Answer): string[] {
  const examples = Object.values(answer.content ?? {}).flatMap(({ examples = {} }) => Object.values(examples));
  return examples.flatMap(({ value }) => codeOf(value) ?? []);
}

/** Returns the code in an Error body. */
export function codeOf(body: unknown): string | undefined {
  const { code } = (body as { error?: { code?: unknown } } | null)?.error ?? {};
  return typeof code === "string" ? code : undefined;
}
