// Shows in the panel the table row of the target under the pointer or in focus. The page also works
// without scripts: every box is a link to its row.
"use strict";
(() => {
  const panel = document.getElementById("details");
  const boxes = [...document.querySelectorAll(".box")];
  let shown = [];
  const show = (index) => {
    const row = document.getElementById(`t${index}`);
    if (!row) return;
    for (const element of shown) element.classList.remove("shown");
    shown = [row, ...boxes.filter((box) => box.dataset.target === index)];
    for (const element of shown) element.classList.add("shown");
    if (panel) panel.replaceChildren(...[...row.querySelectorAll(".detail")].map((cell) => {
      const part = document.createElement("div");
      part.className = row.className;
      part.append(...cell.cloneNode(true).childNodes);
      return part;
    }));
  };
  for (const box of boxes) {
    const index = box.dataset.target;
    box.addEventListener("pointerenter", () => show(index));
    box.addEventListener("focus", () => show(index));
  }
  for (const choice of document.querySelectorAll("input[data-hides]")) {
    const apply = () => document.body.classList.toggle(choice.dataset.hides, !choice.checked);
    choice.addEventListener("change", apply);
    apply();
  }
})();
