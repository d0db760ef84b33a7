// Older values, sorting, the filter, the switches and what a cell opens. Plain scripts, nothing is
// fetched; all texts are set as text, so that none is read as HTML.
"use strict";

const run = window.run || null; // of run.js, which lies beside the pages of a whole run

function element(tag, text, parent) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

// ---- older values: what status.js, which the next run writes, has of this page ----------------

const status = window.runStatus || { pages: {} }; // not there in a page that was handed on alone
const here = document.body.dataset.page;
const MOST_PAGES = 8;

function showStatus(entry, others) {
  const banner = element("aside");
  banner.className = "status";
  banner.setAttribute("aria-label", "Older values");
  const verb = !entry ? "" : entry.state === "running" ? "may show" : "shows";
  element("strong", entry ? `This page ${verb} older values` : "Some pages show older values", banner);
  if (entry) element("p", entry.why, banner);
  if (others.length) {
    const line = element("p", entry ? "Older too: " : "Older: ", banner);
    others.slice(0, MOST_PAGES).forEach((one, place) => {
      const ending = one === "tables/scores" ? "tsv" : "html";
      if (place) line.append(" · ");
      line.append(link(status.titles[one], encodeURI(`../${one}.${ending}`)));
    });
    if (others.length > MOST_PAGES) line.append(` and ${others.length - MOST_PAGES} more`);
  }
  element("code", status.command, element("p", "To bring everything up to date: ", banner));
  if (status.failed) {
    const folded = element("details", "", banner);
    element("summary", `Failed jobs: ${status.failed.length}`, folded);
    const failed = element("ul", "", folded);
    status.failed.forEach((line) => element("li", line, failed));
  }
  document.body.prepend(banner);
}

const older = Object.keys(status.pages).filter((one) => one !== here);
const entry = Object.hasOwn(status.pages, here) ? status.pages[here] : null;
// the first page names those that it links
if (entry || (here === "tables/index" && older.length)) {
  showStatus(entry, here === "tables/index" ? older : []);
}

// ---- sorting: numbers from the highest, texts from A; then the other way; then as it was ------

