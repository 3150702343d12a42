import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiProblem, isUnreachable } from "../api/request.ts";

type Deps = {
  /** Called when a request finds that the session has ended. */
  readonly onSignedOut: () => void;
};

/** Returns the cache of the page's reads. A read repeats until the service answers. */
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
          isUnreachable(error) || (failures < 2 && (!(error instanceof ApiProblem) || error.status >= 500)),
        retryDelay: 2000,
      },
    },
  });
}

/** Returns whether a request was refused because there is no session. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401;
}
