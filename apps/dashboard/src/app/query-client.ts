import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiProblem } from "../api/request.ts";

type Deps = {
  /** Called when a request finds that the session has ended. */
  readonly onSignedOut: () => void;
};

/** Returns the cache of the page's reads. Failed reads are tried again only where that can help. */
export function createQueryClient({ onSignedOut }: Deps): QueryClient {
  const onError = (error: unknown) => {
    if (isSignedOut(error)) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5000,
        retry: (failures, error) =>
          failures < 2 && (!(error instanceof ApiProblem) || error.status === 0 || error.status >= 500),
      },
    },
  });
}

/** Returns whether a request was refused because there is no session. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401;
}
