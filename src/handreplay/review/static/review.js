// One round: the recording with outlines, the felt step by step, corrections and decisions. The server judges.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const body = document.body.dataset;
const base = body.base;
const $ = (id) => document.getElementById(id);
const video = $("video");
const panels = $("panels");
const SUITS = { c: "♣", d: "♦", h: "♥", s: "♠" };
const RANKS = "AKQJT98765432";

let data = null;      // what the server says of the round
let now = Number(body.start);
let step = 0;
let offset = 0;       // browser time = seconds of the recording + offset
let drawnOutlines = "";
let target = null;    // the event that a dialog is about

function notice(text) {
  const line = $("notice");
  line.textContent = text;
  line.hidden = false;
  clearTimeout(notice.timer);
  notice.timer = setTimeout(() => { line.hidden = true; }, 6000);
}

async function post(path, value) {
  const answer = await fetch(base + path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value),
  });
  let told = {};
  try { told = await answer.json(); } catch { told = {}; }
  if (!answer.ok) throw new Error(told.error || "The server did not take it; load the page again.");
  return told;
}

function draw(kind, attributes, text) {
  const element = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// ---- time

function position(seconds) {
  const ms = Math.round(Math.max(0, seconds) * 1000);
  const pad = (value, width) => String(value).padStart(width, "0");
  return `${Math.floor(ms / 3600000)}:${pad(Math.floor(ms / 60000) % 60, 2)}:${pad(Math.floor(ms / 1000) % 60, 2)}.${pad(ms % 1000, 3)}`;
}

function clock(seconds) {
  if (!body.clockStart) return "";
  const moment = new Date(Date.parse(body.clockStart) + (seconds - Number(body.start)) * 1000);
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: body.timezone, hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "longOffset",
  });
  return format.format(moment).replace("GMT", "") + " · ";
}

function go(seconds) {
  now = Math.max(data.start, Math.min(data.end, seconds));
  if (video && video.readyState > 0) video.currentTime = Math.max(0, now + offset + 0.002);
  showNow();
}

function stepAt(seconds) {
  let found = 0;
  data.steps.forEach((one, number) => { if (number && one.t <= seconds + 0.0015) found = number; });
  return found;
}

// The recording that a round has run on into at a moment, if it has.
const later = (seconds) => data.elsewhere.filter((one) => one.from_s <= seconds + 0.0005).at(-1);

function where(seconds) {
  const one = later(seconds);
  return one ? `${one.file} ${position(seconds - one.from_s)}` : position(seconds);
}

// Why the player shows no picture of a moment, or nothing when it does.
function away(seconds) {
  const one = later(seconds);
  if (one) return `This moment is in ${one.file} at ${position(seconds - one.from_s)}.`;
  const ended = video && video.readyState > 0 && seconds > video.duration - offset + 0.5;
  return ended ? "This recording has ended before this moment." : "";
}

function showAway() {
  const told = away(now);
  $("elsewhere").textContent = told;
  $("elsewhere").hidden = !told;
  $("screen").classList.toggle("away", Boolean(told));
}

function showNow() {
  $("now").textContent = clock(now) + where(now);
  showAway();
  const head = $("timeline").querySelector(".head");
  if (head) head.style.left = share(now);
  const next = stepAt(now);
  if (next !== step) showStep(next);
  showOutlines();
}

const share = (seconds) => `${((seconds - data.start) / Math.max(0.001, data.end - data.start)) * 100}%`;

function frame(by) {
  if (video) video.pause();
  const times = data.times;
  if (!times.length) return go(now + by / 30);
  let place = times.findIndex((t) => t > now + 0.0005) - 1;
  if (place < 0) place = times[0] > now ? 0 : times.length - 1;
  go(times[Math.max(0, Math.min(times.length - 1, place + by))]);
}

function toStep(number) {
  const place = Math.max(0, Math.min(data.steps.length - 1, number));
  if (video) video.pause();
  go(place ? data.steps[place].t : Number(body.start));
  if (step !== place) showStep(place);  // two events of one moment
}

