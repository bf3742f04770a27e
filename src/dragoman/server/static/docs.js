"use strict";
/* The description of the API, for people: what can be asked, what is sent, and what is answered. */
(async () => {
  const { element } = draw;
  const $ = (id) => document.getElementById(id);
  let described;
  try {
    described = await api.ask("/openapi.json");
  } catch (error) {
    $("problem").textContent = error.message;
    $("problem").hidden = false;
    return;
  }
  const resolved = (schema) => (schema.$ref ? described.components.schemas[schema.$ref.split("/").at(-1)] : schema);

  /* What kind of value a schema allows, in a few words. */
  function kind(schema) {
    if (schema.anyOf) return schema.anyOf.map(kind).join(" or ");
    if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(", ");
    if (schema.type === "array") return `list of ${schema.items ? kind(schema.items) : "anything"}`;
    if (schema.$ref) return schema.$ref.split("/").at(-1);
    return schema.format === "binary" ? "file" : schema.type ?? "anything";
  }

  const row = (cell, ...values) => element("tr", {}, ...values.map((value) => element(cell, {}, value)));

  function fields(schema) {
    const { properties = {}, required = [], items, description = "" } = resolved(schema);
    if (items) return fields(items);
    const rows = Object.entries(properties).map(([name, each]) =>
      row("td", name, kind(each), required.includes(name) ? "must be there" : "default" in each ? JSON.stringify(each.default) : "", each.description ?? ""));
    return element("div", {}, element("p", { class: "soft" }, description), rows.length ? element("table", { class: "fields" }, element("tbody", {}, ...rows)) : "");
  }

  function operation(method, path, said) {
    const box = element("details", { class: "operation", id: said.operationId }, element("summary", {}, element("code", {}, `${method.toUpperCase()} ${path}`), ` ${said.description ?? said.summary}`));
    if (said.parameters) {
      const rows = said.parameters.map((each) => row("td", each.name, kind(each.schema), each.required ? "must be there" : "", each.schema.description ?? ""));
      box.append(element("h3", {}, "In the address"), element("table", { class: "fields" }, element("tbody", {}, ...rows)));
    }
    for (const [type, { schema }] of Object.entries(said.requestBody?.content ?? {}))
      box.append(element("h3", {}, `Sent as ${type}`), fields(schema));
    for (const [code, answer] of Object.entries(said.responses).filter(([code]) => code === "200"))
      for (const [type, { schema }] of Object.entries(answer.content ?? {}))
        box.append(element("h3", {}, `Answer ${code}, ${type}`), fields(schema ?? {}));
    const others = Object.keys(said.responses).filter((code) => code !== "200");
    if (others.length) box.append(element("p", { class: "soft" }, `Refusals: ${others.join(", ")}, with the reason as "error"`));
    return box;
  }

  $("about").textContent = described.info.description;
  const all = Object.entries(described.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, said]) => [method, path, said]));
  for (const [title, own] of [["Our own API", (said) => !said.tags], ["As LibreTranslate", (said) => said.tags]])
    $("operations").append(element("h2", {}, title), ...all.filter(([, , said]) => own(said)).map((each) => operation(...each)));
})();
