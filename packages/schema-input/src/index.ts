export { compactText } from "./json/compact-text.ts";
export { depthOf, hasMoreValuesThan } from "./json/scan.ts";
export { verbatimValue } from "./json/verbatim-value.ts";
export { fullDialect, type SchemaDialect } from "./lean/schema-dialect.ts";
export { type RawMember, readMembers } from "./read-members.ts";
export type { CheckedAnswer, CompiledSchema } from "./sandbox/compiled-schema.ts";
export { openSchemaSandbox, type SchemaSandbox, type SchemaWork } from "./sandbox/open-schema-sandbox.ts";
export type { SchemaWarning } from "./warnings/schema-warning.ts";
export { schemaWarnings } from "./warnings/schema-warnings.ts";
