// The documents name an example where they do not know the address of the service.
const here = location.href.replace(/\/docs\/.*$/, "");
for (const code of document.querySelectorAll("code")) {
  code.textContent = code.textContent.replaceAll(/\w+:\/\/api\.example\.com/g, here);
}
