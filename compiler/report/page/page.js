(() => {
  const { plot: frame, devices, choices, specs } = JSON.parse(document.getElementById("data").textContent);
  const all = (root, query) => [...root.querySelectorAll(query)];
  const power = (number) => Math.log2(Number(number));
  const tenth = (x) => String(Math.round(x * 10) / 10);

  // What one spec has: its sizes, its setting, and the value of each of its figures.
  function counter(spec) {
    const fixed = Object.fromEntries(Object.entries(spec.sizes).map(([k, v]) => [k, BigInt(v)]));
    const fields = Object.keys(choices);
    // The place of a formula and what it is multiplied by, in some setting.
    const multiple = (figure, setting) => {
      const [by, ...of] = spec.figures[figure].split(" ");
      const at = [...by].reduce((sum, letter) => {
        const name = fields.find((each) => each[0] === letter);
        const words = choices[name];
        return sum * words.length + words.indexOf(setting[name]);
      }, 0);
      const [place, times] = of[at].split("*");
      return [place, BigInt(times ?? 1)];
    };
    const formula = (figure, setting) => {
      const [place, times] = multiple(figure, setting);
      return archc.spoken(archc.scaled(spec.formulas[place], (c) => c * times));
    };
    const value = (figure, state, lengths) =>
      archc.evaluate(formula(figure, state.setting), { ...fixed, ...state.degrees, ...state.sizes, ...lengths });
    // A figure by its mark: `12` or, for one new position, `12t`.
    const at = (mark, state) =>
      value(parseInt(mark), state, mark.endsWith("t") ? { [spec.roles.target]: 1n } : {});
    return { multiple, formula, value, at };
  }

  const exactly = (number) => archc.grouped(number).replaceAll("\u202f", " ");

  // An element shows the figure that it names, or two of them against each other.
  function tell(element, count, state) {
    const unit = element.dataset.u;
    const [first, second] = element.dataset.f.split("/").map((f) => count.at(f, state));
    if (unit === "ratio") element.textContent = first ? archc.ratio(first, second) : "";
    else if (unit === "share") element.textContent = archc.share(first, second);
    else {
      const { f } = element.dataset;
      element.textContent = archc.inUnit(first, unit);
      element.title = `${exactly(first)} ${archc.unit(unit)} = ${count.formula(parseInt(f), state.setting)}${f.endsWith("t") ? ", one new position" : ""}`;
    }
  }

  function drawBar(svg, count, state) {
    const whole = count.at(svg.dataset.bar, state);
    const wide = svg.viewBox.baseVal.width;
    let x = 0;
    const said = all(svg, "g").map((part) => {
      const value = count.at(part.dataset.f, state);
      const width = whole ? (wide * Number(value)) / Number(whole) : 0;
      const [title, rect] = part.children;
      const name = title.textContent.split(":")[0];
      const share = archc.share(value, whole);
      const label = `${name.split(".").pop()} ${share}`;
      rect.setAttribute("x", tenth(x));
      rect.setAttribute("width", tenth(width));
      part.querySelector("text")?.remove();
      if (width > label.length * 6.6 + 10) {
        const text = part.appendChild(shape("text", { x: tenth(x + width / 2), y: 19 }));
        text.textContent = label;
      }
      title.textContent = `${name}: ${archc.inUnit(value, svg.parentNode.querySelector("b").dataset.u)}, ${share}`;
      x += width;
      return 10n * value >= whole ? `${name} ${share}` : "";
    }).filter((words) => words);
    svg.setAttribute("aria-label", `${svg.parentNode.querySelector("figcaption span").textContent}: ${said.join(", ")}`);
  }

  function drawPlot(figure, plot, count, state, memory) {
    const { wide, high, left, foot, right, top, powers } = frame;
    const series = plot.series.map((one) =>
      powers.map((p) => count.value(one, state, Object.fromEntries(plot.letters.map((l) => [l, 1n << BigInt(p)]))))
    );
    const values = series.flat().filter((v) => v);
    const by = values.map(power);
    const low = Math.floor(Math.min(...by, 0 + (by.length ? Infinity : 0)));
    const end = Math.max(Math.ceil(Math.max(...by, 1 - (by.length ? Infinity : 0))), low + 1);
    const across = (p) => left + ((p - powers[0]) / (powers[powers.length - 1] - powers[0])) * (wide - left - right);
    const up = (p) => high - foot - ((p - low) / (end - low)) * (high - foot - top);
    const ceiling = figure.querySelector("[data-ceiling]");
    if (ceiling) {
      const at = power(memory);
      ceiling.setAttribute("d", at >= low && at <= end ? `M${left} ${tenth(up(at))}H${wide - right}` : "");
    }
    all(figure, ":scope > svg > .line:not([data-ceiling])").forEach((line, k) => {
      const places = powers.flatMap((p, i) => (series[k][i] ? [`${tenth(across(p))} ${tenth(up(power(series[k][i])))}`] : []));
      line.setAttribute("d", `M${places.join("L")}`);
    });
    for (const guide of all(figure, "[data-slope]")) {
      const slope = +guide.dataset.slope;
      const reach = Math.min(powers[powers.length - 1] - powers[0], (end - low) / slope);
      guide.setAttribute("d", `M${tenth(across(powers[0]))} ${tenth(up(low))}L${tenth(across(powers[0] + reach))} ${tenth(up(low + slope * reach))}`);
    }
    const base = plot.unit === "b" ? 1024 : 10;
    const marks = [...Array(100).keys()].filter((p) => low <= p * Math.log2(base) && p * Math.log2(base) <= end);
    const step = Math.max(Math.ceil(marks.length / 6), 1);
    const beside = figure.querySelector(".beside");
    beside.replaceChildren();
    for (const p of marks.filter((mark) => mark % step === 0)) {
      const mark = BigInt(base) ** BigInt(p);
      const y = tenth(up(power(mark)));
      beside.append(shape("path", { d: `M${left} ${y}H${wide - right}` }));
      const text = shape("text", { x: left - 6, y: tenth(+y + 4) });
      text.textContent = archc.inUnit(mark, plot.unit).replace(".00", "").replace(".0", "");
      beside.append(text);
    }
    const lengths = [...new Set(plot.letters.map((l) => state.sizes[l]))];
    const now = lengths.length === 1 ? power(lengths[0]) : NaN;
    const inside = now >= powers[0] && now <= powers[powers.length - 1];
    figure.querySelector(":scope > svg > .now").setAttribute("d", inside ? `M${tenth(across(now))} ${top}V${high - foot}` : "");
  }

  function shape(name, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function drawLoads(article, spec, count, state) {
    const whole = count.value(spec.work, state);
    for (const element of all(article, "[data-load]")) {
      const [weights, work] = spec.loads[+element.dataset.load].map((f) => count.value(f, state));
      if (element.tagName === "rect") {
        const part = whole ? Number((1000n * work) / whole) : 0;
        element.setAttribute("width", tenth((+element.dataset.of * part) / 1000));
      } else {
        const share = work ? [`${archc.share(work, whole)} of FLOP`] : [];
        const own = weights ? [archc.inUnit(weights, "p")] : [];
        element.textContent = [...own, ...share].join(" · ").replaceAll("\u202f", " ");
      }
    }
  }

  const duration = (seconds) => {
    for (const [unit, size] of [["s", 1], ["ms", 1e-3], ["\u00b5s", 1e-6]])
      if (seconds >= 0.9995 * size) return `${three(seconds / size)}\u202f${unit}`;
    return seconds ? `${three(seconds * 1e9)}\u202fns` : "";
  };
  function three(number) {
    if (!Number.isFinite(number)) return "";
    if (number >= 999.5) {
      const tens = 10 ** (String(Math.floor(number)).length - 3);
      return archc.grouped(BigInt(Math.round(number / tens)) * BigInt(tens));
    }
    return number ? String(Number(number.toPrecision(3))) : "0";
  }

  // One forward, or one step of decoding, on a device: the longer of computing and moving bytes.
  function phase(roof, device, at, step, count, state, roles) {
    const [rate, efficiency, share, , overhead] = at;
    const lengths = step ? { [roles.target]: 1n } : {};
    const batch = Number(state.sizes[roles.batch] ?? 1n);
    const tokens = batch * (step ? 1 : Number(state.sizes[roles.target] ?? 1n));
    const found = { tokens, flops: 0, moved: 0, seconds: 0, read: 0, by: {}, nodes: [] };
    roof.rows.forEach(([products, bytes, runs, once, weights, experts, chosen], row) => {
      if (step && once) return;
      const value = (figure) => Number(count.value(figure, state, lengths));
      const [flops, whole, own] = [value(products), value(bytes), value(weights)];
      const touched = chosen >= experts ? experts : -experts * Math.expm1(tokens * Math.log1p(-chosen / experts));
      const spared = experts ? 1 - touched / Math.min(experts, chosen * tokens) : 0;
      const moved = whole - spared * own;
      const times = {
        compute: flops / rate / efficiency,
        memory: moved / device.bandwidth / share,
        overhead: (flops || moved ? value(runs) : 0) * overhead,
      };
      const bound = Object.keys(times).reduce((a, b) => (times[b] > times[a] ? b : a));
      found.flops += flops;
      found.moved += moved;
      found.read += (1 - spared) * own;
      found.seconds += times[bound];
      found.by[bound] = (found.by[bound] ?? 0) + times[bound];
      found.nodes.push({ row, flops, moved, seconds: times[bound], bound });
    });
    found.bound = ["compute", "memory", "overhead"].reduce((a, b) => ((found.by[b] ?? 0) > (found.by[a] ?? 0) ? b : a));
    return found;
  }

  function drawRoof(section, spec, count, state) {
    const { roof, roles } = spec;
    const device = devices[state.device];
    const at = device.at[state.setting.precision];
    section.querySelector("[data-title]").textContent = device.title;
    const { wide, high, left, foot, right, top } = frame;
    const part = (x, [low, end]) => Math.min(Math.max((Math.log10(x) - low) / (end - low), 0), 1);
    const across = (x) => left + part(x, roof.across) * (wide - left - right);
    const up = (y) => high - foot - part(y, roof.up) * (high - foot - top);
    const phases = at ? [false, ...(roles.seen ? [true] : [])].map((step) => phase(roof, device, at, step, count, state, roles)) : [];
    const cache = at && roles.seen ? Number(count.value(roof.cache, state)) : 0;
    for (const cell of all(section, "[data-time]")) {
      const k = cell.cellIndex - 1;
      const found = phases[k];
      if (!found) {
        cell.textContent = "\u2013";
        continue;
      }
      const least = Math.max(found.flops / at[0], (found.read + (k ? cache : 0)) / device.bandwidth);
      cell.textContent = {
        flops: archc.inUnit(BigInt(found.flops), "F"),
        moved: archc.inUnit(BigInt(Math.round(found.moved)), "b"),
        intensity: three(found.flops / found.moved),
        least: duration(least),
        most: three(found.tokens / least),
        seconds: duration(found.seconds),
        rate: three(found.tokens / found.seconds),
        bound: `${found.bound}-bound`,
      }[cell.dataset.time];
    }
    const edge = section.querySelector("[data-edge]");
    if (at) {
      const start = 10 ** roof.across[0];
      edge.setAttribute("d", `M${tenth(across(start))} ${tenth(up(start * device.bandwidth))}L${tenth(across(at[0] / device.bandwidth))} ${tenth(up(at[0]))}H${wide - right}`);
    } else edge.setAttribute("d", "");
    for (const mark of all(section, "[data-row]")) {
      const step = mark.tagName === "rect";
      const found = phases[+step];
      const node = found?.nodes.find((each) => each.row === +mark.dataset.row);
      mark.toggleAttribute("hidden", !node?.flops);
      mark.style.display = node?.flops ? "" : "none";
      if (!node?.flops) continue;
      const radius = Math.round((2.5 + 9 * Math.sqrt(node.seconds / found.seconds)) * 10) / 10;
      const [x, y] = [across(node.flops / node.moved), up(node.flops / node.seconds)];
      const places = step ? { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius } : { cx: x, cy: y, r: radius };
      for (const [name, place] of Object.entries(places)) mark.setAttribute(name, tenth(place));
      const title = mark.firstElementChild;
      const [path] = title.textContent.split(", ");
      title.textContent = `${path}, ${roof.names[+step]}: ${three(node.flops / node.moved)} FLOP/byte, ${duration(node.seconds)}, ${node.bound}-bound`;
    }
    drawFits(section, spec, count, state, device, at);
  }

  // What a way to run the model needs, and how far it goes.
  function drawFits(section, spec, count, state, device, at) {
    const reserve = BigInt(Math.round((at ?? [0, 0, 0, 0])[3]));
    const room = BigInt(device.memory) > reserve ? BigInt(device.memory) - reserve : 0n;
    section.querySelector("[data-room]").textContent = archc.inUnit(room, "b");
    for (const row of all(section, "[data-fit]")) {
      const fit = spec.roof.fits[+row.dataset.fit];
      const one = fit.step ? { [spec.roles.target]: 1n } : {};
      const need = (lengths) => fit.of.reduce((sum, figure) => sum + count.value(figure, state, { ...one, ...lengths }), 0n);
      const alike = (letters) => (n) => need(Object.fromEntries(letters.map((letter) => [letter, n])));
      const [, needs, fits, batch, length] = row.cells;
      const words = (found) => (found === null ? (fit.missing ? "not counted" : "any") : found ? archc.grouped(found) : "none");
      needs.textContent = archc.inUnit(need({}), "b");
      fits.textContent = need({}) <= room ? "fits" : "does not fit";
      fits.className = need({}) <= room ? "good" : "bad";
      const most = 1n << 40n;
      batch.textContent = words(fit.batch ? largest(alike([fit.batch]), room, most) : null);
      const found = fit.lengths.length ? largest(alike(fit.lengths), room, fit.ends ? BigInt(fit.ends) : most) : null;
      length.textContent = found === null && fit.ends && fit.lengths.length ? archc.grouped(fit.ends) : words(found);
    }
  }
  function largest(need, room, most) {
    if (need(most) <= room) return null;
    let [fitting, end] = [0n, most];
    while (end - fitting > 1n) {
      const middle = (fitting + end) / 2n;
      if (need(middle) <= room) fitting = middle;
      else end = middle;
    }
    return fitting;
  }

  // Layers go to pieces in their order, pieces to stages by turns; the first pieces have one more.
  function stagesOf({ kinds, layers }, { p, v }) {
    const [stages, pieces] = [Number(p), Number(p * v)];
    const [short, longer] = [Math.floor(layers / pieces), layers % pieces];
    const none = Object.fromEntries(Object.keys(kinds).map((letter) => [letter, 0n]));
    const found = [...Array(stages).keys()].map((at) => ({ ...none, f: BigInt(at === 0), l: BigInt(at === stages - 1) }));
    for (const [letter, spans] of Object.entries(kinds))
      for (const [start, stop, step] of spans)
        for (let layer = start; layer < stop; layer += step)
          found[Math.max(Math.floor(layer / (short + 1)), Math.floor((layer - longer) / (short || 1))) % stages][letter]++;
    return found;
  }

  // A row for neighbours that have as many layers of each kind.
  function drawSpread(section, spec, count, state) {
    const { t, d, c, p, v, m } = state.degrees;
    section.querySelector("[data-ranks]").textContent = archc.grouped(t * d * c * p);
    section.querySelector("[data-idle]").textContent = three((100 * Number(p - 1n)) / Number(v * m));
    const same = (one, other) => Object.keys(one).every((letter) => one[letter] === other[letter]);
    const rows = [];
    stagesOf(spec.spread, state.degrees).forEach((sizes, at) => {
      const before = rows.at(-1);
      if (before && same(before.sizes, sizes)) before.last = at;
      else rows.push({ first: at, last: at, sizes });
    });
    section.querySelector("tbody").replaceChildren(...rows.map(({ first, last, sizes }) => {
      const row = document.createElement("tr");
      const head = row.appendChild(document.createElement("th"));
      head.scope = "row";
      head.textContent = first === last ? first : `${first} to ${last}`;
      spec.spread.columns.forEach((figures, column) => {
        const found = figures.reduce((sum, figure) => sum + count.value(figure, state, sizes), 0n);
        const cell = row.appendChild(document.createElement("td"));
        cell.className = "r";
        cell.title = exactly(found);
        cell.textContent = archc.inUnit(found, column ? "b" : "p");
      });
      return row;
    }));
  }

  // Why some degrees cannot be; nothing where they can.
  function misfit({ t, d, c, x, p, v, m }, { sp }, positions, { layers, experts }) {
    if ((t * d * c) % x !== 0n) return `the ${x} ranks of experts must divide tp\u00b7dp\u00b7cp = ${t * d * c}`;
    if (sp === "0" && t > 1n && experts) return "tensor ranks share out experts by their parts of a sequence: sp is 1";
    if (c > positions) return `${c} ranks cannot share ${positions} positions`;
    if (layers && p * v > layers) return `${p * v} pieces cannot share ${layers} layers`;
    if (v > 1n && p === 1n) return "one stage has one piece";
    if (v > 1n && m % p !== 0n) return `microbatches come in rounds of ${p} stages where these have several pieces`;
    return "";
  }

  // The command that counts the same, as a shell takes it.
  function command(spec, state) {
    const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);
    const at = Object.entries(state.sizes).map(([letter, size]) => `${letter}=${size}`);
    const words = ["archc cost", quoted(spec.path || "-"), ...(at.length ? [`--at ${at.join(",")}`] : [])];
    const { zero, sp, ...setting } = state.setting;
    for (const [name, word] of Object.entries(setting))
      if (word !== spec.usual[name]) words.push(`--${name} ${word}`);
    const device = devices[state.device];
    words.push(`--device ${quoted(device.said)}`);
    if (device.assume) words.push(`--assume ${quoted(device.assume)}`);
    const chosen = Object.entries(spec.spread?.letters ?? {}).filter(([, letter]) => state.degrees[letter] > 1n);
    const degrees = chosen.map(([name, letter]) => `${name}=${state.degrees[letter]}`);
    if (zero !== "0") degrees.push(`zero=${zero}`);
    if (sp !== "1") degrees.push(`sp=${sp}`);
    if (degrees.length) words.push(`--parallel ${degrees.join(",")}`);
    return [...words, ...spec.patches.map((patch) => `--set ${quoted(patch)}`)].join(" ");
  }

  // Formulas that the page shows anyway are read there.
  function gather(article, spec, count) {
    spec.formulas = spec.formulas.map((each) => archc.whole(each, spec.parts));
    for (const row of all(article, "[data-figure]")) {
      const [place, times] = count.multiple(+row.dataset.figure, spec.setting);
      spec.formulas[place] ||= archc.scaled(archc.compact(row.querySelector("[data-formula]").textContent), (c) => c / times);
    }
  }

  // A line of a table about a figure: its formula, and all digits of it.
  function spell(row, count, state) {
    const figure = +row.dataset.figure;
    row.querySelector("[data-formula]").textContent = count.formula(figure, state.setting);
    const exact = row.querySelector("[data-exact]");
    if (exact) exact.textContent = archc.grouped(count.value(figure, state));
  }

  function start(article, spec) {
    const count = counter(spec);
    gather(article, spec, count);
    const form = article.querySelector("form");
    const status = form.querySelector(".status");
    const numbers = all(form, "[data-letter]");
    const first = {
      sizes: Object.fromEntries(numbers.map((n) => [n.dataset.letter, BigInt(n.value)])),
      setting: { ...spec.setting },
      device: 0,
      degrees: Object.fromEntries(Object.entries(spec.spread?.sizes ?? {}).map(([k, v]) => [k, BigInt(v)])),
    };
    let state = structuredClone(first);
    const mine = (query) => [...all(article, query), ...all(document, `[data-spec="${article.dataset.spec}"]:not(article) ${query}, [data-spec="${article.dataset.spec}"]${query}`)];

    function show() {
      const short = Object.values(spec.follows).some((f) => archc.evaluate(f, { ...sizes(), ...state.sizes }) < 1n);
      const why = short ? "too short for the filters of this model: no place of the sequence is left" : wrong(state.degrees, state.setting);
      if (why) return refuse(why);
      status.classList.remove("bad");
      for (const element of mine("[data-f][data-u]")) tell(element, count, state);
      for (const row of all(article, "[data-figure]")) spell(row, count, state);
      for (const element of all(article, "[data-size]"))
        if (element.dataset.size in state.sizes) element.textContent = archc.grouped(state.sizes[element.dataset.size]);
      for (const svg of all(article, "[data-bar]")) drawBar(svg, count, state);
      for (const figure of all(article, "[data-plot]")) drawPlot(figure, spec.plots[+figure.dataset.plot], count, state, devices[state.device].memory);
      drawLoads(article, spec, count, state);
      drawRoof(article.querySelector("[data-roof]"), spec, count, state);
      if (spec.spread) drawSpread(article.querySelector("[data-spread]"), spec, count, state);
      const at = Object.entries(state.sizes).map(([letter, size]) => `${letter} ${archc.grouped(size)}`).join(", ");
      for (const element of mine("[data-at]")) element.textContent = at;
      for (const element of all(article, "[data-word]")) element.textContent = state.setting[element.dataset.word];
      article.querySelector("[data-command]").textContent = command(spec, state);
      const same = command(spec, state) === command(spec, first);
      article.classList.toggle("stale", !same);
      status.textContent = same ? "" : `counted at ${at}; budgets, the base and the assumptions are as the page was written`;
    }
    const sizes = () => Object.fromEntries(Object.entries(spec.sizes).map(([k, v]) => [k, BigInt(v)]));

    // New positions are among the seen ones; a whole sequence stays one.
    function set(letter, size) {
      const { target, seen } = spec.roles;
      const whole = seen && state.sizes[target] === state.sizes[seen];
      state.sizes[letter] = size;
      if (seen && letter === target && (whole || size > state.sizes[seen])) state.sizes[seen] = size;
      if (seen && letter === seen && size < state.sizes[target]) state.sizes[target] = size;
      fill();
      show();
    }
    function fill() {
      for (const number of numbers) {
        const size = state.sizes[number.dataset.letter];
        if (document.activeElement !== number || BigInt(number.value || 0) !== size) number.value = size;
        const range = form.querySelector(`[data-range="${number.dataset.letter}"]`);
        range.value = Math.floor(power(size));
        range.setAttribute("aria-valuetext", archc.grouped(size));
      }
      for (const field of all(article, "[data-degree]")) field.value = state.degrees[field.dataset.degree];
      for (const select of all(form, "[data-device]")) select.value = state.device;
      for (const select of all(article, "[data-choice]")) select.value = state.setting[select.dataset.choice];
    }
    form.addEventListener("input", ({ target }) => {
      const { range, letter } = target.dataset;
      if (range) {
        const most = BigInt(form.querySelector(`[data-letter="${range}"]`).max);
        const size = 1n << BigInt(target.value);
        set(range, size < most ? size : most);
      } else if (letter) {
        if (/^\d+$/.test(target.value) && target.checkValidity()) set(letter, BigInt(target.value));
        else refuse(between(letter, target));
      }
    });
    function refuse(words) {
      status.classList.add("bad");
      status.textContent = words;
    }
    const between = (name, { max }) => `${name} is a whole number from 1 to ${max}`;
    const wrong = (degrees, setting) => (spec.spread ? misfit(degrees, setting, state.sizes[spec.roles.target] ?? 1n << 40n, spec.spread) : "");
    // Takes what is chosen where it can be, else says why not.
    function choose(degrees, setting) {
      const why = wrong(degrees, setting);
      if (why) return refuse(why);
      [state.degrees, state.setting] = [degrees, setting];
      show();
    }
    article.addEventListener("change", ({ target }) => {
      const { degree, choice } = target.dataset;
      if (degree && !target.checkValidity()) refuse(between(degree, target));
      else if (degree) choose({ ...state.degrees, [degree]: BigInt(target.value) }, state.setting);
      else if (choice) choose(state.degrees, { ...state.setting, [choice]: target.value });
      else if ("device" in target.dataset) {
        state.device = +target.value;
        show();
      }
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", (event) => {
      event.preventDefault();
      state = structuredClone(first);
      fill();
      show();
    });
    fold(article);
    fill();
    show();
  }

  // Components fold their operators away until they are asked for.
  function fold(article) {
    for (const row of all(article, ".nodes .group")) {
      const inside = [...row.parentNode.rows].slice(1);
      const head = row.querySelector("th");
      const button = document.createElement("button");
      const turn = (open) => {
        button.setAttribute("aria-expanded", String(open));
        button.setAttribute("aria-label", `operators of ${head.textContent.replace(/[▸▾]/, "")}`);
        button.textContent = open ? "▾" : "▸";
        for (const each of inside) each.hidden = !open;
      };
      button.type = "button";
      head.prepend(button);
      button.addEventListener("click", () => turn(button.getAttribute("aria-expanded") !== "true"));
      turn(false);
    }
  }

  document.body.classList.add("live");
  all(document, "article").forEach((article, index) => start(article, specs[index]));
})();
