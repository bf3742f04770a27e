/* The assessor's page. Every answer is sent under the key of its page, again and again until the server has it; what is
   half done is kept as a draft. Nothing counts as an answer that the assessor has not given: a line has no mark until
   it is touched. */
"use strict";

const body = document.body;
const status = document.getElementById("status");

function say(words, alarm = false) {
  status.textContent = words;
  status.classList.toggle("alarm", alarm);
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function send(path, content, options = {}) {
  const headers = { "Content-Type": "application/json", "X-Form-Token": body.dataset.formToken || "" };
  return fetch(path, { method: "POST", headers, body: JSON.stringify(content), credentials: "same-origin", ...options });
}

/* Send until the server has answered; a server that is away or overloaded is asked again, in growing steps. */
async function deliver(path, content) {
  for (let wait = 500; ; wait = Math.min(wait * 2, 15000)) {
    try {
      const answer = await send(path, content);
      if (answer.status < 500 && answer.status !== 429) return answer;
    } catch (error) {
      /* no connection: the same as no answer */
    }
    say(body.dataset.unsaved, true);
    await pause(wait);
  }
}

/* Send, then go where the server says; false if it refused and the assessor must do something. */
async function go(path, content, button) {
  if (button.getAttribute("aria-disabled") === "true") return true;
  button.setAttribute("aria-disabled", "true");
  say(body.dataset.saving);
  const answer = await deliver(path, content);
  if (answer.ok) {
    say(body.dataset.saved);
    location.replace((await answer.json()).next);
    return true;
  }
  if (answer.status === 409) {
    location.replace("/work?overtaken=1");
    return true;
  }
  const why = await answer.json().catch(() => ({}));
  say(`${body.dataset.refused} ${why.error || answer.status}`, true);
  button.removeAttribute("aria-disabled");
  return false;
}

/* How long the page has been before the assessor's eyes. */
const watch = { shown: 0, since: document.hidden ? null : performance.now() };
document.addEventListener("visibilitychange", () => {
  if (document.hidden && watch.since !== null) watch.shown += performance.now() - watch.since;
  watch.since = document.hidden ? null : performance.now();
});
const seen = () => Math.round(watch.shown + (watch.since === null ? 0 : performance.now() - watch.since));

const HANDLE = 20; /* the width of a line's handle, as in the style sheet */

class Question {
  constructor(element, item) {
    this.element = element;
    this.item = item;
    this.kind = element.dataset.question;
    this.words = element.querySelector(".missing");
    this.range = element.querySelector("input[type=range]");
    this.radios = [...element.querySelectorAll("input[type=radio]")];
    if (this.range) this.watchRange();
    for (const radio of this.radios) radio.addEventListener("change", () => this.changed());
  }

  watchRange() {
    const range = this.range;
    for (const kind of ["input", "change", "click"]) range.addEventListener(kind, () => this.touch());
    range.addEventListener("click", () => { this.item.moves += 1; });
    range.addEventListener("pointerdown", (event) => this.bringHandle(event));
    range.addEventListener("pointercancel", () => { range.value = this.before; });
    range.addEventListener("keydown", (event) => {
      const side = getComputedStyle(range).direction === "rtl" ? -1 : 1;
      const steps = { ArrowRight: side, ArrowLeft: -side, ArrowUp: 1, ArrowDown: -1 };
      if (event.shiftKey && event.key in steps) {
        event.preventDefault();
        range.value = Number(range.value) + 10 * steps[event.key] * Number(range.step);
        this.item.moves += 1;
        this.touch();
      } else if (event.key in steps || ["Home", "End", "PageUp", "PageDown"].includes(event.key)) {
        this.item.moves += 1;
        setTimeout(() => this.touch());
      }
    });
  }

  /* Bring the handle to where the line is pressed, unless it is there already. The unseen handle of an untouched line
     waits in the middle, where a press would only take hold of it; and not every browser moves it by itself. A press that
     turns out to be the start of scrolling is undone. */
  bringHandle(event) {
    const range = this.range;
    this.before = range.value;
    const box = range.getBoundingClientRect();
    const share = (event.clientX - box.left - HANDLE / 2) / (box.width - HANDLE);
    const along = getComputedStyle(range).direction === "rtl" ? 1 - share : share;
    const pressed = Number(range.min) + Math.min(1, Math.max(0, along)) * (range.max - range.min);
    const distance = (Math.abs(pressed - range.value) / (range.max - range.min)) * (box.width - HANDLE);
    if (!this.answered || distance > HANDLE / 2) range.value = pressed;
  }

  touch() {
    this.range.classList.remove("untouched");
    this.range.setAttribute("aria-valuetext", this.range.value);
    this.changed();
  }

  changed() {
    this.unmark();
    this.item.changed();
  }

  get chosen() { return this.radios.find((radio) => radio.checked); }
  get answered() { return this.range ? !this.range.classList.contains("untouched") : Boolean(this.chosen); }
  get value() { return this.range ? Number(this.range.value) : this.chosen.value; }
  get control() { return this.range || this.radios[0]; }

  restore(value) {
    if (this.range) {
      this.range.value = value;
      this.range.classList.remove("untouched");
      this.range.setAttribute("aria-valuetext", value);
    }
    for (const radio of this.radios) radio.checked = radio.value === String(value);
  }

  choose(digit) {
    const radio = this.radios.find((other) => other.value === digit);
    if (!radio) return;
    radio.checked = true;
    radio.focus();
    this.changed();
  }

  mark() {
    this.words.textContent = this.words.dataset.words;
    this.element.classList.add("unanswered");
    this.control.setAttribute("aria-invalid", "true");
  }

  unmark() {
    this.words.textContent = "";
    this.element.classList.remove("unanswered");
    this.control.removeAttribute("aria-invalid");
  }
}

/* Errors marked in a text. The text is cut into units that can be pointed at, walked through and dragged across; offsets
   are the server's, in characters, so that no script or emoji can shift them. */
class Spans {
  constructor(item) {
    this.item = item;
    this.marked = [];
    this.begun = null;
    this.units = [...item.element.querySelectorAll(".unit")];
    this.help = item.element.querySelector(".spans-help");
    this.list = item.element.querySelector(".spans-list");
    this.none = item.element.querySelector(".spans-none");
    this.severities = JSON.parse(this.list.dataset.severities);
    for (const unit of this.units) {
      unit.addEventListener("pointerdown", () => { this.pressed = unit; });
      unit.addEventListener("pointerup", () => this.released(unit));
      unit.addEventListener("keydown", (event) => this.key(event, unit));
    }
  }

  static range(unit) { return [Number(unit.dataset.start), Number(unit.dataset.end)]; }
  over(unit) {
    const [start, end] = Spans.range(unit);
    return this.marked.find((span) => (start === end ? span.start === start && span.end === end : span.start < end && start < span.end));
  }

  released(unit) {
    const from = this.pressed;
    this.pressed = null;
    if (from && from !== unit) this.add(from, unit);
    else if (from) this.point(unit);
  }

  point(unit) {
    const span = this.over(unit);
    if (span) this.list.querySelector(`[data-start="${span.start}"][data-end="${span.end}"] input:checked`).focus();
    else if (unit.classList.contains("absent")) this.add(unit, unit);
    else if (this.begun) this.add(this.begun, unit);
    else {
      this.begun = unit;
      unit.classList.add("begun");
      this.help.textContent = this.help.dataset.begun.replace("{word}", unit.textContent);
    }
  }

  stop() {
    if (this.begun) this.begun.classList.remove("begun");
    this.begun = null;
    this.help.textContent = this.help.dataset.words;
  }

  add(from, to) {
    this.stop();
    const ends = [...Spans.range(from), ...Spans.range(to)];
    const span = { start: Math.min(...ends), end: Math.max(...ends), severity: Object.keys(this.severities)[0] };
    /* A mark that overlaps another takes its place. */
    if (span.start !== span.end) this.marked = this.marked.filter((other) => other.end <= span.start || span.end <= other.start);
    this.marked.push(span);
    this.marked.sort((one, other) => one.start - other.start || one.end - other.end);
    this.show();
    this.item.changed();
  }

  remove(span) {
    this.marked = this.marked.filter((other) => other !== span);
    this.show();
    this.item.changed();
  }

  key(event, unit) {
    const at = this.units.indexOf(unit);
    const side = getComputedStyle(unit).direction === "rtl" ? -1 : 1;
    const steps = { ArrowRight: side, ArrowLeft: -side, ArrowUp: -1, ArrowDown: 1 };
    if (event.key in steps) {
      const next = this.units[at + steps[event.key]];
      if (next) {
        unit.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      }
    } else if (event.key === " " || event.key === "Enter") this.point(unit);
    else if (event.key === "Delete" || event.key === "Backspace") {
      const span = this.over(unit);
      if (span) this.remove(span);
    } else if (event.key === "Escape") this.stop();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  textOf(span) {
    if (span.start === span.end) return this.units[this.units.length - 1].textContent;
    const inside = this.units.filter((unit) => Spans.range(unit)[0] < span.end && span.start < Spans.range(unit)[1]);
    const range = document.createRange();
    range.setStartBefore(inside[0]);
    range.setEndAfter(inside[inside.length - 1]);
    return range.toString();
  }

  show() {
    const gravest = Object.keys(this.severities).pop();
    for (const unit of this.units) {
      const span = this.over(unit);
      unit.setAttribute("aria-pressed", span ? "true" : "false");
      unit.classList.toggle("grave", Boolean(span) && span.severity === gravest);
    }
    this.none.hidden = this.marked.length > 0;
    this.list.replaceChildren(...this.marked.map((span, at) => this.row(span, at)));
  }

  row(span, at) {
    const row = document.createElement("li");
    row.dataset.start = span.start;
    row.dataset.end = span.end;
    const quote = document.createElement("q");
    quote.textContent = this.textOf(span);
    quote.dir = "auto";
    row.append(quote);
    for (const [name, words] of Object.entries(this.severities)) {
      const label = document.createElement("label");
      const radio = document.createElement("input");
      radio.type = "radio";
      radio.name = `severity-${this.item.id}-${at}`;
      radio.value = name;
      radio.checked = span.severity === name;
      radio.addEventListener("change", () => {
        span.severity = name;
        this.show();
        this.list.querySelector(`[data-start="${span.start}"][data-end="${span.end}"] input:checked`).focus();
        this.item.changed();
      });
      label.append(radio, ` ${words}`);
      row.append(label);
    }
    const remove = document.createElement("button");
    remove.type = "button";
    remove.textContent = this.list.dataset.remove;
    remove.setAttribute("aria-label", `${this.list.dataset.remove}: ${quote.textContent}`);
    remove.addEventListener("click", () => this.remove(span));
    row.append(remove);
    return row;
  }
}

class Item {
  constructor(element, form) {
    this.element = element;
    this.form = form;
    this.id = element.dataset.item;
    this.moves = 0;
    this.declined = element.querySelector(".declined");
    this.questions = [...element.querySelectorAll(".question")].map((question) => new Question(question, this));
    this.spans = element.dataset.answer === "spans" ? new Spans(this) : null;
    if (this.declined) {
      this.declined.addEventListener("change", () => {
        for (const question of this.questions) question.unmark();
        this.changed();
      });
    }
    element.addEventListener("keydown", (event) => this.key(event));
    if (element.dataset.state) this.restore(JSON.parse(element.dataset.state));
  }

  key(event) {
    const field = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (/^[0-9]$/.test(event.key) && this.questions.length === 1) this.questions[0].choose(event.key);
    else if (event.key === "Enter" && (field.type === "range" || field.type === "radio" || field.type === "checkbox")) {
      event.preventDefault();
      this.form.requestSubmit();
    }
  }

  get missing() {
    return this.declined && this.declined.checked ? [] : this.questions.filter((question) => !question.answered);
  }

  get answer() {
    if (this.declined && this.declined.checked) return { not_applicable: true };
    const found = {};
    for (const question of this.questions.filter((one) => one.answered)) {
      if (question.kind === "score") found.score = Number(question.value);
      if (question.kind === "pair") found.ranks = question.value.split(" ").map(Number);
      if (question.kind === "rank") (found.ranks ||= this.questions.map(() => 0))[question.element.dataset.candidate] = Number(question.value);
    }
    if (this.spans) found.spans = this.spans.marked;
    return found;
  }

  restore(state) {
    if (this.declined && state.not_applicable) this.declined.checked = true;
    for (const question of this.questions) {
      if (question.kind === "score" && state.score != null) question.restore(state.score);
      if (question.kind === "pair" && state.ranks) question.restore(state.ranks.join(" "));
      if (question.kind === "rank" && state.ranks) question.restore(state.ranks[question.element.dataset.candidate]);
    }
    if (this.spans && state.spans) {
      this.spans.marked = state.spans;
      this.spans.show();
    }
  }

  changed() {
    this.dirty = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), 700);
  }

  /* A draft is a courtesy: if it cannot be kept, the answer itself still will be. */
  keep(options = {}) {
    if (!this.dirty || this.form.dataset.sent) return;
    this.dirty = false;
    this.kept = send("/api/draft", { task: this.form.dataset.task, item: this.id, ...this.answer }, options)
      .catch(() => { this.dirty = true; });
  }
}

