// A small page of our own, as an example for visitors.

/** HTML source of the example. */
export const EXAMPLE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>The bees under the boat - River Notes</title>
<style>
  body { font: 18px/1.5 serif; margin: 0; color: #222; background: #fff; }
  header, footer { background: #24404f; color: #fff; padding: 12px 24px; font-family: sans-serif; }
  header a, footer a { color: #fff; margin-right: 18px; }
  .page { display: flex; gap: 32px; max-width: 1000px; margin: 24px auto; }
  article { width: 660px; }
  aside { width: 260px; background: #f3efe6; padding: 12px 16px; font: 15px/1.4 sans-serif; }
</style>
<header><b>River Notes</b> &nbsp; <a href="/">Home</a> <a href="/boats">Boats</a> <a href="/about">About us</a> <a href="/login">Sign in</a></header>
<div class="page">
  <article>
    <h1>The bees under the boat</h1>
    <p>By Ada Quill, 3 May 2021</p>
    <p>The ferry to the far bank ran twice a day, and on Sundays not at all, which suited the ferryman, who kept bees and
    thought little of people who could not wait for a Monday. Nobody ever asked him why he had chosen the river.</p>
    <p>When the bridge came he took his boat up the hill, turned it over, and lived under it until the bees moved in. They
    stayed for eleven summers, and the honey of the last one still stands in the cellar of the town hall.</p>
    <h2>What is left</h2>
    <p>The boat is gone. Where it lay, clover grows in the shape of a keel, and in July it hums as if somebody were rowing.</p>
  </article>
  <aside>
    <b>Popular this week</b>
    <ul><li><a href="/1">Ten knots that hold</a></li><li><a href="/2">The lock keeper's cat</a></li><li><a href="/3">High water of 1954</a></li></ul>
    <p>Subscribe to our newsletter and get a free map of the river.</p>
  </aside>
</div>
<footer>&copy; River Notes &nbsp; <a href="/privacy">Privacy</a> <a href="/imprint">Imprint</a> <a href="/cookies">Cookies</a></footer>
</html>
`;
