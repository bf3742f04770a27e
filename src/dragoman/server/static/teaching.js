"use strict";
/* A person's own work: editing a translation with completions, teaching the model, its rules, and whole documents. */
(() => {
  const { element } = draw;
  const $ = (id) => document.getElementById(id);
  const draft = $("draft");
  const PAUSE = 60;
  let timer = 0;
  let best = "";

  const learns = (name) => page.models.some((model) => model.name === name && model.learns);

  /* Editing */

  function edit(on, translation = page.shown?.found.text) {
    $("editor").hidden = !on;
    $("result").hidden = on;
    $("edit").setAttribute("aria-pressed", String(on));
    $("teach").hidden = !on || !page.shown || !learns(page.shown.found.model);
    if (on && page.shown) {
      draft.value = translation;
      $("ghost").textContent = "";
      for (const id of ["next", "next-phrases"]) $(id).replaceChildren();
      draft.focus();
      draft.setSelectionRange(0, 0);
      complete();
    }
  }

  const prefix = () => draft.value.slice(0, draft.selectionStart);

  async function complete() {
    if (!page.shown || $("editor").hidden) return;
    try {
      const begun = prefix();
      const found = await api.ask("/v1/complete", {
        model: page.shown.found.model, text: page.shown.text, prefix: begun, limit: 5,
      });
      if (found === null || begun !== prefix()) return;
      best = found.completions[0];
      $("ghost").textContent = best === draft.value ? "" : best;
      const words = new Set(found.next_words.map((each) => each.text));
      offer("next", found.next_words, begun);
      offer("next-phrases", found.next_phrases.filter((each) => !words.has(each.text)), begun);
    } catch (error) {
      page.complain(error.message);
    }
  }

  /* What may come next, each with its probability; a word that is begun is shown as a whole. */
  function offer(id, suggested, begun) {
    const letters = /\S*$/.exec(begun)[0];
    $(id).replaceChildren(...suggested.map((each) => {
      const button = element("button", { type: "button" }, (letters + each.text).trim(), element("small", {}, `${Math.round(100 * each.confidence)}%`));
      button.addEventListener("click", () => take(begun + each.text));
      return element("li", {}, button);
    }));
  }

  /* Put a longer prefix in place of what was there, with the completion behind it. */
  function take(begun) {
    draft.value = best.startsWith(begun) ? best : begun;
    draft.focus();
    draft.setSelectionRange(begun.length, begun.length);
    complete();
  }

  draft.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(complete, PAUSE);
  });
  draft.addEventListener("keydown", (event) => {
    if (event.key !== "Tab" || event.shiftKey || !best.startsWith(prefix())) return;
    const rest = best.slice(prefix().length);
    const next = /^\s*\S+/.exec(rest);
    if (!next) return; // at the end: on to the next control
    event.preventDefault();
    take(prefix() + next[0]);
  });
  $("edit").addEventListener("click", () => edit($("editor").hidden));
  $("matches").addEventListener("click", (event) => {
    const use = event.target.closest("button");
    if (use) edit(true, use.dataset.translation);
  });
  page.whenShown(() => {
    edit(false);
    $("tab-rules").hidden = !learns(page.shown.found.model);
    if (!$("tab-rules").hidden) list();
  });

  /* Teaching */

  $("teach").addEventListener("click", async () => {
    const { text, found } = page.shown;
    try {
      const change = await api.ask("/v1/learn", { model: found.model, text, translation: draft.value });
      if (change === null) return;
      edit(false);
      await page.translate();
      $("status").textContent = `learned ${change.phrases} phrases`;
    } catch (error) {
      page.complain(error.message);
    }
  });

  async function list() {
    const found = await api.ask(`/v1/rules?model=${encodeURIComponent(page.shown.found.model)}`).catch(() => null);
    if (!found) return;
    $("rules").replaceChildren(...found.changes.toReversed().map((each) =>
      element("li", {}, element("span", { class: "less" }, each.action), element("span", {}, `${each.source} → ${each.target}`))));
  }

  async function change(path, content) {
    try {
      const made = await api.ask(path, content);
      if (made === null) return;
      await page.translate();
      page.open($("tab-rules"));
      $("rule-said").textContent = path.includes("/undo") ? `undone: ${made.source} → ${made.target}` : `${made.source} → ${made.target}`;
    } catch (error) {
      $("rule-said").textContent = error.message;
    }
  }

  const rule = () => ({ model: page.shown.found.model, phrase: $("rule-source").value, translation: $("rule-target").value });
  $("rule").addEventListener("submit", (event) => {
    event.preventDefault();
    change("/v1/rules", rule());
  });
  $("rule-remove").addEventListener("click", () => change("/v1/rules/remove", rule()));
  $("rule-undo").addEventListener("click", () => change(`/v1/rules/undo?model=${encodeURIComponent(page.shown.found.model)}`, {}));

  /* Documents */

  $("document-name").addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") $("document").click();
  });
  $("document").addEventListener("change", async () => {
    const [file] = $("document").files;
    if (!file) return;
    const form = new FormData();
    form.append("file", file);
    for (const [name, value] of Object.entries(page.asked())) form.append(name, value);
    $("document").value = "";
    $("status").textContent = `translating ${file.name} …`;
    page.complain("");
    const headers = {};
    const key = localStorage.getItem("dragoman-key");
    if (key) headers.Authorization = `Bearer ${key}`;
    try {
      const answer = await fetch("/v1/translate_file", { method: "POST", body: form, headers });
      if (!answer.ok) {
        const said = await answer.json();
        throw new Error([said.error, said.remedy].filter(Boolean).join("; "));
      }
      const address = URL.createObjectURL(await answer.blob());
      element("a", { href: address, download: file.name }).click();
      URL.revokeObjectURL(address);
      const [made, remembered] = ["Translated", "Remembered"].map((name) => Number(answer.headers.get(`Dragoman-${name}`)));
      $("status").textContent = `${file.name}: ${made} texts translated${remembered ? `, ${remembered} from memory` : ""}`;
    } catch (error) {
      $("status").textContent = "";
      page.complain(error.message);
    }
  });
})();