const form = document.getElementById("judge");
if (form) {
  const items = [...form.querySelectorAll(".item")].map((element) => new Item(element, form));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.dataset.sent) return;
    for (const item of items) for (const question of item.questions) question.unmark();
    const missing = items.flatMap((item) => item.missing);
    for (const question of missing) question.mark();
    if (missing.length) {
      missing[0].element.scrollIntoView({ block: "center" });
      missing[0].control.focus({ preventScroll: true });
      return;
    }
    form.dataset.sent = "yes";
    const share = Math.round(seen() / items.length);
    /* A draft that is still on its way must not come in after the answer. */
    await Promise.race([Promise.all(items.map((item) => item.kept)), pause(2000)]);
    const answers = items.map((item) => ({ item: item.id, ...item.answer, milliseconds: share, moves: item.moves }));
    go("/api/judge", { task: form.dataset.task, key: form.dataset.key, answers }, document.getElementById("next"))
      .then((gone) => { if (!gone) delete form.dataset.sent; });
  });
  addEventListener("pagehide", () => { for (const item of items) item.keep({ keepalive: true }); });
  const first = items.flatMap((item) => item.questions)[0];
  const unit = form.querySelector(".unit");
  if (unit) unit.focus({ preventScroll: true });
  else if (first) first.control.focus({ preventScroll: true });
}

for (const button of document.querySelectorAll("[data-post]")) {
  button.addEventListener("click", () => go(button.dataset.post, JSON.parse(button.dataset.body), button));
}

const finish = document.getElementById("finish");
if (finish) {
  const comment = document.getElementById("comment");
  finish.addEventListener("click", () => go("/api/finish", { task: finish.dataset.task, comment: comment.value }, finish));
}

/* A page that the browser kept in memory may be long past: ask the server what comes now. */
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