function play() {
  if (!video) return;
  if (video.paused && away(now)) notice(away(now));
  else if (video.paused) video.play().catch(() => notice("The browser cannot play this recording."));
  else video.pause();
}

// ---- the picture

function showOutlines() {
  const layer = $("outlines");
  if (!data.outlines.size || !$("show-outlines").checked || away(now)) { layer.replaceChildren(); drawnOutlines = ""; return; }
  const latest = new Map();
  for (const one of data.outlines.readings) {
    const known = latest.get(one.zone);
    if (one.t <= now + 0.001 && (!known || known.t <= one.t)) latest.set(one.zone, one);
  }
  const accused = accusedZone();
  const key = accused + "|" + [...latest.values()].map((one) => one.zone + one.t).join();
  if (key === drawnOutlines) return;
  drawnOutlines = key;
  const [width, height] = data.outlines.size;
  layer.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const size = Math.round(width / 62);
  const parts = data.outlines.zones.map((zone) =>
    draw("polygon", { class: "zone" + (zone.zone === accused ? " accused" : ""), points: zone.points }));
  for (const one of latest.values()) {
    for (const [kind, items] of [["card", one.cards], ["stack", one.stacks]]) {
      for (const item of items) {
        parts.push(draw("polygon", { class: "read-under", points: item.points }));
        parts.push(draw("polygon", { class: "read " + kind, points: item.points }));
        if (item.label) parts.push(label(item, size));
      }
    }
  }
  layer.replaceChildren(...parts);
}

function label(item, size) {
  const points = item.points.split(" ").map((pair) => pair.split(",").map(Number));
  const x = points.reduce((sum, point) => sum + point[0], 0) / points.length;
  const top = Math.min(...points.map((point) => point[1]));
  return draw("text", { x, y: top - size * 0.3, "font-size": size }, item.label);
}

function accusedZone() {
  const card = panels.querySelector(".fcard.at");
  if (!card) return "";
  const [, , seat, wager] = card.dataset.finding.split(".");
  return seat === "-" ? "dealer.cards" : `seat${seat}.${wager === "-" ? "cards" : wager}`;
}

// ---- the felt

function showStep(number) {
  step = number;
  const one = data.steps[number];
  const felt = $("felt");
  felt.setAttribute("viewBox", data.felt.view);
  const parts = [draw("path", { class: "table", d: data.felt.edge })];
  for (const [points, kind] of data.felt.boxes) parts.push(draw("polygon", { class: "box " + kind, points }));
  const row = panels.querySelector(`#events li[data-step="${number}"]`);
  for (const spot of data.felt.spots) parts.push(...drawSpot(spot, one, row));
  for (const text of one.labels) {
    const kind = ["Dealer", "Board"].includes(text.text) ? "side" : text.text.startsWith("Seat") ? "seat" : "tiny";
    parts.push(draw("text", { class: kind + (text.idle ? " idle" : ""), x: text.x, y: text.y }, text.text));
  }
  for (const card of one.cards) parts.push(drawCard(card, row));
  felt.replaceChildren(...parts);
  for (const item of panels.querySelectorAll("#events li")) item.classList.toggle("at", Number(item.dataset.step) === number);
  for (const item of panels.querySelectorAll("[data-rack]")) {
    item.classList.toggle("later", one.places[item.dataset.rack] !== "rack");
  }
  const list = $("events");
  if (row && list && list.scrollHeight > list.clientHeight) {
    list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2;
  }
  const told = row ? row.querySelector(".told").firstChild.textContent.trim() : "Before the first event";
  $("felt-words").textContent = `${number} of ${data.steps.length - 1}: ${told} · ${one.rack} cards in the rack`;
}

function drawSpot(spot, one, row) {
  const amount = one.chips[spot.zone];
  const moving = row && row.dataset.zone === spot.zone;
  const kind = amount === undefined ? "" : amount === "?" ? " doubt" : " full";
  const shape = draw("polygon", { class: `spot${kind}${moving ? " moving" : ""}${kind ? " pick" : ""}`, points: spot.outline });
  if (kind) shape.addEventListener("click", () => fixLatest("zone", spot.zone));
  const [name, stake] = spot.lines;
  if (amount === undefined) return [shape, draw("text", { class: "tiny idle", x: stake[0], y: stake[1] }, spot.name)];
  return [shape, draw("text", { class: "tiny", x: name[0], y: name[1] }, spot.name),
    draw("text", { class: "stake", x: stake[0], y: stake[1] }, amount)];
}

