/** A request and what was answered, as far as the interface description has a say in it. */
export type Exchange = {
  method: string;
  /** Path without the query. */
  path: string;
  status: number;
  header(name: string): string | null;
  /** The body as text; empty for none. */
  body: string;
};

/** The exchange of a `fetch`, and its body, which can be read once only. */
export async function exchangeOf(response: Response, method: string): Promise<Exchange> {
  const body = await response.text();
  const { status, headers, url } = response;
  return { method, path: new URL(url).pathname, status, header: (name) => headers.get(name), body };
}
