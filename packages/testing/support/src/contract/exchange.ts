/** A request and its response: the parts that the interface description covers. */
export type Exchange = {
  method: string;
  /** Path without the query. */
  path: string;
  status: number;
  header(name: string): string | null;
  /** The response body as text; empty when there is no body. */
  body: string;
};

/** Reads the response of a `fetch`. Returns the exchange; the body of `response` is consumed. */
export async function exchangeOf(response: Response, method: string): Promise<Exchange> {
  const body = await response.text();
  const { status, headers, url } = response;
  return { method, path: new URL(url).pathname, status, header: (name) => headers.get(name), body };
}
