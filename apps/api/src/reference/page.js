// The page is for reading only. It sends no requests, because a key belongs on a server or in a shell.
SwaggerUIBundle({
  dom_id: "#reference",
  url: "docs/openapi.json",
  layout: "BaseLayout",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 1,
  defaultModelExpandDepth: 4,
  supportedSubmitMethods: [],
  validatorUrl: null,
});
