// Runs the official clients for Node against vclean: see scripts/test-service.
//
//   node test_clients.mjs PROGRAM SERVICE SITE
//
// PROGRAM is the program, SERVICE the address of a service with VCLEAN_TOKEN, SITE the address of
// the site that it reads.

import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Firecrawl from "@mendable/firecrawl-js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [program, service, site] = process.argv.slice(2);
const token = process.env.VCLEAN_TOKEN;
const page = `${site}/article/`;
const options = ["mcp", "--engine", "builtin", "--allow-private", "--ignore-robots", "--delay", "0"];

function check(what, condition, seen) {
  if (!condition) throw new Error(`${what} failed: ${JSON.stringify(seen)}`);
  console.log(`test-service: ${what}`);
}

async function checkFirecrawl() {
  const client = new Firecrawl({ apiKey: token, apiUrl: service });
  const found = await client.scrape(page, { formats: ["markdown", "links"] });
  check("Firecrawl's client for Node scrapes", found.markdown.includes("Marigold") && found.links.length > 0, found);
  const crawled = await client.crawl(`${site}/`, { limit: 2, sitemap: "skip", crawlEntireDomain: true, pollInterval: 1 });
  check("and crawls", crawled.status === "completed" && crawled.data.some((one) => one.markdown), crawled);
  const batch = await client.batchScrape([page], { options: { formats: ["markdown"] }, pollInterval: 1 });
  check("and works on a list", batch.data[0].markdown.includes("Marigold"), batch);
  const map = await client.map(`${site}/`, { sitemap: "skip" });
  check("and maps a site", map.links.some((link) => link.url === `${site}/`), map);
  const refused = await client.scrape(page, { formats: ["summary"] }).catch((error) => error);
  check("and is refused what is not offered", String(refused.message).includes("summary"), String(refused));
}

async function checkTools(what, transport) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  check(`${what}: the tools are listed`, tools.some((tool) => tool.name === "fetch_clean"), tools);
  const found = await client.callTool({ name: "fetch_clean", arguments: { url: page } });
  check(`${what}: fetch_clean`, !found.isError && found.content[0].text.includes("Marigold"), found);
  await client.close();
}

// The inspector runs in the folder of this file, where the packages are.
function checkInspector(what, server) {
  const inspector = join(dirname(fileURLToPath(import.meta.url)), "node_modules/.bin/mcp-inspector");
  const ask = (...args) => JSON.parse(execFileSync(inspector, ["--cli", ...server, ...args], { encoding: "utf8", timeout: 60000 }));
  const { tools } = ask("--method", "tools/list");
  check(`${what}: the tools are listed`, tools.some((tool) => tool.name === "clean_html"), tools);
  const html = '<nav><a href=/>Home</a></nav><p>Herring gulls drop mussels on rocks.</p><p style="font-size:0">Nobody sees this.</p>';
  const found = ask("--method", "tools/call", "--tool-name", "clean_html", "--tool-arg", `html=${html}`);
  const text = found.content[0].text.trim();
  check(`${what}: clean_html`, !found.isError && text === "Herring gulls drop mussels on rocks.", found);
}

await checkFirecrawl();
await checkTools("Node, standard input", new StdioClientTransport({ command: program, args: options }));
const headers = { Authorization: `Bearer ${token}` };
await checkTools("Node, HTTP", new StreamableHTTPClientTransport(new URL(`${service}/mcp`), { requestInit: { headers } }));
checkInspector("MCP Inspector, standard input", [program, "mcp"]);
checkInspector("MCP Inspector, HTTP", [`${service}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${token}`]);
