"use strict";
// Zoom, and what is under the pointer. The page is whole without this.
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
tip.setAttribute("role", "status");
document.body.append(tip);

function say(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 4)) + "px";
  tip.style.top = (y - box.height - 14 < 4 ? y + 22 : y - box.height - 14) + "px";
}

// A number in few letters, as _svg.py has it.
function compact(value) {
  const digits = (number, count) => Number(number.toPrecision(count));
  for (const [size, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (Math.abs(value) >= size && (size > 1e3 || Math.abs(value) >= 1e4))
      return digits(value / size, 3) + letter;
  if (value && Math.abs(value) < 1e-3) {
    const [mantissa, power] = value.toExponential(1).replace(".0", "").split("e");
    return (mantissa === "1" ? "" : mantissa + "·") + "10" + power.replace(/./g, sign => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
  }
  return digits(value, 4).toLocaleString("en", {maximumFractionDigits: 9});
}

// Round numbers between two ends, which are logarithms where the axis is logarithmic, as _svg.py has them.
function ticks(log, ...ends) {
  const [low, high] = ends.sort((a, b) => a - b), found = [];
  if (log && high - low >= 2) {
    const step = Math.ceil((high - low) / 6);
    for (let power = Math.ceil(low - 1e-9); power <= Math.floor(high + 1e-9); power++)
      if (power % step === 0)
        found.push(10 ** power);
    return found;
  }
  const [first, last] = log ? [10 ** low, 10 ** high] : [low, high];
  if (log && high - low >= 0.7) {
    for (let power = Math.floor(low); power <= Math.ceil(high); power++)
      for (const value of [1, 2, 5].map(digit => digit * 10 ** power))
        if (value >= first * (1 - 1e-9) && value <= last * (1 + 1e-9))
          found.push(value);
    return found;
  }
  const rough = (last - first) / 4 || 1, size = 10 ** Math.floor(Math.log10(rough));
  const step = size * ([1, 2, 5].find(digit => digit * size >= rough * (1 - 1e-9)) || 10);
  for (let number = Math.ceil(first / step - 1e-9); number <= Math.floor(last / step + 1e-9); number++)
    found.push(step * number);
  return found;
}

function svg(kind, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes))
    made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

function axis(words) {
  if (!words)
    return null;
  const [kind, low, high] = words.split(" "), log = kind === "log";
  return {log, low: log ? Math.log10(low) : +low, high: log ? Math.log10(high) : +high};
}

class Chart {
  constructor(chart) {
    this.chart = chart;
    this.area = chart.querySelector(".area");
    [this.left, this.top, this.width, this.height] = ["x", "y", "width", "height"].map(name => +this.area.getAttribute(name));
    this.x = axis(chart.dataset.x);
    this.y = axis(chart.dataset.y);
    this.counts = chart.dataset.counts ? chart.dataset.counts.split(",").map(Number) : null;
    this.pointers = new Map();
    this.at = -1;
    this.marks = [...this.area.querySelectorAll(".dot, .box")].map(mark => this.measured(mark));
    this.area.classList.add("live");
    this.area.setAttribute("tabindex", "0");
    this.addTools();
    this.reset();
    for (const kind of ["pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "wheel", "dblclick", "keydown", "blur"])
      this.area.addEventListener(kind, event => this[kind](event), {passive: false});
  }

  // A mark's rectangle, and what it says: the browser's own tooltip would be a second one.
  measured(mark) {
    const title = mark.querySelector("title"), text = title.textContent;
    title.remove();
    if (mark.tagName === "rect") {
      const [x, y, width, height] = ["x", "y", "width", "height"].map(name => +mark.getAttribute(name));
      return {mark, text, x, y, width, height};
    }
    const [, x, y] = mark.getAttribute("d").match(/^M(\S+) (\S+)h0$/);
    return {mark, text, x: +x, y: +y, width: 0, height: 0};
  }

  addTools() {
    const tools = document.createElement("div"), figure = this.chart.closest("figure");
    tools.className = "tools";
    this.buttons = [["+", "Zoom in", () => this.zoom(2)], ["−", "Zoom out", () => this.zoom(0.5)], ["⟲", "Show all", () => this.reset()]]
      .map(([sign, label, act]) => {
        const button = document.createElement("button");
        Object.assign(button, {type: "button", textContent: sign, title: label, onclick: act});
        button.setAttribute("aria-label", label);
        tools.append(button);
        return button;
      });
    figure.classList.add("has-tools");
    figure.append(tools);
  }

  reset() {
    this.view = {x: 0, y: 0, width: this.width, height: this.height};
    this.show();
  }

  // Around a place of the area, in its own units.
  zoom(factor, x = this.view.x + this.view.width / 2, y = this.view.y + this.view.height / 2) {
    const {view} = this;
    for (const [place, side, whole, around, scale] of [["x", "width", this.width, x, this.x], ["y", "height", this.height, y, this.y]]) {
      const size = scale ? Math.min(whole, Math.max(whole / 256, view[side] / factor)) : whole;
      view[place] = around - (around - view[place]) * size / view[side];
      view[side] = size;
    }
    this.show();
  }

  move(x, y) {
    this.view.x -= x;
    this.view.y -= y;
    this.show();
  }

  show() {
    const {view} = this, zoomed = view.width < this.width || view.height < this.height;
    view.x = Math.max(0, Math.min(view.x, this.width - view.width));
    view.y = Math.max(0, Math.min(view.y, this.height - view.height));
    this.area.setAttribute("viewBox", [view.x, view.y, view.width, view.height].join(" "));
    this.area.classList.toggle("zoomed", zoomed);
    this.buttons[1].disabled = this.buttons[2].disabled = !zoomed;
    this.drawTicks();
  }

  drawTicks() {
    const {view, x, y} = this, right = this.left + this.width, bottom = this.top + this.height;
    const places = (scale, from, to) => {
      const low = scale.low + (scale.high - scale.low) * from, high = scale.low + (scale.high - scale.low) * to;
      return ticks(scale.log, low, high).map(value => [compact(value), ((scale.log ? Math.log10(value) : value) - low) / (high - low || 1)]);
    };
    if (x)
      this.chart.querySelector(".ticks.x").replaceChildren(...places(x, view.x / this.width, (view.x + view.width) / this.width)
        .flatMap(([text, share]) => [this.left + this.width * share].flatMap(at => [
          svg("path", {d: `M${at} ${this.top}V${bottom}`}), svg("text", {x: at, y: bottom + 16}, text)])));
    if (y)
      this.chart.querySelector(".ticks.y").replaceChildren(...places(y, 1 - (view.y + view.height) / this.height, 1 - view.y / this.height)
        .flatMap(([text, share]) => [bottom - this.height * share].flatMap(at => [
          svg("path", {d: `M${this.left} ${at}H${right}`}), svg("text", {x: this.left - 6, y: at + 4}, text)])));
  }

  // Where the pointer is in the area, in its units, and how many of its pixels a unit has.
  place(event) {
    const box = this.area.getBoundingClientRect(), {view} = this;
    return {x: view.x + (event.clientX - box.left) / box.width * view.width, y: view.y + (event.clientY - box.top) / box.height * view.height,
            across: box.width / view.width, down: box.height / view.height};
  }

  tell(event) {
    const place = this.place(event), text = this.counts ? this.cell(place) : this.nearest(place);
    if (text)
      say(text, event.clientX, event.clientY);
    else
      this.hush();
  }

  nearest({x, y, across, down}) {
    const whole = this.chart.dataset.hover === "x";
    let best = this.area.querySelector(".line") ? Infinity : 30, found = -1;
    this.marks.forEach((one, index) => {
      const away = (at, from, size) => Math.max(from - at, 0, at - from - size);
      const far = Math.hypot(away(x, one.x, one.width) * across, whole ? 0 : away(y, one.y, one.height) * down);
      if (far < best)
        [best, found] = [far, index];
    });
    this.light(found);
    return found < 0 ? "" : this.marks[found].text;
  }

  cell({x, y}) {
    const cells = Math.sqrt(this.counts.length), [column, row] = [x / this.width, y / this.height].map(share =>
      Math.max(0, Math.min(cells - 1, Math.floor(cells * share))));
    const range = (place, count) => {
      const [low, high] = [Math.ceil(place * count / cells), Math.ceil((place + 1) * count / cells) - 1];
      return low === high ? low.toLocaleString("en") : `${low.toLocaleString("en")} to ${high.toLocaleString("en")}`;
    };
    const count = this.counts[row * cells + column];
    return `${count.toLocaleString("en")} edge${count === 1 ? "" : "s"}\nrow: ${range(row, this.x.high)}\ncolumn: ${range(column, this.x.high)}`;
  }

  light(index) {
    if (this.at >= 0)
      this.marks[this.at].mark.classList.remove("on");
    this.at = index;
    if (index >= 0)
      this.marks[index].mark.classList.add("on");
  }

  hush() {
    this.light(-1);
    tip.hidden = true;
  }

  pointerdown(event) {
    this.area.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event);
    this.tell(event);
  }

  pointermove(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before)
      return this.tell(event);
    const other = [...this.pointers.values()].find(one => one.pointerId !== event.pointerId);
    const from = this.place(before), to = this.place(event);
    this.pointers.set(event.pointerId, event);
    if (other) {
      const distance = one => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY), around = this.place(other);
      this.zoom(distance(event) / (distance(before) || 1), around.x, around.y);
    } else if (event.buttons)
      this.move(to.x - from.x, to.y - from.y);
    this.tell(event);
  }

  pointerup(event) { this.pointers.delete(event.pointerId); }
  pointercancel(event) { this.pointerup(event); this.hush(); }
  pointerleave(event) { if (event.pointerType === "mouse") this.hush(); }
  blur() { this.hush(); }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) // the page scrolls
      return;
    event.preventDefault();
    const {x, y} = this.place(event);
    this.zoom(Math.exp(-event.deltaY / 200), x, y);
  }

  dblclick(event) {
    const {x, y} = this.place(event);
    if (this.area.classList.contains("zoomed"))
      this.reset();
    else
      this.zoom(4, x, y);
  }

  keydown(event) {
    const act = {"+": () => this.zoom(2), "-": () => this.zoom(0.5), "0": () => this.reset(), "Escape": () => this.hush(),
                 "ArrowLeft": () => this.step(-1), "ArrowRight": () => this.step(1)}[event.key];
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      act();
    }
  }

  // To the next mark, for those who have no pointer.
  step(by) {
    if (!this.marks.length)
      return;
    this.light(this.at < 0 ? (by > 0 ? 0 : this.marks.length - 1) : (this.at + by + this.marks.length) % this.marks.length);
    const {mark, text} = this.marks[this.at], box = mark.getBoundingClientRect();
    say(text, box.right, box.top);
  }
}

for (const chart of document.querySelectorAll(".chart"))
  new Chart(chart);
