(() => {
  const { plot: frame, specs } = JSON.parse(document.getElementById("data").textContent);
  const all = (root, query) => [...root.querySelectorAll(query)];
  const power = (number) => Math.log2(Number(number));
  const tenth = (x) => String(Math.round(x * 10) / 10);

  // What one spec has: its sizes, its setting, and the value of each of its figures.
  function counter(spec) {
    const fixed = Object.fromEntries(Object.entries(spec.sizes).map(([k, v]) => [k, BigInt(v)]));
    const formula = (figure, setting) => {
      const found = spec.figures[figure];
      if (typeof found === "number") return archc.spoken(spec.formulas[found]);
      const [by, of] = found;
      const at = by.reduce((sum, name) => {
        const words = spec.choices[name];
        return sum * words.length + words.indexOf(setting[name]);
      }, 0);
      return archc.spoken(spec.formulas[of[at]]);
    };
    const value = (figure, state, lengths) =>
      archc.evaluate(formula(figure, state.setting), { ...fixed, ...state.sizes, ...lengths });
    return { formula, value };
  }

  // An element shows the figure that it names, or two of them against each other.
  function tell(element, count, state) {
    const unit = element.dataset.u;
    const [first, second] = element.dataset.f.split("/").map((f) => count.value(+f, state));
    if (unit === "ratio") element.textContent = first ? archc.ratio(first, second) : "";
    else if (unit === "share") element.textContent = archc.share(first, second);
    else if (unit === "exact") element.textContent = archc.grouped(first);
    else {
      element.textContent = archc.inUnit(first, unit);
      const by = element.title.includes("=") ? ` ${archc.unit(unit)} = ${count.formula(+element.dataset.f, state.setting)}` : "";
      if (element.title) element.title = archc.grouped(first) + by;
    }
  }

  function drawBar(svg, count, state) {
    const whole = count.value(+svg.dataset.bar, state);
    const wide = svg.viewBox.baseVal.width;
    let x = 0;
    const said = all(svg, "g").map((part) => {
      const value = count.value(+part.dataset.f, state);
      const width = whole ? (wide * Number(value)) / Number(whole) : 0;
      const [title, rect, text] = part.children;
      const name = title.textContent.split(":")[0];
      const share = archc.share(value, whole);
      const label = `${name.split(".").pop()} ${share}`;
      rect.setAttribute("x", tenth(x));
      rect.setAttribute("width", tenth(width));
      text.setAttribute("x", tenth(x + width / 2));
      text.textContent = label;
      if (width > label.length * 6.6 + 10) text.removeAttribute("visibility");
      else text.setAttribute("visibility", "hidden");
      title.textContent = `${name}: ${archc.inUnit(value, svg.parentNode.querySelector("b").dataset.u)}, ${share}`;
      x += width;
      return `${name} ${share}`;
    });
    svg.setAttribute("aria-label", `${svg.parentNode.querySelector("figcaption span").textContent}: ${said.join(", ")}`);
  }

  function drawPlot(figure, plot, count, state) {
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
    all(figure, ":scope > svg > .line").forEach((line, k) => {
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
      const text = shape("text", { x: left - 6, y: tenth(+y + 4), "text-anchor": "end" });
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

  // The command that counts the same, as a shell takes it.
  function command(spec, state) {
    const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);
    const at = Object.entries(state.sizes).map(([letter, size]) => `${letter}=${size}`);
    const words = ["archc cost", quoted(spec.path || "-"), ...(at.length ? [`--at ${at.join(",")}`] : [])];
    for (const [name, word] of Object.entries(state.setting))
      if (word !== spec.usual[name]) words.push(`--${name} ${word}`);
    return [...words, ...spec.patches.map((patch) => `--set ${quoted(patch)}`)].join(" ");
  }

  function start(article, spec) {
    const count = counter(spec);
    const form = article.querySelector("form");
    const status = form.querySelector(".status");
    const numbers = all(form, "[data-letter]");
    const first = {
      sizes: Object.fromEntries(numbers.map((n) => [n.dataset.letter, BigInt(n.value)])),
      setting: { ...spec.setting },
    };
    let state = structuredClone(first);
    const mine = (query) => [...all(article, query), ...all(document, `[data-spec="${article.dataset.spec}"]:not(article) ${query}, [data-spec="${article.dataset.spec}"]${query}`)];

    function show() {
      const short = Object.values(spec.follows).some((f) => archc.evaluate(f, { ...sizes(), ...state.sizes }) < 1n);
      status.classList.toggle("bad", short);
      if (short) return void (status.textContent = "too short for the filters of this model: no place of the sequence is left");
      for (const element of mine("[data-f][data-u]")) tell(element, count, state);
      for (const element of all(article, "[data-formula]"))
        element.textContent = count.formula(+element.dataset.formula, state.setting);
      for (const element of all(article, "[data-size]"))
        if (element.dataset.size in state.sizes) element.textContent = archc.grouped(state.sizes[element.dataset.size]);
      for (const svg of all(article, "[data-bar]")) drawBar(svg, count, state);
      for (const figure of all(article, "[data-plot]")) drawPlot(figure, spec.plots[+figure.dataset.plot], count, state);
      drawLoads(article, spec, count, state);
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
      for (const select of all(form, "[data-choice]")) select.value = state.setting[select.dataset.choice];
    }
    form.addEventListener("input", ({ target }) => {
      const { range, letter } = target.dataset;
      if (range) {
        const most = BigInt(form.querySelector(`[data-letter="${range}"]`).max);
        const size = 1n << BigInt(target.value);
        set(range, size < most ? size : most);
      } else if (letter) {
        if (/^\d+$/.test(target.value) && target.checkValidity()) set(letter, BigInt(target.value));
        else {
          status.classList.add("bad");
          status.textContent = `${letter} is a whole number from 1 to ${target.max}`;
        }
      }
    });
    form.addEventListener("change", ({ target }) => {
      if (!target.dataset.choice) return;
      state.setting[target.dataset.choice] = target.value;
      show();
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
      const inside = all(article, `.nodes .in[data-of="${row.dataset.of}"]`);
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
