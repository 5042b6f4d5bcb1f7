// Describes open pages: in a browser from the document, in Node through Playwright or Puppeteer.
import { live } from './live.js';
import { LIVE } from './live.text.js';
import { VcleanError } from './error.js';
import { checkValue, unknownOption, written } from './options.js';

const cannot = (error) => new VcleanError('source', `the open page cannot be described: ${error.message}`);

/**
 * Describes the page of a document.
 * @param {Document} document
 * @param {(element: Element) => ShadowRoot | null} [closedRoot] Returns the closed shadow tree of
 *   an element, as `chrome.dom.openOrClosedShadowRoot` does in extensions.
 */
export const describeDocument = (document, closedRoot) => {
  // Elements of the page can shadow members of its document, and other realms have other classes.
  if (!/Document]$/.test(Object.prototype.toString.call(document))) {
    throw new VcleanError('source', `an open page is the document of a browser, not ${written(document)}; for HTML use \`clean\``);
  }
  try {
    return live(document, closedRoot);
  } catch (error) {
    throw cannot(error);
  }
};

const WORLD = 'vclean';
// Named elements shadow members of the document.
const LENGTH = `(({ get }, root) => (root ? get.call(root).length : 0))(
  Object.getOwnPropertyDescriptor(Node.prototype, 'textContent'), Document.prototype.querySelector.call(document, ':root'))`;
// Heuristic: the pause after which Playwright calls a network idle.
const QUIET_MS = 500;
// Heuristic: a page that fills itself from one server has done so by then.
const SETTLE_MS = 3000;
// The source text of `live`: bundlers rewrite functions so that they depend on surrounding code.
const EXPRESSION = `JSON.stringify((${LIVE})(document))`;

// Waits until the text of the page keeps its length. Returns true if it still changes at the end.
const isChanging = async (evaluate, settleMs) => {
  const end = performance.now() + settleMs;
  let length = settleMs > 0 ? await evaluate(LENGTH) : 0;
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(QUIET_MS, settleMs)));
    const now = await evaluate(LENGTH);
    if (now === length) return false;
    length = now;
  }
  return settleMs > 0;
};

const describeQuiet = async (evaluate, settleMs) => {
  const is_changing = await isChanging(evaluate, settleMs);
  return { ...JSON.parse(await evaluate(EXPRESSION)), is_changing };
};

// Chromium has isolated worlds, in which the page's scripts can change nothing.
const describeInOwnWorld = async (session, settleMs) => {
  try {
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: WORLD,
    });
    const evaluate = async (expression) => {
      const answer = await session.send('Runtime.evaluate', { expression, contextId: executionContextId, returnByValue: true });
      if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text);
      return answer.result.value;
    };
    return await describeQuiet(evaluate, settleMs);
  } finally {
    await session.detach().catch(() => {});
  }
};

const checkPage = (page, member, library) => {
  if (typeof page?.[member] === 'function') return;
  throw new VcleanError('source', `an open page is a \`Page\` of ${library}, not ${written(page)}; for HTML use \`clean\``);
};

const describe = async (page, openSession, { settleMs = SETTLE_MS, ...others } = {}) => {
  for (const name of Object.keys(others)) throw new VcleanError('option', unknownOption(name, ['settleMs']));
  checkValue('settleMs', settleMs, { type: 'number', minimum: 0 });
  try {
    const session = await openSession();
    if (session) return await describeInOwnWorld(session, settleMs);
    // Puppeteer has an isolated world in each frame, also in Firefox; its types do not declare it.
    const world = page.mainFrame().isolatedRealm?.() ?? page;
    return await describeQuiet((expression) => world.evaluate(expression), settleMs);
  } catch (error) {
    throw cannot(error);
  }
};

/** Describes a Playwright page; in Firefox and WebKit this runs in the page's own world. */
export const describePlaywright = (page, taking) => {
  checkPage(page, 'context', 'Playwright');
  const openSession = async () => {
    const isChromium = page.context().browser()?.browserType().name() === 'chromium';
    return isChromium ? page.context().newCDPSession(page) : null;
  };
  return describe(page, openSession, taking);
};

/** Describes a Puppeteer page, in an isolated world. */
export const describePuppeteer = (page, taking) => {
  checkPage(page, 'browser', 'Puppeteer');
  const openSession = async () => {
    const version = await page.browser().version();
    return /chrom/i.test(version) ? page.createCDPSession() : null;
  };
  return describe(page, openSession, taking);
};