function drawCard(card, row) {
  const moving = row && row.dataset.card === card.card;
  const group = draw("g", { class: "pick" + (moving ? " moving" : ""), transform: `translate(${card.x} ${card.y}) scale(${card.scale})` });
  group.append(draw("rect", { class: card.kind, width: 70, height: 96, rx: 8 }));
  if (card.kind === "face") {
    const colour = "dh".includes(card.suit) ? "red" : "black";
    group.append(draw("text", { class: "rank " + colour, x: 35, y: 30 }, card.rank));
    group.append(draw("use", { class: colour, href: "#s-" + card.suit, x: 18, y: 53, width: 34, height: 34 }));
  } else if (card.kind === "unread") group.append(draw("text", { class: "query", x: 35, y: 48 }, "?"));
  group.addEventListener("click", () => fixLatest("card", card.card));
  return group;
}

function fixLatest(kind, name) {
  const own = [...panels.querySelectorAll("#events li")].filter((li) =>
    li.dataset[kind] === name && Number(li.dataset.step) <= step);
  if (own.length) openFix(own.at(-1), kind === "card" ? "card" : "amount");
}

// ---- the timeline

function drawTimeline() {
  const line = $("timeline");
  const inside = document.createElement("i");
  inside.className = "inside";
  inside.style.left = share(Number(body.start));
  inside.style.right = `${100 - parseFloat(share(data.end - (Number(body.start) - data.start)))}%`;
  const marks = [...panels.querySelectorAll("#events li")].map((li) => {
    const mark = document.createElement("i");
    mark.className = li.querySelector("[data-actor=dealer].on") ? "dealer" : "";
    mark.style.left = share(Number(li.dataset.t));
    return mark;
  });
  const flags = [...panels.querySelectorAll(".fcard")].map((card) => {
    const flag = document.createElement("i");
    flag.className = "finding" + (card.querySelector(".status.review") ? " question" : "");
    flag.style.left = share(Number(card.dataset.t));
    return flag;
  });
  const head = document.createElement("i");
  head.className = "head";
  line.replaceChildren(inside, ...marks, ...flags, head);
}

$("timeline").addEventListener("pointerdown", (event) => {
  const place = $("timeline").getBoundingClientRect();
  const jump = (at) => go(data.start + ((at.clientX - place.left) / place.width) * (data.end - data.start));
  jump(event);
  const moved = (at) => jump(at);
  addEventListener("pointermove", moved);
  addEventListener("pointerup", () => removeEventListener("pointermove", moved), { once: true });
});

// ---- findings and decisions

function markFinding(card, jump) {
  for (const other of panels.querySelectorAll(".fcard")) other.classList.toggle("at", other === card);
  if (card && jump) { go(Number(card.dataset.t)); card.scrollIntoView({ block: "nearest" }); }
  showOutlines();
}

function cents(text, what) {
  const found = /^\s*\$?([0-9]{1,9}(?:,[0-9]{3})*)(?:\.([0-9]{1,2}))?\s*$/.exec(text || "0");
  if (!found) throw new Error(`${what} is an amount such as 12.50`);
  return Number(found[1].replaceAll(",", "")) * 100 + Number((found[2] || "").padEnd(2, "0"));
}

async function decide(card, choice) {
  const loss = card.querySelector("[data-loss]");
  if (choice === "reject" && loss.value === loss.defaultValue) loss.value = "0";
  const fault = card.querySelector("[data-fault]");
  const sent = choice === "reject" && fault.selectedOptions[0].defaultSelected ? "none" : fault.value;
  try {
    await post("/decide", {
      finding: card.dataset.finding, choice, fault: sent,
      loss_cents: cents(loss.value, "The loss"), saving_cents: cents(card.querySelector("[data-saving]").value, "What was saved"),
      remark: card.querySelector("[data-remark]").value,
    });
    await refresh(card.dataset.finding);
  } catch (error) { notice(error.message); }
}

