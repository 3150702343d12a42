import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  useRouter,
} from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { useEffect, useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { type JobFilters, overviewQuery, sessionQuery } from "../api/queries.ts";
import { ButtonLink } from "../design/button.tsx";
import { EmptyState } from "../design/display.tsx";
import { Page } from "../design/page.tsx";
import { readRange } from "../usage/read-range.ts";
import { LostPart, loadPart, mayReload } from "./load-part.ts";
import { isSignedOut } from "./query-client.ts";
import { signedInAccount } from "./session-hint.ts";
import { Shell, useIsOnline } from "./shell.tsx";

const names = ["q", "status", "code", "key_id", "from", "to"] as const;

/** Returns the filters of an address, without values that are not text. */
function readFilters(search: Record<string, unknown>): JobFilters {
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === "string" && search[name] !== "" ? [[name, search[name]]] : [])),
  );
}

type Context = { readonly queryClient: QueryClient };

/** Returns the router: one route for each page, each loaded when it is first needed. */
export function createAppRouter(context: Context) {
  const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: NotFound });

  const signIn = createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    validateSearch: ({ next }): { next?: string | undefined } => (typeof next === "string" ? { next } : {}),
    component: lazyRouteComponent(() => loadPart(() => import("../sign-in/sign-in-page.tsx")), "SignInPage"),
  });

  const signedIn = createRoute({
    getParentRoute: () => root,
    id: "signed-in",
    component: Shell,
    errorComponent: PageFailure,
    beforeLoad: async ({ context: { queryClient }, location }) => {
      // Every page shows the balance, so it is read together with the session.
      void queryClient.prefetchQuery(overviewQuery);
      if (signedInAccount() !== undefined) return;
      try {
        await queryClient.ensureQueryData(sessionQuery);
      } catch (error) {
        if (!isSignedOut(error)) throw error;
        throw redirect({ to: "/sign-in", search: location.pathname === "/" ? {} : { next: location.href } });
      }
    },
  });

  const child = { getParentRoute: () => signedIn } as const;
  const start = createRoute({
    ...child,
    path: "/",
    component: lazyRouteComponent(() => loadPart(() => import("../start/start-page.tsx")), "StartPage"),
  });
  const keys = createRoute({
    ...child,
    path: "/keys",
    component: lazyRouteComponent(() => loadPart(() => import("../keys/keys-page.tsx")), "KeysPage"),
  });
  const connect = createRoute({
    ...child,
    path: "/connect",
    validateSearch: ({ request }): { request: string } => ({ request: String(request ?? "") }),
    component: lazyRouteComponent(() => import("../keys/connect-page.tsx"), "ConnectPage"),
  });
  const usage = createRoute({
    ...child,
    path: "/usage",
    validateSearch: readRange,
    component: lazyRouteComponent(() => loadPart(() => import("../usage/usage-page.tsx")), "UsagePage"),
  });
  const jobs = createRoute({
    ...child,
    path: "/jobs",
    validateSearch: readFilters,
    component: lazyRouteComponent(() => loadPart(() => import("../jobs/jobs-page.tsx")), "JobsPage"),
  });
  const refusals = createRoute({
    ...child,
    path: "/refusals",
    component: lazyRouteComponent(() => import("../jobs/refusals-page.tsx"), "RefusalsPage"),
  });
  const job = createRoute({
    ...child,
    path: "/jobs/$jobId",
    component: lazyRouteComponent(() => loadPart(() => import("../jobs/job-page.tsx")), "JobPage"),
  });
  const playground = createRoute({
    ...child,
    path: "/playground/{-$jobId}",
    validateSearch: ({ template }): { template?: string | undefined } =>
      typeof template === "string" ? { template } : {},
    component: lazyRouteComponent(() => loadPart(() => import("../playground/playground-page.tsx")), "PlaygroundPage"),
  });
  const settings = createRoute({
    ...child,
    path: "/settings",
    component: lazyRouteComponent(() => loadPart(() => import("../settings/settings-page.tsx")), "SettingsPage"),
  });
  const status = createRoute({
    ...child,
    path: "/status",
    component: lazyRouteComponent(() => loadPart(() => import("../status/status-page.tsx")), "StatusPage"),
  });

  return createRouter({
    routeTree: root.addChildren([
      signIn,
      signedIn.addChildren([start, keys, connect, usage, jobs, refusals, job, playground, settings, status]),
    ]),
    basepath: "/dashboard",
    context,
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: PageFailure,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}

/** The page for an unknown address. */
function NotFound() {
  return (
    <Page title="Page not found" quietTitle>
      <EmptyState
        icon={Compass}
        title="There is no such page"
        actions={<ButtonLink to="/">Go to the start</ButtonLink>}
      >
        The address may be mistyped, or the page has moved.
      </EmptyState>
    </Page>
  );
}

/** Shown in place of a page that failed to load. A page without one of its parts loads itself again. */
function PageFailure({ error }: { readonly error: unknown }) {
  const router = useRouter();
  const isOnline = useIsOnline();
  const isLost = error instanceof LostPart;
  const [isAgain, setAgain] = useState(isLost);
  useEffect(() => {
    if (!isLost || !isOnline) return;
    if (mayReload()) location.reload();
    else setAgain(false);
  }, [isLost, isOnline]);
  return (
    <Page title={isAgain ? "This page loads again" : "This page failed to load"}>
      {!isAgain && <ProblemNotice problem={error} onRetry={() => void router.invalidate()} />}
    </Page>
  );
}
