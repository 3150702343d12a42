import { Problem } from "@video-to-json/contract";
import { readTextBody } from "@video-to-json/runtime/http";
import { Ajv, type Format, type ValidateFunction } from "ajv";
import type { Request, Response } from "express";
import type { Static, TSchema } from "typebox";

export type ReadBodyDeps = { readonly uploadIdleSeconds: number; readonly uploadMinBytesPerSecond: number };

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Returns a function that reads the JSON body of a request. The function throws invalid_request if the body does not
 * conform to the shape.
 */
export function createBodyReader<Shape extends TSchema>(
  deps: ReadBodyDeps,
  shape: Shape,
): (request: Request, response: Response) => Promise<Static<Shape>> {
  const formats = { "date-time": (text: string) => time.test(text) && !Number.isNaN(Date.parse(text)) };
  const check = compileShape(shape, formats);
  return async (request, response) => {
    if (!request.is("application/json")) throw wrong("The body is not JSON. Send JSON as `application/json`.");
    const body = parse(await readTextBody(deps, request, response));
    if (check(body)) return body as Static<Shape>;
    const details = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
    throw wrong("The body does not have the expected shape. Correct it as `details` says.", details);
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong("The body is not valid JSON. Send JSON.");
  }
}

function wrong(reason: string, details?: string[]): Problem {
  return new Problem("invalid_request", { reason }, { details });
}

/**
 * Compiles the check of a shape of ours. The shape itself is not validated: ajv would compile its metaschema for that,
 * which takes half of the start of the process.
 *
 * @param shape a schema from `@video-to-json/contract`.
 * @param formats the checks of the formats that it names.
 */
export function compileShape<T = unknown>(shape: object, formats: Record<string, Format> = {}): ValidateFunction<T> {
  return new Ajv({ allErrors: true, validateSchema: false, formats }).compile<T>(shape);
}
