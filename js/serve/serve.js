// The small page: sends one page to the service and shows its text beside the decisions. What a page says is only ever set
// as text, never as HTML.

const find = (id) => document.getElementById(id);

/** The request for what is in the form. */
function request(wantsPicture) {
  const html = find("html").value;
  const address = find("url").value.trim();
  const engine = find("engine").value;
  const body = { formats: [find("format").value], blocks: true, overlay: wantsPicture };
  if (html) body.html = html;
  if (address) body.url = address;
  if (engine) body.engine = engine;
  return body;
}

/** Sends a request; throws an error with the cause. */
async function send(body) {
  const headers = { "Content-Type": "application/json" };
  const token = find("token").value;
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch("/v1/clean", { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/** A block as an entry of the list. */
function entry(block) {
  const item = document.createElement("li");
  item.className = block.label === "content" ? "content" : "dropped";
  const label = document.createElement("span");
  label.className = "label";
  label.textContent = `${block.label} ${block.probability.toFixed(2)} `;
  item.append(label, block.text.slice(0, 300));
  item.title = block.xpath;
  return item;
}

function show(answer) {
  find("text").textContent = Object.values(answer.output)[0] || "";
  const picture = find("overlay");
  picture.hidden = !answer.overlay;
  picture.src = answer.overlay ? `data:image/png;base64,${answer.overlay}` : "";
  find("blocks").replaceChildren(...(answer.blocks || []).map(entry));
  find("result").hidden = false;
  const parts = [`read by ${answer.engine}`, `expected F ${answer.expected_f.toFixed(2)}`, ...answer.warnings];
  find("state").textContent = parts.join("; ");
}

async function clean(event) {
  event.preventDefault();
  const state = find("state");
  const button = document.querySelector("button");
  state.textContent = "cleaning ...";
  button.disabled = true;
  try {
    // Only a rendered page has a picture: HTML alone is parsed unless an engine is chosen.
    const engine = find("engine").value;
    const isRendered = engine ? engine !== "none" : !find("html").value;
    show(await send(request(isRendered)));
  } catch (error) {
    find("result").hidden = true;
    state.textContent = error.message;
  }
  button.disabled = false;
}

find("form").addEventListener("submit", clean);
