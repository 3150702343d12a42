// A page to read: a key belongs on a server or in a shell, so nothing is sent from here.
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
