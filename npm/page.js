// Describes open pages: in a browser from the document, in Node through Playwright or Puppeteer.
import { live } from './live.js';
import { LIVE } from './live.text.js';
import { VcleanError } from './error.js';

const cannot = (error) => new VcleanError('source', `the open page cannot be described: ${error.message}`);

/**
 * Describes the page of a document.
 * @param {Document} document
 * @param {(element: Element) => ShadowRoot | null} [closedRoot] Returns the closed shadow tree of
 *   an element, as `chrome.dom.openOrClosedShadowRoot` does in extensions.
 */
export const describeDocument = (document, closedRoot) => {
  try {
    return live(document, closedRoot);
  } catch (error) {
    throw cannot(error);
  }
};

const WORLD = 'vclean';
// The source text of `live`: bundlers rewrite functions so that they depend on surrounding code.
const EXPRESSION = `JSON.stringify((${LIVE})(document))`;

// Chromium has isolated worlds, in which the page's scripts can change nothing.
const describeInOwnWorld = async (session) => {
  try {
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: WORLD,
    });
    const answer = await session.send('Runtime.evaluate', {
      expression: EXPRESSION,
      contextId: executionContextId,
      returnByValue: true,
    });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text);
    return JSON.parse(answer.result.value);
  } finally {
    await session.detach().catch(() => {});
  }
};

const describe = async (page, openSession) => {
  try {
    const session = await openSession();
    if (session) return await describeInOwnWorld(session);
    // Puppeteer has an isolated world in each frame, also in Firefox; its types do not declare it.
    const world = page.mainFrame().isolatedRealm?.() ?? page;
    return JSON.parse(await world.evaluate(EXPRESSION));
  } catch (error) {
    throw cannot(error);
  }
};

/** Describes a Playwright page; in Firefox and WebKit this runs in the page's own world. */
export const describePlaywright = (page) =>
  describe(page, async () => {
    const isChromium = page.context().browser()?.browserType().name() === 'chromium';
    return isChromium ? page.context().newCDPSession(page) : null;
  });

/** Describes a Puppeteer page, in an isolated world. */
export const describePuppeteer = (page) =>
  describe(page, async () => {
    const version = await page.browser().version();
    return /chrom/i.test(version) ? page.createCDPSession() : null;
  });
