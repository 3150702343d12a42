/** Decodes one step of a JSON pointer in a URI fragment. A step with an invalid escape stays as it is. */
export function decodePointerStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}
