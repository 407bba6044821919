/* What Shiny has no input for: a table that is sent as it is, sliders, and a focus that stays. */
"use strict";

const send = (name, value) => Shiny.setInputValue(name, value, { priority: "event" });
const here = new URL(".", location.href);
const analysis = new URLSearchParams(location.search).get("analysis");

// --- the table goes to the server in one piece, as it is

function complain(message) {
  const place = document.getElementById("upload");
  const box = document.createElement("div");
  box.className = "error";
  message.split("\n").forEach((line, k) => {
    const p = document.createElement("p");
    const inside = k ? p : p.appendChild(document.createElement("strong"));
    inside.textContent = line;
    box.append(p);
  });
  place.replaceChildren(box);
}

let sending = null; // of several uploads only the last counts

function stopSending() {
  sending?.abort();
  document.getElementById("upload").textContent = "";
}

function upload(file) {
  stopSending();
  const most = Number(document.body.dataset.maxUpload);
  if (file.size > most * 1e6) {
    complain(`The file is too large.\nYou passed '${file.name}' with ${Math.ceil(file.size / 1e6)} MB; the limit is ${most} MB.\nLeave out columns that are not needed, or start the app again with a larger limit.`);
    return;
  }
  const place = document.getElementById("upload");
  const request = sending = new XMLHttpRequest();
  request.open("PUT", new URL(`analyses/${analysis}/table?name=${encodeURIComponent(file.name)}`, here));
  request.responseType = "json";
  request.upload.onprogress = (event) => {
    const share = event.total ? Math.round((100 * event.loaded) / event.total) : 0;
    place.textContent = `Sending ${file.name}: ${share} %`;
  };
  request.onload = () => {
    place.textContent = "";
    if (request.status !== 200) complain(request.response?.error || `The file could not be sent.\nThe server answered ${request.status}.\nTry again.`);
  };
  request.onerror = () => complain("The file could not be sent.\nThe connection was lost.\nCheck that tlpo app is still running, then try again.");
  request.send(file);
}

const chooser = document.getElementById("file");
chooser.addEventListener("click", () => { chooser.value = ""; }); // the same file may have changed
chooser.addEventListener("change", () => { if (chooser.files.length) upload(chooser.files[0]); });
const drop = document.getElementById("drop");
for (const kind of ["dragover", "dragleave", "drop"]) {
  drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files.length) upload(event.dataTransfer.files[0]);
  });
}

// --- clicks

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.marker) {
    const column = button.dataset.column ?? document.getElementById("column").value;
    send("marker", { what: button.dataset.marker, column, value: "" });
  }
  if (button.dataset.way) send("way", { number: button.dataset.way });
  if (button.dataset.event === "example") stopSending();
  if (button.dataset.event) send(button.dataset.event, Date.now());
  if (button.dataset.copy) {
    navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  }
});
document.addEventListener("change", (event) => {
  const { dataset, checked, id, name, value } = event.target;
  if (dataset.column) send("switch", { column: dataset.column, use: checked });
  if (dataset.model) send("model", { name: dataset.model, use: checked });
  if (dataset.parameters) send("parameters", { name: dataset.parameters, typed: value });
  if (dataset.classes) send("classes", { what: dataset.classes, value, label: dataset.label ?? "0" });
  if (name === "positive" || name === "judged") send(name, value);
  const [what, column] = id.split("-");
  if (what === "said") send("said", { column, kind: value });
  if (what === "direction" || what === "cutoff") send("marker", { what, column, value });
});

// --- sliders: one that Shiny hears, and one that moves a field

class Slider extends Shiny.InputBinding {
  find(scope) { return $(scope).find("input[type=range][id]"); }
  getValue(element) { return Number(element.value); }
  subscribe(element, callback) { $(element).on("input.slider", () => callback(false)); }
  unsubscribe(element) { $(element).off(".slider"); }
}
Shiny.inputBindings.register(new Slider(), "tlpo.slider");
document.addEventListener("input", (event) => {
  const field = document.getElementById(event.target.dataset.for);
  if (field) {
    field.value = event.target.value;
    $(field).trigger("change");
  } else if (event.target.id) {
    const slider = document.querySelector(`[data-for="${CSS.escape(event.target.id)}"]`);
    if (slider) slider.value = event.target.value;
  }
});

// --- what is shown anew keeps the focus; a button that went away hands it to its opposite

const restoring = new Map();
const opposite = { run: "cancel", cancel: "run", remove: "column" };
$(document).on("shiny:value", ({ target }) => {
  const focused = target.contains(document.activeElement) ? document.activeElement.id : "";
  const before = target.querySelector(".scroll");
  const where = before && { top: before.scrollTop, left: before.scrollLeft, behavior: "instant" };
  let justShown = true;
  const restore = new MutationObserver(() => {
    if (where && justShown) target.querySelector(".scroll")?.scrollTo(where);
    if (!focused || document.activeElement !== document.body) return;
    const candidates = [focused, opposite[focused.split("-")[0]]].map((id) => document.getElementById(id));
    candidates.find((element) => element && !element.disabled)?.focus({ preventScroll: true });
  });
  restore.observe(target, { childList: true });
  if (focused) { // the focus has moved on since an earlier one
    restoring.get(target)?.disconnect();
    restoring.set(target, restore);
  }
  setTimeout(() => {
    justShown = false;
    if (!focused) restore.disconnect();
  }, 2000);
});
// A button may take long to come back. Whoever does something else meanwhile keeps their place.
for (const kind of ["pointerdown", "keydown"]) {
  document.addEventListener(kind, () => restoring.forEach((restore) => restore.disconnect()));
}

// --- the report is as high as it is long: nobody likes a page that scrolls within a page

document.addEventListener("load", (event) => {
  const frame = event.target;
  if (frame.tagName !== "IFRAME") return;
  const page = frame.contentDocument;
  const fit = () => { frame.style.height = `${page.documentElement.scrollHeight + 2}px`; };
  fit();
  new ResizeObserver(fit).observe(page.body);
}, true);

$(document).on("shiny:disconnected", () => {
  const lost = document.getElementById("lost");
  lost.textContent = "The connection to tlpo app was lost. Reload the page; if that does not help, start tlpo app again.";
  lost.hidden = false;
});
