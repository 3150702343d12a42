/** The reason why a schema cannot be compiled. The message is `<JSON pointer>: <reason>`. */
export class LinkError extends Error {
  constructor(pointer: string, reason: string) {
    super(`${pointer}: ${reason}`);
    this.name = "LinkError";
  }
}
