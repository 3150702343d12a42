import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./button.tsx";

type CopyButtonProps = {
  readonly text: string;
  /** The name of the text: "the key" makes "Copy the key". */
  readonly what: string;
  readonly size?: "small" | "medium";
  readonly withText?: boolean;
  /** The button's text, "Copy" by default. */
  readonly label?: string;
  readonly variant?: "primary" | "secondary" | "quiet";
  readonly className?: string;
  readonly autoFocus?: boolean;
};

/** Copies a text and confirms it for two seconds. */
export function CopyButton({
  text,
  what,
  size = "small",
  withText = false,
  label = "Copy",
  variant = "quiet",
  className,
  autoFocus,
}: CopyButtonProps) {
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setState("copied"),
      () => setState("refused"),
    );
  };
  const word = state === "copied" ? "Copied" : state === "refused" ? "Not copied" : label;
  return (
    <>
      <Button
        size={size}
        variant={variant}
        iconOnly={!withText}
        className={className}
        autoFocus={autoFocus}
        aria-label={withText ? undefined : `Copy ${what}`}
        title={withText ? undefined : `Copy ${what}`}
        onClick={copy}
      >
        {state === "copied" ? <Check className="copied" aria-hidden="true" /> : <Copy aria-hidden="true" />}
        {withText && word}
      </Button>
      <span className="visually-hidden" role="status">
        {state === "copied" ? `Copied ${what}` : state === "refused" ? `The browser did not allow to copy ${what}` : ""}
      </span>
    </>
  );
}
