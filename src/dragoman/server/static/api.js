"use strict";
/* Talking to the server. A request that is overtaken by a newer one of its kind is given up. */
const api = (() => {
  const running = new Map();

  class Refused extends Error {
    constructor(message, status) {
      super(message);
      this.status = status;
    }
  }

  async function ask(path, content) {
    running.get(path)?.abort();
    const stop = new AbortController();
    running.set(path, stop);
    const options = { signal: stop.signal, headers: {} };
    const key = localStorage.getItem("dragoman-key");
    if (key) options.headers.Authorization = `Bearer ${key}`;
    if (content !== undefined) {
      options.method = "POST";
      options.headers["Content-Type"] = "application/json";
      options.body = JSON.stringify(content);
    }
    let answer;
    try {
      answer = await fetch(path, options);
    } catch (error) {
      if (error.name === "AbortError") return null;
      throw new Refused("The server does not answer.", 0);
    } finally {
      if (running.get(path) === stop) running.delete(path);
    }
    const said = await answer.json().catch(() => ({}));
    if (answer.ok) return said;
    if (answer.status === 401 || (answer.status === 403 && key)) localStorage.removeItem("dragoman-key");
    throw new Refused([said.error, said.remedy].filter(Boolean).join("; ") || `status ${answer.status}`, answer.status);
  }

  return { ask };
})();
