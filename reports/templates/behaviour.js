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
const SQUARES = { known: "●", held: "○", beyond: "·", silent: "?" };
function square(offset, [end, mark]) {
  if (end === null) return "silent";
  if (offset >= end) return "beyond";
  return mark !== null && offset < mark ? "known" : "held";
}
for (const scrub of document.querySelectorAll(".scrub")) {
  const { moments, told } = JSON.parse(scrub.dataset.scrub);
  const slider = scrub.querySelector("input");
  const now = scrub.querySelector(".told-now");
  const rows = scrub.querySelectorAll("tbody tr");
  const cursors = scrub.parentElement.querySelectorAll("path.cursor");
  const show = () => {
    const [ms, x, replicas, leader] = moments[slider.value];
    const at = `${(ms / 1000).toFixed(3)} s`;
    scrub.querySelector("output").textContent = at;
    scrub.querySelector(".leader").textContent = leader;
    slider.setAttribute("aria-valuetext", `${at}, ${leader}`);
    const said = told.filter(([since]) => since <= ms).pop();
    now.hidden = false;
    now.textContent = said ? `${(said[0] / 1000).toFixed(3)} s: ${said[1]}` : "";
    rows.forEach((row, number) => {
      const seen = replicas[number];
      [...row.querySelectorAll("td:not([data-o])")].forEach((cell, at) => { cell.textContent = seen[at] ?? "?"; });
      for (const cell of row.querySelectorAll("td[data-o]")) {
        cell.className = square(Number(cell.dataset.o), seen);
        cell.textContent = SQUARES[cell.className];
      }
    });
    for (const cursor of cursors) { cursor.style.transform = `translateX(${x}px)`; cursor.classList.add("on"); }
  };
  scrub.querySelector(".control").hidden = false;
  slider.addEventListener("input", show);
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
