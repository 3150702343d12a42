import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Exchange } from "./exchange.ts";

type Contract = ReturnType<typeof openContract>;

// The tests of a vitest worker start many APIs with the same description. Compiling its schemas takes most of a start.
const contracts = new Map<string, Contract>();

/** Reads the interface description that a running service publishes. Returns the check for it. */
export async function readContract(baseUrl: string): Promise<Contract> {
  const response = await fetch(`${baseUrl}/docs/openapi.json`);
  const document = (await response.json()) as InterfaceDocument;
  // Only the address differs from one API to another, and no check reads it.
  const key = JSON.stringify({ ...document, servers: [] });
  const contract = contracts.get(key) ?? openContract(document);
  contracts.set(key, contract);
  return { ...contract, document };
}

const root = "contract:openapi";

/**
 * Creates a check of exchanges against an interface description. Status, headers, content type, body and error code must
 * be documented for the operation. A request for an undocumented path must get an Error body; pages at /docs are exempt.
 */
export function openContract(document: InterfaceDocument) {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, root);
  const knownHeaders = headerNames(document);

  const invalid = (pointer: readonly string[], value: unknown): string[] => {
    const path = pointer.map((token) => encodeURIComponent(token.replaceAll("~", "~0").replaceAll("/", "~1")));
    const validate = ajv.getSchema(`${root}#/${path.join("/")}`);
    if (!validate) throw new Error(`${pointer.join(" ")} is not in the document`);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || "it"} ${message}`);
  };

  const faultsOfHeaders = (answer: Answer, exchange: Exchange): string[] =>
    [...knownHeaders].flatMap((name) => {
      const reference = answer.headers?.[name];
      const value = exchange.header(name);
      if (!reference) return value === null ? [] : [`${name} is not documented`];
      const { required, schema } = headerOf(document, reference);
      if (value === null) return required ? [`${name} is missing`] : [];
      const pointer = [...reference.$ref.split("/").slice(1), "schema"];
      return invalid(pointer, schema.type === "integer" ? Number(value) : value).map((fault) => `${name}: ${fault}`);
    });

  const faultsOfBody = (answer: Answer, pointer: readonly string[], exchange: Exchange): string[] => {
    if (exchange.method === "HEAD") return [];
    if (!answer.content) return exchange.body === "" ? [] : ["a body is not documented"];
    const type = exchange.header("content-type")?.split(";")[0] ?? "none";
    if (!(type in answer.content)) return [`the content type ${type} is not documented`];
    const shapes = answer.content[type]?.schema?.$defs;
    if (shapes) return faultsOfEvents(shapes, [...pointer, "content", type, "schema", "$defs"], exchange.body);
    if (type === "text/event-stream") {
      // Each event has the shape of the response without a stream.
      const messages = eventsOf(exchange.body).map(parsed);
      const whole = [...pointer, "content", "application/json", "schema"];
      return messages.flatMap((message) => invalid(whole, message).map((fault) => `event: ${fault}`));
    }
    if (type !== "application/json") return [];
    const body = parsed(exchange.body);
    const code = exchange.status < 400 ? undefined : codeOf(body);
    return [
      ...invalid([...pointer, "content", type, "schema"], body).map((fault) => `body: ${fault}`),
      ...(code === undefined || codesOf(answer).includes(code) ? [] : [`the code ${code} is not documented`]),
    ];
  };

  const faultsOfEvents = (shapes: object, pointer: readonly string[], stream: string): string[] =>
    namedEventsOf(stream).flatMap(({ name, data }) => {
      if (!(name in shapes)) return [`the event ${name} is not documented`];
      return invalid([...pointer, name], parsed(data)).map((fault) => `event ${name}: ${fault}`);
    });

  const faultsOfUndocumented = (exchange: Exchange): string[] => {
    const { method, path, status } = exchange;
    // The answers to hosts that sign in follow OAuth, not the description.
    if (/^\/(register|authorize|token|\.well-known\/.+)$/.test(path)) return [];
    if (status < 400) return /^\/(docs(\/|$)|llms\.txt$)/.test(path) ? [] : ["it is not documented"];
    const requestId = exchange.header("x-request-id") === null ? ["X-Request-Id is missing"] : [];
    if (method === "HEAD") return requestId;
    const body = parsed(exchange.body);
    // The answers to GET and DELETE follow the Model Context Protocol, not the description.
    const shape = path === "/v1/mcp" && codeOf(body) === undefined ? "McpResponse" : "Error";
    return [...requestId, ...invalid(["components", "schemas", shape], body).map((fault) => `body: ${fault}`)];
  };

  const faultsOf = (exchange: Exchange): string[] => {
    const method = exchange.method === "HEAD" ? "get" : exchange.method.toLowerCase();
    const template = templateOf(document, exchange.path);
    const operation = template === undefined ? undefined : document.paths[template]?.[method];
    if (template === undefined || !operation) return faultsOfUndocumented(exchange);
    const answer = operation.responses[exchange.status];
    if (!answer) return ["the status is not documented"];
    const pointer = ["paths", template, method, "responses", String(exchange.status)];
    return [...faultsOfHeaders(answer, exchange), ...faultsOfBody(answer, pointer, exchange)];
  };

  return {
    document,
    /** Returns the differences between an exchange and the description, one line for each. */
    faultsOf: (exchange: Exchange): string[] =>
      faultsOf(exchange).map((fault) => `${exchange.method} ${exchange.path} → ${exchange.status}: ${fault}`),
  };
}

function headerNames({ paths }: InterfaceDocument): Set<string> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const answers = operations.flatMap(({ responses }) => Object.values(responses));
  return new Set(answers.flatMap(({ headers = {} }) => Object.keys(headers)));
}

function namedEventsOf(stream: string): { name: string; data: string }[] {
  const events = stream.split("\n\n").filter((event) => /^(event|data):/m.test(event));
  return events.map((event) => ({
    name: /^event: (.*)$/m.exec(event)?.[1] ?? "none",
    data: eventsOf(event).join("\n"),
  }));
}

function eventsOf(stream: string): string[] {
  return [...stream.matchAll(/^data: ?(.*)$/gm)].map(([, data = ""]) => data).filter((data) => data !== "");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The parts of an OpenAPI 3.1 document that the contract uses. */
export type InterfaceDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: { headers: Record<string, Header> };
};

type Operation = { operationId: string; requestBody?: { content: Content }; responses: Record<string, Answer> };

type Answer = { headers?: Record<string, { $ref: string }>; content?: Content };

type Header = { required?: boolean; schema: { type: string } };

type Content = Record<string, { examples?: Record<string, { value: unknown }>; schema?: { $defs?: object } }>;

function templateOf({ paths }: InterfaceDocument, path: string): string | undefined {
  return Object.keys(paths).find((template) => new RegExp(`^${template.replace(/\{[^}]+\}/g, "[^/]+")}$`).test(path));
}

function headerOf({ components }: InterfaceDocument, { $ref }: { $ref: string }): Header {
  const header = components.headers[$ref.slice("#/components/headers/".length)];
  if (!header) throw new Error(`${$ref} is not in the document`);
  return header;
}

function codesOf(answer: Answer): string[] {
  const examples = Object.values(answer.content ?? {}).flatMap(({ examples = {} }) => Object.values(examples));
  return examples.flatMap(({ value }) => codeOf(value) ?? []);
}

/** Returns the code in an Error body. */
export function codeOf(body: unknown): string | undefined {
  const { code } = (body as { error?: { code?: unknown } } | null)?.error ?? {};
  return typeof code === "string" ? code : undefined;
}

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
