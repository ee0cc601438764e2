// Comfort only: nothing on the page needs this to be read.
"use strict";
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const code = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      // Refused by the browser: select the words, so that one key copies them.
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}
for (const filter of document.querySelectorAll(".filter")) {
  filter.hidden = false;
  const rows = filter.parentElement.querySelectorAll("tr[data-k]");
  filter.addEventListener("change", () => {
    const off = new Set([...filter.querySelectorAll("input:not(:checked)")].map((box) => box.value));
    for (const row of rows) row.hidden = off.has(row.dataset.k);
  });
}
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", openTarget);
if (location.hash) openTarget();
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const each of closed) each.open = true;
});
addEventListener("afterprint", () => { for (const each of closed) each.open = false; });
