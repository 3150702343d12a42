import type { Ajv } from "ajv";
import type { DataValidationCxt } from "ajv/dist/types/index.js";
import type { JsonValue } from "../json/json-value.ts";
import type { TextOf } from "./keywords.ts";
import type { PlainSchema } from "./plain-schema.ts";

/** The linker writes an `anyOf` or `oneOf` with more branches than this as `manyAnyOf` or `manyOneOf`. */
export const maxInlineBranches = 40;

/**
 * Adds `manyAnyOf` and `manyOneOf`. For `anyOf` and `oneOf`, ajv nests the code of each branch in the code of the
 * previous branch, which takes quadratic time. Here each branch is a separate function, and a constant is a comparison.
 */
export function addManyBranchKeywords(ajv: Ajv, textOf: TextOf): void {
  type Test = (data: JsonValue, at?: DataValidationCxt) => boolean;
  const keywords: [string, (tests: Test[], data: JsonValue, at?: DataValidationCxt) => boolean][] = [
    ["manyAnyOf", (tests, data, at) => tests.some((test) => test(data, at))],
    ["manyOneOf", (tests, data, at) => tests.filter((test) => test(data, at)).length === 1],
  ];
  for (const [keyword, holds] of keywords) {
    ajv.addKeyword({
      keyword,
      compile(branches: PlainSchema[]) {
        const tests = branches.map(compileBranch);
        return (data: JsonValue, at?: DataValidationCxt) => holds(tests, data, at);
      },
    });
  }

  function compileBranch(branch: PlainSchema): Test {
    if (typeof branch === "boolean") return () => branch;
    const keywords = Object.keys(branch).filter((keyword) => keyword !== "title" && keyword !== "description");
    const isConstant = keywords.length === 1 && typeof branch.exactConst === "string";
    if (isConstant) return (data, at) => textOf(data, at) === branch.exactConst;
    let validate: ReturnType<Ajv["compile"]> | undefined;
    return (data, at) => {
      // Compiled on first use, because a branch may refer to the schema that is still being compiled.
      validate ??= ajv.compile(branch);
      return validate(data, at) === true;
    };
  }
}
