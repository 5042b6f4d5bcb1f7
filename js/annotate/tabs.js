// Detects that another window shows the same page: windows of this browser notify each other, and
// the server knows the others.

import { heartbeat } from "./api.js";

const BEAT_MS = 5000;

/** Name of this tab; new for each load. */
export const tab = crypto.randomUUID();

export class Tabs {
    /** @param {(others: number) => void} onOthers called with the number of other windows that show
     * the page */
    constructor(onOthers) {
        this.onOthers = onOthers;
        this.number = null;
        this.here = new Map();
        this.onServer = 0;
        this.channel = new BroadcastChannel("vclean.annotate");
        this.channel.addEventListener("message", ({ data }) => this.hear(data));
        addEventListener("pagehide", () => this.say("left"));
        setInterval(() => this.beat(), BEAT_MS);
    }

    /** Declares that this tab now shows another page; null for none. */
    open(number) {
        if (this.number !== null) this.say("left");
        this.number = number;
        this.here.clear();
        this.onServer = 0;
        this.tell();
        this.say("asks");
        this.beat();
    }

    say(what) {
        if (this.number !== null) this.channel.postMessage({ what, tab, number: this.number });
    }

    hear({ what, tab: other, number }) {
        if (number !== this.number) this.here.delete(other);
        else if (what === "left") {
            this.here.delete(other);
            // The server is not told of a closed window, and counts it for a few more seconds.
            this.onServer = Math.max(0, this.onServer - 1);
        } else {
            this.here.set(other, Date.now());
            if (what === "asks") this.say("here");
        }
        this.tell();
    }

    async beat() {
        if (this.number === null) return;
        const asked = this.number;
        this.say("here");
        for (const [other, at] of this.here) if (Date.now() - at > 3 * BEAT_MS) this.here.delete(other);
        try {
            const { others } = await heartbeat(asked, tab);
            if (asked === this.number) this.onServer = others;
        } catch {
            // If the server cannot be reached, `store.js` reports it.
        }
        this.tell();
    }

    tell() {
        this.onOthers(Math.max(this.here.size, this.onServer));
    }
}