function keyOf(row, column) {
  const cell = row.cells[column];
  const main = (cell.querySelector("button, strong, u") || cell.firstChild || cell).textContent;
  const text = main.trim().replaceAll(",", "").replace("−", "-");
  const number = parseFloat(text.replace(/^[[+<=]\s*/, ""));
  return { text: cell.textContent.trim(), number };
}

function compare(a, b, sign) {
  const [noA, noB] = [Number.isNaN(a.number), Number.isNaN(b.number)];
  if (noA !== noB) return noA ? 1 : -1; // what has no value is last, whichever way
  return sign * (noA ? a.text.localeCompare(b.text) : a.number - b.number);
}

function makeSortable(table) {
  // a line in bold, the total, stays where it is
  const bodies = [...table.tBodies].filter((body) => !body.querySelector("th strong"));
  const before = bodies.map((body) => [...body.rows]);
  const heads = [...table.tHead.rows[0].cells];
  const show = (index, order) => {
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    if (!order) {
      bodies.forEach((body, place) => body.append(...before[place]));
      return;
    }
    heads[index].setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const rows = before.flat().map((row) => [keyOf(row, index), row]);
    rows.sort((a, b) => compare(a[0], b[0], sign));
    bodies[0].append(...rows.map((one) => one[1]));
  };
  const orders = (index) => {
    const isText = before.flat().every((row) => Number.isNaN(keyOf(row, index).number));
    return isText ? ["ascending", "descending", ""] : ["descending", "ascending", ""];
  };
  heads.forEach((head, index) => {
    if (!head.textContent.trim()) return;
    const button = element("button");
    button.type = "button";
    button.append(...[...head.childNodes].filter((node) => node.className !== "below"));
    head.prepend(button);
    button.addEventListener("click", () => {
      const order = orders(index);
      show(index, order[(order.indexOf(head.getAttribute("aria-sort") || "") + 1) % 3]);
    });
  });
}

document.querySelectorAll("table.sortable").forEach((table) => {
  if (table.tBodies.length && table.querySelectorAll("tbody tr").length > 1) makeSortable(table);
});

// ---- the filter and the switches --------------------------------------------------------------

const tools = document.querySelector(".tools");
if (tools) {
  const rows = [...document.querySelectorAll("tr[data-models]")];
  const models = (row) => row.dataset.models.split(" ");
  const select = document.getElementById("model");
  [...new Set(rows.flatMap(models))].sort().forEach((model) => {
    element("option", model, select).value = model;
  });
  // a page that is gone back to keeps what was chosen
  const filter = () => document.querySelectorAll("table:has(tr[data-models]) tbody tr").forEach((row) => {
    row.hidden = Boolean(select.value) && !(row.dataset.models && models(row).includes(select.value));
  });
  select.addEventListener("change", filter);
  filter();
  ["intervals", "published"].forEach((what) => {
    const box = document.getElementById(what);
    if (!box) return;
    const toggle = () => document.body.classList.toggle(`no-${what}`, !box.checked);
    const shown = { intervals: ".interval", published: "td .paper" }[what];
    box.closest("label").hidden = !document.querySelector(shown);
    box.addEventListener("change", toggle);
    toggle();
  });
  select.closest("label").hidden = select.options.length < 3;
  tools.hidden = [...tools.querySelectorAll("label")].every((label) => label.hidden);
  tools.addEventListener("submit", (event) => event.preventDefault());
}

// ---- print: a table that is wider than a page in parts, one below the other ------------------

const MOST_COLUMNS = 12;

addEventListener("beforeprint", () => {
  document.querySelectorAll("table.scores").forEach((table) => {
    const columns = table.tHead.rows[0].cells.length - 1; // beside the first
    if (columns <= MOST_COLUMNS) return;
    const wide = Math.ceil(columns / Math.ceil(columns / MOST_COLUMNS));
    for (let start = 1; start <= columns; start += wide) {
      const part = table.cloneNode(true);
      part.classList.add("part");
      [...part.rows].forEach((row) => [...row.cells].forEach((cell, place) => {
        if (place && (place < start || place >= start + wide)) cell.remove();
      }));
      table.parentElement.append(part);
    }
    table.classList.add("split");
  });
});
addEventListener("afterprint", () => {
  document.querySelectorAll("table.part").forEach((part) => part.remove());
  document.querySelectorAll("table.split").forEach((table) => table.classList.remove("split"));
});

// ---- what a cell opens ------------------------------------------------------------------------

const dialog = document.getElementById("details");
const terms = dialog.querySelector(".terms");

function list(entries) {
  const made = element("dl", "", terms);
  entries.forEach(([name, lines]) => {
    element("dt", name, made);
    lines.forEach((line) => {
      const place = element("dd", "", made);
      place.style.gridColumn = 2;
      place.append(line);
    });
  });
}

function link(text, address) {
  const made = element("a", text);
  made.href = address;
  return made;
}

// "m--n/recipe/c--d/seed1/suite" is of the encoders m/recipe/c/seed1 and n/recipe/d/seed1
function encodersOf(score) {
  const [models, recipe, corpora, seed] = score.split("/");
  const corpus = corpora.split("--");
  return models.split("--").map((model, side) => [model, recipe, corpus[side], seed].join("/"));
}

function showRecords(scores) {
  element("h3", "Records of the run", terms);
  if (!run) {
    element("p", "Settings, cards, logs and seconds are in run.js of a whole run, which is not here.", terms);
    return;
  }
  const encoders = [...new Set(scores.flatMap(encodersOf))];
  const trained = encoders.filter((one) => run.trained[one]);
  const here = encoders.filter((one) => !run.trained[one]);
  const named = (of, part, known) => [...new Set(of.map((one) => one.split("/")[part]))]
    .filter((name) => known[name])
    .map((name) => [name, [].concat(known[name])]);
  list(named(encoders, 0, run.models));
  list(named(here, 1, run.recipes));
  list(trained.map((one) => ["Trained before", [run.trained[one]]]));
  const cards = encoders.filter((one) => run.cards.includes(one));
  const absent = "not there: untuned encoders, and those trained before the run, have none";
  const card = (one) => link(one, encodeURI(`../encoders/${one}/README.md`));
  const ends = new Set([...encoders, ...scores]);
  const steps = run.steps.filter(([step]) => ends.has(step.slice(step.indexOf("/") + 1))
    || (step.startsWith("embed") && scores.some((one) => one.includes("--"))
      && encoders.some((one) => step.includes(`/${one}/`))));
  const time = ([step, seconds, hasLog]) => {
    const line = element("span", `${seconds} s `);
    line.append(hasLog ? link(step, encodeURI(`../logs/${step}.log`)) : `${step} (its log is not there)`);
    return line;
  };
  list([
    ["Encoder card", cards.length ? cards.map(card) : [absent]],
    ["Seconds, log", steps.length ? steps.map(time) : ["no times were recorded"]],
  ]);
}

function open(detail, lines) {
  document.getElementById("details-title").textContent = detail.title;
  terms.replaceChildren();
  list(detail.terms.map(([name, numbers]) => [name, numbers.map((number) => lines[number])]));
  if (detail.scores.length) showRecords(detail.scores);
  dialog.showModal();
}

const cells = document.getElementById("cells");
if (cells) {
  const { lines, cells: details } = JSON.parse(cells.textContent); // a line stands there once
  document.querySelectorAll("td[data-detail]").forEach((cell) => {
    const main = [...cell.childNodes].find((node) => node.textContent.trim());
    const button = element("button");
    button.type = "button";
    button.setAttribute("aria-haspopup", "dialog");
    main.replaceWith(button);
    button.append(main);
    button.addEventListener("click", () => open(details[cell.dataset.detail], lines));
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}
