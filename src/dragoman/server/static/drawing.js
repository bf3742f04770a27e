"use strict";
/* What an explanation looks like: functions from values of the API to elements. Text is always set as text. */
const draw = (() => {
  function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key === "class") made.className = value;
      else if (key in made && key !== "role") made[key] = value;
      else made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  const colour = (number) => `var(--c${number % 8})`;

  /* Characters (code points) of a text: ranges of the API count these, not JavaScript's units. */
  const letters = (text) => Array.from(text);

  /* A text as pieces: the tokens of phrases become what `piece` makes of them, all else stays text. */
  function linked(text, tokens, phraseOf, piece) {
    const all = letters(text);
    const parts = [];
    let at = 0;
    let open = null;
    const close = () => {
      if (open) parts.push(piece(open.text, open.phrase, open.tokens));
      open = null;
    };
    tokens.forEach((token, number) => {
      if (!token.range) return;
      const [start, end] = token.range;
      const between = all.slice(at, start).join("");
      const phrase = phraseOf(number);
      if (open && open.phrase === phrase && open.last === number - 1) {
        open.text += between + all.slice(start, end).join("");
        open.tokens.push(number);
        open.last = number;
      } else {
        close();
        if (between) parts.push(document.createTextNode(between));
        open = { text: all.slice(start, end).join(""), phrase, tokens: [number], last: number };
      }
      at = end;
    });
    close();
    const rest = all.slice(at).join("");
    if (rest) parts.push(document.createTextNode(rest));
    return parts;
  }

  /* Values as bars, as long as they are large beside `most`, the largest unless said; with what their names mean. */
  function bars(values, most = Math.max(...Object.values(values).map(Math.abs), 1e-9), meanings = {}) {
    const box = element("div", { class: "bars" });
    for (const [name, value] of Object.entries(values)) {
      const line = element("i", value > 0 ? { class: "plus" } : {});
      line.style.setProperty("--size", `${(50 * Math.abs(value)) / most}%`);
      box.append(
        element("span", {}, name),
        element("span", { class: "bar", "aria-hidden": "true" }, line),
        element("span", { class: "number" }, value.toFixed(2)),
      );
      if (meanings[name]) box.append(element("span", { class: "meaning soft" }, meanings[name]));
    }
    return box;
  }

  function matrix(sentence, phraseOfSource, phraseOfTarget) {
    const links = new Set(sentence.links.map(([i, j]) => `${i} ${j}`));
    const head = element("tr", {}, element("td", {}));
    for (const token of sentence.target) head.append(element("th", { scope: "col" }, element("span", {}, token.text)));
    const body = element("tbody");
    sentence.source.forEach((token, i) => {
      const row = element("tr", {}, element("th", { scope: "row" }, token.text));
      sentence.target.forEach((other, j) => {
        const phrase = phraseOfSource(i);
        const joined = links.has(`${i} ${j}`);
        const cell = element("td", { title: `${token.text} – ${other.text}` });
        if (phrase !== null && phrase === phraseOfTarget(j)) cell.className = joined ? "link" : "same";
        else if (joined) cell.className = "link";
        if (cell.className) cell.style.setProperty("--colour", colour(phrase ?? 0));
        if (joined) cell.append(element("span", { class: "hidden" }, "linked"));
        row.append(cell);
      });
      body.append(row);
    });
    return element("table", { class: "matrix" }, element("thead", {}, head), body);
  }

  function tree(trees) {
    const list = element("ul", { class: "tree" });
    for (const each of trees) {
      const item = element(
        "li",
        {},
        element("span", { class: "rule" }, `${each.source} → ${each.target}`, element("small", {}, each.score.toFixed(2))),
      );
      if (each.parts.length) {
        const inner = tree(each.parts);
        inner.className = "";
        item.append(inner);
      }
      list.append(item);
    }
    return list;
  }

  /* Words of `other` that are not those of `best`, by the longest common sequence of words. */
  function differences(best, other) {
    const a = best.split(/(\s+)/), b = other.split(/(\s+)/);
    const size = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--)
      for (let j = b.length - 1; j >= 0; j--)
        size[i][j] = a[i] === b[j] ? size[i + 1][j + 1] + 1 : Math.max(size[i + 1][j], size[i][j + 1]);
    const parts = [];
    let i = 0, j = 0;
    while (j < b.length) {
      if (i < a.length && a[i] === b[j]) { parts.push(document.createTextNode(b[j])); i++; j++; }
      else if (i < a.length && size[i + 1][j] >= size[i][j + 1]) i++;
      else { parts.push(b[j].trim() ? element("mark", {}, b[j]) : document.createTextNode(b[j])); j++; }
    }
    return parts;
  }

  function others(found) {
    const list = element("ol", { class: "others" });
    for (const each of found.slice(1))
      list.append(
        element(
          "li",
          {},
          element("span", { class: "less" }, (each.score - found[0].score).toFixed(2)),
          element("span", {}, ...differences(found[0].text, each.text)),
        ),
      );
    return list;
  }

  /* A training sentence, with the words of the phrase marked. */
  function witnessed(sentence, words) {
    const place = ` ${sentence} `.indexOf(` ${words} `);
    if (place < 0) return [document.createTextNode(sentence)];
    return [
      document.createTextNode(sentence.slice(0, place)),
      element("mark", {}, words),
      document.createTextNode(sentence.slice(place + words.length)),
    ];
  }

  return { element, colour, letters, linked, bars, matrix, tree, differences, others, witnessed };
})();