// ---- corrections

async function correct(correction) {
  const before = new Map([...panels.querySelectorAll(".fcard")].map((card) => [card.dataset.finding, card.querySelector(".message").textContent]));
  try {
    await post("/correct", { correction });
    const at = panels.querySelector(".fcard.at");
    await refresh(at ? at.dataset.finding : "");
    const cards = [...panels.querySelectorAll(".fcard")];
    for (const card of cards) {
      if (before.get(card.dataset.finding) !== card.querySelector(".message").textContent) card.classList.add("flash");
    }
    const gone = [...before.keys()].filter((key) => !cards.some((card) => card.dataset.finding === key)).length;
    notice(`Kept, and the round was replayed.${gone ? ` ${gone} finding${gone > 1 ? "s" : ""} no longer hold${gone > 1 ? "" : "s"}.` : ""}`);
  } catch (error) { notice(error.message); }
}

function openFix(li, kind) {
  target = li;
  const likely = JSON.parse(li.dataset.candidates || "[]");
  if (kind === "card") {
    $("card-name").textContent = `${li.dataset.card}, ${li.dataset.place}`;
    fill($("card-likely"), likely, (value) => { closeAll(); correct({ op: "identity", card: li.dataset.card, identity: value }); }, true);
    drawGrid(li);
    $("card-dialog").showModal();
  } else {
    $("amount-name").textContent = li.querySelector(".told").firstChild.textContent.trim();
    fill($("amount-likely"), likely, (value) => { closeAll(); correct({ op: "amount", event: li.dataset.event, after: JSON.parse(value) }); });
    const first = likely.length ? JSON.parse(likely[0][0]) : {};
    for (const input of document.querySelectorAll(".chip-count")) input.value = first[input.dataset.chip] || 0;
    showTotal();
    $("amount-dialog").showModal();
  }
}

function fill(place, likely, take, cards) {
  place.replaceChildren(...likely.map(([value, words, probability]) => {
    const button = document.createElement("button");
    button.type = "button";
    if (cards) button.className = "card-button" + ("dh".includes(value[1]) ? " red" : "");
    button.append(words + " ");
    const small = document.createElement("small");
    small.textContent = probability;
    button.append(small);
    button.addEventListener("click", () => take(value));
    return button;
  }));
}

function drawGrid(li) {
  const used = new Map();
  for (const card of data.steps.flatMap((one) => one.cards)) if (card.identity) used.set(card.identity, card.card);
  const buttons = [];
  for (const suit of "shdc") {
    for (const rank of RANKS) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.identity = rank + suit;
      const elsewhere = used.has(rank + suit) && used.get(rank + suit) !== li.dataset.card;
      button.className = ("dh".includes(suit) ? "red" : "") + (elsewhere ? " used" : "") + (used.get(rank + suit) === li.dataset.card ? " is" : "");
      button.title = elsewhere ? "read elsewhere in this round" : "";
      button.textContent = (rank === "T" ? "10" : rank) + SUITS[suit];
      buttons.push(button);
    }
  }
  $("card-grid").replaceChildren(...buttons);
}

const counts = (kind) => Object.fromEntries([...document.querySelectorAll(kind)]
  .map((input) => [input.dataset.chip, Number(input.value)]).filter(([, count]) => count > 0));

function showTotal() {
  const total = Object.entries(counts(".chip-count")).reduce((sum, [chip, count]) => sum + Number(chip) * count, 0);
  $("amount-total").textContent = "$" + total.toLocaleString("en-US", { maximumFractionDigits: 2 });
}

function closeAll() {
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
}

function openAdd() {
  const form = $("add-form");
  form.elements.t.value = now.toFixed(3);
  const names = [...new Set([...panels.querySelectorAll("#events li[data-card]")].map((li) => li.dataset.card))];
  $("add-card").replaceChildren(...names.map((name) => new Option(name, name)));
  showAddFields();
  $("add-dialog").showModal();
}

