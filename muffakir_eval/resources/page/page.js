(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const config = JSON.parse(byId("page-config").textContent);
  const words = config.words;
  const PAGE = 100, LONG = 3000;
  const ID = 0, ROW = 1, QUESTION = 2, ANSWER = 3, GOLD = 4, STATE = 5, RANK = 6, FLAGS = 7, VALUES = 8;

  // Every text of the data enters the page here: as text, its control characters as their pictures, none of it as markup.
  const picture = (char) => {
    const code = char.charCodeAt(0);
    return code === 13 ? "\n" : code < 32 ? String.fromCharCode(0x2400 + code) : code === 127 ? "\u2421" : "\ufffd";
  };
  const seen = (text) => String(text).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, picture);
  const make = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children) {
      if (child !== null && child !== undefined) node.append(child instanceof Node ? child : seen(child));
    }
    return node;
  };
  const isolated = (value, direction) => make("bdi", { dir: direction }, value);
  const say = (template, values) => {
    const all = document.createDocumentFragment();
    for (const part of template.split(/(\{\w+\})/)) {
      const name = part.startsWith("{") && part.endsWith("}") ? part.slice(1, -1) : null;
      all.append(name !== null && name in (values || {}) ? isolated(values[name]) : part);
    }
    return all;
  };
  const sayPlain = (template, values) =>
    template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? `\u2068${seen(values[name])}\u2069` : whole));
  const known = (section, name) => (words[section] && words[section][name]) || String(name);

  const metricName = (name) => {
    const [base, cutoff] = name.split("@");
    const label = words.metric[base.replace(/_at_k$/, "")];
    return label === undefined ? name : cutoff ? `${label} @${cutoff}` : label;
  };
  const valueText = (name, value) => {
    if (value === null || value === undefined) return "–";
    if (name === config.rating) return `${value.toFixed(2)} / 5`;
    return value === 0 || (Math.abs(value) >= 5e-4 && Math.abs(value) < 1e6) ? value.toFixed(3) : String(value);
  };

  const unpack = async (id) => {
    const raw = atob(byId(id).textContent);
    const bytes = new Uint8Array(raw.length);
    for (let place = 0; place < raw.length; place += 1) bytes[place] = raw.charCodeAt(place);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };
  const blocks = new Map();
  const block = (number) => {
    if (!blocks.has(number)) blocks.set(number, unpack(`data-${number}`));
    return blocks.get(number);
  };

  // The same letters however they are typed: marks, hamza carriers, alef maqsura, ta marbuta, digits, width, case.
  const folded = (text) =>
    text.normalize("NFKD").toLowerCase()
      .replace(/[\u0300-\u036f\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, "")
      .replace(/\u0671/g, "\u0627").replace(/[\u0649\u06cc]/g, "\u064a").replace(/\u0629/g, "\u0647").replace(/\u06a9/g, "\u0643")
      .replace(/[\u0660-\u0669]/g, (digit) => digit.charCodeAt(0) - 0x660)
      .replace(/[\u06f0-\u06f9]/g, (digit) => digit.charCodeAt(0) - 0x6f0);

  let rows = [], starts = [], haystack = null;
  const state = { query: "", flag: -1, sort: "", order: 1, page: 0, view: [], open: new Set() };
  const body = byId("samples-table").tBodies[0];
  const head = byId("samples-table").tHead.rows[0];

  const fits = () => {
    const wanted = folded(state.query).split(/\s+/).filter(Boolean);
    if (wanted.length && haystack === null) {
      haystack = rows.map((row) => folded([row[ID], row[QUESTION], row[ANSWER], row[GOLD]].join("\n")));
    }
    const found = [];
    rows.forEach((row, place) => {
      if (state.flag >= 0 && !((row[FLAGS] >> state.flag) & 1)) return;
      if (wanted.every((word) => haystack[place].includes(word))) found.push(place);
    });
    return found;
  };
  const sortKey = (place) => {
    const row = rows[place];
    if (state.sort === "rank") return row[RANK] === 0 ? Infinity : row[RANK];
    return row[VALUES][Number(state.sort)];
  };
  const sorted = (view) => {
    if (state.sort === "") return state.order > 0 ? view : view.reverse();
    const keys = new Map(view.map((place) => [place, sortKey(place)]));
    return view.sort((a, b) => {
      const one = keys.get(a), other = keys.get(b);
      if (one === null || other === null) return (one === null) - (other === null) || a - b;
      return one === other ? a - b : (one < other ? -1 : 1) * state.order;
    });
  };
  const columns = () => {
    const shown = config.columns.slice();
    if (/^\d+$/.test(state.sort) && !shown.includes(Number(state.sort))) shown.push(Number(state.sort));
    return shown;
  };

  const heading = (name, key) => {
    if (key === null) return make("th", { scope: "col" }, name);
    const direction = state.sort === key && (key !== "" || state.order < 0) ? (state.order > 0 ? "ascending" : "descending") : null;
    const button = make("button", { type: "button" }, isolated(name));
    button.addEventListener("click", () => {
      state.order = state.sort === key ? -state.order : 1;
      state.sort = key;
      byId("sort").value = key;
      byId("order").value = String(state.order);
      refresh();
      for (const other of head.querySelectorAll("button")) if (other.dataset.key === key) other.focus();
    });
    button.dataset.key = key;
    return make("th", { scope: "col", "aria-sort": direction }, button);
  };
  const drawHead = () => {
    head.replaceChildren(
      heading(words.samples.number, ""), heading(words.samples.question, null), heading(words.samples.answer, null),
      ...(config.ranks ? [heading(words.samples.rank, "rank")] : []),
      ...columns().map((column) => heading(metricName(config.names[column]), String(column))));
  };
  const figure = (label, value, direction) => make("td", { class: "figure", "data-label": label }, isolated(value, direction));

  const drawRow = (place) => {
    const row = rows[place];
    const open = make("button", {
      type: "button", class: "open", "aria-expanded": "false", "aria-controls": `detail-${place}`,
    }, make("span", { dir: "auto" }, row[QUESTION] || "–"));
    const bad = row[STATE] === "error" || row[STATE] === "empty" || row[STATE] === "no_answer";
    const line = make("tr", { id: `line-${place}` },
      figure(words.samples.number, String(place + 1)),
      make("td", { class: "question" }, open),
      make("td", { "data-label": words.samples.answer },
        make("span", { class: bad ? "tag bad" : "tag" }, known("status", row[STATE]))),
      ...(config.ranks ? [figure(words.samples.rank, row[RANK] === null ? "–" : row[RANK] || words.samples.rank_none)] : []),
      ...columns().map((column) =>
        figure(metricName(config.names[column]), valueText(config.names[column], row[VALUES][column]), "ltr")));
    const cells = line.cells.length;
    const detail = make("tr", { class: "detail", id: `detail-${place}`, hidden: true }, make("td", { colspan: cells }));
    open.addEventListener("click", () => toggle(place, open.getAttribute("aria-expanded") !== "true"));
    return [line, detail];
  };
  const draw = () => {
    const first = state.page * PAGE;
    const shown = state.view.slice(first, first + PAGE);
    drawHead();
    body.replaceChildren(...shown.flatMap(drawRow));
    for (const place of shown) if (state.open.has(place)) toggle(place, true, true);
    if (!shown.length) {
      body.append(make("tr", null, make("td", { colspan: head.cells.length }, words.samples.none_shown)));
    }
    byId("count").replaceChildren(say(words.samples.shown, { n: state.view.length, total: rows.length }));
    const paged = state.view.length > PAGE;
    byId("pager").hidden = !paged;
    if (paged) {
      byId("rows").replaceChildren(
        say(words.samples.rows, { first: first + 1, last: first + shown.length, n: state.view.length }));
      byId("previous").disabled = state.page === 0;
      byId("next").disabled = first + PAGE >= state.view.length;
    }
  };
  const refresh = () => {
    state.view = sorted(fits());
    state.page = 0;
    draw();
  };

  const toggle = async (place, wanted, quiet) => {
    const detail = byId(`detail-${place}`), button = byId(`line-${place}`).querySelector("button.open");
    button.setAttribute("aria-expanded", String(wanted));
    detail.hidden = !wanted;
    if (!wanted) {
      state.open.delete(place);
      return;
    }
    state.open.add(place);
    if (!quiet) remember(place);
    const cell = detail.cells[0];
    if (cell.childNodes.length) return;
    cell.append(words.sample.loading);
    try {
      cell.replaceChildren(await drawSample(place));
    } catch (error) {
      cell.replaceChildren(make("p", { class: "notice" }, words.sample.unreadable));
    }
  };
  const anchor = (place) => `#sample-${encodeURIComponent(wellFormed(rows[place][ID]))}`;
  const wellFormed = (text) => (text.toWellFormed ? text.toWellFormed() : text.replace(/[\ud800-\udfff]/g, "\ufffd"));
  const remember = (place) => {
    try {
      history.replaceState(null, "", anchor(place));
    } catch (error) {
      // Some browsers keep the address of a file as it is.
    }
  };
  const follow = () => {
    if (!location.hash.startsWith("#sample-")) return;
    const place = rows.findIndex((row, number) => anchor(number) === location.hash);
    if (place < 0) return;
    if (!state.view.includes(place)) {
      Object.assign(state, { query: "", flag: -1 });
      byId("search").value = "";
      byId("controls").elements.show.value = "-1";
      state.view = sorted(fits());
    }
    state.page = Math.floor(state.view.indexOf(place) / PAGE);
    draw();
    toggle(place, true, true);
    const line = byId(`line-${place}`);
    line.scrollIntoView({ block: "start" });
    line.querySelector("button.open").focus({ preventScroll: true });
  };

  const find = (place, which) => {
    let low = 0, high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle][which] <= place) low = middle; else high = middle - 1;
    }
    return low;
  };
  const sharedText = async (number) => {
    const holder = find(number, 1);
    return (await block(holder)).texts[number - starts[holder][1]];
  };

  const filled = (node, text, spans, end) => {
    let from = 0;
    node.replaceChildren();
    for (const [start, stop] of spans || []) {
      if (start >= end) break;
      node.append(seen(text.slice(from, start)), make("mark", null, text.slice(start, Math.min(stop, end))));
      from = Math.min(stop, end);
    }
    node.append(seen(text.slice(from, end)) + (end < text.length ? " …" : ""));
  };
  const passage = (text, spans) => {
    const all = document.createDocumentFragment(), node = make("p", { class: "words", dir: "auto" });
    all.append(node);
    filled(node, text, spans, Math.min(text.length, LONG));
    if (text.length > LONG) {
      const more = make("button", { type: "button", class: "plain more" });
      more.append(say(words.sample.more, { n: text.length.toLocaleString("en") }));
      more.addEventListener("click", () => {
        filled(node, text, spans, text.length);
        more.remove();
        node.setAttribute("tabindex", "-1");
        node.focus();
      });
      all.append(more);
    }
    return all;
  };
  const part = (title, ...children) => make("div", null, make("h3", null, title), ...children);
  const about = (...items) => make("div", { class: "about" }, ...items.filter((item) => item !== null));
  const tag = (text, kind) => make("span", { class: kind ? `tag ${kind}` : "tag" }, text);
  const named = (name, value) => make("span", null, `${name}: `, isolated(value));

  const drawAnswer = (detail) => {
    const refusal = detail.refusal;
    const told = detail.answer === undefined ? make("p", { class: "soft" }, words.sample.no_answer)
      : detail.answer.trim() === "" ? make("p", { class: "soft" }, words.sample.empty_answer)
      : passage(detail.answer, refusal ? [refusal.span] : []);
    const note = refusal ? make("p", { class: "small soft" },
      `${refusal.partial ? words.sample.refusal_partial : words.sample.refusal} (${known("refusal_kind", refusal.reason)}) · ${words.sample.refusal_phrase}: `,
      isolated(refusal.phrase)) : null;
    return part(words.sample.answer, told, note);
  };
  const drawGolds = async (detail) => {
    const golds = detail.golds || [];
    if (!golds.length) return part(words.sample.gold, make("p", { class: "soft" }, words.sample.no_gold));
    const nodes = await Promise.all(golds.map(async (gold) => {
      const state = gold.found === null ? null
        : tag(gold.found ? words.sample.gold_found : words.sample.gold_missed, gold.found ? "good" : "bad");
      const line = about(make("strong", null, say(words.sample.gold_number, { n: gold.n })), state,
        gold.any.length > 1 ? words.sample.gold_alternative : null);
      const box = make("div", { class: "passage" }, line);
      for (const one of gold.any) {
        const facts = about(
          one.id === undefined ? null : make("span", null, say(words.sample.gold_id, { id: one.id })),
          one.source === undefined ? null : named(words.sample.source, one.source));
        if (facts.childNodes.length) box.append(facts);
        if (one.text !== undefined) box.append(passage(await sharedText(one.text)));
      }
      return box;
    }));
    return part(words.sample.gold, ...nodes);
  };
  const drawChunk = async (chunk, rank) => {
    const verdict = chunk.hit ? tag(words.sample.hit, "good") : tag(chunk.score === undefined ? words.sample.miss : words.sample.near);
    const box = make("div", { class: chunk.hit ? "passage hit" : "passage" }, about(
      make("strong", null, say(words.sample.rank, { n: rank })), verdict,
      chunk.repeat ? tag(words.sample.repeat) : null,
      chunk.stage === undefined ? null : make("span", null, `${words.sample.stage} ${known("stage", chunk.stage)}`),
      chunk.score === undefined ? null : named(words.sample.score, chunk.score.toFixed(2)),
      chunk.golds && chunk.golds.length ? make("span", null, say(words.sample.gold_number, { n: chunk.golds.join(", ") })) : null,
      chunk.id === undefined ? null : isolated(chunk.id),
      chunk.source === undefined ? null : named(words.sample.source, chunk.source),
      chunk.own === undefined ? null : named(words.sample.retriever_score, chunk.own)));
    box.append(chunk.text === undefined ? make("p", { class: "soft small" }, words.sample.no_text)
      : passage(await sharedText(chunk.text), chunk.marks));
    return box;
  };
  const drawChunks = async (detail) => {
    const chunks = detail.chunks;
    if (chunks === undefined) return part(words.sample.chunks, make("p", { class: "soft" }, words.sample.chunks_unknown));
    if (!chunks.length) return part(words.sample.chunks, make("p", { class: "soft" }, words.sample.no_chunks));
    const marked = chunks.some((chunk) => chunk.marks);
    return part(words.sample.chunks, marked ? make("p", { class: "small soft" }, words.sample.marked) : null,
      ...await Promise.all(chunks.map((chunk, place) => drawChunk(chunk, place + 1))));
  };
  const drawVerdict = (item) => {
    const answer = { yes: words.sample.claim_yes, no: words.sample.claim_no, none: words.sample.claim_none }[item.verdict] || item.verdict;
    return make("li", null, tag(answer, { yes: "good", no: "bad" }[item.verdict]), " ",
      make("bdi", null, item.statement || `${item.number}`),
      item.chunks && item.chunks.length ? make("span", { class: "soft" }, " ", say(words.sample.chunk_numbers, { numbers: item.chunks.join(", ") })) : null,
      item.says ? make("div", { class: "soft", dir: "auto" }, item.says) : null);
  };
  const drawScore = (score) => {
    const value = score.value === undefined ? null : make("strong", null, isolated(valueText(score.name, score.value), "ltr"));
    const why = score.reason === undefined ? null
      : make("span", { class: score.failed ? "tag bad" : "soft" }, known("reason_says", score.reason));
    const box = make("div", { class: "score" },
      make("div", { class: "line" }, make("span", { class: "name" }, isolated(metricName(score.name))), value, why));
    if (score.says) box.append(make("p", { class: "soft small" }, words.sample.reason), make("p", { dir: "auto" }, score.says));
    if (score.message) box.append(make("p", { class: "code", dir: "auto" }, score.message));
    if (score.unsupported) {
      box.append(make("p", { class: "soft small" }, words.sample.unsupported),
        make("ul", null, ...score.unsupported.map((text) => make("li", { dir: "auto" }, text))));
    }
    if (score.verdicts) {
      box.append(make("p", { class: "soft small" }, words.sample.claims), make("ul", null, ...score.verdicts.map(drawVerdict)));
    }
    if (score.members) {
      box.append(make("p", { class: "soft small" }, words.sample.members),
        make("ul", null, ...score.members.map((member) => make("li", null, isolated(member.judge), " ",
          make("strong", null, isolated(member.value === undefined ? "–" : valueText(score.name, member.value), "ltr")),
          member.reason ? ` ${known("reason_says", member.reason)}` : "",
          member.says || member.message ? make("div", { dir: "auto" }, member.says || member.message) : null))));
    }
    return box;
  };
  const listed = (values) => make("dl", { class: "pairs" }, ...Object.entries(values).flatMap(([name, value]) =>
    [make("dt", null, isolated(name)), make("dd", null, isolated(typeof value === "string" ? value : JSON.stringify(value)))]));

  const drawSample = async (place) => {
    const row = rows[place], holder = find(place, 0);
    const detail = (await block(holder)).samples[place - starts[holder][0]];
    const times = { [words.latency.total]: detail.ms[0], [words.latency.pipeline]: detail.ms[1], [words.latency.evaluation]: detail.ms[2] };
    const told = Object.entries(times).filter(([, value]) => value !== null);
    const answers = detail.answers || [];
    const first = make("div", { class: "column" },
      part(words.sample.question, passage(detail.question === undefined ? row[QUESTION] : detail.question)),
      detail.error === undefined ? null : part(words.sample.error, make("p", { class: "words code", dir: "auto" }, detail.error)),
      detail.query === undefined ? null : part(words.sample.query, ...[].concat(detail.query).map((text) => passage(text))),
      drawAnswer(detail),
      answers.length ? part(answers.length > 1 ? words.sample.gold_answers : words.sample.gold_answer, ...answers.map((text) => passage(text))) : null,
      detail.scores ? part(words.sample.scores, ...detail.scores.map(drawScore)) : null,
      detail.metadata && Object.keys(detail.metadata).length ? part(words.sample.metadata, listed(detail.metadata)) : null);
    const second = make("div", { class: "column" }, await drawGolds(detail), await drawChunks(detail));
    return make("div", { class: "sample" },
      make("div", { class: "bar" },
        isolated(row[ID]), row[ROW] ? make("span", null, say(words.sample.row, { row: row[ROW] })) : null,
        told.length ? make("span", null, `${words.sample.time}: `, ...told.flatMap(([name, value], number) =>
          [number ? " · " : "", `${name} `, isolated(value, "ltr")]), ` ${words.charts.milliseconds}`) : null,
        make("a", { href: anchor(place) }, words.sample.link)),
      first, second);
  };

  const trouble = (text) => {
    byId("trouble").textContent = text;
    byId("trouble").hidden = false;
  };
  const connect = () => {
    const controls = byId("controls");
    let waiting = 0;
    controls.addEventListener("submit", (event) => event.preventDefault());
    byId("search").addEventListener("input", (event) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        state.query = event.target.value;
        refresh();
      }, 120);
    });
    byId("sort").addEventListener("change", (event) => {
      state.sort = event.target.value;
      refresh();
    });
    byId("order").addEventListener("change", (event) => {
      state.order = Number(event.target.value);
      refresh();
    });
    for (const choice of controls.querySelectorAll("input[name=show]")) {
      choice.addEventListener("change", () => {
        state.flag = Number(choice.value);
        refresh();
      });
    }
    const turn = (by) => {
      state.page += by;
      draw();
      byId("samples-title").scrollIntoView();
    };
    byId("previous").addEventListener("click", () => turn(-1));
    byId("next").addEventListener("click", () => turn(1));
    body.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || !event.target.matches("button.open")) return;
      const all = [...body.querySelectorAll("button.open")];
      const next = all[all.indexOf(event.target) + step];
      if (next) {
        event.preventDefault();
        next.focus();
      }
    });
    window.addEventListener("hashchange", follow);
  };
  const start = async () => {
    if (typeof DecompressionStream === "undefined") {
      trouble(words.page.old_browser);
      return;
    }
    try {
      const index = await unpack("data-index");
      rows = index.rows;
      starts = index.starts;
    } catch (error) {
      trouble(words.page.broken_data);
      return;
    }
    byId("controls").reset();
    connect();
    byId("controls").hidden = false;
    refresh();
    follow();
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
  };
  start();
})();
