// Draws the kept and dropped blocks over a page. `showBlocks` runs inside the page, so it must not
// use anything outside of itself.

/**
 * @param {{ rect: { x: number, y: number, width: number, height: number }, text: string,
 *   isContent: boolean, probability: number, index: number }[]} blocks Positions are in CSS px.
 * @param {number | null} reader Id of the reader's tab; `null` removes the blocks.
 */
export function showBlocks(blocks, reader) {
  const NAME = 'vclean-blocks';
  document.querySelector(NAME)?.remove();
  if (reader === null) return;
  const api = globalThis.browser ?? globalThis.chrome;
  const host = document.createElement(NAME);
  host.style.cssText = 'all: initial; position: absolute; inset: 0 auto auto 0; width: 0; height: 0; z-index: 2147483647;';
  const root = host.attachShadow({ mode: 'closed' });
  const sheet = document.createElement('style');
  sheet.textContent = `
    button { position: absolute; box-sizing: border-box; margin: 0; padding: 0; background: none; cursor: pointer; }
    button.kept { border: 3px solid #0a7d34; background: rgb(10 125 52 / .12); }
    button.dropped { border: 2px dashed #b3261e; background: rgb(179 38 30 / .1); }
    button.mended { border-style: double; border-width: 6px; }
    button:focus-visible { outline: 3px solid #0b57a4; outline-offset: 2px; }
    output { position: fixed; inset: auto 12px 12px auto; max-width: 32em; padding: 8px 12px; border-radius: 4px; color: #fff;
      background: #1d1d1b; font: 14px/1.4 system-ui, sans-serif; }`;
  const told = document.createElement('output');
  const percent = (block) => `${Math.round(100 * block.probability)} %`;
  const words = (block, isMended) =>
    `${block.isContent ? 'Kept' : 'Dropped'}${isMended ? ' by you' : ''}; probability of text ${percent(block)}`;
  const help = 'Press a block to mend it, Escape to close.';
  told.textContent = help;
  root.append(sheet, told);
  for (const block of blocks) {
    const button = document.createElement('button');
    const { x, y, width, height } = block.rect;
    button.style.cssText = `left: ${x - 3}px; top: ${y - 3}px; width: ${width + 6}px; height: ${height + 6}px;`;
    const show = () => {
      button.className = `${block.isContent ? 'kept' : 'dropped'}${block.isMended ? ' mended' : ''}`;
      button.setAttribute('aria-pressed', String(block.isContent));
      button.setAttribute('aria-label', `${block.text.slice(0, 80)}: ${words(block, block.isMended)}`);
      button.title = words(block, block.isMended);
    };
    show();
    const tell = () => {
      told.textContent = `${words(block, block.isMended)}. ${help}`;
    };
    button.addEventListener('pointerenter', tell);
    button.addEventListener('focus', tell);
    button.addEventListener('click', (event) => {
      event.preventDefault();
      event.stopPropagation();
      block.isContent = !block.isContent;
      block.isMended = !block.isMended;
      show();
      tell();
      api.runtime.sendMessage({ kind: 'label', reader, index: block.index, isContent: block.isContent });
    });
    root.append(button);
  }
  host.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    host.remove();
    api.runtime.sendMessage({ kind: 'closed', reader });
  });
  document.documentElement.append(host);
  root.querySelector('button')?.focus();
}
