import { Link, type LinkProps } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";

type Look = {
  readonly variant?: "primary" | "secondary" | "quiet" | "danger";
  readonly size?: "small" | "medium" | "large";
  /** The button shows only an icon, so it needs an `aria-label`. */
  readonly iconOnly?: boolean;
};

/** Returns the classes of a button, for elements that are not buttons, such as links. */
export function buttonClass({ variant = "secondary", size = "medium", iconOnly = false }: Look = {}): string {
  const sizeClass = size === "medium" ? "" : ` button-${size}`;
  return `button button-${variant}${sizeClass}${iconOnly ? " button-icon" : ""}`;
}

type ButtonProps = ComponentProps<"button"> & Look & { readonly busy?: boolean };

/**
 * A button. While `busy` it shows a spinner, stays in place and ignores clicks.
 * A button that can be busy also ignores the second click of a double click: that one may come before `busy` is drawn.
 */
export function Button({ variant, size, iconOnly, busy, children, disabled, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      onClick={(event) => {
        if (busy !== undefined && event.detail > 1) event.preventDefault();
        else onClick?.(event);
      }}
      className={`${buttonClass({ ...(variant && { variant }), ...(size && { size }), ...(iconOnly && { iconOnly }) })} ${rest.className ?? ""}`.trimEnd()}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    >
      {busy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}

type ButtonLinkProps = LinkProps & Look & { readonly children: ReactNode };

/** A link to another page of the dashboard that looks like a button. */
export function ButtonLink({ variant, size, children, ...link }: ButtonLinkProps) {
  return (
    <Link {...link} className={buttonClass({ ...(variant && { variant }), ...(size && { size }) })}>
      {children}
    </Link>
  );
}
