// Comfort only: nothing on the page needs this to be read.
"use strict";
const SQUARES = { known: "●", held: "○", beyond: "·", silent: "?" };
function square(offset, [end, mark]) {
  if (end === null) return "silent";
  if (offset >= end) return "beyond";
  return mark !== null && offset < mark ? "known" : "held";
}
function prepare(root) {
  for (const button of root.querySelectorAll("button.copy")) {
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
  for (const filter of root.querySelectorAll(".filter")) {
    filter.hidden = false;
    const rows = filter.parentElement.querySelectorAll("tr[data-k]");
    filter.addEventListener("change", () => {
      const off = new Set([...filter.querySelectorAll("input:not(:checked)")].map((box) => box.value));
      for (const row of rows) row.hidden = off.has(row.dataset.k);
    });
  }
  for (const scrub of root.querySelectorAll(".scrub")) {
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
}
prepare(document);
// Of a long table the first rows that fit what was asked: a browser lays out hundreds at once.
const AT_ONCE = 200;
for (const sift of document.querySelectorAll(".sift")) {
  const body = document.getElementById(sift.dataset.table).tBodies[0];
  const more = sift.querySelector("button");
  const texts = new Map([...body.rows].map((row) => [row, row.textContent.toLowerCase()]));
  let most = AT_ONCE;
  const find = () => {
    const words = sift.querySelector("input").value.toLowerCase().split(/\s+/);
    const chosen = [...sift.querySelectorAll("select")].filter((list) => list.value);
    let found = 0;
    for (const row of body.rows) {
      const fits = words.every((word) => texts.get(row).includes(word))
        && chosen.every((list) => (row.dataset[list.name] ?? "").split("\n").includes(list.value));
      found += fits;
      row.hidden = !fits || found > most;
    }
    sift.querySelector("output").textContent = `${found} of ${texts.size} rows`;
    more.hidden = found <= most;
    more.textContent = `Show all ${found}, not only ${most}`;
  };
  const all = () => { most = Infinity; find(); };
  sift.hidden = false;
  sift.addEventListener("input", find);
  sift.addEventListener("submit", (event) => event.preventDefault());
  body.addEventListener("sorted", find);
  more.addEventListener("click", all);
  addEventListener("beforeprint", all);
  find();
}
const order = new Intl.Collator("en", { numeric: true });
for (const head of document.querySelectorAll("th[data-sort]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "sort";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = head.closest("table").tBodies[0];
    const keyed = [...body.rows].map((row) => [row.cells[head.cellIndex], row])
      .map(([cell, row]) => [cell.dataset.value ?? cell.textContent.trim(), row]);
    keyed.sort(([one], [other]) => order.compare(one, other) * (down ? -1 : 1));
    body.append(...keyed.map(([, row]) => row));
    body.dispatchEvent(new Event("sorted"));
  });
}
// What is packed: data-part says in which block, from where and how much of its text.
const texts = new Map();
function blockText(number) {
  if (!texts.has(number)) {
    const packed = atob(document.getElementById(`block-${number}`).textContent);
    const bytes = Uint8Array.from(packed, (each) => each.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    texts.set(number, new Response(unpacked).text());
  }
  return texts.get(number);
}
async function unpack(details) {
  const { part } = details.dataset;
  if (!part) return;
  delete details.dataset.part;
  const [block, begin, length] = part.split(" ").map(Number);
  const template = document.createElement("template");
  template.innerHTML = (await blockText(block)).slice(begin, begin + length);
  const added = [...template.content.children];
  details.append(template.content);
  added.forEach(prepare);
}
document.addEventListener("toggle", (event) => { if (event.target.open) unpack(event.target); }, true);
function packedWith(id) {
  const fitting = [...document.querySelectorAll("[data-part][data-ids]")]
    .filter((each) => each.dataset.ids && id.startsWith(each.dataset.ids));
  return fitting.sort((one, other) => other.dataset.ids.length - one.dataset.ids.length)[0];
}
async function openTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  const holder = id && !document.getElementById(id) && packedWith(id);
  if (holder) await unpack(holder);
  const target = document.getElementById(id);
  if (!target) return;
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  if (holder) location.replace(location.hash);  // now :target is there
  target.scrollIntoView();
}
addEventListener("hashchange", openTarget);
if (location.hash) openTarget();
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open], [data-part])")];
  for (const each of closed) each.open = true;
});
addEventListener("afterprint", () => { for (const each of closed) each.open = false; });