function showAddFields() {
  const kind = $("add-form").elements.type.value;
  for (const field of document.querySelectorAll("#add-form [data-for]")) {
    field.hidden = !field.dataset.for.split(" ").includes(kind);
  }
}

function addedEvent(form) {
  const get = (name) => form.elements[name].value;
  const event = { t: Number(get("t")), type: get("type") };
  if (get("actor") !== "unknown") event.actor = get("actor");
  if (["no_more_bets", "round_void"].includes(event.type)) return { t: event.t, type: "declared", what: event.type };
  if (event.type === "chips_changed") Object.assign(event, { zone: get("chip_zone"), after: counts(".add-chip") });
  if (event.type === "card_placed") event.zone = get("card_zone");
  if (event.type === "card_placed" || event.type === "card_turned") {
    const text = get("identity").trim();
    event.face = get("face");
    event.identity = text ? text[0].toUpperCase() + text.slice(1).toLowerCase() : null;
  }
  if (event.type === "card_turned" || event.type === "card_moved") event.card = get("card");
  if (event.type === "card_moved") {
    const there = [...data.steps].reverse().find((one) => one.t <= event.t) || data.steps[0];
    event.from = (there.places || {})[event.card] || "rack";
    event.to = get("card_zone");
  }
  if (event.type === "stub_moved") Object.assign(event, { to: "rack", exposed: false });
  return event;
}

// ---- what is clicked

panels.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  const card = event.target.closest(".fcard");
  const li = event.target.closest("#events li");
  if (card && !event.target.closest("input, select, textarea")) markFinding(card, !button);
  if (!button) { if (li) toStep(Number(li.dataset.step)); return; }
  const d = button.dataset;
  if (d.answer) correct(JSON.parse(d.answer));
  else if (d.ask) openFix(panels.querySelector(`#events li[data-event="${button.closest(".ask").dataset.event}"]`), d.ask);
  else if (d.choice) decide(card, d.choice);
  else if (d.jump) { markFinding(card, true); }
  else if (d.stepTo) toStep(Number(d.stepTo));
  else if (d.actor) correct({ op: "actor", event: li.dataset.event, actor: d.actor });
  else if (d.went) correct({ op: "to", event: li.dataset.event, to: d.went });
  else if (d.fix === "card" || d.fix === "amount") openFix(li, d.fix);
  else if (d.fix) correct({ op: d.fix, event: li.dataset.event });
  else if (d.undo) correct({ op: "undo", entry: Number(d.undo) });
  else if (button.id === "add-button") openAdd();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const d = button.dataset;
  if ("close" in d) closeAll();
  else if (d.do) ({ play, "frame-back": () => frame(-1), "frame-on": () => frame(1), "event-back": () => toStep(step - 1), "event-on": () => toStep(step + 1) })[d.do]();
  else if (d.identity) { closeAll(); correct({ op: "identity", card: target.dataset.card, identity: d.identity }); }
  else if (d.more || d.less) {
    const input = document.querySelector(`.chip-count[data-chip="${d.more || d.less}"]`);
    input.value = Math.max(0, Number(input.value) + (d.more ? 1 : -1));
    showTotal();
  } else if ("take" in d) { closeAll(); correct({ op: "amount", event: target.dataset.event, after: counts(".chip-count") }); }
  else if ("unread" in d) {
    const cardDialog = button.closest("#card-dialog");
    closeAll();
    if (cardDialog) correct({ op: "identity", card: target.dataset.card, identity: null });
    else correct({ op: "amount", event: target.dataset.event, after: null });
  } else if (button.id === "help-button") $("help-dialog").showModal();
});

