"use strict";
// Formulas evaluated exactly: a number is a fraction of two BigInts. `4BD²` and `4·B·D²` are one.
const archc = (() => {
  const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const TOKEN = /\s*(floor|min|max|\d+|[A-Za-z]|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[·+\-/(),])/y;

  function tokens(text) {
    const found = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const match = TOKEN.exec(text);
      if (!match) throw new Error(`no formula: ${text}`);
      found.push(match[1]);
    }
    return found;
  }

  // The parser makes a function of the sizes of the letters.
  function parse(text) {
    const all = tokens(text);
    let at = 0;
    const next = () => all[at];
    const take = (word) => (all[at] === word ? all[at++] : undefined);
    const expect = (word) => {
      if (!take(word)) throw new Error(`no formula: ${text}`);
    };

    function sum() {
      const parts = [take("-") ? negative(term()) : term()];
      for (;;) {
        if (take("+")) parts.push(term());
        else if (take("-")) parts.push(negative(term()));
        else break;
      }
      return parts.length === 1 ? parts[0] : (sizes) => parts.map((p) => p(sizes)).reduce(add);
    }
    function term() {
      let found = power();
      for (;;) {
        const left = found;
        if (take("·")) {
          const right = power();
          found = (sizes) => times(left(sizes), right(sizes));
        } else if (at < all.length && /^[A-Za-z]/.test(next())) {
          const right = power();
          found = (sizes) => times(left(sizes), right(sizes));
        } else if (take("/")) {
          const right = power();
          found = (sizes) => over(left(sizes), right(sizes));
        } else return found;
      }
    }
    function power() {
      const found = atom();
      if (at >= all.length || !RAISED.includes(next()[0])) return found;
      const exponent = BigInt([...all[at++]].map((c) => RAISED.indexOf(c)).join(""));
      return (sizes) => found(sizes).map((part) => part ** exponent);
    }
    function atom() {
      const word = all[at++];
      if (word === "(") {
        const found = sum();
        expect(")");
        return found;
      }
      if (/^\d/.test(word)) {
        const number = [BigInt(word), 1n];
        return () => number;
      }
      if (/^[A-Za-z]$/.test(word)) return (sizes) => [size(sizes, word), 1n];
      expect("(");
      const inside = [sum()];
      while (take(",")) inside.push(sum());
      expect(")");
      if (word === "floor") return (sizes) => [floor(inside[0](sizes)), 1n];
      const better = word === "min" ? (a, b) => below(a, b) : (a, b) => below(b, a);
      return (sizes) =>
        inside.map((each) => each(sizes)).reduce((a, b) => (better(a, b) ? a : b));
    }

    const found = sum();
    if (at < all.length) throw new Error(`no formula: ${text}`);
    return found;
  }

  const add = ([a, b], [c, d]) => (b === d ? [a + c, b] : [a * d + c * b, b * d]);
  const times = ([a, b], [c, d]) => [a * c, b * d];
  const over = ([a, b], [c, d]) => [a * d, b * c];
  const negative = (found) => (sizes) => times(found(sizes), [-1n, 1n]);
  const below = ([a, b], [c, d]) => a * d < c * b;
  function floor([a, b]) {
    const whole = a / b;
    return a % b !== 0n && a < 0n !== b < 0n ? whole - 1n : whole;
  }
  function size(sizes, letter) {
    if (sizes[letter] === undefined) throw new Error(`no size for ${letter}`);
    return sizes[letter];
  }

  const parsed = new Map();
  function evaluate(text, sizes) {
    if (!parsed.has(text)) parsed.set(text, parse(text));
    const [above, under] = parsed.get(text)(sizes);
    if (above % under !== 0n) throw new Error(`not whole: ${text}`);
    return above / under;
  }

  // A formula with the coefficient of each of its terms changed.
  function scaled(text, change) {
    let depth = 0;
    const signs = [...text].flatMap((c, at) => {
      depth += (c === "(") - (c === ")");
      return at && depth === 0 && "+-".includes(c) ? [at] : [];
    });
    return [0, ...signs].map((start, k) => {
      const [, sign, digits, rest] = text.slice(start, signs[k]).match(/^([+-]?)(\d*)(.*)$/s);
      const by = change(BigInt(digits || 1));
      return `${sign}${by === 1n && rest ? "" : by}${rest}`;
    }).join("");
  }

  // A formula as people read it, with a sign before words and room around sums, and back.
  const spoken = (text) =>
    text
      .replace(/([\dA-Za-z⁰¹²³⁴⁵⁶⁷⁸⁹)])(?=floor|min|max)/g, "$1·")
      .replace(/([\dA-Za-z⁰¹²³⁴⁵⁶⁷⁸⁹)])([+-])/g, "$1 $2 ")
      .replaceAll(",", ", ");
  const compact = (text) => text.trim().replace(/·|( \/ )| /g, "$1");

  // A formula with its parts put in: characters from 256 on stand for them.
  const whole = (text, parts) =>
    text.replace(/[\u0100-\u07ff]/g, (c) => whole(parts[c.charCodeAt(0) - 256], parts));

  // Numbers for people, digit for digit as the page was written.
  const THIN = "\u202f";
  const PREFIXES = ["", "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q"];
  const COUNTS = ["", "k", "M", "B", "T"];
  const UNITS = {
    p: ["parameters", COUNTS, 1000n],
    s: ["steps", COUNTS, 1000n],
    b: ["bytes", ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"], 1024n],
    F: ["FLOP", PREFIXES.map((p) => `${p}FLOP`), 1000n],
    M: ["MAC", PREFIXES.map((p) => `${p}MAC`), 1000n],
  };
  const unit = (mark) => UNITS[mark][0];

  const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, THIN);

  function inUnit(number, mark) {
    const [, units, base] = UNITS[mark];
    let step = 0;
    while (step + 1 < units.length && rounded(number, base ** BigInt(step)) >= base) step++;
    const shown = `${threeFigures(number, base ** BigInt(step))}${THIN}${units[step]}`;
    return units[step] ? shown : shown.slice(0, -1);
  }
  function rounded(number, unit) {
    const whole = number / unit;
    return whole >= 100n ? (2n * number + unit) / (2n * unit) : whole;
  }
  function threeFigures(number, unit) {
    const whole = number / unit;
    if (unit === 1n) return grouped(number);
    if (whole >= 1000n) return grouped(rounded(number, unit));
    for (const [decimals, limit] of [[2, 10n], [1, 100n], [0, 1024n]]) {
      const tens = 10n ** BigInt(decimals);
      const shown = (2n * number * tens + unit) / (2n * unit);
      if (decimals && shown >= limit * tens) continue;
      if (!decimals) return grouped(shown);
      return `${shown / tens}.${String(shown % tens).padStart(decimals, "0")}`;
    }
  }
  function share(part, whole) {
    if (!part || !whole) return "";
    const tenths = (2000n * part + whole) / (2n * whole);
    return tenths ? `${tenths / 10n}.${tenths % 10n}${THIN}%` : `<0.1${THIN}%`;
  }
  // `number / of` with three figures, such as FLOPs for each byte; nothing where `of` is nothing.
  const ratio = (number, of) => (of ? threeFigures(number, of) : "");

  return { evaluate, scaled, spoken, compact, whole, grouped, unit, inUnit, share, ratio };
})();
if (typeof module !== "undefined") module.exports = archc;
