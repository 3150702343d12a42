/** What a command has of the world outside: the environment, and a line on standard output. */
export type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>;
  print(line: string): void;
};
