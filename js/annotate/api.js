// Communicates with the server. Every failure becomes one of four kinds, so that the page can name
// the cause and the remedy.

/** The server cannot be reached: it has ended, or the connection failed. */
export class Unreachable extends Error {}
/** The server was restarted since this page was opened. */
export class Restarted extends Error {}
/** Another window changed the page in the meantime. */
export class Conflict extends Error {}
/** The server refuses the request; the message is its reason. */
export class Refused extends Error {}

/** Longest wait for a response. Preparing a page may start a browser. */
const LIMIT_MS = 180_000;

/** Longest body that a browser still sends after its window was closed; the standard's limit is 64
 * KiB. */
const KEPT_LETTERS = 60_000;

async function request(path, body) {
    const options = { cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout(LIMIT_MS) };
    if (body !== undefined) {
        options.method = "POST";
        options.headers = { "Content-Type": "application/json", "X-Vclean": "1" };
        options.body = JSON.stringify(body);
        options.keepalive = options.body.length < KEPT_LETTERS;
    }
    let answer;
    try {
        answer = await fetch(path, options);
    } catch (error) {
        throw new Unreachable(String(error));
    }
    if (answer.ok) return answer;
    const text = await answer.text().catch(() => "");
    let reason = text;
    try {
        reason = JSON.parse(text).error ?? text;
    } catch {
        // A response in plain text is itself the reason.
    }
    if (answer.status === 403) throw new Restarted(reason);
    if (answer.status === 409) throw new Conflict(reason);
    throw new Refused(reason || `the server answers with status ${answer.status}`);
}

async function json(path, body) {
    const answer = await request(path, body);
    try {
        return await answer.json();
    } catch (error) {
        throw new Unreachable(String(error));
    }
}

/** Labels, mode, and the pages in their order. */
export const project = () => json("/api/project");
/** One page with its blocks. */
export const page = (number) => json(`/api/pages/${number}`);
/** The whole text of a block. */
export const wholeText = async (number, block) => (await request(`/api/pages/${number}/blocks/${block}/text`)).text();
/** Sends changes, or undoes or redoes a step. */
export const change = (number, body) => json(`/api/pages/${number}/changes`, body);
/** Marks a page as done, or as not done. */
export const done = (number, body) => json(`/api/pages/${number}/done`, body);
/** Reports that this tab shows the page; the response counts the other tabs that do. */
export const heartbeat = (number, tab) => json(`/api/pages/${number}/tab`, { tab });
/** Address of a strip of the page's picture. */
export const tile = (number, strip) => `/api/pages/${number}/tiles/${strip}`;
