/** What the contract is read from: an OpenAPI 3.1 document, as far as it is looked at. */
export type InterfaceDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: { headers: Record<string, Header> };
};

/** One method of one path. */
type Operation = { operationId: string; requestBody?: { content: Content }; responses: Record<string, Answer> };

/** What an operation may answer with one status. */
export type Answer = { headers?: Record<string, { $ref: string }>; content?: Content };

/** A response header. */
export type Header = { required?: boolean; schema: { type: string } };

type Content = Record<string, { examples?: Record<string, { value: unknown }> }>;

/** The path of the document that a request's path is an instance of. */
export function templateOf({ paths }: InterfaceDocument, path: string): string | undefined {
  return Object.keys(paths).find((template) => new RegExp(`^${template.replace(/\{[^}]+\}/g, "[^/]+")}$`).test(path));
}

/** The header that a response refers to. */
export function headerOf({ components }: InterfaceDocument, { $ref }: { $ref: string }): Header {
  const header = components.headers[$ref.slice("#/components/headers/".length)];
  if (!header) throw new Error(`${$ref} is not in the document`);
  return header;
}

/** The error codes that an answer documents by an example each. */
export function codesOf(answer: Answer): string[] {
  const examples = Object.values(answer.content ?? {}).flatMap(({ examples = {} }) => Object.values(examples));
  return examples.flatMap(({ value }) => codeOf(value) ?? []);
}

/** The code in an Error body. */
export function codeOf(body: unknown): string | undefined {
  const { code } = (body as { error?: { code?: unknown } } | null)?.error ?? {};
  return typeof code === "string" ? code : undefined;
}