$("amount-dialog").addEventListener("input", showTotal);
$("add-form").elements.type.addEventListener("change", showAddFields);
$("add-form").addEventListener("submit", (event) => {
  event.preventDefault();
  closeAll();
  correct({ op: "add", event: addedEvent($("add-form")) });
});
$("speed").addEventListener("change", () => { if (video) video.playbackRate = Number($("speed").value); });
$("show-outlines").addEventListener("change", () => { drawnOutlines = ""; showOutlines(); });

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !data) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const card = panels.querySelector(".fcard.at");
  const cards = [...panels.querySelectorAll(".fcard")];
  const li = panels.querySelector("#events li.at");
  const keys = {
    " ": play, ArrowLeft: () => (event.shiftKey ? go(now - 1) : frame(-1)), ArrowRight: () => (event.shiftKey ? go(now + 1) : frame(1)),
    ArrowUp: () => toStep(step - 1), ArrowDown: () => toStep(step + 1),
    s: () => { const select = $("speed"); select.selectedIndex = (select.selectedIndex + 1) % select.length; select.dispatchEvent(new Event("change")); },
    l: () => $("show-outlines").click(),
    f: () => { if (cards.length) markFinding(cards[(cards.indexOf(card) + 1) % cards.length], true); },
    c: () => card && decide(card, "confirm"), r: () => card && decide(card, "reject"), o: () => card && decide(card, "open"),
    m: () => card && card.querySelector("[data-remark]").focus(),
    e: () => { if (li && li.dataset.zone) openFix(li, "amount"); else if (li && li.dataset.card) openFix(li, "card"); },
    a: openAdd, u: () => { const last = panels.querySelector("[data-undo]"); if (last) last.click(); },
    "[": () => { if (body.before) location.href = `/run/${body.run}/round/${body.before}`; },
    "]": () => { if (body.after) location.href = `/run/${body.run}/round/${body.after}`; },
    h: () => { location.href = "/"; }, "?": () => $("help-dialog").showModal(),
  };
  if (!(event.key in keys) || (event.key === " " && event.target.matches("button, a"))) return;
  event.preventDefault();
  keys[event.key]();
});

// ---- start, and again after every entry

async function load() {
  const answer = await fetch(base + (data ? "/data?again=1" : "/data"));  // what a correction cannot change comes once
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error);
  data = { ...data, ...told };
}

async function refresh(marked) {
  const [page] = await Promise.all([fetch(base + "/panels"), load()]);
  if (!page.ok) throw new Error("The page could not be drawn again; load it anew.");
  const scrolled = $("events").scrollTop;
  panels.innerHTML = await page.text();  // escaped by the server, and no script runs from it
  $("events").scrollTop = scrolled;
  const cards = [...panels.querySelectorAll(".fcard")];
  const card = cards.find((one) => one.dataset.finding === marked) || (marked && cards[0]);
  if (card) markFinding(card, false);
  drawTimeline();
  showStep(Math.min(step, data.steps.length - 1));
  showNow();
}

async function startVideo() {
  if (!video || data.playback === "none") return;
  if (data.playback === "direct") {
    offset = data.offset;
    video.src = `/run/${body.run}/recording`;
  } else {
    $("proxy-note").textContent = "A proxy copy for this browser is being made…";
    const answer = await fetch(base + "/proxy-start");
    const told = await answer.json();
    if (!answer.ok) { $("proxy-note").textContent = told.error; return; }
    offset = -told.starts_at;
    $("proxy-note").textContent = told.remark;
    video.src = base + "/proxy";
  }
  video.addEventListener("loadedmetadata", () => go(now), { once: true });
  video.addEventListener("ended", () => { if (data.elsewhere.length) go(Math.max(now, data.elsewhere[0].from_s)); });
  const follow = () => { if (!video.paused) { now = video.currentTime - offset; showNow(); if (now > data.end) video.pause(); } };
  if (video.requestVideoFrameCallback) {
    const each = () => { follow(); video.requestVideoFrameCallback(each); };
    video.requestVideoFrameCallback(each);
  } else video.addEventListener("timeupdate", follow);
  video.addEventListener("play", () => { $("play").textContent = "Pause"; });
  video.addEventListener("pause", () => { $("play").textContent = "Play"; });
  video.addEventListener("error", () => notice("The browser cannot play this recording."));
}

load().then(() => {
  drawTimeline();
  showStep(0);
  const wanted = decodeURIComponent(location.hash.slice(1));
  const cards = [...panels.querySelectorAll(".fcard")];
  const card = cards.find((one) => one.dataset.finding === wanted) || cards[0];
  if (card) markFinding(card, true);
  else go(Number(body.start));
  return startVideo();
}).catch((error) => notice(error.message));
