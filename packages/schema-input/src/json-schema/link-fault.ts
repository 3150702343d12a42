/** What keeps a schema from being compiled. The message is `<JSON pointer>: <reason>`. */
export class LinkFault extends Error {
  constructor(pointer: string, reason: string) {
    super(`${pointer}: ${reason}`);
    this.name = "LinkFault";
  }
}
