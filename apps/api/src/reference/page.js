// The page is for reading only. It sends no requests, because a key belongs on a server or in a shell.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followTheme);
followTheme();

// The samples use an example address when the document does not know the service's.
const here = location.href.replace(/\/docs\/?(?:[?#].*)?$/, "");
const withAddress = (source) => source.replaceAll(/\w+:\/\/api\.example\.com/g, here);

/** Shows the code samples of an operation (`x-codeSamples`) before its parameters. */
const codeSamples = () => ({
  wrapComponents: {
    parameters: (Original, { React, specSelectors }) => {
      const { createElement: make, useState } = React;
      function Samples({ path, method }) {
        const samples = specSelectors.specJson().getIn(["paths", path, method, "x-codeSamples"])?.toJS() ?? [];
        const [shown, show] = useState(0);
        if (samples.length === 0) return null;
        const buttons = samples.map(({ label }, index) =>
          make(
            "button",
            { key: label, type: "button", role: "tab", "aria-selected": index === shown, onClick: () => show(index) },
            label,
          ),
        );
        return make(
          "div",
          { className: "code-samples" },
          make("div", { role: "tablist" }, buttons),
          make("pre", { role: "tabpanel", tabIndex: 0 }, make("code", null, withAddress(samples[shown].source))),
        );
      }
      return (props) => {
        const [path, method] = props.pathMethod ?? [];
        return make("div", null, make(Samples, { path, method }), make(Original, props));
      };
    },
  },
});

const ui = SwaggerUIBundle({
  dom_id: "#reference",
  url: "docs/openapi.json",
  layout: "BaseLayout",
  plugins: [codeSamples],
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 1,
  defaultModelExpandDepth: 4,
  supportedSubmitMethods: [],
  validatorUrl: null,
  onComplete: () => {
    const [tag] = ui.specSelectors.taggedOperations().keys();
    const first = ui.specSelectors.taggedOperations().getIn([tag, "operations", 0, "operation", "operationId"]);
    if (location.hash === "") ui.layoutActions.show(["operations", tag, first], true);
  },
});
