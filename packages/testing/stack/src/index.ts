export { interruption } from "./demo/interruption.ts";
export { makeStackDirectory, removeStackData, stackDirectories } from "./stack/kept-stack.ts";
export { signInLink } from "./stack/sign-in-link.ts";
export type { Stack, StackPart, StackProcess } from "./stack/stack.ts";
export { startStack } from "./stack/start-stack.ts";
