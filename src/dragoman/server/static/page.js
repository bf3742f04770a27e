"use strict";
/* The page: what is typed is translated, what came out can be asked, and what is chosen is kept. */
const page = (() => {
  const { element } = draw;
  const $ = (id) => document.getElementById(id);
  const source = $("source"), result = $("result");
  const PAUSE = 350;

  let models = [];
  let shown = null; // the last explanation, flattened
  let choices = []; // {start, end, target}: characters of the source, and what they must become
  let picked = null; // number of the phrase whose details are open
  let timer = 0;

  /* Languages and models */

  function names(codes, locale = "en") {
    let display = null;
    try {
      display = new Intl.DisplayNames([locale], { type: "language" });
    } catch {
      display = null;
    }
    return codes.map((code) => {
      try {
        return [code, (display && display.of(code)) || code];
      } catch {
        return [code, code];
      }
    });
  }

  function fill(select, pairs, wanted) {
    select.replaceChildren(...pairs.map(([value, text]) => element("option", { value }, text)));
    if (pairs.some(([value]) => value === wanted)) select.value = wanted;
    select.disabled = pairs.length < 2;
  }

  const unique = (values) => [...new Set(values)];

  function offerSources() {
    const known = names(unique(models.map((model) => model.source)));
    fill($("from"), known.length > 1 ? [["auto", "Detect language"], ...known] : known, $("from").value);
    offerTargets();
  }

  function offerTargets() {
    const from = $("from").value;
    const fitting = models.filter((model) => from === "auto" || model.source === from);
    fill($("to"), names(unique(fitting.map((model) => model.target))), $("to").value);
    offerModels();
  }

  function offerModels() {
    const [from, to] = [$("from").value, $("to").value];
    const fitting = from === "auto" ? [] : models.filter((model) => model.source === from && model.target === to);
    fill($("model"), fitting.map((model) => [model.name, model.name]), $("model").value);
    $("model").hidden = fitting.length < 2;
  }

  function asked() {
    const from = $("from").value;
    return {
      model: $("model").hidden ? "" : $("model").value,
      source: from === "auto" ? "" : from,
      target: $("to").value,
    };
  }

  /* Translating */

  function soon(delay = PAUSE) {
    clearTimeout(timer);
    timer = setTimeout(translate, delay);
  }

  async function translate() {
    const text = source.value;
    $("count").textContent = text ? `${draw.letters(text).length} characters` : "";
    $("problem").hidden = true;
    if (!text.trim()) {
      shown = null;
      result.replaceChildren();
      for (const id of ["status", "sure", "detected"]) $(id).textContent = "";
      for (const id of ["why", "memory", "origin"]) $(id).hidden = true;
      $("welcome").hidden = false;
      return;
    }
    result.classList.add("waiting");
    const started = performance.now();
    try {
      const found = await api.ask("/v1/explain", { ...asked(), text, choices, nbest: 8 });
      if (found === null) return; // a newer one is on its way
      result.classList.remove("waiting");
      const milliseconds = Math.round(performance.now() - started);
      $("status").textContent = `${milliseconds} ms`;
      show(text, found);
    } catch (error) {
      result.classList.remove("waiting");
      if (error.status === 401) askForKey();
      $("problem").textContent = error.message;
      $("problem").hidden = false;
    }
  }

  function askForKey() {
    const key = window.prompt("This server wants a key.");
    if (key) {
      localStorage.setItem("dragoman-key", key.trim());
      soon(0);
    }
  }

  /* Sentences one after the other: tokens and phrases of the whole text, with numbers of their own. */
  function flattened(text, found) {
    const flat = { text, found, source: [], target: [], phrases: [], ofSource: new Map(), ofTarget: new Map() };
    found.sentences.forEach((sentence, number) => {
      const [before, after] = [flat.source.length, flat.target.length];
      flat.source.push(...sentence.source);
      flat.target.push(...sentence.target);
      for (const phrase of sentence.phrases) {
        const at = flat.phrases.length;
        const own = { ...phrase, sentence: number, source: phrase.source.map((i) => i + before), target: phrase.target.map((j) => j + after) };
        own.source.forEach((i) => flat.ofSource.set(i, at));
        own.target.forEach((j) => flat.ofTarget.set(j, at));
        flat.phrases.push(own);
      }
    });
    return flat;
  }

  const percent = (share) => `${Math.round(100 * share)}%`;

  const words = (tokens, places) => places.map((place) => tokens[place].text).join(" ");

  function range(phrase) {
    const ranges = phrase.source.map((i) => shown.source[i].range).filter(Boolean);
    return ranges.length ? [Math.min(...ranges.map((r) => r[0])), Math.max(...ranges.map((r) => r[1]))] : null;
  }

  function chosen(phrase) {
    const own = range(phrase);
    return own && choices.find((choice) => choice.start < own[1] && own[0] < choice.end);
  }

  function show(text, found) {
    shown = flattened(text, found);
    picked = null;
    const remembered = found.origin === "memory";
    result.replaceChildren(...(remembered ? [found.text] : line("target", found.text)));
    $("origin").hidden = !remembered;
    $("sure").textContent = remembered || found.confidence === null ? "" : percent(found.confidence) + " sure";
    showMatches();
    $("detected").textContent = $("from").value === "auto" ? `in ${names([found.source])[0][1]}` : "";
    $("unchoose").hidden = !choices.length;
    $("welcome").hidden = true;
    $("why").hidden = false;
    showPhrases();
    $("pane-alignment").replaceChildren(...found.sentences.map((sentence) =>
      draw.matrix(
        sentence,
        (i) => placeOf(sentence.phrases, "source", i),
        (j) => placeOf(sentence.phrases, "target", j),
      )));
    const trees = found.sentences.flatMap((sentence) => sentence.tree);
    $("tab-tree").hidden = !trees.length;
    $("pane-tree").replaceChildren(draw.tree(trees));
    if (!trees.length && !$("pane-tree").hidden) open($("tab-phrases"));
    showScores();
    showOthers();
    page.tell();
  }

  function placeOf(phrases, side, position) {
    const at = phrases.findIndex((phrase) => phrase[side].includes(position));
    return at < 0 ? null : at;
  }

  function line(side, text) {
    const of = side === "source" ? shown.ofSource : shown.ofTarget;
    return draw.linked(text, shown[side], (number) => of.get(number) ?? null, (piece, phrase, tokens) => {
      if (phrase === null) return document.createTextNode(piece);
      const one = shown.phrases[phrase];
      const button = element("span", { class: "phrase", role: "button", tabIndex: side === "target" ? 0 : -1 });
      button.dataset.phrase = phrase;
      button.style.setProperty("--colour", draw.colour(phrase));
      button.classList.toggle("unknown", one.unknown);
      if (side === "target" && chosen(one)) button.classList.add("chosen");
      const doubt = side === "target" ? 1 - Math.min(...tokens.map((j) => shown.target[j].confidence ?? 1)) : 0;
      if (doubt > 0.2) {
        const inner = element("span", { class: "unsure", title: `right with ${Math.round(100 * (1 - doubt))}%` }, piece);
        inner.style.setProperty("--doubt", `${Math.round(100 * doubt)}%`);
        inner.style.setProperty("--shade", `${Math.round(35 * doubt)}%`);
        button.append(inner);
      } else button.append(piece);
      return button;
    });
  }

  /* What somebody wrote before for the same text, or for one like it: how much of it is the same, and what is not. */
  function showMatches() {
    const { matches } = shown.found;
    $("memory").hidden = !matches.length;
    $("matches").replaceChildren(...matches.map((match) => {
      const use = element("button", { class: "quiet", type: "button" }, "Edit this");
      use.dataset.translation = match.target;
      return element(
        "li", {},
        element("span", { class: "share", title: "words that are the same" }, percent(match.score)),
        element("span", {}, match.target),
        use,
        element("span", { class: "theirs" }, ...draw.differences(shown.text, match.source)),
      );
    }));
  }

  function showPhrases() {
    const pane = $("pane-phrases");
    const remembered = shown.found.origin === "memory";
    pane.replaceChildren(
      remembered ? element("p", { class: "soft" }, "Somebody wrote the translation above. This is what the model makes of the text; choose another translation for a phrase, and the model's is shown.") : "",
      element("div", { class: "line" }, element("span", { class: "who" }, "source"), ...line("source", shown.text)),
      element("div", { class: "line" }, element("span", { class: "who" }, remembered ? "model" : "translation"), ...line("target", shown.found.explained)),
      element("p", { class: "soft" }, "Choose a phrase to see what else it might have been, and why it is not."),
      element("div", { id: "detail" }),
    );
  }

  function showScores() {
    const totals = Object.fromEntries(shown.found.concerns.map((concern) => [concern.name, 0]));
    const features = {};
    for (const sentence of shown.found.sentences) {
      for (const part of [...sentence.phrases.map((phrase) => phrase.values), sentence.end])
        for (const [name, value] of Object.entries(part)) totals[name] = (totals[name] ?? 0) + value;
      for (const [name, value] of Object.entries(sentence.features)) features[name] = (features[name] ?? 0) + value;
    }
    const most = Math.max(...Object.values(features).map(Math.abs), 1e-9);
    const parts = shown.found.concerns.flatMap((concern) => {
      const own = Object.keys(concern.features).filter((name) => name in features);
      if (!own.length) return [];
      return [
        element("h4", {}, `${concern.name}: ${concern.question}`),
        draw.bars(Object.fromEntries(own.map((name) => [name, features[name]])), most, concern.features),
      ];
    });
    $("pane-scores").replaceChildren(
      element("h3", {}, `Score ${shown.found.score.toFixed(2)}, by what it is about`),
      draw.bars(totals),
      element("h3", {}, "By feature"),
      element("p", { class: "soft" }, "Each bar is what a feature measured times what tuning learned that it is worth. They add up to the score, and the translation with the highest score won."),
      element("div", { class: "features" }, ...parts),
    );
  }

  function showOthers() {
    const listed = shown.found.nbest;
    $("pane-others").replaceChildren(
      element("h3", {}, "Next best, and how much less they score"),
      listed.length > 1 ? draw.others(listed) : element("p", { class: "soft" }, "Search found no other text."),
    );
  }

  /* Phrases: pointing at one shows where it comes from, choosing one opens what is known of it. */

  function point(number) {
    for (const each of document.querySelectorAll(".phrase"))
      each.classList.toggle("on", number !== null && Number(each.dataset.phrase) === number);
  }

  const phraseAt = (event) => event.target.closest?.(".phrase");

  document.addEventListener("pointerover", (event) => {
    const found = phraseAt(event);
    point(found ? Number(found.dataset.phrase) : picked);
  });
  document.addEventListener("focusin", (event) => {
    const found = phraseAt(event);
    if (found) point(Number(found.dataset.phrase));
  });
  document.addEventListener("click", (event) => {
    const found = phraseAt(event);
    if (found) pick(Number(found.dataset.phrase));
  });

  async function pick(number) {
    picked = number;
    open($("tab-phrases"), false);
    point(number);
    for (const each of document.querySelectorAll(".phrase"))
      each.classList.toggle("picked", Number(each.dataset.phrase) === number);
    const phrase = shown.phrases[number];
    const from = words(shown.source, phrase.source), into = words(shown.target, phrase.target);
    const detail = element("div", { class: "detail", role: "region", "aria-label": `Phrase ${from}` });
    detail.style.setProperty("--colour", draw.colour(number));
    const closing = element("button", { class: "quiet", type: "button" }, "Close");
    closing.addEventListener("click", unpick);
    const place = range(phrase);
    const list = element("ul", { class: "options" });
    const seen = new Set();
    const offer = (text, note) => {
      if (!text.trim() || text === "(nothing)" || seen.has(text)) return;
      seen.add(text);
      const button = element("button", { type: "button" }, text, note ? element("small", {}, note) : null);
      button.setAttribute("aria-pressed", String(text === into));
      button.disabled = place === null;
      button.addEventListener("click", () => choose(place, text));
      list.append(element("li", {}, button));
    };
    offer(into, chosen(phrase) ? "your choice" : "used");
    for (const each of phrase.alternatives) offer(each.text, `−${each.less.toFixed(2)}`);
    const evidence = element("div", { id: "evidence" });
    const facts = phrase.unknown
      ? "No rule knows this word, so it was copied."
      : phrase.times ? `The training text has this pair ${phrase.times.toLocaleString()} times.` : "This pair is not from the training text.";
    detail.append(
      element("div", { class: "head" }, element("b", {}, `${from} → ${into || "(nothing)"}`), element("span", { class: "soft" }, `score ${phrase.score.toFixed(2)}`), closing),
      element("p", { class: "soft" }, facts),
      element("h3", {}, "Translate it as"),
      list,
      evidence,
      element("h3", {}, "What it added to the score"),
      draw.bars(phrase.values),
    );
    $("detail").replaceChildren(detail);
    if (place === null) return;
    const text = draw.letters(shown.text).slice(...place).join("");
    const model = shown.found.model;
    const [options, witnesses] = await Promise.all([
      api.ask("/v1/options", { model, text, limit: 12 }).catch(() => null),
      phrase.times ? api.ask("/v1/evidence", { model, phrase: phrase.source.map((i) => shown.source[i].text), translation: phrase.target.map((j) => shown.target[j].text) }).catch(() => null) : null,
    ]);
    if (picked !== number || !detail.isConnected) return;
    for (const each of options?.options ?? []) offer(each.text, each.times ? `${each.times.toLocaleString()}×` : "");
    if (witnesses?.sentences.length) {
      evidence.append(element("h3", {}, "Training sentences that taught it"));
      for (const each of witnesses.sentences)
        evidence.append(
          element("div", { class: "witness" }, element("small", {}, `line ${each.line} `),
            element("div", {}, ...draw.witnessed(each.source, from)), element("div", {}, ...draw.witnessed(each.target, into))),
        );
    }
  }

  function unpick() {
    picked = null;
    point(null);
    for (const each of document.querySelectorAll(".phrase.picked")) each.classList.remove("picked");
    $("detail")?.replaceChildren();
  }

  function choose(place, target) {
    const [start, end] = place;
    choices = choices.filter((choice) => choice.end <= start || end <= choice.start);
    choices.push({ start, end, target });
    translate();
  }

  /* Tabs */

  const tabs = [...document.querySelectorAll('[role="tab"]')];

  function open(tab, focus = false) {
    for (const each of tabs) {
      const on = each === tab;
      each.setAttribute("aria-selected", String(on));
      each.tabIndex = on ? 0 : -1;
      $(each.getAttribute("aria-controls")).hidden = !on;
    }
    if (focus) tab.focus();
  }

  for (const tab of tabs) tab.addEventListener("click", () => open(tab));

  /* Keys */

  document.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      soon(0);
    } else if (event.key === "Escape" && picked !== null) {
      const back = result.querySelector(`[data-phrase="${picked}"]`);
      unpick();
      back?.focus();
    } else if (step && event.target.closest?.('[role="tab"]')) {
      const there = tabs.filter((tab) => !tab.hidden);
      open(there[(there.indexOf(event.target) + step + there.length) % there.length], true);
      event.preventDefault();
    } else if ((event.key === "Enter" || event.key === " ") && phraseAt(event)) {
      pick(Number(phraseAt(event).dataset.phrase));
      event.preventDefault();
    } else if (step && phraseAt(event)) {
      const row = [...phraseAt(event).parentElement.querySelectorAll(".phrase")];
      row[row.indexOf(phraseAt(event)) + step]?.focus();
      event.preventDefault();
    }
  });

  /* Buttons and beginnings */

  source.addEventListener("input", () => {
    choices = [];
    soon();
  });
  for (const [id, change] of [["from", offerTargets], ["to", offerModels], ["model", () => {}]])
    $(id).addEventListener("change", () => {
      change();
      choices = [];
      soon(0);
    });
  $("clear").addEventListener("click", () => {
    source.value = "";
    choices = [];
    soon(0);
    source.focus();
  });
  $("unchoose").addEventListener("click", () => {
    choices = [];
    soon(0);
  });
  $("copy").addEventListener("click", async () => {
    if (!shown) return;
    await navigator.clipboard?.writeText(shown.found.text).catch(() => {});
    $("status").textContent = "copied";
  });
  const themes = { light: "dark", dark: "light" };
  $("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = themes[now];
    localStorage.setItem("dragoman-theme", root.dataset.theme);
  });
  const kept = localStorage.getItem("dragoman-theme");
  if (kept in themes) document.documentElement.dataset.theme = kept;

  async function begin() {
    try {
      models = (await api.ask("/v1/models")).models;
      offerSources();
      if (source.value.trim()) soon(0);
    } catch (error) {
      if (error.status === 401) {
        const key = window.prompt("This server wants a key.");
        if (key) {
          localStorage.setItem("dragoman-key", key.trim());
          return begin();
        }
      }
      $("problem").textContent = error.message;
      $("problem").hidden = false;
    }
  }
  begin();

  const told = [];
  return {
    asked,
    open,
    translate,
    get shown() { return shown; },
    get models() { return models; },
    /* Be told when another translation is shown. */
    whenShown: (listener) => told.push(listener),
    tell: () => told.forEach((listener) => listener(shown)),
    complain(message) {
      $("problem").textContent = message;
      $("problem").hidden = !message;
    },
  };
})();
