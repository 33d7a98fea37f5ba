// Lists: keys to move and open, a filter; forms that send JSON. No more than that.
"use strict";

function notice(text) {
  const line = document.getElementById("notice");
  line.textContent = text;
  line.hidden = false;
}

async function post(path, value) {
  const answer = await fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value),
  });
  let told = {};
  try { told = await answer.json(); } catch { told = { error: await answer.text().catch(() => "") }; }
  if (!answer.ok) throw new Error(told.error || "The server did not take it.");
  return told;
}

for (const form of document.querySelectorAll("form[data-post]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const value = {};
    for (const field of form.elements) {
      if (field.name) value[field.name] = field.type === "checkbox" ? field.checked : field.value;
    }
    try {
      await post(form.dataset.post, value);
      if (form.dataset.then) location.href = form.dataset.then;
      else location.reload();
    } catch (error) { notice(error.message); }
  });
}

for (const button of document.querySelectorAll("button[data-make]")) {
  button.addEventListener("click", async () => {
    button.disabled = true;
    button.textContent = "Being made…";
    try {
      const told = await post(button.dataset.make, {});
      const link = document.createElement("a");
      link.href = told.href;
      link.textContent = "Save " + told.href.split("/").pop();
      link.id = "case-link";
      button.replaceWith(link);
      link.click();
      if (told.remarks.length) notice(told.remarks.join(" "));
    } catch (error) {
      button.disabled = false;
      button.textContent = "Make the evidence file";
      notice(error.message);
    }
  });
}

const rows = [...document.querySelectorAll("#findings tbody tr[data-href]")];
const find = document.getElementById("find");
const undecided = document.getElementById("undecided");
let at = -1;

const visible = () => rows.filter((row) => !row.hidden);

function mark(row) {
  for (const other of rows) other.classList.toggle("at", other === row);
  if (row) row.scrollIntoView({ block: "nearest" });
  at = row ? rows.indexOf(row) : -1;
}

function move(by) {
  const shown = visible();
  if (!shown.length) return;
  const place = shown.indexOf(rows[at]);
  mark(shown[Math.max(0, Math.min(shown.length - 1, place + by))]);
}

function filter() {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word)) || (undecided.checked && "decided" in row.dataset);
  }
  document.getElementById("shown").textContent = visible().length;
  if (at >= 0 && rows[at].hidden) mark(null);
}

if (find) {
  find.addEventListener("input", filter);
  undecided.addEventListener("change", filter);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const keys = {
      j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1),
      Enter: () => { if (at >= 0) location.href = rows[at].dataset.href; },
      "/": () => find.focus(),
    };
    if (event.key in keys && !(event.key === "Enter" && event.target.matches("a, button"))) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  filter();
}

for (const row of document.querySelectorAll("tr[data-href]")) {
  row.addEventListener("click", (event) => {
    if (!event.target.closest("a") && !String(getSelection())) location.href = row.dataset.href;
  });
}
