/** The name of the product with its mark: a play sign that opens a brace. */
export function Logo() {
  return (
    <span className="logo">
      <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
        <rect className="logo-ground" width="32" height="32" rx="8" />
        <path className="logo-play" d="M10 9.2v13.6a1 1 0 0 0 1.5.86l5.2-3.1V11.4l-5.2-3.1a1 1 0 0 0-1.5.9Z" />
        <path
          className="logo-brace"
          d="M19.5 9h1.2c1.3 0 2 .8 2 2v2.4c0 1.4.5 2.2 1.8 2.6-1.3.4-1.8 1.2-1.8 2.6V21c0 1.2-.7 2-2 2h-1.2"
        />
      </svg>
      video-to-json
    </span>
  );
}
