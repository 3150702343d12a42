// The documents use an example address when they do not know the service's.
const here = location.href.replace(/\/docs(?:[/?#].*)?$/, "");
for (const code of document.querySelectorAll("code")) {
  code.textContent = code.textContent.replaceAll(/\w+:\/\/api\.example\.com/g, here);
}
